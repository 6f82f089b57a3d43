"""Operations that most programs meet and no other family has: running extremes, quantiles, differences, distances of all pairs,
bilinear forms, einsum over lists, bytes as another dtype; and what random calls of the everyday operations once found."""

import torch

from .encode import DTYPES, FLOATS, INTS
from .recorder import Family

F32, F64 = torch.float32, torch.float64
I64 = torch.int64
N = "nn.functional."
NAN, INF = float("nan"), float("inf")
L = torch.tensor
SHAPES = [([], "c"), ([0], "c"), ([1], "c"), ([19], "c"), ([3, 4], "t"), ([2, 3, 4], "s"), ([2, 0, 3], "c"), ([3, 4], "e")]


def record():
    f = Family("first-hour")
    running(f)
    quantiles(f)
    differences(f)
    distances(f)
    bilinear(f)
    lists(f)
    views(f)
    found(f)
    return [f]


def running(f):
    special = L([1.0, 1.0, NAN, 3.0, -INF, NAN, INF])
    for op in ("cummax", "cummin"):
        for shape, layout in SHAPES:
            for dim in range(-1, max(1, len(shape))):
                if 0 in shape and shape != [0] and shape[dim] != 0:
                    continue
                f.case(op, "torch." + op, [f.make(op, shape, F32, layout, "ties", layout != "e"), dim])
        for dtype in DTYPES:
            f.case(op, "Tensor." + op, [f.make(op, [3, 5], dtype, "c", "ties", True), 1])
        f.case(op, "torch." + op, [special, 0])
        f.case(op, "torch." + op, [special.flip(0), 0])
        f.case(op, "torch." + op, [f.make(op, [3, 4], F64, "t", "any", True)], {"dim": 0}, double=True)
        f.case(op, "torch." + op, [L(2.0), 1])
        f.case(op, "torch." + op, [f.make(op, [3, 4]), 2])
        f.case(op, "torch." + op, [f.make(op, [3, 4]), "a"])
    op = "logcumsumexp"
    for shape, layout in SHAPES:
        for dim in range(-1, max(1, len(shape))):
            f.case(op, "torch." + op, [f.make(op, shape, F32, layout, "any", layout != "e"), dim])
    for dtype in FLOATS:
        f.case(op, "Tensor." + op, [f.make(op, [3, 5], dtype, "s", "any", True), -1])
    f.case(op, "torch." + op, [special, 0])
    f.case(op, "torch." + op, [L([-INF, -INF, 2.0, INF, INF]), 0])
    f.case(op, "torch." + op, [L([-1000.0, 0.0, 1000.0, 1000.0]), 0])
    f.case(op, "torch." + op, [f.make(op, [3, 4], F64, "t", "any", True), 0])
    for dtype in INTS[:2] + [torch.bool]:
        f.case(op, "torch." + op, [f.make(op, [3], dtype), 0])
    f.case(op, "torch." + op, [f.make(op, [3, 4]), 2])


def quantiles(f):
    for op in ("quantile", "nanquantile"):
        x = f.make(op, [3, 4], F64, "t", "any", True)
        gaps = L([[1.0, NAN, 3.0, 2.0], [NAN, NAN, NAN, NAN], [4.0, 1.0, 2.0, 3.0]], requires_grad=True)
        three = L([0.1, 0.5, 1.0], dtype=F64)
        for how in ("linear", "lower", "higher", "midpoint", "nearest"):
            for dim in (None, 0, -1):
                for keep in (False, True):
                    f.case(op, "torch." + op, [x, 0.4, dim, keep], {"interpolation": how})
                    f.case(op, "Tensor." + op, [x, three, dim, keep], {"interpolation": how})
            f.case(op, "torch." + op, [gaps, 0.5, 1], {"interpolation": how})
        f.case(op, "torch." + op, [f.make(op, [2, 3, 4], F32, "s", "any", True), L([0.25, 0.75]), 1])
        f.case(op, "torch." + op, [x, L(0.3, dtype=F64)], {"dim": 0})
        f.case(op, "torch." + op, [x, L([], dtype=F64)])
        f.case(op, "torch." + op, [L(2.0), 0.5, 0])
        f.case(op, "torch." + op, [f.make(op, [3, 4], F64, "c", "any", True), three, 1], double=True)
        for args, kw in [([x, 1.5], {}), ([x, NAN], {}), ([x, L([1.5], dtype=F64)], {}), ([x, L([0.5])], {}), ([L([1, 2]), 0.5], {}), ([torch.zeros(0), 0.5], {}), ([x, L([[0.5]], dtype=F64)], {}), ([x, 0.5], {"interpolation": "cubic"}), ([x.detach().half(), 0.5], {}), ([x, 0.5, 5], {}), ([x, "a"], {}), ([x, [0.5]], {})]:
            f.case(op, "torch." + op, args, kw)


