"""Training in mixed precision: what GradScaler does over 20 steps, some of which overflow, and 30 steps of a small network under autocast."""

import json

import torch
from torch import nn, optim

from .encode import encode_input, encode_output
from .recorder import FIXTURES, Family


def scaled(f):
    """A weighted distance; in some steps an element of a gradient is infinite or NaN."""
    x = f.make("x", [3, 2], grad=True)
    target = f.make("t", [3, 2])
    out = {"x": encode_input(x), "target": encode_input(target), "steps": []}
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_factor=3.0, backoff_factor=0.25, growth_interval=4)
    optimizer = optim.SGD([x], lr=0.1, momentum=0.5)
    for i in range(20):
        factor = {5: float("inf"), 6: float("nan"), 13: float("inf")}.get(i, 1.0 + 0.1 * i)
        optimizer.zero_grad()
        loss = ((x - target) ** 2).sum()
        scaler.scale(loss).backward()
        x.grad[1, 1] *= factor
        if i % 3 == 0:
            scaler.unscale_(optimizer)
        returned = scaler.step(optimizer)
        assert returned is None
        scaler.update(7.5 if i == 16 else None)
        state = scaler.state_dict()
        out["steps"].append({"factor": repr(factor), "x": encode_output(x), "scale": state["scale"], "tracker": state["_growth_tracker"]})
    return out


def network(f, dtype):
    torch.manual_seed(4)
    model = nn.Sequential(nn.Linear(10, 32), nn.LayerNorm(32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = optim.AdamW(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cpu", init_scale=256.0, enabled=dtype == torch.float16)
    x, y = f.make("batch", [16, 10]), torch.randint(0, 4, [16], generator=f.gen("labels"))
    out = {"dtype": str(dtype)[6:], "inputs": encode_input(x), "labels": encode_input(y), "losses": [], "dtypes": []}
    for _ in range(30):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=dtype):
            logits = model(x)
            loss = nn.functional.cross_entropy(logits, y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        out["losses"].append(loss.item())
    out["dtypes"] = [str(t.dtype)[6:] for t in (logits, loss, model[0].weight.grad)]
    out["final"] = {k: encode_output(v) for k, v in model.state_dict().items()}
    return out


class MixedPrecision(Family):
    def write(self):
        dump = lambda v: json.dumps(v, separators=(",", ":"))
        networks = [network(self, d) for d in (torch.bfloat16, torch.float16)]
        lines = ",\n".join(map(dump, networks))
        text = f'{{"torch":"{torch.__version__.split("+")[0]}","scaled":{dump(scaled(self))},\n"networks":[\n{lines}\n]}}\n'
        (FIXTURES / "mixed_precision.json").write_text(text)
        return len(text), 1 + len(networks)


def record():
    return [MixedPrecision("mixed_precision")]
