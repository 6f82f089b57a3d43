"""The PyTorch side of the bench: the cases of bench/cases/*.ts, spoken to as bench/peers/protocol.ts says.

A tool, not a test: nothing depends on its presence.
"""
import json
import sys
import time

import torch
import torch.nn.functional as F

from pytorch_training import TRAININGS
from pytorch_waves import wave, whole


def matmul(n, dtype="float32"):
    a, b = (wave([n, n], seed).to(getattr(torch, dtype)) for seed in (1, 2))
    return lambda: torch.matmul(a, b)


def add(n, enqueued=0):
    a, b = wave([n], 1), wave([n], 2)
    return lambda: torch.add(a, b)


def pointwise(op, n):
    a, b = wave([n], 1), wave([n], 2)
    return {
        "add": lambda: a.add(b),
        "mul": lambda: a.mul(b),
        "exp": lambda: a.exp(),
        "gelu": lambda: F.gelu(a),
        "sigmoid": lambda: a.sigmoid(),
    }[op]


def sum_(n):
    a = wave([n], 1)
    return lambda: a.sum()


def both(leaves, forward):
    """Runs forward, then backward from a given gradient; gradients of the step before are gone."""
    for leaf in leaves:
        leaf.requires_grad_()
    gradient = torch.ones_like(forward())

    def step():
        for leaf in leaves:
            leaf.grad = None
        forward().backward(gradient)

    return step


def softmax(n):
    x = wave([n, n], 1)
    return both([x], lambda: F.softmax(x, -1))


def layer_norm(n):
    x, weight, bias = wave([n, n], 1), torch.ones(n), torch.zeros(n)
    return both([x, weight, bias], lambda: F.layer_norm(x, [n], weight, bias))


def conv2d(batch, channels, size):
    x, weight = wave([batch, channels, size, size], 1), wave([channels, channels, 3, 3], 2, 0.05)
    return both([x, weight], lambda: F.conv2d(x, weight, None, 1, 1))


def embedding_bag(rows, width, batch, pooling):
    weight = torch.zeros(rows, width).add_(0.5)
    indices = whole([batch, pooling], rows, 104_729)
    return both([weight], lambda: F.embedding_bag(indices, weight, None, mode="sum"))


def attention(heads, length, width):
    q, k, v = (wave([1, heads, length, width], seed) for seed in (1, 2, 3))
    if hasattr(F, "scaled_dot_product_attention"):
        return both([q, k, v], lambda: F.scaled_dot_product_attention(q, k, v))
    return both([q, k, v], lambda: torch.matmul(F.softmax(torch.matmul(q, k.transpose(-1, -2)) / width**0.5, -1), v))


def adam(tensors, elements, fused=0):
    parameters = [torch.nn.Parameter(torch.ones(elements)) for _ in range(tensors)]
    for parameter in parameters:
        parameter.grad = torch.ones(elements)
    try:
        optimizer = torch.optim.Adam(parameters, **({"fused": True} if fused else {}))
    except (TypeError, RuntimeError):  # before 2.4 the cpu had no fused form: its own default then
        optimizer = torch.optim.Adam(parameters)
    return optimizer.step


CASES = {
    "matmul": matmul,
    "add": add,
    "pointwise": pointwise,
    "sum": sum_,
    "softmax": softmax,
    "layer_norm": layer_norm,
    "conv2d": conv2d,
    "embedding_bag": embedding_bag,
    "attention": attention,
    "adam": adam,
    **TRAININGS,
}


def answer(request, prepared):
    torch.set_num_threads(request["threads"])
    what = request["do"]
    if what in ("forget", "losses"):
        prepared.clear()
        if what == "forget":
            return {}
        step = CASES[request["case"]](**request["args"])
        return {"losses": [step().item() for _ in range(request["repeat"])]}
    if what != "time":
        return {"error": "PyTorch has no such figure on the cpu"}
    key = json.dumps([request["case"], request["args"]])
    if key not in prepared:
        prepared[key] = CASES[request["case"]](**request["args"])
    step, repeat = prepared[key], request["repeat"]
    start = time.perf_counter()
    for _ in range(repeat):
        step()
    return {"seconds": time.perf_counter() - start}


def main():
    print(json.dumps({"version": torch.__version__.split("+")[0], "cases": list(CASES)}), flush=True)
    prepared = {}
    for line in sys.stdin:
        try:
            print(json.dumps(answer(json.loads(line), prepared)), flush=True)
        except Exception as error:  # the bench says which contender could not do what
            print(json.dumps({"error": repr(error)}), flush=True)


main()
