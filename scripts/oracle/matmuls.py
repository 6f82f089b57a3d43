"""matmul in every rank combination, mm, bmm, addmm, linear."""

import torch

from .encode import DTYPES, HALVES
from .recorder import Family

F32, F64 = torch.float32, torch.float64


def record():
    f = Family("matmul")
    m = lambda key, shape, dtype=F32, layout="c", grad=True: f.make(key, shape, dtype, layout, "any", grad)

    op = "matmul"
    shapes = [
        ([3], [3]), ([0], [0]), ([3, 4], [4]), ([3], [3, 4]), ([3, 4], [4, 5]), ([2, 3, 4], [4]), ([3], [2, 3, 4]), ([2, 3, 4], [4, 5]), ([3, 4], [2, 4, 5]), ([2, 3, 4], [2, 4, 5]),
        ([1, 3, 4], [2, 4, 5]), ([2, 1, 3, 4], [3, 4, 5]), ([2, 1, 3, 4], [1, 3, 4, 5]), ([2, 2, 3, 4], [4]), ([4], [2, 2, 4, 3]), ([2, 2, 3, 4], [4, 2]), ([3, 4], [2, 2, 4, 2]),
        ([2, 3, 1], [2, 1, 4]), ([0, 3], [3, 4]), ([3, 0], [0, 4]), ([3, 4], [4, 0]), ([0, 3, 4], [0, 4, 5]), ([2, 3, 0], [2, 0, 4]), ([0, 3, 4], [4, 5]), ([1], [1]), ([1, 1], [1, 1]),
    ]  # fmt: skip
    for a, b in shapes:
        f.case(op, "torch.matmul", [m(op, a), m(op + "2", b)])
        f.case(op, "Tensor.matmul", [m(op, a, F64), m(op + "2", b, F64)], double=0 not in a + b)
    for la in "ctsn":
        for lb in "ctse":
            f.case(op, "torch.matmul", [m(op, [5, 4], F32, la), m(op + "2", [4, 3], F32, lb)])
            f.case(op, "torch.matmul", [m(op, [2, 5, 4], F32, la), m(op + "2", [2, 4, 3], F32, lb)])
    f.case(op, "torch.matmul", [m(op, [3, 4], F32, "e"), m(op + "2", [4], F32, "s")])
    for a, b in [([17, 33], [33, 19]), ([33, 7], [7, 65]), ([64, 64], [64, 64]), ([5, 130], [130, 9]), ([1, 40], [40, 1]), ([40, 1], [1, 40])]:
        f.case(op, "torch.matmul", [m(op, a, F32, "c", a[0] * b[1] < 400), m(op + "2", b, F32, "c", a[0] * b[1] < 400)])
        f.case(op, "torch.matmul", [m(op, a, F32, "t", False), m(op + "2", b, F32, "t", False)])
    for dtype in DTYPES:
        for a, b in [([4], [4]), ([3, 4], [4]), ([3, 4], [4, 5]), ([2, 3, 4], [2, 4, 5])]:
            f.case(op, "torch.matmul", [m(op, a, dtype), m(op + "2", b, dtype)])
        f.case("mm", "torch.mm", [m("mm", [3, 4], dtype), m("mm2", [4, 5], dtype)])
        f.case("bmm", "torch.bmm", [m("bmm", [2, 3, 4], dtype), m("bmm2", [2, 4, 5], dtype)])
    for a, b in [([3, 4], [3, 4]), ([3], [4]), ([], [3]), ([3], []), ([2, 3, 4], [3, 4, 5]), ([3, 4], [3]), ([2, 3, 4], [5]), ([3], [4, 5]), ([2, 3, 4], [2, 3, 4])]:
        f.case(op, "torch.matmul", [m(op, a), m(op + "2", b)])
    f.case(op, "torch.matmul", [m(op, [3, 4]), m(op + "2", [4, 5], F64)])
    f.case(op, "torch.matmul", [m(op, [3], F32), m(op + "2", [3], torch.int64)])

    for a, b, la, lb in [([3, 4], [4, 5], "c", "c"), ([3, 4], [4, 5], "t", "s"), ([0, 4], [4, 5], "c", "c"), ([3, 0], [0, 5], "c", "c"), ([3, 4], [5, 4], "c", "c"), ([3], [3], "c", "c"), ([2, 3, 4], [4, 5], "c", "c")]:
        f.case("mm", "torch.mm", [m("mm", a, F32, la), m("mm2", b, F32, lb)])
        f.case("mm", "Tensor.mm", [m("mm", a, F64, la), m("mm2", b, F64, lb)], double=True)
    for a, b, la, lb in [([2, 3, 4], [2, 4, 5], "c", "c"), ([2, 3, 4], [2, 4, 5], "t", "s"), ([2, 3, 4], [2, 4, 5], "e", "t"), ([0, 3, 4], [0, 4, 5], "c", "c"), ([2, 3, 0], [2, 0, 5], "c", "c"),
                         ([2, 3, 4], [3, 4, 5], "c", "c"), ([2, 3, 4], [2, 5, 4], "c", "c"), ([3, 4], [4, 5], "c", "c")]:  # fmt: skip
        f.case("bmm", "torch.bmm", [m("bmm", a, F32, la), m("bmm2", b, F32, lb)])
        f.case("bmm", "Tensor.bmm", [m("bmm", a, F64, la), m("bmm2", b, F64, lb)], double=True)

    op = "addmm"
    for c, kw in [([3, 5], {}), ([5], {}), ([1, 5], {}), ([3, 1], {}), ([], {}), ([3, 5], {"beta": 0.5, "alpha": 2}), ([5], {"beta": 0}), ([3, 5], {"alpha": -1.5}), ([4], {}), ([2, 3, 5], {})]:
        f.case(op, "torch.addmm", [m(op, c), m(op + "1", [3, 4]), m(op + "2", [4, 5])], kw)
        f.case(op, "torch.addmm", [m(op, c, F32, "t"), m(op + "1", [3, 4], F32, "t"), m(op + "2", [4, 5], F32, "s")], kw)
    f.case(op, "Tensor.addmm", [m(op, [5], F64), m(op + "1", [3, 4], F64), m(op + "2", [4, 5], F64)], {"beta": 0.5, "alpha": 2}, double=True)
    f.case(op, "Tensor.addmm_", [m(op, [3, 5]), m(op + "1", [3, 4]), m(op + "2", [4, 5])], clone=True)
    f.case(op, "Tensor.addmm_", [m(op, [3, 5], F32, "t", False), m(op + "1", [3, 4], F32, "c", False), m(op + "2", [4, 5], F32, "c", False)], {"alpha": 0.5})
    f.case(op, "torch.addmm", [torch.full([3, 5], float("nan")), m(op + "1", [3, 4], F32, "c", False), m(op + "2", [4, 5], F32, "c", False)], {"beta": 0})
    f.case(op, "torch.addmm", [m(op, [5]), m(op + "1", [0, 4]), m(op + "2", [4, 5])])
    f.case(op, "torch.addmm", [m(op, [5]), m(op + "1", [3, 0]), m(op + "2", [0, 5])])
    f.case(op, "torch.addmm", [m(op, [5]), m(op + "1", [3, 4]), m(op + "2", [5, 4])])
    f.case(op, "torch.addmm", [m(op, [5]), m(op + "1", [3, 4], F64), m(op + "2", [4, 5])])
    for dtype in DTYPES:
        f.case(op, "torch.addmm", [m(op, [5], dtype), m(op + "1", [3, 4], dtype), m(op + "2", [4, 5], dtype)])

    op = "linear"
    call = "nn.functional.linear"
    for x, w, b in [([3, 4], [5, 4], [5]), ([4], [5, 4], [5]), ([2, 3, 4], [5, 4], [5]), ([2, 2, 3, 4], [5, 4], None), ([3, 4], [5, 4], None), ([0, 4], [5, 4], [5]), ([2, 0, 4], [5, 4], [5]), ([4], [4], None),
                    ([3, 4], [4], None), ([17, 33], [9, 33], [9])]:  # fmt: skip
        for dtype, lx in ((F32, "c"), (F32, "t"), (F32, "s"), (F64, "c")):
            f.case(op, call, [m(op, x, dtype, lx), m(op + "w", w, dtype)] + ([m(op + "b", b, dtype)] if b else []), double=dtype == F64 and 0 not in x)
    f.case(op, call, [m(op, [3, 4]), m(op + "w", [5, 4], F32, "t")], {"bias": m(op + "b", [5])})
    for dtype in DTYPES:
        f.case(op, call, [m(op, [3, 4], dtype), m(op + "w", [5, 4], dtype), m(op + "b", [5], dtype)])
    f.case(op, call, [m(op, [3, 4]), m(op + "w", [5, 3]), m(op + "b", [5])])
    f.case(op, call, [m(op, [3, 4]), m(op + "w", [5, 3])])
    f.case(op, call, [m(op, [2, 3, 4]), m(op + "w", [5, 3]), m(op + "b", [5])])
    f.case(op, call, [m(op, [3, 4]), m(op + "w", [5, 4]), m(op + "b", [4])])
    f.case(op, call, [m(op, [3, 4], F64), m(op + "w", [5, 4]), m(op + "b", [5])])
    return [f]
