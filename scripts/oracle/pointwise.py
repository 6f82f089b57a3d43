"""Pointwise operations: unary, binary, clamp, where, masked_fill, comparisons, tests."""

import torch

from .encode import DTYPES, FLOATS, HALVES, INTS
from .inputs import UNARY_SHAPES
from .recorder import Family

F32, F64 = torch.float32, torch.float64

# name, kind of values for gradients
UNARY = [
    ("neg", "any"), ("abs", "any"), ("exp", "any"), ("log", "pos"), ("sqrt", "pos"), ("rsqrt", "pos"), ("sin", "any"), ("cos", "any"),
    ("tanh", "any"), ("sigmoid", "any"), ("erf", "any"), ("relu", "any"),
]  # fmt: skip
# pairs of shapes and layouts
BINARY_SHAPES = [
    ([], "c", [], "c"), ([3, 4], "c", [], "c"), ([], "c", [5], "c"), ([0], "c", [0], "c"), ([2, 0, 3], "c", [1, 3], "c"),
    ([19], "c", [19], "c"), ([3, 4], "c", [4], "c"), ([3, 4], "c", [3, 1], "c"), ([3, 1], "c", [1, 4], "c"), ([3, 4], "t", [3, 4], "c"),
    ([3, 4], "s", [3, 4], "t"), ([2, 3, 4], "n", [3, 1], "s"), ([3, 4], "e", [3, 4], "t"), ([2, 3, 4], "c", [4], "s"),
]  # fmt: skip
BINARY = [("add", "any", "any"), ("sub", "any", "any"), ("mul", "any", "any"), ("div", "any", "nonzero"), ("maximum", "ties", "ties"),
          ("minimum", "ties", "ties")]  # fmt: skip
COMPARE = ["eq", "ne", "lt", "le", "gt", "ge"]


def unary(f):
    for op, kind in UNARY:
        g = op
        for shape, layout in UNARY_SHAPES:
            f.case(g, f"torch.{op}", [f.make(op, shape, F32, layout, kind, True)])
        for shape, layout in [([], "c"), ([5], "c"), ([3, 4], "t")]:
            f.case(g, f"Tensor.{op}", [f.make(op, shape, F64, layout, kind, True)], double=True)
        for dtype in DTYPES:
            if dtype not in (F32, F64):
                f.case(g, f"torch.{op}", [f.make(op, [19], dtype, "c", kind, False)])
        for dtype in HALVES:
            f.case(g, f"torch.{op}", [f.make(op, [3, 4], dtype, "s", kind, True)])
        for dtype in (F32, F64, torch.float16, torch.bfloat16):
            f.case(g, f"torch.{op}", [f.make(op, [0], dtype, "c", "special")], tag="special values")
        f.case(g, f"Tensor.{op}_", [f.make(op, [3, 4], F32, "c", kind, True)], clone=True)
        f.case(g, f"Tensor.{op}_", [f.make(op, [3, 4], F64, "t", kind, True)], clone=True, double=True)
        for shape, layout in [([], "c"), ([0], "c"), ([3, 4], "t"), ([2, 3, 3], "s"), ([3, 4], "n")]:
            f.case(g, f"Tensor.{op}_", [f.make(op, shape, F32, layout, kind)])
        for dtype in (torch.int64, torch.uint8, torch.bfloat16, torch.bool):
            f.case(g, f"Tensor.{op}_", [f.make(op, [5], dtype, "c", kind)])
        f.case(g, f"Tensor.{op}_", [f.make(op, [4], F32, "c", kind, True)], name=f"{op}_ of a leaf that requires grad")


