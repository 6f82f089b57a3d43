"""Shapes: views, joins, copies, conversions. Results carry their strides, as views share memory."""

import torch

from .encode import DTYPES
from .recorder import Family

F32, F64 = torch.float32, torch.float64


def views(f):
    m = lambda op, shape, layout="c", dtype=F32: f.make(op, shape, dtype, layout, "any", True)

    def v(op, shape, layout, *args, kw=None, double=False, forms=("Tensor",), dtype=F32):
        for form in forms:
            f.case(op, f"{form}.{op}", [m(op, shape, layout, dtype), *args], kw, strides=True, double=double)

    both = ("Tensor", "torch")
    for shape, layout, to in [([2, 3, 4], "c", [6, 4]), ([2, 3, 4], "c", [-1]), ([2, 3, 4], "c", [2, -1]), ([], "c", [1]), ([1], "c", []), ([0, 3], "c", [3, 0, 2]),
                              ([3, 4], "t", [12]), ([3, 4], "t", [4, 3]), ([2, 3, 4], "s", [6, 4]), ([2, 3, 4], "n", [2, 12]), ([3, 4], "e", [3, 2, 2]), ([3, 4], "e", [12]),
                              ([3, 4], "t", [3, 4]), ([3, 4], "t", [3, 2, 2]), ([2, 6], "c", [2, 1, 6, 1])]:  # fmt: skip
        v("reshape", shape, layout, to, forms=both)
        v("view", shape, layout, to)
    v("view", [2, 6], "c", 3, 4)
    v("reshape", [2, 6], "c", 3, 4)
    v("reshape", [3, 4], "t", [2, 6], double=True, dtype=F64)
    v("view", [3, 4], "c", [2, 6], double=True, dtype=F64)
    for op in ("reshape", "view"):
        v(op, [2, 3], "c", [4, 2])
        v(op, [2, 3], "c", [-1, -1])
        v(op, [2, 3], "c", [-1, 4])
        v(op, [2, 3], "c", [-2, 3])
        v(op, [0, 3], "c", [-1, 0])
    for shape, layout, args in [([2, 3, 4], "c", []), ([2, 3, 4], "c", [1]), ([2, 3, 4], "c", [0, 1]), ([2, 3, 4], "c", [-2, -1]), ([], "c", []), ([3, 4], "t", []),
                                ([2, 3, 4], "s", [0, 1]), ([2, 0, 3], "c", []), ([5], "c", []), ([2, 3], "c", [1, 0])]:  # fmt: skip
        v("flatten", shape, layout, *args, forms=both)
    v("flatten", [2, 3, 4], "c", kw={"start_dim": 1})
    v("flatten", [2, 3, 4], "c", 1, double=True, dtype=F64)
    v("t", [3, 4], "c", double=True, dtype=F64)
    for shape, layout, args in [([2, 3, 4], "c", [[2, 0, 1]]), ([2, 3, 4], "s", [[0, 2, 1]]), ([3, 4], "t", [[1, 0]]), ([], "c", [[]]), ([2, 3, 4], "c", [[-1, 0, 1]]),
                                ([2, 0, 3], "c", [[1, 2, 0]]), ([3, 4], "e", [[1, 0]]), ([2, 3], "c", [[0, 0]]), ([2, 3], "c", [[0]]), ([2, 3], "c", [[0, 2]])]:  # fmt: skip
        v("permute", shape, layout, *args, forms=both)
    v("permute", [2, 3, 4], "c", 1, 2, 0)
    v("permute", [2, 3, 4], "c", [1, 2, 0], double=True, dtype=F64)
    for shape, layout, args in [([2, 3, 4], "c", [0, 1]), ([2, 3, 4], "c", [-1, -2]), ([3, 4], "t", [0, 1]), ([3, 4], "e", [0, 1]), ([5], "c", [0, 0]), ([], "c", [0, 0]),
                                ([2, 0, 3], "c", [0, 2]), ([2, 3], "c", [0, 2])]:  # fmt: skip
        v("transpose", shape, layout, *args, forms=both)
    v("transpose", [3, 4], "c", 0, 1, double=True, dtype=F64)
    for shape, layout in [([3, 4], "c"), ([5], "c"), ([], "c"), ([3, 4], "s"), ([0, 3], "c"), ([2, 3, 4], "c")]:
        v("t", shape, layout, forms=both)
    for shape, layout, args in [([1, 3, 1], "c", []), ([1, 3, 1], "c", [0]), ([1, 3, 1], "c", [1]), ([1, 3, 1], "c", [-1]), ([1, 3, 1], "c", [[0, 2]]), ([1, 3, 1], "c", [[0, 1]]),
                                ([], "c", []), ([], "c", [0]), ([1], "c", []), ([0, 1], "c", [1]), ([3, 1, 4], "s", [1]), ([2, 3], "c", [2])]:  # fmt: skip
        v("squeeze", shape, layout, *args, forms=both)
    for shape, layout, args in [([3], "c", [0]), ([3], "c", [1]), ([3], "c", [-1]), ([], "c", [0]), ([3, 4], "t", [1]), ([3, 4], "e", [0]), ([2, 3, 4], "s", [-2]), ([0], "c", [0]),
                                ([3], "c", [2]), ([3], "c", [-3])]:  # fmt: skip
        v("unsqueeze", shape, layout, *args, forms=both)
    v("unsqueeze", [3], "c", 0, double=True, dtype=F64)
    v("squeeze", [1, 3], "c", double=True, dtype=F64)
    for shape, layout, to in [([3, 1], "c", [3, 4]), ([3, 1], "c", [2, 3, 4]), ([1], "c", [0]), ([], "c", [2, 3]), ([1, 4], "c", [-1, 4]), ([1, 4], "c", [3, -1]), ([4, 1], "s", [4, 3]),
                              ([3, 4], "t", [2, 3, 4]), ([3], "c", [4]), ([3, 1], "c", [3]), ([3], "c", [-1, 3]), ([1, 3], "c", [0, 3])]:  # fmt: skip
        v("expand", shape, layout, to)
    v("expand", [3, 1], "c", 3, 4)
    v("expand", [3, 1], "c", [2, 3, 4], double=True, dtype=F64)
    for shape, layout, args in [([3, 4], "c", [0, 1]), ([3, 4], "c", [1, -1]), ([3, 4], "c", [-1, 0]), ([3, 4], "t", [0, 2]), ([2, 3, 4], "s", [1, 1]), ([5], "c", [0, 4]), ([3, 4], "e", [0, 2]),
                                ([2, 0, 3], "c", [0, 1]), ([3, 4], "c", [0, 3]), ([3, 4], "c", [1, -5]), ([3, 4], "c", [2, 0]), ([], "c", [0, 0])]:  # fmt: skip
        v("select", shape, layout, *args, forms=both)
    v("select", [3, 4], "c", 1, 2, double=True, dtype=F64)
    for shape, layout, args in [([3, 4], "c", [0, 1, 2]), ([3, 4], "c", [1, 0, 2]), ([3, 4], "c", [-1, -2, 2]), ([3, 4], "t", [0, 0, 2]), ([2, 3, 4], "s", [2, 1, 2]), ([5], "c", [0, 5, 0]),
                                ([3, 4], "e", [0, 1, 2]), ([3, 4], "c", [0, 2, 2]), ([3, 4], "c", [0, 0, -1]), ([3, 4], "c", [2, 0, 1]), ([], "c", [0, 0, 1]), ([3, 4], "c", [0, 4, 0])]:  # fmt: skip
        v("narrow", shape, layout, *args, forms=both)
    v("narrow", [3, 4], "c", 1, 1, 2, double=True, dtype=F64)
    for shape, layout, args in [([6], "c", [2]), ([7], "c", [3]), ([5, 4], "c", [2]), ([4, 5], "c", [2, 1]), ([4, 5], "c", [[1, 4], 1]), ([4, 5], "t", [[3, 1]]), ([0, 2], "c", [2]), ([4, 5], "s", [3, -1]),
                                ([4], "c", [[2, 1]]), ([4], "c", [0]), ([4], "c", [[5, -1]]), ([4], "c", [-1]), ([], "c", [1])]:  # fmt: skip
        v("split", shape, layout, *args, forms=both)
    v("split", [4, 5], "c", 2, kw={"dim": 1})
    v("split", [4, 5], "c", 2, 1, double=True, dtype=F64)
    for op, shape, args in [("transpose_", [3, 4], [0, 1]), ("t_", [3, 4], []), ("squeeze_", [1, 3, 1], []), ("squeeze_", [1, 3, 1], [0]), ("unsqueeze_", [3], [1])]:
        f.case(op, f"Tensor.{op}", [f.make(op, shape), *args], strides=True)
        f.case(op, f"Tensor.{op}", [f.make(op, shape, F32, "c", "any", True), *args], strides=True, clone=True)
        f.case(op, f"Tensor.{op}", [f.make(op, shape, F64, "c", "any", True), *args], strides=True, clone=True, double=True)
    f.case("transpose_", "Tensor.transpose_", [f.make("transpose_", [3, 4], F32, "c", "any", True), 0, 1])
    for dtype in DTYPES:
        for op, args in [("transpose", [0, 1]), ("narrow", [0, 1, 2]), ("select", [1, 2]), ("reshape", [[2, 6]]), ("permute", [[1, 0]]), ("flatten", []), ("split", [2])]:
            f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], dtype), *args], strides=True)


