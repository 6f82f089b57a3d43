"""Pointwise operations beyond those of pointwise.py: elementary functions, rounding, remainders, bits, and their kin."""

import torch

from .encode import DTYPES, FLOATS, HALVES, INTS
from .inputs import UNARY_SHAPES
from .pointwise import BINARY_SHAPES
from .recorder import Family

F32, F64 = torch.float32, torch.float64
INF, NAN = float("inf"), float("nan")

# name, kind of values for gradients, how many of the cases (the first functions get every layout, the others some)
UNARY = [
    ("reciprocal", "nonzero"), ("square", "any"), ("exp2", "any"), ("expm1", "any"), ("log1p", "pos"), ("log2", "pos"), ("log10", "pos"),
    ("tan", "any"), ("asin", "unit"), ("acos", "unit"), ("atan", "any"), ("sinh", "any"), ("cosh", "any"), ("asinh", "any"),
    ("acosh", "above"), ("atanh", "unit"), ("erfc", "any"), ("ceil", "any"), ("floor", "any"), ("trunc", "any"), ("round", "any"),
    ("frac", "any"), ("sign", "ties"), ("sgn", "any"), ("nan_to_num", "any"),
]  # fmt: skip
HALFWAY = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999997, 8388609.0, 4503599627370497.0, 1e30, -0.25]


def unary(f):
    for op, kind in UNARY:
        make = lambda shape, dtype=F32, layout="c", grad=False, op=op, kind=kind: values(f, op, shape, dtype, layout, kind, grad)
        for shape, layout in UNARY_SHAPES:
            f.case(op, f"torch.{op}", [make(shape, F32, layout, True)])
        for shape, layout in [([], "c"), ([3, 4], "t")]:
            f.case(op, f"Tensor.{op}", [make(shape, F64, layout, True)], double=True)
        for dtype in DTYPES:
            if dtype not in (F32, F64):
                f.case(op, f"torch.{op}", [make([19], dtype)])
        for dtype in HALVES:
            f.case(op, f"torch.{op}", [make([3, 4], dtype, "s", True)])
        for dtype in FLOATS:
            f.case(op, f"torch.{op}", [f.make(op, [0], dtype, "c", "special")], tag="special values")
        if inplace_derivative(op):
            f.case(op, f"Tensor.{op}_", [make([3, 4], F32, "c", True)], clone=True)
            f.case(op, f"Tensor.{op}_", [make([3, 4], F64, "t", True)], clone=True, double=True)
        for shape, layout in [([], "c"), ([3, 4], "t"), ([2, 3, 3], "s")]:
            f.case(op, f"Tensor.{op}_", [make(shape, F32, layout)])
        for dtype in (torch.int64, torch.uint8, torch.bfloat16, torch.bool):
            f.case(op, f"Tensor.{op}_", [make([5], dtype)])
    for op in ("ceil", "floor", "trunc", "round", "frac", "sign"):
        for dtype in FLOATS:
            f.case(op, f"torch.{op}", [torch.tensor(HALFWAY, dtype=dtype)], tag="halfway")
    for op in ("sign", "sgn", "square", "nan_to_num", "floor"):
        for dtype in INTS:
            i = torch.iinfo(dtype)
            f.case(op, f"torch.{op}", [torch.tensor([i.min, i.max, 0, 1], dtype=dtype)], tag="limits")
    for decimals in (0, 1, 3, 12, -1, -2):
        for dtype in DTYPES:
            f.case("round", "torch.round", [values(f, "decimals", [9], dtype, "c", "any", True) * (100 if decimals < 0 else 1)], {"decimals": decimals})
        f.case("round", "Tensor.round_", [values(f, "decimals", [3, 4], F64, "t", "any", False)], {"decimals": decimals})
        f.case("round", "torch.round", [f.make("round", [0], F32, "c", "special")], {"decimals": decimals}, tag="special values")
    f.case("round", "Tensor.round", [values(f, "decimals", [5], F64, "c", "any", True)], {"decimals": 2}, double=True)
    for kw in ({"nan": 1.5}, {"posinf": 7.0}, {"neginf": -7.0}, {"nan": 0.5, "posinf": 1.0, "neginf": 2.0}, {"nan": INF}):
        for dtype in FLOATS:
            f.case("nan_to_num", "torch.nan_to_num", [f.make("nan_to_num", [0], dtype, "c", "special")], kw)
        f.case("nan_to_num", "Tensor.nan_to_num_", [f.make("nan_to_num", [0], F32, "c", "special")], kw)
        f.case("nan_to_num", "torch.nan_to_num", [values(f, "nan_to_num", [4], torch.int32, "c", "any", False)], kw)
    f.case("nan_to_num", "torch.nan_to_num", [torch.tensor([NAN, INF, -INF, 1.0], requires_grad=True)], {"nan": 2.0})


