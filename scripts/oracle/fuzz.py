"""Minimal programs of what random programs once found: each was shrunk from one that gave another answer than PyTorch."""

import torch

from .encode import BigInt
from .program import Programs

F16, BF16, F32, F64 = torch.float16, torch.bfloat16, torch.float32, torch.float64
I8, I16, I32, I64, U8, BOOL = torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.bool
T = torch.tensor
NAN, INF = float("nan"), float("inf")


def record():
    fam = Programs("fuzz")
    P = fam.program
    m = lambda shape=(3,), dtype=F64, grad=False, kind="pos", key="z": fam.make(key, list(shape), dtype, "c", kind, grad)

    def calls(group, name, *rows):
        """Each row: a call and its arguments; keyword arguments in a dict at the end. Results and errors alike."""
        p = P(group, name)
        for i, (call, *args) in enumerate(rows):
            kwargs = args.pop() if args and isinstance(args[-1], dict) else {}
            out = p.do(f"r{i}", call, *args, fails="maybe", **kwargs)
            if out is not None:
                p.look(out, what=("value", "strides", "requires_grad") if isinstance(out.value, torch.Tensor) else ("value",))
        return p

    in_place(P, m)
    scalars(calls)
    indexing(P, m, calls)
    scattering(P, m, calls)
    views(P, m, calls)
    autograd(P, m)
    graphs(P, m)
    reductions(calls, m)
    products(P, m, calls)
    losses(P, m, calls)
    factories(calls, m)
    arguments(calls, m)
    layouts(calls, m)
    p = P("printing", "negative zero with an exponent")
    p.look(p.tensor("x", T([-0.0, 65536.0, 0.0, 1.5])), what=("repr",))
    return [fam]


