/**
 * What an editor accepts and refuses of calls: tensors and functions. Every line after `@ts-expect-error` must be an error,
 * every other none. Checked by tests/types.test.ts.
 */
import torch, { type Size, type Tensor } from 'torch-mtia';
import { accepts, is } from './expect.ts';

const x = torch.randn(3, 4);
const ids = torch.tensor([0n, 1n]);

// Factories: sizes one by one or in an array, options last.
is<Tensor>(torch.zeros(2, 3), torch.zeros([2, 3]), torch.zeros(2, 3, { dtype: torch.float64, requires_grad: true }));
is<Tensor>(torch.arange(3), torch.arange(0, 10, 2), torch.full([2], 1.5), torch.eye(3, { device: 'mtia' }));
is<Tensor>(
  torch.tensor(
    [
      [1, 2],
      [3, 4],
    ],
    { dtype: torch.bool },
  ),
  torch.randint(0, 10, [3]),
  torch.linspace(0, 1, 5),
);
// @ts-expect-error no such option
torch.zeros(2, { device_type: 'mtia' });
// @ts-expect-error a dtype is torch.float32
torch.zeros(2, { dtype: 'float32' });
// @ts-expect-error sizes are numbers
torch.zeros('2');
// @ts-expect-error a size is missing
torch.full(1.5);

// Methods, with positional and named arguments.
is<Tensor>(
  x.sum(),
  x.sum(1),
  x.sum([0, 1], true),
  x.sum(1, { keepdim: true }),
  x.sum({ dim: 0, dtype: torch.float64 }),
);
is<Tensor>(
  x.add(1),
  x.add(x, { alpha: 2 }),
  x.mul_(3),
  x.div(2, { rounding_mode: 'floor' }),
  x.clamp(0),
  x.clamp({ max: 1 }),
);
is<Tensor>(x.view(-1), x.view(2, 6), x.view([2, 6]), x.permute(1, 0), x.transpose(0, 1), x.index([0, ':', null]));
is<Tensor>(
  x.to('mtia'),
  x.to(torch.float16),
  x.to('cpu', torch.float64, { non_blocking: true }),
  x.to({ dtype: torch.int64 }),
);
is<Tensor[]>(x.chunk(2), x.split(2, 1), x.unbind());
is<boolean>(x.is_contiguous(), x.requires_grad, x.allclose(x));
is<number>(x.item(), x.dim(), x.size(0), x.numel());
is<Size>(x.shape, x.size());
// @ts-expect-error no such option
x.sum(1, { keepdims: true });
// @ts-expect-error no such option
x.sum({ axis: 1 });
// @ts-expect-error an option twice
x.sum(1, true, { keepdim: true });
// @ts-expect-error not a rounding mode
x.div(2, { rounding_mode: 'round' });
// @ts-expect-error a string is no operand
x.add('1');
// @ts-expect-error no such method
x.summ();
// @ts-expect-error tensors have no operators
accepts(x + x);
// @ts-expect-error an argument is missing
x.matmul();
// @ts-expect-error a dimension is a number
x.softmax('1');
// @ts-expect-error one argument too many
x.exp(1);

// Named tuples.
const { values, indices } = x.max(1);
const [best, where] = x.topk(2);
is<Tensor>(values, indices, best, where, x.max(), x.max(x));
is<Tensor>(
  x.softmax({ dim: 1 }),
  x.gather({ dim: 1, index: ids }),
  torch.gather(x, { dim: 0, index: ids }),
  x.sort().values,
  x.kthvalue(1).indices,
);
// @ts-expect-error no such field
accepts(x.max(1).value);

// Functions of torch are the methods, with the tensor first.
is<Tensor>(torch.cat([x, x], 1), torch.stack([x]), torch.where(x.gt(0), x, 0), torch.einsum('ij,kj->ik', x, x));
is<Tensor>(torch.matmul(x, x.t()), torch.nn.functional.softmax(x, 1), torch.nn.functional.relu(x));
is<Tensor>(torch.scatter_reduce(x, 0, ids.view(1, 2), x, 'amax', { include_self: false }));
// @ts-expect-error cat takes a list
torch.cat(x, x);
// @ts-expect-error not a way to reduce
torch.scatter_reduce(x, 0, ids.view(1, 2), x, 'median');
// @ts-expect-error no such function
torch.concatenat([x]);

// Losses.
const F = torch.nn.functional;
is<Tensor>(
  F.cross_entropy(x, ids, { label_smoothing: 0.1, reduction: 'sum' }),
  F.mse_loss(x, x),
  F.kl_div(x, x, { reduction: 'batchmean' }),
);
// @ts-expect-error not a reduction
F.cross_entropy(x, ids, { reduction: 'avg' });
// @ts-expect-error no such option
F.cross_entropy(x, ids, { smoothing: 0.1 });
// @ts-expect-error not a mode
F.interpolate(x, { scale_factor: 2, mode: 'linear2' });

// Contexts.
is<Tensor>(
  torch.no_grad(() => x.mul(2)),
  torch.autocast('mtia', { dtype: torch.bfloat16 }, () => x),
);
is<Disposable>(
  torch.no_grad(),
  torch.inference_mode(),
  torch.autocast('cpu'),
  torch.autocast('cpu', torch.float16, false),
);
is<(a: Tensor) => Tensor>(new torch.autocast('cpu')((a: Tensor) => a));
// @ts-expect-error no such option
torch.autocast('mtia', { type: torch.bfloat16 });
// @ts-expect-error a device type is a string
torch.autocast(torch.device('mtia'));

// Types have the names that their values have.
const typed: torch.Tensor = x;
const layer: torch.nn.Linear = new torch.nn.Linear(1, 2);
const loader: torch.utils.data.DataLoader<number> = new torch.utils.data.DataLoader([1, 2]);
const dtype: torch.dtype = torch.float32;
const optimizer: torch.optim.Optimizer = new torch.optim.Adam([x]);
accepts(typed, layer, loader, dtype, optimizer);
