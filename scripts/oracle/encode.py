"""How values are written into the fixtures: tensors with their exact storage, and PyTorch's other argument types.

A tensor is {dtype, shape, data} with `data` the base64 of its little-endian storage; `strides` and `offset` (in elements) are there when it
is not contiguous or does not start at 0, and then `data` is the whole storage. `grad: true` means requires_grad.
"""

import base64
import math

import torch

NAMES = {
    torch.float64: "float64",
    torch.float32: "float32",
    torch.float16: "float16",
    torch.bfloat16: "bfloat16",
    torch.int64: "int64",
    torch.int32: "int32",
    torch.int16: "int16",
    torch.int8: "int8",
    torch.uint8: "uint8",
    torch.bool: "bool",
}
DTYPES = list(NAMES)
FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16]
HALVES = [torch.float16, torch.bfloat16]
INTS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]


def storage_bytes(x):
    """The bytes of the whole storage behind `x`."""
    return bytes(x.untyped_storage().tolist())


def value_bytes(x):
    """The bytes of the values of `x` in row-major order."""
    if x._is_zerotensor():
        x = torch.zeros(x.shape, dtype=x.dtype)
    return x.detach().clone(memory_format=torch.contiguous_format).reshape(-1).view(torch.uint8).numpy().tobytes()


def b64(data):
    return base64.b64encode(data).decode("ascii")


def layout_is_plain(x):
    return (
        x.is_contiguous()
        and x.storage_offset() == 0
        and x.untyped_storage().nbytes() == x.numel() * x.element_size()
    )


def encode_input(x):
    """A tensor that the test has to build exactly so, strides and all."""
    if layout_is_plain(x):
        out = {"dtype": NAMES[x.dtype], "shape": list(x.shape), "data": b64(value_bytes(x))}
    else:
        out = {
            "dtype": NAMES[x.dtype],
            "shape": list(x.shape),
            "strides": list(x.stride()),
            "offset": x.storage_offset(),
            "data": b64(storage_bytes(x)),
        }
    if x.requires_grad:
        out["grad"] = True
    return out


def encode_output(x, strides=False):
    """A tensor to compare with: its values; with `strides` also where they lie (for views)."""
    out = {"dtype": NAMES[x.dtype], "shape": list(x.shape), "data": b64(value_bytes(x))}
    if strides:
        out["strides"] = list(x.stride())
        out["offset"] = x.storage_offset()
    return out


def encode(value, tensor):
    """Any argument or result; `tensor` encodes the tensors in it."""
    if isinstance(value, torch.Tensor):
        return {"T": tensor(value)}
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else {"int": str(value)}
    if isinstance(value, float):
        if math.isnan(value):
            return {"float": "nan"}
        if math.isinf(value):
            return {"float": "inf" if value > 0 else "-inf"}
        if value == 0 and math.copysign(1, value) < 0:
            return {"float": "-0"}
        return value
    if value is Ellipsis:
        return "..."
    if isinstance(value, slice):
        if value.start is None and value.stop is None and value.step is None:
            return ":"
        return {"slice": [value.start, value.stop, value.step]}
    if isinstance(value, torch.dtype):
        return {"dtype": NAMES[value]}
    if isinstance(value, torch.device):
        return {"device": str(value)}
    if isinstance(value, torch.Size):
        return {"size": list(value)}
    if isinstance(value, tuple) and hasattr(value, "__match_args__") and type(value) is not tuple:
        # one of torch.return_types: its names are its public ints-free attributes, in order
        names = [n for n in type(value).__match_args__]
        return {"tuple": [encode(v, tensor) for v in value], "names": names}
    if isinstance(value, (list, tuple)):
        return [encode(v, tensor) for v in value]
    if isinstance(value, BigInt):
        return {"bigint": str(value.value)}
    raise TypeError(f"cannot encode {type(value)}")


class BigInt:
    """A Python int that is to be a bigint in TypeScript (where a plain number would mean a float)."""

    def __init__(self, value):
        self.value = value
