"""Elements in another order, number or place: flips, rolls, repetitions, triangles, diagonals, windows, pieces, joins and grids."""

import torch

from .encode import DTYPES
from .recorder import Family

F32, F64 = torch.float32, torch.float64
L = torch.tensor
SHAPES = [([], "c"), ([0], "c"), ([5], "c"), ([3, 4], "t"), ([2, 3, 4], "s"), ([3, 4], "e"), ([2, 0, 3], "c"), ([3, 4], "n")]


def one(f, op, shape, *args, layout="c", kwargs=None, strides=False, method=True):
    """A call with a gradient."""
    f.case(op, f"{'Tensor' if method else 'torch'}.{op}", [f.make(op, shape, F32, layout, "any", True), *args], kwargs, strides=strides)


def everywhere(f, op, shape, *args, kwargs=None, method=True):
    """Every dtype, a double gradient."""
    call = f"{'Tensor' if method else 'torch'}.{op}"
    for dtype in DTYPES:
        f.case(op, call, [f.make(op, shape, dtype, "t", "any", True), *args], kwargs)
    f.case(op, call, [f.make(op, shape, F64, "s", "any", True), *args], kwargs, double=True)


def flips(f):
    for shape, layout in SHAPES:
        for dims in ([], list(range(len(shape))), [-1] if shape else [0]):
            one(f, "flip", shape, dims, layout=layout)
    one(f, "flip", [2, 3, 4], 0, 2)
    everywhere(f, "flip", [3, 4], [1])
    one(f, "flip", [70, 41], [0, 1])
    for bad in ([0, 0], [2], [-3]):
        one(f, "flip", [3, 4], bad)
    for op in ("fliplr", "flipud"):
        for shape, layout in SHAPES:
            one(f, op, shape, layout=layout)
    for shape, layout in SHAPES:
        one(f, "roll", shape, 1, layout=layout)
        one(f, "roll", shape, -7, layout=layout)
        one(f, "roll", shape, 2, 0, layout=layout)
        one(f, "roll", shape, [3, -1], [-1, 0], layout=layout)
    one(f, "roll", [2, 3, 4], [1, 1, 1], [1, 1, 2])
    f.case("roll", "torch.roll", [f.make("roll", [3, 4])], {"shifts": 2, "dims": 1})
    everywhere(f, "roll", [3, 4], 5, 1)
    for args in ([[1, 2], 0], [[], []], [[1, 2]], [1, 2]):
        one(f, "roll", [3, 4], *args)
    for shape, layout in SHAPES:
        one(f, "rot90", shape, layout=layout)
        for k in (0, 2, -1, 7):
            one(f, "rot90", shape, k, layout=layout)
    one(f, "rot90", [2, 3, 4], 1, [2, 0])
    one(f, "rot90", [2, 3, 4], 3, [1, -1])
    everywhere(f, "rot90", [3, 4], 1)
    for dims in ([0, 0], [0], [0, 2], [0, -2]):
        one(f, "rot90", [3, 4], 1, dims)


def repetitions(f):
    for shape, layout in SHAPES:
        n = len(shape)
        for times in ([2] * n, [1] * n, [3] + [1] * n, [2, 2] + [2] * n, [0] * n):
            one(f, "repeat", shape, times, layout=layout)
            one(f, "tile", shape, times, layout=layout)
    one(f, "repeat", [3, 4], 2, 1, 3)
    one(f, "repeat", [3, 4], 2)
    one(f, "repeat", [3, 4], -1, 2)
    one(f, "tile", [3, 4], 2)
    one(f, "tile", [3, 4], [])
    everywhere(f, "repeat", [3, 4], [2, 1, 3])
    everywhere(f, "tile", [3, 4], [2])
    op = "repeat_interleave"
    for shape, layout in SHAPES:
        one(f, op, shape, 2, layout=layout)
        for dim in range(-1, len(shape)):
            one(f, op, shape, 3, dim, layout=layout)
            one(f, op, shape, 1, dim, layout=layout)
    one(f, op, [3, 4], L([1, 0, 3]), 0)
    one(f, op, [3, 4], L([1, 0, 3, 2]), 1, layout="t")
    one(f, op, [3, 4], L([2]), -1)
    one(f, op, [3, 4], L(2), 0)
    one(f, op, [6], L([1, 2, 0, 0, 3, 1]))
    one(f, op, [3, 4], L([1, 0, 3], dtype=torch.int32), 0)
    everywhere(f, op, [3, 4], 2, 0)
    everywhere(f, op, [3, 4], L([1, 0, 3]), 0)
    one(f, op, [3, 4], L([1, 2, 3]), 0, kwargs={"output_size": 6})
    one(f, op, [3, 4], L([1, 2, 3]), 0, kwargs={"output_size": 5})
    for r in (L([1, 2, 3]), L([1, 2, 3], dtype=torch.int32), L([], dtype=torch.int64), L([1, 2, -3]), L([1.0, 2]), L([[1, 2]])):
        f.case(op, "torch.repeat_interleave", [r])
    for args in ([L([1, 2]), 0], [-1], [L([1, 2, 3]), 2], [L([[1, 2, 3]]), 0], [L([1.0, 2, 3]), 0], [L([1, 2, 3])]):
        one(f, op, [3, 4], *args)


