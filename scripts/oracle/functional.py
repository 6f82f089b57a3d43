"""nn.functional: layer_norm, losses, dropout where it has no randomness."""

import torch

from .encode import DTYPES, FLOATS
from .recorder import Family

F32, F64 = torch.float32, torch.float64
L = torch.tensor


def layer_norm(f):
    op, call = "layer_norm", "nn.functional.layer_norm"
    m = lambda key, shape, dtype=F32, layout="c": f.make(key, shape, dtype, layout, "any", True)
    for shape, normalized, layout in [([4], [4], "c"), ([3, 4], [4], "c"), ([3, 4], [4], "t"), ([2, 3, 4], [4], "s"), ([2, 3, 4], [3, 4], "c"), ([2, 3, 4], [2, 3, 4], "n"), ([3, 4], [4], "e"), ([0, 4], [4], "c"),
                                      ([2, 0, 4], [4], "c"), ([5, 37], [37], "c")]:  # fmt: skip
        f.case(op, call, [m(op, shape, F32, layout), normalized])
        f.case(op, call, [m(op, shape, F32, layout), normalized, m("w", normalized), m("b", normalized)])
        f.case(op, call, [m(op, shape, F32, layout), normalized, m("w", normalized)], {"eps": 0.1})
        f.case(op, call, [m(op, shape, F32, layout), normalized], {"bias": m("b", normalized)})
    f.case(op, call, [m(op, [3, 4], F64), [4], m("w", [4], F64), m("b", [4], F64), 1e-3], double=True)
    f.case(op, call, [m(op, [2, 3, 4], F64), [3, 4]], double=True)
    f.case(op, call, [f.make(op, [3, 1]), [1], f.make("w", [1]), f.make("b", [1])])
    f.case(op, call, [(f.make(op, [4, 37]) + 30).detach().requires_grad_(), [37]], tag="far from zero")
    for dtype in DTYPES:
        f.case(op, call, [m(op, [3, 19], dtype), [19], m("w", [19], dtype), m("b", [19], dtype)])
    f.case(op, call, [m(op, [3, 4], torch.bfloat16), [4], m("w", [4]), m("b", [4])])
    f.case(op, call, [m(op, [3, 4]), [3]])
    f.case(op, call, [m(op, [3, 4]), [4], m("w", [3])])
    f.case(op, call, [m(op, [3, 4]), [4], m("w", [4]), m("b", [3])])
    f.case(op, call, [m(op, [3, 4]), []])


