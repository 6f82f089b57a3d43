"""nn.utils: clipping of gradients, parameters as vectors, packed and padded sequences. And the texts of containers of parameters.

tests/fixtures/nn-utils.json is replayed by src/nn/utils/utils.test.ts. Clipping: {call, grads, args, kwargs, result | error, after}. Sequences: {call, args,
kwargs, result | error, grads}; {packed: [data, batch_sizes, sorted_indices, unsorted_indices]} is a packed sequence.
"""

import torch
from torch import nn

from .encode import encode_output
from .networks import Networks, summary, tensors, written
from .recorder import Family as Values
from .recorder import error_of

V = Values("nn-utils")
F64 = torch.float64
rnn = nn.utils.rnn


def x(key, *shape, dtype=torch.float32, grad=True):
    return V.make(key, list(shape), dtype, "c", "any", grad)


def clip(call, grads, *args, **kwargs):
    parameters = [torch.zeros_like(g).requires_grad_() if g is not None else torch.zeros(2, requires_grad=True) for g in grads]
    for p, g in zip(parameters, grads, strict=True):
        p.grad = None if g is None else g.clone()
    out = {"call": call, "grads": [written(g) for g in grads], "args": [written(a) for a in args], "kwargs": {k: written(v) for k, v in kwargs.items()}}
    given = [p.grad for p in parameters if p.grad is not None] if call == "get_total_norm" else parameters
    try:
        out["result"] = written(getattr(nn.utils, call)(given, *args, **kwargs), encode_output)
        out["after"] = [None if p.grad is None else encode_output(p.grad) for p in parameters]
    except Exception as error:  # noqa: BLE001
        out["error"] = error_of(error)
    return out


def clipping():
    grads = lambda dtype=torch.float32: [x("g1", 3, 2, dtype=dtype, grad=False), x("g2", 4, dtype=dtype, grad=False), None, x("g0", dtype=dtype, grad=False)]
    for norm in [2.0, 1.0, float("inf"), 3.5, 0.0]:
        for most in [0.5, 100.0]:
            yield clip("clip_grad_norm_", grads(), most, norm)
    yield clip("clip_grad_norm_", grads(F64), 0.5, norm_type=2.0)
    yield clip("clip_grad_norm_", grads(torch.bfloat16), 0.5)
    yield clip("clip_grad_norm_", [None, None], 0.5)
    yield clip("clip_grad_norm_", [], 0.5)
    bad = [torch.tensor([1.0, float("nan")]), torch.ones(2)]
    yield clip("clip_grad_norm_", bad, 0.5)
    yield clip("clip_grad_norm_", bad, 0.5, error_if_nonfinite=True)
    yield clip("clip_grad_norm_", [torch.tensor([float("inf")])], 0.5, float("inf"), True)
    yield clip("clip_grad_value_", grads(), 0.4)
    yield clip("clip_grad_value_", grads(F64), 0)
    for norm in [2.0, float("inf")]:
        yield clip("get_total_norm", grads(), norm)
    yield clip("get_total_norm", [])
    yield clip("clip_grads_with_norm_", grads(), 0.5, torch.tensor(2.0))


def sequence(call, *args, **kwargs):
    out = {"call": call, "args": [written(a) for a in args], "kwargs": {k: written(v) for k, v in kwargs.items()}}
    try:
        result = getattr(rnn, call)(*args, **kwargs)
    except Exception as error:  # noqa: BLE001
        out["error"] = error_of(error)
        return out
    out["result"] = written(result, encode_output)
    leaves, outputs = [t for t in tensors(list(args)) if t.requires_grad], [t for t in tensors(result) if t.requires_grad]
    if leaves and outputs:
        weights = [torch.linspace(0.5, 1.5, t.numel(), dtype=t.dtype).reshape(t.shape) for t in outputs]
        out["grads"] = [summary(g) for g in torch.autograd.grad(outputs, leaves, weights)]
    return out


def sequences():
    padded = x("padded", 5, 3, 2)
    first = x("first", 3, 5, 2)
    for args, kwargs in [
        ([padded, [5, 3, 1]], {}), ([padded, torch.tensor([4, 4, 2])], {}), ([first, [5, 2, 2]], {"batch_first": True}), ([padded, [1, 5, 3]], {"enforce_sorted": False}), ([first, torch.tensor([2, 4, 2]), True, False], {}),
        ([padded, [1, 5, 3]], {}), ([padded, [5, 3]], {}), ([padded, [5, 3, 0]], {}), ([padded[:0], [5, 3, 1]], {}), ([padded, [5, 3, 1]], {"sorted": True}), ([x("flat", 4, 2), [4, 1]], {}),
    ]:  # fmt: skip
        yield sequence("pack_padded_sequence", *args, **kwargs)
    packed = rnn.pack_padded_sequence(padded, [5, 3, 1])
    shuffled = rnn.pack_padded_sequence(padded.detach(), [1, 5, 3], enforce_sorted=False)
    for p in (packed, shuffled):
        p = rnn.PackedSequence(p.data.detach().requires_grad_(), p.batch_sizes, p.sorted_indices, p.unsorted_indices)
        yield sequence("pad_packed_sequence", p)
        yield sequence("pad_packed_sequence", p, True, -1.0)
        yield sequence("pad_packed_sequence", p, total_length=7)
        yield sequence("pad_packed_sequence", p, total_length=4)
        yield sequence("unpack_sequence", p)
    several = [x("s1", 4, 2), x("s2", 2, 2), x("s3", 1, 2)]
    for kwargs in [{}, {"batch_first": True}, {"padding_value": -2.5}, {"padding_side": "left"}, {"batch_first": True, "padding_side": "left", "padding_value": 9.0}, {"padding_side": "up"}]:
        yield sequence("pad_sequence", several, **kwargs)
    yield sequence("pad_sequence", [several[2], several[0]])
    yield sequence("pad_sequence", [torch.tensor([1, 2, 3]), torch.tensor([4])])
    yield sequence("pad_sequence", [])
    yield sequence("pad_sequence", 3)
    yield sequence("pack_sequence", several)
    yield sequence("pack_sequence", several[::-1], enforce_sorted=False)
    yield sequence("pack_sequence", several[::-1])
    yield sequence("unpad_sequence", first, torch.tensor([5, 2, 1]), True)
    yield sequence("invert_permutation", torch.tensor([2, 0, 3, 1]))


def texts():
    packed = rnn.pack_padded_sequence(torch.arange(6.0).reshape(3, 2), [3, 1])
    yield {"name": "packed", "text": repr(packed)}
    yield {"name": "list", "text": repr(nn.ParameterList([torch.ones(2, 3), torch.zeros(1), 3]))}
    yield {"name": "dict", "text": repr(nn.ParameterDict({"b": torch.ones(2, 3, dtype=F64), "a": torch.zeros([])}))}
    yield {"name": "empty", "text": repr(nn.ParameterList())}


def record():
    return [Networks("nn-utils", {"clipping": list(clipping()), "sequences": list(sequences()), "texts": list(texts())})]