def differences(f):
    op = "diff"
    for shape, layout in SHAPES[1:]:
        for dim in range(-1, len(shape)):
            f.case(op, "torch." + op, [f.make(op, shape, F32, layout, "any", layout != "e")], {"dim": dim})
    for n in (0, 2, 3, 9):
        f.case(op, "Tensor." + op, [f.make(op, [3, 4], F64, "t", "any", True), n], double=n == 2)
    for dtype in DTYPES:
        f.case(op, "torch." + op, [f.make(op, [2, 5], dtype, "c", "any", True)])
    x, i = f.make(op, [3, 4], F32, "c", "any", True), L([1, 2, 4])
    f.case(op, "torch." + op, [x], {"prepend": f.make("pre", [3, 1], F32, "c", "any", True), "append": f.make("app", [3, 2])})
    f.case(op, "torch." + op, [x, 2, 0, f.make("pre", [1, 4])])
    f.case(op, "torch." + op, [i], {"append": L([2.5])})
    for args, kw in [([x, -1], {}), ([x, 1, 5], {}), ([L(2.0)], {}), ([x], {"prepend": x.detach()[:2]}), ([x], {"append": i})]:
        f.case(op, "torch." + op, args, kw)


def distances(f):
    op = "cdist"
    for p in (0, 1, 2, 3, 0.5, 1.5, INF):
        for a, b in [([3, 4], [5, 4]), ([2, 3, 4], [5, 4]), ([2, 1, 3, 2], [3, 4, 2]), ([0, 3], [2, 3]), ([3, 0], [2, 0])]:
            f.case(op, "torch." + op, [f.make(op, a, F64, "c", "any", True), f.make("other", b, F64, "c", "any", True), p])
        f.case(op, "torch." + op, [f.make(op, [3, 4], F32, "t", "ties", True), f.make("other", [5, 4], F32, "s", "ties", True), p])
        f.case("pdist", "torch.pdist", [f.make(op, [4, 3], F64, "t", "any", True), p])
        f.case("pdist", N + "pdist", [f.make(op, [5, 2], F32, "c", "ties", True), p])
    x, y = f.make(op, [3, 4], F64), f.make("other", [5, 4], F64)
    f.case(op, "torch." + op, [x, y], {"compute_mode": "donot_use_mm_for_euclid_dist"})
    for args, kw in [([x, y, -1], {}), ([x, y[:, :3]], {}), ([x, y[0]], {}), ([x[0], y], {}), ([x.long(), y], {}), ([x, y.float()], {}), ([x.half(), y.half()], {}), ([x.expand(2, 3, 4), y.expand(3, 5, 4)], {}), ([x, y], {"compute_mode": "fast"})]:
        f.case(op, "torch." + op, args, kw)
    op = "pdist"
    for args in ([x[0]], [x[None]], [x.long()], [x.half()], [x, -1], [x[:1]], [x[:, :0]]):
        f.case(op, "torch." + op, list(args))
    op = "dist"
    for p in (0, 1, 2, 3, INF):
        f.case(op, "torch." + op, [f.make(op, [3, 4], F64, "c", "any", p != 0), f.make("other", [4], F64, "c", "any", p != 0), p], double=p == 3)
    f.case(op, "Tensor." + op, [f.make(op, [2, 3]), f.make("other", [2, 3], torch.float16)])
    f.case(op, "torch." + op, [L([1, 2]), L([3, 4])])