def in_place(P, m):
    p = P("in place", "a leaf is refused before shapes and dtypes are looked at")
    x = p.tensor("x", m([2, 3], grad=True))
    for call, args in [("add_", [m([4])]), ("add_", [1, ]), ("fill_", [m([1])]), ("copy_", [m([5, 2, 3])]), ("masked_fill_", [m([4]), 1.0]), ("pow_", [T(1.5, dtype=F64)]), ("clamp_", []), ("index_add_", [0, T([0.5]), m([1])]),
                       ("scatter_", [0, T([0.5]), 1.0]), ("scatter_add_", [0, T([0]), m([1], F32)]), ("addmm_", [m([3]), m([2])]), ("cumsum_", [7]), ("index_put_", [[T([0, 1]), T([0, 1, 2])], 1.0]), ("t_", []), ("normal_", [0.5, -1.0]),
                       ("zero_", []), ("lt_", [1.0]), ("relu_", []), ("uniform_", [3.0, 1.0])]:  # fmt: skip
        p.fails(f"Tensor.{call}", x, *args)
    p.fails("Tensor.t_", p.tensor("c", m([1, 2, 3], grad=True)))
    p.fails("Tensor.t_", p.tensor("d", m([1, 2, 3])))
    p = P("in place", "shape before dtype, memory before both")
    b = p.tensor("b", T([True, False]))
    i = p.tensor("i", T([1, 2, 3]))
    e = p.tensor("e", m([1]).expand(3))
    for x, call, args, kw in [(b, "add_", [m([4, 2])], {}), (b, "mul_", [m([2])], {}), (i, "add_", [m([2, 3])], {}), (i, "sub_", [2.25], {"alpha": False}), (i, "clamp_", [], {"max": 0.5}), (i, "clamp_", [m([3])], {}), (e, "add_", [m([2, 3])], {}),
                              (e, "masked_fill_", [m([3]), 1.0], {}), (e, "clamp_", [], {}), (b, "sub_", [m([5])], {}), (b, "relu_", [], {}), (b, "pow_", [-1], {}), (b, "pow_", [T([[True, False]])], {}), (e, "fill_", [m([1])[0]], {}), (e, "zero_", [], {}),
                              (e, "fill_", [2.0], {}), (e, "uniform_", [], {}), (e, "normal_", [], {}), (e, "bernoulli_", [], {}), (e, "cumsum_", [0], {}), (b, "div_", [2], {"rounding_mode": "floor"})]:  # fmt: skip
        p.do(None, f"Tensor.{call}", x, *args, fails="maybe", **kw)
    p.look(e, b, i, what=("value", "version"))
    p = P("in place", "comparisons record a gradient of 0")
    x, w = p.tensor("x", m([2, 3], grad=True)), p.tensor("w", m([3], grad=True))
    y = p.do("y", "Tensor.mul", x, 2.5)
    p.do(None, "Tensor.lt_", y, w)
    p.look(y)
    p.do(None, "Tensor.ge_", y, 0.5)
    p.look(y)
    p.do(None, "Tensor.backward", p.do("s", "Tensor.sum", y))
    p.look(x, w, what=("grad",))
    f = p.do("f", "Tensor.ne_", p.tensor("g", m([2, 3])), p.do("x2", "Tensor.mul", x, 1.5))
    p.look(f)
    p = P("in place", "node names of overloads")
    for i, (call, args) in enumerate([("fill_", [2.0]), ("fill_", [T(2.0, dtype=F64)]), ("bernoulli_", []), ("random_", []), ("random_", [5]), ("random_", [1, 5]), ("squeeze_", []), ("squeeze_", [0]), ("squeeze_", [[0, 1]]), ("unsqueeze_", [0]), ("t_", []),
                                      ("transpose_", [0, 1]), ("copy_", [T(1.0, dtype=F64)]), ("index_put_", [[], 2.0])]):  # fmt: skip
        y = p.do(f"y{i}", "Tensor.mul", p.tensor(f"x{i}", m([1, 2], grad=True)), 1.5)
        p.do(None, f"Tensor.{call}", y, *args)
        p.look(y, what=("grad_fn", "version", "is_view"))
    p = P("in place", "a tensor copied onto itself")
    x = p.tensor("x", m([3], grad=True))
    p.fails("Tensor.copy_", x, x)
    y = p.do("y", "Tensor.mul", x, 2.5)
    p.do(None, "Tensor.copy_", y, y)
    p.look(y)
    e = p.tensor("e", m([1]).expand(3))
    p.do(None, "Tensor.copy_", e, e)
    p.do(None, "Tensor.copy_", e, p.do("f", "Tensor.expand", e, -1))
    p.look(e, what=("value", "version"))
    p.do(None, "Tensor.copy_", p.tensor("h", T([1, 2])), True)
    p = P("in place", "views that may not be changed, in PyTorch's words")
    x = p.tensor("x", m([3, 4], grad=True))
    v = p.do("v", "Tensor.select", x, 0, 1, under="no_grad")
    u = p.do("u", "Tensor.unsqueeze", v, 0)
    p.fails("Tensor.mul_", u, 2.5)
    a, b = p.do(["a", "b"], "Tensor.split", p.tensor("y", m([4])), 2, under="no_grad")
    p.fails("Tensor.mul_", a, p.tensor("w", m([2], grad=True)))
    c, d = p.do(["c", "d"], "Tensor.split", p.tensor("z", m([4])), 2)
    p.fails("Tensor.mul_", c, p.tensor("w2", m([2], grad=True)))
    p = P("in place", "geometry changed under no_grad keeps the node")
    y = p.do("y", "Tensor.mul", p.tensor("x", m([1, 3], grad=True)), 2.5)
    p.do(None, "Tensor.squeeze_", y, under="no_grad")
    p.look(y)


def scalars(calls):
    for dtype in (I32, I8, U8, BOOL, F32, F16):
        x = torch.ones(2, dtype=dtype)
        z = torch.ones(1, dtype=dtype)
        for value in (200, -129, 2**40, 127.5, -0.5, NAN, INF, 1e300):
            if dtype == F16 and (isinstance(value, int) or value == -0.5):
                continue
            rows = [
                ("Tensor.fill_", z, value), ("torch.masked_fill", x, T([True, False]), value), ("Tensor.scatter", x, 0, T([0]), value), ("torch.add", x, value), ("torch.mul", x, value), ("torch.eq", x, value), ("torch.lt", x, value),
                ("torch.where", T([True, False]), x, value), ("torch.pow", x, value), ("torch.full", [1], value, {"dtype": dtype}), ("Tensor.index_put_", torch.ones(1, dtype=dtype), [T([0])], value),
            ]  # fmt: skip
            if dtype != BOOL:
                rows += [("torch.clamp", x, {"max": value}), *([] if value == 1e300 else [("torch.add", x, 1, {"alpha": value})]), ("torch.sub", x, value), ("torch.index_add", x, 0, T([0]), z.clone(), {"alpha": value}), ("torch.addmm", z, z[None], z[None], {"alpha": value})]
            if dtype == F16:
                rows = [r for r in rows if r[0] in ("Tensor.fill_", "torch.masked_fill", "torch.where", "torch.full", "torch.clamp", "Tensor.scatter")]
            calls("strict numbers", f"{str(dtype)[6:]}, {value}", *rows)
    b = T([True, False])
    calls("strict numbers", "bool", ("torch.clamp", b, {"max": True}), ("torch.clamp", b, {"max": 1}), ("torch.clamp", b, {"max": b}), ("torch.clamp", b, b, b), ("torch.clamp", b, True, True), ("torch.clamp", b, 2.5), ("torch.masked_fill", b, b, NAN),
          ("torch.masked_fill", b, b, T(-0.25)), ("torch.index_add", b, 0, T([0, 1]), b, {"alpha": 2}), ("torch.index_add", b, 0, T([0, 1]), b, {"alpha": 0}), ("torch.sum", T([1.25, -1.5]), {"dtype": BOOL}), ("torch.sum", T([0.25, 0.25]), {"dtype": I64}),
          ("torch.tensor", [NAN, 0.0], {"dtype": BOOL}), ("torch.tensor", [NAN], {"dtype": I32}), ("torch.cumsum", T([0.5, 0.5]), 0, {"dtype": BOOL}))  # fmt: skip
    calls("strict numbers", "0-dim values", ("torch.masked_fill", T([1, 2], dtype=U8), b, T(-1)), ("torch.masked_fill", T([1, 2], dtype=U8), b, T(-0.5)), ("torch.masked_fill", T([1, 2]), b, T(1.5)), ("torch.masked_fill", T([1, 2]), b, T(NAN)))


