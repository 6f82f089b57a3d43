"""Layers of the convolution family: texts, weights from a seed, results, gradients, errors. Replayed by src/nn/image-layers.test.ts."""

import torch

from .layers import Layers, x
from .layers import layer as plain_layer

F64 = torch.float64


def layer(name, args=(), kwargs=None, **more):
    """Lists as tuples, as JavaScript's arrays are shown."""
    fixed = lambda v: tuple(v) if isinstance(v, list) else v
    return plain_layer(name, [fixed(a) for a in args], {k: fixed(v) for k, v in (kwargs or {}).items()}, **more)


SPACE = {1: (7,), 2: (6, 7), 3: (3, 4, 3)}


def convolutions():
    for n in (1, 2, 3):
        s = SPACE[n]
        name = f"Conv{n}d"
        yield layer(name, [4, 6, 2], inputs=[x(2, 4, *s), x(4, *s), x(2, 3, *s)])
        yield layer(name, [4, 6, 3, 2, 1], inputs=[x(2, 4, *s)])
        yield layer(name, [4, 6, [3, 2, 1][:n]], {"padding": "same", "bias": False}, inputs=[x(2, 4, *s)])
        yield layer(name, [4, 4, 3], {"groups": 4, "dilation": [2, 1, 1][:n], "padding": 2}, inputs=[x(2, 4, *s)])
        for mode in ("reflect", "replicate", "circular"):
            yield layer(name, [4, 2, 3], {"padding": [1, 2, 1][:n], "padding_mode": mode}, inputs=[x(2, 4, *s)])
        yield layer(name, [2, 3, 2], {"padding": "same", "padding_mode": "reflect"}, inputs=[x(2, 2, *s)])
        yield layer(name, [2, 3, 2], {"dtype": F64}, inputs=[x(2, 2, *s, dtype=F64)])
        name = f"ConvTranspose{n}d"
        yield layer(name, [4, 6, 2], inputs=[x(2, 4, *s), x(4, *s)])
        yield layer(name, [4, 6, 3], {"stride": 2, "padding": 1, "output_padding": 1, "groups": 2}, inputs=[x(2, 4, *s), (x(1, 4, *s), [v * 2 for v in s]), (x(1, 4, *s), [v * 2 + 5 for v in s]), (x(1, 4, *s), [9] * (n + 1))])
        yield layer(name, [4, 6, 2], {"bias": False, "dilation": 2}, inputs=[x(2, 4, *s)])
    for args, kw in [([4, 6], {}), ([4, 6, 3], {"groups": 3}), ([4, 6, 3], {"groups": 4}), ([4, 6, 3], {"groups": 0}), ([4, 6, 3], {"padding": "full"}), ([4, 6, 3], {"padding": "same", "stride": 2}), ([4, 6, 3], {"filters": 2}), ([4, 6, 3, 1, 0, 1, 1, True, "zeros", None, None, 1], {})]:
        out = layer("Conv2d", args, kw)
        if kw.get("padding") == "full":
            # a Python set in the text, in any order
            out["error"]["match"] = "Invalid padding string 'full', should be one of"
        yield out
    yield layer("ConvTranspose2d", [4, 6, 3], {"padding_mode": "reflect"})


def norms():
    for n, s in [(1, (5,)), (2, (3, 4)), (3, (2, 3, 2))]:
        good = [x(3, 4, *s), x(3, 4, *s, key="other")]
        for name in (f"BatchNorm{n}d", f"InstanceNorm{n}d"):
            inputs = [*good, x(4, *s), x(3, 4), x(4)] + [x(3, 5, *s)] * name.startswith("Batch")
            yield layer(name, [4], inputs=inputs, modes=(True, False))
            yield layer(name, [4, 0.1, 0.3], {"affine": True, "track_running_stats": True}, inputs=inputs, modes=(True, False))
            yield layer(name, [4], {"affine": False, "track_running_stats": False}, inputs=good, modes=(True, False))
            yield layer(name, [4], {"bias": False, "affine": True}, inputs=good)
            yield layer(name, [4], {"dtype": F64}, inputs=[x(3, 4, *s, dtype=F64)])
        yield layer(f"BatchNorm{n}d", [4], {"momentum": None}, inputs=[*good, *good], modes=(True, False))
        yield layer(f"BatchNorm{n}d", [4], inputs=[x(1, 4, *[1] * n)])
    yield layer("BatchNorm1d", [])
    yield layer("BatchNorm1d", [4], {"features": 3})
    yield layer("InstanceNorm1d", [4], inputs=[x(2, 4, 1)])
    # two values a group: their gradients cancel
    yield layer("GroupNorm", [2, 4], inputs=[x(3, 4, grad=False), x(3, 4, 5), x(2, 4, 2, 3), x(2, 6, 3), x(4)])
    yield layer("GroupNorm", [2, 4, 0.1, False], inputs=[x(3, 4, 5)])
    yield layer("GroupNorm", [4, 4], {"bias": False}, inputs=[x(3, 4, 5), x(1, 4)])
    yield layer("GroupNorm", [2, 3])
    yield layer("RMSNorm", [5], inputs=[x(3, 5), x(2, 3, 5), x(3, 4)])
    yield layer("RMSNorm", [[3, 4]], {"eps": 0.01}, inputs=[x(2, 3, 4)])
    yield layer("RMSNorm", [4], {"elementwise_affine": False, "dtype": F64}, inputs=[x(2, 3, 4)])
    yield layer("LocalResponseNorm", [2], inputs=[x(2, 5, 3), x(2, 5, 3, 2), x(3, 3)])
    yield layer("LocalResponseNorm", [3], {"alpha": 0.5, "beta": 0.5, "k": 2.5}, inputs=[x(2, 5, 3, 2)])