def activations(f):
    for op, options in [("relu", [{}]), ("gelu", [{}, {"approximate": "tanh"}, {"approximate": "none"}]), ("silu", [{}])]:
        call = f"nn.functional.{op}"
        for kw in options:
            for shape, layout in UNARY_SHAPES:
                f.case(op, call, [f.make(op, shape, F32, layout, "any", True)], kw)
            f.case(op, call, [f.make(op, [3, 4], F64, "t", "any", True)], kw, double=True)
            for dtype in DTYPES:
                if dtype not in (F32, F64):
                    f.case(op, call, [f.make(op, [19], dtype, "c", "any", dtype.is_floating_point)], kw)
            special = f.make(op, [0], F32, "c", "special")
            if op == "gelu":
                # PyTorch's vector code gives NaN for +inf, its scalar code +inf
                special = special[special != float("inf")]
            f.case(op, call, [special], kw, tag="special values")
    f.case("gelu", "nn.functional.gelu", [f.make("gelu", [3])], {"approximate": "fast"})
    for op in ("relu", "silu"):
        f.case(op, f"nn.functional.{op}", [f.make(op, [3, 4], F32, "c")], {"inplace": True})


def tests(f):
    for op in ("logical_not", "isnan", "isfinite"):
        for shape, layout in UNARY_SHAPES:
            f.case(op, f"torch.{op}", [f.make(op, shape, F32, layout, "ties")])
        for dtype in DTYPES:
            f.case(op, f"Tensor.{op}", [f.make(op, [19], dtype, "c", "ties")])
            f.case(op, f"Tensor.{op}", [f.make(op, [0], dtype, "c", "special")], tag="special values")
    for dtype in DTYPES:
        f.case("logical_not", "Tensor.logical_not_", [f.make("logical_not", [5], dtype, "c", "ties")])