def bilinear(f):
    op = "bilinear"
    m = lambda key, shape, dtype=F32, layout="c": f.make(key, shape, dtype, layout, "any", True)
    for batch in ([], [3], [2, 3], [0]):
        for bias in (False, True):
            args = [m("x1", batch + [2]), m("x2", batch + [4]), m("w", [5, 2, 4])] + ([m("b", [5])] if bias else [])
            f.case(op, N + op, args)
    f.case(op, "torch." + op, [m("x1", [3, 2], F64, "t"), m("x2", [3, 4], F64, "s"), m("w", [5, 2, 4], F64), m("b", [5], F64)], double=True)
    for dtype in FLOATS + [I64]:
        f.case(op, N + op, [m("x1", [3, 2], dtype), m("x2", [3, 4], dtype), m("w", [5, 2, 4], dtype)])
    a, b, w = m("x1", [3, 2]), m("x2", [3, 4]), m("w", [5, 2, 4])
    c = m("b", [2])
    for args in ([a, b.detach()[:2], w], [a, b, w.detach()[:, :1]], [a, b, w.detach()[..., :1]], [a, b, w, c], [a[None].detach(), b, w], [a.detach().half(), b, w], [a, b, w, m("b", [5], F64)]):
        f.case(op, N + op, list(args))


def lists(f):
    op = "einsum"
    a, b = f.make(op, [2, 3], F64, "t", "any", True), f.make("other", [3, 4], F64, "c", "any", True)
    for args in ([a, [0, 1], b, [1, 2], [0, 2]], [a, [0, 1], b, [1, 2]], [a, [..., 1], [...]], [a, [26, 27], [27, 26]], [a, [51, 0]], [a, [0, 1], []], [a, [...], b, [..., 2], [2]],
                 [a, [0, 52]], [a, [0, -1]], [a, [0]], [a, [0, 1], [0, 0]], [a, [0, 1], [3]], [a], ["ij"]):  # fmt: skip
        f.case(op, "torch." + op, list(args))


def views(f):
    op = "view"
    x = f.make(op, [3, 4])
    for dtype in (torch.int32, F64, torch.int8, torch.uint8, torch.float16, torch.bfloat16, I64):
        f.case(op, "Tensor." + op, [x, dtype], strides=True)
    for y in (x.t(), x[:, :2], x.expand(2, 3, 4)):
        f.case(op, "Tensor." + op, [y, torch.int32], strides=True)
        f.case(op, "Tensor." + op, [y, I64], strides=True)
    f.case(op, "Tensor." + op, [f.make(op, [2, 4], F32, "c", "any", True), F64], strides=True)
    for y, dtype in [(x.t(), torch.int8), (x.t(), F64), (x[:, 1:], F64), (x[:, 1:3], F64), (x[0, 0], torch.int8), (x[0, 0], F64), (x[:, :3], F64), (torch.arange(10.0)[::2], F64), (x.as_strided([2, 2], [3, 1]), F64)]:
        f.case(op, "Tensor." + op, [y, dtype])
    for shape, layout in SHAPES:
        f.case("ravel", "torch.ravel", [f.make("ravel", shape, F64, layout, "any", layout != "e")])
    for shape in ([3, 4], [2, 3, 4], [3], []):
        f.case("adjoint", "Tensor.adjoint", [f.make("adjoint", shape, F64, "c", "any", True)], strides=True)
    f.case("as_strided", "torch.as_strided", [x, [2], [1], -1])


