"""index and index_put_ with every index form, gather, scatter_add, index_select, embedding, embedding_bag.

Index lists are ours (and C++'s): ':' is slice(None), '...' is Ellipsis, Slice a slice, null None, true/false a bool, then ints and tensors.
x.index(list) is Python's x[tuple(list)], x.index_put_(list, value) is x[tuple(list)] = value.
"""

import torch

from .encode import DTYPES, FLOATS
from .recorder import Family

F32, F64 = torch.float32, torch.float64
ALL = slice(None)
L = torch.tensor


def forms(f):
    """Shape, index list."""
    mask = lambda *s: f.make("mask", list(s), torch.bool)
    return [
        ([5], [2]), ([5], [-1]), ([5], [ALL]), ([5], [slice(1, 4)]), ([5], [slice(None, None, 2)]), ([5], [slice(-3, None)]), ([5], [slice(4, 2)]), ([5], [slice(1, 100)]), ([5], [None]),
        ([5], [...]), ([5], [None, slice(1, 3), None]), ([], [...]), ([], [None]), ([3, 4], [1]), ([3, 4], [1, 2]), ([3, 4], [ALL, 1]), ([3, 4], [..., 1]), ([3, 4], [1, ...]), ([3, 4], [..., 1, ALL]),
        ([2, 3, 4], [0, ..., slice(1, 3)]), ([2, 3, 4], [..., None]), ([2, 3, 4], [ALL, 1, slice(None, None, 3)]), ([2, 3, 4], [slice(1, None), None, 0]),
        ([5], [L([0, 2, 2, 4])]), ([5], [L([-1, -5])]), ([5], [L(3)]), ([5], [L([], dtype=torch.int64)]), ([5], [L([[0, 1], [3, 4]])]), ([5], [L([0, 2], dtype=torch.int32)]), ([5], [[0, 3]]),
        ([3, 4], [L([0, 2, 1])]), ([3, 4], [L([0, 2]), L([1, 3])]), ([3, 4], [L([[0], [2]]), L([1, 3])]), ([3, 4], [ALL, L([3, 0, 3])]), ([3, 4], [1, L([0, 2])]), ([3, 4], [L([0, 2]), 1]),
        ([3, 4], [L([0, 2]), slice(1, 3)]), ([3, 4], [slice(1, 3), L([0, 2])]), ([3, 4], [None, L([0, 2])]), ([3, 4], [L([0, 2]), None]), ([3, 4], [..., L([0, 2])]), ([3, 4], [L(1), L(2)]),
        ([2, 3, 4], [L([0, 1]), ALL, L([0, 3])]), ([2, 3, 4], [ALL, L([0, 2]), L([0, 3])]), ([2, 3, 4], [L([0, 1]), L([0, 2]), L([0, 3])]), ([2, 3, 4], [0, ALL, L([0, 3])]), ([2, 3, 4], [L([0, 1]), ..., L([0, 3])]),
        ([2, 3, 4], [L([0, 1]), None, L([1, 2])]), ([2, 3, 4], [slice(0, 1), L([[0, 2], [1, 1]])]), ([2, 3, 4], [ALL, L([0, 2]), slice(None, None, 2)]),
        ([5], [mask(5)]), ([3, 4], [mask(3, 4)]), ([3, 4], [mask(3)]), ([3, 4], [ALL, mask(4)]), ([2, 3, 4], [mask(2, 3)]), ([2, 3, 4], [mask(2), ALL, L([1, 2])][0:2]), ([2, 3, 4], [ALL, mask(3, 4)]), ([2, 3, 4], [0, mask(3)]),
        ([5], [torch.zeros(5, dtype=torch.bool)]), ([3, 4], [mask(3), L([1])]), ([5], [True]), ([5], [False]), ([3], [L(True)]), ([0], [L([], dtype=torch.int64)]), ([0, 3], [ALL, L([1, 2])]),
    ]  # fmt: skip


BAD = [
    ([5], [5]), ([5], [-6]), ([], [0]), ([3, 4], [0, 0, 0]), ([5], [L([0, 5])]), ([5], [L([-6])]), ([3, 4], [ALL, L([0, 4])]), ([5], [torch.tensor([True, False])]), ([5], [L([0.5])]),
    ([3, 4], [L([0, 1]), L([0, 1, 2])]), ([3, 4], [torch.ones(3, 3, dtype=torch.bool)]), ([5], [slice(None, None, -1)]), ([5], [slice(None, None, 0)]), ([0], [L([0])]),
]  # fmt: skip


