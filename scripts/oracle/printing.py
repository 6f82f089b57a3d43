"""What print() shows, in all settings of set_printoptions and with every sort of value, and modules within modules. See reprs.py for more."""

import collections
import json

import torch
from torch import nn

from .program import Programs
from .recorder import FIXTURES

nan, inf = float("nan"), float("inf")
FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16]
RESET = {"profile": "default"}


def record():
    fam = Programs("printing")
    t = torch.tensor

    def show(group, name, x, **options):
        p = fam.program(group, name)
        if options:
            p.do(None, "torch.set_printoptions", **options)
        p.look(p.tensor("x", x), what=("repr",))
        if options:
            p.do(None, "torch.set_printoptions", **RESET)
            torch.set_printoptions(profile="default")

    mixed = t([0.0001234, 1.5, -2.25, 1000.0])
    digits = t([1 / 3, 2 / 3, 123.456789])
    for precision in (0, 1, 2, 3, 6, 8, 12):
        show("precision", f"{precision} fixed", digits, precision=precision)
        show("precision", f"{precision} scientific", mixed, precision=precision)
        show("precision", f"{precision} whole", t([1.0, 20.0]), precision=precision)
        show("precision", f"{precision} double", digits.double(), precision=precision)
    for sci in (True, False):
        for name, x in [("whole", t([1.0, 20.0, 300.0])), ("fractions", t([0.5, 123.25])), ("wide", t([1e-8, 1.0, 1e8])), ("special", t([nan, 1.5, -inf])), ("zeros", t([0.0, -0.0])), ("ints", t([1, 200])), ("large whole", t([1e9, 2e9])), ("half", t([0.5, 300.0], dtype=torch.float16)), ("0-dim", t(2.5)), ("negative tiny", t([-1e-7, 1.0]))]:
            show("sci_mode", f"{sci} {name}", x, sci_mode=sci)
    one, two, three = torch.arange(20), torch.arange(60.0).reshape(6, 10), torch.arange(120).reshape(5, 4, 6)
    for threshold in (0, 5, 19, 20, 100, inf):
        for name, x in [("1-D", one), ("2-D", two), ("3-D", three)]:
            show("threshold", f"{threshold} {name}", x, threshold=threshold)
    for edge in (0, 1, 2, 5, 10):
        for name, x in [("1-D", one), ("2-D", two), ("3-D", three)]:
            show("edgeitems", f"{edge} {name}", x, edgeitems=edge, threshold=4)
    for width in (1, 10, 20, 40, 79, 80, 120, 1000):
        for name, x in [("1-D", one), ("2-D", two), ("floats", torch.arange(12.0) / 8)]:
            show("linewidth", f"{width} {name}", x, linewidth=width)
        show("linewidth", f"{width} suffixes", torch.ones(3, dtype=torch.float64, requires_grad=True), linewidth=width)
    for profile in ("default", "short", "full"):
        show("profile", profile, torch.arange(1500.0) / 7, profile=profile)
        show("profile", f"{profile} with precision", digits, profile=profile, precision=5)
    p = fam.program("profile", "by position")
    p.do(None, "torch.set_printoptions", 2, 5, 1)
    p.look(p.tensor("x", torch.arange(10.0) / 3), what=("repr",))
    p.do(None, "torch.set_printoptions", sci_mode=True)
    p.look(p.tensor("y", torch.arange(10.0) / 3), what=("repr",))
    p.do(None, "torch.set_printoptions")
    p.look(p.tensor("z", torch.arange(10.0) / 3), what=("repr",))
    p.do(None, "torch.set_printoptions", **RESET)
    torch.set_printoptions(profile="default")

    # Ties, edges of the notations, special values.
    for dtype in FLOATS:
        d = str(dtype)[6:]
        for name, data in [("ties", [0.00005, 0.00015, 0.03125, 2.5, 0.5]), ("ties of whole", [0.5, 1.5, 2.5]), ("ratio 1000", [1.0, 1000.0]), ("ratio 1001", [1.0, 1001.0, 0.5]), ("small edge", [1e-4, 0.5]), ("below it", [0.99e-4, 0.5e-4]), ("special", [nan, inf, -inf, 0.0, -0.0]), ("special and whole", [nan, 1.0, inf]), ("special and fractions", [0.25, -inf, nan]), ("denormals", [1e-7, 3e-8])]:
            show("floats", f"{name} {d}", t(data, dtype=dtype))
    for name, data in [("1e8", [1e8, 1e8]), ("more", [1.0000001e8, 1.0]), ("largest", [3.4028234663852886e38]), ("smallest", [1.401298464324817e-45]), ("1e16", [1e16]), ("digits lost", [16777217.0, 0.5]), ("1e21 whole", [1e21, 1e22])]:
        show("floats", name, t(data, dtype=torch.float64))
        show("floats", f"{name} float32", t(data, dtype=torch.float32))
    show("floats", "largest double", t([1.7976931348623157e308, 5e-324], dtype=torch.float64))
    show("floats", "1e22, not scientific", t([1e22, 1.5e21], dtype=torch.float64), sci_mode=False)
    for dtype in (torch.int64, torch.int32, torch.int16, torch.int8):
        i = torch.iinfo(dtype)
        show("ints", f"limits {str(dtype)[6:]}", t([i.min, -1, 0, i.max], dtype=dtype))
    show("ints", "uint8", t([[0, 255], [7, 70]], dtype=torch.uint8))
    show("ints", "bools that wrap", torch.arange(40) % 3 == 0)

    base = torch.arange(24.0).reshape(4, 6)
    for name, x in [("transposed", base.t()), ("strided", base[::2, 1::2]), ("expanded", base[:, :1].expand(4, 3)), ("permuted", torch.arange(24).reshape(2, 3, 4).permute(2, 0, 1)), ("part", base[1:3, 2:]), ("one of a part", base[2, 3])]:
        show("views", name, x)
    big = torch.arange(4000.0).reshape(40, 100)
    show("views", "summary of transposed", big.t())
    show("views", "summary of a part", big[5:35, 10:90])
    show("shapes", "4-D", torch.arange(16).reshape(2, 2, 2, 2))
    show("shapes", "5-D of one", torch.ones(1, 1, 1, 1, 1))
    show("shapes", "long 3-D", torch.arange(3000).reshape(10, 10, 30))
    show("shapes", "long and thin", torch.arange(1200).reshape(1200, 1))
    show("shapes", "wide", torch.arange(1200).reshape(1, 1200))
    for shape in [(0,), (0, 3), (3, 0), (2, 0, 4)]:
        for dtype in (torch.float32, torch.float64, torch.int64, torch.bool, torch.bfloat16):
            show("empty", f"{shape} {str(dtype)[6:]}", torch.zeros(shape, dtype=dtype))
    show("empty", "requires grad", torch.zeros(0, requires_grad=True))
    for value, dtype in [(0.1, torch.float16), (0.1, torch.bfloat16), (0.1, torch.float64), (1e10, torch.float32), (7, torch.int8), (True, torch.bool), (-0.0, torch.float32), (nan, torch.float64), (-inf, torch.float16), (12345678.0, torch.float32), (123456.789, torch.float64)]:
        show("0-dim", f"{value} {str(dtype)[6:]}", t(value, dtype=dtype))
    p = fam.program("default dtype", "float64")
    p.do(None, "torch.set_default_dtype", torch.float64)
    p.look(p.tensor("a", t([1.5], dtype=torch.float32)), p.tensor("b", t([1.5], dtype=torch.float64)), p.tensor("c", torch.zeros(0, dtype=torch.float32)), p.tensor("d", torch.zeros(0, dtype=torch.float64)), what=("repr",))
    p.do(None, "torch.set_default_dtype", torch.float32)
    p = fam.program("meta", "sizes and dtypes")
    for i, (shape, dtype) in enumerate([((), torch.float32), ((3,), torch.float32), ((2, 3), torch.float64), ((0,), torch.int64), ((1, 2), torch.bool)]):
        p.look(p.do(f"m{i}", "torch.empty", list(shape), dtype=dtype, device="meta"), what=("repr",))
    for program in fam.groups["meta"]:
        for step in program.steps:
            step.pop("repr_mtia", None)
    p = fam.program("gradients", "wrapping suffixes")
    x = p.tensor("x", torch.ones(5, dtype=torch.float64, requires_grad=True))
    y = p.do("y", "Tensor.mul", x, 123456789.125)
    z = p.do("z", "Tensor.reshape", y, [5, 1])
    p.look(y, z, p.do("s", "Tensor.sum", z), what=("repr", "grad_fn"))
    record_modules()
    return [fam]


