"""Factories without randomness. In these the device under test is added to the options."""

import torch

from .encode import DTYPES, BigInt
from .recorder import Family

F32, F64 = torch.float32, torch.float64


def record():
    f = Family("creation")

    def c(op, args, kw=None, **more):
        f.case(op, f"torch.{op}", args, kw, factory=True, **more)

    inf, nan = float("inf"), float("nan")
    # numbers are floats, bigints ints, booleans bools: as a JavaScript number says nothing
    for data in ([1.5, -2.0, 3.25], [[1.5, 2.5], [3.5, 4.5]], 1.5, [], [[], []], [nan, inf, -inf], [[[0.5]]], True, [True, False], [[True], [False]]):
        c("tensor", [data])
    for data in (BigInt(3), [BigInt(1), BigInt(-2)], [[BigInt(2**53 + 1)], [BigInt(-(2**62))]]):
        c("tensor", [data])
    for dtype in DTYPES:
        c("tensor", [[1.0, 0.0, 2.5]], {"dtype": dtype})
        c("tensor", [[True, False]], {"dtype": dtype})
        c("tensor", [[BigInt(3), BigInt(0)]], {"dtype": dtype})
        c("tensor", [7.0], {"dtype": dtype})
    c("tensor", [[1.5, 2.5]], {"requires_grad": True})
    c("tensor", [[[1.5, 2.5], [3.5]]])
    c("tensor", [[[1.5, 2.5], 3.5]])
    c("tensor", [[1.5, [2.5]]])
    c("tensor", [[1.5]], {"dtype": torch.int64, "requires_grad": True})
    c("tensor", [[300.0]], {"dtype": torch.uint8}, match="")
    for op in ("zeros", "ones"):
        for size in ([], [0], [3], [2, 3], [2, 0, 3]):
            c(op, [size])
        c(op, [2, 3])
        for dtype in DTYPES:
            c(op, [[2, 3]], {"dtype": dtype})
        c(op, [[2]], {"requires_grad": True})
        c(op, [[-1]])
        c(op, [[2]], {"dtype": torch.int32, "requires_grad": True})
        for dtype in DTYPES:
            x = f.make("like", [3, 4], dtype, "t")
            f.case(op + "_like", f"torch.{op}_like", [x], strides=True)
            f.case(op + "_like", f"torch.{op}_like", [x], {"dtype": F64})
            f.case("new_" + op, f"Tensor.new_{op}", [x, [2, 3]])
            f.case("new_" + op, f"Tensor.new_{op}", [x, [2, 3]], {"dtype": torch.int64})
    for dtype in DTYPES:
        x = f.make("like", [3, 4], dtype, "e")
        c("full", [[2, 3], 7], {"dtype": dtype})
        f.case("full_like", "torch.full_like", [x, 3])
        f.case("new_full", "Tensor.new_full", [x, [2], 3])
    c("full", [[2, 3], 1.5])
    c("full", [[2], True])
    c("full", [[], -inf])
    c("full", [[0], 1.5])
    c("full", [[2], BigInt(5)])
    f.case("full_like", "torch.full_like", [f.make("like", [3, 4], torch.int64), 2.5], {"dtype": F32})
    # whole numbers make int64, as in Python
    for args in ([5], [0], [1, 4], [5, 1, -2], [1, 10, 3], [0, 1, 0.25], [0.5], [1.5, 4.75], [3, 0], [-2, 2, 0.3], [1, 1], [0, -5, -1], [2, 5, 0], [0, 5, -1], [0, 0.3, 0.1]):
        c("arange", args)
    for dtype in DTYPES:
        c("arange", [5], {"dtype": dtype})
        c("arange", [1, 10, 2], {"dtype": dtype})
        c("linspace", [1, 12, 5], {"dtype": dtype})
    c("arange", [], {"start": 1, "end": 7, "step": 2}, match="")
    for args in ([0, 1, 5], [0, 10, 1], [0, 10, 0], [-1, 1, 2], [3, -3, 7], [0, 1, 100], [1.5, 1.5, 3], [0, 1, -1], [0, 1, 11]):
        c("linspace", args)
        c("linspace", args, {"dtype": F64})
    for args in ([3], [2, 4], [4, 2], [0], [1, 1], [3, 0], [-1], [2, -1]):
        c("eye", args)
    for dtype in DTYPES:
        c("eye", [3], {"dtype": dtype})
    for shape in ([], [0], [2, 3]):
        c("empty", [shape], values=False)
    c("empty", [2, 3], values=False)
    c("empty", [[-1]])
    for dtype in DTYPES:
        c("empty", [[2, 3]], {"dtype": dtype}, values=False)
        for layout in "cts":
            f.case("empty_like", "torch.empty_like", [f.make("like", [3, 4], dtype, layout)], values=False)
        f.case("new_empty", "Tensor.new_empty", [f.make("like", [3, 4], dtype), [2]], values=False)
        f.case("new_tensor", "Tensor.new_tensor", [f.make("like", [3, 4], dtype), [1.0, 0.0]], {"dtype": F32})
        c("as_tensor", [[1.0, 0.0]], {"dtype": dtype})
        f.case("as_tensor", "torch.as_tensor", [f.make("as", [3], dtype)])
        f.case("as_tensor", "torch.as_tensor", [f.make("as", [3, 4], dtype, "t")], {"dtype": torch.int32}, strides=True)
    c("as_tensor", [[[1.5, 2.5], [3.5, 4.5]]])
    return [f]