def inplace_derivative(op):
    """PyTorch lacks that of some functions."""
    x = torch.full([1], 0.5, requires_grad=True)
    try:
        getattr(x.clone(), op + "_")().sum().backward()
    except NotImplementedError as error:
        print(op, error)
        return False
    return True


def values(f, op, shape, dtype, layout, kind, grad):
    if kind != "above":
        return f.make(op, shape, dtype, layout, kind, grad)
    x = f.make(op, shape, dtype, layout, "pos", False)
    x = x + 1 if dtype.is_floating_point else x
    return x.detach().requires_grad_(grad and dtype.is_floating_point)


def tests(f):
    for op in ("isinf",):
        for shape, layout in UNARY_SHAPES:
            f.case(op, f"torch.{op}", [f.make(op, shape, F32, layout, "ties")])
        for dtype in DTYPES:
            f.case(op, f"Tensor.{op}", [f.make(op, [0], dtype, "c", "special")], tag="special values")


def close(f):
    a = torch.tensor([1.0, 1.00001, 1.1, 0.0, 1e-9, INF, -INF, INF, NAN, NAN, 100.0])
    b = torch.tensor([1.0, 1.0, 1.0, 1e-9, 0.0, INF, -INF, -INF, NAN, 1.0, 100.0005])
    for op in ("isclose", "allclose"):
        for kw in ({}, {"rtol": 0.0}, {"atol": 0.2}, {"rtol": 0.0, "atol": 0.0}, {"equal_nan": True}, {"rtol": 0.2, "equal_nan": True}):
            f.case(op, f"torch.{op}", [a, b], kw)
            f.case(op, f"Tensor.{op}", [a.double(), b.double()], kw)
            f.case(op, f"torch.{op}", [a.bfloat16(), b.bfloat16()], kw)
            for dtype in INTS + [torch.bool]:
                f.case(op, f"torch.{op}", [f.make(op, [5], dtype, "c", "ties"), f.make(op + "2", [5], dtype, "c", "ties")], kw)
        f.case(op, f"torch.{op}", [a[:8].clone(), a[:8].clone()], {"rtol": -1.0})
        f.case(op, f"torch.{op}", [a, b], {"atol": -1.0})
        f.case(op, f"torch.{op}", [a, b.double()])
        f.case(op, f"torch.{op}", [f.make(op, [3, 4], F32, "t"), f.make(op, [4])])
        f.case(op, f"torch.{op}", [f.make(op, [3]), f.make(op, [4])])
        f.case(op, f"torch.{op}", [torch.tensor([2**53 + 1, 16777217]), torch.tensor([2**53, 16777216])], {"rtol": 0.0, "atol": 0.5})
        f.case(op, f"torch.{op}", [torch.zeros(0), torch.zeros(0)])


# name, kinds, whether numbers are accepted for other
BINARY = [
    ("fmod", "any", "nonzero", True), ("remainder", "any", "nonzero", True), ("floor_divide", "any", "nonzero", True), ("atan2", "any", "any", False),
    ("copysign", "any", "any", True), ("hypot", "any", "any", False), ("logaddexp", "any", "any", False), ("logaddexp2", "any", "any", False),
    ("xlogy", "any", "pos", True), ("clamp_min", "any", "any", True), ("clamp_max", "any", "any", True),
]  # fmt: skip


