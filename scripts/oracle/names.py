"""The public names of PyTorch's namespaces: python scripts/oracle/names.py writes src/absent/names.ts.

Left out are what a namespace merely imports: modules of Python, and what typing, functools and the like have.
"""

import sys
import types
import warnings
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])

import torch  # noqa: E402

FOREIGN = set(sys.stdlib_module_names) | {"typing_extensions", "numpy"}
SPACES = {
    "torch": torch,
    "torch.Tensor": torch.Tensor,
    "torch.nn": torch.nn,
    "torch.nn.functional": torch.nn.functional,
    "torch.nn.init": torch.nn.init,
    "torch.nn.utils": torch.nn.utils,
    "torch.optim": torch.optim,
    "torch.optim.lr_scheduler": torch.optim.lr_scheduler,
    "torch.utils": torch.utils,
    "torch.utils.data": torch.utils.data,
    "torch.autograd": torch.autograd,
    "torch.amp": torch.amp,
    "torch.backends": torch.backends,
    "torch.cpu": torch.cpu,
    "torch.cuda": torch.cuda,
    "torch.linalg": torch.linalg,
    "torch.nn.modules": torch.nn.modules,
    "torch.nn.utils.rnn": torch.nn.utils.rnn,
}
# Names of constants that are no API: switches of type checkers, and the namespace's own name.
NOISE = {"TYPE_CHECKING", "torch", "annotations", "np"}


def public(space):
    for name in dir(space):
        if name.startswith("_") or name in NOISE:
            continue
        value = getattr(space, name, None) if space is not torch.Tensor else None
        if isinstance(value, types.ModuleType) and value.__name__.split(".")[0] in FOREIGN:
            continue
        module = getattr(value, "__module__", None)
        if isinstance(module, str) and module.split(".")[0] in FOREIGN - {"builtins"} and not isinstance(value, (int, float)):
            continue
        yield name


def lines(names, width=130):
    out, line = [], ""
    for name in names:
        if len(line) + len(name) + 1 > width:
            out.append(line)
            line = ""
        line += (" " if line else "") + name
    return out + [line]


def main():
    warnings.simplefilter("ignore")
    parts = [f"// Made by scripts/oracle/names.py from PyTorch {torch.__version__.split('+')[0]}. Do not edit.\n", "/** Public names of PyTorch's namespaces, split when somebody asks for a name that is not there. */", "export const NAMES: Readonly<Record<string, string>> = {"]
    for space, module in SPACES.items():
        parts.append(f"  '{space}': `")
        parts += lines(public(module))
        parts.append("`,")
    parts.append("};\n")
    path = Path(__file__).resolve().parents[2] / "src" / "absent" / "names.ts"
    path.write_text("\n".join(parts))
    print({space: len(list(public(module))) for space, module in SPACES.items()}, path.stat().st_size)


main()