def indexing(P, m, calls):
    x = torch.arange(24, dtype=F64).reshape(2, 3, 4)
    mask = T([[True, False, True], [False, True, True]])
    ix = "Tensor.index"
    calls("indexing", "masks of several dimensions beside other entries", (ix, x, [mask, 1]), (ix, x, [mask, T([3])]), (ix, x, [mask, [-2]]), (ix, x, [mask, True]), (ix, x, [None, mask, T([0, 1, 2, 3])]), (ix, x, [mask, slice(1, 3)]), (ix, x, [slice(None), mask[:, 0].new_tensor([True, False, True]), T([1])]),
          (ix, x, [mask.to(U8), T([1])]), (ix, x, [mask, T([7])]))  # fmt: skip
    calls("indexing", "errors name the entry", (ix, x, [..., 7]), (ix, x, [None, 7]), (ix, x, [0, 0, -5]), (ix, x, [T([0]), 7]), (ix, x, [1.5]), (ix, x, [T([0.5])]), (ix, x, [0, 0, 0, 0]), (ix, T(1.0), [0]),
          (ix, x, [T([[True]])]), (ix, torch.ones(0, 2), [T([0])]), (ix, x, [..., ...]))  # fmt: skip
    p = P("indexing", "what is a slice and what is all of it")
    y = p.do("y", "Tensor.mul", p.tensor("x", m([2, 3], grad=True)), 1.5)
    for i, index in enumerate([[], [slice(None)], [slice(0, None)], [slice(0, 2)], [slice(0, 100)], [slice(None, None, 1), slice(0, 3)], [slice(-2, None)], [slice(0, 2, 2)], [...]]):
        p.look(p.do(f"v{i}", ix, y, index), what=("grad_fn", "value", "is_view"))
    calls("indexing", "the layout of the source", (ix, x.permute(2, 0, 1), [T([0, 1])]), (ix, x.permute(2, 0, 1), [slice(None), T([0, 1])]), (ix, x.transpose(1, 2), [T([[0], [1]]), None]), (ix, x.permute(2, 1, 0), [T([0]), slice(None), T([1])]))
    put = "Tensor.index_put_"
    z = lambda dtype=F64: torch.zeros(2, 3, dtype=dtype)
    calls("indexing", "values that are written", (put, z(), [T([0])], m([1, 1, 1, 3])), (put, z(), [0], m([1, 1, 3])), (put, z(), [T([0, 1])], m([1, 2, 3])), (put, z(), [T([0])], T(1.5)), (put, z(), [0], T(1.5)), (put, z(), [mask], T(1.5)), (put, z(), [mask], T([1.5])),
          (put, z(I64), [0], 1.5), (put, z(I64), [T([0])], 1.5), (put, z(I64), [0], T(1.5)), (put, z(I64), [0], NAN), (put, z(), [mask.to(U8)], 1.0), (put, z(), [T([], dtype=I64)], m([1, 0])), (put, z(), [T([0])], m([5, 3])), (put, z(), [slice(0, 1)], m([2, 1, 3])),
          (put, z(), [T([0, 0])], T([1.0], dtype=F64), True), (put, torch.zeros(0, 3), [T([0])], 1.0), (put, z(), [0, ..., None], 2.0), (put, T(1.0), [], 2.0), (put, T(1.0), [None], 2.0))  # fmt: skip


