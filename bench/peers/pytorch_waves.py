"""Numbers that every peer can compute for itself; bench/cases/case.ts has the same."""
import math

import torch


def wave(shape, seed, scale=1.0):
    at = torch.arange(math.prod(shape), dtype=torch.float64)
    return (scale * torch.sin(12.9898 * at + 78.233 * (seed + 1))).to(torch.float32).view(shape)


def whole(shape, below, step=7):
    return ((step * torch.arange(math.prod(shape))) % below).view(shape)