def found(f):
    """By what they have in common."""
    m = lambda shape, dtype=F32, kind="any", grad=False, layout="c": f.make("found", shape, dtype, layout, kind, grad)
    g = "what is said first"
    i8 = m([2, 3], torch.int8)
    for call, args, kw in [
        ("torch.fmax", [m([2, 3]), -3], {"dim": 1}), ("Tensor.amin", [m([2, 3]), 0, None], {"keepdim": True}), ("Tensor.amin", [m([2, 3]), 0, True], {"keepdim": True}), ("torch.isclose", [m([2]), m([2]), [0]], {"rtol": 0.1}),
        ("torch.logaddexp", [L([1, 2]), L([1, 2, 3])], {}), ("torch.bitwise_or", [L([1, 2]), m([3])], {}), ("Tensor.hypot_", [L([True]), L([1])], {}), ("Tensor.heaviside_", [i8, m([2, 3])], {}),
        ("Tensor.clamp_", [m([2, 3]), 1, m([3])], {}), ("Tensor.clamp", [m([2, 3]), L(0), 2], {}), ("torch.clamp", [m([2, 3]), -0.5, L(0.5)], {}), ("torch.clamp", [L([1, 5]), L(2), 4], {}),
        ("torch.flip", [m([2, 3]), 0], {}), ("torch.flip", [m([2, 3]), 0, 1], {}), ("torch.permute", [m([2, 3]), 1, 0], {}), ("torch.tile", [m([2, 3]), 2], {}), ("torch.reshape", [m([2, 3]), 3, 2], {}), ("Tensor.flip", [m([2, 3]), 0, 1], {}),
        ("linalg.matrix_norm", [L([1, 2, 3])], {}), ("linalg.matrix_norm", [L([[1, 2]]), 3], {}), ("linalg.matrix_norm", [m([2, 2], torch.float16), 2], {}), ("torch.norm", [m([2, 2, 2])], {"p": "nuc"}),
    ]:  # fmt: skip
        f.case(g, call, args, kw)

    g = "losses"
    x, y, c = m([2, 3], F32, "any", True), m([2, 3], F32, "unit"), L([[0, 1, 1], [1, 0, 1]])
    p = m([2, 3], F32, "unit", True)
    for call, args, kw in [
        ("binary_cross_entropy_with_logits", [x, c], {}), ("binary_cross_entropy_with_logits", [x, c], {"weight": y}), ("binary_cross_entropy_with_logits", [x, c.bool()], {}), ("binary_cross_entropy_with_logits", [x.detach().double(), y], {}),
        ("binary_cross_entropy_with_logits", [x, y], {"pos_weight": torch.ones(2, 2, 3)}), ("binary_cross_entropy_with_logits", [c, y], {}), ("binary_cross_entropy", [p, c], {}), ("binary_cross_entropy", [p, y.double()], {}), ("kl_div", [x, c], {"reduction": "sum"}),
        ("cross_entropy", [m([3]), L([0, 1, 2])], {}), ("nll_loss", [m([3]), L([0, 1])], {}), ("cross_entropy", [m([2, 3, 2]), torch.zeros(2, 2, dtype=I64)], {"weight": m([2])}), ("cross_entropy", [x], {}), ("cross_entropy", [], {}), ("triplet_margin_loss", [x], {}),
        ("huber_loss", [x, y], {"weight": m([2, 3], F32, "pos")}), ("huber_loss", [x, y], {"weight": m([2, 3], F32, "pos"), "reduction": "sum"}), ("mse_loss", [m([2], torch.bfloat16), L(0.5, dtype=F64)], {}), ("l1_loss", [m([2], torch.float16), L(0.5)], {"reduction": "none"}), ("smooth_l1_loss", [m([2], torch.float16), L(0.5)], {}),
    ]:  # fmt: skip
        f.case(g, N + call, args, kw)
    g = "values"
    odd = L([1.0, NAN, 3.0, INF, -INF, 0.0], dtype=F64)
    grad = lambda t: t.clone().requires_grad_()
    three = m([2, 3, 4], F64, "any", True)
    for call, args, kw in [
        ("torch.max", [grad(odd)], {}), ("torch.min", [grad(odd)], {}), ("torch.amax", [grad(odd)], {}),
        ("torch.inner", [m([4, 1], torch.int8), m([1], torch.int8)], {}), ("torch.tensordot", [m([2, 1, 2], torch.int32), m([1, 2, 2], torch.int32)], {"dims": 1}), ("torch.tensordot", [m([2, 3], torch.uint8), m([1, 2], torch.uint8)], {"dims": 1}),
        ("torch.addbmm", [m([3, 1], F64, "any", True), m([3, 3, 2], F64), m([3, 2, 1], F64)], {"alpha": -1}), ("torch.addbmm", [m([3, 1], F64), m([3, 3, 2], F64, "any", True), m([3, 2, 1], F64)], {}),
        ("torch.einsum", ["ij,kj->ik", m([2, 1], torch.int32), m([3, 4], torch.int32)], {}), ("torch.einsum", ["ij,jk->i", m([2, 3], torch.int8), m([3, 4], torch.int8)], {}),
        (N + "rms_norm", [L([[0.001], [0.01], [0.1]], dtype=torch.float16), [1]], {}), (N + "rms_norm", [L([[0.001], [0.01], [0.1]], dtype=torch.bfloat16), [1]], {}), (N + "rms_norm", [three.transpose(0, 1), [4]], {}), (N + "logsigmoid", [three.detach().transpose(0, 1)], {}),
        (N + "normalize", [torch.zeros(2, 0, 3)], {"p": INF, "dim": 1}), ("torch.dist", [torch.zeros(0), torch.zeros(0), INF], {}), (N + "interpolate", [m([2, 2, 3])], {"scale_factor": 0.25, "mode": "linear"}), (N + "max_pool2d", [m([1, 2, 3, 4]), 2], {"dilation": [1, 2, 1]}),
        ("torch.isin", [L([True]), L([1])], {}), ("torch.isin", [L([1]), L([True])], {}), ("torch.nanmean", [m([3])], {"dtype": I64}), ("torch.rsub", [m([2, 3], F64, "any", True), m([3], F64)], {"alpha": 2}), ("torch.log1p", [m([3], F64, "pos", True)], {}), ("torch.isreal", [three.detach().transpose(0, 1)], {}),
    ]:  # fmt: skip
        f.case(g, call, args, kw, strides=call.endswith(("rms_norm", "logsigmoid", "isreal")))

    g = "NumPy's names"
    for call, args, kw in [
        ("torch.sum", [three], {"axis": 1}), ("Tensor.mean", [three], {"axis": [0, 2], "keepdims": True}), ("torch.unbind", [m([2, 3])], {"axis": 1}), ("torch.cat", [[m([2, 3]), m([2, 3])]], {"axis": 1}), ("torch.softmax", [three], {"axis": 0}),
        ("torch.add", [m([2, 3])], {"x2": m([3])}), ("torch.max", [m([2, 3])], {"axis": 0, "keepdims": True}), ("torch.chunk", [m([4, 2]), 2], {"axis": True}),
    ]:  # fmt: skip
        f.case(g, call, args, kw)
    g = "values without dimensions"
    u8, wide = m([3], torch.uint8), L(-4, dtype=torch.int16)
    for call, args in [
        ("torch.maximum", [u8, wide]), ("torch.lt", [u8, L(-1)]), ("torch.eq", [L([255], dtype=torch.uint8), L(-1)]), ("torch.gt", [m([19], torch.bfloat16), L(0.3)]), ("torch.eq", [L([0.1], dtype=torch.float16), L(0.1)]), ("torch.minimum", [L([3], dtype=torch.int8), L(300)]),
        ("torch.where", [L([True, False]), L([1.0, 2.0], dtype=torch.bfloat16), L(0.1)]), ("torch.mul", [m([5], torch.bfloat16, "any", True), L(0.3)]), ("torch.add", [L([1.0, 3.0], dtype=torch.float16), L(2049)]), ("Tensor.clamp_min_", [L([3, -3], dtype=torch.int8), L(300)]), ("torch.div", [L([7], dtype=torch.uint8), L(-2)]),
    ]:  # fmt: skip
        f.case(g, call, args)
    f.case("losses", N + "mse_loss", [m([7]), m([2, 7])], {"weight": m([7], F32, "pos")})
    for grad in (False, True):
        f.case("values", N + "max_pool1d", [m([2, 2, 6], F32, "any", grad), 1, 3, 1])
    f.case("values", N + "max_pool1d", [m([2, 5], I64), 3], {"return_indices": True})
    f.case("values", N + "max_pool1d", [m([2, 5], I64), 3])