def scattering(P, m, calls):
    x = m([3, 4])
    e = m([1, 4]).expand(3, 4)
    i = T([[0, 1, 2, 0]])
    rows = []
    for self in (x, x.t().contiguous().t(), e):
        rows += [("torch.scatter", self, 0, i, 1.5), ("torch.scatter", self, 0, i, m([1, 4])), ("torch.scatter_add", self, 0, i, m([1, 4])), ("torch.index_add", self, 0, T([1, 1]), m([2, 4]))]
    calls("scattering", "out of place", *rows)
    y = lambda: m([3])
    calls("scattering", "checks", ("Tensor.index_add_", y(), 0, T([[1]]), m([1])), ("Tensor.index_add_", y(), 0, T([0.5]), m([1])), ("Tensor.index_add_", y(), 0, T([1]), m([2])), ("Tensor.index_add_", y(), 0, T([0, 1]), m([1])[0]), ("Tensor.index_add_", m([3, 2]), 0, T([1]), m([1, 3])),
          ("Tensor.index_add_", m([2, 0]), 0, T([5]), m([1, 0])), ("torch.index_add", m([2, 1, 0]), 2, T([0]), m([2, 1, 1])), ("torch.index_select", torch.ones(0, 2), 0, T([0])), ("torch.index_select", T(1.0), 0, T([], dtype=I64)), ("Tensor.scatter_", e, 0, i, 1.5),
          ("torch.scatter", T([], dtype=U8), 0, T([], dtype=I64), -0.5), ("Tensor.gather", x, 5, T([], dtype=I64)))  # fmt: skip
    p = P("scattering", "a source that is the target")
    a = p.tensor("a", m([3]))
    p.fails("Tensor.scatter_", a, 0, T([0]), a)
    p.fails("Tensor.index_add_", a, 0, T([0, 1, 2]), a)
    p.fails("Tensor.scatter_add_", a, 0, T([0]), p.do("b", "Tensor.narrow", a, 0, 1, 1))
    p = P("scattering", "no version, no view")
    x = p.tensor("x", m([3], grad=True))
    for n, args in [("scatter", [0, T([0]), 1.5]), ("scatter_add", [0, T([0]), m([1])]), ("index_add", [0, T([0]), m([1])])]:
        p.look(p.do(f"y{n}", f"torch.{n}", x, *args))


def views(P, m, calls):
    p = P("views", "names of nodes")
    x = p.tensor("x", m([3, 2], grad=True))
    t = p.do("t", "Tensor.t", x)
    for i, (of, call, args) in enumerate([(t, "reshape", [[2, 3]]), (t, "reshape", [[2, 1, 3]]), (x, "reshape", [[6]]), (t, "reshape", [[6]]), (t, "flatten", []), (x, "squeeze", [0]), (x, "squeeze", [[0]]), (x, "squeeze", []), (x, "sum_to_size", [[1, 2]]), (x, "sum_to_size", [[2]]),
                                          (x, "sum_to_size", [[]]), (x, "sum_to_size", [[3, 2]])]):  # fmt: skip
        p.look(p.do(f"v{i}", f"Tensor.{call}", of, *args), what=("value", "grad_fn", "is_view"))
    s = T(1.5)
    calls("views", "errors", ("Tensor.unflatten", m([2, 3]), 0, []), ("Tensor.unflatten", m([2, 3]), 0, [3, 2]), ("Tensor.unflatten", m([2, 3]), 0, [-1, -1]), ("Tensor.unflatten", s, 0, [1]), ("Tensor.squeeze", m([1]), [0, 0]), ("Tensor.unbind", s), ("Tensor.unbind", s, 1),
          ("Tensor.split", s, [1]), ("Tensor.split", m([3]), [4, -1]), ("Tensor.split", m([3]), [1, 1], -1), ("Tensor.swapaxes", m([1, 2]), {"axis0": 0, "axis1": 1}), ("Tensor.broadcast_to", m([2]), 3, 2), ("Tensor.add", m([2, 3]), m([4, 5])), ("Tensor.select", m([3]), 0, T(1)),
          ("torch.max", T(3, dtype=U8), T(5, dtype=U8)), ("Tensor.narrow", m([3]), 0, T(1), 1), ("get:mT", s), ("get:mT", m([3])))  # fmt: skip
    p = P("views", "a view that begins before its base")
    x = p.tensor("x", torch.arange(6, dtype=F64)[2:5].requires_grad_())
    v = p.do("v", "Tensor.as_strided", x, [2], [2], 0)
    p.look(v)
    p.do(None, "Tensor.backward", v, m([2]))
    p.look(x, what=("grad",))
    p = P("views", "of an empty base")
    x = p.tensor("x", torch.empty(0, 2, dtype=F64).requires_grad_())
    v = p.do("v", "Tensor.transpose", x, 0, 1)
    p.do(None, "Tensor.backward", v, m([2, 0]))
    p.look(x, what=("grad",))
    p = P("views", "data of an inference tensor")
    d = p.do("d", "get:data", p.do("y", "Tensor.mul", p.tensor("x", m([2])), 2.5, under="inference_mode"))
    p.fails("Tensor.mul", d, p.tensor("w", m([2], grad=True)))


