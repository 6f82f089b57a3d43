"""What is to be seen of the results of array operations: node names, layouts, whether they are views; and in-place changes under autograd."""

import torch

from .program import Programs

F32, F64 = torch.float32, torch.float64
L = torch.tensor
SEEN = ("grad_fn", "requires_grad", "is_view", "strides")


def record():
    f = Programs("array-results")
    mask = L([[True, False, True, True], [False, True, True, False], [True, True, False, False]])
    i34 = L([[0, 2, 1, 3], [1, 1, 0, 2], [3, 0, 2, 1]])
    calls = [
        ("flip", [[0]]), ("fliplr", []), ("flipud", []), ("roll", [1, 0]), ("roll", [1]), ("rot90", []), ("rot90", [2]), ("rot90", [0]), ("repeat", [[2, 1]]), ("tile", [[2]]), ("repeat_interleave", [2]),
        ("repeat_interleave", [L([1, 0, 2]), 0]), ("tril", []), ("triu", [1]), ("diag", []), ("diagonal", [1]), ("diag_embed", []), ("movedim", [0, 1]), ("moveaxis", [[0, 1], [1, 0]]), ("unfold", [1, 2, 1]),
        ("masked_select", [mask]), ("masked_scatter", [mask, torch.ones(12)]), ("take", [L([0, 5])]), ("take_along_dim", [i34, 1]), ("put", [L([0, 5]), torch.ones(2)]), ("index_copy", [0, L([1]), torch.ones(1, 4)]),
        ("index_fill", [0, L([1]), 2.0]), ("index_fill", [0, L([1]), L(2.0)]), ("scatter_reduce", [1, i34, torch.ones(3, 4), "amax"]), ("sort", []), ("sort", [0]), ("argsort", [0]), ("msort", []), ("topk", [2, 0]), ("kthvalue", [2]),
        ("median", []), ("median", [0]), ("nanmedian", []), ("nanmedian", [0, True]), ("mode", [0]), ("prod", []), ("prod", [0]), ("cumprod", [0]), ("count_nonzero", [0]), ("nansum", []), ("nansum", [0]), ("nanmean", []), ("nanmean", [0]),
        ("norm", []), ("norm", [3.0, 0]), ("norm", ["fro", [0, 1]]), ("amin", [0]), ("trace", []), ("tensor_split", [2]), ("hsplit", [2]), ("vsplit", [3]), ("std", [0]), ("var", []),
        ("addr", [torch.ones(3), torch.ones(4)]), ("histc", [4]), ("bernoulli", [0.5]), ("unique", []), ("unique_consecutive", []),
    ]  # fmt: skip
    layouts = {
        "contiguous": lambda: torch.arange(12.0).reshape(3, 4),
        "transposed": lambda: torch.arange(12.0).reshape(4, 3).t(),
        "stepped": lambda: torch.arange(24.0).reshape(3, 8)[:, ::2],
        "expanded": lambda: torch.arange(4.0).expand(3, 4),
    }
    for layout, make in layouts.items():
        for op, args in calls:
            p = f.program(f"results of {layout}", f"{op} {args}" if not any(isinstance(a, torch.Tensor) for a in args) else op)
            x = p.tensor("x", make().requires_grad_())
            many = op in ("sort", "topk", "kthvalue", "mode", "tensor_split", "hsplit", "vsplit") or (op in ("median", "nanmedian") and args)
            names = ["a", "b", "c"][: 3 if op == "vsplit" else 2] if many else "a"
            y = p.do(names, f"Tensor.{op}", x, *[p.tensor(f"t{k}", a) if isinstance(a, torch.Tensor) else a for k, a in enumerate(args)])
            p.look(*(y if isinstance(y, list) else [y]), what=SEEN)
    functions = [
        ("hstack", lambda x, y: [[x, y]]), ("vstack", lambda x, y: [[x, y]]), ("dstack", lambda x, y: [[x, y]]), ("column_stack", lambda x, y: [[x, y]]), ("outer", None), ("kron", lambda x, y: [x, y]), ("inner", lambda x, y: [x, y]),
        ("tensordot", lambda x, y: [x, y, 2]), ("einsum", lambda x, y: ["ij,kj->ik", x, y]), ("einsum", lambda x, y: ["ij,ij->ji", x, y]), ("einsum", lambda x, y: ["ij->ji", x]), ("normal", lambda x, y: [x, y]),
        ("atleast_3d", lambda x, y: [x]), ("diagflat", lambda x, y: [x]), ("linalg.vector_norm", lambda x, y: [x]), ("linalg.matrix_norm", lambda x, y: [x, 1]), ("linalg.multi_dot", lambda x, y: [[x, y.value.t()]]),
    ]  # fmt: skip
    for layout in ("contiguous", "transposed"):
        for op, args in functions:
            if args is None or op == "linalg.multi_dot":
                continue
            p = f.program(f"functions of {layout}", op)
            x = p.tensor("x", layouts[layout]().requires_grad_())
            y = p.tensor("y", (layouts[layout]() + 1).requires_grad_())
            p.look(p.do("z", op if op.startswith("linalg") else f"torch.{op}", *args(x, y)), what=SEEN)
    inplace = [
        ("tril_", []), ("triu_", [1]), ("index_fill_", [0, L([1]), 2.0]), ("index_copy_", [0, L([1]), torch.full([1, 4], 5.0)]), ("put_", [L([0, 5]), torch.ones(2)]), ("masked_scatter_", [mask, torch.ones(12)]), ("cumprod_", [0]),
        ("scatter_", [1, i34, 2.0]), ("scatter_reduce_", [1, i34, torch.ones(3, 4), "sum"]), ("addr_", [torch.ones(3), torch.ones(4)]), ("index_add_", [0, L([1]), torch.ones(1, 4)]), ("exponential_", []), ("log_normal_", []), ("cauchy_", []),
        ("geometric_", [0.5]), ("bernoulli_", [0.5]),
    ]  # fmt: skip
    random = ("exponential_", "log_normal_", "cauchy_", "geometric_", "bernoulli_")
    for op, args in inplace:
        what = tuple(w for w in ("value", "requires_grad", "grad_fn", "version", "is_view", "is_leaf") if not (w == "value" and op in random))
        tensors = lambda p: [p.tensor(f"t{k}", a) if isinstance(a, torch.Tensor) else a for k, a in enumerate(args)]
        p = f.program("in place", f"{op} of a computed tensor")
        x = p.tensor("x", torch.arange(1.0, 13.0).reshape(3, 4).requires_grad_())
        y = p.do("y", "torch.mul", x, 0.5)
        p.do(None, f"Tensor.{op}", y, *tensors(p))
        p.look(y, what=what)
        s = p.do("s", "Tensor.sum", p.do("z", "torch.mul", y, 3.0))
        p.do(None, "Tensor.backward", s)
        p.look(x, what=("grad",))

        p = f.program("in place", f"{op} of a view")
        x = p.tensor("x", torch.arange(1.0, 25.0).reshape(6, 4).requires_grad_())
        y = p.do("y", "torch.mul", x, 0.5)
        v = p.do("v", "Tensor.narrow", y, 0, 2, 3)
        p.do(None, f"Tensor.{op}", v, *tensors(p))
        p.look(v, y, what=what)
        p.do(None, "Tensor.backward", p.do("s", "Tensor.sum", p.do("z", "torch.mul", y, y)), fails="maybe")
        p.look(x, what=("grad",)) if op not in random else None

        p = f.program("in place", f"{op} of a leaf")
        x = p.tensor("x", torch.arange(12.0).reshape(3, 4).clone().requires_grad_())
        p.fails(f"Tensor.{op}", x, *tensors(p))

        p = f.program("in place", f"{op} of an expanded tensor")
        x = p.tensor("x", torch.arange(4.0))
        y = p.do("y", "Tensor.expand", x, 3, 4)
        if op not in ("tril_", "triu_"):
            p.do(None, f"Tensor.{op}", y, *tensors(p), fails="maybe")

        p = f.program("in place", f"{op} of what backward needs")
        x = p.tensor("x", torch.arange(1.0, 13.0).reshape(3, 4).requires_grad_())
        y = p.do("y", "torch.exp", x)
        z = p.do("z", "torch.mul", y, y)
        p.do(None, f"Tensor.{op}", y, *tensors(p))
        p.fails("Tensor.backward", p.do("s", "Tensor.sum", z))
    p = f.program("vectors of parameters", "there and back")
    a, b = p.tensor("a", torch.arange(6.0).reshape(2, 3).requires_grad_()), p.tensor("b", L(7.0).requires_grad_())
    v = p.do("v", "nn.utils.parameters_to_vector", [a, b])
    p.look(v)
    p.do(None, "Tensor.backward", p.do("s", "Tensor.sum", p.do("w", "torch.mul", v, v)))
    p.look(a, b, what=("grad",))
    p.do(None, "nn.utils.vector_to_parameters", p.tensor("u", torch.arange(10.0, 17.0)), [a, b])
    p.look(a, b, what=("value", "strides", "requires_grad", "is_leaf"))
    p.fails("nn.utils.vector_to_parameters", p.tensor("short", torch.arange(5.0)), [a, b])
    p.fails("nn.utils.parameters_to_vector", [])
    p.fails("nn.utils.parameters_to_vector", [p.tensor("turned", torch.arange(6.0).reshape(2, 3).t())])
    p.fails("nn.utils.vector_to_parameters", 3, [a])
    return [f]
