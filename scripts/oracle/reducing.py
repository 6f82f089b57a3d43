"""Further reductions: prod, std, std_mean, var_mean, norms, amin, argmin, cumprod, count_nonzero, nansum, nanmean, aminmax."""

import torch

from .encode import DTYPES, FLOATS
from .recorder import Family

F32, F64 = torch.float32, torch.float64
L = torch.tensor
NAN, INF = float("nan"), float("inf")
SHAPES = [([], "c"), ([0], "c"), ([19], "c"), ([3, 4], "t"), ([2, 3, 4], "s"), ([3, 4], "e"), ([2, 0, 3], "c")]


def products(f):
    op = "prod"
    for shape, layout in SHAPES:
        f.case(op, f"torch.{op}", [f.make(op, shape, F32, layout, "nonzero", True)])
        for dim in range(-1, max(1, len(shape))):
            f.case(op, f"torch.{op}", [f.make(op, shape, F32, layout, "nonzero", True), dim])
            f.case(op, f"torch.{op}", [f.make(op, shape, F32, layout, "nonzero", True), dim], {"keepdim": True})
    for zeros in ([0.0, 2, 3, 4], [0.0, 2, 0, 4], [0.0, 0, 0, 0], [2.0, 3, 0, 1]):
        x = L([zeros, [1.0, 2, 3, 4]], requires_grad=True)
        f.case(op, f"torch.{op}", [x])
        f.case(op, f"torch.{op}", [x, 1])
        f.case("cumprod", "torch.cumprod", [x, 1])
        f.case("cumprod", "torch.cumprod", [x.detach().double().requires_grad_(), 1], double=True)
    for dtype in DTYPES:
        f.case(op, f"Tensor.{op}", [f.make(op, [7], dtype, "c", "nonzero", True)])
        f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], dtype, "t", "any", True), 1])
        f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], dtype), 1], {"dtype": F64})
    f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], F64, "c", "nonzero", True), 1], double=True)
    f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], F64, "c", "nonzero", True)], double=True)
    f.case(op, f"Tensor.{op}", [f.make(op, [3, 4]), 2])
    op = "cumprod"
    for shape, layout in SHAPES:
        for dim in range(-1, max(1, len(shape))):
            f.case(op, f"torch.{op}", [f.make(op, shape, F32, layout, "nonzero", True), dim])
            if layout != "e":
                f.case(op + "_", f"Tensor.{op}_", [f.make(op, shape, F32, layout, "nonzero", True), dim], clone=True)
                f.case(op + "_", f"Tensor.{op}_", [f.make(op, shape, F32, layout, "nonzero"), dim])
    for dtype in DTYPES:
        f.case(op, f"Tensor.{op}", [f.make(op, [3, 9], dtype, "c", "any", True), 1])
        f.case(op, f"Tensor.{op}", [f.make(op, [4, 3], dtype), 0], {"dtype": F64})
        f.case(op + "_", f"Tensor.{op}_", [f.make(op, [4, 3], dtype, "t"), 0])
    f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], F64, "c", "nonzero", True), 1], double=True)
    f.case(op, f"Tensor.{op}", [f.make(op, [2, 3]), 2])
    f.case(op + "_", f"Tensor.{op}_", [f.make(op, [2, 3]), 1], {"dtype": F64})


def spreads(f):
    for op in ("std", "std_mean", "var_mean"):
        call = f"torch.{op}"
        for shape, layout in SHAPES:
            if op == "std" or shape:
                f.case(op, call, [f.make(op, shape, F32, layout, "any", True)])
        for dim in (0, 1, -1, [0, 2], [0, 1, 2], None):
            for kw in ({}, {"keepdim": True}, {"correction": 0}, {"correction": 2, "keepdim": True}, {"unbiased": False}, {"correction": 0.5}):
                f.case(op, call, [f.make(op, [2, 3, 4], F32, "c", "any", True)] + ([] if dim is None and "unbiased" in kw else [dim]), kw)
        f.case(op, call, [f.make(op, [3, 4], F32, "t", "any", True), False])
        f.case(op, call, [f.make(op, [3, 4], F32, "t", "any", True), [0], False, True])
        f.case(op, call, [f.make(op, [3, 4], F64, "c", "any", True), 1], double=True)
        f.case(op, call, [f.make(op, [3, 4], F64, "c", "any", True)], double=True)
        f.case(op, call, [f.make(op, [3, 1], F32), 1])
        f.case(op, call, [f.make(op, [3, 2], F32), 1], {"correction": 7})
        f.case(op, call, [f.make(op, [2, 0, 3], F32), 1])
        f.case(op, call, [f.make(op, [2, 3]), 2])
        for dtype in DTYPES:
            f.case(op, call, [f.make(op, [3, 5], dtype, "c", "any", True), 1])
            f.case(op, call, [f.make(op, [19], dtype)])