def autograd(P, m):
    p = P("autograd", "a view without a node gets no gradient")
    x = p.tensor("x", m([3]))
    v = p.do("v", "Tensor.permute", x, [0])
    p.do(None, "Tensor.requires_grad_", x)
    p.look(v, what=("requires_grad", "grad_fn"))
    p.fails("Tensor.backward", v, m([3]))
    y = p.tensor("y", m([3], grad=True))
    u = p.do("u", "Tensor.narrow", y, 0, 0, 2, under="no_grad")
    p.fails("autograd.grad", p.do("e", "Tensor.exp", u), [u], m([2]))
    p = P("autograd", "retained gradients are copies")
    x = p.tensor("x", m([2, 3], grad=True))
    y = p.do("y", "Tensor.t", p.do("x2", "Tensor.mul", x, 2.5))
    p.do(None, "Tensor.retain_grad", y)
    g = p.tensor("g", m([3, 2]))
    p.do(None, "Tensor.backward", y, g, retain_graph=True)
    p.do(None, "Tensor.backward", y, g)
    p.look(y, x, what=("grad",))
    p.look(g, what=("value", "version"))
    p = P("autograd", "a leaf that no longer requires grad takes none")
    x = p.tensor("x", m([3], grad=True))
    y = p.do("y", "Tensor.expand", x, 2, 3)
    p.do(None, "set:requires_grad", x, False)
    p.do(None, "Tensor.backward", y, m([2, 3]), fails="maybe")
    p.look(x, what=("grad", "requires_grad"))
    p = P("autograd", "requires_grad of what is no leaf")
    y = p.do("y", "Tensor.mul", p.tensor("x", m(grad=True)), 2.5)
    p.fails("set:requires_grad", y, True)
    p.fails("set:requires_grad", y, False)
    p.do(None, "Tensor.requires_grad_", y)
    p.fails("Tensor.requires_grad_", y, False)
    p.fails("Tensor.requires_grad_", y, 1)
    p.fails("Tensor.requires_grad_", y, alpha=1)
    p = P("autograd", "arguments of grad and backward")
    x = p.tensor("x", m([2], grad=True))
    sq = lambda i: p.do(f"s{i}", "Tensor.sum", p.do(f"q{i}", "Tensor.mul", x, x))
    n = p.tensor("n", m([2]))
    for i, (args, kw) in enumerate([([], {}), ([1], {}), (["s"], {}), (["s", None], {}), (["s", 1], {}), (["s", []], {}), ([[], [x]], {}), ([n, x], {}), (["s", n], {}), (["s", x, 1], {}), (["q", x, m([3])], {}), (["q", x], {}), (["s", x], {"foo": 1}), (["s", x], {"retain_graph": "a"}),
                                    (["s", [1]], {}), (["s", x], {"allow_unused": False, "materialize_grads": True}), ([[1], [x]], {}), (["s", x, None, True], {}), (["s", x], {"retain_graph": True}), (["s", x], {"create_graph": True})]):  # fmt: skip
        s = sq(i)
        args = [s if a == "s" else p.vars[f"q{i}"] if a == "q" else a for a in args] if args and not isinstance(args[0], int) else args
        got = p.do(f"g{i}", "autograd.grad", *args, fails="maybe", **kw)
        if got is not None:
            p.look(got, what=("value",))
    for i, (args, kw) in enumerate([([1], {}), ([], {"foo": 1}), ([m([2])], {}), ([], {"retain_graph": "a"}), ([1, 2, 3, 4, 5], {}), ([], {"inputs": []}), ([], {"inputs": 1}), ([], {"inputs": [1]}), ([], {"inputs": n}), ([None, True, False, x], {}), ([T(1.0, dtype=F64), True], {})]):
        p.do(None, "Tensor.backward", sq(100 + i), *args, fails="maybe", **kw)
    p.look(x, what=("grad",))
    for args in ([1], [n], []):
        p.fails("autograd.backward", *args)
    p = P("autograd", "gradients that are not there, as zeros")
    x, y = p.tensor("x", m([2, 3], grad=True)), p.tensor("y", m([3], grad=True))
    a, b = p.do(["a", "b"], "autograd.grad", p.do("s", "Tensor.sum", y), [p.do("t", "Tensor.t", x), y], create_graph=True, materialize_grads=True)
    p.look(a, b, what=("value", "requires_grad", "strides"))
    p = P("autograd", "properties that can't be set")
    x = p.tensor("x", m())
    for name in ("shape", "grad_fn", "is_leaf", "_version"):
        p.fails(f"set:{name}", x, None)
    p.fails("set:data", x, 1)
    for name in ("dim", "numel", "element_size", "retain_grad", "storage_offset"):
        p.fails(f"Tensor.{name}", x, 1, match="takes no arguments (1 given)")


