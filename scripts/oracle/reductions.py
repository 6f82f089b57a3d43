"""Reductions, softmax family, cumsum."""

import torch

from .encode import DTYPES, HALVES
from .recorder import Family

F32, F64 = torch.float32, torch.float64
SHAPES = [([], "c"), ([0], "c"), ([19], "c"), ([3, 4], "t"), ([2, 3, 4], "s"), ([3, 4], "e"), ([2, 0, 3], "c")]


def sums(f):
    for op in ("sum", "mean"):
        for shape, layout in SHAPES:
            f.case(op, f"torch.{op}", [f.make(op, shape, F32, layout, "any", True)])
        for dim in (0, 1, -1, [0], [0, 2], [1, 2], [0, 1, 2], [-1, 0], []):
            for keep in (False, True):
                f.case(op, f"Tensor.{op}", [f.make(op, [2, 3, 4], F32, "c", "any", True), dim], {"keepdim": True} if keep else {})
            f.case(op, f"torch.{op}", [f.make(op, [2, 3, 4], F32, "s", "any", True)], {"dim": dim})
        f.case(op, f"torch.{op}", [f.make(op, [2, 3, 4], F32, "n", "any", True), 1], {"keepdim": True})
        f.case(op, f"torch.{op}", [f.make(op, [3, 4], F32, "e", "any", True), 0])
        f.case(op, f"torch.{op}", [f.make(op, [3, 4], F32, "e", "any", True), 1])
        f.case(op, f"torch.{op}", [f.make(op, [5, 37], F32, "c", "any", True), 1])
        f.case(op, f"torch.{op}", [f.make(op, [37, 5], F32, "c", "any", True), 0])
        f.case(op, f"torch.{op}", [f.make(op, [37, 5], F32, "t", "any", True), 0])
        f.case(op, f"torch.{op}", [f.make(op, [], F32, "c", "any", True), 0])
        f.case(op, f"torch.{op}", [f.make(op, [], F32, "c", "any", True), -1], {"keepdim": True})
        f.case(op, f"torch.{op}", [f.make(op, [2, 0, 3], F32, "c", "any", True), 1])
        f.case(op, f"torch.{op}", [f.make(op, [2, 0, 3], F32, "c", "any", True), 0])
        f.case(op, f"Tensor.{op}", [f.make(op, [2, 3, 4], F64, "c", "any", True), [0, 2]], double=True)
        f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], F64, "t", "any", True)], double=True)
        for dtype in DTYPES:
            f.case(op, f"torch.{op}", [f.make(op, [19], dtype)])
            f.case(op, f"torch.{op}", [f.make(op, [3, 4], dtype, "t", "any", True), 0])
            f.case(op, f"torch.{op}", [f.make(op, [3, 4], dtype), 1], {"dtype": F64})
            f.case(op, f"torch.{op}", [f.make(op, [3, 4], dtype), 1], {"dtype": F32})
            f.case(op, f"torch.{op}", [f.make(op, [3, 4], F32, "c", "any", True)], {"dtype": dtype})
        f.case(op, f"torch.{op}", [f.make(op, [], F32), 1])
        f.case(op, f"torch.{op}", [f.make(op, [2, 3]), 2])
        f.case(op, f"torch.{op}", [f.make(op, [2, 3]), -3])
        f.case(op, f"torch.{op}", [f.make(op, [2, 3]), [0, 0]])
        f.case(op, f"torch.{op}", [f.make(op, [2, 3]), [0, -2]])
    f.case("sum", "torch.sum", [torch.full([300], 1, dtype=torch.uint8)])
    f.case("sum", "torch.sum", [torch.full([200], True)])
    f.case("sum", "torch.sum", [torch.full([4], 2**31 - 1, dtype=torch.int32)])
    f.case("sum", "torch.sum", [torch.full([300], 300.0, dtype=torch.float16)])
    f.case("mean", "torch.mean", [torch.full([300], 300.0, dtype=torch.float16)])
    f.case("sum", "torch.sum", [torch.tensor([1.0, float("nan"), float("inf")])])
    f.case("sum", "torch.sum", [torch.tensor([1.0, float("-inf"), float("inf")])])
    f.case("sum", "torch.sum", [f.make("sum", [1000], F32, "c", "pos", True)])
    f.case("mean", "torch.mean", [f.make("mean", [4, 300], F32, "c", "pos", True), 1])


