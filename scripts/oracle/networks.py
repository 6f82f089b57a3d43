"""Attention, transformers and recurrent networks: weights from a seed, texts, results and gradients of inputs and parameters, also while dropout drops.

tests/fixtures/networks.json is replayed by src/nn/networks.test.ts. A case: {name, args, kwargs?, repr, state, error?, calls}. A call: {training, grad,
inputs, options?, result | error, grads?, params?}: right before it the seed is set to 0. Among arguments and inputs {module: [name, args, kwargs]} is a
module, {packed: [data, batch_sizes, sorted_indices, unsorted_indices]} a packed sequence. States and large gradients are checksums: {sum, square}.
"""

import warnings

import torch
from torch import nn

from .encode import encode, encode_input, encode_output
from .recorder import FIXTURES, error_of, json_lines
from .recorder import Family as Values

V = Values("networks")
F32, F64 = torch.float32, torch.float64
LARGE = 64


def x(key, *shape, dtype=F32, grad=True):
    return V.make(key, list(shape), dtype, "c", "any", grad)


class Spec:
    """A module to be made."""

    def __init__(self, name, *args, **kwargs):
        self.name, self.args, self.kwargs = name, args, kwargs

    def make(self):
        return getattr(nn, self.name)(*[made(a) for a in self.args], **{k: made(v) for k, v in self.kwargs.items()})


def made(value):
    if isinstance(value, Spec):
        return value.make()
    return getattr(nn.functional, value[2:]) if isinstance(value, str) and value.startswith("F.") else value


def written(value, tensor=encode_input):
    if isinstance(value, Spec):
        return {"module": [value.name, [written(a) for a in value.args], {k: written(v) for k, v in value.kwargs.items()}]}
    if isinstance(value, nn.utils.rnn.PackedSequence):
        return {"packed": [written(v, tensor) for v in value]}
    if isinstance(value, (tuple, list)) and not isinstance(value, torch.Size):
        return [written(v, tensor) for v in value]
    return encode(value, tensor)


def tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for v in value for t in tensors(v)] if isinstance(value, (tuple, list)) else []


def summary(t):
    """A small tensor itself, else what tells it from another."""
    if t.numel() <= LARGE:
        return encode_output(t)
    d = t.detach().double().reshape(-1)
    return {"dtype": str(t.dtype)[6:], "shape": list(t.shape), "sum": d.sum().item(), "weighted": (d * torch.linspace(0.5, 1.5, d.numel(), dtype=F64)).sum().item(), "square": (d * d).sum().item()}


def call(module, inputs, options, training, grad):
    out = {"training": training, "grad": grad, "inputs": [written(i) for i in inputs]}
    if options:
        out["options"] = {k: written(v) for k, v in options.items()}
    module.train(training)
    module.zero_grad()
    torch.manual_seed(0)
    try:
        with torch.set_grad_enabled(grad):
            result = module(*inputs, **options)
    except Exception as error:  # noqa: BLE001 - whatever PyTorch raises is the fixture
        out["error"] = error_of(error)
        return out
    out["result"] = written(result, encode_output)
    outputs = [t for t in tensors(result) if t.requires_grad]
    if grad and outputs:
        leaves = [t for t in tensors(list(inputs)) + tensors(list(options.values())) if t.requires_grad]
        names = dict(module.named_parameters())
        weights = [torch.linspace(0.5, 1.5, t.numel(), dtype=t.dtype).reshape(t.shape) for t in outputs]
        grads = torch.autograd.grad(outputs, leaves + list(names.values()), weights, allow_unused=True)
        of = lambda g: None if g is None else summary(g)
        out["grads"] = [of(g) for g in grads[: len(leaves)]]
        out["params"] = {n: of(g) for n, g in zip(names, grads[len(leaves) :], strict=True)}
    return out


