"""Convolutions, pooling, normalisation, padding, interpolation, sliding blocks and shuffles: results, gradients, dtypes, layouts, error texts."""

import torch

from .encode import DTYPES, FLOATS
from .recorder import Family

F32, F64, F16, BF16, I64 = torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64
SPACE = {1: [7], 2: [6, 7], 3: [4, 5, 3]}


def maker(f):
    def m(*shape, key="x", dtype=F32, layout="c", kind="any", grad=True):
        return f.make(key, list(shape), dtype, layout, kind, grad)

    return m


def convolutions(f):
    m = maker(f)
    for n in (1, 2, 3):
        op = call = f"conv{n}d"
        call = f"nn.functional.{op}"
        s = SPACE[n]
        x, w, b = m(2, 4, *s), m(6, 4, *[3, 2, 2][:n], key="w"), m(6, key="b")
        f.case(op, call, [x, w])
        f.case(op, call, [x, w, b])
        f.case(op, call, [x, w, b, 2, 1])
        f.case(op, call, [x, w, b], {"stride": [2, 1, 3][:n], "padding": [1, 2, 0][:n], "dilation": [2, 1, 1][:n]})
        f.case(op, call, [x, m(6, 2, *[2] * n, key="w"), b], {"groups": 2, "padding": 1})
        f.case(op, call, [x, m(8, 1, *[2] * n, key="w")], {"groups": 4, "stride": 2})
        f.case(op, call, [x, m(4, 1, *[3] * n, key="w")], {"groups": 4, "padding": 1})
        f.case(op, call, [x, w, b], {"padding": "same"})
        f.case(op, call, [x, m(3, 4, *[3] * n, key="w")], {"padding": "same", "dilation": 2})
        f.case(op, call, [x, w, b, 1, "valid"])
        f.case(op, call, [m(4, *s), w, b])
        f.case(op, call, [m(0, 4, *s), w, b])
        f.case(op, call, [x, m(3, 4, *[1] * n, key="w")])
        for layout in "tsen":
            f.case(op, call, [m(2, 4, *s, layout=layout), m(6, 4, *[2] * n, key="w", layout=layout)], {"stride": 2, "padding": 1})
        if n < 3:
            f.case(op, call, [m(2, 4, *s, dtype=F64), m(2, 2, *[2] * n, key="w", dtype=F64), m(2, key="b", dtype=F64)], {"stride": 2, "padding": 1, "groups": 2}, double=True)
            f.case(op, call, [m(2, 2, *s, dtype=F64), m(3, 2, *[2] * n, key="w", dtype=F64)], {"dilation": 2}, double=True)
        for dtype in DTYPES:
            f.case(op, call, [m(1, 2, *s, dtype=dtype), m(2, 2, *[2] * n, key="w", dtype=dtype), m(2, key="b", dtype=dtype)], {"padding": 1})
        f.case(op, call, [m(2, 4, *s, dtype=I64, layout="t"), m(6, 2, *[2] * n, key="w", dtype=I64, layout="s")], {"groups": 2, "dilation": 2, "stride": 2})
        top = f"conv_transpose{n}d"
        call = f"nn.functional.{top}"
        w = m(4, 3, *[3, 2, 2][:n], key="w")
        b = m(3, key="b")
        f.case(top, call, [x, w])
        f.case(top, call, [x, w, b, 2, 1])
        f.case(top, call, [x, w, b], {"stride": [3, 2, 1][:n], "padding": [1, 0, 0][:n], "output_padding": [1, 1, 0][:n]})
        f.case(top, call, [x, w, b], {"stride": 4})
        f.case(top, call, [x, m(4, 3, *[2] * n, key="w")], {"groups": 2, "dilation": 2, "output_padding": 1})
        f.case(top, call, [m(4, *s), w, b])
        f.case(top, call, [m(0, 4, *s), w, b])
        if n < 3:
            f.case(top, call, [m(1, 2, *s[:-1], 4, dtype=F64), m(2, 2, *[2] * n, key="w", dtype=F64), m(2, key="b", dtype=F64)], {"stride": 2, "padding": 1}, double=True)
        for dtype in FLOATS:
            f.case(top, call, [m(1, 2, *s, dtype=dtype), m(2, 2, *[2] * n, key="w", dtype=dtype), m(2, key="b", dtype=dtype)], {"stride": 2})
        for layout in "tse":
            f.case(top, call, [m(2, 4, *s, layout=layout), m(4, 2, *[2] * n, key="w", layout=layout)], {"stride": 2})
    f.case("conv2d", "torch.convolution", [m(2, 4, 6, 7), m(4, 3, 3, 2, key="w"), None, [2, 2], [1, 0], [1, 1], True, [1, 0], 1])
    # errors
    op, call = "conv2d", "nn.functional.conv2d"
    x, w = m(1, 3, 6, 6), m(5, 3, 3, 3, key="w")
    for args, kw in [
        ([m(3, 6), w], {}), ([m(1, 1, 3, 6, 6), w], {}), ([m(1, 2, 6, 6), w], {}), ([m(1, 3, 2, 2), w], {}), ([m(1, 3, 6, 6, dtype=F64), w], {}),
        ([x, w, m(5, key="b", dtype=F64)], {}), ([x, w], {"stride": 0}), ([x, w], {"stride": -1}), ([x, w], {"padding": -1}), ([x, w], {"dilation": 0}), ([x, w, m(4, key="b")], {}),
        ([x, w, m(5, 1, key="b")], {}), ([x, w], {"groups": 2}), ([x, w], {"groups": 6}), ([x, w], {"groups": 0}), ([x, w], {"groups": 5}), ([x, w], {"stride": [1, 1, 1]}),
        ([x, w], {"padding": [1, 1, 1]}), ([x, w], {"dilation": [1, 1, 1]}), ([x, w], {"padding": "same", "stride": 2}), ([x, w], {"padding": "full"}), ([x, m(0, 3, 3, 3, key="w")], {}),
        ([m(1, 3, 0, 6), w], {"padding": 2}), ([x, m(5, 3, 0, 3, key="w")], {}), ([x], {}), ([x, w], {"strides": 2}), ([x, w, "a"], {}), ([m(1, 3, 0, 6), w], {"padding": 1}),
    ]:  # fmt: skip
        f.case(op, call, args, kw)
    f.case("conv1d", "nn.functional.conv1d", [m(1, 3, 2), m(5, 3, 3, key="w")])
    f.case("conv1d", "nn.functional.conv1d", [m(1, 3, 6), m(5, 3, 3, key="w")], {"stride": [1, 1]})
    op, call = "conv_transpose2d", "nn.functional.conv_transpose2d"
    w = m(3, 5, 3, 3, key="w")
    for args, kw in [
        ([x, m(2, 5, 3, 3, key="w")], {}), ([x, w], {"output_padding": 1}), ([x, w], {"stride": 2, "output_padding": 2}), ([x, w], {"stride": 2, "output_padding": -1}),
        ([m(1, 3, 1, 1), m(3, 5, 1, 1, key="w")], {"padding": 2}), ([x, w, m(4, key="b")], {}), ([m(3, 6), w], {}), ([m(1, 4, 6, 6), m(4, 5, 3, 3, key="w")], {"groups": 3}), ([m(1, 3, 0, 6), w], {}),
        ([m(1, 3, 6, 6, grad=False, dtype=torch.int32), m(3, 5, 3, 3, key="w", dtype=torch.int32)], {}),
    ]:  # fmt: skip
        f.case(op, call, args, kw)