def norms(f):
    for p in (2, 1, 0, INF, -INF, 3, 0.5, 1.5, -1, -2.5):
        for shape, layout in SHAPES:
            f.case("norm", "torch.norm", [f.make("norm", shape, F32, layout, "nonzero", True)], {"p": p})
        for dim in (0, -1, [0, 1], [2], [0, 1, 2]):
            f.case("norm", "Tensor.norm", [f.make("norm", [2, 3, 4], F32, "s", "nonzero", True), p, dim])
            f.case("vector_norm", "linalg.vector_norm", [f.make("norm", [2, 3, 4], F32, "c", "nonzero", True), p, dim], {"keepdim": True})
        f.case("vector_norm", "linalg.vector_norm", [f.make("norm", [3, 4], F64, "c", "nonzero", True), p, 1], double=p not in (INF, -INF))
        f.case("vector_norm", "linalg.vector_norm", [f.make("norm", [2, 0, 3]), p, 1])
        f.case("vector_norm", "linalg.vector_norm", [f.make("norm", [2, 0, 3]), p, 0])
        f.case("vector_norm", "linalg.vector_norm", [L([[0.0, 0.0], [3.0, -4.0]], requires_grad=True), p, 1])
    for dtype in DTYPES:
        f.case("norm", "Tensor.norm", [f.make("norm", [3, 4], dtype, "t", "any", True)])
        f.case("norm", "Tensor.norm", [f.make("norm", [3, 4], dtype, "t", "any", True), 1, 0])
    f.case("norm", "Tensor.norm", [f.make("norm", [3, 4], F32, "c", "any", True)], {"dtype": F64})
    for args, kw in (([], {}), (["fro"], {}), ([], {"dim": 1, "keepdim": True}), (["fro", 0], {}), (["fro", [0, 1]], {}), (["foo"], {}), (["inf"], {}), (["fro", [0, 1, 2]], {}), ([2, 5], {}), (["fro", 1, True], {})):
        f.case("norm", "torch.norm", [f.make("norm", [3, 4, 2] if args[1:] == [[0, 1, 2]] else [3, 4], F32, "c", "any", True), *args], kw)
    x = f.make("norm", [3, 4], F32, "c", "any", True)
    for kw in ({"dtype": F64}, {"dtype": torch.int64}, {"dtype": torch.float16}, {"ord": 2.5, "dim": 5}):
        f.case("vector_norm", "linalg.vector_norm", [x], kw)
    for order in ("fro", 1, -1, INF, -INF, 3, "foo"):
        f.case("matrix_norm", "linalg.matrix_norm", [x, order])
        f.case("matrix_norm", "linalg.matrix_norm", [f.make("norm", [2, 3, 4], F32, "s", "any", True), order, [0, 1], True])
        f.case("matrix_norm", "linalg.matrix_norm", [f.make("norm", [2, 3, 4], F32, "s", "any", True), order, [2, 0]])
        f.case("linalg norm", "linalg.norm", [x, order])
        f.case("linalg norm", "linalg.norm", [f.make("norm", [4], F32, "c", "any", True), order])
    f.case("matrix_norm", "linalg.matrix_norm", [x])
    f.case("matrix_norm", "linalg.matrix_norm", [f.make("norm", [4])])
    f.case("matrix_norm", "linalg.matrix_norm", [x, "fro", [0, 0]], match="dims must be different")
    for args, kw in (([], {}), ([], {"dim": 1}), ([3], {"dim": 0}), ([1], {"dim": [1, 0], "keepdim": True}), ([], {"dim": [0, 1]})):
        f.case("linalg norm", "linalg.norm", [x, *args], kw)


