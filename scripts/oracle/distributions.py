"""Sequences of random calls of the public API after a seed, and the exact results: distributions.json.

A sequence: {seed, calls}. A call is as in recorder.py, with `result` or `error`; in-place calls are given a new tensor of zeros. Results are compared bit for bit
(cauchy_ in float64 but for the last place: the tangent is the C library's).
"""

import json

import torch

from .encode import FLOATS, INTS, encode, encode_input, encode_output
from .recorder import FIXTURES, error_of, json_lines, resolve, unwrap, unwrap_kwargs

F32, F64 = torch.float32, torch.float64
L = torch.tensor
SIZES = [0, 1, 7, 16, 100, 1500]


def record_calls(seed, calls):
    torch.manual_seed(seed)
    out = []
    for call, args, kwargs in calls:
        entry = {"name": call, "call": call, "args": [encode(a, encode_input) for a in args]}
        if kwargs:
            entry["kwargs"] = {k: encode(v, encode_input) for k, v in kwargs.items()}
        if not args or not any(isinstance(a, torch.Tensor) for a in args):
            entry["factory"] = True
        try:
            result = resolve(call)(*unwrap(args), **unwrap_kwargs(kwargs))
        except Exception as error:  # noqa: BLE001
            entry["error"] = error_of(error)
        else:
            entry["result"] = encode(result, encode_output)
        out.append(entry)
    return {"seed": seed, "calls": out}