def pools(f):
    m = maker(f)
    for n in (1, 2, 3):
        x = m(2, 3, *SPACE[n])
        ties = m(2, 2, *SPACE[n], key="ties", kind="ties")
        d = f"{n}d"
        for op in ("max_pool", "avg_pool"):
            name, call = op + d, f"nn.functional.{op}{d}"
            f.case(name, call, [x, 2])
            f.case(name, call, [x, 3, 2])
            f.case(name, call, [x, 3, 1, 1])
            f.case(name, call, [x, [3, 2, 2][:n], [2, 1, 1][:n], [1, 0, 1][:n]])
            f.case(name, call, [x, 2], {"ceil_mode": True})
            f.case(name, call, [x, 3, 2], {"ceil_mode": True, "padding": 1})
            f.case(name, call, [m(3, *SPACE[n]), 2])
            f.case(name, call, [m(0, 3, *SPACE[n]), 2])
            for layout in "tsen":
                f.case(name, call, [m(2, 3, *SPACE[n], layout=layout), 2])
            for dtype in DTYPES:
                f.case(name, call, [m(1, 2, *SPACE[n], dtype=dtype), 3, 2, 1])
            f.case(name, call, [m(1, 2, *SPACE[n], dtype=F64), 2, 1], double=True)
            # errors
            for args, kw in [([x, 2], {"padding": 2}), ([x, 9], {}), ([x, 0], {}), ([x, 2, 0], {}), ([x, 2, -1], {}), ([x, [2] * (n + 1)], {}), ([x], {}), ([x, "a"], {}), ([m(7), 2], {}), ([x, 2], {"padding": -1}),
                             ([m(1, 3, *[0] * n), 2], {}), ([m(2, 0, *SPACE[n]), 2], {}), ([x, 2], {"size": 1})]:  # fmt: skip
                if args[0] is not x or len(args) != 2 or args[1] != 0 or n > 1 or op == "max_pool":
                    f.case(name, call, args, kw)
        name, call = "max_pool" + d, f"nn.functional.max_pool{d}"
        f.case(name, call, [x, 2], {"dilation": 2})
        f.case(name, call, [x, 2, 1, 1, [2, 1, 1][:n]])
        f.case(name, call, [ties, 3, 2], {"return_indices": True})
        f.case(name, call, [x, 3, 2, 1], {"return_indices": True, "ceil_mode": True})
        f.case(name, call, [m(3, *SPACE[n]), 2], {"return_indices": True})
        f.case(name, call, [x, 2], {"dilation": 0})
        nan = m(1, 1, *SPACE[n], grad=False)
        nan.view(-1)[::5] = float("nan")
        nan.view(-1)[1::7] = float("-inf")
        f.case(name, call, [nan, 2, 1], {"return_indices": True})
        f.case(name, f"torch.max_pool{d}", [x, 2])
        name, call = "avg_pool" + d, f"nn.functional.avg_pool{d}"
        f.case(name, call, [x, 3, 2, 1], {"count_include_pad": False})
        f.case(name, call, [x, 3, 2, 1, True, False])
        if n > 1:
            f.case(name, call, [x, 3, 2, 1], {"divisor_override": 5})
            f.case(name, call, [x, 2], {"divisor_override": 0})
        for op in ("adaptive_avg_pool", "adaptive_max_pool"):
            name, call = op + d, f"nn.functional.{op}{d}"
            for size in (3, 1, 2, [3, 2, 5][:n], 9):
                f.case(name, call, [x, size])
            f.case(name, call, [m(3, *SPACE[n]), 2])
            f.case(name, call, [m(0, 3, *SPACE[n]), 2])
            for layout in "ts":
                f.case(name, call, [m(2, 3, *SPACE[n], layout=layout), 2])
            for dtype in DTYPES:
                f.case(name, call, [m(1, 2, *SPACE[n], dtype=dtype), 2])
            f.case(name, call, [m(1, 1, *SPACE[n], dtype=F64), 2], double=True)
            f.case(name, call, [x.detach(), 0])
            f.case(name, call, [x, -1])
            f.case(name, call, [x, [2] * (n + 1)])
            f.case(name, call, [m(7), 2])
            f.case(name, call, [m(1, 3, *[0] * n), 2])
            if n > 1:
                f.case(name, call, [x, [None, 2, 2][:n]])
        f.case("adaptive_max_pool" + d, f"nn.functional.adaptive_max_pool{d}", [ties, 3], {"return_indices": True})
        name, call = "lp_pool" + d, f"nn.functional.lp_pool{d}"
        p = m(2, 3, *SPACE[n], key="pos", kind="pos")
        for args, kw in [([p, 2, 2], {}), ([p, 3, 2, 1], {}), ([p, 1.5, 2], {"ceil_mode": True}), ([x, float("inf"), 2], {}), ([x, 2, [2, 1, 2][:n] if n > 1 else 2], {})]:
            f.case(name, call, args, kw)
        name, call = "max_unpool" + d, f"nn.functional.max_unpool{d}"
        v, at = getattr(torch.nn.functional, "max_pool" + d)(x.detach(), 2, return_indices=True)
        v.requires_grad_()
        f.case(name, call, [v, at, 2])
        f.case(name, call, [v, at, 2], {"output_size": SPACE[n]})
        f.case(name, call, [v, at, 2], {"output_size": [9] * n})
        f.case(name, call, [v, at, 2], {"output_size": [9] * (n + 1)})
        f.case(name, call, [v, at + 100, 2])
        f.case(name, call, [v, at[:, :2], 2])
        f.case(name, call, [v, at.int(), 2])
        f.case(name, call, [v.detach().double().requires_grad_(), at, 2], double=True)
        for dtype in (F16, torch.int32, torch.uint8):
            f.case(name, call, [v.detach().to(dtype), at, 2])


