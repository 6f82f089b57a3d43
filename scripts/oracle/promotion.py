"""Type promotion of binary operations: every pair of dtypes, as tensors, 0-dim tensors and Python scalars."""

import torch

from .encode import DTYPES, NAMES
from .recorder import Family

SCALARS = [3, 2.5, True]


def record():
    f = Family("promotion")
    for op, methods in [("add", ["add"]), ("mul", ["mul"]), ("div", ["div"]), ("maximum", ["maximum"]), ("lt", ["lt"]), ("pow", ["pow"])]:
        for a in DTYPES:
            for b in DTYPES:
                x = f.make(op, [3], a, "c", "pos")
                f.case(op, f"torch.{op}", [x, f.make(op + "2", [3], b, "c", "pos")])
                f.case(op, f"torch.{op}", [x, f.make(op + "2", [], b, "c", "pos")])
                f.case(op, f"torch.{op}", [f.make(op + "2", [], a, "c", "pos"), f.make(op + "3", [], b, "c", "pos")])
            if op == "maximum":
                continue
            for scalar in SCALARS:
                f.case(op, f"Tensor.{op}", [f.make(op, [3], a, "c", "pos"), scalar])
                f.case(op, f"Tensor.{op}", [f.make(op, [], a, "c", "pos"), scalar])
    # in place the result has self's dtype, or it is an error
    op = "in place"
    for a in DTYPES:
        for b in DTYPES:
            f.case(op, "Tensor.add_", [f.make(op, [3], a, "c", "pos"), f.make(op + "2", [3], b, "c", "pos")])
            f.case(op, "Tensor.mul_", [f.make(op, [3], a, "c", "pos"), f.make(op + "2", [], b, "c", "pos")])
        for scalar in SCALARS:
            f.case(op, "Tensor.add_", [f.make(op, [3], a, "c", "pos"), scalar])
    # scalars that do not fit
    op = "scalars"
    for dtype, scalar in [(torch.uint8, 300), (torch.int8, -200), (torch.uint8, -1), (torch.int32, 2**40), (torch.int16, 70000), (torch.float16, 1e6), (torch.float32, 1e300), (torch.bool, 5)]:
        f.case(op, "Tensor.add", [f.make(op, [3], dtype, "c", "pos"), scalar])
        f.case(op, "Tensor.mul", [f.make(op, [3], dtype, "c", "pos"), scalar])
        f.case(op, "Tensor.lt", [f.make(op, [3], dtype, "c", "pos"), scalar])
    op = "result_type"
    for a in DTYPES:
        for b in DTYPES:
            f.case(op, "torch.promote_types", [a, b], name=f"promote_types({NAMES[a]}, {NAMES[b]})")
            f.case(op, "torch.can_cast", [a, b], name=f"can_cast({NAMES[a]}, {NAMES[b]})")
            f.case(op, "torch.result_type", [f.make(op, [2], a, "c", "pos"), f.make(op, [], b, "c", "pos")])
    return [f]