def case(spec, calls):
    out = {"name": spec.name, "args": [written(a) for a in spec.args]}
    if spec.kwargs:
        out["kwargs"] = {k: written(v) for k, v in spec.kwargs.items()}
    torch.manual_seed(0)
    try:
        module = spec.make()
    except Exception as error:  # noqa: BLE001
        out["error"] = error_of(error)
        return out
    out["repr"] = repr(module)
    out["state"] = {k: summary(v) for k, v in module.state_dict().items()}
    out["calls"] = [call(module, inputs, options, training, grad) for inputs, options, training, grad in calls]
    return out


def run(*inputs, training=True, grad=True, **options):
    return inputs, options, training, grad


def both(*inputs, **options):
    return [run(*inputs, **options), run(*inputs, training=False, grad=False, **options)]


def attention():
    q, k, v = x("q", 4, 2, 8), x("k", 5, 2, 8), x("v", 5, 2, 8)
    own = x("own", 2, 4, 8)
    causal = nn.Transformer.generate_square_subsequent_mask(4)
    pads = torch.tensor([[0, 0, 0, 1, 1], [0, 0, 0, 0, 0]], dtype=torch.bool)
    own_pads = torch.tensor([[0, 0, 0, 1], [0, 0, 1, 1]], dtype=torch.bool)
    banned = torch.tensor([[0, 1, 0, 0, 1], [0, 0, 0, 0, 0], [1, 0, 1, 0, 0], [0, 1, 1, 0, 1]], dtype=torch.bool)
    each = V.make("each", [4, 4, 5])
    M = "MultiheadAttention"
    plain = Spec(M, 8, 2)
    yield case(plain, [*both(q, k, v), *both(q, q, q), *both(q, k, k), *both(q, k, v, need_weights=False), *both(q, k, v, average_attn_weights=False), run(q, k, v, key_padding_mask=pads), run(q, k, v, key_padding_mask=pads, need_weights=False),
        run(q, k, v, attn_mask=banned), run(q, k, v, attn_mask=banned.float() * -3, key_padding_mask=pads), run(q, k, v, attn_mask=each), run(q, k, v, attn_mask=each, need_weights=False), run(q, q, q, attn_mask=causal, is_causal=True, need_weights=False),
        run(q, q, q, attn_mask=causal, is_causal=True), run(q[:, 0].detach(), k[:, 0].detach(), v[:, 0].detach()), run(q[:, 0].detach(), k[:, 0].detach(), v[:, 0].detach(), pads[0], False), run(q, q, q, is_causal=True), run(q, k[0], v),
        run(q, k, v, attn_mask=banned[:3]), run(q, k, v, attn_mask=each[:3]), run(q, k, v, key_padding_mask=pads[0]), run(q, k, v, key_padding_mask=pads[:, :4]), run(q[0, 0], k, v), run(q, k, v[:3]), run(q[..., :6], k, v), run(q, k, v, attn_mask=banned.long()), run(q, k)])  # fmt: skip
    yield case(Spec(M, 8, 2, dropout=0.5, batch_first=True), [*both(own, own, own), *both(own, own, own, need_weights=False), run(own, own, own, own_pads)])
    yield case(Spec(M, 8, 4, bias=False), both(q, k, v))
    yield case(Spec(M, 8, 2, kdim=6, vdim=3), [*both(q, x("k6", 5, 2, 6), x("v3", 5, 2, 3)), *both(q, x("k6", 5, 2, 6), x("v3", 5, 2, 3), need_weights=False), run(q, k, v)])
    yield case(Spec(M, 8, 2, add_bias_kv=True, add_zero_attn=True), [*both(q, k, v), run(q, k, v, pads, attn_mask=banned, need_weights=False)])
    yield case(Spec(M, 8, 2, dtype=F64), [run(q.double().detach(), k.double().detach(), v.double().detach())])
    yield case(Spec(M, 8, 3), [])
    yield case(Spec(M, 0, 3), [])
    yield case(Spec(M, 8, 2, kdims=3), [])