def norms(f):
    m = maker(f)
    op, call = "batch_norm", "nn.functional.batch_norm"
    stats = lambda dtype=F32: [m(4, key="rm", dtype=dtype, grad=False), m(4, key="rv", dtype=dtype, kind="pos", grad=False)]
    affine = lambda dtype=F32: [m(4, key="w", dtype=dtype), m(4, key="b", dtype=dtype)]
    for shape, layout in [([5, 4], "c"), ([3, 4, 5], "c"), ([3, 4, 5], "t"), ([2, 4, 3, 3], "c"), ([2, 4, 3, 5], "t"), ([2, 4, 3, 3], "s"), ([2, 4, 2, 3, 2], "c"), ([3, 4, 5], "e"), ([0, 4, 3], "c")]:
        x = m(*shape, layout=layout)
        for training in (True, False):
            f.case(op, call, [x, *stats(), *affine()], {"training": training})
            f.case(op, call, [x, *stats()], {"training": training})
            f.case(op, call, [x, *stats(), affine()[0]], {"training": training, "eps": 0.1, "momentum": 0.3})
            f.case(op, call, [x, *stats(), None, affine()[1]], {"training": training})
        f.case(op, call, [x, None, None, *affine(), True])
    for training in (True, False):
        f.case(op, call, [m(3, 4, 2, dtype=F64), *stats(F64), *affine(F64)], {"training": training}, double=True)
        f.case(op, call, [m(3, 4, dtype=F64), *stats(F64)], {"training": training}, double=True)
        for dtype in DTYPES:
            f.case(op, call, [m(3, 4, 5, dtype=dtype), *stats(dtype), *affine(dtype)], {"training": training})
        for dtype in (F16, BF16):
            f.case(op, call, [m(3, 4, 5, dtype=dtype), *stats(), *affine()], {"training": training})
    f.case(op, call, [(m(6, 4, 9) + 50).detach().requires_grad_(), *stats(), *affine(), True], tag="far from zero")
    x = m(3, 4, 2)
    rm, rv = stats()
    w, b = affine()
    for args, kw in [([x, None, None], {}), ([x, rm, None], {}), ([x, rm[:3], rv], {}), ([x, rm, rv[:3]], {}), ([x, rm, rv, w[:3].detach()], {}), ([x, rm, rv, w, b[:3].detach()], {}), ([m(1, 4), rm, rv], {"training": True}),
                     ([m(1, 4, 1, 1), rm, rv], {"training": True}), ([m(4), rm, rv], {}), ([m(3, 4, dtype=F64), rm, rv], {}), ([m(3, 4, dtype=F16), rm, rv, w.detach().half(), b.detach().half()], {}), ([m(3, 4), rm, rv, w.detach().half(), b.detach().half()], {}), ([x], {})]:  # fmt: skip
        f.case(op, call, args, kw)
    op, call = "instance_norm", "nn.functional.instance_norm"
    for shape in ([2, 4, 5], [2, 4, 3, 3], [2, 4, 2, 2, 3]):
        x = m(*shape)
        f.case(op, call, [x])
        f.case(op, call, [x, *stats(), *affine()])
        f.case(op, call, [x, *stats()], {"use_input_stats": False})
    f.case(op, call, [m(2, 4, 5, dtype=F64), None, None, *affine(F64)], double=True)
    f.case(op, call, [m(2, 4, 3, 3, layout="t"), None, None, *affine()])
    for dtype in (F16, BF16):
        f.case(op, call, [m(2, 4, 9, dtype=dtype)])
    f.case(op, call, [x], {"use_input_stats": False})
    f.case(op, call, [m(2, 4, 1)])
    op, call = "group_norm", "nn.functional.group_norm"
    for shape, layout in [([2, 4], "c"), ([2, 4, 5], "c"), ([2, 4, 3, 3], "t"), ([2, 4, 3, 3], "s"), ([0, 4, 3], "c"), ([2, 4, 2, 3, 2], "c")]:
        for groups in (1, 2, 4):
            if shape == [2, 4] and groups == 4:
                continue
            f.case(op, call, [m(*shape, layout=layout), groups, *affine()])
            f.case(op, call, [m(*shape, layout=layout), groups], {"eps": 0.1})
    f.case(op, call, [m(2, 4, 3), 2, affine()[0]])
    f.case(op, call, [m(2, 4, 3), 2], {"bias": affine()[1].detach()})
    f.case(op, call, [m(2, 4, 3, dtype=F64), 2, *affine(F64)], double=True)
    for dtype in DTYPES:
        f.case(op, call, [m(2, 4, 5, dtype=dtype), 2, *affine(dtype)])
    f.case(op, call, [m(2, 4, 5, dtype=BF16), 2, *affine()])
    for args in [[m(2, 4, 3), 3], [m(2, 4, 3), 2, m(3, key="w")], [m(2, 4, 3), 2, w, m(3, key="b")], [m(1, 4), 4], [m(4), 2], [m(2, 4, 3)]]:
        f.case(op, call, args)
    op, call = "rms_norm", "nn.functional.rms_norm"
    for shape, normalized in [([4], [4]), ([3, 4], [4]), ([2, 3, 4], [3, 4]), ([5, 37], [37]), ([0, 4], [4])]:
        f.case(op, call, [m(*shape), normalized])
        f.case(op, call, [m(*shape), normalized, m(*normalized, key="w")])
        f.case(op, call, [m(*shape), normalized], {"eps": 0.1})
    f.case(op, call, [m(3, 4, dtype=F64), [4], m(4, key="w", dtype=F64)], double=True)
    for dtype in DTYPES:
        f.case(op, call, [m(3, 5, dtype=dtype), [5], m(5, key="w", dtype=dtype)])
    for args in [[m(3, 4), [4], m(3, key="w")], [m(3, 4), [3]], [m(3, 4), []]]:
        f.case(op, call, args)
    op, call = "local_response_norm", "nn.functional.local_response_norm"
    for args, kw in [([m(2, 5, 3), 2], {}), ([m(2, 5, 3, 2), 3], {"alpha": 0.5, "beta": 0.5, "k": 2.0}), ([m(2, 5, 2, 2, 2), 4], {}), ([m(3, 3), 2], {}), ([m(3), 2], {})]:
        f.case(op, call, args, kw)