def joins(f):
    def tensors(op, shapes, dtypes=None, layouts=None):
        return [f.make(f"{op}{i}", s, (dtypes or [F32] * 9)[i], (layouts or ["c"] * 9)[i], "any", True) for i, s in enumerate(shapes)]

    op = "cat"
    for shapes, layouts, args in [
        ([[2, 3], [2, 3]], None, []), ([[2, 3], [1, 3], [4, 3]], None, [0]), ([[2, 3], [2, 1]], None, [1]), ([[2, 3], [2, 1]], None, [-1]), ([[3, 4], [2, 4]], ["t", "s"], [0]),
        ([[3, 4], [3, 2]], ["s", "t"], [1]), ([[2, 3, 4], [2, 1, 4]], ["n", "e"], [1]), ([[0], [2, 3]], None, [0]), ([[0, 3], [2, 3]], None, [0]), ([[5]], None, [0]), ([[0], [0]], None, [0]),
        ([[3], [4], [5]], None, [0]),
    ]:  # fmt: skip
        f.case(op, "torch.cat", [tensors(op, shapes, layouts=layouts), *args])
    f.case(op, "torch.cat", [tensors(op, [[2, 3], [2, 3]])], {"dim": 1})
    f.case(op, "torch.cat", [tensors(op, [[2, 3], [2, 1]], [F64, F64]), 1], double=True)
    for dtype in DTYPES:
        f.case(op, "torch.cat", [tensors(op, [[3], [4]], [dtype, dtype])])
        f.case(op, "torch.cat", [tensors(op, [[3], [4]], [dtype, torch.int32])])
        f.case(op, "torch.cat", [tensors(op, [[3], [4]], [dtype, torch.float16])])
        f.case("stack", "torch.stack", [tensors(op, [[3], [3]], [dtype, dtype])])
    f.case(op, "torch.cat", [[]])
    f.case(op, "torch.cat", [tensors(op, [[2, 3], [2, 4]])])
    f.case(op, "torch.cat", [tensors(op, [[2, 3], [3]])])
    f.case(op, "torch.cat", [tensors(op, [[], []])])
    f.case(op, "torch.cat", [tensors(op, [[2, 3], [2, 3]]), 2])
    op = "stack"
    for shapes, layouts, args in [([[2, 3], [2, 3]], None, []), ([[2, 3], [2, 3]], None, [1]), ([[2, 3], [2, 3], [2, 3]], ["t", "s", "e"], [-1]), ([[], []], None, [0]), ([[0], [0]], None, [0]),
                                  ([[2, 3]], None, [2])]:  # fmt: skip
        f.case(op, "torch.stack", [tensors(op, shapes, layouts=layouts), *args])
    f.case(op, "torch.stack", [tensors(op, [[2, 3], [2, 3]], [F64, F64])], {"dim": 1}, double=True)
    f.case(op, "torch.stack", [tensors(op, [[3], [3]], [F32, torch.int64])])
    f.case(op, "torch.stack", [tensors(op, [[2, 3], [3, 2]])])
    f.case(op, "torch.stack", [[]])
    f.case(op, "torch.stack", [tensors(op, [[2], [2]]), 2])


