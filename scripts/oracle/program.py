"""Programs: several calls in a row on named variables, with what is to be seen on the way.

A program: {name, steps}. A step is one of
  {let, tensor}                             a tensor made from the fixture's bytes
  {let?, call, args, kwargs?, mode?, error?}  a call as in recorder.py; `new nn.Linear` constructs, `call` calls its first argument, `get:grad` and
                                            `set:data` read and write a property. `mode` is no_grad, inference_mode or enable_grad around it.
                                            `let` may be a list of names: the result is taken apart.
  {look, …}                                 what is to be seen of a variable: value, strides (of dimensions with more than one element), grad, grad_fn, version, is_view, base,
                                            is_leaf, requires_grad, repr
"""

import torch

from . import recorder
from .encode import encode, encode_input, encode_output
from .recorder import error_of, resolve, unwrap, unwrap_kwargs


class Var:
    def __init__(self, name, value):
        self.name = name
        self.value = value


MODES = {"no_grad": torch.no_grad, "inference_mode": torch.inference_mode, "enable_grad": torch.enable_grad}


def plain(value):
    if isinstance(value, Var):
        return value.value
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return type(value)(plain(v) for v in value)
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return unwrap(value)


def enc(value):
    if isinstance(value, Var):
        return {"var": value.name}
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return [enc(v) for v in value]
    if isinstance(value, dict):
        return {"dict": {k: enc(v) for k, v in value.items()}}
    return encode(value, encode_input)


def repr_on_mtia(x):
    """PyTorch's own printing, line breaks and all, with the device that this build has not."""
    module = torch._tensor_str
    original = module._add_suffixes
    module._add_suffixes = lambda text, suffixes, *a, **k: original(text, ["device='mtia:0'", *suffixes], *a, **k)
    try:
        return repr(x)
    finally:
        module._add_suffixes = original


class Program:
    def __init__(self, name):
        self.name = name
        self.steps = []
        self.vars = {}

    def tensor(self, name, x):
        self.steps.append({"let": name, "tensor": encode_input(x)})
        self.vars[name] = var = Var(name, x)
        return var

    def do(self, let, call, *args, under=None, fails=False, match=None, text=None, **kwargs):
        step = {}
        if let:
            step["let"] = let
        step["call"] = call
        step["args"] = [enc(a) for a in args]
        if kwargs:
            step["kwargs"] = {k: enc(v) for k, v in kwargs.items()}
        if under:
            step["mode"] = under
        self.steps.append(step)
        values, options = [plain(a) for a in args], {k: plain(v) for k, v in kwargs.items()}
        if text:
            step["error"] = {"type": fails, "text": text}
            if match is not None:
                step["error"]["match"] = match
            return None
        try:
            with MODES[under]() if under else torch.enable_grad():
                if call.startswith("get:"):
                    result = getattr(values[0], call[4:])
                elif call.startswith("set:"):
                    result = setattr(values[0], call[4:], values[1])
                elif call == "call":
                    result = values[0](*values[1:], **options)
                else:
                    result = resolve(call.removeprefix("new "))(*values, **options)
        except Exception as error:  # noqa: BLE001
            if not fails:
                raise
            step["error"] = error_of(error)
            if match is not None:
                assert match in str(error), (match, str(error))
                step["error"]["match"] = match
            return None
        if fails and fails != "maybe":
            print(f"{self.name}: no error from {call}{[recorder.describe(a) for a in values]} {options}")
        if isinstance(let, list):
            out = [Var(n, v) for n, v in zip(let, result, strict=True)]
            for v in out:
                self.vars[v.name] = v
            return out
        var = Var(let, result)
        if let:
            self.vars[let] = var
        return var

    def fails(self, call, *args, **kwargs):
        return self.do(None, call, *args, fails=True, **kwargs)

    def look(self, *variables, what=("value", "requires_grad", "grad_fn", "version", "is_view", "is_leaf")):
        for var in variables:
            x = var.value
            seen = {"look": var.name}
            for w in what:
                if w == "value":
                    seen[w] = encode(x, encode_output)
                elif w == "grad":
                    seen[w] = None if x.grad is None else encode_output(x.grad)
                elif w == "grad_fn":
                    seen[w] = None if x.grad_fn is None else type(x.grad_fn).__name__
                elif w == "version":
                    seen[w] = x._version
                elif w == "is_view":
                    seen[w] = x._is_view()
                elif w == "base":
                    seen[w] = next((v.name for v in self.vars.values() if v.value is x._base), None)
                elif w == "is_leaf":
                    seen[w] = x.is_leaf
                elif w == "requires_grad":
                    seen[w] = x.requires_grad
                elif w == "strides":
                    seen[w] = [s for s, n in zip(x.stride(), x.shape, strict=True) if n != 1] if x.numel() else None
                elif w == "repr":
                    seen[w] = repr(x)
                    if isinstance(x, torch.Tensor):
                        seen["repr_mtia"] = repr_on_mtia(x)
                elif w == "str":
                    seen[w] = str(x)
                else:
                    raise ValueError(w)
            self.steps.append(seen)

    def encoded(self):
        return {"name": self.name, "steps": self.steps}


class Programs(recorder.Family):
    def program(self, group, name):
        p = Program(name)
        self.groups.setdefault(group, []).append(p)
        return p

    def write(self):
        self.groups = {g: [p.encoded() for p in ps] for g, ps in self.groups.items()}
        return super().write()