def cross_entropy(f):
    op, call = "cross_entropy", "nn.functional.cross_entropy"
    m = lambda shape, dtype=F32, layout="c": f.make(op, shape, dtype, layout, "any", True)
    ids = lambda shape, high=5: torch.randint(0, high, shape, generator=f.gen("ids", tuple(shape), high))
    probs = lambda shape, dtype=F32: f.make("probs", shape, dtype, "c", "pos").softmax(1 if len(shape) > 1 else 0).to(dtype).detach()
    weight = f.make("weight", [5], F32, "c", "pos")
    for reduction in ("mean", "sum", "none"):
        for smoothing in (0.0, 0.2):
            for kw in ({}, {"weight": weight}, {"ignore_index": 2}, {"ignore_index": 2, "weight": weight}):
                kw = {**kw, "reduction": reduction, "label_smoothing": smoothing}
                f.case(op, call, [m([6, 5]), L([0, 2, 4, 2, 1, 3])], kw)
                if "ignore_index" not in kw:
                    f.case(op, call, [m([4, 5]), probs([4, 5])], kw)
        kw = {"reduction": reduction}
        f.case(op, call, [m([5]), L(3)], kw)
        f.case(op, call, [m([5]), probs([5])], kw)
        f.case(op, call, [m([3, 5, 2]), ids([3, 2])], kw)
        f.case(op, call, [m([2, 5, 2, 3]), ids([2, 2, 3])], {**kw, "weight": weight, "ignore_index": 1})
        f.case(op, call, [m([3, 5, 2]), probs([3, 5, 2])], kw)
        f.case(op, call, [m([0, 5]), ids([0])], kw)
        f.case(op, call, [m([4, 5], F32, "t"), ids([4])], kw)
        f.case(op, call, [m([4, 5], F32, "s"), ids([4])], kw)
        f.case(op, call, [m([4, 5], F32, "e"), ids([4])], kw)
        f.case(op, call, [m([2, 5]), L([2, 2])], {**kw, "ignore_index": 2})
        f.case(op, call, [m([3, 5], F64), ids([3])], {**kw, "label_smoothing": 0.1, "weight": weight.double()}, double=True)
        f.case(op, call, [m([3, 5], F64), ids([3])], kw, double=True)
        f.case(op, call, [m([3, 5], F64), probs([3, 5], F64)], kw, double=True)
    f.case(op, call, [m([3, 5], F64), probs([3, 5], F64).requires_grad_()])
    f.case(op, call, [m([3, 37]), ids([3], 37)])
    f.case(op, call, [m([3, 5]), L([0, -100, 4])])
    f.case(op, call, [(m([3, 5]) * 1000).detach().requires_grad_(), ids([3])], tag="large")
    for dtype in FLOATS:
        f.case(op, call, [m([4, 5], dtype), ids([4])])
        f.case(op, call, [m([4, 5], dtype), probs([4, 5], dtype)])
    f.case(op, call, [m([3, 5]), L([0, 5, 1])])
    f.case(op, call, [m([3, 5]), L([0, -1, 1])])
    f.case(op, call, [m([3, 5]), ids([4])])
    f.case(op, call, [m([3, 5]), L([0.0, 1.0, 2.0])])
    f.case(op, call, [m([3, 5]), ids([3]).int()])
    f.case(op, call, [m([3, 5]), probs([3, 4])])
    f.case(op, call, [m([3, 5]), ids([3])], {"weight": weight[:3]})
    f.case(op, call, [m([3, 5]), ids([3])], {"reduction": "avg"})
    f.case(op, call, [m([3, 5]), ids([3])], {"label_smoothing": 1.5})
    f.case(op, call, [m([3, 5]), probs([3, 5])], {"ignore_index": 1})
    f.case(op, call, [f.make(op, [3, 5], torch.int64), ids([3])])
    f.case(op, call, [m([]), L(0)])

    op, call = "nll_loss", "nn.functional.nll_loss"
    for reduction in ("mean", "sum", "none"):
        for kw in ({}, {"weight": weight}, {"ignore_index": 2}, {"ignore_index": 2, "weight": weight}):
            kw = {**kw, "reduction": reduction}
            f.case(op, call, [m([6, 5]), L([0, 2, 4, 2, 1, 3])], kw)
            f.case(op, call, [m([5]), L(2)], kw)
            f.case(op, call, [m([2, 5, 3]), ids([2, 3])], kw)
            f.case(op, call, [m([2, 5, 2, 3], F32, "s"), ids([2, 2, 3])], kw)
        f.case(op, call, [m([0, 5]), ids([0])], {"reduction": reduction})
        f.case(op, call, [m([4, 5], F32, "t"), ids([4])], {"reduction": reduction})
        f.case(op, call, [m([3, 5], F64), ids([3])], {"reduction": reduction, "weight": weight.double()}, double=True)
    for dtype in FLOATS:
        f.case(op, call, [m([4, 5], dtype), ids([4])])
    f.case(op, call, [m([4, 5]), ids([4]).to(torch.uint8)])
    f.case(op, call, [m([3, 5]), L([0, 5, 1])])
    f.case(op, call, [m([3, 5]), ids([4])])
    f.case(op, call, [m([3, 5]), ids([3]).float()])
    f.case(op, call, [m([2, 5, 3]), ids([2, 4])])
    f.case(op, call, [m([3, 5]), ids([3])], {"weight": weight[:3]})

    op, call = "mse_loss", "nn.functional.mse_loss"
    m = lambda key, shape, dtype=F32, layout="c", grad=True: f.make(key, shape, dtype, layout, "any", grad)
    for reduction in ("mean", "sum", "none"):
        kw = {"reduction": reduction}
        for shape, layout in [([], "c"), ([19], "c"), ([3, 4], "t"), ([2, 3, 4], "s"), ([3, 4], "e"), ([0], "c")]:
            f.case(op, call, [m(op, shape, F32, layout), m("target", shape)], kw)
        f.case(op, call, [m(op, [3, 4]), m("target", [4], F32, "c", False)], kw)
        f.case(op, call, [m(op, [3, 4], F64), m("target", [3, 4], F64)], kw, double=True)
        f.case(op, call, [m(op, [3, 4], F64), m("target", [3, 4], F64, "c", False)], kw, double=True)
    for dtype in DTYPES:
        f.case(op, call, [m(op, [3, 4], dtype), m("target", [3, 4], dtype)])
    f.case(op, call, [m(op, [3]), m("target", [3], F64)])
    f.case(op, call, [m(op, [3]), m("target", [4])])
    f.case(op, call, [m(op, [3]), m("target", [3])], {"reduction": "max"})

    op, call = "dropout", "nn.functional.dropout"
    for kw in ({"p": 0.5, "training": False}, {"p": 0.0}, {"p": 1.0}, {"p": 0.0, "training": True}):
        for shape, layout in [([], "c"), ([0], "c"), ([3, 4], "t")]:
            f.case(op, call, [m(op, shape, F32, layout)], kw)
    f.case(op, call, [m(op, [3, 4], F64)], {"p": 1.0}, double=True)
    f.case(op, call, [m(op, [3])], {"p": 1.5})
    f.case(op, call, [m(op, [3])], {"p": -0.1})
    f.case(op, call, [f.make(op, [3], torch.int64)], {"p": 0.5})


def record():
    f = Family("functional")
    layer_norm(f)
    cross_entropy(f)
    return [f]