def triangles(f):
    for op in ("tril", "triu"):
        for shape, layout in [([3, 4], "c"), ([4, 3], "t"), ([2, 3, 4], "s"), ([3, 4], "e"), ([0, 3], "c"), ([2, 0], "c"), ([1, 1], "c"), ([2, 2, 3, 3], "n"), ([5], "c"), ([], "c")]:
            for k in (0, 1, -2, 9, -9):
                one(f, op, shape, k, layout=layout)
            if layout != "e":
                f.case(op + "_", f"Tensor.{op}_", [f.make(op, shape, F32, layout), -1])
                f.case(op + "_", f"Tensor.{op}_", [f.make(op, shape, F32, layout, "any", True), 1], clone=True)
        everywhere(f, op, [3, 4])
        everywhere(f, op, [3, 4], -1)
        f.case(op, f"torch.{op}", [torch.full([3, 3], float("nan"))])
    for op in ("tril_indices", "triu_indices"):
        for row, col in ((3, 4), (4, 3), (0, 2), (2, 0), (1, 1), (5, 2)):
            for k in (0, 1, -1, 3, -4):
                f.case(op, f"torch.{op}", [row, col, k], factory=True)
        f.case(op, f"torch.{op}", [3, 3], {"dtype": torch.int32}, factory=True)
        f.case(op, f"torch.{op}", [3, 3], {"offset": 1, "dtype": torch.int16}, factory=True)
        for row, col, kw in ((-1, 2, {}), (2, -3, {}), (2, 2, {"dtype": F32}), (2, 2, {"dtype": torch.bool})):
            f.case(op, f"torch.{op}", [row, col], kw, factory=True)


def diagonals(f):
    for shape, layout in [([3, 4], "c"), ([4, 3], "t"), ([2, 3, 4], "s"), ([3, 4], "e"), ([0, 3], "c"), ([5], "c"), ([0], "c"), ([], "c"), ([2, 2, 2], "c")]:
        for k in (0, 1, -2, 9, -9):
            one(f, "diag", shape, k, layout=layout)
            one(f, "diagonal", shape, k, layout=layout, strides=True)
            one(f, "diag_embed", shape, k, layout=layout)
            one(f, "diagflat", shape, k, layout=layout, method=False)
    for dims in ((0, 2), (2, 0), (-1, 1), (0, 0), (0, 3), (1, -2)):
        one(f, "diagonal", [2, 3, 4], 1, *dims, strides=True)
        one(f, "diag_embed", [2, 3], -1, *dims)
    for op in ("diag", "diagonal"):
        everywhere(f, op, [3, 4], 1)
    everywhere(f, "diag_embed", [2, 3], -1)
    everywhere(f, "diagflat", [2, 3], 1, method=False)


def moves(f):
    for op in ("movedim", "moveaxis"):
        for args in ((0, 2), (-1, 0), ([0, 1], [2, 0]), ([2, 1, 0], [0, 1, 2]), ([], []), ([0, 1], [2]), ([0, 0], [1, 2]), ([0, 1], [1, 1]), (3, 0), (0, 5)):
            one(f, op, [2, 3, 4], *args, strides=True)
        one(f, op, [], 0, 0)
        one(f, op, [5], 0, -1)
        everywhere(f, op, [3, 4], 0, 1)
    for shape, layout in [([5], "c"), ([3, 4], "t"), ([2, 3, 4], "s"), ([3, 4], "e"), ([3, 4], "n")]:
        for dim in range(len(shape)):
            for size, step in ((2, 1), (1, 1), (2, 2), (3, 2), (0, 1), (2, 3)):
                one(f, "unfold", shape, dim, size, step, layout=layout, strides=True)
    for args in ((1, 5, 1), (1, 2, 0), (1, -1, 1), (2, 1, 1), (-1, 2, 1)):
        one(f, "unfold", [3, 4], *args)
    for args in ((0, 1, 1), (0, 0, 1), (0, 2, 1), (0, 1, 3)):
        one(f, "unfold", [], *args)
    everywhere(f, "unfold", [3, 4], 1, 2, 1)
    everywhere(f, "unfold", [3, 4], 1, 2, 2)


