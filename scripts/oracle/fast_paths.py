"""Thirty training steps of a model large enough for every fast path: Winograd, packed products, attention in tiles, split reductions, threads, optimizers' shared launches.

Weights and data follow from seeds, so the fixture holds losses and sums only. The test builds the same (tests/fast-paths.test.ts).
"""

import json

import torch
from torch import nn, optim
from torch.nn import functional as F

from .recorder import FIXTURES, Family

STEPS = 30


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3, padding=1)
        self.down = nn.Conv2d(16, 32, 3, stride=2, padding=1)
        self.norm = nn.LayerNorm(32)
        self.qkv = nn.Linear(32, 96)
        self.up = nn.Linear(32, 128)
        self.back = nn.Linear(128, 32)
        self.bag = nn.EmbeddingBag(1000, 32, mode="mean")
        self.out = nn.Linear(64, 10)

    def forward(self, images, ids):
        x = F.gelu(self.down(F.relu(self.conv(images))))
        x = x.flatten(2).transpose(1, 2)
        q, k, v = self.qkv(self.norm(x)).view(x.size(0), x.size(1), 3, 4, 8).permute(2, 0, 3, 1, 4).unbind(0)
        x = x + F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
        x = x + self.back(F.silu(self.up(self.norm(x))))
        return self.out(torch.cat([x.mean(1), self.bag(ids)], 1))


class FastPaths(Family):
    def write(self):
        torch.manual_seed(7)
        model = Model()
        optimizer = optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-3)
        losses = []
        for _ in range(STEPS):
            images, ids = torch.randn(4, 3, 32, 32), torch.randint(0, 1000, (4, 20))
            target = ids.sum(1) % 10
            optimizer.zero_grad()
            loss = F.cross_entropy(model(images, ids), target)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        final = {k: [v.sum().item(), v.abs().sum().item(), v.square().sum().item()] for k, v in model.state_dict().items()}
        text = json.dumps({"torch": torch.__version__.split("+")[0], "losses": losses, "final": final}, indent=1) + "\n"
        (FIXTURES / "fast-paths.json").write_text(text)
        return len(text), 1


def record():
    return [FastPaths("fast-paths")]
