"""Distances, similarities, normalisation and triplet losses of nn.functional."""

import torch

from .encode import FLOATS
from .recorder import Family

F32, F64 = torch.float32, torch.float64
INF = float("inf")
N = "nn.functional."


def record():
    f = Family("distances")
    m = lambda key, shape, dtype=F32, layout="c", grad=True: f.make(key, shape, dtype, layout, "any", grad)

    op = "pairwise_distance"
    for p in (2, 1, 0, 3, 0.5, 1.5, INF, -INF):
        for shapes in [([3, 4], [3, 4]), ([3, 4], [4]), ([4], [4]), ([2, 3, 4], [3, 4])]:
            f.case(op, N + op, [m(op, shapes[0]), m("other", shapes[1]), p])
        f.case(op, N + op, [m(op, [3, 4], F32, "t"), m("other", [3, 4], F32, "s"), p], {"keepdim": True, "eps": 0.0})
        f.case(op, N + op, [m(op, [3, 4], F64), m("other", [3, 4], F64), p], double=True)
        f.case(op, N + op, [m(op, [3, 4]), m(op, [3, 4]), p], {"eps": 0.0}, tag="equal")
    for dtype in FLOATS:
        f.case(op, "torch." + op, [m(op, [3, 4], dtype), m("other", [3, 4], dtype)])
    f.case(op, N + op, [m(op, []), m("other", [])])
    f.case(op, N + op, [m(op, [3, 4]), m("other", [3])])
    f.case(op, N + op, [m(op, [3, 4], torch.int64), m("other", [3, 4], torch.int64)])

    op = "cosine_similarity"
    for shapes, dim in [(([3, 4], [3, 4]), 1), (([3, 4], [3, 4]), 0), (([3, 4], [4]), 1), (([4], [4]), 0), (([2, 3, 4], [3, 4]), -1), (([2, 1, 4], [3, 1]), 1), (([], []), 0)]:
        f.case(op, N + op, [m(op, shapes[0]), m("other", shapes[1])], {"dim": dim})
        f.case(op, N + op, [m(op, shapes[0], F32, "t"), m("other", shapes[1], F32, "s")], {"dim": dim, "eps": 0.5})
    f.case(op, N + op, [m(op, [3, 4], F64), m("other", [3, 4], F64)], double=True)
    f.case(op, N + op, [m(op, [3, 4]), torch.zeros(3, 4)], tag="zeros")
    for dtype in FLOATS:
        f.case(op, "torch." + op, [m(op, [3, 4], dtype), m("other", [3, 4], dtype)])
    f.case(op, N + op, [m(op, [3, 4], torch.int64), m("other", [3, 4])])
    f.case(op, N + op, [m(op, [3, 4], torch.bfloat16), m("other", [3, 4])])
    f.case(op, N + op, [m(op, [3, 4], torch.int64), m("other", [3, 4], torch.int64)])
    f.case(op, N + op, [m(op, [3, 4]), m("other", [3])])
    f.case(op, N + op, [m(op, [3, 4]), m("other", [3, 4])], {"dim": 2})

    op = "normalize"
    for p in (2.0, 1, 3, 0.5, INF):
        for shape, layout, dim in [([3, 4], "c", 1), ([3, 4], "t", 0), ([2, 3, 4], "s", -1), ([2, 3, 4], "c", [0, 2]), ([4], "c", 0), ([], "c", 0)]:
            f.case(op, N + op, [m(op, shape, F32, layout)], {"p": p, "dim": dim})
        f.case(op, N + op, [m(op, [3, 4], F64)], {"p": p}, double=True)
    f.case(op, N + op, [m(op, [3, 4])], {"eps": 2.0})
    f.case(op, N + op, [torch.zeros(2, 3, requires_grad=True)], tag="zeros")
    for dtype in FLOATS:
        f.case(op, N + op, [m(op, [3, 4], dtype)])
    f.case(op, N + op, [m(op, [3, 4], torch.int64)])
    f.case(op, N + op, [m(op, [3, 4])], {"dim": 2})
    f.case(op, N + op, [m(op, [3])])

    a, b, c = "anchor", "positive", "negative"
    for op in ("triplet_margin_loss", "triplet_margin_with_distance_loss"):
        for reduction in ("mean", "sum", "none"):
            for swap in (False, True):
                kw = {"reduction": reduction, "swap": swap}
                f.case(op, N + op, [m(a, [3, 4]), m(b, [3, 4]), m(c, [3, 4])], kw)
                f.case(op, N + op, [m(a, [4]), m(b, [4]), m(c, [4])], kw)
                f.case(op, N + op, [m(a, [3, 4], F64), m(b, [3, 4], F64), m(c, [3, 4], F64)], kw, double=True)
        f.case(op, N + op, [m(a, [3, 4]), m(b, [3, 4]), m(c, [3, 4])], {"margin": 0.3})
        for dtype in FLOATS:
            f.case(op, N + op, [m(a, [3, 4], dtype), m(b, [3, 4], dtype), m(c, [3, 4], dtype)])
        f.case(op, N + op, [m(a, [3, 4]), m(b, [3, 4]), m(c, [4])])
        f.case(op, N + op, [m(a, [3, 4]), m(b, [3, 4]), m(c, [3, 4])], {"margin": 0})
        f.case(op, N + op, [m(a, [3, 4]), m(b, [3, 4]), m(c, [3, 4])], {"reduction": "q"})
    f.case("triplet_margin_loss", N + "triplet_margin_loss", [m(a, [3, 4]), m(b, [3, 4]), m(c, [3, 4])], {"p": 1, "eps": 0.1})
    return [f]
