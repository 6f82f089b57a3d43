"""Records tests/fixtures/random.json: sequences of random calls on PyTorch's CPU, and the bits that they gave.

    python scripts/oracle/random.py

Results are compared bit for bit. The numbers are those of the official wheel with its AVX2 code for normals, and in
float64 of glibc 2.36 with FMA. On Intel processors PyTorch can take bernoulli_ and exponential_ from MKL, which has other
numbers: record where they come from the generator itself (on an AMD processor).
"""

import base64
import hashlib
import itertools
import json
import pathlib

import torch

OUT = pathlib.Path(__file__).parents[2] / "tests/fixtures/random.json"
FLOATS = ["float32", "float64", "float16", "bfloat16"]
INTEGERS = ["int64", "int32", "int16", "int8", "uint8", "bool"]
SIZES = [0, 1, 2, 15, 16, 17, 24, 31, 100, 1000, 1040, 100000]


def bits(t):
    return t.contiguous().view(torch.uint8).reshape(-1).numpy().tobytes()


def record(raw):
    """All bytes of a small result; of a large one a digest, the first and the last bytes."""
    if len(raw) <= 512:
        return {"bytes": base64.b64encode(raw).decode()}
    return {
        "sha1": hashlib.sha1(raw).hexdigest(),
        "head": base64.b64encode(raw[:64]).decode(),
        "tail": base64.b64encode(raw[-64:]).decode(),
    }


def call(op, dtype, n, *args, view=None):
    """One call: the method, its arguments, and the result's storage of n zeros, whole or seen as [sizes, strides, offset]."""
    return {"op": op, "dtype": dtype, "n": n, "args": list(args), "view": view}


def run(c):
    dtype = getattr(torch, c["dtype"])
    base = torch.zeros(c["n"], dtype=dtype)
    out = torch.as_strided(base, *c["view"]) if c["view"] else base
    op, args = c["op"], c["args"]
    if op == "randperm":
        out.copy_(torch.randperm(out.numel(), dtype=dtype))
    elif op == "randint":
        args = [None if a is None else int(a) for a in args]
        if args[1] is None:
            out.random_(args[0], None)
        else:
            out.random_(*args)
    elif op == "bernoulli_tensor":
        # Probabilities i / count, as a tensor of the dtype, seen like the result.
        p = torch.arange(c["n"]).div(max(c["n"], 1)).to(getattr(torch, args[0]))
        p = torch.as_strided(p, *args[1]) if args[1] else (torch.as_strided(p, *c["view"]) if c["view"] else p)
        out.bernoulli_(p)
    else:
        getattr(out, op)(*[float(a) if isinstance(a, str) else a for a in args])
    return record(bits(base))


def sequence(seed, calls):
    torch.manual_seed(seed)
    for c in calls:
        c["result"] = run(c)
    return {"seed": str(seed), "calls": calls, "state": hashlib.sha1(bytes(torch.get_rng_state().tolist())).hexdigest()}


