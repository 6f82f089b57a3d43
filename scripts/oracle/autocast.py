"""Calls under torch.autocast: on cpu results and gradients; on mtia, which this build has not, the dtypes that PyTorch's own dispatch gives for tensors
without data.

A case is one of recorder.py with `autocast` (the dtype of the region) and `mtia` (dtypes of the results there, or its error).
"""

import torch
from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensorMode

from .encode import NAMES
from .recorder import Family, error_of, resolve, tensors_in, unwrap, unwrap_kwargs

F32, F64, F16, BF16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
L = torch.tensor


def mapped(value, fn):
    if isinstance(value, torch.Tensor):
        return fn(value)
    if isinstance(value, (list, tuple)):
        return type(value)(mapped(v, fn) for v in value)
    if isinstance(value, dict):
        return {k: mapped(v, fn) for k, v in value.items()}
    return value


class Autocast(Family):
    lower = BF16

    def on_mtia(self, call, args, kwargs):
        with FakeTensorMode():
            fake = lambda t: torch.empty(tuple(t.shape), dtype=t.dtype, device="mtia")
            args, kwargs = mapped(unwrap(args), fake), mapped(unwrap_kwargs(kwargs), fake)
            try:
                with torch.autocast("mtia", dtype=self.lower):
                    return [NAMES[t.dtype] for t in tensors_in(resolve(call)(*args, **kwargs))]
            except DataDependentOutputException:
                # Looks at values, which these tensors have not.
                return None
            except Exception as error:  # noqa: BLE001
                return {"error": error_of(error)}

    def both(self, group, call, args, kwargs=None, mtia=True, **more):
        kwargs = kwargs or {}
        # Without data, mixes with float64 that every kernel refuses are let through.
        dtypes = {t.dtype for t in tensors_in(args) if t.is_floating_point()}
        mixed = F64 in dtypes and len(dtypes) > 1
        there = self.on_mtia(call, args, kwargs) if mtia and not mixed else None
        with torch.autocast("cpu", dtype=self.lower):
            self.case(group, call, args, kwargs, tag=f"in {NAMES[self.lower]}", **more)
        case = self.groups[group][-1]
        case["autocast"] = NAMES[self.lower]
        if there is not None:
            case["mtia"] = there

    def gradients(self, out, *args):
        # Backward outside of the region, as it should be. Some ops take dtypes that their backward does not.
        with torch.autocast("cpu", enabled=False):
            try:
                super().gradients(out, *args)
            except RuntimeError:
                out.pop("grad_output", None)


def products(f):
    for lower in (BF16, F16):
        f.lower = lower
        for dtypes in ((F32, F32), (lower, F32), (lower, lower), (F64, F64), (F64, F32)):
            a, b = dtypes
            m = lambda key, shape, dtype: f.make(key, shape, dtype, "c", "any", True)
            x, w = m("x", [3, 4], a), m("w", [4, 5], b)
            for call, args in [
                ("torch.mm", [x, w]), ("torch.matmul", [x, w]), ("Tensor.matmul", [x, m("v", [4], b)]), ("torch.mv", [x, m("v", [4], b)]), ("torch.dot", [m("u", [4], a), m("v", [4], b)]),
                ("torch.bmm", [m("bx", [2, 3, 4], a), m("bw", [2, 4, 5], b)]), ("nn.functional.linear", [x, m("lw", [5, 4], b), m("lb", [5], b)]),
                ("torch.addmm", [m("c", [3, 5], b), x, w]), ("torch.addmv", [m("c", [3], b), x, m("v", [4], b)]), ("torch.addr", [m("c", [4, 4], b), m("u", [4], a), m("v", [4], b)]),
                ("torch.baddbmm", [m("c", [2, 3, 5], b), m("bx", [2, 3, 4], a), m("bw", [2, 4, 5], b)]), ("torch.addbmm", [m("c", [3, 5], b), m("bx", [2, 3, 4], a), m("bw", [2, 4, 5], b)]),
                ("torch.einsum", ["ij,jk->ik", x, w]), ("torch.einsum", ["ij->i", x]), ("torch.einsum", ["i,j->ij", m("u", [4], a), m("v", [4], b)]), ("torch.einsum", ["i,i->", m("u", [4], a), m("v", [4], b)]),
                ("torch.tensordot", [x, w, 1]), ("torch.tensordot", [x, m("y", [3, 4], b), 2]), ("torch.inner", [x, m("y", [3, 4], b)]), ("torch.inner", [m("u", [4], a), m("v", [4], b)]),
                ("torch.outer", [m("u", [4], a), m("v", [4], b)]), ("torch.linalg.multi_dot", [[x, w, m("z", [5, 2], b)]]), ("torch.linalg.vecdot", [x, m("y", [3, 4], b)]), ("torch.linalg.matmul", [x, w]),
                ("torch.vdot", [m("u", [4], a), m("v", [4], b)]), ("torch.kron", [x, w]),
            ]:  # fmt: skip
                f.both(call.rpartition(".")[2], call, args)