def binary(f):
    for op, k1, k2 in BINARY:
        for s1, l1, s2, l2 in BINARY_SHAPES:
            f.case(op, f"torch.{op}", [f.make(op, s1, F32, l1, k1, True), f.make(op + "2", s2, F32, l2, k2, True)])
        for s1, l1, s2, l2 in [([], "c", [], "c"), ([3, 4], "c", [4], "c"), ([3, 1], "c", [1, 4], "t")]:
            f.case(op, f"Tensor.{op}", [f.make(op, s1, F64, l1, k1, True), f.make(op + "2", s2, F64, l2, k2, True)], double=True)
        for dtype in DTYPES:
            f.case(op, f"torch.{op}", [f.make(op, [19], dtype, "c", k1), f.make(op + "2", [19], dtype, "c", k2)])
        for dtype in HALVES:
            f.case(op, f"torch.{op}", [f.make(op, [3, 4], dtype, "t", k1, True), f.make(op + "2", [4], dtype, "c", k2, True)])
        f.case(op, f"torch.{op}", [f.make(op, [0], F32, "c", "special"), f.make(op, [0], F32, "c", "special").flip(0)], tag="special values")
        # only one side wants a gradient
        f.case(op, f"torch.{op}", [f.make(op, [3, 4], F32, "c", k1, True), f.make(op + "2", [4], F32, "c", k2)])
        f.case(op, f"torch.{op}", [f.make(op, [3, 4], F32, "c", k1), f.make(op + "2", [4], F32, "c", k2, True)])
        # gradients of mixed dtypes come back in each input's own
        f.case(op, f"torch.{op}", [f.make(op, [3], F32, "c", k1, True), f.make(op + "2", [3], F64, "c", k2, True)])
        f.case(op, f"torch.{op}", [f.make(op, [3], torch.bfloat16, "c", k1, True), f.make(op + "2", [3], F32, "c", k2, True)])
        f.case(op, f"torch.{op}", [f.make(op, [3], torch.bfloat16, "c", k1, True), f.make(op + "2", [], F32, "c", k2)])
        f.case(op, f"torch.{op}", [f.make(op, [3], torch.int64, "c", k1), f.make(op + "2", [3], F32, "c", k2, True)])
        # errors
        f.case(op, f"torch.{op}", [f.make(op, [3, 4]), f.make(op + "2", [3])])
        f.case(op, f"torch.{op}", [f.make(op, [2, 3]), f.make(op + "2", [4, 3])])
        if op in ("maximum", "minimum"):
            continue
        for scalar in (2, -0.75, 0.3):
            f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], F32, "t", k1, True), scalar])
            f.case(op, f"Tensor.{op}", [f.make(op, [4], F64, "c", k1, True), scalar], double=True)
            f.case(op, f"Tensor.{op}", [f.make(op, [5], torch.bfloat16, "c", k1, True), scalar])
            f.case(op, f"Tensor.{op}", [f.make(op, [5], torch.int32, "c", k1), scalar])
        # in place
        for s1, l1, s2, l2 in [([3, 4], "c", [4], "c"), ([3, 4], "t", [3, 1], "c"), ([], "c", [], "c")]:
            f.case(op, f"Tensor.{op}_", [f.make(op, s1, F32, l1, k1, True), f.make(op + "2", s2, F32, l2, k2, True)], clone=True)
        f.case(op, f"Tensor.{op}_", [f.make(op, [3, 4], F64, "c", k1, True), f.make(op + "2", [4], F64, "c", k2, True)], clone=True, double=True)
        f.case(op, f"Tensor.{op}_", [f.make(op, [3, 4], F32, "c", k1, True), 2.5], clone=True)
        for s1, l1, s2, l2 in BINARY_SHAPES[3:]:
            if torch.broadcast_shapes(s1, s2) == torch.Size(s1) and l1 != "e":
                f.case(op, f"Tensor.{op}_", [f.make(op, s1, F32, l1, k1), f.make(op + "2", s2, F32, l2, k2)])
        for dtype in DTYPES:
            f.case(op, f"Tensor.{op}_", [f.make(op, [5], dtype, "c", k1), f.make(op + "2", [5], dtype, "c", k2)])
            f.case(op, f"Tensor.{op}_", [f.make(op, [5], dtype, "s", k1), 3])
        f.case(op, f"Tensor.{op}_", [f.make(op, [3], F32, "c", k1), f.make(op + "2", [3], F64, "c", k2)])
        f.case(op, f"Tensor.{op}_", [f.make(op, [3], torch.int64, "c", k1), f.make(op + "2", [3], F32, "c", k2)])
        f.case(op, f"Tensor.{op}_", [f.make(op, [3], torch.bool, "c", k1), f.make(op + "2", [3], torch.int64, "c", k2)])
        f.case(op, f"Tensor.{op}_", [f.make(op, [3]), f.make(op + "2", [2, 3])])
        f.case(op, f"Tensor.{op}_", [f.make(op, [3, 4], F32, "e"), f.make(op + "2", [4])])
        f.case(op, f"Tensor.{op}_", [f.make(op, [3], F32, "c", "any", True), 1.5], name=f"{op}_ of a leaf that requires grad")
    for op in ("add", "sub"):
        for alpha in (2, -0.5):
            for dtype in DTYPES:
                f.case(op, f"torch.{op}", [f.make(op, [3, 4], dtype, "c", "any", True), f.make(op + "2", [4], dtype, "c", "any", True)], {"alpha": alpha})
            f.case(op, f"Tensor.{op}", [f.make(op, [3], F64, "c", "any", True), f.make(op + "2", [3], F64, "c", "any", True)], {"alpha": alpha}, double=True)
            f.case(op, f"Tensor.{op}_", [f.make(op, [3, 4], F32, "c", "any", True), f.make(op + "2", [4], F32, "c", "any", True)], {"alpha": alpha}, clone=True)
            f.case(op, f"Tensor.{op}", [f.make(op, [3], F32), 1.5], {"alpha": alpha})
    for mode in ("floor", "trunc", None):
        for dtype in DTYPES:
            kw = {"rounding_mode": mode}
            f.case("div", "torch.div", [f.make("div", [3, 19], dtype, "c", "any", True), f.make("div2", [19], dtype, "c", "nonzero", True)], kw)
            f.case("div", "Tensor.div_", [f.make("div", [5], dtype, "c", "any"), f.make("div2", [5], dtype, "c", "nonzero")], kw)
            f.case("div", "Tensor.div", [f.make("div", [5], dtype, "c", "any"), 2], kw)
        f.case("div", "torch.div", [f.make("div", [0], F32, "c", "special"), f.make("div", [0], F32, "c", "special").flip(0)], kw, tag="special values")
    f.case("div", "torch.div", [f.make("div", [3], torch.int32), torch.zeros(3, dtype=torch.int32)], {"rounding_mode": "floor"})
    f.case("div", "torch.div", [f.make("div", [3], torch.int64), 0], {"rounding_mode": "trunc"})
    f.case("div", "torch.div", [f.make("div", [3]), 2], {"rounding_mode": "up"})
    # wrapping
    for dtype in INTS:
        top = torch.iinfo(dtype).max
        low = torch.iinfo(dtype).min
        a = torch.tensor([top, low, top, low, 3], dtype=dtype)
        b = torch.tensor([1, -1 if low else 255, top, low, 2], dtype=dtype)
        for op in ("add", "sub", "mul"):
            f.case(op, f"torch.{op}", [a, b], tag="wraps")
        f.case("neg", "torch.neg", [a], tag="wraps")
        f.case("abs", "torch.abs", [a], tag="wraps")
    f.case("div", "torch.div", [torch.tensor([-(2**31), 7], dtype=torch.int32), torch.tensor([2, -2], dtype=torch.int32)], {"rounding_mode": "floor"})


