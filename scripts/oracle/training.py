"""Thirty training steps of a CNN with batch norm, an LSTM, a transformer encoder block and a DLRM, with several optimizers, with and without autocast.

tests/fixtures/training.json is replayed by tests/training.test.ts, which builds the same models: weights are drawn after torch.manual_seed(1), dropout
goes on with the same generator. A model: {name, batches: [{inputs, target}]}; a run: {model, optimizer, options, autocast, losses, final?}.
"""

import json

import torch
from torch import nn, optim

from .encode import encode_input, encode_output
from .recorder import FIXTURES, Family

STEPS = 30
BATCHES = 5


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 6, 3, padding=1, bias=False), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
        self.out = nn.Linear(8, 4)

    def forward(self, x):
        return self.out(self.features(x).flatten(1))


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(12, 6)
        self.lstm = nn.LSTM(6, 8, num_layers=2, batch_first=True, bidirectional=True, dropout=0.1)
        self.out = nn.Linear(16, 3)

    def forward(self, ids):
        hidden, _ = self.lstm(self.embed(ids))
        return self.out(hidden[:, -1])


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = nn.TransformerEncoderLayer(12, 3, 24, dropout=0.1, batch_first=True)
        self.out = nn.Linear(12, 3)

    def forward(self, x):
        return self.out(self.block(x).mean(1))


class Dlrm(nn.Module):
    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList([nn.EmbeddingBag(n, 4, mode="sum") for n in (7, 11, 5)])
        self.bottom = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 4), nn.ReLU())
        self.top = nn.Sequential(nn.Linear(4 + 6, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, dense, *ids):
        x = self.bottom(dense)
        features = torch.stack([x] + [table(i) for table, i in zip(self.tables, ids, strict=True)], 1)
        products = torch.bmm(features, features.transpose(1, 2))
        row, column = torch.tril_indices(4, 4, -1)
        return self.top(torch.cat([x, products[:, row, column]], 1)).squeeze(1)


def models(f):
    labels = lambda key, i, n, size=16: torch.randint(0, n, [size], generator=f.gen(key, i))
    return {
        "cnn": (Cnn, nn.CrossEntropyLoss(), lambda i: ([f.make(f"cnn{i}", [16, 1, 8, 8])], labels("cnn", i, 4))),
        "lstm": (Lstm, nn.CrossEntropyLoss(), lambda i: ([torch.randint(0, 12, [16, 7], generator=f.gen("ids", i))], labels("lstm", i, 3))),
        "encoder": (Encoder, nn.CrossEntropyLoss(), lambda i: ([f.make(f"enc{i}", [16, 6, 12])], labels("enc", i, 3))),
        "dlrm": (Dlrm, nn.BCEWithLogitsLoss(), lambda i: ([f.make(f"dense{i}", [16, 5]), *[torch.randint(0, n, [16, 2], generator=f.gen("cat", n, i)) for n in (7, 11, 5)]], labels("dlrm", i, 2).float())),
    }


OPTIMIZERS = [("SGD", {"lr": 0.05, "momentum": 0.9}), ("Adam", {"lr": 0.01}), ("AdamW", {"lr": 0.01, "weight_decay": 0.1}), ("RMSprop", {"lr": 0.003})]


def train(make, criterion, batches, name, options, autocast):
    torch.manual_seed(1)
    model = make()
    optimizer = getattr(optim, name)(model.parameters(), **options)
    losses = []
    for i in range(STEPS):
        inputs, target = batches[i % BATCHES]
        optimizer.zero_grad()
        with torch.autocast("cpu", enabled=autocast):
            loss = criterion(model(*inputs), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    out = {"optimizer": name, "options": options, "autocast": autocast, "losses": losses}
    if not autocast:
        out["final"] = {k: encode_output(v) for k, v in model.state_dict().items()}
    return out


class Training(Family):
    def write(self):
        dump = lambda v: json.dumps(v, separators=(",", ":"))
        all_models, runs = [], []
        for name, (make, criterion, batch) in models(self).items():
            batches = [batch(i) for i in range(BATCHES)]
            all_models.append({"name": name, "batches": [{"inputs": [encode_input(x) for x in inputs], "target": encode_input(target)} for inputs, target in batches]})
            for autocast in (False, True):
                runs += [{"model": name, **train(make, criterion, batches, o, options, autocast)} for o, options in OPTIMIZERS]
        lines = lambda v: "[\n" + ",\n".join(dump(x) for x in v) + "\n]"
        text = f'{{"torch":"{torch.__version__.split("+")[0]}",\n"models":{lines(all_models)},\n"runs":{lines(runs)}}}\n'
        (FIXTURES / "training.json").write_text(text)
        return len(text), len(runs)


def record():
    return [Training("training")]