def extrema(f):
    for op in ("max", "min"):
        for shape, layout in SHAPES:
            f.case(op, f"torch.{op}", [f.make(op, shape, F32, layout, "any", True)])
        f.case(op, f"torch.{op}", [f.make(op, [19], F32, "c", "ties", True)], tag="ties")
        f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], F64, "c", "any", True)], double=True)
        for dim in (0, 1, -1):
            for keep in (False, True):
                f.case(op, f"torch.{op}", [f.make(op, [2, 3, 4], F32, "c", "any", True), dim], {"keepdim": True} if keep else {})
            f.case(op, f"Tensor.{op}", [f.make(op, [2, 3, 4], F32, "s", "ties", True), dim])
            f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], F32, "t", "any", True)], {"dim": dim})
        f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], F64, "c", "any", True), 1], double=True)
        f.case(op, f"Tensor.{op}", [f.make(op, [], F32, "c", "any", True), 0])
        f.case(op, f"Tensor.{op}", [f.make(op, [2, 0, 3], F32), 0])
        f.case(op, f"Tensor.{op}", [f.make(op, [2, 0, 3], F32), 1])
        f.case(op, f"Tensor.{op}", [f.make(op, [37, 5], F32, "c"), 0])
        f.case(op, f"Tensor.{op}", [torch.tensor([[1.0, float("nan"), 3.0, float("nan")], [1, 2, 3, 3]]), 1])
        f.case(op, f"Tensor.{op}", [torch.tensor([1.0, float("nan"), 3.0])])
        f.case(op, f"torch.{op}", [f.make(op, [3, 4], F32, "c", "ties", True), f.make(op + "2", [4], F32, "c", "ties", True)])
        for dtype in DTYPES:
            f.case(op, f"torch.{op}", [f.make(op, [19], dtype)])
            f.case(op, f"torch.{op}", [f.make(op, [3, 5], dtype, "c", "ties", True), 1])
            f.case(op, f"torch.{op}", [f.make(op, [3, 5], dtype, "t", "ties"), 0])
        f.case(op, f"torch.{op}", [f.make(op, [2, 3]), 2])

    for op in ("amax",):
        for shape, layout in SHAPES:
            f.case(op, f"torch.{op}", [f.make(op, shape, F32, layout, "any", True)])
        f.case(op, f"torch.{op}", [f.make(op, [19], F32, "c", "ties", True)], tag="ties")
        for dim in (0, 1, -1, [0, 2], [], [0, 1, 2]):
            for keep in (False, True):
                f.case(op, f"Tensor.{op}", [f.make(op, [2, 3, 4], F32, "c", "ties", True), dim], {"keepdim": True} if keep else {})
        f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], F64, "c", "ties", True), 1], double=True)
        f.case(op, f"Tensor.{op}", [f.make(op, [2, 0, 3], F32), 1])
        f.case(op, f"Tensor.{op}", [f.make(op, [2, 0, 3], F32), 0])
        f.case(op, f"Tensor.{op}", [torch.tensor([[1.0, float("nan"), 3.0], [1, 2, 3]]), 1])
        for dtype in DTYPES:
            f.case(op, f"torch.{op}", [f.make(op, [3, 5], dtype, "t", "ties", True), 1])
            f.case(op, f"torch.{op}", [f.make(op, [19], dtype)])
        f.case(op, f"torch.{op}", [f.make(op, [2, 3]), [0, 0]])
        f.case(op, f"torch.{op}", [f.make(op, [2, 3]), 5])

    op = "argmax"
    for shape, layout in SHAPES:
        f.case(op, f"torch.{op}", [f.make(op, shape, F32, layout)])
    for dim in (0, 1, -1):
        for keep in (False, True):
            f.case(op, f"torch.{op}", [f.make(op, [2, 3, 4], F32, "s"), dim], {"keepdim": True} if keep else {})
    f.case(op, f"Tensor.{op}", [f.make(op, [2, 3, 4], F32, "c", "ties")])
    f.case(op, f"Tensor.{op}", [f.make(op, [2, 3, 4], F32, "c", "ties"), 1])
    f.case(op, f"Tensor.{op}", [f.make(op, [2, 3], F32)], {"keepdim": True})
    f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], F32, "c", "any", True), 1])
    f.case(op, f"Tensor.{op}", [f.make(op, [], F32), 0])
    f.case(op, f"Tensor.{op}", [f.make(op, [2, 0, 3], F32), 0])
    f.case(op, f"Tensor.{op}", [f.make(op, [2, 0, 3], F32), 1])
    f.case(op, f"Tensor.{op}", [torch.tensor([[1.0, float("nan"), 3.0, float("nan")], [1, 3, 3, 2]]), 1])
    for dtype in DTYPES:
        f.case(op, f"torch.{op}", [f.make(op, [19], dtype)])
        f.case(op, f"torch.{op}", [f.make(op, [3, 5], dtype, "t", "ties"), 1])


