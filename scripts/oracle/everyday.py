"""Every dtype, layout and gradient of operations that other families record in few forms: pieces, shapes like another's, sums and copies by index.

tests/oracle/coverage.test.ts says which operations need them.
"""

import torch

from .encode import DTYPES
from .recorder import Family

F32, F64 = torch.float32, torch.float64
L = torch.tensor
LAYOUTS = [([3, 4], "c"), ([3, 4], "t"), ([3, 4], "s"), ([3, 4], "e"), ([3, 4], "n"), ([3, 0], "c"), ([0, 4], "c")]


def widely(f, op, args=(), kwargs=None, *, functions=("Tensor",), shape=(3, 4), double=True, others=()):
    """Every layout in float32, every dtype, a double gradient; then `others`, (shape, args) each."""
    shape = list(shape)
    for space in functions:
        call = f"{space}.{op}"
        for s, layout in LAYOUTS if len(shape) == 2 else [(shape, "c"), (shape, "s"), ([0] * len(shape), "c")]:
            f.case(op, call, [f.make(op, s, F32, layout, "any", True), *args], kwargs)
        for s, more in others:
            f.case(op, call, [f.make(op, s, F32, "c", "any", True), *more])
    for dtype in DTYPES:
        f.case(op, f"{functions[0]}.{op}", [f.make(op, shape, dtype, "c", "any", True), *args], kwargs)
    if double:
        f.case(op, f"{functions[0]}.{op}", [f.make(op, shape, F64, "s", "any", True), *args], kwargs, double=True)


def pieces(f):
    both = ("Tensor", "torch")
    widely(f, "chunk", [2, 1], functions=both, others=[([7], [3]), ([5], [5]), ([5], [9]), ([2, 6], [4, -1]), ([3], [0]), ([], [2]), ([3, 4], [2, 2])])
    widely(f, "unbind", [-1], functions=both, others=[([3, 2], []), ([2, 0], [0]), ([2, 0], [1]), ([], []), ([3], [1])])
    widely(f, "tensor_split", [3, 1], functions=both, others=[([7], [[2, 5]]), ([7], [0])])
    widely(f, "unflatten", [1, [2, -1]], functions=both, others=[([6], [0, [3, 2]]), ([6], [-1, [-1]]), ([6], [0, [4, 2]]), ([6], [1, [2, 3]])])


def alike(f):
    for dtype in DTYPES:
        f.case("expand_as", "Tensor.expand_as", [f.make("x", [3, 1], dtype, "c", "any", True), f.make("y", [2, 3, 4])])
        f.case("view_as", "Tensor.view_as", [f.make("x", [3, 4], dtype, "c", "any", True), f.make("y", [2, 6])])
    for shape, layout in LAYOUTS:
        f.case("expand_as", "Tensor.expand_as", [f.make("x", shape, F32, layout, "any", True), f.make("y", [2, *shape])])
    f.case("expand_as", "Tensor.expand_as", [f.make("x", [3, 4]), f.make("y", [4, 3])])
    f.case("view_as", "Tensor.view_as", [f.make("x", [3, 4], F32, "t"), f.make("y", [2, 6])])
    f.case("view_as", "Tensor.view_as", [f.make("x", [3, 4]), f.make("y", [2, 5])])
    f.case("view_as", "Tensor.view_as", [f.make("x", [0, 4], F32, "c", "any", True), f.make("y", [2, 0])])
    widely(f, "broadcast_to", [[2, 3, 4]], functions=("Tensor", "torch"), others=[([], [[2, 3]]), ([1], [[0]]), ([3], [[4]])])
    widely(f, "swapaxes", [0, 1], functions=("Tensor", "torch"), others=[([2, 3, 4], [0, -1]), ([], [0, -1]), ([3], [0, 1])])
    widely(f, "as_strided", [[2, 2], [1, 2], 1], functions=("Tensor",), others=[([6], [[3], [2]]), ([6], [[2, 3], [0, 1]]), ([6], [[4, 2], [1, 1], 1]), ([6], [[], []]), ([6], [[7], [1]]), ([6], [[2], [-1]])])
    for dtype in DTYPES:
        f.case("swapaxes_", "Tensor.swapaxes_", [f.make("x", [3, 4], dtype, "s", "any", True), 0, 1], clone=True, strides=True)
        f.case("as_strided_", "Tensor.as_strided_", [f.make("x", [3, 4], dtype, "c", "any", True), [2, 2], [1, 5], 1], clone=True, strides=True)
    f.case("as_strided_", "Tensor.as_strided_", [f.make("x", [3, 4]), [5, 5], [4, 1]])
    for op in ("atleast_1d", "atleast_2d", "atleast_3d"):
        for dtype in DTYPES:
            f.case(op, f"torch.{op}", [f.make(op, [3], dtype, "c", "any", True)])
            f.case(op, f"torch.{op}", [f.make(op, [], dtype, "c", "any", True)])
        f.case(op, f"torch.{op}", [f.make(op, [3, 4], F64, "s", "any", True)], double=True)
    for dtype in DTYPES:
        f.case("meshgrid", "torch.meshgrid", [[f.make("a", [3], dtype, "c", "any", True), f.make("b", [2], dtype, "s", "any", True)]], {"indexing": "ij"})