def counts(f):
    op = "count_nonzero"
    for shape, layout in SHAPES:
        f.case(op, f"torch.{op}", [f.make(op, shape, F32, layout, "ties")])
        for dim in range(-1, max(1, len(shape))):
            f.case(op, f"torch.{op}", [f.make(op, shape, F32, layout, "ties"), dim])
    f.case(op, f"torch.{op}", [f.make(op, [2, 3, 4], F32, "s", "ties"), [0, 2]])
    f.case(op, f"torch.{op}", [L([NAN, 0.0, -0.0, INF])])
    f.case(op, f"torch.{op}", [f.make(op, [2, 3]), 3])
    for dtype in DTYPES:
        f.case(op, f"Tensor.{op}", [f.make(op, [40], dtype, "c", "ties")])
        f.case(op, f"Tensor.{op}", [f.make(op, [5, 3], dtype, "t", "ties"), 0])
    for op in ("nansum", "nanmean"):
        holes = lambda shape, dtype=F32, layout="c", grad=True: torch.where(f.make("hole", shape, torch.bool), NAN, f.make(op, shape, dtype, layout)).to(dtype).detach().requires_grad_(grad and dtype.is_floating_point)
        for shape, layout in SHAPES:
            f.case(op, f"torch.{op}", [holes(shape, F32, layout)])
            for dim in range(-1, max(1, len(shape))):
                f.case(op, f"torch.{op}", [holes(shape, F32, layout), dim])
        for kw in ({"dim": [0, 2]}, {"dim": [0, 2], "keepdim": True}, {"dim": 1, "dtype": F64}, {"keepdim": True}):
            f.case(op, f"torch.{op}", [holes([2, 3, 4])], kw)
        f.case(op, f"torch.{op}", [L([NAN, NAN], requires_grad=True)])
        f.case(op, f"torch.{op}", [holes([3, 4], F64), 1], double=True)
        f.case(op, f"torch.{op}", [f.make(op, [2, 3]), 3])
        for dtype in DTYPES:
            f.case(op, f"Tensor.{op}", [holes([3, 5], dtype) if dtype in FLOATS else f.make(op, [3, 5], dtype), 1])
    for op in ("amin", "argmin"):
        for shape, layout in SHAPES:
            f.case(op, f"torch.{op}", [f.make(op, shape, F32, layout, "any", op == "amin")])
        for dim in (0, 1, -1):
            for keep in (False, True):
                f.case(op, f"Tensor.{op}", [f.make(op, [2, 3, 4], F32, "c", "ties", op == "amin"), dim], {"keepdim": True} if keep else {})
        f.case(op, f"Tensor.{op}", [f.make(op, [2, 0, 3], F32), 1])
        f.case(op, f"Tensor.{op}", [f.make(op, [2, 0, 3], F32), 0])
        f.case(op, f"Tensor.{op}", [L([[1.0, NAN, 3.0], [1, 2, 3]]), 1])
        for dtype in DTYPES:
            f.case(op, f"torch.{op}", [f.make(op, [3, 5], dtype, "t", "ties", op == "amin"), 1])
            f.case(op, f"torch.{op}", [f.make(op, [19], dtype)])
    for dim in ([0, 2], [], [0, 1, 2]):
        f.case("amin", "Tensor.amin", [f.make("amin", [2, 3, 4], F32, "s", "ties", True), dim])
    op = "aminmax"
    for shape, layout in SHAPES:
        f.case(op, f"torch.{op}", [f.make(op, shape, F32, layout, "any", True)])
        for dim in range(-1, max(1, len(shape))):
            f.case(op, f"torch.{op}", [f.make(op, shape, F32, layout, "any", True)], {"dim": dim})
            f.case(op, f"torch.{op}", [f.make(op, shape, F32, layout, "any", True)], {"dim": dim, "keepdim": True})
    for dtype in DTYPES:
        f.case(op, f"Tensor.{op}", [f.make(op, [19], dtype)])


def record():
    f = Family("reducing")
    products(f)
    spreads(f)
    norms(f)
    counts(f)
    return [f]
