"""In-place operations on views: values, gradients, graph nodes, version counters, with other views taken before and after."""

import torch

from .program import Programs

F64 = torch.float64

VIEWS = {
    "select": ("Tensor.select", [0, 1]),
    "select last": ("Tensor.select", [1, -1]),
    "narrow": ("Tensor.narrow", [1, 1, 2]),
    "transpose": ("Tensor.transpose", [0, 1]),
    "view": ("Tensor.view", [[2, 6]]),
    "permute": ("Tensor.permute", [[1, 0]]),
    "unsqueeze": ("Tensor.unsqueeze", [1]),
    "flatten": ("Tensor.flatten", []),
    "slice": ("Tensor.index", [[slice(None), slice(1, 4, 2)]]),
    "index int": ("Tensor.index", [[2]]),
    "detach": ("Tensor.detach", []),
    "t": ("Tensor.t", []),
}
MAIN = ("select", "narrow", "transpose")


class Scene:
    """x (a leaf) -> y (its copy, the base) -> v (the view to be changed), w (a leaf to write from)."""

    def __init__(self, fam, group, name, view, base_grad=True):
        self.fam = fam
        self.p = p = fam.program(group, name)
        self.x = p.tensor("x", fam.make("x", [3, 4], F64, "c", "pos", base_grad))
        self.y = p.do("y", "Tensor.clone", self.x)
        self.view = view

    def take(self, name="v", view=None, of=None):
        call, args = VIEWS[view or self.view]
        return self.p.do(name, call, of or self.y, *args)

    def leaf(self, name, shape, grad=True):
        return self.p.tensor(name, self.fam.make(name, shape, F64, "c", "pos", grad))

    def change(self, v, how):
        p = self.p
        shape = list(v.value.shape)
        w = None
        if how == "mul_ number":
            p.do(None, "Tensor.mul_", v, 2.5)
        elif how == "mul_":
            w = self.leaf("w", shape)
            p.do(None, "Tensor.mul_", v, w)
        elif how == "copy_":
            w = self.leaf("w", shape)
            p.do(None, "Tensor.copy_", v, w)
        elif how == "index_put_":
            w = self.leaf("w", shape[1:])
            p.do(None, "Tensor.index_put_", v, [0], w)
        elif how == "index_put_ tensor":
            w = self.leaf("w", [2] + shape[1:])
            p.do(None, "Tensor.index_put_", v, [torch.tensor([1, 0])], w)
        elif how == "add_ broadcast":
            w = self.leaf("w", shape[-1:])
            p.do(None, "Tensor.add_", v, w)
        elif how == "fill_":
            p.do(None, "Tensor.fill_", v, 1.5)
        elif how == "zero_":
            p.do(None, "Tensor.zero_", v)
        elif how == "sigmoid_":
            p.do(None, "Tensor.sigmoid_", v)
        elif how == "masked_fill_":
            p.do(None, "Tensor.masked_fill_", v, v.value.detach() > 1.2, -1.0)
        else:
            raise ValueError(how)
        return w

    def finish(self, *outs, leaves=()):
        """A loss that reads every one of `outs` with its own weights, its gradients, and what the tensors look like."""
        p = self.p
        p.look(*outs)
        total = None
        for i, out in enumerate(outs):
            if not out.value.requires_grad:
                continue
            c = p.tensor(f"c{i}", self.fam.make(f"c{i}", list(out.value.shape), F64))
            term = p.do(f"s{i}", "Tensor.sum", p.do(f"m{i}", "Tensor.mul", out, c))
            total = term if total is None else p.do(f"t{i}", "Tensor.add", total, term)
        if total is None:
            return
        p.do(None, "Tensor.backward", total, fails="maybe")
        p.look(*[v for v in (self.x, *leaves) if v is not None and v.value.requires_grad], what=("grad",))


