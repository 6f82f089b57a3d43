"""Modules: their text, their weights from a seed, what they make of inputs, and gradients; and functions that draw random numbers.

tests/fixtures/layers.json is replayed by src/nn/layers.test.ts. A case: {name, args, kwargs?, repr?, state?, error?, calls?}. `name` is a class of nn, or
of nn.functional if it begins with a small letter. A call: {training, inputs, options?, result | error, grads}: right before it the seed is set to 0.
"""

import torch
from torch import nn

from .encode import encode, encode_input, encode_output
from .recorder import FIXTURES, error_of, json_lines
from .recorder import Family as Values

F32, F64 = torch.float32, torch.float64
V = Values("layers")


def x(*shape, key="x", dtype=F32, kind="any", grad=True):
    return V.make(key, list(shape), dtype, "c", kind, grad)


def given(args, kwargs):
    out = {"args": [encode(a, encode_input) for a in args]}
    if kwargs:
        out["kwargs"] = {k: encode(v, encode_input) for k, v in kwargs.items()}
    return out


def call(run, inputs, training, options=None):
    """A call with the seed 0, and the gradients of the inputs for a gradient of ones (times a weight by position)."""
    out = {"training": training, "inputs": [encode(i, encode_input) for i in inputs]}
    if options:
        out["options"] = {k: encode(v, encode_input) for k, v in options.items()}
    torch.manual_seed(0)
    try:
        result = run(*inputs, **(options or {}))
    except Exception as error:  # noqa: BLE001 - whatever PyTorch raises is the fixture
        out["error"] = error_of(error)
        return out
    out["result"] = encode_output(result)
    leaves = [i for i in inputs if isinstance(i, torch.Tensor) and i.requires_grad]
    if leaves and result.requires_grad:
        weight = torch.linspace(0.5, 1.5, result.numel(), dtype=result.dtype).reshape(result.shape)
        grads = torch.autograd.grad(result, leaves, weight, allow_unused=True)
        out["grads"] = [None if g is None else encode_output(g) for g in grads]
    return out


def layer(name, args=(), kwargs=None, inputs=(), modes=(True,)):
    kwargs = kwargs or {}
    out = {"name": name, **given(args, kwargs)}
    torch.manual_seed(0)
    try:
        module = getattr(nn, name)(*args, **kwargs)
    except Exception as error:  # noqa: BLE001
        out["error"] = error_of(error)
        return out
    out["repr"] = repr(module)
    state = module.state_dict()
    if state:
        out["state"] = {k: encode_output(v) for k, v in state.items()}
    out["calls"] = []
    for training in modes:
        module.train(training)
        for each in inputs:
            out["calls"].append(call(module, each if isinstance(each, tuple) else (each,), training))
    return out


def function(name, inputs, **options):
    """Of nn.functional, from the seed 0."""
    return {"name": name, "args": [], "calls": [call(getattr(nn.functional, name), inputs, True, options)]}


def activations():
    a = x(3, 4)
    for name in ["ReLU", "ReLU6", "SiLU", "Mish", "SELU", "Hardswish", "Hardsigmoid", "Hardtanh", "LeakyReLU", "ELU", "CELU", "RReLU"]:
        yield layer(name, inputs=[a], modes=(True, False))
        yield layer(name, kwargs={"inplace": True}, inputs=[a.detach()])
    for name in ["GELU", "Sigmoid", "Tanh", "LogSigmoid", "Softsign", "Tanhshrink", "Hardshrink", "Softshrink", "Softplus", "GLU", "Softmin", "Softmax", "LogSoftmax"]:
        yield layer(name, inputs=[] if name.startswith("Soft") and name[4] == "m" or name == "LogSoftmax" else [a])
    yield layer("Threshold", [0.1, 20], inputs=[a])
    yield layer("Threshold", [0.1, 20, True], inputs=[a.detach()])
    yield layer("Threshold", [0.1])
    yield layer("Hardtanh", [-2.5, 0.5], inputs=[a])
    yield layer("Hardtanh", [2.5, 0.5])
    yield layer("LeakyReLU", [0.2], inputs=[a])
    yield layer("LeakyReLU", kwargs={"slope": 0.2})
    yield layer("ELU", [0.5], inputs=[a])
    yield layer("ELU", kwargs={"alpha": 1.5, "inplace": True})
    yield layer("CELU", [0.5], inputs=[a])
    yield layer("RReLU", [0.1, 0.9], inputs=[a, x(5, dtype=F64), x(40, dtype=torch.bfloat16)], modes=(True, False))
    yield layer("RReLU", [0.9, 0.1], inputs=[a])
    yield layer("Hardshrink", [0.25], inputs=[a])
    yield layer("Softshrink", [0.25], inputs=[a])
    yield layer("Softplus", [2.0, 10.0], inputs=[a])
    yield layer("GLU", [0], inputs=[x(4, 3), x(3, 3)])
    for name in ["Softmin", "Softmax", "LogSoftmax"]:
        yield layer(name, [1], inputs=[a])
    yield layer("Softmax2d", inputs=[x(2, 3, 4, 2), x(3, 4, 2), a])
    yield layer("PReLU", inputs=[a])
    yield layer("PReLU", [4, 0.1], inputs=[a, x(2, 4, 3), x(2, 3)])
    yield layer("PReLU", kwargs={"num_parameters": 2, "dtype": F64}, inputs=[x(3, 2, dtype=F64), a])