def binary(f):
    for op, k1, k2, numbers in BINARY:
        grads = op != "floor_divide"
        for s1, l1, s2, l2 in BINARY_SHAPES[:: 1 if op in ("fmod", "clamp_min") else 2]:
            f.case(op, f"torch.{op}", [f.make(op, s1, F32, l1, k1, grads), f.make(op + "2", s2, F32, l2, k2, grads)])
        for s1, l1, s2, l2 in [([], "c", [], "c"), ([3, 4], "c", [4], "c"), ([3, 1], "c", [1, 4], "t")]:
            f.case(op, f"Tensor.{op}", [f.make(op, s1, F64, l1, k1, grads), f.make(op + "2", s2, F64, l2, k2, grads)], double=grads)
        for dtype in DTYPES:
            f.case(op, f"torch.{op}", [f.make(op, [19], dtype, "c", k1), f.make(op + "2", [19], dtype, "c", k2)])
        for dtype in HALVES:
            f.case(op, f"torch.{op}", [f.make(op, [3, 4], dtype, "t", k1, grads), f.make(op + "2", [4], dtype, "c", k2, grads)])
        for dtype in FLOATS:
            special = f.make(op, [0], dtype, "c", "special")
            pairs = torch.cartesian_prod(special[:14], special[:14]) if dtype == F64 else torch.stack([special, special.roll(5)], 1)
            f.case(op, f"torch.{op}", [pairs[:, 0].clone(), pairs[:, 1].clone()], tag="special values")
        f.case(op, f"torch.{op}", [f.make(op, [3], torch.int64, "c", k1), f.make(op + "2", [3], F32, "c", k2, grads)])
        f.case(op, f"torch.{op}", [f.make(op, [3], F32, "c", k1, grads), f.make(op + "2", [], F64, "c", k2)])
        f.case(op, f"torch.{op}", [f.make(op, [3], torch.uint8, "c", k1), f.make(op + "2", [3], torch.int8, "c", k2)])
        f.case(op, f"torch.{op}", [f.make(op, [3, 4]), f.make(op + "2", [3])])
        f.case(op, f"torch.{op}", [torch.tensor([True, False]), torch.tensor([True, True])])
        if not hasattr(torch.Tensor, op + "_"):
            continue
        for s1, l1, s2, l2 in [([3, 4], "c", [4], "c"), ([3, 4], "t", [3, 1], "c"), ([], "c", [], "c")]:
            f.case(op, f"Tensor.{op}_", [f.make(op, s1, F32, l1, k1, grads), f.make(op + "2", s2, F32, l2, k2, grads)], clone=True)
        f.case(op, f"Tensor.{op}_", [f.make(op, [3, 4], F64, "c", k1, grads), f.make(op + "2", [4], F64, "c", k2, grads)], clone=True, double=grads)
        for dtype in DTYPES:
            f.case(op, f"Tensor.{op}_", [f.make(op, [5], dtype, "s", k1), f.make(op + "2", [5], dtype, "c", k2)])
        f.case(op, f"Tensor.{op}_", [f.make(op, [3], torch.int64, "c", k1), f.make(op + "2", [3], F32, "c", k2)])
        f.case(op, f"Tensor.{op}_", [f.make(op, [3]), f.make(op + "2", [2, 3])])
        if not numbers:
            continue
        for scalar in (2, -0.75, 3):
            f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], F32, "t", k1, grads), scalar])
            f.case(op, f"Tensor.{op}", [f.make(op, [4], F64, "c", k1, grads), scalar], double=grads)
            f.case(op, f"Tensor.{op}", [f.make(op, [5], torch.int32, "c", k1), scalar])
            f.case(op, f"Tensor.{op}", [f.make(op, [5], torch.uint8, "c", k1), scalar])
            f.case(op, f"Tensor.{op}_", [f.make(op, [3, 4], F32, "s", k1), scalar])
            f.case(op, f"Tensor.{op}_", [f.make(op, [3], torch.int64, "c", k1), scalar])
        f.case(op, f"Tensor.{op}", [torch.tensor([True, False]), 1])
    for op in ("remainder", "xlogy", "floor_divide"):
        kind = "pos" if op == "xlogy" else "nonzero"
        for base in (7, -2.5, 0):
            for dtype in (F32, torch.int64, torch.uint8):
                f.case(op, f"torch.{op}", [base, f.make(op, [5], dtype, "c", kind, op == "xlogy")])
    for op in ("fmod", "remainder", "floor_divide"):
        for dtype in INTS:
            i = torch.iinfo(dtype)
            a = torch.tensor([i.min, i.max, i.min, i.max, 7, 7], dtype=dtype)
            b = torch.tensor([3, 3, i.max, i.max, 3, 2], dtype=dtype)
            f.case(op, f"torch.{op}", [a, b], tag="limits")
            if i.min:
                f.case(op, f"torch.{op}", [torch.tensor([-7, 7, -7, -6, 6], dtype=dtype), torch.tensor([3, -3, -3, 3, -3], dtype=dtype)], tag="signs")
            f.case(op, f"torch.{op}", [a, torch.zeros(6, dtype=dtype)], tag="by zero")
            f.case(op, f"Tensor.{op}", [a, 0], tag="by zero")
        f.case(op, f"torch.{op}", [torch.tensor([1.0, -1.0, 0.0]), torch.zeros(3)], tag="by zero")
        f.case(op, f"Tensor.{op}", [torch.tensor([1.0, -1.0, 0.0]), 0], tag="by zero")
        f.case(op, f"torch.{op}", [torch.tensor([2**53 + 1, -(2**62) - 1]), torch.tensor([10, 7])], tag="big")
    for op in ("clamp_min", "clamp_max"):
        f.case(op, f"torch.{op}", [torch.tensor([2**53 + 1, -(2**62) - 1]), 3], tag="big")
        f.case(op, f"torch.{op}", [torch.tensor([300, -5]).short(), 1e20])
        f.case(op, f"torch.{op}", [f.make(op, [9], F32, "c", "ties", True), f.make(op + "2", [9], F32, "c", "ties", True)], tag="ties")
        f.case(op, f"torch.{op}", [f.make(op, [9], F32, "c", "ties", True), 1], tag="ties")