def power(f):
    op = "pow"
    for s1, l1, s2, l2 in BINARY_SHAPES:
        f.case(op, "torch.pow", [f.make(op, s1, F32, l1, "pos", True), f.make(op + "2", s2, F32, l2, "any", True)])
    for s1, s2 in [([], []), ([3, 4], [4]), ([3, 1], [1, 4])]:
        f.case(op, "Tensor.pow", [f.make(op, s1, F64, "c", "pos", True), f.make(op + "2", s2, F64, "c", "any", True)], double=True)
    for exponent in (0, 1, 2, 3, -1, -2, 0.5, -0.5, 1.7, 4):
        f.case(op, "Tensor.pow", [f.make(op, [19], F32, "c", "pos", True), exponent])
        f.case(op, "Tensor.pow", [f.make(op, [5], F64, "c", "pos", True), exponent], double=True)
        f.case(op, "Tensor.pow", [f.make(op, [19], F32, "c", "special"), exponent], tag="special values")
        f.case(op, "Tensor.pow", [f.make(op, [5], F32, "c", "any"), exponent])
        f.case(op, "Tensor.pow_", [f.make(op, [3, 4], F32, "t", "pos", True), exponent], clone=True)
        for dtype in DTYPES:
            if dtype not in (F32, F64):
                f.case(op, "Tensor.pow", [f.make(op, [5], dtype, "c", "any"), exponent])
    for base in (2, 0.5, 0, 1, 3.5, -2):
        f.case(op, "torch.pow", [base, f.make(op, [19], F32, "c", "any", True)])
        f.case(op, "torch.pow", [base, f.make(op, [5], F64, "c", "ties", True)], double=base != 0)
        f.case(op, "torch.pow", [base, f.make(op, [5], torch.int64, "c", "pos")])
    for dtype in DTYPES:
        f.case(op, "torch.pow", [f.make(op, [5], dtype, "c", "pos"), f.make(op + "2", [5], dtype, "c", "pos")])
        f.case(op, "Tensor.pow_", [f.make(op, [5], dtype, "c", "pos"), f.make(op + "2", [5], dtype, "c", "pos")])
    f.case(op, "torch.pow", [f.make(op, [5], F32, "c", "ties", True), f.make(op + "2", [5], F32, "c", "ties", True)], tag="ties")
    f.case(op, "torch.pow", [f.make(op, [3], torch.int64, "c", "pos"), torch.tensor([1, -1, 2])])
    f.case(op, "torch.pow", [f.make(op, [3], torch.int32), f.make(op + "2", [3], F32, "c", "pos")])
    f.case(op, "Tensor.pow_", [f.make(op, [3], torch.int32, "c", "pos"), 0.5])


