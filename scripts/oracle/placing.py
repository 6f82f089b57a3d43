"""Picking and placing by masks and positions: masked_select, masked_scatter, take, put, index_copy, index_fill, scatter with a reduction, one_hot."""

import torch

from .encode import DTYPES
from .recorder import Family

F32, F64 = torch.float32, torch.float64
L = torch.tensor
SHAPES = [([], "c"), ([0], "c"), ([5], "c"), ([3, 4], "t"), ([2, 3, 4], "s"), ([3, 4], "e"), ([2, 0, 3], "c"), ([3, 4], "n")]


def both(f, op, args, kwargs=None, double=False):
    """The functional form, and the in-place form of a leaf that requires grad."""
    f.case(op, f"Tensor.{op}", args, kwargs, double=double)
    f.case(op + "_", f"Tensor.{op}_", args, kwargs, clone=True, double=double)


def masks(f):
    bools = lambda *s, layout="c": f.make("mask", list(s), torch.bool, layout)
    op = "masked_select"
    pairs = [([], []), ([5], [5]), ([3, 4], [4]), ([3, 4], [3, 1]), ([4], [3, 4]), ([2, 3, 4], [3, 4]), ([], [3]), ([3], []), ([0], [0]), ([2, 0], [2, 1])]
    for shape, mshape in pairs:
        for layout in "ct":
            f.case(op, "torch.masked_select", [f.make(op, shape, F32, layout, "any", True), bools(*mshape, layout=layout)])
    for dtype in DTYPES:
        f.case(op, "Tensor.masked_select", [f.make(op, [3, 4], dtype, "s", "any", True), bools(3, 4)])
    f.case(op, "Tensor.masked_select", [f.make(op, [3, 4], F64, "c", "any", True), bools(3, 4)], double=True)
    f.case(op, "Tensor.masked_select", [f.make(op, [3, 4], F64, "c", "any", True), bools(2, 1, 4)], double=True)
    for bad in (torch.ones(3, 4), torch.ones(3, 4, dtype=torch.uint8), bools(5)):
        f.case(op, "Tensor.masked_select", [f.make(op, [3, 4]), bad])
    op = "masked_scatter"
    for shape, mshape in pairs:
        for layout in "ct":
            x = f.make(op, shape, F32, layout, "any", True)
            m = bools(*mshape, layout=layout)
            n = torch.broadcast_to(m, torch.broadcast_shapes(m.shape, x.shape)).sum().item()
            for extra in (0, 3):
                f.case(op, "Tensor.masked_scatter", [x, m, f.make("src", [n + extra], F32, "c", "any", True)])
                if torch.broadcast_shapes(m.shape, x.shape) == x.shape:
                    f.case(op + "_", "Tensor.masked_scatter_", [x, m, f.make("src", [n + extra], F32, "s", "any", True)], clone=True)
                    f.case(op + "_", "Tensor.masked_scatter_", [x.detach(), m, f.make("src", [n + extra], F32)])
    for dtype in DTYPES:
        both(f, op, [f.make(op, [3, 4], dtype, "s", "any", True), bools(3, 4), f.make("src", [3, 5], dtype, "t", "any", True)])
    both(f, op, [f.make(op, [3, 4], F64, "c", "any", True), bools(3, 4), f.make("src", [3, 5], F64, "c", "any", True)], double=True)
    f.case(op, "Tensor.masked_scatter", [f.make(op, [3, 4]), bools(3, 4), f.make("src", [2])])
    f.case(op, "Tensor.masked_scatter", [f.make(op, [3, 4]), bools(3, 4), f.make("src", [0])])
    f.case(op, "Tensor.masked_scatter", [f.make(op, [3, 4]), torch.zeros(3, 4, dtype=torch.bool), f.make("src", [0])])
    for m, s in ((torch.ones(3, 4), torch.rand(12)), (torch.ones(3, 4, dtype=torch.uint8), torch.rand(12)), (bools(3, 4), torch.rand(12).double()), (bools(5), torch.rand(12))):
        f.case(op, "Tensor.masked_scatter", [f.make(op, [3, 4]), m, s])