def variance(f):
    op = "var"
    for shape, layout in SHAPES:
        f.case(op, f"torch.{op}", [f.make(op, shape, F32, layout, "any", True)])
    for dim in (0, 1, -1, [0, 2], [0, 1, 2]):
        for kw in ({}, {"keepdim": True}, {"correction": 0}, {"correction": 2, "keepdim": True}, {"unbiased": False}):
            f.case(op, f"Tensor.{op}", [f.make(op, [2, 3, 4], F32, "c", "any", True), dim], kw)
    f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], F32, "t", "any", True)], {"dim": 1, "correction": 0})
    f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], F32, "t", "any", True)], {"correction": 0})
    f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], F32, "t", "any", True), False])
    f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], F64, "c", "any", True), 1], double=True)
    f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], F64, "c", "any", True)], double=True)
    f.case(op, f"Tensor.{op}", [f.make(op, [4, 37], F32, "c", "any", True) , 1])
    f.case(op, f"Tensor.{op}", [(f.make(op, [4, 37], F32) + 1000).detach().requires_grad_(), 1], tag="far from zero")
    f.case(op, f"Tensor.{op}", [f.make(op, [3, 1], F32), 1])
    f.case(op, f"Tensor.{op}", [f.make(op, [2, 0, 3], F32), 1])
    for dtype in DTYPES:
        f.case(op, f"torch.{op}", [f.make(op, [3, 5], dtype, "c", "any", True), 1])
        f.case(op, f"torch.{op}", [f.make(op, [19], dtype)])


def logic(f):
    for op in ("all", "any"):
        for shape, layout in SHAPES:
            f.case(op, f"torch.{op}", [f.make(op, shape, torch.bool, layout)])
        for dim in (0, 1, -1, [0, 2]):
            for keep in (False, True):
                f.case(op, f"torch.{op}", [f.make(op, [2, 3, 2], torch.bool, "s"), dim], {"keepdim": True} if keep else {})
        for dtype in DTYPES:
            f.case(op, f"Tensor.{op}", [f.make(op, [5], dtype, "c", "ties")])
            f.case(op, f"Tensor.{op}", [f.make(op, [5, 2], dtype, "t", "ties"), 1])
        f.case(op, f"Tensor.{op}", [torch.tensor([0.0, float("nan")])])
        f.case(op, f"Tensor.{op}", [torch.ones(40, dtype=torch.bool)])
        f.case(op, f"Tensor.{op}", [torch.zeros(40, dtype=torch.uint8)])
        f.case(op, f"Tensor.{op}", [f.make(op, [2, 3]), 2])