def compare(f):
    for op in COMPARE:
        for s1, l1, s2, l2 in BINARY_SHAPES:
            f.case(op, f"torch.{op}", [f.make(op, s1, F32, l1, "ties"), f.make(op + "2", s2, F32, l2, "ties")])
        for dtype in DTYPES:
            f.case(op, f"Tensor.{op}", [f.make(op, [19], dtype, "c", "ties"), f.make(op + "2", [19], dtype, "c", "ties")])
            f.case(op, f"Tensor.{op}", [f.make(op, [5], dtype, "s", "ties"), 1])
            f.case(op, f"Tensor.{op}", [f.make(op, [5], dtype, "c", "ties"), 0.5])
        f.case(op, f"torch.{op}", [f.make(op, [0], F32, "c", "special"), f.make(op, [0], F32, "c", "special").flip(0)], tag="special values")
        f.case(op, f"torch.{op}", [torch.tensor([2**53, 2**53 + 1, -(2**62)]), torch.tensor([2**53 + 1, 2**53 + 1, -(2**62) - 1])])
        f.case(op, f"torch.{op}", [torch.tensor([16777217, 16777216]), torch.tensor([16777216.0, 16777216.0])])
        f.case(op, f"Tensor.{op}_", [f.make(op, [5], F32, "c", "ties"), f.make(op + "2", [5], F32, "c", "ties")])
        f.case(op, f"Tensor.{op}_", [f.make(op, [5], torch.int32, "c", "ties"), 1])
        f.case(op, f"Tensor.{op}", [f.make(op, [5], F32, "c", "ties", True), f.make(op + "2", [5], F32, "c", "ties")])
        f.case(op, f"torch.{op}", [f.make(op, [3, 4]), f.make(op + "2", [3])])


def clamp(f):
    op = "clamp"
    for shape, layout in UNARY_SHAPES:
        f.case(op, "torch.clamp", [f.make(op, shape, F32, layout, "any", True)], {"min": -1, "max": 1})
        f.case(op, "Tensor.clamp", [f.make(op, shape, F32, layout, "any", True), -0.5, 0.75])
    for kw in ({"min": 0}, {"max": 0}, {"min": -1, "max": 1}, {"min": 1, "max": -1}, {"min": 0.5}, {"max": 0.5}):
        f.case(op, "Tensor.clamp", [f.make(op, [19], F32, "c", "ties", True)], kw)
        f.case(op, "Tensor.clamp", [f.make(op, [5], F64, "c", "any", True)], kw, double=True)
        for dtype in DTYPES:
            if dtype not in (F32, F64):
                f.case(op, "Tensor.clamp", [f.make(op, [19], dtype, "c", "any", True)], kw)
        f.case(op, "Tensor.clamp", [f.make(op, [0], F32, "c", "special")], kw, tag="special values")
    m = lambda s, g=False, k="any", d=F32: f.make("clampmin", s, d, "c", k, g)
    for s in ([4], [3, 1], [], [3, 4]):
        f.case(op, "torch.clamp", [f.make(op, [3, 4], F32, "t", "ties", True), m(s, True), f.make("clampmax", s, F32, "c", "pos", True)])
        f.case(op, "torch.clamp", [f.make(op, [3, 4], F32, "t", "ties", True)], {"min": m(s, True, "ties")})
        f.case(op, "torch.clamp", [f.make(op, [3, 4], F32, "t", "ties", True)], {"max": m(s, True, "ties")})
    f.case(op, "torch.clamp", [f.make(op, [3, 4], F64, "c", "any", True)], {"min": m([4], True, "any", F64)}, double=True)
    f.case(op, "torch.clamp", [f.make(op, [5], torch.int64)], {"min": torch.tensor(-2), "max": torch.tensor(2)})
    f.case(op, "Tensor.clamp_", [f.make(op, [3, 4], F32, "t", "any", True)], {"min": -1, "max": 1}, clone=True)
    f.case(op, "Tensor.clamp_", [f.make(op, [3, 4], F32, "t", "any")], {"min": -1})
    f.case(op, "Tensor.clamp_", [f.make(op, [5], torch.int32), -2, 2])
    f.case(op, "torch.clamp", [f.make(op, [3])])