def dropout():
    for name, shapes in [("Dropout", [(3, 4), (), (0,), (40,)]), ("Dropout1d", [(2, 3, 4), (3, 4), (5,)]), ("Dropout2d", [(2, 3, 4, 2), (2, 3, 4), (3, 4)]),
                         ("Dropout3d", [(2, 3, 2, 2, 2), (3, 2, 2, 2), (3, 4)]), ("AlphaDropout", [(3, 4), (40,)]), ("FeatureAlphaDropout", [(2, 3, 4), (2, 3), (5,)])]:  # fmt: skip
        inputs = [x(*s) for s in shapes] + [x(*shapes[0], dtype=torch.bfloat16), x(*shapes[0], dtype=F64)]
        yield layer(name, inputs=inputs, modes=(True, False))
        yield layer(name, [0.2, True], inputs=[x(*shapes[0], grad=False), x(*shapes[0])])
        yield layer(name, [1.0], inputs=[x(*shapes[0])])
        yield layer(name, [1.5])
        yield layer(name, kwargs={"prob": 0.5})
    for name in ["dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"]:
        a = x(2, 3, 2, 2)[0] if name == "dropout1d" else x(2, 3, 2, 2)
        a = a.detach().requires_grad_()
        yield function(name, [a])
        yield function(name, [a], p=0.3, training=True)
        yield function(name, [a.detach().clone()], p=0.3, training=True, inplace=True)
        yield function(name, [a], p=-0.3)
        yield function(name, [a, 0.25, True])
        yield function(name, [torch.ones(2, 3, dtype=torch.int64)], training=True)
    for kw in ({}, {"tau": 0.5, "dim": 0}, {"hard": True}, {"hard": True, "tau": 2.0, "dim": 1}):
        yield function("gumbel_softmax", [x(3, 4)], **kw)
    yield function("gumbel_softmax", [x(2, 3, 4, dtype=F64)], hard=True, dim=1)
    yield function("gumbel_softmax", [x(3, 40, dtype=torch.bfloat16)])
    yield function("gumbel_softmax", [torch.ones(3, dtype=torch.int64)])
    yield function("rrelu", [x(40)], training=True)
    yield function("rrelu", [x(3, 4).detach().t()], lower=0.5, upper=2.5, training=True, inplace=True)


