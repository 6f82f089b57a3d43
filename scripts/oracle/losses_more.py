"""Losses of nn.functional that modules.py and functional.py do not have: likelihoods, divergences, margins."""

import torch

from .encode import FLOATS
from .recorder import Family

F32, F64 = torch.float32, torch.float64
L = torch.tensor
REDUCTIONS = ("mean", "sum", "none")
N = "nn.functional."


def record():
    f = Family("losses-more")
    m = lambda key, shape, dtype=F32, layout="c", kind="any", grad=True: f.make(key, shape, dtype, layout, kind, grad)
    unit = lambda key, shape, dtype=F32, grad=True: f.make(key, shape, dtype).sigmoid().detach().requires_grad_(grad)
    signs = lambda key, shape, dtype=F32: torch.where(f.make(key, shape, dtype) > 0, 1, -1).to(dtype)
    likelihoods(f, m, unit, signs)
    margins(f, m, signs)
    classes(f, m)
    ctc(f)
    return [f]


def likelihoods(f, m, unit, signs):
    op, call = "kl_div", N + "kl_div"
    for reduction in (*REDUCTIONS, "batchmean"):
        for log_target in (False, True):
            kw = {"reduction": reduction, "log_target": log_target}
            for shape, layout in [([], "c"), ([5], "c"), ([3, 4], "t"), ([0, 3], "c")]:
                f.case(op, call, [m(op, shape, F32, layout), unit("target", shape)], kw)
            f.case(op, call, [m(op, [3, 4]), unit("target", [4], grad=False)], kw)
            f.case(op, call, [m(op, [3, 4], F64), unit("target", [3, 4], F64)], kw, double=True)
    for dtype in FLOATS:
        f.case(op, call, [m(op, [3, 4], dtype), unit("target", [3, 4], dtype)], {"reduction": "batchmean"})
    f.case(op, call, [m(op, [4]), L([0.0, 1.0, 0.0, 0.5])], {"reduction": "none"}, tag="zeros")
    f.case(op, call, [L([-1.0, float("-inf")]), L([1.0, 0.0])], {"reduction": "none"}, tag="impossible")
    f.case(op, call, [L([1, 2]), L([1, 2])], {"reduction": "sum"})
    f.case(op, call, [m(op, [3]), unit("target", [3])], {"reduction": "max"})
    f.case(op, call, [m(op, [3]), unit("target", [4])], {"reduction": "sum"})
    f.case(op, call, [m(op, [3]), unit("target", [3])], {"size_average": False})
    f.case(op, call, [m(op, [3]), unit("target", [3])], {"reduce": False})

    op, call = "poisson_nll_loss", N + "poisson_nll_loss"
    counts = lambda shape, dtype=F32: f.make("counts", shape, torch.int64, "c", "pos").to(dtype)
    for reduction in REDUCTIONS:
        for extra in ({}, {"log_input": False}, {"full": True}, {"full": True, "log_input": False, "eps": 0.1}):
            kw = {"reduction": reduction, **extra}
            f.case(op, call, [m(op, [3, 4], F32, "t", "pos"), counts([3, 4])], kw)
            f.case(op, call, [m(op, [5], F64, "c", "pos"), counts([5], F64)], kw, double=True)
            f.case(op, call, [m(op, [0]), counts([0])], kw)
    for dtype in FLOATS:
        f.case(op, call, [m(op, [3, 4], dtype, kind="pos"), counts([3, 4], dtype)], {"full": True})
    f.case(op, call, [m(op, [3, 4]), counts([3, 4]), False, True])
    f.case(op, call, [m(op, [3, 4]), counts([4])])
    f.case(op, call, [m(op, [3]), counts([3], torch.int64)])
    f.case(op, call, [m(op, [3]), L([0.0, 1.0, 2.0])], {"full": True, "reduction": "none"}, tag="small counts")
    f.case(op, call, [m(op, [3]), counts([4])])
    f.case(op, call, [m(op, [3]), counts([3])], {"reduction": "q"})

    op, call = "gaussian_nll_loss", N + "gaussian_nll_loss"
    var = lambda shape, dtype=F32: f.make("var", shape, dtype, "c", "pos", True)
    for reduction in REDUCTIONS:
        for full in (False, True):
            kw = {"reduction": reduction, "full": full}
            f.case(op, call, [m(op, [3, 4], F32, "t"), m("target", [3, 4]), var([3, 4])], kw)
            f.case(op, call, [m(op, [3, 4]), m("target", [3, 4]), var([3])], kw)
            f.case(op, call, [m(op, [3, 4]), m("target", [3, 4]), var([3, 1])], kw)
            f.case(op, call, [m(op, [3, 4]), m("target", [3, 4]), 0.5], kw)
            f.case(op, call, [m(op, [3, 4], F64), m("target", [3, 4], F64), var([3, 4], F64)], kw, double=True)
    f.case(op, call, [m(op, [3]), m("target", [3]), torch.tensor([0.0, 1e-9, 1.0], requires_grad=True)], tag="tiny")
    f.case(op, call, [m(op, [3]), m("target", [3]), torch.tensor([0.0, 0.5, 1.0], requires_grad=True)], {"eps": 0.75})
    for dtype in FLOATS:
        f.case(op, call, [m(op, [3, 4], dtype), m("target", [3, 4], dtype), var([3, 4], dtype)])
    f.case(op, call, [m(op, [3, 4]), m("target", [3, 4]), var([4])])
    f.case(op, call, [m(op, [3, 4]), m("target", [3, 4]), -var([3, 4]).detach()])
    f.case(op, call, [m(op, [3, 4]), m("target", [3, 4]), -0.5])
    f.case(op, call, [m(op, [3, 4]), m("target", [3, 4]), var([3, 4])], {"reduction": "q"})

    op, call = "soft_margin_loss", N + "soft_margin_loss"
    for reduction in REDUCTIONS:
        kw = {"reduction": reduction}
        for shape, layout in [([], "c"), ([19], "c"), ([3, 4], "t"), ([0], "c")]:
            f.case(op, call, [m(op, shape, F32, layout), signs("signs", shape)], kw)
        f.case(op, call, [m(op, [3, 4]), signs("signs", [4])], kw)
        f.case(op, call, [m(op, [3, 4], F64), signs("signs", [3, 4], F64)], kw, double=True)
    for dtype in FLOATS:
        f.case(op, call, [m(op, [3, 4], dtype), signs("signs", [3, 4], dtype)])
    f.case(op, call, [m(op, [3]), signs("signs", [3]).long()])
    f.case(op, call, [m(op, [3]), signs("signs", [3], F64)])
    f.case(op, call, [m(op, [3]).detach() * 60, signs("signs", [3])], {"reduction": "none"}, tag="far out")
    f.case(op, call, [m(op, [3]), m("target", [3])])
    f.case(op, call, [m(op, [3]), signs("signs", [2, 3])])
    f.case(op, call, [m(op, [3]), signs("signs", [4])])
    f.case(op, call, [L([1, 2]), L([1, -1])])

    op, call = "multilabel_soft_margin_loss", N + "multilabel_soft_margin_loss"
    bits = lambda shape, dtype=F32: (f.make("bits", shape, dtype) > 0).to(dtype)
    for reduction in REDUCTIONS:
        for weight in (None, m("weight", [4], kind="pos", grad=False)):
            kw = {"reduction": reduction, **({} if weight is None else {"weight": weight})}
            f.case(op, call, [m(op, [3, 4], F32, "t"), bits([3, 4])], kw)
            f.case(op, call, [m(op, [4]), bits([4])], kw)
        f.case(op, call, [m(op, [2, 3, 4], F64), unit("soft", [2, 3, 4], F64)], {"reduction": reduction}, double=True)
    for dtype in FLOATS:
        f.case(op, call, [m(op, [3, 4], dtype), bits([3, 4], dtype)])
    f.case(op, call, [m(op, [3, 4]), bits([3, 4])], {"reduction": "q"})
    f.case(op, call, [m(op, [3, 4]), bits([3, 4])], {"weight": m("weight", [3], grad=False)})


