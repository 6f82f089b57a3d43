"""Functions of nn in every dtype (taken or refused), without contiguous inputs, and with an empty batch: what their own families have in a few dtypes only."""

import torch

from .encode import DTYPES
from .recorder import Family

F32, F64 = torch.float32, torch.float64
L = torch.tensor


# PyTorch returns what was in memory, or stumbles over an index of its own.
EMPTY_IS_UNDEFINED = ("multi_margin_loss", "multilabel_margin_loss", "instance_norm", "pixel_unshuffle")


def every(f, op, arguments, space="nn.functional", **kwargs):
    """`arguments(m, n)` makes the arguments for a batch of n with `m(key, shape, kind)`."""
    def run(dtype, layout, n):
        m = lambda key, shape, kind="any", grad=True: f.make(key, shape, dtype, layout, kind, grad)
        f.case(op, f"{space}.{op}", arguments(m, n), kwargs)

    for dtype in DTYPES:
        run(dtype, "c", 2)
    run(F32, "s", 2)
    run(F32, "t", 2)
    if op not in EMPTY_IS_UNDEFINED:
        run(F32, "c", 0)


def images(f):
    for d in (1, 2, 3):
        space = [4] * d
        every(f, f"conv_transpose{d}d", lambda m, n: [m("x", [n, 2, *space]), m("w", [2, 3, *[2] * d]), m("b", [3])], stride=2)
        every(f, f"lp_pool{d}d", lambda m, n: [m("x", [n, 2, *space], "pos"), 2, 2])
        every(f, f"max_unpool{d}d", lambda m, n: [m("x", [n, 1, *[2] * d]), (L([0, 3]) if d == 1 else L([[0, 3], [9, 14]]) if d == 2 else L([[[0, 3], [9, 14]], [[33, 35], [60, 63]]])).expand(n, 1, *[2] * d).contiguous(), 2])
    every(f, "instance_norm", lambda m, n: [m("x", [n, 3, 5]), None, None, m("w", [3]), m("b", [3])])
    every(f, "rms_norm", lambda m, n: [m("x", [n, 3, 4]), [4], m("w", [4])])
    every(f, "local_response_norm", lambda m, n: [m("x", [n, 5, 4]), 3])
    for kw in ({"mode": "nearest"}, {"mode": "bilinear", "align_corners": False}):
        every(f, "interpolate", lambda m, n: [m("x", [n, 2, 3, 4]), [5, 6]], **kw)
    byte = lambda *shape: torch.randint(0, 256, shape, generator=f.gen("bytes", shape), dtype=torch.uint8)
    for size in ([4, 9], [7, 3], [2, 2], [5, 6], [1, 13]):
        for align in (False, True):
            f.case("interpolate", "nn.functional.interpolate", [byte(2, 3, 5, 6), size], {"mode": "bilinear", "align_corners": align})
    f.case("interpolate", "nn.functional.interpolate", [byte(1, 2, 5, 6)], {"scale_factor": 1.7, "mode": "bilinear"})
    whole = lambda *shape: torch.randint(-5, 6, shape, generator=f.gen("whole", shape))
    for args in ([2, 1, 1, 2, 1], [3, 0, 2, 1, 2], [1, 2, 0, 2, 1], [1, 0, 0, 1, [2, 1]]):
        f.case("conv_transpose2d", "nn.functional.conv_transpose2d", [whole(2, 4, 4, 3), whole(4, 3, 3, 2), whole(3 * args[3])], dict(zip(("stride", "padding", "output_padding", "groups", "dilation"), args)))
    every(f, "scaled_dot_product_attention", lambda m, n: [m("q", [n, 2, 3, 4]), m("k", [n, 2, 5, 4]), m("v", [n, 2, 5, 4])])
    every(f, "fold", lambda m, n: [m("x", [n, 8, 4]), [3, 3], [2, 2]])
    every(f, "pixel_unshuffle", lambda m, n: [m("x", [n, 2, 4, 4]), 2])
    every(f, "channel_shuffle", lambda m, n: [m("x", [n, 4, 2, 3]), 2])


