"""Thirty training steps of three models, and of every optimizer option on a small problem.

Weights are drawn by the default initialisation after torch.manual_seed, dropout masks go on with the same generator; batches are data of the
fixture. The test builds the same models (tests/trajectories.test.ts).
"""

import json

import torch
from torch import nn, optim

from .encode import encode_input, encode_output
from .recorder import FIXTURES, Family

STEPS = 30


class BagModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(40, 8, mode="mean")
        self.out = nn.Linear(8, 1)

    def forward(self, ids, offsets):
        return self.out(self.bag(ids, offsets))


def mlp():
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    return model, optimizer, nn.CrossEntropyLoss(), lambda f, i: [[f.make(f"mlp{i}", [16, 10])], torch.randint(0, 4, [16], generator=f.gen("mlp", i))]


def embedding_bag():
    torch.manual_seed(2)
    model = BagModel()
    optimizer = optim.Adam(model.parameters(), lr=0.01)

    def batch(f, i):
        gen = f.gen("bag", i)
        lengths = torch.randint(0, 6, [12], generator=gen)
        offsets = torch.cat([torch.zeros(1, dtype=torch.int64), lengths.cumsum(0)[:-1]])
        ids = torch.randint(0, 40, [int(lengths.sum())], generator=gen)
        return [[ids, offsets], f.make(f"bag{i}", [12, 1])]

    return model, optimizer, nn.MSELoss(), batch


def layer_norm():
    torch.manual_seed(3)
    model = nn.Sequential(nn.Linear(12, 24), nn.LayerNorm(24), nn.GELU(), nn.Dropout(0.2), nn.Linear(24, 12), nn.LayerNorm(12), nn.GELU(), nn.Dropout(0.1), nn.Linear(12, 3))
    optimizer = optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.05)
    return model, optimizer, nn.CrossEntropyLoss(label_smoothing=0.1), lambda f, i: [[f.make(f"ln{i}", [16, 12])], torch.randint(0, 3, [16], generator=f.gen("ln", i))]


def train(f, name, make):
    model, optimizer, criterion, batch = make()
    out = {"name": name, "initial": {k: encode_output(v) for k, v in model.state_dict().items()}, "batches": [], "losses": []}
    for i in range(STEPS):
        inputs, target = batch(f, i)
        out["batches"].append({"inputs": [encode_input(x) for x in inputs], "target": encode_input(target)})
        optimizer.zero_grad()
        loss = criterion(model(*inputs), target)
        loss.backward()
        optimizer.step()
        out["losses"].append(loss.item())
    out["final"] = {k: encode_output(v) for k, v in model.state_dict().items()}
    return out


OPTIONS = [
    ("SGD", {"lr": 0.05}), ("SGD", {"lr": 0.05, "momentum": 0.9}), ("SGD", {"lr": 0.05, "momentum": 0.9, "nesterov": True}), ("SGD", {"lr": 0.05, "momentum": 0.9, "dampening": 0.3}),
    ("SGD", {"lr": 0.05, "weight_decay": 0.1}), ("SGD", {"lr": 0.01, "maximize": True}), ("Adam", {}), ("Adam", {"lr": 0.05, "betas": [0.8, 0.95]}), ("Adam", {"lr": 0.05, "amsgrad": True}),
    ("Adam", {"lr": 0.05, "weight_decay": 0.1}), ("Adam", {"lr": 0.05, "eps": 1e-3}), ("Adam", {"lr": 0.01, "maximize": True}), ("AdamW", {}), ("AdamW", {"lr": 0.05, "weight_decay": 0.3}), ("AdamW", {"lr": 0.05, "amsgrad": True}),
]  # fmt: skip


def optimize(f, name, options, dtype):
    """The minimum of sum(c * (x - t)^2), with a second parameter that gets no gradient in every third step."""
    x, y = f.make("x", [3, 2], dtype, grad=True), f.make("y", [4], dtype, grad=True)
    c, t = f.make("c", [3, 2], dtype, kind="pos"), f.make("t", [3, 2], dtype)
    out = {"name": f"{name} {options} {dtype}", "optimizer": name, "options": options, "x": encode_input(x), "y": encode_input(y), "c": encode_input(c), "t": encode_input(t)}
    params = {k: tuple(v) if isinstance(v, list) else v for k, v in options.items()}
    optimizer = getattr(optim, name)([x, y], **params)
    losses = []
    for i in range(STEPS):
        optimizer.zero_grad()
        loss = (c * (x - t) * (x - t)).sum()
        if i % 3:
            loss = loss + (y * y).sum()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    out["losses"] = losses
    out["final"] = {"x": encode_output(x), "y": encode_output(y)}
    out["state"] = {k: encode_output(v) for k, v in optimizer.state_dict()["state"].get(0, {}).items() if isinstance(v, torch.Tensor)}
    return out


class Trajectories(Family):
    def write(self):
        dump = lambda v: json.dumps(v, separators=(",", ":"))
        models = ",\n".join(dump(train(self, *m)) for m in [("mlp", mlp), ("embedding_bag", embedding_bag), ("layer_norm", layer_norm)])
        optimizers = ",\n".join(dump(optimize(self, name, o, d)) for d in (torch.float32, torch.float64) for name, o in OPTIONS)
        text = f'{{"torch":"{torch.__version__.split("+")[0]}","models":[\n{models}\n],"optimizers":[\n{optimizers}\n]}}\n'
        (FIXTURES / "trajectories.json").write_text(text)
        return len(text), 3 + 2 * len(OPTIONS)


def record():
    return [Trajectories("trajectories")]