def layers(f):
    for lower in (BF16, F16):
        f.lower = lower
        for d in (F32, lower):
            m = lambda key, shape: f.make(key, shape, d, "c", "any", True)
            F = "nn.functional."
            ids = torch.tensor([0, 2, 1])
            for call, args, kwargs in [
                ("conv1d", [m("x", [2, 3, 7]), m("w", [4, 3, 3]), m("b", [4])], {}), ("conv2d", [m("x", [1, 2, 5, 5]), m("w", [3, 2, 3, 3])], {"padding": 1}), ("conv2d", [m("x", [1, 2, 5, 5]), m("w", [3, 2, 3, 3])], {"padding": "same"}),
                ("conv3d", [m("x", [1, 1, 3, 4, 4]), m("w", [2, 1, 2, 2, 2])], {}), ("conv_transpose1d", [m("x", [1, 2, 5]), m("w", [2, 3, 3])], {}), ("conv_transpose2d", [m("x", [1, 2, 4, 4]), m("w", [2, 3, 2, 2])], {}),
                ("prelu", [m("x", [2, 3]), m("w", [3])], {}), ("layer_norm", [m("x", [3, 4]), [4], m("w", [4]), m("b", [4])], {}), ("group_norm", [m("x", [2, 4, 3]), 2], {}), ("rms_norm", [m("x", [3, 6]), [6]], {}),
                ("softmax", [m("x", [3, 4]), 1], {}), ("log_softmax", [m("x", [3, 6]), 1], {}), ("softmin", [m("x", [3, 4]), 1], {}), ("softmax", [m("x", [3, 4]), 1], {"dtype": F64}), ("softplus", [m("x", [3, 4])], {}),
                ("relu", [m("x", [3, 4])], {}), ("gelu", [m("x", [3, 4])], {}), ("silu", [m("x", [3, 4])], {}), ("elu", [m("x", [3, 4])], {}), ("logsigmoid", [m("x", [3, 4])], {}), ("glu", [m("x", [3, 4])], {}), ("leaky_relu", [m("x", [3, 4])], {}),
                ("max_pool1d", [m("x", [1, 2, 6]), 2], {}), ("max_pool2d", [m("x", [1, 2, 4, 4]), 2], {}), ("max_pool3d", [m("x", [1, 2, 4, 4, 4]), 2], {}), ("avg_pool1d", [m("x", [1, 2, 6]), 2], {}), ("avg_pool2d", [m("x", [1, 2, 4, 4]), 2], {}),
                ("avg_pool3d", [m("x", [1, 2, 4, 4, 4]), 2], {}), ("adaptive_avg_pool1d", [m("x", [1, 2, 6]), 3], {}), ("adaptive_avg_pool2d", [m("x", [1, 2, 4, 4]), 2], {}), ("adaptive_avg_pool3d", [m("x", [1, 2, 4, 4, 4]), 2], {}),
                ("adaptive_max_pool2d", [m("x", [1, 2, 4, 4]), 2], {}), ("adaptive_max_pool3d", [m("x", [1, 2, 4, 4, 4]), 2], {}), ("lp_pool1d", [f.make("x", [1, 2, 6], d, "c", "pos", True), 2.0, 2], {}),
                ("pad", [m("x", [1, 2, 4]), [1, 1]], {}), ("pad", [m("x", [1, 2, 4]), [1, 1], "reflect"], {}), ("pad", [m("x", [1, 2, 4, 4]), [1, 1, 1, 1], "replicate"], {}), ("pad", [m("x", [1, 2, 4]), [1, 1], "circular"], {}),
                ("pad", [m("x", [1, 2, 4, 4, 4]), [1, 1, 1, 1, 1, 1], "reflect"], {}), ("pad", [m("x", [1, 2, 4, 4, 4]), [1, 1, 1, 1, 1, 1], "replicate"], {}),
                ("interpolate", [m("x", [1, 2, 4])], {"scale_factor": 2}), ("interpolate", [m("x", [1, 2, 4, 4])], {"size": [3, 5], "mode": "bilinear"}), ("interpolate", [m("x", [1, 2, 4, 4])], {"size": [2, 2], "mode": "area"}),
                ("interpolate", [m("x", [1, 2, 4])], {"size": [6], "mode": "linear"}), ("pixel_shuffle", [m("x", [1, 4, 2, 2]), 2], {}), ("normalize", [m("x", [3, 4])], {}),
                ("cosine_similarity", [m("x", [3, 4]), m("y", [3, 4])], {}), ("pairwise_distance", [m("x", [3, 4]), m("y", [3, 4])], {}), ("embedding", [ids, m("w", [4, 3])], {}), ("local_response_norm", [m("x", [1, 4, 3]), 2], {}),
                ("batch_norm", [m("x", [4, 3]), torch.zeros(3), torch.ones(3)], {"training": True}), ("instance_norm", [m("x", [2, 3, 5])], {}),
                ("scaled_dot_product_attention", [m("q", [1, 2, 3, 4]), m("k", [1, 2, 3, 4]), m("v", [1, 2, 3, 4])], {}),
            ]:  # fmt: skip
                # The running statistics of batch_norm are beside the point, and avg_pool3d has no kernel for the half types.
                f.both(call, F + call, args, kwargs, mtia=call != "batch_norm" and (call != "avg_pool3d" or d == F32))