def transformers():
    src, tgt = x("src", 5, 2, 8), x("tgt", 3, 2, 8)
    first = x("first", 2, 5, 8)
    pads = torch.tensor([[0, 0, 0, 1, 1], [0, 0, 0, 0, 0]], dtype=torch.bool)
    holes = torch.tensor([[0, 1, 0, 0, 1], [0, 0, 0, 0, 0]], dtype=torch.bool)
    square = nn.Transformer.generate_square_subsequent_mask
    E, D = "TransformerEncoderLayer", "TransformerDecoderLayer"
    yield case(Spec(E, 8, 2, 16), [*both(src), run(src, square(5)), run(src, square(5), is_causal=True), run(src, None, pads), run(src, square(5), pads.float() * -1e9), run(src[:, 0].detach()), run(src, pads.long())])
    yield case(Spec(E, 8, 2, 16, 0.3, "gelu", norm_first=True, batch_first=True), [*both(first), *both(first, src_key_padding_mask=pads)])
    yield case(Spec(E, 8, 2, dim_feedforward=16, dropout=0.0, activation=Spec("SiLU"), layer_norm_eps=1e-3, bias=False), both(src))
    yield case(Spec(E, 8, 2, dim_feedforward=16, activation="F.tanh"), both(src))
    yield case(Spec(E, 8, 2, 16, activation="tanh"), [])
    yield case(Spec(D, 8, 2, 16), [*both(tgt, src), run(tgt, src, square(3), tgt_is_causal=True), run(tgt, src, memory_key_padding_mask=pads), run(tgt, src, square(3), None, None, pads)])
    yield case(Spec(D, 8, 2, dim_feedforward=16, dropout=0.2, norm_first=True, batch_first=True), both(x("t1", 2, 3, 8), first))
    layer = Spec(E, 8, 2, 16, batch_first=True)
    yield case(Spec("TransformerEncoder", layer, 2), [*both(first), *both(first, src_key_padding_mask=pads), *both(first, src_key_padding_mask=holes), run(first, square(5)), run(first, mask=square(5), is_causal=True)])
    yield case(Spec("TransformerEncoder", layer, 2, Spec("LayerNorm", 8), enable_nested_tensor=False), [*both(first), *both(first, src_key_padding_mask=pads)])
    yield case(Spec("TransformerEncoder", Spec(E, 8, 2, 16, dropout=0.0), 3), both(src))
    yield case(Spec("TransformerDecoder", Spec(D, 8, 2, 16), 2, Spec("LayerNorm", 8)), [*both(tgt, src), run(tgt, src, square(3))])
    small = Spec("Transformer", 8, 2, 2, 1, 16)
    yield case(small, [*both(src, tgt), run(src, tgt, tgt_mask=square(3), src_mask=square(5), memory_key_padding_mask=pads, src_key_padding_mask=pads), run(src, tgt[:, :1]), run(src, tgt[..., :6]), run(first, tgt)])
    yield case(Spec("Transformer", d_model=8, nhead=2, num_encoder_layers=1, num_decoder_layers=1, dim_feedforward=16, activation="gelu", norm_first=True, batch_first=True), both(first, x("t1", 2, 3, 8)))