def losses():
    a, b = x(3, 4), x(3, 4, key="b")
    signs = torch.tensor([1.0, -1.0, 1.0])
    kinds = [{}, {"reduction": "sum"}, {"reduction": "none"}]
    soft = b.detach().sigmoid()
    for kw in kinds:
        yield layer("KLDivLoss", kwargs=kw, inputs=[(a, soft)])
        yield layer("PoissonNLLLoss", kwargs=kw, inputs=[(a, soft)])
        yield layer("GaussianNLLLoss", kwargs=kw, inputs=[(a, b, soft), (a, b, 0.5)])
        yield layer("SoftMarginLoss", kwargs=kw, inputs=[(a, b.detach().sign())])
        yield layer("MultiLabelSoftMarginLoss", kwargs=kw, inputs=[(a, soft)])
        yield layer("MarginRankingLoss", kwargs=kw, inputs=[(x(3), x(3, key="b"), signs)])
        yield layer("HingeEmbeddingLoss", kwargs=kw, inputs=[(x(3), signs)])
        yield layer("CosineEmbeddingLoss", kwargs=kw, inputs=[(a, b, signs)])
        yield layer("MultiMarginLoss", kwargs=kw, inputs=[(a, torch.tensor([1, 0, 3]))])
        yield layer("MultiLabelMarginLoss", kwargs=kw, inputs=[(a, torch.tensor([[1, -1, 0, 0], [0, 1, 2, 3], [-1, 0, 0, 0]]))])
        yield layer("TripletMarginLoss", kwargs=kw, inputs=[(a, b, x(3, 4, key="c"))])
        yield layer("TripletMarginWithDistanceLoss", kwargs=kw, inputs=[(a, b, x(3, 4, key="c"))])
        yield layer("CTCLoss", kwargs=kw, inputs=[(x(5, 2, 4), torch.tensor([[1, 2], [3, 3]]), [5, 4], [2, 1])])
    classes = torch.tensor([1, 0, 3])
    for kw in kinds:
        for name in ("L1Loss", "MSELoss", "SmoothL1Loss", "HuberLoss"):
            yield layer(name, kwargs=kw, inputs=[(a, b)])
        yield layer("BCELoss", kwargs=kw, inputs=[(x(3, 4, key="p", kind="unit"), soft)])
        yield layer("BCEWithLogitsLoss", kwargs=kw, inputs=[(a, soft)])
        yield layer("NLLLoss", kwargs=kw, inputs=[(a, classes)])
        yield layer("CrossEntropyLoss", kwargs=kw, inputs=[(a, classes), (a, soft)])
    weight = x(4, key="w", kind="pos", grad=False)
    yield layer("SmoothL1Loss", kwargs={"beta": 0.5}, inputs=[(a, b)])
    yield layer("HuberLoss", kwargs={"delta": 0.5}, inputs=[(a, b)])
    yield layer("HuberLoss", kwargs={"delta": -1}, inputs=[(a, b)])
    yield layer("BCELoss", [weight], inputs=[(x(3, 4, key="p", kind="unit"), soft), (a, soft)])
    yield layer("BCEWithLogitsLoss", [weight], {"pos_weight": weight + 1}, inputs=[(a, soft), (a, x(3))])
    yield layer("NLLLoss", [weight], {"ignore_index": 0}, inputs=[(a, classes), (a, classes.float())])
    yield layer("CrossEntropyLoss", [weight], {"ignore_index": 0, "label_smoothing": 0.1}, inputs=[(a, classes), (a, classes.float())])
    yield layer("LinearCrossEntropyLoss", [4, 5], inputs=[(a, torch.tensor([1, 0, 3]))])
    yield layer("LinearCrossEntropyLoss", [4, 3], {"out_features": (2,), "bias": True, "reduction": "sum", "ignore_index": 1, "label_smoothing": 0.1}, inputs=[(a, torch.tensor([[1, 0], [2, 2], [0, 1]]))])
    yield layer("LinearCrossEntropyLoss", [4, 3], {"weight": torch.ones(2)})
    yield layer("LinearCrossEntropyLoss", [4, 3], {"label_smoothing": 1.5})
    yield layer("Identity", [54], {"unused": True}, inputs=[a])
    yield layer("KLDivLoss", kwargs={"reduction": "batchmean", "log_target": True}, inputs=[(a, b)])
    yield layer("KLDivLoss", kwargs={"size_average": False}, inputs=[(a, soft)])
    yield layer("PoissonNLLLoss", [False, True], {"eps": 0.1}, inputs=[(soft, soft)])
    yield layer("GaussianNLLLoss", kwargs={"full": True, "eps": 0.5}, inputs=[(a, b, soft)])
    yield layer("GaussianNLLLoss", [True])
    yield layer("MultiLabelSoftMarginLoss", [x(4, key="w", kind="pos", grad=False)], inputs=[(a, soft)])
    yield layer("MarginRankingLoss", [0.5], inputs=[(x(3), x(3, key="b"), signs)])
    yield layer("HingeEmbeddingLoss", [0.5], inputs=[(x(3), signs)])
    yield layer("CosineEmbeddingLoss", [0.2], inputs=[(a, b, signs)])
    yield layer("MultiMarginLoss", [2, 0.5, x(4, key="w", kind="pos", grad=False)], inputs=[(a, torch.tensor([1, 0, 3]))])
    yield layer("MultiMarginLoss", [3])
    yield layer("MultiMarginLoss", kwargs={"weight": torch.ones(1, 4)})
    yield layer("TripletMarginLoss", [0.5], {"p": 1, "swap": True, "eps": 0.1}, inputs=[(a, b, x(3, 4, key="c"))])
    yield layer("TripletMarginLoss", [-0.5])
    yield layer("TripletMarginWithDistanceLoss", kwargs={"margin": 0})
    yield layer("TripletMarginWithDistanceLoss", [1.5])
    yield layer("CTCLoss", [3], {"zero_infinity": True}, inputs=[(x(5, 2, 4), torch.tensor([[1, 2], [0, 0]]), torch.tensor([5, 1]), torch.tensor([2, 2]))])
    yield layer("PairwiseDistance", inputs=[(a, b)])
    yield layer("Bilinear", [4, 4, 2], inputs=[(a, b)])
    yield layer("Bilinear", [4, 4, 3, False], inputs=[(a, b)])
    yield layer("Bilinear", [0, 3, 4])
    yield layer("PairwiseDistance", [1, 0.1, True], inputs=[(a, b)])
    yield layer("CosineSimilarity", inputs=[(a, b)])
    yield layer("CosineSimilarity", kwargs={"dim": 0, "eps": 0.5}, inputs=[(a, b)])


