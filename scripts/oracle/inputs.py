"""Input tensors: values by kind, shapes, and memory layouts."""

import torch

from .encode import INTS

# Layouts: c contiguous, t last two dimensions transposed, s every second column of a larger storage (offset 1),
# e expanded along the first dimension (stride 0), n the middle of a larger storage along the first dimension.
UNARY_SHAPES = [([], "c"), ([0], "c"), ([2, 0, 3], "c"), ([19], "c"), ([3, 4], "t"), ([2, 3, 3], "s"), ([3, 4], "e")]

SPECIALS = [
    float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, 1e-30, 1e30, -1e30, 88.5, -88.5,
    100.0, -104.0, 1e-40, 7.25, -7.25,
]


def values(shape, dtype, kind, gen):
    n = tuple(shape)
    if kind == "special":
        x = torch.tensor(SPECIALS, dtype=torch.float64)
        return x.to(dtype) if dtype.is_floating_point else torch.tensor([0, 1, 2, 3, 100, 127, 5], dtype=torch.int64).to(dtype)
    if dtype.is_floating_point:
        r = lambda lo, hi: torch.rand(n, generator=gen, dtype=torch.float64) * (hi - lo) + lo
        sign = lambda: torch.randint(0, 2, n, generator=gen).to(torch.float64) * 2 - 1
        if kind == "any":
            x = torch.randn(n, generator=gen, dtype=torch.float64) * 1.5
        elif kind == "pos":
            x = r(0.25, 3)
        elif kind == "unit":
            x = r(0.05, 0.95)
        elif kind == "nonzero":
            x = sign() * r(0.4, 3)
        elif kind == "ties":
            x = torch.randint(-2, 3, n, generator=gen).to(torch.float64)
        else:
            raise ValueError(kind)
        return x.to(dtype)
    if dtype == torch.bool:
        if kind == "nonzero":
            return torch.ones(n, dtype=torch.bool)
        return torch.randint(0, 2, n, generator=gen).to(torch.bool)
    low = 0 if dtype == torch.uint8 else -9
    if kind in ("pos", "unit"):
        low = 1
    if kind == "ties":
        low, high = (0, 3) if dtype == torch.uint8 else (-2, 3)
        return torch.randint(low, high, n, generator=gen).to(dtype)
    x = torch.randint(low, 10, n, generator=gen)
    if kind == "nonzero":
        x = torch.where(x == 0, torch.tensor(3), x)
    return x.to(dtype)


def make(shape, dtype=torch.float32, layout="c", kind="any", grad=False, gen=None):
    """A leaf tensor of that shape in that layout."""
    shape = list(shape)
    if layout == "t" and len(shape) < 2 or layout in "sen" and len(shape) < 1:
        layout = "c"
    if layout == "c":
        x = values(shape, dtype, kind, gen)
    elif layout == "t":
        x = values(shape[:-2] + [shape[-1], shape[-2]], dtype, kind, gen).transpose(-1, -2)
    elif layout == "s":
        x = values(shape[:-1] + [2 * shape[-1] + 1], dtype, kind, gen)[..., 1::2]
    elif layout == "n":
        x = values([shape[0] + 2] + shape[1:], dtype, kind, gen)[1:-1]
    elif layout == "e":
        x = values([1] + shape[1:], dtype, kind, gen).expand(shape)
    else:
        raise ValueError(layout)
    x = x.detach()
    if grad and dtype.is_floating_point:
        x.requires_grad_()
    return x