def softmaxes(f):
    for op in ("softmax", "log_softmax"):
        for shape, layout in [([], "c"), ([19], "c"), ([3, 4], "t"), ([2, 3, 4], "s"), ([3, 4], "e"), ([2, 0, 3], "c"), ([0], "c"), ([4, 37], "c")]:
            for dim in range(-1, len(shape)):
                f.case(op, f"torch.{op}", [f.make(op, shape, F32, layout, "any", True), dim])
        f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], F64, "c", "any", True), 1], double=True)
        f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], F64, "t", "any", True), 0], double=True)
        f.case(op, f"nn.functional.{op}", [f.make(op, [3, 4], F32, "c", "any", True)], {"dim": -1})
        f.case(op, f"nn.functional.{op}", [f.make(op, [3, 4], F32, "c", "any", True)], {"dim": 1, "dtype": F64})
        f.case(op, f"torch.{op}", [f.make(op, [3, 4], torch.bfloat16, "c", "any", True), 1], {"dtype": F32})
        f.case(op, f"torch.{op}", [f.make(op, [3, 4], torch.int64), 1], {"dtype": F32})
        f.case(op, f"Tensor.{op}", [torch.tensor([[1e4, 1e4 + 1, 0.0], [-1e4, -1e4, -1e4 + 2]], requires_grad=True), 1], tag="large")
        f.case(op, f"Tensor.{op}", [torch.tensor([[float("-inf"), 0.0, 1.0], [float("-inf")] * 3, [float("inf"), 1, 2], [float("nan"), 1, 2]]), 1])
        for dtype in DTYPES:
            f.case(op, f"torch.{op}", [f.make(op, [3, 19], dtype, "c", "any", True), 1])
            f.case(op, f"torch.{op}", [f.make(op, [5, 3], dtype, "c", "any", True), 0])
        f.case(op, f"torch.{op}", [f.make(op, [3, 4]), 2])
    op = "logsumexp"
    for shape, layout in [([19], "c"), ([3, 4], "t"), ([2, 3, 4], "s"), ([3, 4], "e"), ([2, 0, 3], "c")]:
        for dim in range(-1, len(shape)):
            f.case(op, f"torch.{op}", [f.make(op, shape, F32, layout, "any", True), dim])
    f.case(op, f"torch.{op}", [f.make(op, [], F32, "c", "any", True), 0])
    f.case(op, f"Tensor.{op}", [f.make(op, [2, 3, 4], F32, "c", "any", True), [0, 2]])
    f.case(op, f"Tensor.{op}", [f.make(op, [2, 3, 4], F32, "c", "any", True), [0, 2]], {"keepdim": True})
    f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], F64, "c", "any", True), 1], double=True)
    f.case(op, f"Tensor.{op}", [torch.tensor([[1e4, 1e4 + 1, 0.0], [-1e4, -1e4, -1e4 + 2]], requires_grad=True), 1], tag="large")
    f.case(op, f"Tensor.{op}", [torch.tensor([[float("-inf"), 0.0, 1.0], [float("-inf")] * 3, [float("inf"), 1, 2], [float("nan"), 1, 2]]), 1])
    for dtype in DTYPES:
        f.case(op, f"torch.{op}", [f.make(op, [3, 19], dtype, "c", "any", True), 1])
    op = "cumsum"
    for shape, layout in SHAPES:
        for dim in range(-1, max(1, len(shape))):
            f.case(op, f"torch.{op}", [f.make(op, shape, F32, layout, "any", True), dim])
    f.case(op, f"Tensor.{op}", [f.make(op, [3, 4], F64, "c", "any", True), 1], double=True)
    for dtype in DTYPES:
        f.case(op, f"Tensor.{op}", [f.make(op, [3, 19], dtype, "c", "any", True), 1])
        f.case(op, f"Tensor.{op}", [f.make(op, [4, 3], dtype), 0], {"dtype": F64})
        f.case(op, f"Tensor.cumsum_", [f.make(op, [4, 3], dtype, "t"), 0])
    f.case(op, f"Tensor.{op}", [f.make(op, [2, 3]), 2])
    f.case(op, f"Tensor.cumsum_", [f.make(op, [2, 3], F32, "c", "any", True), 1], clone=True)


def record():
    f = Family("reductions")
    sums(f)
    extrema(f)
    variance(f)
    logic(f)
    softmaxes(f)
    return [f]