def sequences():
    # Every distribution in every dtype and size, one after the other, so that kept normals and all positions occur.
    for i, dtype in enumerate(FLOATS):
        yield 10 + i, [call("uniform_", dtype, n) for n in SIZES]
        yield 20 + i, [call("uniform_", dtype, n, -0.3, 1.9) for n in SIZES]
        yield 30 + i, [call("normal_", dtype, n) for n in SIZES]
        yield 40 + i, [call("normal_", dtype, n, 0.1, 0.7) for n in SIZES]
        yield 50 + i, [call("normal_", dtype, n) for n in [1, 1, 3, 16, 1, 5, 17, 2, 15, 15, 40, 1]]
        yield 60 + i, [call("exponential_", dtype, n, rate) for n, rate in zip(SIZES, itertools.cycle([1.0, 2.5]))]
        yield 70 + i, [call("random_", dtype, n) for n in SIZES]
        yield 80 + i, [call("bernoulli_", dtype, n, p) for n, p in zip(SIZES, itertools.cycle([0.5, 0.1, 0.7]))]
        yield 90 + i, [call("bernoulli_", dtype, 5, p) for p in [0.0, 1.0]]
        yield 100 + i, [call("randint", dtype, n, lo, hi) for n in [5, 1000] for lo, hi in
                        [("0", "10"), ("-7", "9"), ("0", "256"), ("-100", "2000"), ("5", None), ("0", "65000")]]
    for i, dtype in enumerate(INTEGERS):
        yield 200 + i, [call("random_", dtype, n) for n in SIZES]
        yield 210 + i, [call("bernoulli_", dtype, n, p) for n, p in zip(SIZES, itertools.cycle([0.5, 0.1, 0.7]))]
        yield 220 + i, [call("randint", dtype, n, "0", "2") for n in SIZES]
        yield 230 + i, [call("randint", dtype, n, "0", None) for n in [5, 1000]]
    for i, dtype in enumerate(["int64", "int32", "int16", "int8"]):
        yield 240 + i, [call("randint", dtype, n, "-100", "100") for n in SIZES]
    big = [("0", str(2**28 - 1)), ("0", str(2**28)), ("-5", str(2**28)), ("0", str(2**31 - 1)), (str(-(2**31)), str(2**31 - 1))]
    yield 250, [call("randint", "int32", n, lo, hi) for n in [7, 2000] for lo, hi in big]
    big += [("0", str(2**40)), (str(-(2**62)), str(2**62)), (str(-(2**63) + 1), str(2**63 - 1)), (str(-(2**63)), None), ("17", None)]
    yield 251, [call("randint", "int64", n, lo, hi) for n in [7, 2000] for lo, hi in big]
    yield 252, [call("randint", dtype, 50, lo, hi) for dtype in ["float32", "float64"] for lo, hi in big]
    yield 253, [call("randint", "bfloat16", 50, lo, hi) for lo, hi in big]
    for i, dtype in enumerate(["int64", "int32", "int16", "int8", "uint8", *FLOATS]):
        most = {"int16": 32768, "int8": 128, "uint8": 256, "float16": 2049}.get(dtype, 100000)
        yield 300 + i, [call("randperm", dtype, n) for n in [0, 1, 2, 15, 100, 128, 256, 1000, 1025, 20000, 20001, 32768, 100000] if n <= most]

    # Not contiguous: transposed, every second, a window, permuted, with dimensions of size 1, and overlapping rows of memory.
    views = [
        (35, [[5, 7], [1, 5], 0]),
        (40, [[20], [2], 1]),
        (60, [[4, 6], [10, 1], 3]),
        (120, [[2, 3, 4, 5], [1, 40, 2, 8], 0]),
        (24, [[4, 1, 6], [6, 6, 1], 0]),
        (64, [[1, 8, 4], [3, 2, 16], 0]),
        (6, [[2, 3], [1, 2], 0]),
        (3000, [[50, 60], [1, 50], 0]),
        (4000, [[2, 1000], [1, 4], 1]),
        (5, [[], [], 2]),
    ]
    for i, dtype in enumerate(FLOATS):
        for j, op in enumerate(["uniform_", "normal_", "bernoulli_", "exponential_"]):
            yield 400 + 10 * i + j, [call(op, dtype, n, view=v) for n, v in views]
        yield 450 + i, [call("normal_", dtype, n, 0.25, 3.0, view=v) for n, v in views]
    yield 460, [call("randint", "int64", n, "0", "1000", view=v) for n, v in views]
    yield 461, [call("random_", "int8", n, view=v) for n, v in views]
    yield 462, [call("bernoulli_", "bool", n, 0.3, view=v) for n, v in views]

    # Probabilities of a tensor: plain, seen like the result, and broadcast.
    for i, p in enumerate(FLOATS):
        for j, dtype in enumerate(["float32", "float64", "bfloat16", "int64", "bool"]):
            calls = [call("bernoulli_tensor", dtype, n, p, None) for n in [1, 17, 513, 3000]]
            calls += [call("bernoulli_tensor", dtype, n, p, None, view=v) for n, v in views]
            calls.append(call("bernoulli_tensor", dtype, 35, p, [[5, 7], [0, 1], 0], view=[[5, 7], [1, 5], 0]))
            calls.append(call("bernoulli_tensor", dtype, 35, p, [[5, 7], [1, 0], 0], view=[[5, 7], [7, 1], 0]))
            calls.append(call("bernoulli_tensor", dtype, 35, p, [[5, 7], [1, 5], 0], view=[[5, 7], [7, 1], 0]))
            yield 500 + 10 * i + j, calls

    # Kinds mixed, for every kind of seed.
    mixed = [
        ("normal_", "float32", 3), ("uniform_", "float32", 5), ("normal_", "float64", 1), ("bernoulli_", "float32", 7),
        ("normal_", "float32", 100), ("normal_", "bfloat16", 2), ("random_", "int64", 9), ("normal_", "float16", 19),
        ("exponential_", "float32", 3), ("normal_", "float32", 1), ("randperm", "int64", 11), ("normal_", "float64", 21),
        ("uniform_", "float64", 400), ("normal_", "float32", 1), ("uniform_", "float32", 1), ("normal_", "float64", 7),
    ]
    for seed in [0, 1, -1, 42, 1234, 5489, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**32 + 5, 2**40 + 7, 2**63, 2**64 - 1, -(2**63)]:
        yield seed, [call(*c) for c in mixed]
    # Limits of the intervals.
    yield 600, [call("uniform_", "float16", 5000, a, b) for a, b in [(0, 1), (-1, 0), (-0.2, 0), (1, 1), (0, 65504), (1000, 1001)]]
    yield 601, [call("uniform_", "bfloat16", 5000, a, b) for a, b in [(0, 1), (-1, 0), (1, 1), (1000, 1001), (0, 3e38)]]
    yield 602, [call("uniform_", "float32", 5000, a, b) for a, b in [(1, 1), (-1, 0), (1e6, 1e6 + 1), (0, 1e-40), (-1.7e38, 1.7e38)]]
    yield 603, [call("uniform_", "float64", 5000, a, b) for a, b in [(1, 1), (-1, 0), (1e6, 1e6 + 1), (-1e200, 1e200), (-8e307, 8e307)]]
    yield 605, [call("normal_", "float64", n, 0.0, 1e307) for n in [5, 50]]
    yield 604, [call("normal_", dtype, n, a, b) for dtype in FLOATS for n in [5, 50] for a, b in [(0, 0), (-3, 0), (0, 1e-3), (1e4, 1)]]


