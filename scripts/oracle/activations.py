"""Activations of nn.functional, with their options and in-place forms."""

import torch

from .encode import DTYPES, FLOATS, HALVES
from .inputs import UNARY_SHAPES
from .recorder import Family

F32, F64 = torch.float32, torch.float64
# name, options to try
ACTIVATIONS = [
    ("relu6", [{}]), ("silu", [{}]), ("mish", [{}]), ("selu", [{}]), ("hardswish", [{}]), ("hardsigmoid", [{}]), ("logsigmoid", [{}]),
    ("softsign", [{}]), ("tanhshrink", [{}]),
    ("threshold", [{"threshold": 0.5, "value": -2}, {"threshold": -1, "value": 3}]),
    ("hardtanh", [{}, {"min_val": -0.5, "max_val": 1.5}, {"min_val": 0, "max_val": 1}]),
    ("leaky_relu", [{}, {"negative_slope": 0.3}, {"negative_slope": -1.5}]),
    ("elu", [{}, {"alpha": 0.5}, {"alpha": -1.5}]), ("celu", [{}, {"alpha": 0.5}, {"alpha": -2}]),
    ("hardshrink", [{}, {"lambd": 1.0}, {"lambd": -1.0}, {"lambd": 0}]), ("softshrink", [{}, {"lambd": 1.0}, {"lambd": 0}]),
    ("softplus", [{}, {"beta": 2}, {"beta": 3.5, "threshold": 1}, {"threshold": -1}]),
    ("rrelu", [{}, {"lower": 0.1, "upper": 0.1}]),
]  # fmt: skip
# PyTorch has no double backward
SINGLE = ["hardsigmoid"]
KINKS = [0.0, -0.0, 3.0, -3.0, 6.0, 1.0, -1.0, 0.5, -0.5, 20.0, 19.999, 2.999, -2.999]


def elementwise(f):
    for op, options in ACTIVATIONS:
        call = f"nn.functional.{op}"
        for kw in options:
            first = kw == options[0]
            for shape, layout in UNARY_SHAPES if first else UNARY_SHAPES[3:6]:
                f.case(op, call, [f.make(op, shape, F32, layout, "any", True)], kw)
            f.case(op, call, [f.make(op, [3, 4], F64, "t", "any", True)], kw, double=op not in SINGLE)
            for dtype in DTYPES if first else HALVES + [torch.int32]:
                if dtype not in (F32, F64):
                    f.case(op, call, [f.make(op, [19], dtype, "c", "any", dtype.is_floating_point)], kw)
            for dtype in FLOATS:
                special = f.make(op, [0], dtype, "c", "special")
                if op in ("mish", "silu", "tanhshrink"):
                    # PyTorch's vector and scalar code differ at an infinity
                    special = special[special != float("-inf")]
                f.case(op, call, [special], kw, tag="special values")
            f.case(op, call, [torch.tensor(KINKS, requires_grad=True)], kw, tag="kinks")
            if op in ("logsigmoid", "softsign", "tanhshrink", "hardshrink", "softshrink", "softplus"):
                continue
            kw = {**kw, "inplace": True}
            for shape, layout in [([3, 4], "t"), ([5], "s"), ([], "c"), ([0], "c")]:
                f.case(op, call, [f.make(op, shape, F32, layout)], kw)
            f.case(op, call, [f.make(op, [4], F32, "c", "any", True)], kw)
            # what PyTorch refuses to differentiate in place
            if not (kw.get("alpha", 1) < 0 or kw.get("negative_slope", 1) < 0):
                f.case(op, call, [f.make(op, [3, 4], F32, "t", "any", True)], kw, clone=True)
                f.case(op, call, [f.make(op, [5], torch.bfloat16, "c", "any", True)], kw, clone=True)
                f.case(op, call, [f.make(op, [5], F64, "c", "any", True)], kw, clone=True, double=op not in SINGLE)
    for op, args in [("threshold", [0.5, -2]), ("relu", []), ("hardtanh", [-1, 0.5]), ("elu", []), ("selu", []), ("celu", [0.5]), ("leaky_relu", [0.2]), ("rrelu", [0.1, 0.3])]:
        call = f"nn.functional.{op}_"
        f.case(op + "_", call, [f.make(op, [3, 4], F32, "t"), *args])
        f.case(op + "_", call, [f.make(op, [3, 4], F32, "c", "any", True), *args], clone=True)
        f.case(op + "_", call, [f.make(op, [3, 4], F32, "c", "any", True), *args])
        if hasattr(torch, op + "_"):
            f.case(op + "_", f"torch.{op}_", [f.make(op, [3, 4], F32, "s"), *args])
    x = lambda shape=(5,), dtype=F32, grad=False: f.make("x", list(shape), dtype, "c", "any", grad)
    for op, args in [("threshold", [0.5, 2]), ("hardshrink", [0.3]), ("selu", []), ("celu", [0.5]), ("rrelu", [0.1, 0.3])]:
        f.case(op, f"torch.{op}", [x(grad=True), *args])
    f.case("hardshrink", "Tensor.hardshrink", [x(grad=True), 0.3])
    f.case("hardshrink", "Tensor.hardshrink", [x(dtype=torch.int32)])
    # errors and odd calls
    N = "nn.functional."
    f.case("threshold", N + "threshold", [x(dtype=torch.int64), 1.5, 2.5])
    f.case("threshold", N + "threshold", [x(dtype=torch.uint8), 4, 300])
    f.case("threshold", N + "threshold", [x(dtype=torch.int8), 4, 300])
    f.case("threshold", N + "threshold", [x(dtype=torch.float16), 4, 1e9])
    f.case("softshrink", N + "softshrink", [x(), -1])
    f.case("softshrink", N + "softshrink", [x(dtype=torch.float16), 1e5])
    f.case("softshrink", N + "softshrink", [x(dtype=torch.float64), -0.25])
    f.case("celu", N + "celu", [x(), 0])
    f.case("hardtanh", N + "hardtanh", [x(), 2, 1])
    f.case("hardtanh", N + "hardtanh", [x(dtype=torch.int32), -2, 2])
    f.case("hardtanh", N + "hardtanh", [x(dtype=torch.int64), 0.5, 2.5])
    f.case("hardtanh", N + "hardtanh", [x(dtype=torch.uint8), 1, 3])
    f.case("rrelu", N + "rrelu", [x(), 0.5, 0.1])
    f.case("rrelu", N + "rrelu", [x(dtype=torch.int32)], {"training": True})