def recurrent():
    seq, wide = x("seq", 5, 3, 4), x("wide", 3, 5, 4)
    state = lambda n, width, key="h": x(f"{key}{n}", n, 3, width)
    rnn = nn.utils.rnn
    pack = lambda t, lengths, **kw: rnn.pack_padded_sequence(t, lengths, **kw)
    for name, cell in [("RNN", False), ("GRU", False), ("LSTM", True)]:
        hx = lambda n, width=6: (state(n, width), state(n, width, "c")) if cell else state(n, width)
        yield case(Spec(name, 4, 6), [*both(seq), *both(seq, hx(1)), run(seq[:, 0].detach()), run(seq[:1].detach()), run(pack(seq.detach(), [5, 3, 1])), run(pack(seq.detach(), [5, 5, 2]), hx(1)), run(pack(seq.detach(), [2, 4, 3], enforce_sorted=False), hx(1)),
            run(x("n0", 5, 0, 4)), run(x("t0", 0, 3, 4)), run(x("v", 4)), run(x("w5", 5, 3, 5)), run(seq.double().detach()), run(seq, (state(2, 6), state(2, 6)) if cell else state(2, 6)), run(seq, (state(1, 5), state(1, 6)) if cell else state(1, 5)),
            run(seq, (state(1, 6)[0].detach(), state(1, 6)[0].detach()) if cell else state(1, 6)[0].detach())])  # fmt: skip
        yield case(Spec(name, 4, 6, 2, batch_first=True, bidirectional=True), [*both(wide), *both(wide, hx(4)), run(wide[0].detach()), run(pack(wide.detach(), [5, 3, 1], batch_first=True), hx(4)), run(pack(wide.detach(), [1, 4, 2], batch_first=True, enforce_sorted=False))])
        yield case(Spec(name, 4, 3, num_layers=3, dropout=0.4, bias=False), [*both(seq), run(pack(seq.detach(), [4, 4, 2]))])
        yield case(Spec(name, 4, 5, bidirectional=True), [*both(x("many", 4, 20, 4)), run(x("one", 1, 20, 4))])
        yield case(Spec(name, 4, 3, dtype=F64), [run(seq.double().detach())])
        for wrong in [{"dropout": 1.5}, {"num_layers": 0}, {"proj_size": 2} if not cell else {"proj_size": 7}, {"hidden": 3}, {"bias": 1}]:
            yield case(Spec(name, 4, 6, **wrong), [])
        yield case(Spec(name, 0, 6), [])
        yield case(Spec(name, 4, 6.5), [])
    yield case(Spec("RNN", 4, 6, nonlinearity="relu"), [*both(seq), run(pack(seq.detach(), [5, 3, 1]))])
    yield case(Spec("RNN", 4, 6, 2, "relu", False), both(seq))
    yield case(Spec("RNN", 4, 6, nonlinearity="sin"), [])
    yield case(Spec("LSTM", 4, 6, 2, bidirectional=True, proj_size=3), [*both(seq), *both(seq, (state(4, 3), state(4, 6, "c"))), run(pack(seq.detach(), [5, 3, 1]))])


def cells():
    row, one = x("row", 3, 4), x("one", 4)
    h, c = x("h", 3, 6), x("c", 3, 6)
    for name in ["RNNCell", "GRUCell", "LSTMCell"]:
        hx = (h, c) if name == "LSTMCell" else h
        single = (h[0].detach(), c[0].detach()) if name == "LSTMCell" else h[0].detach()
        yield case(Spec(name, 4, 6), [*both(row), *both(row, hx), run(one), run(one, single), run(x("r5", 3, 5)), run(row[:2].detach(), hx), run(x("r3", 3, 4, 1)), run(row, (x("h5", 3, 5), c) if name == "LSTMCell" else x("h5", 3, 5))])
        yield case(Spec(name, 4, 6, bias=False), both(row, hx))
        yield case(Spec(name, 4, 6, False, dtype=F64), [run(row.double().detach())])
    yield case(Spec("RNNCell", 4, 6, nonlinearity="relu"), both(row, h))


class Networks(Values):
    def __init__(self, name, groups):
        super().__init__(name)
        self.groups = groups

    def write(self):
        (FIXTURES / f"{self.name}.json").write_text(text := json_lines({"torch": torch.__version__.split("+")[0]}, self.groups))
        return len(text), sum(len(c) for c in self.groups.values())


def record():
    warnings.simplefilter("ignore")
    return [Networks("networks", {"attention": list(attention()), "transformers": list(transformers()), "recurrent": list(recurrent()), "cells": list(cells())})]
