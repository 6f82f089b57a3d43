"""Products of vectors and matrices: vdot, outer, inner, kron, cross, trace, addmv, addr, baddbmm, addbmm, multi_dot, tensordot, einsum."""

import torch

from .encode import DTYPES
from .recorder import Family

F32, F64 = torch.float32, torch.float64
L = torch.tensor


def record():
    f = Family("products")
    t = lambda *s, dtype=F32, layout="c", grad=True, key="a": f.make(key, list(s), dtype, layout, "any", grad)
    b = lambda *s, **k: t(*s, key="b", **k)
    c = lambda *s, **k: t(*s, key="c", **k)

    for op, pairs in (
        ("vdot", [(t(5), b(5)), (t(5, layout="s"), b(5)), (t(0), b(0)), (t(5), b(3, 4)), (t(5), b(5, dtype=F64)), (t(5), b(4))]),
        ("outer", [(t(3), b(4)), (t(3, layout="s"), b(4, layout="s")), (t(0), b(3)), (t(3), b(2, 2)), (t(2, 2), b(3)), (t(3), L([1, 2]))]),
        ("ger", [(t(3), b(4)), (t(3), b(2, 2))]),
        ("inner", [(t(4), b(4)), (t(3, 4), b(5, 4)), (t(3, 4, layout="t"), b(4)), (t(4), b(2, 3, 4)), (t(), b(3)), (t(3), b()), (t(3, 4), b(3)), (t(4), b(4, dtype=F64)), (t(2, 0), b(3, 0))]),
        ("kron", [(t(2, 3), b(4)), (t(2, 3), b(2, 2)), (t(), b()), (t(3), b(2, 1, 2)), (t(2), b(2, dtype=F64)), (t(0), b(3))]),
        ("cross", [(t(2, 3), b(2, 3)), (t(3, 2, layout="t"), b(3, 2)), (t(2, 2), b(2, 2)), (t(2, 3), b(3)), (t(3, 3), b(3, 3)), (t(2, 3), b(2, 3, dtype=F64))]),
    ):  # fmt: skip
        for x, y in pairs:
            f.case(op, f"torch.{op}", [x, y])
        x, y = pairs[0]
        f.case(op, f"torch.{op}", [x.detach().double().requires_grad_(), y.detach().double().requires_grad_()], double=True)
        for dtype in DTYPES:
            f.case(op, f"torch.{op}", [t(3, dtype=dtype), b(3, dtype=dtype)])
    for dim in (0, 1, -1, 2):
        f.case("cross", "torch.cross", [t(2, 3), b(2, 3), dim])
        f.case("cross", "linalg.cross", [t(2, 3), b(1, 3)], {"dim": dim})
    f.case("cross", "linalg.cross", [t(2, 3), b(2, 3)])
    f.case("cross", "linalg.cross", [t(2, 3), b(2, 2)])
    f.case("vecdot", "linalg.vecdot", [t(2, 3), b(2, 3)])
    f.case("vecdot", "linalg.vecdot", [t(2, 3), b(3)], {"dim": -1})
    f.case("linalg", "linalg.matmul", [t(2, 3), b(3, 2)])
    f.case("linalg", "linalg.diagonal", [t(2, 3, 4)], {"offset": 1}, strides=True)
    op = "trace"
    for x in (t(3, 4), t(4, 3, layout="t"), t(0, 3), t(1, 1), t(3), t(2, 2, 2)):
        f.case(op, f"torch.{op}", [x])
    for dtype in DTYPES:
        f.case(op, f"Tensor.{op}", [t(3, 3, dtype=dtype)])
    f.case(op, f"torch.{op}", [t(3, 4, dtype=F64)], double=True)

    plans = {
        "addmv": ([(c(3), t(3, 4), b(4)), (c(1), t(3, 4, layout="t"), b(4, layout="s")), (c(), t(3, 4), b(4)), (c(3), t(3, 0), b(0)), (c(0), t(0, 4), b(4))],
                  [(c(4), t(3, 4), b(4)), (c(3), t(3, 4), b(3)), (c(3), t(3), b(3)), (c(3, dtype=F64), t(3, 4), b(4)), (c(2, 3), t(3, 4), b(4))], ([3], [3, 4], [4])),
        "addr": ([(c(3, 5), t(3), b(5)), (c(5), t(3, layout="s"), b(5)), (c(3, 1), t(3), b(5)), (c(), t(3), b(5)), (c(3, 5, layout="t"), t(3), b(5)), (c(3, 5, dtype=F64, grad=False), t(3, grad=False), b(5, grad=False))],
                 [(c(4), t(3), b(5)), (c(3, 5), t(3, 4), b(5)), (c(3, 5), t(3), b())], ([3, 5], [3], [5])),
        "baddbmm": ([(c(2, 3, 5), t(2, 3, 4), b(2, 4, 5)), (c(5), t(2, 3, 4, layout="t"), b(2, 4, 5)), (c(3, 1), t(2, 3, 4), b(2, 4, 5)), (c(2, 3, 5), t(2, 3, 0), b(2, 0, 5)), (c(), t(0, 3, 4), b(0, 4, 5))],
                    [(c(2, 3, 5), t(3, 4), b(2, 4, 5)), (c(2, 3, 5), t(2, 3, 4), b(2, 3, 5)), (c(2, 3, 4), t(2, 3, 4), b(2, 4, 5)), (c(2, 3, 5, dtype=F64), t(2, 3, 4), b(2, 4, 5))], ([2, 3, 5], [2, 3, 4], [2, 4, 5])),
        "addbmm": ([(c(3, 5), t(2, 3, 4), b(2, 4, 5)), (c(5), t(2, 3, 4, layout="t"), b(2, 4, 5)), (c(3, 5), t(2, 3, 0), b(2, 0, 5))],
                   [(c(2, 5), t(2, 3, 4), b(2, 4, 5)), (c(3, 5), t(2, 3, 4), b(3, 4, 5)), (c(3, 5), t(2, 3, 4), b(2, 3, 5))], ([3, 5], [2, 3, 4], [2, 4, 5])),
    }  # fmt: skip
    for op, (good, bad, sizes) in plans.items():
        for args in good:
            f.case(op, f"torch.{op}", list(args))
            f.case(op, f"Tensor.{op}", list(args), {"beta": 2, "alpha": 0.5})
        for args in bad:
            f.case(op, f"torch.{op}", list(args))
        make = lambda dtype: [g(*s, dtype=dtype) for g, s in zip((c, t, b), sizes)]
        for dtype in DTYPES:
            f.case(op, f"torch.{op}", make(dtype))
            f.case(op, f"torch.{op}", make(dtype), {"beta": 0, "alpha": 2})
        f.case(op, f"torch.{op}", make(F64), {"beta": 2, "alpha": 3}, double=True)
        f.case(op, f"torch.{op}", [torch.full(sizes[0], float("nan")), *[x.detach() for x in make(F32)[1:]]], {"beta": 0})
        f.case(op + "_", f"Tensor.{op}_", make(F32), {"beta": 2, "alpha": 3}, clone=True)
        f.case(op + "_", f"Tensor.{op}_", [x.detach() for x in make(F32)])
        if op != "addbmm":
            f.case(op + "_", f"Tensor.{op}_", [c(*[1 for _ in sizes[0]], grad=False), *[x.detach() for x in make(F32)[1:]]])

    op = "multi_dot"
    for tensors in ([t(3, 4), b(4, 5), c(5, 2)], [t(3), b(3, 4), c(4)], [t(3), b(3, 4)], [t(3, 4), b(4)], [t(2, 9), b(9, 1), c(1, 7), t(7, 3)], [t(3, 4)], [], [t(3, 4), b(5, 2)], [t(3, 4), b(2, 4, 4), c(4, 2)],
                    [t(3, 4), b(4, 5, dtype=F64)], [t(2, 3, 4), b(4, 2)], [t(3, 4, dtype=F64), b(4, 5, dtype=F64), c(5, 2, dtype=F64)]):  # fmt: skip
        f.case(op, "linalg.multi_dot", [tensors], double=bool(tensors) and tensors[0].dtype == F64)
    for matrices in ([t(3, 4), b(4, 5), c(5, 2)], [t(3, 4)], [t(3), b(3, 4)]):
        f.case("chain_matmul", "torch.chain_matmul", matrices, match="expected 2 instead" if matrices[0].dim() == 1 else None)

    op = "tensordot"
    for x, y, dims in ((t(3, 4), b(3, 4), 2), (t(3, 4), b(4, 2), 1), (t(3, 4), b(3, 4), [[0], [0]]), (t(3, 4), b(4, 3), [[0, 1], [1, 0]]), (t(2, 2), b(3), 0), (t(2, 3, 4, layout="s"), b(4, 3), [[1, -1], [1, 0]]),
                       (t(3, 4), b(1, 4), [[0], [0]]), (t(0, 3), b(3, 2), 1), (t(3, 4), b(3, 4), -1), (t(3, 4), b(3, 4), 3), (t(3, 4), b(3, 4), [[0], [0, 1]]), (t(3, 4), b(3, 4), [[0], [1]]), (t(3, 3), b(3, 3), [[0, 0], [0, 0]]),
                       (t(3, 4), b(3, 4), [[5], [0]]), (t(3, 4), b(3, 4, dtype=F64), 2)):  # fmt: skip
        f.case(op, "torch.tensordot", [x, y, dims])
    f.case(op, "torch.tensordot", [t(3, 4), b(3, 4)], {"dims": [[0], [0]]})
    for dtype in DTYPES:
        f.case(op, "torch.tensordot", [t(3, 4, dtype=dtype), b(4, 2, dtype=dtype), 1])
    f.case(op, "torch.tensordot", [t(2, 3, dtype=F64), b(3, 2, dtype=F64), 1], double=True)

    op = "einsum"
    one = lambda *s, **k: [t(*s, **k)]
    for equation, operands in (
        ("ij,jk->ik", [t(3, 4), b(4, 2)]), ("ij,jk", [t(3, 4), b(4, 2)]), ("ij,jk->ki", [t(3, 4, layout="t"), b(4, 2)]), ("ij,kj->ik", [t(3, 4), b(2, 4)]), ("ii", one(3, 3)), ("ii->i", one(3, 3)), ("iij->ji", one(3, 3, 2)),
        ("iii->i", one(3, 3, 3)), ("iijj->ij", one(2, 2, 3, 3)), ("ij->ji", one(3, 4)), ("ij->", one(3, 4)), ("ij->i", one(3, 4)), ("ji", one(3, 4)), ("i,j", [t(3), b(4)]), ("i,j->", [t(3), b(4)]), ("i,i->", [t(3), b(3)]), ("i,i", [t(3), b(3)]),
        ("i,i->i", [t(3), b(3)]), ("ij,ij->ij", [t(3, 4), b(3, 4)]), ("ij,ij->i", [t(3, 4), b(3, 4)]), ("ij,j->i", [t(3, 4), b(4)]), ("ij,j->i", [t(3, 4), b(1)]), ("...ij,...jk->...ik", [t(2, 3, 4), b(2, 4, 5)]),
        ("...ij,...jk->...ik", [t(2, 1, 3, 4), b(3, 4, 5)]), ("...ij,jk->...ik", [t(2, 3, 4), b(4, 5)]), ("bij,bjk->bik", [t(2, 3, 4), b(2, 4, 5)]), ("bij,bkj->bik", [t(2, 3, 4, layout="s"), b(2, 5, 4)]), ("bhqd,bhkd->bhqk", [t(2, 2, 3, 4), b(2, 2, 5, 4)]),
        ("...ij->...", one(2, 3, 4)), ("i...->...i", one(2, 3, 4)), ("...,...", [t(), b(3, 4)]), ("...i,...i->...", [t(3, 4), b(4)]), ("ij,jk,kl->il", [t(3, 4), b(4, 5), c(5, 2)]), ("ij,k,l->il", [t(3, 4), b(2), c(5)]),
        ("i,ij,j->", [t(3), b(3, 4), c(4)]), (" i j , j k -> i k ", [t(3, 4), b(4, 2)]), ("Ab,bA->A", [t(2, 3), b(3, 2)]), ("Ba,aC", [t(2, 3), b(3, 2)]), ("ij,kl->ijkl", [t(2, 3), b(2, 2)]), ("ijk,ilk->ijl", [t(2, 3, 4), b(2, 5, 4)]),
        ("ab,cd,ef->", [t(2, 2), b(2, 3), c(3, 2)]), ("ii,jk->ik", [t(3, 3), b(2, 4)]), (",->", [t(), b()]), (",ij->ij", [t(), b(2, 2)]), ("ij,jk->ik", [t(0, 3), b(3, 2)]), ("ij,jk->ik", [t(2, 0), b(0, 3)]), ("ij,jk->ik", [t(1, 3), b(3, 1)]),
        ("ij,jk->ik", [t(3, 4), b(5, 2)]), ("ijk", one(3, 4)), ("i", one(3, 4)), ("ij->ik", one(3, 4)), ("ij->ii", one(3, 4)), ("ij,jk->ik", one(3, 4)), ("ij", [t(3, 4), b(3, 4)]), ("i.j", one(3, 4)), ("i1", one(3, 4)), ("ii", one(3, 4)),
        ("ij,jk->ik", [t(3, 4), b(4, 2, dtype=F64)]), ("......", one(3, 4)),
    ):  # fmt: skip
        f.case(op, "torch.einsum", [equation, *operands])
        if equation in ("ij,jk->ik", "bhqd,bhkd->bhqk", "ii->i", "i,ij,j->") and all(x.numel() > 1 and x.dtype == F32 for x in operands) and len(operands) == equation.split("->")[0].count(",") + 1:
            try:
                torch.einsum(equation, *operands)
            except RuntimeError:
                continue
            f.case(op, "torch.einsum", [equation, *[x.detach().double().requires_grad_() for x in operands]], double=True)
    f.case(op, "torch.einsum", ["ij,jk->ik", [t(3, 4), b(4, 2)]])
    for dtype in DTYPES:
        f.case(op, "torch.einsum", ["ij,jk->ik", t(3, 4, dtype=dtype), b(4, 2, dtype=dtype)])
        f.case(op, "torch.einsum", ["ij,ij->ij", t(3, 4, dtype=dtype), b(3, 4, dtype=dtype)])
    return [f]