def pools():
    for n in (1, 2, 3):
        s = SPACE[n]
        a, b = x(2, 3, *s), x(3, *s)
        yield layer(f"MaxPool{n}d", [2], inputs=[a, b])
        yield layer(f"MaxPool{n}d", [3, 2, 1], {"ceil_mode": True}, inputs=[a])
        yield layer(f"MaxPool{n}d", [[2, 1, 2][:n]], {"dilation": 2, "stride": 1}, inputs=[a])
        yield layer(f"AvgPool{n}d", [2], inputs=[a, b])
        yield layer(f"AvgPool{n}d", [3, 2, 1], {"ceil_mode": True, "count_include_pad": False}, inputs=[a])
        yield layer(f"AvgPool{n}d", [[2, 1, 2][:n]], {"divisor_override": 3}, inputs=[a])
        yield layer(f"AdaptiveAvgPool{n}d", [2], inputs=[a, b])
        yield layer(f"AdaptiveAvgPool{n}d", [1], inputs=[a, b])
        yield layer(f"AdaptiveMaxPool{n}d", [[2, 3, 1][:n]], inputs=[a, b])
        yield layer(f"LPPool{n}d", [2, 2], inputs=[x(2, 3, *s, kind="pos")])
        yield layer(f"LPPool{n}d", [1.5, 2, 1, True], inputs=[x(2, 3, *s, kind="pos")])
        v, at = getattr(torch.nn.functional, f"max_pool{n}d")(a.detach(), 2, return_indices=True)
        yield layer(f"MaxUnpool{n}d", [2], inputs=[(v.detach().requires_grad_(), at), (v, at, list(s)), (v, at, [99] * n)])
        yield layer(f"MaxUnpool{n}d", [3, 2, 1])
        for name in ("MaxPool", "AvgPool", "AdaptiveAvgPool", "MaxUnpool"):
            yield layer(f"{name}{n}d", [])
    yield layer("MaxPool2d", [2], {"size": 2})
    yield layer("MaxPool2d", [[2, 3], 1], {"return_indices": True})
    yield layer("AdaptiveAvgPool2d", [[None, 3]], inputs=[x(2, 3, 5, 6)])
    yield layer("AdaptiveMaxPool2d", [3, True])


def pads():
    for n in (1, 2, 3):
        s = SPACE[n]
        a = x(2, 3, *s)
        widths = [1, 2, 0, 1, 1, 1][: 2 * n]
        for name in ("ZeroPad", "ReflectionPad", "ReplicationPad", "CircularPad"):
            yield layer(f"{name}{n}d", [1], inputs=[a, x(3, *s), x(7)])
            yield layer(f"{name}{n}d", [widths], inputs=[a])
        yield layer(f"ConstantPad{n}d", [2, 3.5], inputs=[a])
        yield layer(f"ConstantPad{n}d", [widths, -1], inputs=[a])
        yield layer(f"ZeroPad{n}d", [])
        yield layer(f"ConstantPad{n}d", [1])


def images():
    a = x(1, 2, 4, 5)
    yield layer("Upsample", [], {"scale_factor": 2}, inputs=[a])
    yield layer("Upsample", [], {"scale_factor": 1.5, "mode": "bilinear", "align_corners": True}, inputs=[a])
    yield layer("Upsample", [[3, 7]], {"mode": "bicubic"}, inputs=[a])
    yield layer("Upsample", [7, None, "linear"], inputs=[x(2, 3, 4), a])
    yield layer("Upsample", [], inputs=[a])
    yield layer("UpsamplingNearest2d", [], {"scale_factor": 2}, inputs=[a])
    yield layer("UpsamplingBilinear2d", [7], inputs=[a])
    yield layer("PixelShuffle", [2], inputs=[x(1, 8, 2, 3), a])
    yield layer("PixelUnshuffle", [2], inputs=[x(1, 2, 4, 6), a])
    yield layer("ChannelShuffle", [2], inputs=[x(1, 6, 2, 2)])
    yield layer("Unfold", [2], inputs=[a])
    yield layer("Unfold", [[2, 3]], {"padding": 1, "stride": [1, 2]}, inputs=[a])
    yield layer("Fold", [[4, 5], 2], inputs=[x(2, 12, 12)])
    yield layer("Fold", [5, 2], {"dilation": 2}, inputs=[x(1, 4, 9)])
    yield layer("Unflatten", [1, [2, 3]], inputs=[x(2, 6), x(2, 5)])
    for name in ("PixelShuffle", "Unfold", "Fold", "Unflatten", "ChannelShuffle"):
        yield layer(name, [])


def record():
    return [Layers("image_layers", {f.__name__: list(f()) for f in (convolutions, norms, pools, pads, images)})]
