"""Steps of LBFGS on Rosenbrock's valley, whose two coordinates are two parameters, and on a badly scaled quadratic.

tests/fixtures/lbfgs.json is replayed by src/optim/lbfgs.test.ts.
"""

import json

import torch

from .recorder import FIXTURES, Family

CASES = [
    ("valley", {}),
    ("valley", {"lr": 0.5, "max_iter": 4}),
    ("valley", {"line_search_fn": "strong_wolfe"}),
    ("valley", {"line_search_fn": "strong_wolfe", "max_iter": 5, "max_eval": 7, "history_size": 3}),
    ("valley", {"line_search_fn": "strong_wolfe", "lr": 3.0, "max_iter": 3}),
    ("bowl", {"lr": 0.1, "history_size": 2}),
    ("bowl", {"line_search_fn": "strong_wolfe", "tolerance_grad": 1e-2}),
    ("bowl", {"line_search_fn": "strong_wolfe", "lr": 1e-3, "max_iter": 7}),
]
STEPS = 6


def loss_of(kind, x, y):
    if kind == "valley":
        return ((1 - x) ** 2 + 100 * (y - x**2) ** 2).sum()
    return (10 * x**2).sum() + (0.1 * (y - 3) ** 2).sum() + 0.1 * x.sum() * y.sum()


def run(kind, options):
    size = 1 if kind == "valley" else 2
    x = torch.full((size,), -1.2, dtype=torch.float64, requires_grad=True)
    y = torch.full((size,), 1.0, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([x, y], **options)

    def closure():
        optimizer.zero_grad()
        loss = loss_of(kind, x, y)
        loss.backward()
        return loss

    rows = []
    for _ in range(STEPS):
        loss = optimizer.step(closure).item()
        state = optimizer.state[x]
        rows.append({"loss": loss, "x": x.tolist(), "y": y.tolist(), "func_evals": state["func_evals"], "n_iter": state["n_iter"], "kept": len(state.get("old_dirs", []))})
    return {"kind": kind, "options": options, "rows": rows}


class Lbfgs(Family):
    def write(self):
        cases = [run(*case) for case in CASES]
        text = "[\n" + ",\n".join(json.dumps(case, separators=(",", ":"), allow_nan=False) for case in cases) + "\n]\n"
        (FIXTURES / "lbfgs.json").write_text(text)
        return len(text), len(cases)


def record():
    return [Lbfgs("lbfgs")]
