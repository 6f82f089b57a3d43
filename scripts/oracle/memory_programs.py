"""Small programs, stage by stage: what PyTorch has allocated after each, and the most since the stage before.

The same programs are in tests/lifetimes/programs.ts, with the same names and stages. What a program keeps is in `v`;
between stages nothing else is referred to. Numbers that a device keeps in the host's memory (a Python scalar as an
operand, the count of steps of an optimizer) are left out: the CPU build counts them, a device does not.
"""

from types import SimpleNamespace

import torch
from torch import nn

from .memory import counted, mark

F = nn.functional


def mlp(*middle):
    return nn.Sequential(nn.Linear(20, 64), *middle, nn.Linear(64, 10))


def article_forward():
    def before(v):
        v.model = nn.Linear(512, 256)
        v.input = torch.randn(32, 512)

    def forward(v):
        v.output = v.model(v.input)

    return [before, forward]


def training(model, loss, optimizer=None):
    """make, forward, backward, drop, step, next: a step and the next forward, as a training loop has them."""

    def make(v):
        v.model = model()
        v.x = torch.randn(48, 20)
        v.y, v.criterion = loss()
        v.optimizer = optimizer(v.model.parameters()) if optimizer else None

    def forward(v):
        v.loss = v.criterion(v.model(v.x), v.y)

    def backward(v):
        v.loss.backward()

    def drop(v):
        del v.loss

    def step(v):
        if v.optimizer:
            v.optimizer.step()

    def zero_grad(v):
        v.model.zero_grad()

    return [make, forward, backward, drop, step, zero_grad, forward, backward, step]


def mse():
    return torch.randn(48, 10), nn.MSELoss()


def classes():
    return torch.randint(0, 10, (48,)), nn.CrossEntropyLoss()


def embedding_bag():
    def make(v):
        v.bag = nn.EmbeddingBag(100, 16, mode="sum")
        v.head = nn.Linear(16, 1)
        v.ids = torch.randint(0, 100, (200,))
        v.offsets = torch.arange(0, 200, 5)
        v.wanted = torch.randn(40, 1)

    def forward(v):
        v.loss = (v.head(v.bag(v.ids, v.offsets)) - v.wanted).pow(2).sum()

    def backward(v):
        v.loss.backward()

    def drop(v):
        del v.loss

    return [make, forward, backward, drop]


def inplace_chain():
    def make(v):
        v.x = torch.randn(48, 64, requires_grad=True)
        v.w = torch.randn(48, 64)

    def forward(v):
        v.y = v.x.neg().mul_(v.w).add_(v.w).sigmoid_()

    def end(v):
        v.y = v.y.sum()

    def backward(v):
        v.y.backward()

    return [make, forward, end, backward]


def views():
    def make(v):
        v.base = torch.randn(48, 64)

    def view(v):
        v.row = v.base[3]
        v.turned = v.base.t()

    def base(v):
        del v.base

    def one(v):
        del v.turned

    def other(v):
        del v.row

    return [make, view, base, one, other]


def detached():
    def make(v):
        v.x = torch.randn(48, 64, requires_grad=True)

    def forward(v):
        v.y = v.x.exp().log()
        v.detached = v.y.detach()
        v.data = v.y.data

    def graph(v):
        del v.y

    def handle(v):
        del v.detached

    def last(v):
        del v.data

    return [make, forward, graph, handle, last]


def retained_graph():
    def make(v):
        v.x = torch.randn(48, 64, requires_grad=True)
        v.w = torch.randn(64, 80, requires_grad=True)

    def forward(v):
        v.loss = (v.x.exp() @ v.w).tanh().sum()

    def first(v):
        v.loss.backward(retain_graph=True)

    def second(v):
        v.loss.backward(retain_graph=True)

    def last(v):
        v.loss.backward()

    def drop(v):
        del v.loss

    return [make, forward, first, second, last, drop]


def double_backward():
    def make(v):
        v.x = torch.randn(48, 64, requires_grad=True)

    def forward(v):
        v.loss = v.x.sigmoid().sum()

    def first(v):
        (v.grad,) = torch.autograd.grad(v.loss, v.x, create_graph=True)

    def penalty(v):
        v.penalty = v.grad.exp().sum()

    def second(v):
        v.penalty.backward()

    def drop(v):
        del v.loss, v.penalty, v.grad

    return [make, forward, first, penalty, second, drop]


def accumulation():
    def make(v):
        v.x = torch.randn(48, 64)
        v.w = torch.randn(64, 80, requires_grad=True)

    def once(v):
        (v.x @ v.w).sum().backward()

    def none(v):
        v.w.grad = None

    return [make, once, once, none, once]


def chain(v, x):
    for w in v.ws:
        x = (x @ w).tanh()
    return x


def recorded():
    def make(v):
        v.x = torch.randn(48, 64)
        v.ws = [torch.randn(64, 64, requires_grad=True) for _ in range(4)]

    def forward(v):
        v.y = chain(v, v.x)

    def drop(v):
        del v.y

    def forgotten(v):
        for _ in range(3):
            chain(v, v.x).sum()

    def no_grad(v):
        with torch.no_grad():
            for _ in range(3):
                chain(v, v.x).sum()

    return [make, forward, drop, forgotten, no_grad]


def fan_out():
    """A tensor that several operations use: its gradient is added up."""

    def make(v):
        v.x = torch.randn(48, 64, requires_grad=True)

    def forward(v):
        h = v.x.exp()
        v.loss = (h.sin() + h.cos() + h.tanh()).sum()

    def backward(v):
        v.loss.backward()

    return [make, forward, backward]


PROGRAMS = {
    "article_forward": article_forward(),
    "mse": training(lambda: mlp(nn.ReLU()), mse),
    "cross_entropy": training(lambda: mlp(nn.ReLU()), classes),
    "layer_norm": training(lambda: mlp(nn.LayerNorm(64), nn.GELU()), classes),
    "dropout": training(lambda: mlp(nn.Dropout(0.5), nn.Tanh()), classes),
    "sgd": training(lambda: mlp(nn.ReLU()), classes, lambda p: torch.optim.SGD(p, lr=0.1)),
    "momentum": training(lambda: mlp(nn.ReLU()), classes, lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9)),
    "adam": training(lambda: mlp(nn.ReLU()), classes, lambda p: torch.optim.Adam(p, lr=0.1)),
    "adamw": training(lambda: mlp(nn.ReLU()), classes, lambda p: torch.optim.AdamW(p, lr=0.1)),
    "embedding_bag": embedding_bag(),
    "inplace_chain": inplace_chain(),
    "views": views(),
    "detached": detached(),
    "retained_graph": retained_graph(),
    "double_backward": double_backward(),
    "accumulation": accumulation(),
    "recorded": recorded(),
    "fan_out": fan_out(),
}


def figures(stages):
    """[stage, allocated, peak] of a program."""

    host = []

    def body():
        host.clear()
        v = SimpleNamespace()
        mark()
        for stage in stages:
            stage(v)
            host.append(512 * counts_of_steps(v))
            mark()
        # The next run starts from nothing.
        v.__dict__.clear()

    found = counted(body)
    base = found[0][0]
    return [[stage.__name__, a - base - h, p - base - h] for stage, (a, p), h in zip(stages, found[1:], host)]


def counts_of_steps(v):
    optimizer = getattr(v, "optimizer", None)
    return sum("step" in state for state in optimizer.state.values()) if optimizer else 0


def record():
    return {name: figures(stages) for name, stages in PROGRAMS.items()}