def basics():
    yield layer("Linear", [4, 3], inputs=[x(2, 4), x(4), x(2, 3, 4), x(0, 4), x(2, 5), x(2, 4, dtype=F64)])
    yield layer("Linear", [4, 3], {"bias": False, "dtype": F64}, inputs=[x(2, 4, dtype=F64)])
    yield layer("LayerNorm", [4], inputs=[x(2, 4), x(2, 3, 4), x(0, 4), x(2, 5)])
    yield layer("LayerNorm", [[3, 4]], {"elementwise_affine": False}, inputs=[x(2, 3, 4)])
    yield layer("LayerNorm", [[3, 4]], {"bias": False, "eps": 0.1}, inputs=[x(2, 3, 4)])
    yield layer("Embedding", [5, 3], {"padding_idx": 1}, inputs=[torch.tensor([[0, 1], [4, 2]]), torch.tensor(3), torch.tensor([5]), torch.tensor([1.0])])
    yield layer("EmbeddingBag", [5, 3], {"mode": "sum"}, inputs=[torch.tensor([[0, 1], [4, 2]]), (torch.tensor([0, 1, 4]), torch.tensor([0, 2])), torch.tensor([1.0])])
    yield layer("Flatten", inputs=[x(2, 3, 4), x(3), x(2, 0, 3)])
    yield layer("Flatten", [0, 1], inputs=[x(2, 3, 4)])
    yield layer("MaxUnpool2d", [2], inputs=[(x(1, 1, 2, 2), torch.tensor([[[[0, 3], [9, 14]]]]))])
    yield layer("MaxUnpool3d", [2], inputs=[(x(1, 1, 1, 2, 2), torch.tensor([[[[[0, 3], [13, 30]]]]]))])
    for dtype in (torch.float16, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool):
        yield function("gumbel_softmax", [x(3, 4, dtype=dtype)])
    yield function("gumbel_softmax", [x(0, 4)])
    yield function("gumbel_softmax", [V.make("x", [3, 4], F32, "t", "any", True)])


class Layers(Values):
    def __init__(self, name, groups):
        super().__init__(name)
        self.groups = groups

    def write(self):
        (FIXTURES / f"{self.name}.json").write_text(text := json_lines({"torch": torch.__version__.split("+")[0]}, self.groups))
        return len(text), sum(len(c) for c in self.groups.values())


def record():
    torch.use_deterministic_algorithms(False)
    return [Layers("layers", {"activations": list(activations()), "dropout": list(dropout()), "losses": list(losses()), "basics": list(basics())})]