def indexing(f):
    all_forms = forms(f)
    for shape, idx in all_forms:
        f.case("index", "Tensor.index", [f.make("index", shape, F32, "c", "any", True), idx])
    for shape, idx in all_forms[::3]:
        f.case("index", "Tensor.index", [f.make("index", shape, F32, "s" if shape else "c", "any", True), idx])
        f.case("index", "Tensor.index", [f.make("index", shape, F32, "t", "any"), idx])
    for shape, idx in all_forms[::4]:
        f.case("index", "Tensor.index", [f.make("index", shape, F64, "c", "any", True), idx], double=True)
    for dtype in DTYPES:
        f.case("index", "Tensor.index", [f.make("index", [5, 3], dtype, "c", "any", True), [L([0, 4, 4])]])
        f.case("index", "Tensor.index", [f.make("index", [5], dtype), [f.make("mask", [5], torch.bool)]])
        f.case("index", "Tensor.index", [f.make("index", [5, 3], dtype), [ALL, slice(1, 3)]])
    for shape, idx in BAD:
        # PyTorch moves the indexed dimensions to the front before it numbers them, and has another text for a size of 0.
        loose = "out of bounds for dimension" if ALL in idx else "out of bounds for" if shape == [0] else None
        loose = loose and ("index 4 is " if ALL in idx else "") + loose
        f.case("index", "Tensor.index", [f.make("index", shape), idx], match=loose)
        f.case("index_put_", "Tensor.index_put_", [f.make("index", shape), idx, 1.0], match=loose)
    op = "index_put_"
    for shape, idx in all_forms:
        x = f.make(op, shape)
        got = x[tuple(idx)]
        # distinct targets only: with repeated ones the last write wins in no certain order
        where = torch.arange(x.numel()).reshape(x.shape)[tuple(idx)].reshape(-1)
        unique = where.unique().numel() == where.numel()
        f.case(op, "Tensor.index_put_", [f.make(op, shape), idx, 2.5])
        if unique:
            f.case(op, "Tensor.index_put_", [f.make(op, shape), idx, f.make("value", list(got.shape))])
            if got.dim() > 0:
                f.case(op, "Tensor.index_put_", [f.make(op, shape), idx, f.make("value", list(got.shape[-1:]))])
            f.case(op, "Tensor.index_put_", [f.make(op, shape, F32, "c", "any", True), idx, f.make("value", list(got.shape), F32, "c", "any", True)], clone=True)
        f.case(op, "Tensor.index_put_", [f.make(op, shape, F32, "c", "any", True), idx, f.make("value", list(got.shape), F32, "c", "any", True)], {"accumulate": True}, clone=True)
        f.case(op, "Tensor.index_put_", [f.make(op, shape), idx, f.make("value", [])], {"accumulate": True})
    for shape, idx in all_forms[1::4]:
        got = f.make(op, shape)[tuple(idx)]
        for layout in "ts":
            f.case(op, "Tensor.index_put_", [f.make(op, shape, F32, layout), idx, -3.0])
        f.case(op, "Tensor.index_put_", [f.make(op, shape, F64, "c", "any", True), idx, f.make("value", list(got.shape), F64, "c", "any", True)], {"accumulate": True}, clone=True, double=True)
    f.case(op, "Tensor.index_put_", [f.make(op, [3, 4], F64, "c", "any", True), [L([0, 2])], f.make("value", [2, 4], F64, "c", "any", True)], clone=True, double=True)
    for dtype in DTYPES:
        f.case(op, "Tensor.index_put_", [f.make(op, [5, 2], dtype), [L([0, 3])], f.make("value", [2, 2], dtype)])
        f.case(op, "Tensor.index_put_", [f.make(op, [5, 2], dtype), [L([0, 3, 0])], f.make("value", [3, 2], dtype)], {"accumulate": True})
        f.case(op, "Tensor.index_put_", [f.make(op, [5], dtype), [slice(1, 3)], 1])
        f.case(op, "Tensor.index_put_", [f.make(op, [5], dtype), [f.make("mask", [5], torch.bool)], 1])
    f.case(op, "Tensor.index_put_", [f.make(op, [5]), [L([0, 3])], f.make("value", [2], F64)])
    f.case(op, "Tensor.index_put_", [f.make(op, [5]), [L([0, 3])], f.make("value", [3])])
    f.case(op, "Tensor.index_put_", [f.make(op, [5]), [slice(0, 3)], f.make("value", [2])])
    f.case(op, "Tensor.index_put_", [f.make(op, [5, 2]), [L([0, 3])], f.make("value", [3, 2])])