def by_index(f):
    where = L([2, 0, 2])
    for dtype in DTYPES:
        x, source = f.make("x", [3, 4], dtype, "c", "any", True), f.make("src", [3, 4], dtype, "t", "any", True)
        f.case("index_add", "Tensor.index_add", [x, 0, where, source])
        f.case("index_add", "Tensor.index_add_", [x, 0, where, source], clone=True)
        f.case("index_add", "torch.index_add", [x, 0, where, source], {"alpha": 2})
        cells = L([[0, 2, 1], [1, 3, 0]])
        # No cell twice: which of two sources wins is nobody's promise.
        f.case("scatter", "Tensor.scatter", [x, 1, cells, f.make("src", [2, 3], dtype, "c", "any", True)])
        f.case("scatter", "torch.scatter", [x, 1, cells, 1])
        f.case("scatter", "Tensor.scatter_", [x, 1, cells, f.make("src", [2, 3], dtype, "s", "any", True)], clone=True)
        f.case("take_along_dim", "torch.take_along_dim", [x, L([[0, 2], [1, 1], [3, 0]]), 1])
    for shape, layout in LAYOUTS:
        rows = torch.arange(shape[0]).flip(0)
        x, source = f.make("x", shape, F32, layout, "any", True), f.make("src", shape, F32, layout, "any", True)
        f.case("index_add", "Tensor.index_add", [x, 0, rows, source], {"alpha": -0.5})
        cells = rows.unsqueeze(1).expand(shape).contiguous()
        f.case("scatter", "Tensor.scatter", [x, 0, cells, source])
        f.case("take_along_dim", "Tensor.take_along_dim", [x, cells, 0])
    x, source = f.make("x", [3, 4], F64, "s", "any", True), f.make("src", [3, 4], F64, "t", "any", True)
    f.case("index_add", "torch.index_add", [x, 0, L([2, 0, 1]), source], {"alpha": 1.5}, double=True)
    f.case("scatter", "torch.scatter", [x, 1, L([[0, 2, 1], [1, 3, 0]]), f.make("src", [2, 3], F64, "c", "any", True)], double=True)
    f.case("scatter", "torch.scatter", [x, 1, L([[0, 2, 1], [1, 3, 0]]), 2.5], double=True)
    f.case("take_along_dim", "torch.take_along_dim", [x, L([[0, 2], [1, 1], [3, 0]]), 1], double=True)
    f.case("take_along_dim", "torch.take_along_dim", [x, L([5, 0, 11])], double=True)


def orders(f):
    for dtype in DTYPES:
        x = f.make("x", [4, 5], dtype, "t", "any")
        f.case("argsort", "torch.argsort", [x], {"dim": 0, "stable": True})
        f.case("nonzero", "torch.nonzero", [f.make("n", [4, 5], dtype, "t", "ties")])
        f.case("nonzero", "torch.nonzero", [f.make("n", [4, 5], dtype, "s", "ties")], {"as_tuple": True})
        edges = f.make("e", [6], dtype, "c", "any").sort().values
        f.case("bucketize", "torch.bucketize", [x, edges])
        f.case("searchsorted", "torch.searchsorted", [edges, x], {"right": True})
        f.case("one_hot", "nn.functional.one_hot", [torch.randint(0, 4, [3, 2], generator=f.gen("hot")).to(dtype), 4])
    for s in ([], [0], [2, 0, 3], [7]):
        x = f.make("x", s)
        f.case("argsort", "torch.argsort", [x], {"stable": True})
        f.case("nonzero", "torch.nonzero", [x])
        f.case("nonzero", "torch.nonzero", [x], {"as_tuple": True})
    for op, shapes in (("mv", ([3, 4], [4])), ("dot", ([5], [5]))):
        for dtype in DTYPES:
            f.case(op, f"torch.{op}", [f.make(f"{op}{i}", s, dtype, "s", "any", True) for i, s in enumerate(shapes)])
        f.case(op, f"Tensor.{op}", [f.make(f"{op}{i}", s, F64, "c", "any", True) for i, s in enumerate(shapes)], double=True)
        f.case(op, f"Tensor.{op}", [f.make(f"{op}{i}", [0 if n == shapes[1][0] else n for n in s], F32, "c", "any", True) for i, s in enumerate(shapes)])
    for dtype in DTYPES:
        f.case("softmin", "nn.functional.softmin", [f.make("x", [3, 4], dtype, "t", "any", True), 1])
        f.case("isclose", "torch.isclose", [f.make("x", [3, 4], dtype), f.make("y", [4], dtype)])


def record():
    f = Family("everyday")
    for part in (pieces, alike, by_index, orders):
        part(f)
    return [f]
