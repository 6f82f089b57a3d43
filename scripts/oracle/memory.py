"""What PyTorch keeps in memory while an operation and its backward run.

One case is one call over tensors that are results themselves (clones of leaves), so that what the call saved for
backward shows once they are let go of:

  forward   [bytes held after `out = call(...)` when nothing but `out` is referred to, the most there were on the way]
  kept      bytes held after `out.backward(gradient)` when `out` is still referred to: the graph has let go of all it saved
  backward  [bytes held once `out` has gone, too: the gradients of the leaves; the most there were since forward]
  chained   bytes held after `end = out.sum()` instead of the backward, when nothing but `end` is referred to

Counted are the requests of the CPU build, each rounded up to 512 bytes as PyTorch's caching allocators do, in the order
in which they are made. Bytes are relative to the start of the call, before the clones are made.
"""

import gc
import json
import math

import torch
from torch.profiler import ProfilerActivity, profile

from . import memory_arrays
from .recorder import FIXTURES, resolve

MARK = 77_777


class Input:
    """One tensor argument: ones (zeros for integers) of this shape, or the given values. `leaf`: not cloned."""

    def __init__(self, shape=None, dtype="float32", grad=True, value=None, leaf=False):
        self.spec = {"shape": shape, "dtype": dtype, "grad": grad and dtype.startswith("float"), "value": value, "leaf": leaf}

    def make(self):
        s = self.spec
        dtype = getattr(torch, s["dtype"])
        if s["value"] is not None:
            x = torch.tensor(s["value"], dtype=dtype)
        else:
            x = torch.zeros(s["shape"], dtype=dtype) if s["dtype"].startswith("int") else torch.ones(s["shape"], dtype=dtype)
        return x.requires_grad_() if s["grad"] else x