def three(f):
    for op, kinds in (("addcmul", ("any", "any", "any")), ("addcdiv", ("any", "any", "nonzero"))):
        m = lambda i, shape, dtype=F32, layout="c", grad=True, op=op, kinds=kinds: f.make(op + str(i), shape, dtype, layout, kinds[i], grad)
        for shapes in [([], [], []), ([3, 4], [4], [3, 1]), ([4], [3, 1], [3, 4]), ([0], [0], [0]), ([19], [19], [19])]:
            for kw in ({}, {"value": 2}, {"value": -0.5}):
                f.case(op, f"torch.{op}", [m(i, s) for i, s in enumerate(shapes)], kw)
        for layouts in ("tcs", "sst"):
            f.case(op, f"Tensor.{op}", [m(i, [3, 4], F32, lay) for i, lay in enumerate(layouts)], {"value": 0.3})
        for dtype in DTYPES:
            for kw in ({}, {"value": 2}, {"value": 0.5}):
                f.case(op, f"torch.{op}", [m(i, [5], dtype) for i in range(3)], kw)
            f.case(op, f"Tensor.{op}_", [m(i, [5], dtype, "s", False) for i in range(3)], {"value": 3})
        for kw in ({}, {"value": 2.5}):
            f.case(op, f"Tensor.{op}", [m(0, [3, 4], F64), m(1, [4], F64), m(2, [3, 1], F64)], kw, double=True)
            f.case(op, f"Tensor.{op}_", [m(0, [3, 4], F64), m(1, [4], F64), m(2, [3, 1], F64)], kw, double=True, clone=True)
        f.case(op, f"torch.{op}", [m(0, [3]), m(1, [3], F64), m(2, [3], torch.bfloat16)])
        f.case(op, f"torch.{op}", [m(0, [3]), m(1, [3], torch.int64), m(2, [3], torch.int64)])
        f.case(op, f"torch.{op}", [m(0, [3], torch.int64), m(1, [3], F32, "c", False), m(2, [3], torch.int64)])
        f.case(op, f"torch.{op}", [m(0, [3]), m(1, [4]), m(2, [3])])
        f.case(op, f"Tensor.{op}_", [m(0, [3], F32, "c", False), m(1, [2, 3]), m(2, [3])])
        f.case(op, f"Tensor.{op}_", [m(0, [3], torch.int64), m(1, [3]), m(2, [3])])
        f.case(op, f"torch.{op}", [f.make(op, [0], F32, "c", "special"), f.make(op, [0], F32, "c", "special").roll(3), f.make(op, [0], F32, "c", "special").roll(8)], tag="special values")
    op = "lerp"
    m = lambda i, shape, dtype=F32, layout="c", grad=True: f.make(op + str(i), shape, dtype, layout, "any", grad)
    for weight in (0.25, 0.5, 0.75, 2, 0, 1, -3.0):
        f.case(op, "torch.lerp", [m(0, [3, 4], F32, "t"), m(1, [4]), weight])
        f.case(op, "Tensor.lerp", [m(0, [5], F64), m(1, [5], F64), weight], double=True)
        f.case(op, "Tensor.lerp_", [m(0, [3, 4], F32, "s", False), m(1, [3, 4], F32, "c", False), weight])
        for dtype in DTYPES:
            if dtype not in (F32, F64):
                f.case(op, "torch.lerp", [m(0, [5], dtype), m(1, [5], dtype), weight])
    for shapes in [([], [], []), ([3, 4], [4], [3, 1]), ([4], [3, 1], [3, 4]), ([0], [0], [0]), ([19], [19], [19]), ([3, 4], [3, 4], [])]:
        f.case(op, "torch.lerp", [m(i, s) for i, s in enumerate(shapes)])
        f.case(op, "torch.lerp", [m(i, s, F64) for i, s in enumerate(shapes)], double=True)
    for dtype in DTYPES:
        f.case(op, "torch.lerp", [m(i, [5], dtype) for i in range(3)])
        f.case(op, "Tensor.lerp_", [m(i, [5], dtype, "c", False) for i in range(3)])
    f.case(op, "Tensor.lerp_", [m(0, [3, 4], F64), m(1, [4], F64), m(2, [3, 1], F64)], double=True, clone=True)
    f.case(op, "torch.lerp", [m(0, [3]), m(1, [3], F64), 0.5])
    f.case(op, "torch.lerp", [m(0, [3]), m(1, [3]), m(2, [3], F64)])
    f.case(op, "torch.lerp", [m(0, [3]), m(1, [3]), torch.tensor(0.5, dtype=F64)])
    f.case(op, "torch.lerp", [m(0, [3]), m(1, [4]), 0.5])
    f.case(op, "torch.lerp", [f.make(op, [0], F32, "c", "special"), f.make(op, [0], F32, "c", "special").roll(3), 0.25], tag="special values")


