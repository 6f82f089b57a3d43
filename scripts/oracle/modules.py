"""Losses over pairs of elements, default weights of layers and nn.init, texts of modules, optimizers in half precision, learning rates.

losses.json is replayed by src/ops/losses.test.ts; modules.json is read by the tests in src/nn and src/optim.
"""

import json
from collections import OrderedDict

import torch
from torch import nn, optim

from .encode import encode_input, encode_output
from .recorder import FIXTURES, Family

F32, F64 = torch.float32, torch.float64


def entropy(x, target, reduction):
    """PyTorch's second derivatives of binary_cross_entropy are off by a small constant in the denominator."""
    each = -(target * x.log() + (1 - target) * (1 - x).log())
    return {"mean": each.mean(), "sum": each.sum(), "none": each}[reduction]


def losses():
    f = Family("losses")
    m = lambda key, shape, dtype=F32, layout="c", kind="any", grad=True: f.make(key, shape, dtype, layout, kind, grad)
    unit = lambda key, shape, dtype=F32, grad=True: f.make(key, shape, dtype).sigmoid().detach().requires_grad_(grad)
    for op, options in [("l1_loss", [{}]), ("smooth_l1_loss", [{}, {"beta": 0.5}, {"beta": 0.0}]), ("huber_loss", [{}, {"delta": 0.3}])]:
        call = f"nn.functional.{op}"
        for reduction in ("mean", "sum", "none"):
            for extra in options:
                kw = {"reduction": reduction, **extra}
                for shape, layout in [([], "c"), ([19], "c"), ([3, 4], "t"), ([0], "c")]:
                    f.case(op, call, [m(op, shape, F32, layout), m("target", shape)], kw)
                f.case(op, call, [m(op, [3, 4]), m("target", [4], grad=False)], kw)
                f.case(op, call, [m(op, [3, 4], F64), m("target", [3, 4], F64)], kw, double=True)
        for dtype in (torch.float16, torch.bfloat16):
            f.case(op, call, [m(op, [3, 4], dtype), m("target", [3, 4], dtype)])
        f.case(op, call, [m(op, [3]), m("target", [3])], {"reduction": "max"})
    f.case("mse_loss", "nn.functional.mse_loss", [m("mse", [3, 4]), m("target", [3, 4])], {"weight": m("weight", [3, 4], kind="pos", grad=False)})
    f.case("mse_loss", "nn.functional.mse_loss", [m("mse", [3, 4]), m("target", [3, 4])], {"weight": m("weight", [4], kind="pos", grad=False)})

    op, call = "binary_cross_entropy", "nn.functional.binary_cross_entropy"
    for reduction in ("mean", "sum", "none"):
        for weight in (None, m("weight", [3, 4], kind="pos", grad=False)):
            kw = {"reduction": reduction, **({} if weight is None else {"weight": weight})}
            f.case(op, call, [unit(op, [3, 4]), unit("target", [3, 4], grad=False)], kw)
        f.case(op, call, [unit(op, [3, 4], F64), unit("target", [3, 4], F64, False)], {"reduction": reduction}, double=True, via=entropy)
    f.case(op, call, [torch.tensor([0.5, 1.5]), torch.tensor([0.0, 1.0])])
    f.case(op, call, [torch.tensor([[0.5, -0.5], [0.1, float("nan")]]).t(), torch.ones(2, 2)])
    f.case(op, call, [torch.tensor([0.0, 1.0, 0.0, 1.0], requires_grad=True), torch.tensor([0.0, 1.0, 1.0, 0.0])], tag="certain")
    f.case(op, call, [unit(op, [3]), unit("target", [4], grad=False)])

    op, call = "binary_cross_entropy_with_logits", "nn.functional.binary_cross_entropy_with_logits"
    for reduction in ("mean", "sum", "none"):
        for weight in (None, m("weight", [3, 4], kind="pos", grad=False)):
            for pos in (None, m("pos", [4], kind="pos", grad=False)):
                kw = {"reduction": reduction, **({} if weight is None else {"weight": weight}), **({} if pos is None else {"pos_weight": pos})}
                f.case(op, call, [m(op, [3, 4]), unit("target", [3, 4], grad=False)], kw)
        f.case(op, call, [m(op, [3, 4], F64), unit("target", [3, 4], F64, False)], {"reduction": reduction}, double=True)
        f.case(op, call, [m(op, [3, 4], F64), unit("target", [3, 4], F64, False)], {"reduction": reduction, "pos_weight": m("pos", [4], F64, kind="pos", grad=False)}, double=True)
    f.case(op, call, [torch.tensor([500.0, -500.0, 500.0], requires_grad=True), torch.tensor([1.0, 0.0, 0.0])], tag="far out")
    f.case(op, call, [m(op, [3]), unit("target", [4], grad=False)])
    return f


