"""Runs one call of the public API in PyTorch and writes down everything a test needs to repeat and check it.

A case: {name, call, args, kwargs?, result | error, clone?, after?, grad_output?, grads?, grad2?}.
  call         'torch.add', 'Tensor.mul_' (args[0] is self) or 'nn.functional.gelu'.
  kwargs       PyTorch's keyword names; in TypeScript the trailing options object.
  via          the function of the recorder that stood in for the call (for its gradients).
  result       null data: any values will do.
  clone        self is cloned first (an in-place form of a leaf that requires grad).
  after        base64 of the whole storage of self afterwards (an in-place form on a view).
  grad_output  one per floating-point result; `grads` is then the gradient of every input marked `grad`, in order of appearance
               (null where there is none).
  grad2        {v, grads}: with those gradients taken with create_graph, the gradients of sum(g * v) with respect to the same inputs and then
               to the grad_outputs.
"""

import json
import zlib
from pathlib import Path

import torch

from .encode import b64, encode, encode_input, encode_output, storage_bytes
from .inputs import make

FIXTURES = Path(__file__).parents[2] / "tests" / "fixtures"


def index(x, indices):
    return x[tuple(indices)]


def index_put_(x, indices, value, accumulate=False):
    """x[indices] = value, or += with every repetition counted, for all index forms."""
    if not accumulate:
        x[tuple(indices)] = value
        return x
    where = torch.arange(x.numel()).reshape(x.shape)[tuple(indices)]
    if not isinstance(value, torch.Tensor):
        value = torch.tensor(value, dtype=x.dtype)
    if x.dim() == 0:
        return x.add_(value.expand(where.shape).sum())
    # positions in the flattened tensor, one row per dimension
    rows = [where // max(1, torch.Size(x.shape[d + 1 :]).numel()) % x.shape[d] for d in range(x.dim())]
    return x.index_put_(tuple(rows), value.expand(where.shape), accumulate=True)


# Where our form of a call is C++'s and Python has an operator instead.
ADAPTERS = {
    "Tensor.index": index,
    "Tensor.index_put_": index_put_,
    "torch.index_put": lambda x, *a, **k: index_put_(x.clone(), *a, **k),
    "Tensor.index_put": lambda x, *a, **k: index_put_(x.clone(), *a, **k),
}


def resolve(call):
    if call in ADAPTERS:
        return ADAPTERS[call]
    head, _, name = call.rpartition(".")
    if head == "Tensor":
        def method(self, *args, **kwargs):
            return getattr(self, name)(*args, **kwargs)
        return method
    at = torch
    for part in call.split("."):
        if part != "torch":
            at = getattr(at, part)
    return at


def unwrap(value):
    from .encode import BigInt

    if isinstance(value, BigInt):
        return value.value
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return type(value)(unwrap(v) for v in value)
    return value


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in tensors_in(v)]
    return []


def describe(value):
    """A few characters for a case's name."""
    if isinstance(value, torch.Tensor):
        kind = str(value.dtype)[6:]
        layout = "" if value.is_contiguous() else " strides" + str(list(value.stride())).replace(" ", "")
        return f"{kind}{str(list(value.shape)).replace(' ', '')}{layout}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(describe(v) for v in value) + "]"
    if isinstance(value, slice):
        return f"Slice({value.start},{value.stop},{value.step})"
    if hasattr(value, "value") and not isinstance(value, torch.Tensor):
        return f"{value.value}n"
    return str(value)


def error_of(error):
    name = type(error).__name__
    text = str(error)
    out = {"type": name, "text": text}
    if "not implemented for '" in text:
        # names an internal kernel; what a user can rely on is the dtype
        out["match"] = text[text.index("not implemented for '") :]
    if "received an invalid combination of arguments" in text:
        # goes on with the list of PyTorch's overloads, which are not ours
        out["match"] = text[: text.index("()") + 2]
    if "AsStrided" in text:
        # how a view's node was made anew is PyTorch's own affair
        out["match"] = [text[: text.index(", which is output")], text[text.index("is at version") : text.index(" instead")]]
    return out