def graphs(P, m):
    p = P("graphs", "a number among the operands is lost with the graph")
    x = p.tensor("x", m(grad=True))
    for i, (call, other) in enumerate([("mul", 2.5), ("div", 1.5), ("add", 1.5), ("sub", 1.5), ("neg", None)]):
        y = p.do(f"y{i}", f"Tensor.{call}", x, *([] if other is None else [other]))
        s = p.do(f"s{i}", "Tensor.sum", y)
        p.do(None, "Tensor.backward", s)
        p.do(None, "Tensor.backward", s, fails="maybe")
    p.look(x, what=("grad",))
    p = P("graphs", "what gradients hang on")
    x, w = p.tensor("x", m([3], grad=True)), p.tensor("w", m([3], grad=True, key="w"))
    for i, (call, args) in enumerate([("relu", []), ("abs", []), ("minimum", [w]), ("maximum", [w]), ("clamp", [0.5]), ("masked_fill", [T([True, False, True]), 1.5]), ("exp", []), ("mul", [w]), ("mul", [2.5]), ("sum", []), ("where", [T([True, False, True]), w]), ("pow", [2.0]), ("sigmoid", [])]):
        y = p.do(f"y{i}", f"Tensor.{call}", x, *([args[0], args[1]] if call == "where" else args))
        seed = m(list(y.value.shape), key="s")
        [g] = p.do([f"g{i}"], "autograd.grad", y, [x], seed, create_graph=True)
        p.look(g, what=("value", "requires_grad"))
    p = P("graphs", "the loss keeps the difference, not its inputs")
    a, b = p.tensor("a", m([2, 3])), p.tensor("b", m([2, 3], grad=True, key="b"))
    loss = p.do("l", "nn.functional.l1_loss", a, b)
    p.do(None, "Tensor.mul_", a, 2)
    p.do(None, "Tensor.backward", loss)
    p.look(b, what=("grad",))


def reductions(calls, m):
    x = torch.ones(3, 0, 2)
    i8 = T([-1, 2], dtype=I8)
    calls("reductions", "empty lists and empty tensors", ("torch.any", T([[True, False]]), []), ("torch.all", T([[1.0, 0.0]]), [], True), ("torch.amax", x, -2), ("torch.amax", x, [0, -2]), ("torch.amin", x, [-2, 7]), ("torch.amax", x), ("torch.max", x, -2), ("torch.amax", m([2]), None),
          ("torch.sum", T([1.0]), {"keepdim": True}), ("Tensor.sum", m([2]), None, True), ("Tensor.sum_to_size", T([[True, True]]), [1]), ("Tensor.sum_to_size", T(True), []), ("torch.logsumexp", m([2, 2]), [0, 0]), ("torch.softmax", T([], dtype=I64), 0), ("torch.softmax", T(2), 1),
          ("torch.log_softmax", T([1]), 0), ("torch.var", T(1.5), {"correction": 2}), ("Tensor.cumsum_", T(True), 0), ("Tensor.cumsum_", T([True]), 0), ("Tensor.cumsum_", T([True]), 3), ("torch.argmax", i8, {"dim": None}))  # fmt: skip
    g = m([2], grad=True)
    calls("reductions", "no gradient through integers", ("torch.sum", g, {"dtype": I32}), ("torch.prod", g, {"dtype": I32}), ("torch.cumsum", g, 0, {"dtype": I64}), ("torch.cumsum", g, 0, {"dtype": BOOL}), ("torch.sum", g, 3, {"dtype": I32}))