def bits(f):
    for op in ("logical_and", "logical_or", "logical_xor"):
        for s1, l1, s2, l2 in BINARY_SHAPES[::2]:
            f.case(op, f"torch.{op}", [f.make(op, s1, F32, l1, "ties"), f.make(op + "2", s2, F32, l2, "ties")])
        for dtype in DTYPES:
            f.case(op, f"torch.{op}", [f.make(op, [19], dtype, "c", "ties"), f.make(op + "2", [19], dtype, "c", "ties")])
            f.case(op, f"Tensor.{op}_", [f.make(op, [5], dtype, "s", "ties"), f.make(op + "2", [5], torch.int32, "c", "ties")])
        f.case(op, f"torch.{op}", [f.make(op, [0], F32, "c", "special"), f.make(op, [0], torch.bfloat16, "c", "special").flip(0)], tag="special values")
        f.case(op, f"torch.{op}", [torch.tensor([2**40, 0]), torch.tensor([1, 2**40])])
        f.case(op, f"torch.{op}", [f.make(op, [3, 4]), f.make(op, [3])])
        f.case(op, f"torch.{op}", [f.make(op, [3], F32, "c", "ties", True), f.make(op, [3], F32, "c", "ties", True)])
    for op in ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"):
        kind = "pos" if "shift" in op else "any"
        for s1, l1, s2, l2 in BINARY_SHAPES[::2]:
            f.case(op, f"torch.{op}", [f.make(op, s1, torch.int32, l1), f.make(op + "2", s2, torch.int32, l2, kind)])
        for dtype in DTYPES:
            f.case(op, f"torch.{op}", [f.make(op, [19], dtype), f.make(op + "2", [19], dtype, "c", kind)])
            f.case(op, f"Tensor.{op}_", [f.make(op, [5], dtype, "s"), f.make(op + "2", [5], dtype, "c", kind)])
            f.case(op, f"Tensor.{op}", [f.make(op, [5], dtype), 3])
            f.case(op, f"torch.{op}", [6, f.make(op, [5], dtype, "c", kind)])
        for dtype in INTS:
            i = torch.iinfo(dtype)
            a = torch.tensor([i.min, i.max, 0, 1, i.max // 3, i.min // 3], dtype=dtype)
            amounts = torch.tensor([1, 2, 3, 7, 8, 15] if i.bits == 8 else [1, i.bits - 1, i.bits, i.bits + 1, 7, 8], dtype=dtype)
            f.case(op, f"torch.{op}", [a, amounts if "shift" in op else a.roll(1)], tag="limits")
            if "shift" in op and i.min:
                f.case(op, f"torch.{op}", [a, torch.tensor([-1, -2, -7, i.min, 127, 100], dtype=dtype)], tag="odd amounts")
        f.case(op, f"torch.{op}", [f.make(op, [3], torch.uint8), f.make(op, [3], torch.int8, "c", kind)])
        f.case(op, f"torch.{op}", [f.make(op, [3], torch.bool), f.make(op, [3], torch.int16, "c", kind)])
        f.case(op, f"torch.{op}", [f.make(op, [3], torch.int32), f.make(op, [4], torch.int32)])
        f.case(op, f"Tensor.{op}", [f.make(op, [3], torch.int32), 2.5])
        f.case(op, f"Tensor.{op}", [f.make(op, [3], torch.bool), True])
    op = "bitwise_not"
    for dtype in DTYPES:
        f.case(op, f"torch.{op}", [f.make(op, [19], dtype)])
        f.case(op, f"Tensor.{op}_", [f.make(op, [3, 4], dtype, "t")])
    f.case(op, f"torch.{op}", [f.make(op, [2, 0], torch.int32)])
    f.case(op, f"torch.{op}", [torch.tensor([2**53 + 1, -(2**63)])])


RARE = [("deg2rad", "any"), ("rad2deg", "any"), ("logit", "unit"), ("sinc", "any")]
TESTS = ["signbit", "isposinf", "isneginf", "isreal"]


def rare(f):
    for op, kind in RARE:
        make = lambda shape, dtype=F32, layout="c", grad=False, op=op, kind=kind: f.make(op, shape, dtype, layout, kind, grad)
        for shape, layout in UNARY_SHAPES[2:6]:
            f.case(op, f"torch.{op}", [make(shape, F32, layout, True)])
        f.case(op, f"Tensor.{op}", [make([3, 4], F64, "t", True)], double=True)
        for dtype in DTYPES:
            # PyTorch rounds every step of logit to the half type, we only the last
            if dtype not in (F32, F64) and not (op == "logit" and dtype in HALVES):
                f.case(op, f"torch.{op}", [make([9], dtype)])
        for dtype in FLOATS:
            f.case(op, f"torch.{op}", [f.make(op, [0], dtype, "c", "special")], tag="special values")
        f.case(op, f"Tensor.{op}_", [make([3, 4], F64, "t", True)], clone=True, double=True)
        f.case(op, f"torch.{op}_", [make([3, 4], F32, "s")])
    for eps in (0.2, 0.0, -1):
        f.case("logit", "torch.logit", [f.make("logit", [9], F32, "c", "any", True)], {"eps": eps})
        f.case("logit", "torch.logit", [f.make("logit", [0], F32, "c", "special"), eps], tag="special values")
        f.case("logit", "Tensor.logit_", [f.make("logit", [9], F64, "c", "unit", True), eps], double=True, clone=True)
    for op in TESTS:
        for dtype in DTYPES:
            f.case(op, f"torch.{op}", [f.make(op, [0], dtype, "c", "special")], tag="special values")
            f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], dtype, "t", "ties")])
    for op in ("fmax", "fmin", "ldexp", "heaviside", "float_power"):
        kind = "pos" if op == "float_power" else "ties" if op == "heaviside" else "any"
        grads = op != "heaviside"
        for s1, l1, s2, l2 in BINARY_SHAPES[::3]:
            f.case(op, f"torch.{op}", [f.make(op, s1, F32, l1, kind, grads), f.make(op + "2", s2, F32, l2, "any", grads)])
        f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], F64, "t", kind, grads), f.make(op + "2", [4], F64, "c", "any", grads)], double=grads)
        for dtype in DTYPES:
            f.case(op, f"torch.{op}", [f.make(op, [9], dtype, "c", kind), f.make(op + "2", [9], dtype, "c", "any")])
        if op != "ldexp" and op != "float_power":
            special = f.make(op, [0], F64, "c", "special")
            pairs = torch.cartesian_prod(special[:12], special[:12])
            f.case(op, f"torch.{op}", [pairs[:, 0].clone(), pairs[:, 1].clone()], tag="special values")
        f.case(op, f"torch.{op}", [f.make(op, [5], torch.int64, "c", "pos"), f.make(op + "2", [5], F32, "c", "any", grads)])
        f.case(op, f"torch.{op}", [f.make(op, [9], F32, "c", "ties", grads), f.make(op + "2", [9], F32, "c", "ties", grads)], tag="ties")
        if hasattr(torch.Tensor, op + "_"):
            f.case(op, f"Tensor.{op}_", [f.make(op, [3, 4], F32, "t", kind, grads), f.make(op + "2", [4], F32, "c", "any", grads)], clone=True)
            f.case(op, f"Tensor.{op}_", [f.make(op, [3, 4], F64, "t", kind), f.make(op + "2", [4], F64, "c", "any")])
    for exponent in (2, -1, 0.5):
        f.case("float_power", "Tensor.float_power", [f.make("float_power", [5], F32, "c", "pos", True), exponent])
        f.case("float_power", "Tensor.float_power", [f.make("float_power", [5], torch.int32, "c", "pos"), exponent])
        f.case("float_power", "torch.float_power", [2.5, f.make("float_power", [5], F32, "c", "any", True)])
    for dtype in (F32, torch.int64, torch.bool):
        f.case("positive", "torch.positive", [f.make("positive", [5], dtype, "c", "any", True)])
    for op in ("absolute", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "negative", "fix"):
        f.case("aliases", f"torch.{op}", [f.make(op, [5], F32, "c", "unit", True)])
        f.case("aliases", f"Tensor.{op}", [f.make(op, [5], torch.int64, "c", "any")])
        f.case("aliases", f"Tensor.{op}_", [f.make(op, [5], F32, "c", "unit")])
    for op in ("arctan2", "divide", "multiply", "subtract", "true_divide", "greater", "greater_equal", "less", "less_equal", "not_equal"):
        f.case("aliases", f"torch.{op}", [f.make(op, [5], F32, "c", "ties"), f.make(op + "2", [5], F32, "c", "ties")])
        f.case("aliases", f"Tensor.{op}_", [f.make(op, [5], F32, "c", "ties"), f.make(op + "2", [5], F32, "c", "ties")])
        if op != "arctan2":
            f.case("aliases", f"Tensor.{op}", [f.make(op, [5], torch.int64, "c", "ties"), 2])
    f.case("aliases", "torch.clip", [f.make("clip", [5]), 0.1, 0.5])
    f.case("aliases", "Tensor.clip_", [f.make("clip", [5])], {"min": 0.1})
    f.case("aliases", "torch.clip", [f.make("clip", [5])])
    f.case("aliases", "torch.divide", [f.make("divide", [5], torch.int64, "c", "nonzero"), 2], {"rounding_mode": "floor"})
    f.case("aliases", "torch.true_divide", [f.make("divide", [5], torch.int64, "c", "nonzero"), 2], {"rounding_mode": "floor"})
    f.case("aliases", "torch.subtract", [torch.tensor([True]), torch.tensor([True])])


def record():
    f = Family("elementary")
    unary(f)
    tests(f)
    close(f)
    g = Family("pairs")
    binary(g)
    three(g)
    bits(g)
    h = Family("pointwise-rare")
    rare(h)
    return [f, g, h]