def margins(f, m, signs):
    op, call = "margin_ranking_loss", N + "margin_ranking_loss"
    for reduction in REDUCTIONS:
        for extra in ({}, {"margin": 0.5}):
            kw = {"reduction": reduction, **extra}
            f.case(op, call, [m(op, [5]), m("other", [5]), signs("signs", [5])], kw)
            f.case(op, call, [m(op, [3, 4], F32, "t"), m("other", [3, 4]), signs("signs", [3, 1])], kw)
            f.case(op, call, [m(op, [5], F64), m("other", [5], F64), signs("signs", [5], F64)], kw, double=True)
    for dtype in FLOATS:
        f.case(op, call, [m(op, [5], dtype), m("other", [5], dtype), signs("signs", [5], dtype)])
    f.case(op, call, [m(op, [5]), m("other", [5]), signs("signs", [1, 5])])
    f.case(op, call, [m(op, [5]), m("other", [4]), signs("signs", [5])])
    f.case(op, call, [m(op, [5]), m("other", [5]), signs("signs", [5])], {"reduction": "q"})

    op, call = "hinge_embedding_loss", N + "hinge_embedding_loss"
    for reduction in REDUCTIONS:
        for extra in ({}, {"margin": 0.3}):
            kw = {"reduction": reduction, **extra}
            f.case(op, call, [m(op, [3, 4], F32, "t"), signs("signs", [3, 4])], kw)
            f.case(op, call, [m(op, [3, 4]), signs("signs", [4]).long()], kw)
            f.case(op, call, [m(op, [5], F64), signs("signs", [5], F64)], kw, double=True)
    for dtype in FLOATS:
        f.case(op, call, [m(op, [5], dtype), signs("signs", [5], dtype)])
    f.case(op, call, [m(op, [3]), L([0.0, 0.5, 1.0])], tag="odd targets")
    f.case(op, call, [m(op, [3]), signs("signs", [4])])
    f.case(op, call, [L([1, 2]), L([1, -1])])

    op, call = "cosine_embedding_loss", N + "cosine_embedding_loss"
    for reduction in REDUCTIONS:
        for extra in ({}, {"margin": 0.3}):
            kw = {"reduction": reduction, **extra}
            f.case(op, call, [m(op, [3, 4], F32, "t"), m("other", [3, 4]), signs("signs", [3])], kw)
            f.case(op, call, [m(op, [4]), m("other", [4]), L(1)], kw)
            f.case(op, call, [m(op, [3, 4], F64), m("other", [3, 4], F64), signs("signs", [3], F64)], kw, double=True)
    for dtype in FLOATS:
        f.case(op, call, [m(op, [3, 4], dtype), m("other", [3, 4], dtype), signs("signs", [3], dtype)])
    f.case(op, call, [m(op, [3, 4]), torch.zeros(3, 4), signs("signs", [3])], tag="zeros")
    f.case(op, call, [m(op, [3, 4]), m("other", [3, 4]), signs("signs", [1, 3])])
    f.case(op, call, [m(op, [4]), m("other", [4]), signs("signs", [3])])
    f.case(op, call, [m(op, [3, 4]), m("other", [3, 4]), L(1)])