def pads(f):
    m = maker(f)
    op, call = "pad", "nn.functional.pad"
    shapes = {1: [2, 3, 5], 2: [2, 3, 5, 6], 3: [2, 3, 4, 5, 6]}
    for mode in ("reflect", "replicate", "circular", "constant"):
        for n in (1, 2, 3):
            x = m(*shapes[n])
            for widths in ([1, 2] * n, [0, 1, 2, 0, 1, 1][: 2 * n], [-1, 1] * n, [0] * (2 * n), [2, -2, -1, -1, 1, 0][: 2 * n]):
                f.case(op, call, [x, widths, mode])
            f.case(op, call, [m(*shapes[n][1:]), [1, 1] * n, mode])
            f.case(op, call, [m(0, *shapes[n][1:]), [1, 1] * n, mode])
            if n < 3:
                f.case(op, call, [m(*shapes[n], dtype=F64), [1, 2] * n, mode], double=True)
            for layout in "ts":
                f.case(op, call, [m(*shapes[n], layout=layout), [1, 1] * n, mode])
        for dtype in DTYPES:
            f.case(op, call, [m(2, 3, 5, dtype=dtype), [2, 1], mode])
        x, y = m(2, 3, 5), m(2, 3, 4, 5)
        for args in ([y, [1, 2]], [x, [5, 1]], [x, [6, 1]], [x, [-4, -3]], [x, [1]], [m(5), [1, 1]], [y, [1] * 8], [y, [1] * 12], [x, []], [m(2, 3, 0), [1, 1]], [x, [9, 1]]):
            f.case(op, call, [*args, mode])
        f.case(op, call, [x, [1, 1], mode, 1.5])
    f.case(op, call, [m(2, 3), [1, 2], "zeros"])
    f.case(op, call, [m(2, 3), [1, 2]], {"value": -2.5})
    f.case(op, call, [m(3, dtype=I64), [1, 2]], {"value": 4})
    f.case(op, "torch.constant_pad_nd", [m(2, 3, 4), [1, 2, 0, 1], 3])


