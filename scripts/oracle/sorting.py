"""Sorting, elements by rank, distinct elements, places in sorted sequences, counts.

Where PyTorch's own order of equal elements is not defined (topk, kthvalue, median, sort without stable), elements are distinct.
"""

import torch

from .encode import DTYPES, FLOATS
from .recorder import Family

F32, F64 = torch.float32, torch.float64
L = torch.tensor
NAN, INF = float("nan"), float("inf")
SHAPES = [([], "c"), ([0], "c"), ([1], "c"), ([19], "c"), ([3, 4], "t"), ([2, 3, 4], "s"), ([2, 0, 3], "c"), ([3, 4], "n"), ([3, 4], "e")]


def distinct(f, op, shape, dtype=F32, layout="c", grad=False):
    """No two elements are equal, in layouts as `make` has them."""
    x = f.make(op, shape, F32, layout)
    n = x.numel()
    order = torch.randperm(max(n, 1), generator=f.gen(op, "order", tuple(shape), str(dtype)))[:n]
    if layout == "e":
        n0 = n // max(1, shape[0])
        order = torch.randperm(n0, generator=f.gen(op, "order", tuple(shape)))
        values = (order - n0 // 2).to(dtype).reshape([1] + shape[1:]).expand(shape)
        return values.requires_grad_() if grad and dtype.is_floating_point else values
    low = 0 if dtype == torch.uint8 else n // 2
    values = (order - low).to(dtype).reshape(shape)
    if dtype.is_floating_point:
        values = values / 4
    out = torch.empty_strided(shape, x.stride(), dtype=dtype) if layout == "t" else values
    if layout == "t":
        out.copy_(values)
    if layout == "s":
        wide = torch.zeros(shape[:-1] + [2 * shape[-1] + 1], dtype=dtype)
        out = wide[..., 1::2].copy_(values)
    out = out.detach()
    return out.requires_grad_() if grad and dtype.is_floating_point else out


def sorts(f):
    for shape, layout in SHAPES:
        for dim in range(-1, max(1, len(shape))):
            for down in (False, True):
                f.case("sort", "torch.sort", [f.make("sort", shape, F32, layout, "any", layout != "e")], {"dim": dim, "descending": down, "stable": True})
                f.case("argsort", "torch.argsort", [f.make("sort", shape, F32, layout, "ties")], {"dim": dim, "descending": down, "stable": True})
    f.case("sort", "Tensor.sort", [distinct(f, "sort", [3, 4], F32, "t", True)])
    f.case("sort", "Tensor.sort", [distinct(f, "sort", [3, 4], F32, "t", True), 0, True])
    f.case("argsort", "Tensor.argsort", [distinct(f, "sort", [3, 4]), 0, True])
    f.case("argsort", "Tensor.argsort", [distinct(f, "sort", [3, 4])])
    f.case("sort", "torch.sort", [distinct(f, "sort", [3, 4], F64, "t", True)], double=True)
    f.case("sort", "torch.sort", [f.make("sort", [3, 4])], {"dim": 2})
    special = L([1.0, NAN, -INF, 0.0, -0.0, INF, NAN, -1.0, 0.0, -0.0, -NAN, 1e-40, -1e-40])
    for dtype in DTYPES:
        for down in (False, True):
            kw = {"stable": True, "descending": down}
            f.case("sort", "torch.sort", [f.make("sort", [3, 19], dtype, "c", "ties", True)], kw)
            f.case("sort", "torch.sort", [f.make("sort", [70], dtype, "s", "any", True)], kw)
            f.case("sort", "torch.sort", [f.make("sort", [300], dtype, "c", "ties")], kw)
            if dtype.is_floating_point:
                f.case("sort", "torch.sort", [special.to(dtype)], kw, tag="special")
                f.case("sort", "torch.sort", [special.repeat(9).to(dtype)], kw, tag="special")
            elif dtype != torch.bool:
                limits = torch.iinfo(dtype)
                f.case("sort", "torch.sort", [L([0, limits.max, limits.min, 1, limits.max - 1, limits.min + 1] * 9, dtype=dtype)], kw, tag="limits")
    f.case("msort", "torch.msort", [distinct(f, "sort", [4, 3], F32, "c", True)])
    f.case("msort", "torch.msort", [distinct(f, "sort", [], F32, "c", True)])


def ranks(f):
    op = "topk"
    for shape, layout in SHAPES:
        for dim in range(-1, max(1, len(shape))):
            size = shape[dim] if shape else 1
            for k in sorted({0, 1, size // 2, size} - ({1} if size == 0 else set())):
                for largest in (True, False):
                    f.case(op, "torch.topk", [distinct(f, op, shape, F32, layout, layout not in "e"), k, dim, largest] if layout != "e" or dim != 0 else [distinct(f, op, shape[1:]), 1])
    f.case(op, "torch.topk", [distinct(f, op, [1000], F32, "c", True), 5])
    f.case(op, "torch.topk", [distinct(f, op, [3, 400], F64, "t", True), 7, 1, False])
    for dtype in DTYPES:
        f.case(op, "Tensor.topk", [distinct(f, op, [3, 19], dtype, "c", True), 4])
        if dtype not in (torch.int8, torch.uint8, torch.bool, torch.bfloat16, torch.float16):
            f.case(op, "Tensor.topk", [distinct(f, op, [600], dtype), 9])
            f.case(op, "Tensor.topk", [distinct(f, op, [600], dtype), 9], {"largest": False})
    f.case(op, "torch.topk", [L([1.0, NAN, 3.0, -INF, INF]), 3])
    f.case(op, "torch.topk", [L([1.0, NAN, 3.0, -INF, INF]), 3], {"largest": False})
    f.case(op, "torch.topk", [distinct(f, op, [3, 4], F64, "c", True), 2], double=True)
    for k, dim in ((5, -1), (-1, -1), (1, 3)):
        f.case(op, "torch.topk", [f.make(op, [3, 4]), k, dim])
    for op in ("kthvalue", "median", "nanmedian", "mode"):
        make = (lambda *a: f.make("mode", a[2], a[3] if len(a) > 3 else F32, a[4] if len(a) > 4 else "c", "ties", len(a) > 5 and a[5])) if op == "mode" else distinct
        for shape, layout in SHAPES:
            if layout == "e":
                continue
            if op == "mode" and shape == [19]:
                # Of longer rows the position is whatever an unstable sort leaves.
                shape = [9]
            for dim in range(-1, max(1, len(shape))):
                size = shape[dim] if shape else 1
                for k in ([1, size, (size + 1) // 2] if op == "kthvalue" and size > 0 else [1]):
                    args = [make(f, op, shape, F32, layout, True)] + ([k] if op == "kthvalue" else []) + [dim]
                    f.case(op, f"torch.{op}", args)
                    f.case(op, f"torch.{op}", args, {"keepdim": True})
        if "median" in op:
            for shape, layout in SHAPES:
                if layout != "e":
                    f.case(op, f"torch.{op}", [make(f, op, shape, F32, layout, True)])
            f.case(op, f"torch.{op}", [f.make(op, [9], F32, "c", "ties", True)], tag="ties")
            nan = L([[1.0, NAN, 3.0, 0.5], [NAN, NAN, 2.5, NAN], [4.0, 3.0, 2.0, 1.0], [NAN, 1.0, NAN, 7.0]], requires_grad=True)
            f.case(op, f"torch.{op}", [nan])
            f.case(op, f"torch.{op}", [nan[2:3].detach()])
            f.case(op, f"torch.{op}", [nan, 1])
            for dtype in DTYPES:
                f.case(op, f"torch.{op}", [distinct(f, op, [19], dtype, "c", True)])
                f.case(op, f"torch.{op}", [torch.zeros(0, dtype=dtype)]) if dtype in FLOATS else None
            f.case(op, f"torch.{op}", [distinct(f, op, [700], F32, "c", True)])
        for dtype in DTYPES:
            f.case(op, f"Tensor.{op}", [make(f, op, [3, 9 if op == "mode" else 19], dtype, "c", True)] + ([4] if op == "kthvalue" else [1]))
        f.case(op, f"Tensor.{op}", [make(f, op, [3, 4], F64, "c", True)] + ([2] if op == "kthvalue" else [1]), double=True)
        f.case(op, f"Tensor.{op}", [f.make(op, [3, 4])] + ([2] if op == "kthvalue" else []) + [5])
    for k, dim in ((0, -1), (5, -1), (4, 0)):
        f.case("kthvalue", "torch.kthvalue", [f.make("kthvalue", [3, 4]), k, dim])


def uniques(f):
    ties = lambda *s, dtype=torch.int64, layout="c": f.make("unique", list(s), dtype, layout, "ties")
    flags = [{}, {"return_inverse": True}, {"return_counts": True}, {"return_inverse": True, "return_counts": True}]
    for op in ("unique", "unique_consecutive"):
        for kw in flags:
            for x in (ties(), ties(0), ties(1), ties(19), ties(3, 4, layout="t"), ties(2, 3, 4, layout="s"), ties(3, 4, layout="e"), ties(2, 0), ties(300), L([1.0, NAN, 1.0, NAN, -0.0, 0.0])):
                f.case(op, f"torch.{op}", [x], kw)
            for x, dim in ((ties(5, 2), 0), (ties(2, 9), 1), (ties(2, 3, 4, layout="s"), -1), (ties(6), 0), (ties(6, 1, 2, layout="t"), 0), (ties(0, 3), 0)):
                f.case(op, f"torch.{op}", [x], {**kw, "dim": dim})
        for dtype in DTYPES:
            f.case(op, f"Tensor.{op}", [ties(19, dtype=dtype)], {"return_inverse": True, "return_counts": True})
            f.case(op, f"Tensor.{op}", [ties(9, 2, dtype=dtype)], {"dim": 0, "return_inverse": True})
        f.case(op, f"torch.{op}", [ties(3, 4)], {"dim": 2})
        f.case(op, f"torch.{op}", [ties(0, 3)], {"dim": 1})
        f.case(op, f"torch.{op}", [ties()], {"dim": 0})
    f.case("unique", "torch.unique", [ties(9)], {"sorted": True})


def searches(f):
    op = "searchsorted"
    rows = L([[1, 3, 5, 5, 9], [2, 4, 6, 8, 10]])
    for right in (False, True):
        for values in (L([0, 3, 5, 6, 99]), L([[0, 5], [9, 1]]), 3, L(5), L([], dtype=torch.int64), L([1.5, 5.0, NAN])):
            f.case(op, "torch.searchsorted", [rows[0], values], {"right": right})
            f.case("bucketize", "torch.bucketize", [values, rows[0]], {"right": right})
        for values in (L([[3], [3]]), L([[5, 0, 6], [5, 0, 6]]), L([[5.5, 0, 6], [5, 0, 6.5]])):
            f.case(op, "torch.searchsorted", [rows, values], {"right": right})
            f.case(op, "torch.searchsorted", [rows.t().contiguous().t(), values], {"right": right, "out_int32": True})
    f.case(op, "torch.searchsorted", [rows[0], L([5])], {"side": "right"})
    f.case(op, "torch.searchsorted", [rows[0], L([5])], {"side": "left"})
    f.case(op, "torch.searchsorted", [L([5, 3, 1]), L([3, 4, 9])], {"sorter": L([2, 1, 0])})
    f.case(op, "torch.searchsorted", [L([], dtype=torch.int64), L([1, 2])])
    f.case(op, "torch.searchsorted", [L([0.0, 1.0, NAN]), L([NAN, 0.5])])
    f.case("bucketize", "torch.bucketize", [f.make(op, [3, 4], F32, "t", "any", True), L([-1.0, 0, 1])], {"out_int32": True})
    for dtype in DTYPES:
        f.case(op, "torch.searchsorted", [L([0, 1, 2, 3]).to(dtype), f.make(op, [7], dtype, "c", "ties")])
    for args, kw in (([rows[0], L([5])], {"side": "left", "right": True}), ([rows[0], L([5])], {"side": "foo"}), ([rows, L([3])], {}), ([rows, 3], {}), ([L([5, 3, 1]), L([3])], {"sorter": L([2, 1])}),
                     ([L([5, 3, 1]), L([3])], {"sorter": L([2, 1, 5])}), ([L([5, 3, 1]), L([3])], {"sorter": L([2.0, 1, 0])}), ([L(5), L([3])], {})):  # fmt: skip
        f.case(op, "torch.searchsorted", args, kw)
    f.case("bucketize", "torch.bucketize", [L([0]), rows])
    op = "bincount"
    x = L([1, 1, 3, 0])
    for args, kw in (([x], {}), ([x, L([0.5, 0.5, 1, 2])], {}), ([x, L([0.5, 0.5, 1, 2], dtype=F64)], {"minlength": 6}), ([x, L([1, 2, 3, 4])], {}), ([x], {"minlength": -1}), ([L([1, -1])], {}), ([L([1.0])], {}),
                     ([L([[1, 1]])], {}), ([x, L([0.5])], {}), ([L([], dtype=torch.int64)], {"minlength": 3}), ([L([], dtype=torch.int64)], {}), ([L([True])], {}), ([x, L([[0.5, 0.5, 1, 2]])], {})):  # fmt: skip
        f.case(op, "torch.bincount", args, kw)
    for dtype in (torch.int32, torch.int16, torch.int8, torch.uint8):
        f.case(op, "Tensor.bincount", [x.to(dtype)])
    op = "histc"
    x = f.make(op, [60])
    for args, kw in (([x], {}), ([x, 5], {}), ([x, 5, -1, 1], {}), ([x, 5], {"min": 0, "max": 2}), ([x, 5, 1, 0], {}), ([x, 0], {}), ([L([1, 2])], {}), ([L([1.0, NAN])], {}), ([L([1.0, INF])], {}),
                     ([L([1.0, INF, NAN, -INF]), 4, 0, 2], {}), ([torch.zeros(0), 4], {}), ([L([2.0, 2.0]), 4], {}), ([L([0.0, 0.25, 0.5, 0.75, 1.0]), 4], {}), ([f.make(op, [3, 4], F32, "t"), 3], {})):  # fmt: skip
        f.case(op, "torch.histc", args, kw, match="is not finite" if len(args) == 1 and args[0].numel() == 2 and args[0].is_floating_point() else None)
    for dtype in FLOATS:
        f.case(op, "Tensor.histc", [f.make(op, [30], dtype), 6, -2, 2])
    op = "isin"
    x = f.make(op, [3, 4], torch.int64, "t", "ties")
    for args, kw in (([x, L([1, 2])], {}), ([x, L([1, 2])], {"invert": True}), ([x, L([], dtype=torch.int64)], {}), ([x, L([], dtype=torch.int64)], {"invert": True}), ([x, 1], {}), ([1, x], {}), ([9, x], {}),
                     ([x, L([[0, 5], [1, 1]])], {}), ([L([1.0, NAN, 2.5]), L([NAN, 2.5])], {}), ([x, L([1, 2])], {"assume_unique": True})):  # fmt: skip
        f.case(op, "torch.isin", args, kw)


def record():
    f = Family("sorting")
    sorts(f)
    ranks(f)
    uniques(f)
    searches(f)
    return [f]