def classes(f, m):
    op, call = "multi_margin_loss", N + "multi_margin_loss"
    weight = lambda dtype=F32: f.make("weight", [4], dtype, "c", "pos")
    for reduction in REDUCTIONS:
        for extra in ({}, {"p": 2}, {"margin": 0.3}, {"p": 2, "weight": weight()}):
            kw = {"reduction": reduction, **extra}
            f.case(op, call, [m(op, [3, 4]), L([1, 0, 3])], kw)
            f.case(op, call, [m(op, [3, 4], F32, "t"), L([1, 0, 3])], kw)
            f.case(op, call, [m(op, [4]), L(2)], kw)
            f.case(op, call, [m(op, [4]), L([2])], kw)
        f.case(op, call, [m(op, [3, 4], F64), L([1, 0, 3])], {"reduction": reduction, "p": 2, "weight": weight(F64)})
        f.case(op, call, [m(op, []), L(0)], {"reduction": reduction})
    f.case(op, call, [m(op, [0, 4]), L([], dtype=torch.int64)], {"reduction": "none"})
    for bad in ([1, 0, 4], [1, 0, -1], [1, 0], [[1, 0, 2]]):
        f.case(op, call, [m(op, [3, 4]), L(bad)])
    for dtype in (torch.float16, torch.bfloat16, torch.int64):
        f.case(op, call, [m(op, [3, 4], dtype), L([1, 0, 3])])
    f.case(op, call, [m(op, [3, 4]), L([1, 0, 3]).int()])
    f.case(op, call, [m(op, [3, 4]), L([1.0, 0.0, 3.0])])
    f.case(op, call, [m(op, [3, 4]), L([1, 0, 3])], {"p": 3})
    f.case(op, call, [m(op, [3, 4]), L([1, 0, 3])], {"weight": weight()[:3]})
    f.case(op, call, [m(op, [3, 4]), L([1, 0, 3])], {"weight": weight().reshape(1, 4)})
    f.case(op, call, [m(op, [3, 4]), L([1, 0, 3])], {"weight": weight(F64)})
    f.case(op, call, [m(op, [3, 4]), L([1, 0, 3])], {"reduction": "q"})
    f.case(op, call, [m(op, [3, 0]), L([1, 0, 3])])
    f.case(op, call, [m(op, [2, 3, 4]), L([1, 0])])

    op, call = "multilabel_margin_loss", N + "multilabel_margin_loss"
    labels = L([[1, -1, 2, 0], [0, 1, 2, 3], [-1, 0, 0, 0], [2, 2, 0, -1]])
    for reduction in REDUCTIONS:
        kw = {"reduction": reduction}
        f.case(op, call, [m(op, [4, 4]), labels], kw)
        f.case(op, call, [m(op, [4, 4], F32, "t"), labels.t().contiguous().t()], kw)
        f.case(op, call, [m(op, [4, 4], F64), labels], kw)
        f.case(op, call, [m(op, [4]), labels[0].clone()], kw)
        f.case(op, call, [m(op, [6]), L([3, 0, -1, 1, 1, 1])], kw)
        f.case(op, call, [m(op, []), L(0)], kw)
    f.case(op, call, [m(op, [0, 4]), labels[:0].clone()], {"reduction": "none"})
    for bad in ([1, 0, 4, 0], [1, 0, -2, 0], [1, -1, 7, 0], [0, 1, 2]):
        f.case(op, call, [m(op, [4]), L(bad)])
    for dtype in (torch.float16, torch.int64):
        f.case(op, call, [m(op, [4], dtype), labels[0].clone()])
    f.case(op, call, [m(op, [4]), labels[0].int()])
    f.case(op, call, [m(op, [4, 4]), labels], {"reduction": "q"})