def losses(f):
    two = lambda m, n: [m("x", [n, 3]), m("y", [n, 3])]
    signs = lambda n: L([1, -1]).repeat(2)[:n]
    for op in ("l1_loss", "mse_loss", "smooth_l1_loss", "huber_loss"):
        every(f, op, two)
        every(f, op, two, reduction="none")
    classes = lambda n: L([2, 0])[:n]
    for op in ("cross_entropy", "nll_loss", "multi_margin_loss"):
        every(f, op, lambda m, n: [m("x", [n, 3]), classes(n)])
    every(f, "cross_entropy", lambda m, n: [m("x", [n, 3]), m("p", [n, 3], "unit", False)], label_smoothing=0.1)
    op = "linear_cross_entropy"
    every(f, op, lambda m, n: [m("x", [n, 4]), m("w", [3, 4]), classes(n)])
    x, w = f.make("x", [2, 4], F64, "s", "any", True), f.make("w", [3, 2, 4], F64, "c", "any", True)
    b, many = f.make("b", [3, 2], F64, "c", "any", True), L([[0, 2], [1, 1]])
    flat = f.make("w", [3, 4], F64, "c", "any", True)
    f.case(op, f"nn.functional.{op}", [x, w, many], {"linear_bias": b, "reduction": "sum", "ignore_index": 1})
    f.case(op, f"nn.functional.{op}", [x, flat, L([0, 2])], {"weight": f.make("cw", [3], F64, "c", "pos"), "reduction": "none", "label_smoothing": 0.1})
    f.case(op, f"nn.functional.{op}", [x, flat, f.make("p", [2, 3], F64, "c", "unit")], double=True)
    f.case(op, f"nn.functional.{op}", [f.make("x", [4], F64, "c", "any", True), flat, L(1)])
    for args, kw in (([x, flat, f.make("p", [2, 3], F64, "c", "unit")], {"ignore_index": 1}), ([x, flat[0], many], {}), ([w, w, many], {}), ([x, f.make("w", [3, 5], F64), many], {}), ([f.make("x", [4], F64), w, many], {}),
                     ([x, flat, L([0, 2])], {"linear_bias": f.make("b", [2], F64)})):  # fmt: skip
        f.case(op, f"nn.functional.{op}", args, kw)
    every(f, "multilabel_margin_loss", lambda m, n: [m("x", [n, 3]), L([[1, -1, 0], [0, 2, -1]])[:n]])
    every(f, "binary_cross_entropy", lambda m, n: [m("x", [n, 3], "unit"), m("y", [n, 3], "unit", False)], reduction="sum")
    every(f, "binary_cross_entropy_with_logits", lambda m, n: [m("x", [n, 3]), m("y", [n, 3], "unit", False)], reduction="sum")
    every(f, "kl_div", two, reduction="batchmean")
    every(f, "poisson_nll_loss", lambda m, n: [m("x", [n, 3]), m("y", [n, 3], "pos", False)])
    every(f, "gaussian_nll_loss", lambda m, n: [m("x", [n, 3]), m("y", [n, 3]), m("v", [n, 3], "pos")])
    every(f, "hinge_embedding_loss", lambda m, n: [m("x", [n]), signs(n)])
    every(f, "soft_margin_loss", lambda m, n: [m("x", [n]), signs(n)])
    every(f, "margin_ranking_loss", lambda m, n: [m("x", [n]), m("y", [n]), signs(n)])
    every(f, "cosine_embedding_loss", lambda m, n: [m("x", [n, 3]), m("y", [n, 3]), signs(n)])
    every(f, "multilabel_soft_margin_loss", lambda m, n: [m("x", [n, 3]), m("y", [n, 3], "unit", False)])
    for op in ("triplet_margin_loss", "triplet_margin_with_distance_loss"):
        every(f, op, lambda m, n: [m("x", [n, 3]), m("y", [n, 3]), m("z", [n, 3])])
    every(f, "ctc_loss", lambda m, n: [m("x", [4, n, 3]), L([[1, 2], [2, 2]])[:n], L([4, 4])[:n], L([2, 1])[:n]])
    every(f, "cosine_similarity", two)
    every(f, "pairwise_distance", two)
    every(f, "normalize", lambda m, n: [m("x", [n, 3])])


def others(f):
    every(f, "embedding", lambda m, n: [L([[1, 0], [2, 1]])[:n], m("w", [3, 4])])
    every(f, "embedding_bag", lambda m, n: [L([[1, 0], [2, 1]])[:n], m("w", [3, 4])])
    # Such that nothing is left to chance: none, or all.
    for op, shape in (("dropout", [3]), ("dropout1d", [3, 4]), ("dropout2d", [3, 2, 2]), ("dropout3d", [3, 2, 2, 2]), ("alpha_dropout", [3]), ("feature_alpha_dropout", [3, 2])):
        every(f, op, lambda m, n: [m("x", [n, *shape])], p=0.0)
        every(f, op, lambda m, n: [m("x", [n, *shape])], p=1.0)
    every(f, "softmin", lambda m, n: [m("x", [n, 3]), 1])
    every(f, "movedim", lambda m, n: [m("x", [n, 3]), 0, 1], "torch")
    for op in ("nansum", "nanmean"):
        every(f, op, lambda m, n: [m("x", [n, 3])], "torch")
    every(f, "bitwise_not", lambda m, n: [m("x", [n, 3])], "torch")
    every(f, "bincount", lambda m, n: [m("x", [n], "pos")], "torch")
    every(f, "parameters_to_vector", lambda m, n: [[m("x", [n, 3]), m("y", [2])]], "nn.utils")


def record():
    f = Family("every-dtype")
    for part in (images, losses, others):
        part(f)
    return [f]