class Block(nn.Module):
    def __init__(self, inner=None):
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.rest = nn.Sequential(nn.ReLU(), nn.Dropout(0.1))
        self.inner = inner
        self.scale = nn.Parameter(torch.ones(1))

    def extra_repr(self):
        return "scale=1, mode='x'"


class Lines(nn.Module):
    def extra_repr(self):
        return "first=1,\nsecond=2"


class LinesAndChildren(nn.Module):
    def __init__(self):
        super().__init__()
        self.child = nn.Linear(1, 1)

    def extra_repr(self):
        return "first=1,\nsecond=2"


class Plain(nn.Module):
    pass


class OwnRepr(nn.Module):
    def __repr__(self):
        return "<own\nrepr>"


def record_modules():
    """Modules that a program makes: tests/oracle/module-reprs.test.ts makes the same."""
    loop = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2), nn.ReLU())
    out = {
        "plain": Plain(),
        "extra_repr and children": Block(),
        "nested": Block(Block(Plain())),
        "lines": Lines(),
        "lines and children": LinesAndChildren(),
        "own repr inside": nn.Sequential(OwnRepr(), nn.Linear(1, 1)),
        "list of equals": nn.ModuleList([nn.Linear(4, 4) for _ in range(6)]),
        "list of runs": nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4), nn.Linear(4, 4)]),
        "list of blocks": nn.ModuleList([Block(), Block()]),
        "empty list": nn.ModuleList([]),
        "dict": nn.ModuleDict({"a": nn.Linear(1, 2), "b": Block()}),
        "empty dict": nn.ModuleDict(),
        "sequential of sequentials": nn.Sequential(loop, nn.Sequential(), nn.Sequential(loop)),
        "named sequential": nn.Sequential(collections.OrderedDict(conv=nn.Conv2d(1, 2, 3), act=nn.GELU())),
        "parameter list": nn.ParameterList([nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(1, 2, dtype=torch.float64))]),
        "parameter dict": nn.ParameterDict({"a": nn.Parameter(torch.ones(2)), "b": nn.Parameter(torch.ones(()))}),
    }
    texts = {name: repr(module) for name, module in out.items()}
    layers = []
    for name, args, options in every_layer():
        try:
            layers.append({"name": name, "args": args, "options": options, "text": repr(getattr(nn, name)(*tuples(args), **tuples(options)))})
        except Exception as error:
            raise AssertionError(name) from error
    (FIXTURES / "module-reprs.json").write_text(json.dumps({"programs": texts, "layers": layers}, indent=1) + "\n")