def losses(f):
    for lower in (BF16, F16):
        f.lower = lower
        for d in (F32, lower):
            m = lambda key, shape, kind="any": f.make(key, shape, d, "c", kind, True)
            x, y = m("x", [4, 3]), f.make("y", [4, 3], d)
            p, t = m("p", [4, 3], "unit"), f.make("t", [4, 3], d, "c", "unit")
            ids, signs = torch.tensor([0, 2, 1, 2]), torch.tensor([1.0, -1, 1, -1])
            for call, args, kwargs in [
                ("mse_loss", [x, y], {}), ("l1_loss", [x, y], {}), ("smooth_l1_loss", [x, y], {}), ("huber_loss", [x, y], {}), ("cross_entropy", [x, ids], {}), ("cross_entropy", [x, t.softmax(1)], {"label_smoothing": 0.1}),
                ("cross_entropy", [x, ids], {"reduction": "none"}), ("nll_loss", [x, ids], {}), ("kl_div", [x, t], {"reduction": "batchmean"}), ("poisson_nll_loss", [x, y.abs()], {}), ("binary_cross_entropy", [p, t], {}),
                ("binary_cross_entropy_with_logits", [x, t], {}), ("soft_margin_loss", [x, y.sign()], {}), ("margin_ranking_loss", [m("a", [4]), m("b", [4]), signs], {}), ("hinge_embedding_loss", [m("a", [4]), signs], {}),
                ("cosine_embedding_loss", [x, m("z", [4, 3]), signs], {}), ("triplet_margin_loss", [x, m("q", [4, 3]), m("z", [4, 3])], {}), ("multi_margin_loss", [x, ids], {}), ("multilabel_margin_loss", [x, torch.tensor([[0, 2, -1]] * 4)], {}),
                ("multilabel_soft_margin_loss", [x, t], {}), ("gaussian_nll_loss", [x, y, f.make("v", [4, 3], d, "c", "pos")], {}), ("mse_loss", [x, f.make("y", [4, 3])], {"reduction": "none"}),
            ]:  # fmt: skip
                f.both(call, "nn.functional." + call, args, kwargs)