INIT = [
    ("uniform_", [], {}), ("uniform_", [-1.0, 2.0], {}), ("normal_", [], {}), ("normal_", [1.0, 0.5], {}), ("constant_", [0.3], {}), ("ones_", [], {}), ("zeros_", [], {}), ("xavier_uniform_", [], {}),
    ("xavier_uniform_", [], {"gain": 2.0}), ("xavier_normal_", [], {}), ("kaiming_uniform_", [], {}), ("kaiming_uniform_", [], {"a": 0.5}), ("kaiming_uniform_", [], {"mode": "fan_out", "nonlinearity": "relu"}),
    ("trunc_normal_", [], {}), ("trunc_normal_", [], {"std": 0.02}), ("trunc_normal_", [0.5, 1.0, 1.0, 1.5], {}), ("trunc_normal_", [], {"a": -0.5, "b": 0.1}), ("kaiming_normal_", [], {}), ("kaiming_normal_", [], {"mode": "fan_out", "nonlinearity": "tanh"}),
]  # fmt: skip
LAYERS = [
    ("Linear", [7, 5], {}), ("Linear", [7, 5], {"bias": False}), ("Linear", [1, 1], {}), ("Embedding", [6, 3], {}), ("Embedding", [6, 3], {"padding_idx": 2}), ("Embedding", [40, 8], {}), ("EmbeddingBag", [6, 3], {"mode": "sum"}),
    ("EmbeddingBag", [6, 3], {"padding_idx": -1}), ("LayerNorm", [[3, 4]], {}), ("LayerNorm", [4], {"bias": False}),
]  # fmt: skip


def seeded(make):
    torch.manual_seed(0)
    return make()


def texts():
    lin = nn.Linear(2, 3)
    block = lambda: nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    return {
        "Embedding(5, 2, { padding_idx: -1 })": repr(nn.Embedding(5, 2, padding_idx=-1)),
        "Embedding with all": repr(nn.Embedding(5, 2, max_norm=1, norm_type=3, scale_grad_by_freq=True, sparse=True)),
        "EmbeddingBag with all": repr(nn.EmbeddingBag(5, 2, mode="max", include_last_offset=True, padding_idx=1, scale_grad_by_freq=True)),
        "LayerNorm without bias": repr(nn.LayerNorm([3, 4], bias=False)),
        "Softmax": repr(nn.Softmax(dim=1)),
        "LogSoftmax": repr(nn.LogSoftmax(1)),
        "SiLU": repr(nn.SiLU(inplace=True)),
        "activations": repr(nn.Sequential(nn.Sigmoid(), nn.Tanh(), nn.Identity(), nn.GELU("tanh"))),
        "losses": repr(nn.ModuleList([nn.L1Loss(), nn.NLLLoss(), nn.BCELoss(), nn.BCEWithLogitsLoss(), nn.SmoothL1Loss(), nn.HuberLoss()])),
        "named": repr(nn.Sequential(OrderedDict(first=lin, second=nn.ReLU()))),
        "blocks": repr(nn.ModuleList([block(), block(), nn.ReLU(), block()])),
        "dict": repr(nn.ModuleDict({"a": lin, "b": nn.ModuleDict()})),
    }


def half(name, options, dtype):
    """Six steps of one parameter."""
    f = Family("half")
    x = f.make("half", [5], dtype, grad=True)
    out = {"optimizer": name, "options": options, "x": encode_input(x), "grads": []}
    params = {k: tuple(v) if isinstance(v, list) else v for k, v in options.items()}
    optimizer = getattr(optim, name)([x], **params)
    for i in range(6):
        x.grad = f.make(f"half{i}", [5], dtype)
        out["grads"].append(encode_input(x.grad))
        optimizer.step()
    out["final"] = encode_output(x)
    return out


def schedule(make):
    optimizer = optim.SGD([{"params": [torch.zeros(1, requires_grad=True)]}, {"params": [torch.zeros(1, requires_grad=True)], "lr": 0.5}], lr=0.1)
    scheduler = make(optimizer)
    rates = [scheduler.get_last_lr()]
    for _ in range(12):
        optimizer.step()
        scheduler.step()
        rates.append(scheduler.get_last_lr())
    return rates


class Modules(Family):
    def write(self):
        out = {
            "torch": torch.__version__.split("+")[0],
            "init": [{"name": n, "args": a, "kwargs": k, "shape": s, "result": encode_output(seeded(lambda: getattr(nn.init, n)(torch.empty(s), *a, **k)))} for n, a, k in INIT for s in ([4, 6], [2, 3, 5])],
            "layers": [{"name": n, "args": a, "kwargs": k, "state": {key: encode_output(v) for key, v in seeded(lambda: getattr(nn, n)(*a, **k)).state_dict().items()}} for n, a, k in LAYERS],
            "texts": texts(),
            "half": [half(n, o, d) for n, o in [("SGD", {"lr": 0.1, "momentum": 0.9}), ("Adam", {"lr": 0.01}), ("AdamW", {"lr": 0.01})] for d in (torch.float16, torch.bfloat16)],
            "schedules": {
                "StepLR": schedule(lambda o: optim.lr_scheduler.StepLR(o, step_size=3, gamma=0.5)),
                "MultiStepLR": schedule(lambda o: optim.lr_scheduler.MultiStepLR(o, milestones=[2, 5, 5], gamma=0.1)),
                "ExponentialLR": schedule(lambda o: optim.lr_scheduler.ExponentialLR(o, gamma=0.9)),
                "LambdaLR": schedule(lambda o: optim.lr_scheduler.LambdaLR(o, lr_lambda=lambda epoch: 1 / (epoch + 1))),
                "CosineAnnealingLR": schedule(lambda o: optim.lr_scheduler.CosineAnnealingLR(o, T_max=5, eta_min=0.01)),
            },
        }
        text = "{" + ",\n".join(f"{json.dumps(k)}:{json.dumps(v, separators=(',', ':'))}" for k, v in out.items()) + "}\n"
        (FIXTURES / "modules.json").write_text(text)
        return len(text), sum(len(v) for v in out.values())


def record():
    return [losses(), Modules("modules")]