def states():
    """Saved states of several moments, and what comes after them."""
    for seed, calls in [
        (3, []),
        (2**40 + 3, [call("normal_", "float32", 3)]),
        (4, [call("uniform_", "float32", 624)]),
        (5, [call("uniform_", "float32", 700), call("normal_", "float64", 1)]),
    ]:
        torch.manual_seed(seed)
        for c in calls:
            c["result"] = run(c)
        saved = bytes(torch.get_rng_state().tolist())
        after = [call("normal_", "float32", 1), call("uniform_", "float32", 900), call("normal_", "float32", 2)]
        for c in after:
            c["result"] = run(c)
        yield {"seed": str(seed), "calls": calls, "saved": base64.b64encode(saved).decode(), "after": after}


def errors():
    """What PyTorch says to arguments that it does not take."""
    for op, dtype, n, *args in [
        ("uniform_", "int64", 3), ("uniform_", "bool", 3), ("uniform_", "float32", 3, 2, 1), ("uniform_", "float16", 3, 0, 1e6),
        ("uniform_", "float16", 3, -7e4, 1), ("uniform_", "float32", 3, -3e38, 3e38), ("uniform_", "float32", 3, 1e39, 1e39),
        ("uniform_", "float64", 3, -1.7e308, 1.7e308), ("uniform_", "float32", 3, 0.123456789, -1234567.0),
        ("normal_", "int64", 3), ("normal_", "float32", 3, 0, -1.5), ("normal_", "int32", 3, 0, -1), ("normal_", "bool", 3),
        ("exponential_", "float32", 3, 0), ("exponential_", "float32", 3, -1e-7), ("exponential_", "int64", 3), ("exponential_", "bool", 2, 1.0),
        ("bernoulli_", "float32", 3, 1.5), ("bernoulli_", "int64", 3, -0.25), ("bernoulli_", "bool", 3, "nan"),
        ("randint", "int64", 3, "5", "5"), ("randint", "int8", 3, "0", "300"), ("randint", "int8", 3, "-129", "3"),
        ("randint", "uint8", 3, "-1", "3"), ("randint", "bool", 3, "0", "3"), ("randint", "int16", 3, "0", "65536"),
        ("randint", "int32", 3, "0", str(2**32)), ("randint", "float16", 3, "0", "70000"), ("randint", "float16", 3, "4097", "4098"),
        ("randint", "float16", 3, "4096", None), ("randint", "int8", 3, "200", None),
        ("randint", "int32", 3, str(-(2**63)), None), ("randint", "bool", 3, str(-(2**63)), None), ("randint", "float16", 3, str(-(2**63)), None),
        ("randint", "uint8", 3, str(-(2**63)), None),
        ("randperm", "int8", 129), ("randperm", "uint8", 300), ("randperm", "int16", 40000), ("randperm", "float16", 2050), ("randperm", "bool", 1),
        ("randperm", "bool", 0), ("randperm", "bool", 2),
    ]:
        c = call(op, dtype, n, *args)
        try:
            run(c)
        except Exception as error:
            c["error"] = {"type": type(error).__name__, "text": str(error).split("\nException raised")[0]}
        else:
            raise AssertionError(f"{c} is taken")
        yield c


data = {
    "torch": torch.__version__,
    "sequences": [sequence(seed, calls) for seed, calls in sequences()],
    "states": list(states()),
    "errors": list(errors()),
}
OUT.write_text(json.dumps(data, allow_nan=False, separators=(",", ":")).replace('{"seed"', '\n{"seed"').replace('"errors"', '\n"errors"') + "\n")
print(len(data["sequences"]), "sequences,", sum(len(s["calls"]) for s in data["sequences"]), "calls,", OUT.stat().st_size, "bytes")