def elementwise(f):
    for lower in (BF16, F16):
        f.lower = lower
        for d in (F32, lower, F64):
            m = lambda key, shape, kind="unit": f.make(key, shape, d, "c", kind, True)
            x = m("x", [3, 4])
            for call in ("acos asin cosh exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan sqrt sin cos tanh sigmoid erf abs neg exp2 floor square arccos arcsin logit sgn".split()):
                f.both(call, f"torch.{call}", [x])
            for call, args, kwargs in [
                ("pow", [x, 2], {}), ("pow", [x, m("y", [3, 4])], {}), ("pow", [2.0, x], {}), ("Tensor.pow", [x, 3.0], {}), ("sum", [x], {}), ("sum", [x, 1], {}), ("sum", [x], {"dtype": F64}), ("Tensor.sum", [x, [0, 1]], {"keepdim": True}), ("prod", [x], {}), ("prod", [x, 1], {}),
                ("cumsum", [x, 0], {}), ("cumprod", [x, 0], {}), ("mean", [x], {}), ("var", [x], {}), ("std", [x, 1], {}), ("var_mean", [x, 1], {}), ("std_mean", [x, 1], {}), ("amax", [x, 1], {}), ("logsumexp", [x, 1], {}), ("nansum", [x, 1], {}), ("nanmean", [x], {}),
                ("norm", [x], {}), ("norm", [x, 1, 1], {}), ("linalg.norm", [x], {}), ("linalg.vector_norm", [x, 1], {}), ("linalg.matrix_norm", [x], {}), ("trace", [x], {}), ("Tensor.sum_to_size", [x, [1, 4]], {}), ("Tensor.sum_to_size", [x, [3, 4]], {}),
                ("cumsum", [torch.tensor([1, 2, 3]), 0], {}), ("sum", [torch.tensor([True, False])], {}), ("softmax", [x, 0], {}), ("clamp", [x, 0.2, 0.8], {}), ("median", [x], {}), ("sort", [x], {}),
            ]:  # fmt: skip
                name = call.removeprefix("Tensor.")
                f.both(name, call if call.startswith("Tensor.") else f"torch.{call}", args, kwargs)


def together(f):
    for lower in (BF16, F16):
        f.lower = lower
        other = F16 if lower == BF16 else BF16
        pairs = [(F32, F32), (lower, F32), (lower, lower), (F32, F64), (F64, lower), (other, other), (other, F32), (F64, other)]
        for a, b in pairs:
            m = lambda key, shape, d: f.make(key, shape, d, "c", "unit", True)
            x, y, z = m("x", [3, 4], a), m("y", [3, 4], b), m("z", [3, 4], b)
            for call, args in [
                ("torch.cat", [[x, y]]), ("torch.concat", [[x, y]]), ("torch.stack", [[x, y]]), ("torch.hstack", [[x, y]]), ("torch.vstack", [[x, y]]), ("torch.atan2", [x, y]), ("torch.arctan2", [x, y]), ("torch.addcmul", [x, y, z]), ("torch.addcdiv", [x, y, z]), ("torch.add", [x, y]),
                ("torch.mul", [x, y]), ("torch.where", [torch.tensor([True, False, True, True]), x, y]), ("torch.cross", [m("p", [2, 3], a), m("q", [2, 3], b)]), ("torch.scatter_add", [x, 0, torch.zeros([1, 4], dtype=torch.int64), y]),
                ("torch.index_copy", [x, 0, torch.tensor([0, 2, 1]), y]), ("torch.maximum", [x, y]), ("torch.lerp", [x, y, 0.5]),
            ]:  # fmt: skip
                # The same goes for what takes one dtype only.
                name = call.rpartition(".")[2]
                f.both(name, call, args, mtia=a == b or name not in ("index_copy", "lerp"))


def record():
    f = Autocast("autocast")
    for part in (products, layers, losses, elementwise, together):
        part(f)
    return [f]
