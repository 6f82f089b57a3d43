"""Reads the fixtures back as a test does, repeats every call in PyTorch and compares bit by bit: python scripts/oracle/check.py [family …].

It finds mistakes of the encoding (strides, offsets, dtypes), and calls that are not reproducible.
"""

import base64
import json
import math
import sys
import warnings
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])

import torch  # noqa: E402

from oracle.encode import NAMES, value_bytes  # noqa: E402
from oracle.recorder import FIXTURES, resolve, tensors_in  # noqa: E402

BY_NAME = {v: k for k, v in NAMES.items()}
FAMILIES = ["pointwise", "binary", "promotion", "reductions", "views", "copies", "matmul", "indexing", "gathering", "functional", "creation"]


def tensor(data):
    dtype = BY_NAME[data["dtype"]]
    raw = base64.b64decode(data["data"])
    flat = torch.frombuffer(bytearray(raw), dtype=dtype) if raw else torch.zeros(0, dtype=dtype)
    if "strides" in data:
        x = flat.as_strided(data["shape"], data["strides"], data["offset"])
    else:
        x = flat.reshape(data["shape"])
    return x.detach().requires_grad_(data.get("grad", False))


def decode(value):
    if isinstance(value, str):
        return slice(None) if value == ":" else Ellipsis if value == "..." else value
    if isinstance(value, list):
        return [decode(v) for v in value]
    if isinstance(value, dict):
        ((key, v),) = value.items()
        return {
            "T": lambda: tensor(v),
            "dtype": lambda: BY_NAME[v],
            "slice": lambda: slice(*v),
            "float": lambda: float(v),
            "int": lambda: int(v),
            "bigint": lambda: int(v),
        }[key]()
    return value


def same_tensor(actual, data):
    shape = list(actual.shape) == data["shape"]
    if data["data"] is None:
        return shape
    return shape and NAMES[actual.dtype] == data["dtype"] and value_bytes(actual) == base64.b64decode(data["data"])


def same(actual, value):
    if isinstance(value, dict) and "T" in value:
        return same_tensor(actual, value["T"])
    if isinstance(value, dict) and "tuple" in value:
        value = value["tuple"]
    if isinstance(value, list):
        return len(actual) == len(value) and all(same(a, v) for a, v in zip(actual, value))
    expected = decode(value)
    return actual == expected or isinstance(expected, float) and math.isnan(expected) and math.isnan(actual)


def run(case):
    args = [decode(a) for a in case["args"]]
    kwargs = {k: decode(v) for k, v in case.get("kwargs", {}).items()}
    leaves = [t for t in tensors_in(args) + tensors_in(kwargs) if t.requires_grad]
    try:
        if case.get("clone"):
            args[0] = args[0].clone()
        result = resolve(case["call"])(*args, **kwargs)
    except Exception as error:  # noqa: BLE001
        return case.get("error", {}).get("text") == str(error)
    if "error" in case or not same(result, case["result"]):
        return False
    if "grads" in case and "grad2" not in case and "via" not in case:
        seeds = [tensor(g) for g in case["grad_output"]]
        grads = torch.autograd.grad([t for t in tensors_in(result) if t.requires_grad], leaves, seeds, allow_unused=True)
        return all((g is None) == (e is None) and (g is None or same_tensor(g, e)) for g, e in zip(grads, case["grads"]))
    return True


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for family in sys.argv[1:] or FAMILIES:
        groups = json.loads((FIXTURES / f"{family}.json").read_text())["groups"]
        cases = [c for group in groups.values() for c in group]
        wrong = [c["name"] for c in cases if not run(c)]
        print(f"{family:12} {len(cases):6} cases, {len(wrong)} differ", *wrong[:8], sep="\n    " if wrong else "")


main()
