"""What PyTorch says of wrong arguments to everything of nn, optim, data and amp that has an optional parameter: a keyword that is not
there, and required ones that are missing.

tests/fixtures/signatures.json is replayed by tests/signatures.test.ts.
"""

import inspect
import json
import warnings

import torch
import torch.utils.data

from .recorder import FIXTURES, Family

SPACES = {
    "nn": torch.nn, "nn.init": torch.nn.init, "nn.utils": torch.nn.utils, "nn.utils.rnn": torch.nn.utils.rnn, "optim": torch.optim, "optim.lr_scheduler": torch.optim.lr_scheduler,
    "utils.data": torch.utils.data, "amp": torch.amp,
}  # fmt: skip
METHODS = {"Module": torch.nn.Module, "Optimizer": torch.optim.Optimizer, "LRScheduler": torch.optim.lr_scheduler.LRScheduler, "GradScaler": torch.amp.GradScaler}


def said(fn, *args, **kwargs):
    try:
        fn(*args, **kwargs)
    except TypeError as error:
        return str(error)
    except Exception:
        return None
    return None


def case(path, fn, skip=0):
    """None if it takes any keyword, or has nothing optional."""
    try:
        parameters = list(inspect.signature(fn).parameters.values())[skip:]
    except (TypeError, ValueError):
        return None
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = [p for p in positional if p.default is p.empty]
    if not any(p.default is not p.empty for p in parameters) or any(p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in parameters):
        return None
    given = [None] * (len(required) + skip)
    unknown = said(fn, *given, bogus=1)
    if unknown is None or "'bogus'" not in unknown:
        return None
    missing = said(fn, *given[:skip]) if required else None
    return {"path": path, "required": len(required), "unknown": unknown, "missing": missing if missing and "missing" in missing else None}


def cases():
    for space, module in SPACES.items():
        for name in dir(module):
            value = getattr(module, name)
            if name.startswith("_") or not getattr(value, "__module__", "").startswith("torch"):
                continue
            if inspect.isclass(value) or inspect.isfunction(value):
                yield case(f"{space}.{name}", value)
            if inspect.isclass(value):
                yield from (case(f"{space}.{name}.{own}", getattr(value, own)) for own, v in vars(value).items() if isinstance(v, classmethod))
    for name, type in METHODS.items():
        for own, v in vars(type).items():
            if not own.startswith("_") and inspect.isfunction(v):
                yield case(f"{name}.{own}", v, 1)


class Signatures(Family):
    def write(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = [c for c in cases() if c is not None]
        text = "[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in found) + "\n]\n"
        (FIXTURES / "signatures.json").write_text(text)
        return len(text), len(found)


def record():
    return [Signatures("signatures")]