def where(f):
    op = "where"
    b = lambda s, l="c": f.make("cond", s, torch.bool, l)
    for s0, l0, s1, l1, s2, l2 in [
        ([], "c", [], "c", [], "c"), ([0], "c", [0], "c", [0], "c"), ([19], "c", [19], "c", [19], "c"), ([3, 4], "t", [3, 4], "c", [3, 4], "s"),
        ([3, 1], "c", [4], "c", [], "c"), ([4], "c", [3, 4], "e", [3, 1], "c"), ([2, 3, 4], "n", [3, 4], "t", [4], "s"), ([2, 0, 3], "c", [3], "c", [1, 1], "c"),
    ]:  # fmt: skip
        f.case(op, "torch.where", [b(s0, l0), f.make(op, s1, F32, l1, "any", True), f.make(op + "2", s2, F32, l2, "any", True)])
    f.case(op, "torch.where", [b([3, 1]), f.make(op, [3, 4], F64, "c", "any", True), f.make(op + "2", [4], F64, "c", "any", True)], double=True)
    for dtype in DTYPES:
        f.case(op, "torch.where", [b([19]), f.make(op, [19], dtype, "c", "any", True), f.make(op + "2", [19], dtype, "c", "any", True)])
        f.case(op, "torch.where", [b([3]), f.make(op, [3], dtype, "c", "any"), f.make(op + "2", [3], torch.int32, "c", "any")])
        f.case(op, "torch.where", [b([3]), f.make(op, [3], dtype, "c", "any"), f.make(op + "2", [3], torch.float16, "c", "any")])
        f.case(op, "torch.where", [b([3]), f.make(op, [3], dtype, "c", "any"), 1.5])
    f.case(op, "torch.where", [b([3, 4]), f.make(op, [3, 4], F32, "c", "any", True), 0])
    f.case(op, "torch.where", [b([3, 4]), 1.5, f.make(op, [4], F32, "c", "any", True)])
    f.case(op, "Tensor.where", [f.make(op, [3, 4], F32, "c", "any", True), b([3, 4]), f.make(op + "2", [4], F32, "c", "any", True)])
    f.case(op, "torch.where", [f.make(op, [3], F32), f.make(op, [3]), f.make(op + "2", [3])])
    f.case(op, "torch.where", [b([3]), f.make(op, [4]), f.make(op + "2", [3])])

    op = "masked_fill"
    for s0, l0, s1, l1 in [([], "c", [], "c"), ([0], "c", [0], "c"), ([19], "c", [19], "c"), ([3, 4], "t", [3, 4], "s"), ([3, 4], "c", [4], "c"),
                           ([4], "c", [3, 1], "c"), ([2, 3, 4], "n", [3, 1], "c"), ([3, 4], "e", [3, 4], "c")]:  # fmt: skip
        f.case(op, "Tensor.masked_fill", [f.make(op, s0, F32, l0, "any", True), b(s1, l1), -2.5])
        if torch.broadcast_shapes(s0, s1) == torch.Size(s0) and l0 != "e":
            f.case(op, "Tensor.masked_fill_", [f.make(op, s0, F32, l0, "any"), b(s1, l1), 7])
            f.case(op, "Tensor.masked_fill_", [f.make(op, s0, F32, l0, "any", True), b(s1, l1), 7], clone=True)
    f.case(op, "torch.masked_fill", [f.make(op, [3, 4], F64, "c", "any", True), b([4]), 1.5], double=True)
    f.case(op, "torch.masked_fill", [f.make(op, [3, 4], F64, "c", "any", True), b([4]), f.make(op + "2", [], F64, "c", "any", True)], double=True)
    f.case(op, "torch.masked_fill", [f.make(op, [3, 4], F32, "c", "any", True), b([4]), float("-inf")])
    for dtype in DTYPES:
        f.case(op, "torch.masked_fill", [f.make(op, [19], dtype), b([19]), 1])
        f.case(op, "torch.masked_fill", [f.make(op, [19], dtype), b([19]), 0.5])
        f.case(op, "Tensor.masked_fill_", [f.make(op, [5], dtype, "s"), b([5]), 1])
    f.case(op, "Tensor.masked_fill", [f.make(op, [3]), f.make(op, [3]), 1.0])
    f.case(op, "Tensor.masked_fill", [f.make(op, [3, 4]), b([3]), 1.0])
    f.case(op, "Tensor.masked_fill", [f.make(op, [3]), b([3]), f.make(op, [2])])


def record():
    f = Family("pointwise")
    unary(f)
    activations(f)
    tests(f)
    clamp(f)
    where(f)
    b = Family("binary")
    binary(b)
    power(b)
    compare(b)
    return [f, b]