def tuples(value):
    """Arrays are tuples here; whole floats are avoided above, as JavaScript has no other sort of whole numbers."""
    if isinstance(value, dict):
        return {k: tuples(v) for k, v in value.items()}
    return tuple(tuples(v) for v in value) if isinstance(value, list) else value


def every_layer():
    """Every layer with its least arguments, and with others than the defaults."""
    none = ["CELU", "ELU", "Flatten", "GELU", "GLU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "Identity", "LeakyReLU", "LogSigmoid", "LogSoftmax", "Mish", "PReLU", "RReLU", "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid", "Softmax", "Softmax2d", "Softmin", "Softplus", "Softshrink", "Softsign", "Tanh", "Tanhshrink", "AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]
    losses = ["BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss", "CrossEntropyLoss", "GaussianNLLLoss", "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss", "L1Loss", "MSELoss", "MarginRankingLoss", "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss", "PoissonNLLLoss", "SmoothL1Loss", "SoftMarginLoss", "TripletMarginLoss", "TripletMarginWithDistanceLoss"]
    for name in none + losses + ["CosineSimilarity", "PairwiseDistance"]:
        yield name, [], {}
    for name in ["CELU", "ELU", "Hardswish", "Hardsigmoid", "Mish", "ReLU6", "SELU", "SiLU"]:
        yield name, [], {"inplace": True}
    for name in ["Softmax", "LogSoftmax", "Softmin"]:
        yield name, [], {"dim": 1}
    yield from [("Threshold", [0.1, 20.5], {}), ("Threshold", [1.5, 2.5, True], {}), ("LeakyReLU", [0.2, True], {}), ("Hardtanh", [-2.5, 3.5], {"inplace": True}), ("PReLU", [3], {"init": 0.5}), ("RReLU", [0.1, 0.3], {}), ("Softplus", [2.5, 10.5], {}), ("GLU", [1], {}), ("Dropout2d", [0.25, True], {}), ("Flatten", [0, -2], {}), ("Unflatten", [1, [2, 3]], {})]
    for d in (1, 2, 3):
        for kind in ("Conv", "ConvTranspose"):
            yield f"{kind}{d}d", [4, 8, 3], {}
            yield f"{kind}{d}d", [4, 8, 3], {"stride": 2, "padding": 1, "dilation": 2, "groups": 2, "bias": False}
        yield f"ConvTranspose{d}d", [4, 8, 3], {"stride": 2, "output_padding": 1}
        yield f"Conv{d}d", [4, 8, 3], {"padding": "same", "padding_mode": "reflect"}
        yield f"MaxPool{d}d", [2], {}
        yield f"MaxPool{d}d", [3], {"stride": 2, "padding": 1, "dilation": 2, "ceil_mode": True}
        yield f"AvgPool{d}d", [2], {}
        yield f"MaxUnpool{d}d", [2], {}
        yield f"LPPool{d}d", [2, 3], {}
        yield f"AdaptiveAvgPool{d}d", [4], {}
        yield f"AdaptiveMaxPool{d}d", [4], {"return_indices": True}
        yield f"BatchNorm{d}d", [4], {}
        yield f"BatchNorm{d}d", [4], {"eps": 1e-3, "momentum": None, "affine": False, "track_running_stats": False}
        yield f"InstanceNorm{d}d", [4], {}
        yield f"InstanceNorm{d}d", [4], {"affine": True}
        for pad in ("Circular", "Reflection", "Replication", "Zero"):
            yield f"{pad}Pad{d}d", [1], {}
        yield f"ConstantPad{d}d", [1, 3.5], {}
    yield from [("Conv2d", [1, 2, [3, 5]], {"stride": [2, 1], "padding": [0, 2]}), ("MaxPool2d", [[3, 2]], {"stride": [2, 1]}), ("AvgPool2d", [3], {"stride": 2, "padding": 1}), ("AdaptiveAvgPool2d", [[1, None]], {}), ("ZeroPad2d", [[1, 2, 3, 4]], {}), ("GroupNorm", [2, 4], {}), ("GroupNorm", [2, 4], {"affine": False}), ("LayerNorm", [[2, 3]], {"bias": False}), ("RMSNorm", [4], {}), ("RMSNorm", [4], {"eps": 1e-6, "elementwise_affine": False}), ("LocalResponseNorm", [2], {})]
    yield from [("Linear", [2, 3], {"bias": False}), ("Bilinear", [2, 3, 4], {}), ("Embedding", [10, 3], {"max_norm": 1.5, "norm_type": 1.5, "scale_grad_by_freq": True, "sparse": False}), ("EmbeddingBag", [10, 3], {"mode": "max", "padding_idx": 1}), ("PixelShuffle", [2], {}), ("PixelUnshuffle", [2], {}), ("ChannelShuffle", [2], {}), ("Upsample", [], {"scale_factor": 2}), ("Upsample", [[4, 5]], {"mode": "bilinear", "align_corners": True}), ("UpsamplingNearest2d", [], {"scale_factor": 2}), ("UpsamplingBilinear2d", [[3, 4]], {}), ("Fold", [[4, 5], 2], {}), ("Unfold", [3], {"padding": 1, "stride": 2}), ("CosineSimilarity", [0, 1e-6], {})]
    for name in ("RNN", "LSTM", "GRU"):
        yield name, [3, 4], {}
        yield name, [3, 4, 2], {"batch_first": True, "dropout": 0.5, "bidirectional": True, "bias": False}
        yield f"{name}Cell", [3, 4], {}
    yield from [("RNN", [3, 4], {"nonlinearity": "relu"}), ("RNNCell", [3, 4], {"nonlinearity": "relu", "bias": False}), ("LSTM", [3, 4], {"proj_size": 2}), ("MultiheadAttention", [8, 2], {}), ("TransformerEncoderLayer", [8, 2], {}), ("TransformerDecoderLayer", [8, 2, 16, 0.2, "gelu"], {"batch_first": True, "norm_first": True})]