def flat(f):
    op = "take"
    for shape, layout in SHAPES:
        n = 1
        for s in shape:
            n *= s
        for index in (L([], dtype=torch.int64), L([0, n - 1, -1]) if n else L([0]), L([[0, -n], [n // 2, 0]]) if n else L([[0]]), L(0)):
            f.case(op, "torch.take", [f.make(op, shape, F32, layout, "any", True), index])
            src = f.make("src", list(index.shape), F32, "c", "any", True)
            if layout != "e" and len(set((index.reshape(-1) % max(n, 1)).tolist())) == index.numel():
                both(f, "put", [f.make("put", shape, F32, layout, "any", True), index, src])
                f.case("put_", "Tensor.put_", [f.make("put", shape, F32, layout), index, src.detach()])
            both(f, "put", [f.make("put", shape, F32, "c" if layout == "e" else layout, "any", True), index, src], {"accumulate": True})
    for dtype in DTYPES:
        f.case(op, "Tensor.take", [f.make(op, [3, 4], dtype, "t", "any", True), L([1, 5, 5])])
        both(f, "put", [f.make(op, [3, 4], dtype, "t", "any", True), L([1, 5]), f.make("src", [2], dtype, "c", "any", True)])
        both(f, "put", [f.make(op, [3, 4], dtype, "c", "any", True), L([1, 5, 5]), f.make("src", [3], dtype, "c", "any", True)], {"accumulate": True})
    f.case(op, "Tensor.take", [f.make(op, [3, 4], F64, "t", "any", True), L([1, 5, 5])], double=True)
    both(f, "put", [f.make(op, [3, 4], F64, "t", "any", True), L([1, 5]), f.make("src", [2], F64, "c", "any", True)], double=True)
    both(f, "put", [f.make(op, [3, 4], F64, "t", "any", True), L([1, 5, 1]), f.make("src", [3], F64, "c", "any", True)], {"accumulate": True}, double=True)
    for bad in (L([0, 12]), L([-13]), L([0.0]), L([0], dtype=torch.int32)):
        f.case(op, "torch.take", [f.make(op, [3, 4]), bad])
        f.case("put", "torch.put", [f.make(op, [3, 4]), bad, f.make("src", list(bad.shape))])
    f.case("put", "torch.put", [f.make(op, [3, 4]), L([0, 1]), f.make("src", [3])])
    f.case("put", "torch.put", [f.make(op, [3, 4]), L([0, 1]), f.make("src", [2], F64)])
    op = "take_along_dim"
    for shape, index, dim in (([3, 4], L([0, 11]), None), ([3, 4], L([[0, 1]]), 1), ([3, 4], L([[0], [3], [2]]), 1), ([3, 4], L([[2]]), 0), ([3, 1], L([[2, 0, 1]]), 0), ([5], L([4, 0]), -1),
                              ([3, 4], L([0]), 1), ([3, 4], L([[0.0]]), 0), ([3, 4], L([[0]], dtype=torch.int32), 0), ([3, 4], torch.zeros(2, 5, dtype=torch.int64), 0), ([3, 4], L([[0]]), 2)):  # fmt: skip
        f.case(op, "torch.take_along_dim", [f.make(op, shape, F32, "t", "any", True), index, dim])
    f.case(op, "torch.take_along_dim", [f.make(op, [3, 4], F64, "c", "any", True), L([[2], [0], [0]]), 1], double=True)


def slices(f):
    op = "index_copy"
    for shape, layout, dim, index, sshape in [([5], "c", 0, L([0, 3]), [2]), ([3, 4], "t", 1, L([2, 0]), [3, 2]), ([2, 3, 4], "s", 1, L([2]), [2, 1, 4]), ([], "c", 0, L([0]), []), ([], "c", 0, L([0]), [1]),
                                              ([5], "c", 0, L(2), []), ([3, 4], "n", -2, L(1), [1, 4]), ([3, 4], "c", 0, L([], dtype=torch.int64), [0, 4]), ([2, 0], "c", 0, L([1]), [1, 0])]:  # fmt: skip
        both(f, op, [f.make(op, shape, F32, layout, "any", True), dim, index, f.make("src", sshape, F32, "t", "any", True)])
        f.case(op + "_", f"Tensor.{op}_", [f.make(op, shape, F32, layout), dim, index, f.make("src", sshape)])
    for dtype in DTYPES:
        both(f, op, [f.make(op, [3, 4], dtype, "t", "any", True), 1, L([3, 0]), f.make("src", [3, 2], dtype, "c", "any", True)])
    both(f, op, [f.make(op, [3, 4], F64, "t", "any", True), 1, L([3, 0]), f.make("src", [3, 2], F64, "c", "any", True)], double=True)
    x = f.make(op, [3, 4])
    for index, src, dim in ((L([0, 3]), [2, 4], 0), (L([0, -1]), [2, 4], 0), (L([[0, 2]]), [2, 4], 0), (L([0.0, 2]), [2, 4], 0), (L([0, 2], dtype=torch.int32), [2, 4], 0), (L([0, 2]), [2, 5], 0),
                            (L([0, 2]), [3, 4], 0), (L([0, 2]), [3], 0), (L([0]), [], 0), (L([0]), [1, 4], 2), (L([0, 1]), [], 0)):  # fmt: skip
        f.case(op, "torch.index_copy", [x, dim, index, f.make("src", src)])
    f.case(op, "torch.index_copy", [x, 0, L([0]), f.make("src", [1, 4], F64)])
    op = "index_fill"
    for shape, layout, dim, index in [([5], "c", 0, L([0, 3])), ([3, 4], "t", 1, L([2, -1, 2])), ([2, 3, 4], "s", -2, L([2])), ([], "c", 0, L([0])), ([3, 4], "n", 0, L(1)), ([3, 4], "c", 0, L([], dtype=torch.int64)),
                                      ([2, 0], "c", 0, L([1]))]:  # fmt: skip
        for value in (2, -1.5, L(0.25, requires_grad=True)):
            # The gradient of a tensor does not take negative positions.
            at = index % shape[dim] if isinstance(value, torch.Tensor) and shape else index
            both(f, op, [f.make(op, shape, F32, layout, "any", True), dim, at, value])
            if not isinstance(value, torch.Tensor):
                f.case(op + "_", f"Tensor.{op}_", [f.make(op, shape, F32, layout), dim, index, value])
    for dtype in DTYPES:
        both(f, op, [f.make(op, [3, 4], dtype, "t", "any", True), 1, L([3, 0]), 1])
        both(f, op, [f.make(op, [3, 4], dtype, "t", "any", True), 1, L([3, 0]), L(3).to(dtype)])
    both(f, op, [f.make(op, [3, 4], F64, "t", "any", True), 1, L([3, 0]), L(0.25, dtype=F64, requires_grad=True)], double=True)
    i8 = f.make(op, [3, 4], torch.int8)
    for x_, dim, index, value in ((x, 0, L([0, 2]), L([1.0])), (x, 0, L([0, 3]), 1), (x, 0, L([-4]), 1), (x, 0, L([0], dtype=torch.int32), 1), (x, 0, L([[0]]), 1), (x, 2, L([0]), 1), (i8, 0, L([0]), 1000), (i8, 0, L([0]), 1.5)):
        f.case(op, "torch.index_fill", [x_, dim, index, value])


def scatters(f):
    i = lambda key, shape, high: torch.randint(0, high, shape, generator=f.gen("idx", key, tuple(shape), high))
    op = "scatter"
    for how in ("add", "multiply"):
        for shape, dim, ishape, layout in [([5], 0, [7], "c"), ([3, 4], 0, [5, 4], "t"), ([2, 3, 4], 1, [2, 5, 3], "s"), ([], 0, [], "c"), ([5], 0, [0], "c")]:
            high = shape[dim] if shape else 1
            for src in (f.make("src", ishape), 2.5):
                f.case(op, "torch.scatter", [f.make(op, shape, F32, layout), dim, i(op, ishape, high), src], {"reduce": how})
                f.case(op, "Tensor.scatter_", [f.make(op, shape, F32, layout), dim, i(op, ishape, high), src], {"reduce": how})
        for dtype in DTYPES:
            f.case(op, "Tensor.scatter", [f.make(op, [3, 4], dtype), 1, i(op, [3, 6], 4), f.make("src", [3, 6], dtype)], {"reduce": how})
            f.case(op, "Tensor.scatter_", [f.make(op, [3, 4], dtype), 1, i(op, [3, 6], 4), 3], {"reduce": how})
    f.case(op, "torch.scatter", [f.make(op, [3, 4]), 1, L([[0, 1]]), f.make("src", [1, 2])], {"reduce": "amax"})
    f.case(op, "torch.scatter", [f.make(op, [3, 4]), 1, L([[0, 1]]), 2], {"reduce": "foo"})
    op = "scatter_reduce"
    for how in ("sum", "prod", "mean", "amax", "amin"):
        for include in (True, False):
            kw = {"reduce": how, "include_self": include}
            for shape, dim, ishape, layout in [([5], 0, [7], "c"), ([3, 4], 0, [5, 4], "t"), ([2, 3, 4], 1, [2, 5, 3], "s"), ([], 0, [], "c"), ([5], 0, [0], "c"), ([3, 4], -1, [2, 9], "n")]:
                high = shape[dim] if shape else 1
                f.case(op, "torch.scatter_reduce", [f.make(op, shape, F32, layout, "nonzero", True), dim, i(op, ishape, high), f.make("src", ishape, F32, "c", "nonzero", True)], kw)
                f.case(op + "_", "Tensor.scatter_reduce_", [f.make(op, shape, F32, layout), dim, i(op, ishape, high), f.make("src", ishape, F32, "t")], kw)
            f.case(op + "_", "Tensor.scatter_reduce_", [f.make(op, [3, 4], F32, "c", "nonzero", True), 1, i(op, [3, 6], 4), f.make("src", [3, 6], F32, "c", "nonzero", True)], kw, clone=True)
            f.case(op, "Tensor.scatter_reduce", [f.make(op, [3, 4], F32, "c", "ties", True), 1, i(op, [3, 6], 4), f.make("src", [3, 6], F32, "c", "ties", True)], kw, tag="ties")
            if how != "prod" or include:
                f.case(op, "Tensor.scatter_reduce", [f.make(op, [3, 4], F64, "c", "nonzero", True), 1, i(op, [3, 6], 4), f.make("src", [3, 6], F64, "c", "nonzero", True)], kw, double=True)
            for dtype in DTYPES:
                f.case(op, "Tensor.scatter_reduce", [f.make(op, [3, 4], dtype, "c", "ties"), 1, i(op, [3, 6], 4), f.make("src", [3, 6], dtype, "c", "any")], kw)
    x = f.make(op, [3, 4])
    nan = L([[1.0, float("nan"), 2.0, 3.0]])
    for how in ("amax", "amin"):
        f.case(op, "Tensor.scatter_reduce", [torch.zeros(1, 2), 1, L([[0, 0, 1, 1]]), nan], {"reduce": how})
    for index, src, how in ((L([[0, 1]]), f.make("src", [1, 2]), "foo"), (L([[0, 9]]), f.make("src", [1, 2]), "sum"), (L([[0, 1]]), f.make("src", [1, 2], F64), "sum"), (L([[0, 1]]), f.make("src", [1, 1]), "sum"),
                            (L([[0.0, 1]]), f.make("src", [1, 2]), "sum"), (L([0, 1]), f.make("src", [2]), "sum")):  # fmt: skip
        f.case(op, "torch.scatter_reduce", [x, 1, index, src, how])
    for shape, layout in SHAPES:
        x = f.make("nonzero", shape, F32, layout, "ties")
        f.case("nonzero", "torch.nonzero", [x], {"as_tuple": True})
        f.case("nonzero", "torch.argwhere", [x])
    op = "one_hot"
    for args in ([L([0, 2])], [L([0, 2]), 2], [L([0, 2]), 5], [L([0, -2]), 5], [L([0, -2])], [L([0.0, 2])], [L([0, 2], dtype=torch.int32)], [L([], dtype=torch.int64)], [L([], dtype=torch.int64), 3],
                 [L([], dtype=torch.int64), -2], [L([1]), 0], [L(1), 3], [L([[0, 1], [3, 1]])], [L([[0, 1], [3, 1]]).t(), 6]):  # fmt: skip
        f.case(op, "nn.functional.one_hot", args)


def record():
    f = Family("placing")
    masks(f)
    flat(f)
    slices(f)
    scatters(f)
    return [f]