def interpolations(f):
    m = maker(f)
    op, call = "interpolate", "nn.functional.interpolate"
    xs = {3: m(1, 2, 5), 4: m(1, 2, 4, 5), 5: m(1, 1, 3, 2, 4)}
    modes = {3: ["nearest", "nearest-exact", "linear", "area"], 4: ["nearest", "nearest-exact", "bilinear", "bicubic", "area"], 5: ["nearest", "nearest-exact", "trilinear", "area"]}
    for rank, x in xs.items():
        for mode in modes[rank]:
            for kw in ({"size": 7}, {"size": 2}, {"size": [3, 8, 5][: rank - 2]}, {"scale_factor": 2}, {"scale_factor": 1.7}, {"scale_factor": 0.6}, {"scale_factor": [0.5, 1.5, 2.0][: rank - 2]}, {"size": 1},
                       {"scale_factor": 1.7, "recompute_scale_factor": True}):  # fmt: skip
                f.case(op, call, [x], {**kw, "mode": mode})
                if mode.endswith("linear") or mode == "bicubic":
                    f.case(op, call, [x], {**kw, "mode": mode, "align_corners": True})
            for dtype in (F16, BF16, F64):
                f.case(op, call, [m(*x.shape, dtype=dtype)], {"scale_factor": 1.5, "mode": mode})
            if rank < 5:
                f.case(op, call, [m(1, 1, *x.shape[2:], dtype=F64)], {"size": 4, "mode": mode}, double=True)
            f.case(op, call, [m(*x.shape, layout="t")], {"size": 4, "mode": mode})
            f.case(op, call, [m(0, *x.shape[1:])], {"size": 4, "mode": mode})
    f.case(op, call, [m(1, 2, 3, 3, dtype=torch.uint8)], {"size": 5})
    x = xs[4]
    for args, kw in [([x], {"size": 7, "scale_factor": 2}), ([x], {}), ([x], {"size": 7, "align_corners": True}), ([x], {"size": 0}), ([x], {"size": -1}), ([x], {"scale_factor": 0.1}), ([x], {"size": 3, "recompute_scale_factor": True}),
                     ([x], {"size": 3, "antialias": True}), ([m(1, 0, 2, 2)], {"size": 3}), ([m(1, 3, 0, 2)], {"size": 3}), ([x], {"size": [1, 2, 3]}), ([x], {"scale_factor": [1, 2, 3]}), ([m(2, 3)], {"size": 3})]:  # fmt: skip
        f.case(op, call, args, kw)
    for rank, x in xs.items():
        for mode in ("linear", "bilinear", "trilinear", "bicubic", "cubic"):
            if mode not in modes[rank]:
                f.case(op, call, [x], {"size": 3, "mode": mode})
    f.case(op, call, [m(1, 1, 2, 2, dtype=I64)], {"size": 3})
    f.case(op, call, [m(1, 1, 2, 2, dtype=I64)], {"size": 3, "mode": "bilinear"})


