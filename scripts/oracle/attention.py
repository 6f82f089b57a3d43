"""scaled_dot_product_attention; the layers made of it: MultiheadAttention and the transformer's.

tests/fixtures/attention.json is replayed by tests/oracle/attention.test.ts.
"""

import torch

from .recorder import Family

F32, F64 = torch.float32, torch.float64


def record():
    f = Family("attention")
    m = lambda key, *shape, dtype=F32, layout="c", grad=True: f.make(key, list(shape), dtype, layout, "any", grad)
    op, call = "scaled_dot_product_attention", "nn.functional.scaled_dot_product_attention"
    qkv = lambda *q, s=6, e=None, dtype=F32, grad=True: [m("q", *q, dtype=dtype, grad=grad), m("k", *q[:-2], s, q[-1], dtype=dtype, grad=grad), m("v", *q[:-2], s, e or q[-1], dtype=dtype, grad=grad)]
    case = lambda args, kw=None, **more: f.case(op, call, args, kw or {}, **more)
    keep = torch.tensor([[1, 0, 1, 1, 0, 1], [0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1], [0, 0, 0, 1, 0, 0]], dtype=torch.bool)
    bias = m("bias", 4, 6, grad=False)
    for shape in [(2, 3, 4, 5), (2, 4, 8), (4, 16), (1, 2, 2, 4, 5), (1, 2, 19, 4)]:
        for kw in [{}, {"is_causal": True}, {"scale": 0.3}]:
            case(qkv(*shape, s=19 if shape[-2] == 19 else 6), kw)
    for mask in [keep, bias, torch.full((4, 6), float("-inf")), keep.expand(2, 3, 4, 6), m("bias4", 2, 1, 4, 6, grad=False), keep[:, :1]]:
        case([*qkv(2, 3, 4, 5), mask])
        case([*qkv(2, 3, 4, 5, dtype=F64), mask if mask.dtype == torch.bool else mask.double()])
    case([*qkv(3, 4, 5), keep], {"scale": -0.5})
    case(qkv(2, 3, 4, 5), {"scale": 0.0})
    case([*qkv(2, 3, 4, 5), bias], {"is_causal": True})
    case([*qkv(3, 4, 5), bias], {"is_causal": True})
    for grad_mask in [m("gm", 4, 6), m("gm3", 3, 1, 6), m("gm4", 2, 3, 4, 6)]:
        case([*qkv(2, 3, 4, 5), grad_mask])
    case(qkv(2, 3, 4, 5, e=7))
    case(qkv(2, 3, 4, 5, s=4), {"is_causal": True})
    case([m("q", 2, 3, 4, 5), m("k", 2, 1, 6, 5), m("v", 6, 5)])
    case([m("q", 2, 4, 4, 5), m("k", 2, 2, 6, 5), m("v", 2, 2, 6, 5)], {"enable_gqa": True})
    case([m("q", 2, 4, 4, 5), m("k", 2, 1, 6, 5), m("v", 2, 1, 6, 5)], {"enable_gqa": True, "is_causal": True})
    case([m("q", 2, 4, 4, 5), m("k", 2, 3, 6, 5), m("v", 2, 3, 6, 5)], {"enable_gqa": True})
    case([m("q", 3, 4, 5, layout="t"), m("k", 3, 6, 5, layout="t"), m("v", 3, 6, 5, layout="t")])
    # heads side by side, as after a projection
    heads = lambda key, length: f.make(key, [2, length, 3, 5], F32).transpose(1, 2).requires_grad_()
    case([heads("q", 4), heads("k", 6), heads("v", 6)], {"is_causal": True})
    for dtype in (torch.float16, torch.bfloat16):
        case(qkv(2, 3, 4, 5, dtype=dtype))
        case([*qkv(2, 3, 4, 5, dtype=dtype), keep], {})
        case([*qkv(3, 4, 5, dtype=dtype), bias.to(dtype)])
        case([*qkv(2, 3, 4, 5, dtype=dtype), bias])
    case(qkv(2, 3, 0, 5)), case(qkv(2, 3, 4, 5, s=0)), case(qkv(0, 3, 4, 5)), case(qkv(2, 0, 4, 5))
    # the CPU's own kernel has no second derivative: a mask that requires grad keeps PyTorch off it
    for args, kw in [(qkv(3, 4, 5, dtype=F64), {}), ([*qkv(2, 3, 4, 5, dtype=F64), m("gm", 4, 6, dtype=F64)], {}), (qkv(4, 5, dtype=F64), {"scale": 0.7}), (qkv(3, 4, 5, dtype=F64), {"is_causal": True})]:
        case(args, kw, double=True)
    case([*qkv(2, 3, 4, 5), torch.ones(4, 6, dtype=torch.int64)])
    case([*qkv(2, 3, 4, 5), torch.ones(4, 6, dtype=F64)])
    case([m("q", 2, 3, 4, 5), m("k", 2, 3, 6, 5), m("v", 2, 3, 6, 5, dtype=F64)])
    case([m("q", 5), m("k", 6, 5), m("v", 6, 5)])
    case([m("q", 2, 4, 5), m("k", 2, 6, 3), m("v", 2, 6, 5)])
    case([m("q", 4, 5), m("k", 6, 5), m("v", 4, 5)])
    case([*qkv(2, 3, 4, 5), torch.zeros(3, 6)])
    case(qkv(2, 3, 4, 5), {"dropout_p": 1.5})
    case([torch.ones(2, 4, 5, dtype=torch.int64), torch.ones(2, 6, 5, dtype=torch.int64), torch.ones(2, 6, 5, dtype=torch.int64)])
    case([m("q", 2, 4, 5), m("k", 2, 6, 5)])
    case([m("q", 2, 4, 5), m("k", 2, 6, 5), m("v", 2, 6, 5)], {"mask": None})
    return [f]