class Family:
    """The cases of one fixture file, grouped by operation."""

    def __init__(self, name):
        self.name = name
        self.groups = {}
        self.names = {}

    def gen(self, *key):
        """A generator seeded by what it is for, so that new cases leave the old ones as they are."""
        return torch.Generator().manual_seed(zlib.crc32(repr(key).encode()))

    def make(self, key, shape, dtype=torch.float32, layout="c", kind="any", grad=False):
        gen = self.gen(key, tuple(shape), str(dtype), layout, kind)
        return make(shape, dtype, layout, kind, grad, gen)

    def case(self, group, call, args, kwargs=None, *, name=None, double=False, strides=False, clone=False, tag="", match=None, via=None, factory=False, values=True):
        """`via` computes the same from differentiable parts, where PyTorch has no double backward of its own."""
        kwargs = kwargs or {}
        label = name or f"{call}({', '.join([describe(a) for a in args] + [f'{k}={describe(v)}' for k, v in kwargs.items()])})"
        if tag:
            label += " " + tag
        count = self.names[label] = self.names.get(label, 0) + 1
        if count > 1:
            label += f" #{count}"
        out = {"name": label, "call": call, "args": [encode(a, encode_input) for a in args]}
        if kwargs:
            out["kwargs"] = {k: encode(v, encode_input) for k, v in kwargs.items()}
        if clone:
            out["clone"] = True
        if factory:
            out["factory"] = True
        if via:
            out["via"] = via.__name__
        self.groups.setdefault(group, []).append(out)
        leaves = [t for t in tensors_in(args) + tensors_in(kwargs) if t.requires_grad]
        actual = list(args)
        if clone:
            actual[0] = actual[0].clone()
        try:
            result = (via or resolve(call))(*unwrap(actual), **unwrap_kwargs(kwargs))
        except Exception as error:  # noqa: BLE001 - whatever PyTorch raises is the fixture
            out["error"] = error_of(error)
            if match:
                out["error"]["match"] = match
            return
        out["result"] = encode(result, lambda t: encode_output(t, strides))
        if not values:
            out["result"]["T"]["data"] = None
        if call.endswith("_") and not clone and not leaves and isinstance(args[0], torch.Tensor):
            if not args[0].is_contiguous() or args[0].storage_offset():
                out["after"] = b64(storage_bytes(args[0]))
        outputs = [t for t in tensors_in(result) if t.requires_grad]
        if leaves and outputs:
            self.gradients(out, label, leaves, outputs, double)

    def gradients(self, out, label, leaves, outputs, double):
        gen = self.gen("grad", label)
        seeds = [make(o.shape, o.dtype, "c", "any", double, gen) for o in outputs]
        grads = torch.autograd.grad(outputs, leaves, seeds, create_graph=double, allow_unused=True)
        optional = lambda g: None if g is None else encode_output(g)
        out["grad_output"] = [encode_input(s.detach()) for s in seeds]
        out["grads"] = [optional(g) for g in grads]
        if not double:
            return
        used = [g for g in grads if g is not None and g.requires_grad]
        vs = [make(g.shape, g.dtype, "c", "any", False, gen) for g in used]
        second = torch.autograd.grad(used, leaves + seeds, vs, allow_unused=True)
        it = iter(vs)
        out["grad2"] = {
            "v": [encode_input(next(it)) if g is not None and g.requires_grad else None for g in grads],
            "grads": [optional(g) for g in second],
        }

    def write(self):
        FIXTURES.mkdir(parents=True, exist_ok=True)
        text = json_lines({"torch": torch.__version__.split("+")[0], "family": self.name}, self.groups)
        (FIXTURES / f"{self.name}.json").write_text(text)
        return len(text), sum(len(c) for c in self.groups.values())


def unwrap_kwargs(kwargs):
    return {k: unwrap(v) for k, v in kwargs.items()}


def json_lines(head, groups):
    """JSON with one case a line: small, and readable in a diff."""
    dump = lambda v: json.dumps(v, separators=(",", ":"), allow_nan=False)
    parts = []
    for group, cases in groups.items():
        lines = ",\n".join(dump(c) for c in cases)
        parts.append(f"{dump(group)}:[\n{lines}\n]")
    return dump(head)[:-1] + ',"groups":{\n' + ",\n".join(parts) + "\n}}\n"
