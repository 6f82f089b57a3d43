"""Thirty steps of every optimizer and of every learning rate scheduler, steps in half precision, state dicts, and what is refused.

tests/fixtures/optimizers.json is replayed by src/optim/oracle.test.ts.
"""

import json

import torch
from torch import optim

from .encode import encode_input, encode_output
from .modules import half
from .recorder import FIXTURES, Family, error_of
from .trajectories import STEPS, optimize

OPTIONS = [
    ("NAdam", {}), ("NAdam", {"lr": 0.05, "betas": [0.8, 0.95], "eps": 1e-4}), ("NAdam", {"lr": 0.05, "weight_decay": 0.1}), ("NAdam", {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("NAdam", {"lr": 0.02, "momentum_decay": 0.1, "maximize": True}),
    ("RAdam", {}), ("RAdam", {"lr": 0.05, "betas": [0.8, 0.95], "eps": 1e-4}), ("RAdam", {"lr": 0.05, "weight_decay": 0.1}), ("RAdam", {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("RAdam", {"lr": 0.02, "betas": [0.9, 0.6], "maximize": True}),
    ("Adamax", {}), ("Adamax", {"lr": 0.05, "betas": [0.8, 0.95], "eps": 1e-4}), ("Adamax", {"lr": 0.05, "weight_decay": 0.1, "maximize": True}),
    ("Adagrad", {}), ("Adagrad", {"lr": 0.1, "lr_decay": 0.1}), ("Adagrad", {"lr": 0.1, "initial_accumulator_value": 0.5, "eps": 1e-3}), ("Adagrad", {"lr": 0.05, "weight_decay": 0.1, "maximize": True}),
    ("Adadelta", {}), ("Adadelta", {"lr": 0.5, "rho": 0.8, "eps": 1e-4}), ("Adadelta", {"weight_decay": 0.1, "maximize": True}),
    ("RMSprop", {}), ("RMSprop", {"lr": 0.02, "alpha": 0.9, "eps": 1e-4}), ("RMSprop", {"lr": 0.02, "momentum": 0.9}), ("RMSprop", {"lr": 0.02, "centered": True}), ("RMSprop", {"lr": 0.02, "centered": True, "momentum": 0.5, "weight_decay": 0.1}),
    ("RMSprop", {"lr": 0.02, "maximize": True}),
    ("ASGD", {}), ("ASGD", {"lr": 0.05, "lambd": 0.01, "alpha": 0.5, "t0": 10}), ("ASGD", {"lr": 0.02, "weight_decay": 0.1, "t0": 1, "maximize": True}),
    ("Rprop", {}), ("Rprop", {"lr": 0.05, "etas": [0.4, 1.5], "step_sizes": [1e-3, 0.2]}), ("Rprop", {"maximize": True}),
    ("Adam", {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True}), ("Adam", {"lr": 0.05, "weight_decay": 0.1, "amsgrad": True, "maximize": True}), ("AdamW", {"lr": 0.05, "amsgrad": True, "maximize": True}),
    ("SGD", {"lr": 0.05, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}), ("SGD", {"lr": 0.02, "momentum": 0.5, "dampening": 0.3, "weight_decay": 0.1, "maximize": True}),
]  # fmt: skip

HALF = ["NAdam", "RAdam", "Adamax", "Adagrad", "Adadelta", "RMSprop", "ASGD", "Rprop"]

# A scheduler: [name, arguments after the optimizer, options]. Inner schedulers are written the same way, a function of the epoch as its JavaScript text.
ONE_OVER = "(epoch) => 1 / (epoch + 1)"
FALLING = "(epoch) => 0.9 ** epoch"
FUNCTIONS = {ONE_OVER: lambda epoch: 1 / (epoch + 1), FALLING: lambda epoch: 0.9**epoch, "(x) => 1 / x": lambda x: 1 / x if x else 1.0}
SCHEDULES = [
    ["LambdaLR", [ONE_OVER], {}], ["LambdaLR", [[ONE_OVER, FALLING]], {}], ["MultiplicativeLR", [FALLING], {}], ["StepLR", [3], {"gamma": 0.5}], ["StepLR", [], {"step_size": 4}],
    ["MultiStepLR", [[2, 5, 5, 20]], {}], ["MultiStepLR", [[3, 7], 0.5], {}], ["ConstantLR", [], {}], ["ConstantLR", [0.5], {"total_iters": 7}], ["LinearLR", [], {}],
    ["LinearLR", [0.1, 0.8], {"total_iters": 11}], ["ExponentialLR", [0.9], {}], ["PolynomialLR", [], {}], ["PolynomialLR", [12], {"power": 2.0}], ["CosineAnnealingLR", [5], {"eta_min": 0.01}],
    ["CosineAnnealingLR", [40], {}], ["CosineAnnealingWarmRestarts", [5], {}], ["CosineAnnealingWarmRestarts", [3, 2], {"eta_min": 0.01}], ["OneCycleLR", [0.3], {"total_steps": 31}],
    ["OneCycleLR", [[0.3, 0.2]], {"epochs": 4, "steps_per_epoch": 8, "anneal_strategy": "linear", "pct_start": 0.25}], ["OneCycleLR", [0.3, 31], {"three_phase": True, "div_factor": 10.0, "final_div_factor": 100.0}],
    ["OneCycleLR", [0.3, 31], {"cycle_momentum": False}], ["CyclicLR", [0.01, 0.1], {"step_size_up": 4}], ["CyclicLR", [[0.01, 0.02], 0.1], {"step_size_up": 3, "step_size_down": 5, "mode": "triangular2"}],
    ["CyclicLR", [0.01, 0.1, 4], {"mode": "exp_range", "gamma": 0.95, "base_momentum": 0.5, "max_momentum": 0.95}], ["CyclicLR", [0.01, 0.1, 4], {"scale_fn": "(x) => 1 / x", "cycle_momentum": False}],
    ["SequentialLR", [[["ConstantLR", [0.1, 4], {}], ["ExponentialLR", [0.9], {}]], [4]], {}],
    ["SequentialLR", [[["LinearLR", [0.1], {"total_iters": 5}], ["CosineAnnealingLR", [10], {}], ["StepLR", [3], {}]]], {"milestones": [5, 15]}],
    ["ChainedScheduler", [[["ConstantLR", [0.1, 3], {}], ["ExponentialLR", [0.9], {}]]], {}],
    ["ReduceLROnPlateau", [], {"patience": 2}], ["ReduceLROnPlateau", ["max"], {"factor": 0.5, "patience": 1, "cooldown": 2, "threshold": 0.1, "threshold_mode": "abs"}], ["ReduceLROnPlateau", [], {"patience": 0, "min_lr": [0.01, 0.1], "mode": "min", "threshold_mode": "abs"}],
]  # fmt: skip
METRICS = [3, 2, 2, 1.9999, 2.5, 2, 1.5, 1.5, 1.5, 1.5, 1.4, 1.5, 1.5, 1.2, 1.2, 1.2, 1.3, 1.3, 1.0, 1.1, 1.2, 1.3, 1.0, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9]


def value(v, optimizer):
    if isinstance(v, str) and v in FUNCTIONS:
        return FUNCTIONS[v]
    if isinstance(v, list) and v and isinstance(v[0], str) and hasattr(optim.lr_scheduler, v[0]):
        return scheduler_of(v, optimizer)
    if isinstance(v, list):
        return [value(x, optimizer) for x in v]
    return v


def scheduler_of(spec, optimizer):
    name, args, options = spec
    args = [value(a, optimizer) for a in args]
    options = {k: value(v, optimizer) for k, v in options.items()}
    kind = getattr(optim.lr_scheduler, name)
    return kind(*args, **options) if name == "ChainedScheduler" else kind(optimizer, *args, **options)


def plain(v):
    """JSON of what a state dict keeps."""
    if isinstance(v, dict):
        return {str(k): plain(x) for k, x in v.items()}
    if isinstance(v, (list, tuple)):
        return [plain(x) for x in v]
    if isinstance(v, float) and v in (float("inf"), float("-inf")):
        return str(v)
    return v


def schedule(f, spec, beta=False):
    """Thirty epochs of one step each; parameters of two groups, and the rates and momenta of both after every epoch."""
    x, y = f.make("x", [3, 2], grad=True), f.make("y", [4], grad=True)
    out = {"scheduler": spec, "beta": beta, "x": encode_input(x), "y": encode_input(y)}
    groups = [{"params": [x]}, {"params": [y], "lr": 0.5}]
    optimizer = optim.Adam(groups, lr=0.1) if beta else optim.SGD(groups, lr=0.1, momentum=0.9)
    scheduler = scheduler_of(spec, optimizer)
    momenta = lambda: [g["betas"][0] if beta else g["momentum"] for g in optimizer.param_groups]
    rates, momentum, losses = [scheduler.get_last_lr()[:]], [momenta()], []
    for i in range(STEPS):
        optimizer.zero_grad()
        loss = (x * x).sum() + (y * y).sum()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if spec[0] == "ReduceLROnPlateau":
            scheduler.step(METRICS[i])
        else:
            scheduler.step()
        rates.append(scheduler.get_last_lr()[:])
        momentum.append(momenta())
    out.update(rates=rates, losses=losses, x_final=encode_output(x), y_final=encode_output(y), state=plain(scheduler.state_dict()))
    if any(m != momentum[0] for m in momentum):
        out["momenta"] = momentum
    return out


def jumps(spec):
    """`step(epoch)`: the deprecated form, and fractions of epochs where they are allowed."""
    optimizer = optim.SGD([{"params": [torch.zeros(1, requires_grad=True)]}, {"params": [torch.zeros(1, requires_grad=True)], "lr": 0.5}], lr=0.1, momentum=0.9)
    scheduler = scheduler_of(spec, optimizer)
    optimizer.step()
    epochs = [0, 3, 7, 2, 20, 5] if spec[0] != "CosineAnnealingWarmRestarts" else [0, 0.5, 3, 7.25, 2, 20.75, 5]
    rates = []
    for epoch in epochs:
        scheduler.step(epoch)
        rates.append(scheduler.get_last_lr()[:])
    return {"scheduler": spec, "epochs": epochs, "rates": rates}


def state_layout(name):
    """The keys of an optimizer's state dict, with one parameter that has had a step and one that has not."""
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    optimizer = getattr(optim, name)([x, y])
    x.grad = torch.ones(2)
    optimizer.step()
    dict_ = optimizer.state_dict()
    state = {str(k): {n: str(t) for n, t in v.items()} for k, v in dict_["state"].items()}
    return {"name": name, "state": state, "groups": plain(dict_["param_groups"]), "repr": repr(optimizer)}


REFUSED = [
    *[[n, {"lr": -1}] for n in ["SGD", "Adam", "AdamW", *HALF]],
    *[[n, {"betas": [0.5, 1.5]}] for n in ["Adam", "AdamW", "NAdam", "RAdam", "Adamax"]], *[[n, {"eps": -0.5}] for n in ["Adam", "NAdam", "RAdam", "Adamax", "Adagrad", "Adadelta", "RMSprop"]],
    *[[n, {"weight_decay": -0.5}] for n in ["SGD", "Adam", "NAdam", "RAdam", "Adamax", "Adagrad", "Adadelta", "RMSprop", "ASGD"]], *[[n, {"momentum_decay": -0.5}] for n in ["NAdam", "SGD"]],
    ["SGD", {"momentum": -0.5}], ["SGD", {"nesterov": True}], ["RMSprop", {"momentum": -0.5}], ["RMSprop", {"alpha": -0.5}], ["Adagrad", {"lr_decay": -0.5}], ["Adagrad", {"initial_accumulator_value": -0.5}], ["Adadelta", {"rho": 1.5}],
    ["Rprop", {"etas": [0.5, 0.75]}], ["Adam", {"fused": True, "foreach": True}], ["Adam", {"fused": True, "differentiable": True}], ["SGD", {"fused": True, "foreach": True}], ["Adagrad", {"fused": True, "foreach": True}],
]  # fmt: skip

REFUSED_SCHEDULES = [
    ["ConstantLR", [1.5], {}], ["LinearLR", [0], {}], ["LinearLR", [0.5, 1.5], {}], ["LambdaLR", [[ONE_OVER]], {}], ["MultiplicativeLR", [3], {}], ["CosineAnnealingWarmRestarts", [0], {}], ["CosineAnnealingWarmRestarts", [3, 0.5], {}],
    ["CosineAnnealingWarmRestarts", [3], {"eta_min": "a"}], ["OneCycleLR", [0.1], {}], ["OneCycleLR", [0.1], {"total_steps": -3}], ["OneCycleLR", [0.1], {"epochs": 3}], ["OneCycleLR", [0.1], {"epochs": 0, "steps_per_epoch": 3}],
    ["OneCycleLR", [0.1, 10], {"pct_start": 1.5}], ["OneCycleLR", [0.1, 10], {"anneal_strategy": "exp"}], ["OneCycleLR", [[0.1], 10], {}], ["CyclicLR", [0.1, 0.2], {"mode": "square"}], ["CyclicLR", [[0.1, 0.1, 0.1], 0.2], {}],
    ["SequentialLR", [[], []], {}], ["SequentialLR", [[["ConstantLR", [], {}]], [3]], {}], ["SequentialLR", [[["ReduceLROnPlateau", [], {}]], []], {}], ["ChainedScheduler", [[]], {}], ["ReduceLROnPlateau", ["best"], {}],
    ["ReduceLROnPlateau", [], {"factor": 1.0}], ["ReduceLROnPlateau", [], {"threshold_mode": "none"}], ["ReduceLROnPlateau", [], {"min_lr": [0.1]}], ["StepLR", [], {}], ["StepLR", [3], {"last_epoch": 2}],
    ["ExponentialLR", [0.5], {"decay": 3}],
]  # fmt: skip


def refusal(make):
    try:
        make()
    except KeyError as error:  # its text is the repr of what was said
        return {"type": "KeyError", "text": error.args[0]}
    except Exception as error:  # noqa: BLE001
        return error_of(error)
    return None


def refused(name, options):
    params = {k: tuple(v) if isinstance(v, list) else v for k, v in options.items()}
    return {"name": name, "options": options, "error": refusal(lambda: getattr(optim, name)([torch.ones(1, requires_grad=True)], **params))}


def refused_schedule(spec):
    sgd = lambda: optim.SGD([{"params": [torch.zeros(1, requires_grad=True)]}, {"params": [torch.zeros(1, requires_grad=True)]}], lr=0.1)
    return {"scheduler": spec, "error": refusal(lambda: scheduler_of(spec, sgd()))}


class Optimizers(Family):
    def write(self):
        closed = [s for s in SCHEDULES if s[0] in ("StepLR", "MultiStepLR", "ConstantLR", "LinearLR", "ExponentialLR", "PolynomialLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "LambdaLR")]
        out = {
            "optimizers": [optimize(self, name, o, d) for d in (torch.float32, torch.float64) for name, o in OPTIONS],
            "half": [half(n, {}, d) for n in HALF for d in (torch.float16, torch.bfloat16)],
            "schedules": [schedule(self, s) for s in SCHEDULES] + [schedule(self, s, True) for s in SCHEDULES if s[0] in ("OneCycleLR", "CyclicLR")],
            "jumps": [jumps(s) for s in closed],
            "layouts": [state_layout(n) for n in ["SGD", "Adam", "AdamW", *HALF]],
            "refused": [refused(*r) for r in REFUSED],
            "refusedSchedules": [refused_schedule(s) for s in REFUSED_SCHEDULES],
        }
        lines = lambda v: "[\n" + ",\n".join(json.dumps(x, separators=(",", ":"), allow_nan=False) for x in v) + "\n]"
        text = f'{{"torch":"{torch.__version__.split("+")[0]}",\n' + ",\n".join(f"{json.dumps(k)}:{lines(v)}" for k, v in out.items()) + "}\n"
        (FIXTURES / "optimizers.json").write_text(text)
        return len(text), sum(len(v) for v in out.values())


def record():
    return [Optimizers("optimizers")]