def products(P, m, calls):
    b = T([True, False])
    e = lambda *s: torch.ones(*s)
    calls("products", "dtypes that differ", ("torch.mv", e(2, 2), T([1, 2])), ("torch.mm", e(2, 2), torch.ones(2, 2, dtype=I64)), ("torch.mm", e(2, 2), torch.ones(2, 2, dtype=I16)), ("torch.bmm", e(1, 2, 2), torch.ones(1, 2, 2, dtype=I64)),
          ("torch.bmm", torch.ones(0, 2, 2), torch.ones(0, 2, 2, dtype=I64)), ("torch.addmm", T([1]), torch.ones(1, 1, dtype=I64), e(1, 1)), ("torch.addmm", e(1), torch.ones(1, 1, dtype=F64), e(1, 1)), ("nn.functional.linear", e(2), e(3, 2), T([1, 2, 3])))  # fmt: skip
    calls("products", "bool", ("torch.dot", b, b), ("torch.dot", b[:0], b[:0]), ("torch.mm", b[None], b[:, None]), ("torch.bmm", b[None, None], b[None, :, None]), ("torch.mm", torch.ones(0, 2, dtype=BOOL), torch.ones(2, 2, dtype=BOOL)), ("torch.mv", torch.ones(0, 2, dtype=BOOL), b))
    calls("products", "of nothing", ("torch.matmul", e(2, 2, 0, 0), e(0)), ("torch.matmul", e(2, 0, 3), e(3, 2)), ("nn.functional.linear", e(0, 1, 0), e(1, 0), e(1)), ("nn.functional.linear", e(2, 3, 0), e(4, 0), e(4)), ("torch.bmm", e(2, 3, 0), e(2, 0, 2)), ("torch.mm", e(2, 0), e(0, 3)))
    calls("products", "factors", ("torch.addmm", T([1]), torch.ones(1, 1, dtype=I64), torch.ones(1, 1, dtype=I64), {"alpha": 2.5}), ("torch.addmm", e(1), e(1, 1), e(1, 1), {"beta": BigInt(2)}), ("torch.addmm", torch.ones(4, dtype=I16), torch.ones(0, 3, dtype=I16), torch.ones(3, 4, dtype=I16), {"alpha": 2**33}))
    p = P("products", "results are no views")
    with_rows = p.do("a", "torch.matmul", p.tensor("x", m([2, 3, 4])), p.tensor("w", m([4, 2])), under="no_grad")
    batched = p.do("b", "torch.matmul", p.tensor("y", m([2, 4], grad=True)), p.tensor("z", m([3, 4, 2])), under="no_grad")
    vector = p.do("c", "torch.matmul", p.tensor("u", m([4])), p.vars["w"], under="no_grad")
    for out in (with_rows, batched, vector):
        p.look(out, what=("is_view", "value"))
        p.do(None, "Tensor.mul_", out, p.tensor(f"g{out.name}", m([1], grad=True)))
        p.look(out, what=("requires_grad",))
    p = P("products", "under inference mode")
    for n, args in [("dot", [m([2]), m([2])]), ("mv", [m([2, 2]), m([2])]), ("matmul", [m([2, 2, 2]), m([2])])]:
        y = p.do(f"y{n}", f"torch.{n}", *args, under="inference_mode")
        p.fails("Tensor.mul", y, p.tensor(f"w{n}", m([1], grad=True)))


def losses(P, m, calls):
    F = "nn.functional."
    w = m([2, 1, 3])
    a, b = torch.full([1, 3], 0.25, dtype=F64), torch.full([1, 3], 0.5, dtype=F64)
    calls("losses", "weights and dtypes", (F + "binary_cross_entropy", a, b, w), (F + "binary_cross_entropy_with_logits", a, b, w), (F + "l1_loss", a, T([[True, False, True]])), (F + "l1_loss", T([1]), T([3]), {"reduction": "none"}), (F + "l1_loss", T([1]), T([3])),
          (F + "huber_loss", a.float(), b), (F + "huber_loss", a.float(), b, {"reduction": "none"}))  # fmt: skip
    for name in ("huber_loss", "smooth_l1_loss", "mse_loss", "l1_loss"):
        p = P("losses", f"{name} of NaN and of far values")
        x = p.tensor("x", T([NAN, 3.0, -3.0, 0.25, INF], dtype=F64, requires_grad=True))
        p.do(None, "Tensor.backward", p.do("l", F + name, x, torch.zeros(5, dtype=F64), reduction="sum"))
        p.look(x, what=("grad",))