def copies(f):
    for shape, layout in [([], "c"), ([0], "c"), ([3, 4], "c"), ([3, 4], "t"), ([2, 3, 4], "s"), ([3, 4], "e"), ([2, 3, 4], "n")]:
        for op in ("contiguous", "clone", "detach"):
            f.case(op, f"Tensor.{op}", [f.make(op, shape, F32, layout, "any", True)], strides=op != "detach" and layout != "s")
    f.case("clone", "torch.clone", [f.make("clone", [3, 4], F64, "t", "any", True)], double=True)
    f.case("contiguous", "Tensor.contiguous", [f.make("contiguous", [3, 4], F64, "t", "any", True)], double=True)

    op = "copy_"
    for s1, l1, s2, l2 in [([], "c", [], "c"), ([0], "c", [0], "c"), ([3, 4], "c", [3, 4], "t"), ([3, 4], "t", [3, 4], "c"), ([3, 4], "t", [4], "c"), ([2, 3, 4], "s", [3, 1], "c"),
                           ([3, 4], "n", [], "c"), ([19], "s", [19], "s"), ([3, 4], "c", [3, 4], "e")]:  # fmt: skip
        f.case(op, "Tensor.copy_", [f.make(op, s1, F32, l1), f.make(op + "2", s2, F32, l2)])
        f.case(op, "Tensor.copy_", [f.make(op, s1, F32, l1, "any", True), f.make(op + "2", s2, F32, l2, "any", True)], clone=True)
    f.case(op, "Tensor.copy_", [f.make(op, [3, 4], F64, "c", "any", True), f.make(op + "2", [4], F64, "c", "any", True)], clone=True, double=True)
    f.case(op, "Tensor.copy_", [f.make(op, [3, 4], F32, "c", "any", True), f.make(op + "2", [4], F64, "c", "any", True)], clone=True)
    for a in DTYPES:
        for b in DTYPES:
            f.case(op, "Tensor.copy_", [f.make(op, [7], a), f.make(op + "2", [7], b)])
    f.case(op, "Tensor.copy_", [f.make(op, [3]), f.make(op, [2])])
    f.case(op, "Tensor.copy_", [f.make(op, [3]), f.make(op, [2, 3])])
    f.case(op, "Tensor.copy_", [f.make(op, [3, 4], F32, "e"), f.make(op, [4])])
    op = "to"
    for a in DTYPES:
        for b in DTYPES:
            f.case(op, "Tensor.to", [f.make(op, [19], a, "c", "any", True), b])
    special = torch.tensor([1e10, -1e10, 3.99, -3.99, 70000.0, 65519.0, 65520.0, 1e-7, 5.9e-8, 2.9e-8, 0.0, 1.0009765, 1.00048828, 3.4e38], dtype=F64)
    for b in (torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.bool):
        f.case(op, "Tensor.to", [special, b], tag="rounding")
        f.case(op, "Tensor.to", [special.float(), b], tag="rounding")
    small = torch.tensor([300, -300, 127, 128, -129, 65535, 2**31, -(2**31) - 1, 2**40 + 5])
    for b in DTYPES:
        f.case(op, "Tensor.to", [small, b], tag="wraps")
    f.case(op, "Tensor.to", [torch.tensor([2**53 + 1, 2**62 + 1, -(2**60) - 3]), F64])
    f.case(op, "Tensor.to", [torch.tensor([2**24 + 1, 2**31 - 1, -(2**24) - 3], dtype=torch.int32), F32])
    f.case(op, "Tensor.to", [f.make(op, [3, 4], F32, "t", "any", True), F64], strides=True)
    f.case(op, "Tensor.to", [f.make(op, [3, 4], F32, "s", "any", True)], {"dtype": torch.bfloat16})
    f.case(op, "Tensor.to", [f.make(op, [3, 4], F64, "c", "any", True), F32], double=True)
    f.case(op, "Tensor.to", [f.make(op, [3], F32), f.make(op, [2], torch.int64)])
    for op in ("float", "double", "half", "bfloat16", "long", "int", "short", "char", "bool"):
        f.case("to", f"Tensor.{op}", [f.make("to", [5], F32)])
    for dtype in DTYPES:
        f.case("fill_", "Tensor.fill_", [f.make("fill_", [3, 4], dtype, "s"), 3])
        f.case("fill_", "Tensor.fill_", [f.make("fill_", [3, 4], dtype, "t"), 1.5])
        f.case("zero_", "Tensor.zero_", [f.make("zero_", [3, 4], dtype, "s")])
    for shape, layout in [([], "c"), ([0], "c"), ([3, 4], "t"), ([3, 4], "n")]:
        f.case("fill_", "Tensor.fill_", [f.make("fill_", shape, F32, layout), -2.25])
        f.case("fill_", "Tensor.fill_", [f.make("fill_", shape, F32, layout, "any", True), -2.25], clone=True)
        f.case("zero_", "Tensor.zero_", [f.make("zero_", shape, F32, layout, "any", True)], clone=True)
    f.case("fill_", "Tensor.fill_", [f.make("fill_", [3], F64, "c", "any", True), f.make("fill_2", [], F64, "c", "any", True)], clone=True, double=True)
    f.case("fill_", "Tensor.fill_", [f.make("fill_", [3]), f.make("fill_", [2])])
    for dtype in DTYPES:
        f.case("item", "Tensor.item", [f.make("item", [], dtype)])
        f.case("item", "Tensor.item", [f.make("item", [1, 1], dtype)])
        f.case("tolist", "Tensor.tolist", [f.make("tolist", [2, 3], dtype, "s")])
    f.case("tolist", "Tensor.tolist", [f.make("tolist", [])])
    f.case("tolist", "Tensor.tolist", [f.make("tolist", [0])])
    f.case("tolist", "Tensor.tolist", [f.make("tolist", [2, 0])])
    f.case("tolist", "Tensor.tolist", [f.make("tolist", [2, 3], F32, "t", "any", True)])
    f.case("item", "Tensor.item", [f.make("item", [2])])
    f.case("item", "Tensor.item", [f.make("item", [0])])
    a = f.make("allclose", [3, 4])
    for op, args, kw in [
        ("allclose", [a, a + 1e-9], {}), ("allclose", [a, a + 1e-3], {}), ("allclose", [a, a + 1e-3], {"atol": 1e-2}), ("allclose", [a, a * 1.01], {"rtol": 0.1}), ("allclose", [a, a[0]], {}),
        ("allclose", [torch.tensor([1.0, float("nan")]), torch.tensor([1.0, float("nan")])], {}), ("allclose", [torch.tensor([1.0, float("nan")]), torch.tensor([1.0, float("nan")])], {"equal_nan": True}),
        ("allclose", [torch.tensor([1.0, float("inf")]), torch.tensor([1.0, float("inf")])], {}), ("allclose", [torch.tensor([1, 2]), torch.tensor([1, 2])], {}), ("allclose", [torch.zeros(0), torch.zeros(0)], {}),
        ("allclose", [a, a.double()], {}), ("allclose", [a, f.make("allclose", [3])], {}),
        ("equal", [a, a.clone()], {}), ("equal", [a, a + 1], {}), ("equal", [a, a.t()], {}), ("equal", [torch.tensor([float("nan")]), torch.tensor([float("nan")])], {}), ("equal", [torch.zeros(0), torch.zeros(0)], {}),
        ("equal", [torch.zeros(0), torch.zeros(0, 2)], {}), ("equal", [torch.tensor([1, 2]), torch.tensor([1, 2])], {}), ("equal", [f.make("e", [3, 4], F32, "t"), f.make("e", [3, 4], F32, "t").contiguous()], {}),
        ("equal", [torch.tensor([1, 2]), torch.tensor([1.0, 2.0])], {}),
    ]:  # fmt: skip
        f.case(op, f"torch.{op}", args, kw)
        f.case(op, f"Tensor.{op}", args, kw)


def record():
    f = Family("views")
    views(f)
    g = Family("copies")
    joins(g)
    copies(g)
    return [f, g]