def sequences():
    zeros = lambda n, dtype=F32: torch.zeros(n, dtype=dtype)
    turned = lambda dtype: torch.zeros(5, 7, dtype=dtype).t()
    for i, dtype in enumerate(FLOATS):
        draws = [("log_normal_", ()), ("log_normal_", (0.1, 0.7)), ("cauchy_", ()), ("cauchy_", (2, 0.25)), ("geometric_", (0.3,)), ("geometric_", (0.001,)), ("exponential_", ()), ("exponential_", (2.5,))]
        for j, (op, args) in enumerate(draws):
            yield 100 * i + j, [(f"Tensor.{op}", [zeros(n, dtype), *args], {}) for n in SIZES] + [(f"Tensor.{op}", [turned(dtype), *args], {})]
        p = torch.rand(40, generator=torch.Generator().manual_seed(7)).to(dtype)
        yield 100 * i + 50, [("torch.bernoulli", [p], {}), ("torch.bernoulli", [p.reshape(8, 5).t()], {}), ("torch.bernoulli", [p, 0.25], {}), ("Tensor.bernoulli_", [zeros([3, 40]), p], {}),
                             ("Tensor.bernoulli_", [torch.zeros(40, dtype=torch.int64), p], {}), ("Tensor.bernoulli_", [zeros(40, dtype), L(0.5, dtype=dtype)], {})]  # fmt: skip
        rows = torch.rand(4, 9, generator=torch.Generator().manual_seed(8)).to(dtype)
        yield 100 * i + 60, [("torch.multinomial", [rows, n, replacement], {}) for n in (1, 3, 9, 30) for replacement in (False, True) if replacement or n < 10] + [
            ("torch.multinomial", [rows[0], 5], {}), ("torch.multinomial", [rows[1], 5], {"replacement": True}), ("torch.multinomial", [rows.t(), 2, True], {}), ("torch.multinomial", [rows.t(), 2], {}),
            ("torch.multinomial", [L([0.0, 0, 1, 0]).to(dtype), 1], {}), ("torch.multinomial", [L([0.0, 0, 1, 0]).to(dtype), 3, True], {})]  # fmt: skip
        mean, std = torch.arange(20).to(dtype) - 10, torch.arange(20).to(dtype) / 8
        yield 100 * i + 70, [("torch.normal", [mean], {}), ("torch.normal", [mean, 2.5], {}), ("torch.normal", [1.5, std], {}), ("torch.normal", [mean, std], {}), ("torch.normal", [mean[:4].reshape(4, 1), std[:3]], {}),
                             ("torch.normal", [0.5, 2.0, [3, 7]], {"dtype": dtype}), ("torch.normal", [mean.reshape(4, 5).t()], {}), ("torch.randint_like", [mean, 10], {}), ("torch.randint_like", [mean, -5, 5], {})]  # fmt: skip
    for i, dtype in enumerate(INTS):
        yield 1000 + i, [("Tensor.geometric_", [zeros(n, dtype), p], {}) for n in SIZES for p in (0.3, 0.5)] + [("torch.randint_like", [zeros(20, dtype), 100], {})]
    x = torch.rand(3, 4)
    yield 2000, [("torch.normal", [0.0, 1.0, [2, 3]], {}), ("torch.normal", [0.0, -1.0, [2]], {}), ("torch.normal", [zeros(3), -1.0], {}), ("torch.normal", [zeros(3), -torch.ones(3)], {}), ("torch.normal", [zeros(3), torch.ones(2)], {}),
                 ("torch.normal", [torch.zeros(3, dtype=torch.int64), 1.0], {}), ("torch.bernoulli", [torch.zeros(3, dtype=torch.int64)], {}), ("torch.bernoulli", [L([2.0])], {}), ("torch.bernoulli", [L([float("nan")])], {}),
                 ("Tensor.bernoulli_", [zeros(3), 2.0], {}), ("Tensor.bernoulli_", [zeros([3, 4]), L([0.5, 0.5])], {}), ("Tensor.bernoulli_", [zeros(3), torch.zeros(3, dtype=torch.int64)], {}),
                 ("torch.multinomial", [L([1.0, 2, 3]), 4], {}), ("torch.multinomial", [x.reshape(1, 3, 4), 1], {}), ("torch.multinomial", [L([1, 2]), 1], {}), ("torch.multinomial", [L([1.0, -2]), 1], {}),
                 ("torch.multinomial", [L([1.0, float("nan")]), 1], {}), ("torch.multinomial", [L([1.0, float("inf")]), 1], {}), ("torch.multinomial", [L([0.0, 0]), 1], {}), ("torch.multinomial", [L([0.0, 0]), 1, True], {}),
                 ("torch.multinomial", [L([0.0, 0]), 2, True], {}), ("torch.multinomial", [L([1.0, -2]), 2, True], {}), ("torch.multinomial", [L([1.0, float("inf")]), 2, True], {}), ("torch.multinomial", [L([1.0]), 0], {}),
                 ("torch.multinomial", [L(1.0), 1], {}), ("torch.multinomial", [torch.zeros(0, 3), 1], {}), ("torch.multinomial", [zeros(0), 1], {}),
                 ("Tensor.log_normal_", [zeros(3), 1.0, -1.0], {}), ("Tensor.log_normal_", [torch.zeros(3, dtype=torch.int64)], {}), ("Tensor.cauchy_", [zeros(3), 0.0, 0.0], {}), ("Tensor.cauchy_", [torch.zeros(3, dtype=torch.int64)], {}),
                 ("Tensor.geometric_", [zeros(3), 0.0], {}), ("Tensor.geometric_", [zeros(3), 1.0], {}), ("Tensor.geometric_", [torch.zeros(3, dtype=torch.bool), 0.5], {}), ("Tensor.exponential_", [zeros(3), -1.0], {}),
                 ("Tensor.exponential_", [torch.zeros(3, dtype=torch.int64)], {})]  # fmt: skip


    for i, dtype in enumerate(FLOATS):
        yield 3000 + i, [(f"Tensor.{op}", [zeros(n, dtype), *args], {}) for op, args in (("normal_", ()), ("normal_", (2, 0.5)), ("uniform_", (-1, 3))) for n in SIZES[:-1]] + [("Tensor.normal_", [turned(dtype)], {})]
        yield 3010 + i, [("torch.randn", [3, 7], {"dtype": dtype}), ("torch.rand", [[2, 9]], {"dtype": dtype}), ("torch.randn_like", [turned(dtype)], {}), ("torch.rand_like", [zeros(5, dtype)], {})]
    for i, dtype in enumerate([*INTS, torch.bool]):
        x = torch.ones(6, dtype=dtype)
        yield 3030 + i, [("torch.bernoulli", [x], {}), ("Tensor.bernoulli_", [x.clone(), 0.5], {}), ("Tensor.bernoulli_", [torch.zeros(3, 4, dtype=dtype).t(), 0.25], {}), ("torch.multinomial", [x, 2], {}), ("torch.normal", [x, 1.0], {}),
                         ("Tensor.normal_", [x.clone()], {}), ("Tensor.exponential_", [x.clone()], {}), ("torch.rand", [3], {"dtype": dtype}), ("torch.randn", [3], {"dtype": dtype}), ("torch.randint", [0, 2, [9]], {"dtype": dtype}), ("torch.randperm", [5], {"dtype": dtype})]  # fmt: skip
    for i, dtype in enumerate(FLOATS):
        yield 3040 + i, [("torch.bernoulli", [torch.zeros(2, 0, dtype=dtype)], {}), ("Tensor.bernoulli_", [torch.zeros(0, dtype=dtype)], {}), ("torch.normal", [torch.zeros(0, 3, dtype=dtype), 1.0], {}), ("torch.rand", [0, 3], {"dtype": dtype}), ("torch.randn", [0], {"dtype": dtype}), ("torch.randint", [9, [0]], {"dtype": dtype}), ("torch.randint", [9, [7]], {"dtype": dtype}), ("torch.randperm", [7], {"dtype": dtype}), ("Tensor.bernoulli_", [torch.zeros(3, 4, dtype=dtype).t(), 0.25], {})]
    yield 3020, [("torch.randperm", [n], {}) for n in (0, 1, 9, 300)] + [("torch.randint", [10, [4, 5]], {}), ("torch.randint", [-3, 300, [7]], {"dtype": torch.int32}), ("Tensor.random_", [zeros(9)], {}), ("Tensor.random_", [zeros(9), 5, 9], {}),
                 ("Tensor.normal_", [zeros(3), 0.0, -1.0], {}), ("Tensor.normal_", [torch.zeros(3, dtype=torch.int64)], {}), ("torch.randn", [3], {"dtype": torch.int64}), ("torch.randperm", [-1], {}), ("torch.randint", [5, 5, [2]], {})]  # fmt: skip


class Sequences:
    name = "distributions"

    def write(self):
        data = [record_calls(seed, calls) for seed, calls in sequences()]
        text = json_lines({"torch": torch.__version__.split("+")[0], "family": self.name}, {"sequences": data})
        (FIXTURES / f"{self.name}.json").write_text(text)
        json.loads(text)
        return len(text), sum(len(s["calls"]) for s in data)


def record():
    return [Sequences()]