def prelu(f):
    op, call = "prelu", "nn.functional.prelu"
    m = lambda shape, layout="c", dtype=F32, grad=True: f.make(op, shape, dtype, layout, "any", grad)
    w = lambda shape, dtype=F32, grad=True: f.make("w", shape, dtype, "c", "any", grad)
    for shape, layout, weight in [([], "c", []), ([], "c", [1]), ([5], "c", [1]), ([5], "s", []), ([3, 4], "t", [4]), ([3, 4], "c", [1]), ([3, 4], "e", []),
                                  ([2, 3, 4], "c", [3]), ([2, 3, 4, 2], "s", [3]), ([0, 3], "c", [3]), ([2, 1, 3], "c", [1])]:  # fmt: skip
        f.case(op, call, [m(shape, layout), w(weight)])
        f.case(op, call, [m(shape, layout, F64), w(weight, F64)], double=True)
    f.case(op, "Tensor.prelu", [m([3, 4]), w([4])])
    f.case(op, "torch.prelu", [m([3, 4]), w([4])])
    for dtype in DTYPES:
        f.case(op, call, [m([2, 3], dtype=dtype), w([3], dtype)])
    f.case(op, call, [m([2, 3]), w([3], F64)])
    f.case(op, call, [m([2, 3]), w([2])])
    f.case(op, call, [m([5]), w([5])])
    f.case(op, call, [m([]), w([2])])
    f.case(op, call, [m([2, 3]), w([1, 3])])
    f.case(op, call, [torch.tensor(KINKS, requires_grad=True), w([1])], tag="kinks")
    f.case(op, call, [f.make(op, [0], F32, "c", "special"), w([1])], tag="special values")


def glu(f):
    op, call = "glu", "nn.functional.glu"
    m = lambda shape, layout="c", dtype=F32: f.make(op, shape, dtype, layout, "any", True)
    for shape, layout, dim in [([4], "c", -1), ([3, 4], "c", -1), ([4, 3], "t", 0), ([2, 4, 3], "s", 1), ([2, 4, 3], "n", -2), ([0, 4], "c", 1), ([2, 0], "c", 1), ([3, 4], "e", 1)]:
        f.case(op, call, [m(shape, layout), dim])
        f.case(op, call, [m(shape, layout, F64), dim], double=True)
    for dtype in DTYPES:
        f.case(op, call, [m([2, 38], dtype=dtype)])
    f.case(op, call, [m([2, 3])])
    f.case(op, call, [m([2, 4]), 5])
    f.case(op, call, [m([])])


def softmin(f):
    op, call = "softmin", "nn.functional.softmin"
    m = lambda shape, layout="c", dtype=F32: f.make(op, shape, dtype, layout, "any", True)
    for shape, layout, dim in [([5], "c", 0), ([3, 4], "t", 1), ([2, 3, 4], "s", 1), ([3, 4], "c", None), ([], "c", 0)]:
        f.case(op, call, [m(shape, layout), dim])
    f.case(op, call, [m([3, 4], "c", F64), -1], double=True)
    f.case(op, call, [m([3, 4]), 1], {"dtype": torch.float64})
    f.case(op, call, [f.make(op, [3], torch.int64), 0], {"dtype": torch.float32})


def record():
    f = Family("activations")
    elementwise(f)
    prelu(f)
    glu(f)
    softmin(f)
    return [f]