def counted(body):
    """Runs body, which calls mark(), and gives [allocated, peak] at every mark; a peak is since the mark before."""
    body()
    gc.collect()
    gc.disable()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as run:
        body()
    gc.enable()
    out = []
    allocated = peak = 0
    for event in run.profiler.kineto_results.events():
        if event.name() != "[memory]":
            continue
        nbytes = event.nbytes()
        if abs(nbytes) == MARK:
            if nbytes > 0:
                out.append([allocated, peak])
                peak = allocated
            continue
        allocated += int(math.copysign(-(-abs(nbytes) // 512) * 512, nbytes))
        peak = max(peak, allocated)
    return out


def mark():
    torch.empty(MARK, dtype=torch.uint8)


def outputs_of(value):
    if isinstance(value, torch.Tensor):
        return [value] if value.requires_grad else []
    return [x for v in value for x in outputs_of(v)]


def inputs_in(value):
    if isinstance(value, Input):
        return [value]
    return [i for v in value for i in inputs_in(v)] if isinstance(value, (list, tuple)) else []


def filled(value, tensors):
    """Takes the tensors one by one. No closures: a cycle would keep them alive."""
    if isinstance(value, Input):
        return tensors.pop(0)
    return [filled(v, tensors) for v in value] if isinstance(value, list) else value


def of_call(call, args, kwargs):
    inputs = inputs_in(args)
    leaves = [i.make() for i in inputs]
    fn = resolve(call)

    def forward():
        tensors = [x if i.spec["leaf"] else x.clone() for i, x in zip(inputs, leaves)]
        return fn(*[filled(a, tensors) for a in args], **kwargs)

    grads = [torch.ones_like(x) for x in outputs_of(forward())]

    def body():
        for x in leaves:
            x.grad = None
        mark()
        out = forward()
        mark()
        if not grads:
            return
        outs = outputs_of(out)
        del out
        torch.autograd.backward(outs, grads)
        mark()
        del outs
        mark()
        for x in leaves:
            x.grad = None
        mark()
        end = [o.sum() for o in outputs_of(forward())]
        mark()
        del end

    found = counted(body)
    base = found[0][0]
    result = {"forward": [v - base for v in found[1]]}
    if grads:
        result["kept"] = found[2][0] - base
        result["backward"] = [found[3][0] - base, found[2][1] - base]
        result["chained"] = found[5][0] - found[4][0]
    return result


def describe(spec):
    shape = "values" if spec["shape"] is None else str(spec["shape"]).replace(" ", "")
    return shape if spec["grad"] else f"{spec['dtype']}{shape}" if spec["dtype"] != "float32" else f"frozen{shape}"


class Memory:
    name = "memory"

    def __init__(self):
        self.cases = []

    def case(self, call, *args, **kwargs):
        inputs = []

        def encoded(value):
            if isinstance(value, Input):
                inputs.append(value)
                return {"input": len(inputs) - 1}
            return [encoded(v) for v in value] if isinstance(value, list) else value

        shown = [encoded(a) for a in args]
        dims = ", ".join(describe(i.spec) for i in inputs)
        extra = "".join(f" {k}={v}" for k, v in kwargs.items())
        rest = "".join(f" {a}" for a in args if not isinstance(a, (Input, list)))
        case = {"name": f"{call} {dims}{rest}{extra}", "call": call, "inputs": [i.spec for i in inputs], "args": shown}
        if kwargs:
            case["kwargs"] = kwargs
        self.cases.append({**case, **of_call(call, args, kwargs)})

    def write(self):
        from . import memory_programs  # which needs this file

        programs = memory_programs.record()
        lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in self.cases)
        runs = ",\n".join(f"{json.dumps(name)}:{json.dumps(r, separators=(',', ':'))}" for name, r in programs.items())
        head = f'"torch":"{torch.__version__.split("+")[0]}"'
        text = f'{{{head},"cases":[\n{lines}\n],"programs":{{\n{runs}\n}}}}\n'
        (FIXTURES / "memory.json").write_text(text)
        return len(text), len(self.cases) + len(programs)


def record():
    m = Memory()
    x = lambda *shape, **kw: Input(list(shape) or [48, 64], **kw)
    for name in ("abs neg exp log sqrt rsqrt sin cos tanh sigmoid erf relu").split():
        m.case(f"torch.{name}", x())
    for name in "silu gelu".split():
        m.case(f"nn.functional.{name}", x())
    m.case("nn.functional.gelu", x(), approximate="tanh")
    for name in "add sub mul div maximum minimum".split():
        m.case(f"torch.{name}", x(), x())
        m.case(f"torch.{name}", x(), x(64))
        m.case(f"torch.{name}", x(48, 1), x(64))
        m.case(f"torch.{name}", x(), x(grad=False))
    for name in "add sub mul div".split():
        m.case(f"torch.{name}", x(), 3.0)
    m.case("torch.pow", x(), 2)
    m.case("torch.pow", x(), 3.5)
    m.case("torch.pow", x(), x())
    m.case("torch.clamp", x(), 0.0, 1.0)
    m.case("torch.where", x(dtype="bool"), x(), x())
    m.case("Tensor.masked_fill", x(), x(dtype="bool"), 0.0)
    for name in "eq lt".split():
        m.case(f"torch.{name}", x(), x())
    m.case("torch.logical_not", x())
    m.case("torch.isnan", x())
    for name in "add_ sub_ mul_ div_".split():
        m.case(f"Tensor.{name}", x(), x())
        m.case(f"Tensor.{name}", x(), 2.0)
    for name in "exp_ relu_ sigmoid_ tanh_ neg_ sqrt_".split():
        m.case(f"Tensor.{name}", x())
    m.case("Tensor.zero_", x())
    m.case("Tensor.fill_", x(), 2.0)
    m.case("Tensor.copy_", x(), x())
    m.case("Tensor.masked_fill_", x(), x(dtype="bool"), 0.0)
    for name in "sum mean".split():
        m.case(f"torch.{name}", x())
        m.case(f"torch.{name}", x(), 1)
        m.case(f"torch.{name}", x(), 0, True)
    m.case("torch.max", x(), 1)
    m.case("torch.max", x())
    m.case("torch.amax", x(), 1)
    m.case("torch.argmax", x(), 1)
    m.case("torch.var", x(), 1)
    m.case("torch.var", x())
    m.case("torch.std", x(), 1)
    m.case("torch.all", x(dtype="bool"))
    m.case("torch.logsumexp", x(), 1)
    m.case("torch.cumsum", x(), 1)
    m.case("torch.prod", x(), 1)
    m.case("torch.softmax", x(), 1)
    m.case("torch.softmax", x(), 0)
    m.case("torch.log_softmax", x(), 1)
    m.case("Tensor.reshape", x(), 64, 48)
    m.case("Tensor.view", x(), 3072)
    m.case("torch.transpose", x(), 0, 1)
    m.case("torch.unsqueeze", x(), 0)
    m.case("torch.flatten", x(4, 12, 64))
    m.case("Tensor.expand", x(1, 64), 48, 64)
    m.case("torch.select", x(), 0, 3)
    m.case("torch.narrow", x(), 0, 3, 20)
    m.case("torch.cat", [x(), x(16, 64)])
    m.case("torch.stack", [x(), x()])
    m.case("torch.split", x(), 16)
    m.case("Tensor.contiguous", x())
    m.case("Tensor.clone", x())
    m.case("Tensor.double", x())
    m.case("Tensor.detach", x())
    m.case("torch.gather", x(), 1, x(48, 16, dtype="int64"))
    m.case("torch.scatter_add", x(), 1, x(48, 16, dtype="int64"), x(48, 16))
    m.case("torch.index_select", x(), 0, x(20, dtype="int64"))
    m.case("torch.index_add", x(), 0, x(20, dtype="int64"), x(20, 64))
    m.case("torch.matmul", x(), x(64, 80))
    m.case("torch.matmul", x(64), x(64))
    m.case("torch.matmul", x(), x(64))
    m.case("torch.matmul", x(64), x(64, 80))
    m.case("torch.matmul", x(4, 12, 64), x(64, 80))
    m.case("torch.matmul", x(4, 12, 64), x(4, 64, 80))
    m.case("torch.matmul", x(4, 12, 64), x(64))
    m.case("torch.mm", x(), x(64, 80))
    m.case("torch.bmm", x(4, 12, 64), x(4, 64, 80))
    m.case("torch.addmm", x(80), x(), x(64, 80))
    m.case("torch.addmm", x(48, 80), x(), x(64, 80), beta=0.5, alpha=2)
    frozen = lambda *shape: Input(list(shape), grad=False)
    m.case("torch.mul", frozen(48, 64), x())
    m.case("torch.div", frozen(48, 64), x())
    m.case("torch.pow", frozen(48, 64), x())
    m.case("torch.maximum", frozen(48, 64), x())
    m.case("torch.where", x(dtype="bool"), x(), frozen(48, 64))
    m.case("torch.mm", x(), frozen(64, 80))
    m.case("torch.mm", frozen(48, 64), x(64, 80))
    m.case("torch.bmm", x(4, 12, 64), frozen(4, 64, 80))
    m.case("torch.bmm", frozen(4, 12, 64), x(4, 64, 80))
    m.case("torch.matmul", x(), frozen(64))
    m.case("torch.matmul", frozen(48, 64), x(64))
    m.case("torch.matmul", frozen(64), x(64))
    m.case("torch.addmm", frozen(80), x(), frozen(64, 80))
    m.case("torch.addmm", x(80), frozen(48, 64), frozen(64, 80))
    m.case("nn.functional.linear", x(), frozen(80, 64), frozen(80))
    m.case("nn.functional.linear", frozen(48, 64), x(80, 64), x(80))
    m.case("nn.functional.layer_norm", frozen(48, 64), [64], x(64), x(64))
    m.case("nn.functional.layer_norm", x(), [64], frozen(64), frozen(64))
    m.case("torch.index_add", x(), 0, x(20, dtype="int64"), frozen(20, 64))
    m.case("torch.scatter_add", x(), 1, x(48, 16, dtype="int64"), frozen(48, 16))
    m.case("torch.cat", [x(), frozen(16, 64)])
    m.case("Tensor.mul_", x(), frozen(48, 64))
    m.case("Tensor.copy_", frozen(48, 64), x())
    w = lambda *shape: Input(list(shape), leaf=True)
    m.case("nn.functional.linear", x(), w(80, 64), w(80))
    m.case("nn.functional.linear", x(), w(80, 64))
    m.case("nn.functional.linear", x(4, 12, 64), w(80, 64), w(80))
    m.case("nn.functional.embedding", x(20, dtype="int64"), w(100, 64))
    ids = lambda: Input([20], dtype="int64")
    offsets = lambda: Input(value=[0, 5, 9], dtype="int64")
    for mode in ("sum", "mean", "max"):
        m.case("nn.functional.embedding_bag", ids(), w(100, 64), offsets(), mode=mode)
    m.case("nn.functional.layer_norm", x(), [64], w(64), w(64))
    m.case("nn.functional.layer_norm", x(), [64])
    m.case("nn.functional.dropout", x(), 0.5)
    m.case("nn.functional.mse_loss", x(), x(grad=False))
    m.case("nn.functional.mse_loss", x(), x(grad=False), reduction="none")
    for name in "l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits".split():
        m.case(f"nn.functional.{name}", x(), x(grad=False))
    classes = lambda: Input([48], dtype="int64")
    m.case("nn.functional.cross_entropy", x(), classes())
    m.case("nn.functional.cross_entropy", x(), classes(), reduction="none")
    m.case("nn.functional.cross_entropy", x(), classes(), label_smoothing=0.1)
    m.case("nn.functional.cross_entropy", x(), x(grad=False))
    m.case("nn.functional.nll_loss", x(), classes())
    image = lambda: x(2, 16, 12, 16)
    m.case("nn.functional.conv2d", image(), w(8, 16, 3, 3), w(8))
    m.case("nn.functional.conv2d", image(), w(8, 16, 3, 3), padding=1, stride=2)
    m.case("nn.functional.conv2d", Input([2, 16, 12, 16], grad=False), w(8, 16, 3, 3), w(8))
    m.case("nn.functional.conv1d", x(4, 16, 32), w(8, 16, 3), w(8))
    m.case("nn.functional.conv_transpose2d", image(), w(16, 8, 2, 2), w(8), stride=2)
    m.case("nn.functional.max_pool2d", image(), 2)
    m.case("nn.functional.avg_pool2d", image(), 2)
    m.case("nn.functional.adaptive_avg_pool2d", image(), [3, 4])
    m.case("nn.functional.adaptive_avg_pool2d", image(), 1)
    m.case("nn.functional.adaptive_max_pool2d", image(), 3)
    stats = lambda: Input([16], grad=False, leaf=True)
    m.case("nn.functional.batch_norm", image(), stats(), stats(), w(16), w(16), True)
    m.case("nn.functional.batch_norm", image(), stats(), stats(), w(16), w(16), False)
    m.case("nn.functional.group_norm", image(), 4, w(16), w(16))
    m.case("nn.functional.pad", image(), [1, 1, 1, 1])
    m.case("nn.functional.pad", image(), [1, 1, 1, 1], "reflect")
    m.case("nn.functional.pad", image(), [1, 1, 1, 1], "replicate")
    m.case("nn.functional.interpolate", image(), scale_factor=2)
    m.case("nn.functional.interpolate", image(), scale_factor=2, mode="bilinear")
    m.case("nn.functional.pixel_shuffle", image(), 2)
    memory_arrays.cases(m, Input)
    return [m]