def record():
    fam = Programs("inplace")
    changes = ["mul_ number", "mul_", "copy_", "index_put_"]
    more = ["index_put_ tensor", "add_ broadcast", "fill_", "zero_", "sigmoid_", "masked_fill_"]
    # One change: other views of the same base taken before it, after it, and none.
    for view in VIEWS:
        for how in changes + (more if view in MAIN else []):
            for other in ("before", "after", "none"):
                if other != "none" and view not in MAIN and how not in ("mul_", "copy_"):
                    continue
                s = Scene(fam, f"{view}, then {how}", f"{view}, {how}, another view taken {other}", view)
                u = s.take("u", "narrow" if view != "narrow" else "select") if other == "before" else None
                v = s.take()
                w = s.change(v, how)
                if other == "after":
                    u = s.take("u", "narrow" if view != "narrow" else "select")
                s.finish(*[t for t in (v, u, s.y) if t is not None], leaves=[w])
    # The base does not require grad until something that does is written into a view of it.
    for view in MAIN:
        for how in ("mul_", "copy_", "index_put_"):
            for other in ("before", "after"):
                s = Scene(fam, "base without grad", f"{view}, {how}, another view taken {other}", view, base_grad=False)
                u = s.take("u", "view") if other == "before" else None
                v = s.take()
                w = s.change(v, how)
                if other == "after":
                    u = s.take("u", "view")
                s.finish(v, u, s.y, leaves=[w])
    # A view of a view; the middle one is used too.
    for first in MAIN:
        for second in ("narrow", "t", "slice"):
            if first.startswith("select"):
                continue
            for how in ("mul_", "copy_", "sigmoid_"):
                s = Scene(fam, "view of a view", f"{first}, {second}, {how}", first)
                mid = s.take("mid")
                if second == "narrow" and mid.value.shape[1] < 3:
                    v = s.p.do("v", "Tensor.narrow", mid, 0, 1, 2)
                elif second == "slice":
                    v = s.p.do("v", "Tensor.index", mid, [slice(None), slice(1, None)])
                else:
                    v = s.take("v", second, mid)
                w = s.change(v, how)
                s.finish(v, mid, s.y, leaves=[w])
    # Two changes through two views, the second reading what the first wrote.
    for a in MAIN:
        for b in MAIN:
            s = Scene(fam, "two changes", f"{a} sigmoid_, then {b} mul_", a)
            v = s.take("v", a)
            u = s.take("u", b)
            s.change(v, "sigmoid_")
            w = s.change(u, "mul_")
            s.finish(v, u, s.y, leaves=[w])
    # The base is changed while views of it are there.
    for view in [*MAIN, "view", "slice"]:
        for how in ("mul_", "copy_", "sigmoid_", "index_put_"):
            s = Scene(fam, "change of the base", f"{view}, base {how}", view)
            v = s.take()
            w = s.change(s.y, how)
            s.p.look(v, s.y)
            s.finish(v, s.y, leaves=[w])
    # A view of the base is used in the graph before the change: correct if its value is not needed any more.
    for view in MAIN:
        for use in ("add", "mul", "exp"):
            for how in ("mul_ number", "copy_"):
                s = Scene(fam, "used before the change", f"{view} {use}, then {how}", view)
                v = s.take()
                c = s.p.tensor("c", fam.make("c", list(v.value.shape), F64, "c", "pos", True))
                z = s.p.do("z", f"Tensor.{use}", *([v] if use == "exp" else [v, c]))
                w = s.change(v, how)
                loss = s.p.do("loss", "Tensor.sum", z)
                s.p.look(v, s.y, z)
                s.p.do(None, "Tensor.backward", loss, fails="maybe")
                s.p.look(s.x, c, what=("grad",))
    # Versions and views, without gradients.
    for view in VIEWS:
        s = Scene(fam, "version counter", view, view, base_grad=False)
        v = s.take()
        s.p.look(s.y, v, what=("version", "is_view", "base"))
        s.change(v, "mul_ number")
        s.p.look(s.y, v, what=("version", "is_view", "base"))
        s.change(s.y, "fill_")
        d = s.p.do("d", "get:data", s.y)
        s.change(d, "mul_ number")
        e = s.p.do("e", "Tensor.detach", v)
        s.change(e, "zero_")
        s.p.look(s.y, v, d, e)
    p = fam.program("version counter", "what is a view and what is not")
    x = p.tensor("x", fam.make("x", [3, 4], F64, "c", "pos", True))
    for i, (call, args) in enumerate([("clone", []), ("contiguous", []), ("reshape", [[12]]), ("expand", [[3, 4]]), ("squeeze", []), ("to", [torch.float64]), ("to", [torch.float32]), ("flatten", [])]):
        p.look(p.do(f"a{i}", f"Tensor.{call}", x, *args))
    p.look(p.do("b", "Tensor.index", x, [torch.tensor([0])]))
    p.look(p.do("c", "Tensor.index", x, [0]))
    p.look(*p.do(["s0", "s1"], "Tensor.split", x, 2))
    # An optimizer's step: a leaf is changed under no_grad.
    p = fam.program("leaves", "a leaf changed under no_grad")
    x = p.tensor("x", fam.make("x", [3, 4], F64, "c", "pos", True))
    p.do(None, "Tensor.sub_", x, 0.5, under="no_grad")
    p.look(x)
    p.do(None, "Tensor.backward", p.do("l", "Tensor.sum", p.do("m", "Tensor.mul", x, x)))
    p.look(x, what=("grad",))
    p = fam.program("leaves", "a view of a leaf changed under no_grad")
    x = p.tensor("x", fam.make("x", [3, 4], F64, "c", "pos", True))
    v = p.do("v", "Tensor.select", x, 0, 1)
    p.do(None, "Tensor.mul_", v, 0.5, under="no_grad")
    p.look(x, v)
    p.do(None, "Tensor.backward", p.do("l", "Tensor.sum", p.do("m", "Tensor.mul", v, v)))
    p.look(x, what=("grad",))
    p = fam.program("leaves", "the data of a leaf changed")
    x = p.tensor("x", fam.make("x", [3, 4], F64, "c", "pos", True))
    d = p.do("d", "get:data", x)
    z = p.do("z", "Tensor.mul", x, x)
    p.do(None, "Tensor.mul_", d, 3.0)
    p.look(x, d)
    p.do(None, "Tensor.backward", p.do("l", "Tensor.sum", z))
    p.look(x, what=("grad",))
    p = fam.program("leaves", "gradients accumulate and can be cleared")
    x = p.tensor("x", fam.make("x", [3], F64, "c", "pos", True))
    for i in range(3):
        p.do(None, "Tensor.backward", p.do(f"l{i}", "Tensor.sum", p.do(f"m{i}", "Tensor.mul", x, x)))
        p.look(x, what=("grad",))
    p.do(None, "set:grad", x, None)
    p.look(x, what=("grad",))
    p.do(None, "Tensor.backward", p.do("n", "Tensor.exp", x), torch.tensor([1.0, 2, 3], dtype=F64))
    p.look(x, what=("grad",))
    p = fam.program("leaves", "a tensor that comes to require grad by an in-place change")
    a = p.tensor("a", fam.make("a", [3], F64, "c", "pos"))
    w = p.tensor("w", fam.make("w", [3], F64, "c", "pos", True))
    p.do(None, "Tensor.mul_", a, w)
    p.look(a)
    p.do(None, "Tensor.mul_", a, w)
    p.look(a)
    p.do(None, "Tensor.backward", p.do("l", "Tensor.sum", a))
    p.look(w, what=("grad",))
    return [fam]
