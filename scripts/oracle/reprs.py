"""What print() shows: tensors of every kind, sizes, dtypes, devices, modules. Recorded on cpu, so without a device."""

import torch
from torch import nn

from .program import Programs, Var

nan, inf = float("nan"), float("inf")


def record():
    fam = Programs("reprs")
    t = torch.tensor

    def show(group, name, x):
        p = fam.program(group, name)
        p.look(p.tensor("x", x), what=("repr",))

    ints = [("one", [5]), ("small", [1, 2, 3]), ("negative", [-1, 20, 300]), ("2-D", [[1, -2], [30, 4]]), ("large", [2**40, 1]), ("3-D", [[[1, 2], [3, 4]], [[5, 6], [7, 8]]])]
    for name, data in ints:
        show("ints", name, t(data))
    for dtype in (torch.int32, torch.int16, torch.int8, torch.uint8):
        show("ints", str(dtype), t([1, 2, 3], dtype=dtype))
    floats = [
        ("whole", [1.0, 2.0, 3.0]), ("whole negative", [-1.0, 20.0]), ("fractions", [0.5, 0.25, -3.125]), ("mixed", [1.0, 2.5, 1000.0]), ("four digits", [0.12345678, 1.0]), ("small", [1e-5, 1.0]), ("very small", [1e-10, 2e-10]),
        ("large", [1e10, 1.0]), ("large whole", [123456.0, 1.0]), ("sci by ratio", [0.001, 1000.0]), ("sci by ratio 2", [0.0001, 0.5]), ("nan", [nan, 1.0]), ("inf", [inf, -inf, 1.5]), ("all special", [nan, inf]), ("whole and nan", [1.0, nan, 2.0]), ("zeros", [0.0, -0.0]),
        ("one", [3.0]), ("1e8", [1e8, 1.0]), ("1e9 whole", [1e9, 2.0]), ("100000", [100000.0, 0.5]), ("99999", [99999.0, 0.5]), ("rounding", [0.99999, 1.0001]), ("2-D", [[1.0, 2.0], [3.5, -4.0]]), ("2-D whole", [[1.0, 2.0], [3.0, 4.0]]),
        ("3-D", [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.5], [7.0, 8.0]]]),
    ]  # fmt: skip
    for name, data in floats:
        show("floats", name, t(data))
        if name in ("whole", "fractions", "small", "nan", "2-D"):
            for dtype in (torch.float64, torch.float16, torch.bfloat16):
                show("floats", f"{name} {str(dtype)[6:]}", t(data, dtype=dtype))
    show("floats", "float64 with many digits", t([1 / 3, 2 / 3, 1.0], dtype=torch.float64))
    show("floats", "a row that wraps", torch.arange(20, dtype=torch.float32) / 4)
    show("floats", "more than 1000 elements", torch.arange(1200, dtype=torch.float32))
    show("floats", "more than 1000 elements, 2-D", torch.arange(2500, dtype=torch.float32).reshape(50, 50))
    show("floats", "long ints", torch.arange(2000))
    show("floats", "a wide matrix", torch.arange(60, dtype=torch.float32).reshape(2, 30) * 1.5)
    show("floats", "random", fam.make("r", [3, 4]))
    show("floats", "random 3-D", fam.make("r", [2, 2, 3]))
    show("floats", "transposed", fam.make("r", [3, 2], layout="t"))
    for name, x in [("bools", t([True, False])), ("bool", t(True)), ("0-dim float", t(1.5)), ("0-dim whole", t(3.0)), ("0-dim int", t(7)), ("0-dim small", t(1e-6)), ("0-dim large", t(1234567.0)), ("0-dim nan", t(nan)), ("0-dim half", t(0.1, dtype=torch.float16)), ("0-dim double", t(0.1, dtype=torch.float64)),
                    ("empty", t([])), ("empty 2-D", torch.zeros(2, 0)), ("empty int", torch.zeros(0, dtype=torch.int64)), ("empty int32 3-D", torch.zeros(0, 3, 2, dtype=torch.int32)), ("bool 2-D", t([[True, False], [False, True]]))]:  # fmt: skip
        show("0-dim, empty, bool", name, x)
    show("gradients", "requires_grad", t([1.0, 2.0], requires_grad=True))
    show("gradients", "requires_grad double", t([1.5], dtype=torch.float64, requires_grad=True))
    show("gradients", "requires_grad 0-dim", t(2.5, requires_grad=True))
    for call, args in [("mul", [2.5]), ("add", [1.0]), ("exp", []), ("sum", []), ("mean", []), ("relu", []), ("clone", []), ("reshape", [[3, 1]]), ("narrow", [0, 0, 2]), ("select", [0, 1]), ("unsqueeze", [0]), ("softmax", [0]), ("log_softmax", [0]), ("expand", [[2, 3]]), ("pow", [2]), ("div", [2.0]),
                       ("sub", [1.0]), ("neg", []), ("abs", []), ("sqrt", []), ("rsqrt", []), ("tanh", []), ("sigmoid", []), ("cumsum", [0]), ("var", []), ("amax", []), ("clamp", [0.0, 1.0]), ("to", [torch.float64]), ("masked_fill", [t([True, False, True]), 0.0]), ("index", [[t([0, 2])]]),
                       ("gather", [0, t([1, 0])]), ("index_select", [0, t([1, 0])]), ("log", []), ("sin", []), ("erf", []), ("flatten", []), ("squeeze", []), ("logsumexp", [0]), ("scatter_add", [0, t([0]), t([1.5])])]:  # fmt: skip
        p = fam.program("grad_fn", call)
        # exp(4) lies between two printed values
        x = p.tensor("x", t([1.0, 2.0, 3.0 if call == "exp" else 4.0], requires_grad=True))
        p.look(p.do("y", f"Tensor.{call}", x, *args), what=("repr", "grad_fn"))
    for call, args in [("matmul", [2, 2]), ("mm", [2, 2]), ("maximum", [2, 2]), ("transpose", [0, 1]), ("t", []), ("permute", [[1, 0]]), ("view", [[4]])]:
        p = fam.program("grad_fn", call)
        x = p.tensor("x", t([[1.0, 2.0], [4.0, 8.0]], requires_grad=True))
        y = p.do("y", f"Tensor.{call}" if call in ("transpose", "t", "permute", "view") else f"torch.{call}", x, *([x] if args == [2, 2] else args))
        p.look(y, what=("repr", "grad_fn"))
    p = fam.program("grad_fn", "losses and joins")
    x = p.tensor("x", t([[1.0, 2.0], [4.0, 8.0]], requires_grad=True))
    p.look(p.do("ce", "nn.functional.cross_entropy", x, t([0, 1])), p.do("mse", "nn.functional.mse_loss", x, t([[1.0, 2.0], [3.0, 4.0]])), p.do("ln", "nn.functional.layer_norm", x, [2]), p.do("lin", "nn.functional.linear", x, t([[1.0, 2.0]]), t([1.0])),
           p.do("gelu", "nn.functional.gelu", x), p.do("silu", "nn.functional.silu", x), p.do("cat", "torch.cat", [x, x]), p.do("stack", "torch.stack", [x, x]), p.do("where", "torch.where", t([True, False]), x, t(0.0)),
           p.do("emb", "nn.functional.embedding", t([1, 0]), x), p.do("addmm", "torch.addmm", t([1.0, 2.0]), x, x), p.do("bmm", "torch.bmm", t([[[1.0, 2.0], [3.0, 4.0]]], requires_grad=True), t([[[1.0, 2.0], [3.0, 4.0]]])), what=("repr", "grad_fn"))  # fmt: skip
    p = fam.program("grad_fn", "after changes in place")
    x = p.tensor("x", t([1.0, 2.0, 4.0], requires_grad=True))
    y = p.do("y", "Tensor.clone", x)
    v = p.do("v", "Tensor.narrow", y, 0, 0, 2)
    p.do(None, "Tensor.mul_", v, 2.0)
    p.look(y, what=("repr", "grad_fn"))

    p = fam.program("sizes, dtypes, devices", "sizes")
    for i, shape in enumerate([[], [3], [2, 3], [0, 1]]):
        p.look(p.do(f"s{i}", "get:shape", p.tensor(f"x{i}", torch.zeros(shape))), what=("repr",))
    p = fam.program("sizes, dtypes, devices", "dtypes")
    for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool):
        p.look(p.do(str(dtype), "get:dtype", p.tensor(f"x{dtype}", torch.zeros(1, dtype=dtype))), what=("repr",))
    p = fam.program("sizes, dtypes, devices", "devices")
    for d in ("cpu", "mtia", "mtia:1", "meta"):
        p.look(p.do(d, "torch.device", d), what=("repr", "str"))

    def module(name, call, *args, **kw):
        p = fam.program("modules", name)
        p.look(p.do("m", f"new nn.{call}", *args, **kw), what=("repr",))

    module("Linear", "Linear", 10, 5)
    module("Linear without bias", "Linear", 10, 5, bias=False)
    module("Embedding", "Embedding", 10, 3)
    module("Embedding padded", "Embedding", 10, 3, padding_idx=2)
    module("EmbeddingBag", "EmbeddingBag", 10, 3)
    module("EmbeddingBag sum", "EmbeddingBag", 10, 3, mode="sum")
    module("LayerNorm", "LayerNorm", 4)
    module("LayerNorm 2-D", "LayerNorm", [3, 4], eps=1e-6, elementwise_affine=False)
    module("Dropout", "Dropout", 0.25)
    module("Dropout default", "Dropout")
    module("ReLU", "ReLU")
    module("ReLU inplace", "ReLU", inplace=True)
    module("GELU", "GELU")
    module("GELU tanh", "GELU", approximate="tanh")
    module("Flatten", "Flatten")
    module("MSELoss", "MSELoss")
    module("CrossEntropyLoss", "CrossEntropyLoss")
    module("empty Sequential", "Sequential")
    p = fam.program("modules", "containers")
    parts = [p.do("a", "new nn.Linear", 4, 3), p.do("b", "new nn.ReLU"), p.do("c", "new nn.Linear", 3, 2)]
    seq = p.do("seq", "new nn.Sequential", *parts)
    same = p.do("same", "new nn.ModuleList", [p.do(f"l{i}", "new nn.Linear", 2, 2) for i in range(3)])
    p.look(seq, same, p.do("nested", "new nn.Sequential", seq, p.do("drop", "new nn.Dropout", 0.5)), p.do("list", "new nn.ModuleList", parts), what=("repr",))
    p = fam.program("modules", "Parameter")
    p.look(p.do("p", "new nn.Parameter", t([1.0, 2.5])), p.do("q", "new nn.Parameter", t([[1.0]]), False), what=("repr",))
    p = fam.program("modules", "optimizers")
    w = p.tensor("w", t([1.0], requires_grad=True))
    p.look(p.do("sgd", "new optim.SGD", [w], lr=0.1, momentum=0.9), p.do("adam", "new optim.Adam", [w]), p.do("adamw", "new optim.AdamW", [w], lr=0.01), what=("repr",))
    return [fam]