def factories(calls, m):
    ar, ls = "torch.arange", "torch.linspace"
    calls("factories", "whole steps", (ar, -2, 2, 0.3, {"dtype": I16}), (ar, 0, 3, 0.5, {"dtype": I64}), (ar, 0.5, 3.7, 1, {"dtype": I64}), (ar, -0.5, 3.2, {"dtype": I64}), (ar, 0, 5, 2.5, {"dtype": I64}), (ar, 2.5, {"dtype": I32}), (ar, 3.7, 3.7, 0.5, {"dtype": I64}), (ar, 0, 5, 0), (ls, -2.5, -1, 10, {"dtype": I64}),
          (ls, 0, 300, 3, {"dtype": U8}), (ls, 0, 1e300, 3), ("torch.randperm", 300, {"dtype": U8}), ("torch.randperm", -1), ("torch.zeros",), ("torch.ones", {"dtype": I32}), ("torch.rand",), ("torch.cat", [torch.ones(0)], 5), ("torch.cat", [torch.ones(2)], 5))  # fmt: skip
    x = T([1.5, 2.0])
    calls("factories", "numbers as the first operand", ("torch.add", 2.5, x), ("torch.sub", 1, T([1, 2])), ("torch.mul", 2.5, T([1, 2])), ("torch.div", 1, x), ("torch.sub", True, x), ("torch.sub", 1, x, {"alpha": 2}), ("torch.pow", 2.5, 3), ("torch.where", T([1, 0], dtype=U8), x, 0.5), ("torch.div", 3.5, x, {"rounding_mode": "floor"}))


def arguments(calls, m):
    x = m([2])
    i = T([1, 2])
    calls("arguments", "too many, too few, of another type", ("torch.log", x, 1), ("Tensor.swapdims", m([1, 2]), 0, 1, 2), ("torch.amax", x, 0, True, 3), ("Tensor.unbind", x, 0, 1), ("Tensor.sum_to_size", x, [], {"input": 1}), ("torch.minimum", x, slice(1, 2)), ("Tensor.argmax", x, {"dim": 2.5}),
          ("Tensor.logsumexp", x, [x]), ("torch.mean", x, 0, True, -1), ("torch.prod", -1), ("torch.sum", [2.5]), ("Tensor.sum", x, "a", {"keepdim": True}), ("torch.argmin", x, {"keepdim": 1}), ("Tensor.flatten", x, {"end_dim": [1]}), ("Tensor.flatten", x, 1e30), ("torch.cat", [x, 1]), ("torch.cat", x),
          ("torch.stack", [None]), ("Tensor.reshape", x, 2.5), ("Tensor.permute", x, 0, 2.5), ("torch.rand", 2, 7, "a"), ("Tensor.new_zeros", x, [[1]]), ("torch.clamp", x, x, 1.5), ("torch.clamp", x, {"min": 1, "max": x}), ("Tensor.copy_", x, [1]), ("Tensor.view", x, {"foo": 1}), ("Tensor.mul", x, None),
          ("Tensor.softmax", x), ("torch.softmax", x, 0, {"dtype": 1}), ("Tensor.to", x, "a"), ("Tensor.masked_fill", x, True, 1), ("Tensor.uniform_", m([2]), "a"), ("torch.full", 2, 1), ("Tensor.expand", x, None), ("torch.gather", x, 0, 0), ("Tensor.squeeze", x, "a"), ("torch.eye", 1.5))  # fmt: skip
    calls("arguments", "numbers too large to be whole", ("torch.add", i, 1e30), ("torch.lt", T([1], dtype=U8), 1e30), ("torch.where", T([True]), i, 1e30), ("Tensor.add_", i, 1e30))


def layouts(calls, m):
    x = m([3, 4])
    t = x.t()
    calls("layouts", "results", ("torch.pow", 2.5, t), ("torch.pow", t, 2.5), ("torch.masked_fill", t, T([[True], [False], [True], [False]]), 1.5), ("torch.add", m([2, 1, 1, 1]), torch.empty_strided([2, 3, 3, 1], [1, 2, 6, 6], dtype=F64).fill_(1.5)), ("torch.add", t, m([1, 3])), ("torch.mul", m([4, 1]), t))