def blocks(f):
    m = maker(f)
    op, call = "unfold", "nn.functional.unfold"
    x = m(2, 3, 5, 6)
    for kw in ({"kernel_size": 2}, {"kernel_size": [2, 3], "padding": 1}, {"kernel_size": 2, "stride": [2, 1], "dilation": 2}, {"kernel_size": [1, 2], "padding": [1, 0], "stride": 3}):
        f.case(op, call, [x], kw)
        f.case(op, call, [m(3, 5, 6)], kw)
    f.case(op, call, [x, 2, 1, 1, 2])
    f.case(op, call, [m(2, 2, 4, 3, layout="t"), 2])
    f.case(op, call, [m(1, 1, 3, 3, dtype=F64), 2], {"padding": 1}, double=True)
    for dtype in DTYPES:
        f.case(op, call, [m(1, 2, 3, 3, dtype=dtype), 2])
    for args, kw in [([m(1, 1, 3, 5, 6), 2], {}), ([x, 8], {}), ([x, 0], {}), ([x, 2], {"stride": 0}), ([x, 2], {"dilation": 0}), ([x, 2], {"padding": -1}), ([x, [2, 2, 2]], {}), ([m(0, 1, 3, 3), 2], {}), ([x], {})]:
        f.case(op, call, args, kw)
    op, call = "fold", "nn.functional.fold"
    c = m(2, 12, 20, key="c")
    f.case(op, call, [c, [5, 6], 2])
    f.case(op, call, [c[0].detach().requires_grad_(), [5, 6], 2])
    f.case(op, call, [m(2, 12, 12, key="c"), [5, 6], [2, 3]], {"stride": [2, 1], "padding": [1, 0]})
    f.case(op, call, [m(1, 4, 16), 5, 2])
    f.case(op, call, [m(1, 8, 4, dtype=F64), [3, 3], 2], double=True)
    f.case(op, call, [m(1, 4, 9), [5, 5], 2], {"dilation": 2})
    f.case(op, call, [m(2, 4, 9, layout="t"), [4, 4], 2])
    for dtype in FLOATS:
        f.case(op, call, [m(1, 4, 9, dtype=dtype), [4, 4], 2])
    for args in ([c, [5, 7], 2], [m(2, 11, 20), [5, 6], 2], [m(1, 2, 12, 20), [5, 6], 2], [c, [5, 6, 7], 2], [m(1, 4, 4, dtype=I64), [3, 3], 2], [c, [5, 6], 0]):
        f.case(op, call, args)