def gathering(f):
    i = lambda key, shape, high, dtype=torch.int64: torch.randint(0, high, shape, generator=f.gen("idx", key, tuple(shape), high)).to(dtype)
    op = "gather"
    for shape, dim, ishape, layout in [([5], 0, [3], "c"), ([3, 4], 0, [2, 4], "c"), ([3, 4], 1, [3, 6], "t"), ([2, 3, 4], 1, [2, 5, 3], "s"), ([3, 4], -1, [2, 2], "e"), ([], 0, [], "c"), ([5], 0, [0], "c"),
                                       ([2, 3, 4], 2, [2, 3, 1], "n"), ([5], 0, [], "c"), ([0, 3], 1, [0, 2], "c")]:  # fmt: skip
        high = shape[dim] if shape else 1
        f.case(op, "torch.gather", [f.make(op, shape, F32, layout, "any", True), dim, i(op, ishape, high)])
    f.case(op, "Tensor.gather", [f.make(op, [3, 4], F64, "c", "any", True), 1, i(op, [3, 6], 4)], double=True)
    f.case(op, "Tensor.gather", [f.make(op, [3, 4], F32, "c", "any", True), 1, i(op, [6, 3], 4).t()])
    f.case(op, "torch.gather", [f.make(op, [3, 4])], {"dim": 1, "index": i(op, [3, 2], 4)})
    for dtype in DTYPES:
        f.case(op, "torch.gather", [f.make(op, [3, 4], dtype, "c", "any", True), 1, i(op, [3, 2], 4)])
    f.case(op, "torch.gather", [f.make(op, [3, 4]), 1, i(op, [3, 2], 4, torch.int32)])
    f.case(op, "torch.gather", [f.make(op, [3, 4]), 1, L([[0, 4]])])
    f.case(op, "torch.gather", [f.make(op, [3, 4]), 1, L([[0, -1]])])
    f.case(op, "torch.gather", [f.make(op, [3, 4]), 1, i(op, [4, 2], 4)])
    f.case(op, "torch.gather", [f.make(op, [3, 4]), 1, i(op, [3], 4)])
    f.case(op, "torch.gather", [f.make(op, [3, 4]), 2, i(op, [3, 2], 4)])
    f.case(op, "torch.gather", [f.make(op, [3, 4]), 1, torch.zeros(3, 2)])

    op = "scatter_add"
    for shape, dim, ishape, layout in [([5], 0, [7], "c"), ([3, 4], 0, [5, 4], "c"), ([3, 4], 1, [3, 6], "t"), ([2, 3, 4], 1, [2, 5, 3], "s"), ([3, 4], -1, [2, 2], "e"), ([], 0, [], "c"), ([5], 0, [0], "c"),
                                       ([2, 3, 4], 2, [2, 3, 1], "n")]:  # fmt: skip
        high = shape[dim] if shape else 1
        idx = i(op, ishape, high)
        f.case(op, "torch.scatter_add", [f.make(op, shape, F32, layout, "any", True), dim, idx, f.make("src", ishape, F32, "c", "any", True)])
        if layout != "e":
            f.case(op, "Tensor.scatter_add_", [f.make(op, shape, F32, layout), dim, idx, f.make("src", ishape, F32, "t")])
            f.case(op, "Tensor.scatter_add_", [f.make(op, shape, F32, layout, "any", True), dim, idx, f.make("src", ishape, F32, "t", "any", True)], clone=True)
    f.case(op, "Tensor.scatter_add", [f.make(op, [3, 4], F64, "c", "any", True), 1, i(op, [3, 6], 4), f.make("src", [3, 6], F64, "c", "any", True)], double=True)
    f.case(op, "Tensor.scatter_add", [f.make(op, [3, 4], F32, "c", "any", True), 1, i(op, [2, 3], 4), f.make("src", [3, 6])])
    for dtype in DTYPES:
        f.case(op, "torch.scatter_add", [f.make(op, [3, 4], dtype, "c", "any", True), 0, i(op, [3, 4], 3), f.make("src", [3, 4], dtype, "c", "any", True)])
    f.case(op, "torch.scatter_add", [f.make(op, [3, 4]), 0, i(op, [3, 4], 3), f.make("src", [3, 4], F64)])
    f.case(op, "torch.scatter_add", [f.make(op, [3, 4]), 0, L([[0, 3]]), f.make("src", [1, 2])])
    f.case(op, "torch.scatter_add", [f.make(op, [3, 4]), 0, i(op, [3, 4], 3), f.make("src", [2, 4])])
    f.case(op, "torch.scatter_add", [f.make(op, [3, 4]), 0, i(op, [3, 4], 3, torch.int32), f.make("src", [3, 4])])
    f.case(op, "torch.scatter_add", [f.make(op, [3, 4]), 0, i(op, [3], 3), f.make("src", [3])])

    op = "index_select"
    for shape, dim, n, layout in [([5], 0, 3, "c"), ([3, 4], 0, 5, "c"), ([3, 4], 1, 2, "t"), ([2, 3, 4], 1, 4, "s"), ([3, 4], -1, 3, "e"), ([], 0, 1, "c"), ([5], 0, 0, "c"), ([2, 3, 4], 2, 3, "n"), ([0, 3], 1, 2, "c")]:
        high = shape[dim] if shape else 1
        f.case(op, "torch.index_select", [f.make(op, shape, F32, layout, "any", True), dim, i(op, [n], high)])
    f.case(op, "Tensor.index_select", [f.make(op, [3, 4], F64, "c", "any", True), 1, i(op, [6], 4)], double=True)
    f.case(op, "Tensor.index_select", [f.make(op, [3, 4], F32, "c", "any", True), 1, L(2)])
    f.case(op, "Tensor.index_select", [f.make(op, [3, 4], F32, "c", "any", True), 1, i(op, [3], 4, torch.int32)])
    for dtype in DTYPES:
        f.case(op, "torch.index_select", [f.make(op, [3, 4], dtype, "c", "any", True), 0, i(op, [5], 3)])
    f.case(op, "torch.index_select", [f.make(op, [3, 4]), 0, L([0, 3])])
    f.case(op, "torch.index_select", [f.make(op, [3, 4]), 0, L([-1])])
    f.case(op, "torch.index_select", [f.make(op, [3, 4]), 2, L([0])])
    f.case(op, "torch.index_select", [f.make(op, [3, 4]), 0, L([[0]])])
    f.case(op, "torch.index_select", [f.make(op, [3, 4]), 0, L([0.0])])