def ctc(f):
    op, call = "ctc_loss", N + "ctc_loss"

    def scores(*shape, dtype=F32):
        return f.make(op, list(shape), dtype).log_softmax(-1).detach().requires_grad_()

    labels = L([[1, 2], [3, 3]])
    for dtype in (F32, F64):
        for reduction in REDUCTIONS:
            kw = {"reduction": reduction}
            x = scores(6, 2, 5, dtype=dtype)
            f.case(op, call, [x, labels, L([6, 5]), L([2, 2])], kw)
            f.case(op, call, [x, labels.int(), [6, 4], [1, 2]], kw)
            f.case(op, call, [x, L([1, 2, 4]), [6, 4], [1, 2]], kw)
            f.case(op, call, [x, labels, L([6, 5]).int(), L([2, 0]).int(), 4], kw)
            f.case(op, call, [x[:, 0].detach().requires_grad_(), labels[0].clone(), L(6), L(2)], kw)
            f.case(op, call, [x[:, 0].detach().requires_grad_(), labels[0].clone(), [5], [2]], kw)
        for zero in (False, True):
            f.case(op, call, [x, labels, [6, 2], [2, 2]], {"reduction": "none", "zero_infinity": zero})
            f.case(op, call, [x, labels, [6, 0], [2, 0]], {"reduction": "none", "zero_infinity": zero})
            f.case(op, call, [x, labels, [6, 0], [2, 1]], {"reduction": "none", "zero_infinity": zero})
    x = scores(6, 2, 5)
    f.case(op, call, [scores(2, 6, 5).detach().transpose(0, 1).requires_grad_(), labels, [6, 6], [2, 2]])
    f.case(op, call, [scores(30, 3, 7), L([[1, 2, 3, 4, 5, 6, 1, 1], [2, 2, 2, 2, 0, 9, 9, 9], [6, 5, 4, 3, 2, 1, 1, 1]]), [30, 12, 20], [8, 4, 6]])
    f.case(op, call, [x, L([], dtype=torch.int64), [6, 6], [0, 0]])
    f.case(op, call, [x, labels.float(), [6, 6], [2, 2]])
    for args, kw in [
        ([x, labels, [7, 5], [2, 2]], {}), ([x, labels, [5, 5], [3, 2]], {}), ([x, labels, [5], [2, 2]], {}), ([x, labels, [5, 5], [2]], {}),
        ([x, labels, [5, 5], [2, 2]], {"blank": 5}), ([x, labels, [5, 5], [2, 2]], {"blank": -1}), ([x, labels, [5, 5], [2, 2]], {"reduction": "q"}),
        ([x, L([1, 2, 3]), [5, 5], [2, 2]], {}), ([x, L([[1, 2], [3, 1], [1, 1]]), [5, 5], [2, 2]], {}), ([x, labels, [-1, 5], [2, 2]], {}), ([x, labels, [5, 5], [-2, 2]], {}),
        ([x, labels.reshape(1, 2, 2), [5, 5], [2, 2]], {}), ([x.half(), labels, [5, 5], [2, 2]], {}), ([x, labels, L([5.0, 5.0]), L([2, 2])], {}),
    ]:  # fmt: skip
        f.case(op, call, args, kw)