def shuffles(f):
    m = maker(f)
    for op, good, bad in [
        ("pixel_shuffle", [([1, 8, 2, 3], 2), ([9, 2, 2], 3), ([2, 2, 4, 2, 3], 2), ([0, 4, 2, 2], 2)], [([1, 7, 2, 2], 2), ([2, 2], 2), ([1, 8, 2, 2], 0)]),
        ("pixel_unshuffle", [([1, 2, 4, 6], 2), ([2, 3, 6], 3), ([2, 2, 1, 4, 2], 2)], [([1, 2, 5, 4], 2), ([1, 2, 4, 5], 2), ([4, 4], 2), ([1, 2, 4, 4], -1)]),
        ("channel_shuffle", [([1, 6, 2, 2], 2), ([2, 6, 3], 3), ([2, 4, 1, 2, 2], 4)], [([1, 5, 2, 2], 2), ([1, 5, 2, 2], 0), ([1, 4], 2)]),
    ]:
        for shape, n in good + bad:
            # PyTorch's gradient of an empty batch has the wrong shape.
            f.case(op, f"nn.functional.{op}", [m(*shape, grad=shape[0] > 0), n])
        shape, n = good[0]
        f.case(op, f"torch.{op}", [m(*shape, layout="t"), n])
        f.case(op, f"torch.{op}", [m(*shape, dtype=F64), n], double=True)
        for dtype in DTYPES:
            f.case(op, f"torch.{op}", [m(*shape, dtype=dtype), n])


def record():
    out = []
    for name, fill in [("convolutions", [convolutions]), ("pools", [pools]), ("norms", [norms]), ("images", [pads, blocks, shuffles]), ("interpolation", [interpolations])]:
        f = Family(name)
        for part in fill:
            part(f)
        out.append(f)
    return out