def bag(ids, weight, offsets, mode="mean", per_sample_weights=None, scale_grad_by_freq=False):
    """embedding_bag from differentiable parts: PyTorch has no double backward of it."""
    rows = torch.nn.functional.embedding(ids, weight, scale_grad_by_freq=scale_grad_by_freq)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights[:, None]
    ends = offsets.tolist()[1:] + [ids.numel()]
    out = []
    for begin, end in zip(offsets.tolist(), ends):
        part = rows[begin:end]
        out.append(part.sum(0) if begin == end or mode == "sum" else part.mean(0) if mode == "mean" else part.max(0).values)
    return torch.stack(out)


def embeddings(f):
    op, call = "embedding", "nn.functional.embedding"
    i = lambda key, shape, high, dtype=torch.int64: torch.randint(0, high, shape, generator=f.gen("idx", key, tuple(shape), high)).to(dtype)
    for shape in ([4], [2, 3], [], [0], [2, 1, 2]):
        f.case(op, call, [i(op, shape, 5), f.make(op, [5, 3], F32, "c", "any", True)])
    f.case(op, call, [i(op, [4], 5), f.make(op, [5, 3], F32, "t", "any", True)])
    f.case(op, call, [i(op, [4], 5, torch.int32), f.make(op, [5, 3], F32, "s", "any", True)])
    f.case(op, call, [i(op, [3, 2], 5).t(), f.make(op, [5, 3], F32, "c", "any", True)])
    f.case(op, call, [i(op, [4], 5), f.make(op, [5, 3], F64, "c", "any", True)], double=True)
    for pad in (0, 2, -1):
        f.case(op, call, [L([0, 2, 4, 2, 0]), f.make(op, [5, 3], F32, "c", "any", True)], {"padding_idx": pad})
    f.case(op, call, [L([0, 2, 4, 2, 0, 2]), f.make(op, [5, 3], F32, "c", "any", True)], {"scale_grad_by_freq": True})
    f.case(op, call, [L([0, 2, 4, 2]), f.make(op, [5, 3], F32, "c", "any", True)], {"padding_idx": 2, "scale_grad_by_freq": True})
    for dtype in FLOATS:
        f.case(op, call, [i(op, [4], 5), f.make(op, [5, 3], dtype, "c", "any", True)])
    f.case(op, call, [L([0, 5]), f.make(op, [5, 3])])
    f.case(op, call, [L([-1]), f.make(op, [5, 3])])
    f.case(op, call, [L([0.0]), f.make(op, [5, 3])])
    f.case(op, call, [L([0]), f.make(op, [5])])
    f.case(op, call, [L([0]), f.make(op, [5, 3])], {"padding_idx": 5})

    op, call = "embedding_bag", "nn.functional.embedding_bag"
    w = lambda dtype=F32, layout="c": f.make(op, [6, 3], dtype, layout, "any", True)
    bags = L([0, 3, 3, 5])
    flat = L([1, 4, 4, 0, 2, 5, 1])
    for mode in ("sum", "mean", "max"):
        for ids in (L([[1, 4], [0, 0], [5, 2]]), L([[3]])):
            f.case(op, call, [ids, w()], {"mode": mode})
        f.case(op, call, [flat, w()], {"mode": mode, "offsets": bags})
        f.case(op, call, [flat, w(F32, "t"), bags], {"mode": mode})
        f.case(op, call, [flat.int(), w(), bags.int()], {"mode": mode})
        f.case(op, call, [flat, w(), L([0, 3, 3, 5, 7])], {"mode": mode, "include_last_offset": True})
        f.case(op, call, [flat, w(), bags], {"mode": mode, "padding_idx": 4})
        f.case(op, call, [flat, w(), L([0, 1, 3])], {"mode": mode, "padding_idx": 4})
        f.case(op, call, [L([], dtype=torch.int64), w(), L([0, 0])], {"mode": mode})
        f.case(op, call, [L([], dtype=torch.int64), w(), L([], dtype=torch.int64)], {"mode": mode})
        f.case(op, call, [flat, w(F64), bags], {"mode": mode}, double=True, via=bag)
        for dtype in FLOATS:
            f.case(op, call, [flat, w(dtype), bags], {"mode": mode})
    f.case(op, call, [flat, w(), bags])
    f.case(op, call, [flat, w(), bags], {"mode": "sum", "per_sample_weights": f.make("psw", [7], F32, "c", "any", True)})
    f.case(op, call, [flat, w(F64), bags], {"mode": "sum", "per_sample_weights": f.make("psw", [7], F64, "c", "any", True)}, double=True, via=bag)
    f.case(op, call, [L([[1, 4], [0, 0], [5, 2]]), w()], {"mode": "sum", "per_sample_weights": f.make("psw", [3, 2], F32, "c", "any", True)})
    f.case(op, call, [flat, w(), bags], {"mode": "sum", "per_sample_weights": f.make("psw", [7], F32, "c", "any", True), "padding_idx": 4})
    # embedding_bag's own gradient divides by the count of another index here (embedding's does not)
    f.case(op, call, [flat, w(), bags], {"mode": "sum", "scale_grad_by_freq": True}, via=bag)
    f.case(op, call, [flat, w(), bags], {"mode": "mean", "scale_grad_by_freq": True}, via=bag)
    f.case(op, call, [flat, w(), bags], {"mode": "mean", "per_sample_weights": f.make("psw", [7])})
    f.case(op, call, [flat, w(), bags], {"mode": "median"})
    f.case(op, call, [flat, w()])
    f.case(op, call, [L([[1, 4]]), w(), bags])
    f.case(op, call, [flat, w(), L([1, 3])])
    f.case(op, call, [flat, w(), L([0, 9])])
    f.case(op, call, [L([0, 6]), w(), L([0])])
    f.case(op, call, [L([0, -1]), w(), L([0])])
    f.case(op, call, [flat, w(), L([[0, 3]])])
    f.case(op, call, [flat, w(), bags.int()])
    f.case(op, call, [flat.float(), w(), bags])


def record():
    f = Family("indexing")
    indexing(f)
    g = Family("gathering")
    gathering(g)
    embeddings(g)
    return [f, g]