def pieces(f):
    for parts in (1, 2, 3, 7, 0, -1, [1, 3], [1, 9, -1], [], [2, 1], L([1, 3]), L(3), L([1.0]), L([[1]])):
        one(f, "tensor_split", [5], parts, strides=True)
        one(f, "tensor_split", [3, 5], parts, -1, strides=True, layout="t")
    one(f, "tensor_split", [3, 4], 2, 2)
    one(f, "tensor_split", [], 2)
    one(f, "tensor_split", [0, 3], 2)
    for op, shapes in (("hsplit", ([4], [3, 4], [2, 4, 3], [])), ("vsplit", ([4, 3], [4], [4, 2, 2])), ("dsplit", ([2, 3, 4], [3, 4], [1, 1, 4, 2]))):
        for shape in shapes:
            for parts in (2, 3, 0, [1, 2], []):
                one(f, op, shape, parts, strides=True)
    for op in ("atleast_1d", "atleast_2d", "atleast_3d"):
        for shape, layout in SHAPES:
            one(f, op, shape, layout=layout, strides=True, method=False)
        f.case(op, f"torch.{op}", [f.make(op, []), f.make(op, [3])])
        f.case(op, f"torch.{op}", [[f.make(op, []), f.make(op, [3, 2])]])


def joins(f):
    t = lambda *s, dtype=F32, layout="c": f.make("join", list(s), dtype, layout, "any", True)
    lists = [
        [t(), t()], [t(3), t(2)], [t(3), t(3)], [t(3, 4), t(3, 4)], [t(3, 4, layout="t"), t(3, 2)], [t(2, 4), t(3, 4)], [t(2, 3, 4), t(2, 3, 4)], [t(3), t(3, 2)],
        [t(), t(2)], [t(0), t(0)], [t(3)], [], [t(2, 3, 1), t(2, 3, 4)], [t(3, dtype=F64), t(3)], [t(3, dtype=torch.int64), t(3)],
    ]  # fmt: skip
    for op in ("hstack", "vstack", "row_stack", "dstack", "column_stack"):
        for tensors in lists:
            f.case(op, f"torch.{op}", [tensors])
        for dtype in DTYPES:
            f.case(op, f"torch.{op}", [[t(2, 3, dtype=dtype), t(2, 3, dtype=dtype, layout="t")]])
        f.case(op, f"torch.{op}", [[t(2, 3, dtype=F64), t(2, 3, dtype=F64, layout="t")]], double=True)
    op = "meshgrid"
    for tensors in ([t(2)], [t(2), t(3)], [t(2), t(), t(4)], [t(0), t(3)], [t(2, dtype=torch.int64), t(3, dtype=torch.int64)], [t(5, layout="s"), t(2)]):
        for indexing in ("ij", "xy"):
            f.case(op, "torch.meshgrid", tensors, {"indexing": indexing}, strides=True)
            f.case(op, "torch.meshgrid", [tensors], {"indexing": indexing})
    f.case(op, "torch.meshgrid", [t(2), t(3)])
    for tensors, indexing in (([t(2)], "zz"), ([t(2, 3), t(2)], "ij"), ([t(2), t(2, dtype=F64)], "ij")):
        f.case(op, "torch.meshgrid", tensors, {"indexing": indexing}, match="0D or 1D tensor" if tensors[0].dim() == 2 else None)
    op = "cartesian_prod"
    for tensors in ([t(2), t(3)], [t(3)], [t(2), t(1), t(2)], [t(0), t(2)], [t(2, 2), t(2)], [t(2), t(2, dtype=F64)], [t()]):
        f.case(op, "torch.cartesian_prod", tensors)
    f.case(op, "torch.cartesian_prod", [t(2, dtype=F64), t(3, dtype=F64)], double=True)
    op = "combinations"
    for r in (0, 1, 2, 3, 5, -1):
        for again in (False, True):
            f.case(op, "torch.combinations", [t(4), r], {"with_replacement": again})
    f.case(op, "torch.combinations", [t(2, 3)])
    f.case(op, "torch.combinations", [t(4, dtype=torch.int64)])


def record():
    f = Family("rearranging")
    flips(f)
    repetitions(f)
    triangles(f)
    diagonals(f)
    moves(f)
    pieces(f)
    joins(f)
    return [f]
