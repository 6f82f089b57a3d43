/** Copies of a tensor's elements in another order or number: rot90, repeat_interleave. */
import { record } from '../autograd/record.ts';
import { int32, int64 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { wrapDim } from '../core/shape.ts';
import { copy } from '../kernels/copy.ts';
import { emptyTensor } from '../tensor/empty.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { fromHost, toHost } from './host.ts';
import { finish, flip } from './rearrange.ts';
import { define } from './registry.ts';

function rot90(self: Tensor, k: number, dims: readonly number[]): Tensor {
  const rank = self.sizes.length;
  if (dims.length !== 2) throw new RuntimeError(`expected total rotation dims == 2, but got dims = ${dims.length}`);
  if (rank < 2) throw new RuntimeError(`expected total dims >= 2, but got total dims = ${rank}`);
  const [dim0, dim1] = dims;
  const [a, b] = [wrapDim(dim0, rank), wrapDim(dim1, rank)];
  if (a === b) {
    throw new RuntimeError(`expected rotation dims to be different, but got dim0 = ${dim0} and dim1 = ${dim1}`);
  }
  const turns = ((k % 4) + 4) % 4;
  const x = self.detach();
  let out: Tensor;
  if (turns === 0) {
    out = emptyTensor(self.storage.backend, self.sizes, self.dtype);
    copy(out, self);
  } else if (turns === 2) out = flip(x, [a, b]);
  else out = flip(x, [turns === 1 ? b : a]).transpose_(a, b);
  return record('Rot90Backward0', finish(out, self), [self], [], ([grad]) => rot90(grad!, -k, [a, b]));
}

define(
  { doc: 'Turned by k times 90 degrees in the plane of two dimensions, from the first towards the second.' },
  {
    'rot90(Tensor self, int k=1, int[] dims=[0,1]) -> Tensor': (self: Tensor, k: number, dims: number[]) =>
      rot90(self, k, dims),
  },
);

/** Position i, repeats[i] times, for every i. Waits for the device. */
function positionsOf(repeats: Tensor, outputSize: number | null): Tensor {
  if (repeats.sizes.length !== 1) throw new RuntimeError('repeat_interleave only accept 1D vector as repeat');
  const { dtype } = repeats;
  if (dtype !== int64 && dtype !== int32) {
    throw new NotImplementedError(`"repeat_interleave_cpu" not implemented for '${dtype.scalarTypeName}'`);
  }
  const times = Array.from(toHost(repeats) as ArrayLike<number | bigint>, Number);
  let total = 0;
  for (const count of times) {
    if (count < 0) throw new RuntimeError('repeats can not be negative');
    total += count;
  }
  if (outputSize !== null && outputSize !== total) {
    throw new RuntimeError('allocated size does not match required size');
  }
  const list = new dtype.array(total);
  let at = 0;
  times.forEach((count, i) => {
    (list as Int32Array).fill((dtype === int64 ? BigInt(i) : i) as number, at, at + count);
    at += count;
  });
  return fromHost(repeats.storage.backend, [total], dtype, list);
}

function repeatByTensor(self: Tensor, repeats: Tensor, dim: number | null, outputSize: number | null): Tensor {
  sameBackend('repeat_interleave', [self, repeats], ['self', 'repeats']);
  const input = dim === null ? self.flatten() : self;
  const at = wrapDim(dim ?? 0, input.sizes.length);
  if (repeats.sizes.length > 1) throw new RuntimeError('repeats must be 0-dim or 1-dim tensor');
  const size = input.sizes[at];
  let times = repeats;
  if (times.length === 1) times = times.reshape(1).expand(size);
  else if (times.sizes[0] !== size) {
    throw new RuntimeError(
      `repeats must have the same size as input along dim, but got repeats.size(0) = ${times.sizes[0]} and input.size(${at}) = ${size}`,
    );
  }
  return input.index_select(at, positionsOf(times, outputSize));
}

function repeatByNumber(self: Tensor, repeats: number, dim: number | null, outputSize: number | null): Tensor {
  const input = dim === null ? self.flatten() : self;
  const at = wrapDim(dim ?? 0, input.sizes.length);
  if (repeats < 0) throw new RuntimeError('Repeats must be non-negative');
  const size = input.sizes[at];
  if (outputSize !== null && outputSize !== size * repeats) {
    throw new RuntimeError(`repeat_interleave: Invalid output_size, expected ${size * repeats} but got ${outputSize}`);
  }
  const sizes = input.sizes.slice();
  sizes.splice(at + 1, 0, repeats);
  // A copy always, also where nothing is repeated.
  const wide = input.unsqueeze(at + 1).expand(sizes);
  const out = wide.contiguous();
  return (out === wide || out.storage === input.storage ? wide.clone() : out).flatten(at, at + 1);
}

define(
  { doc: 'Every element (along dim; without it, of the flattened tensor) repeated so many times in a row.' },
  {
    'repeat_interleave(Tensor self, int repeats, int? dim=None, *, int? output_size=None) -> Tensor': repeatByNumber,
    'repeat_interleave(Tensor self, Tensor repeats, int? dim=None, *, int? output_size=None) -> Tensor': repeatByTensor,
    'repeat_interleave(Tensor repeats, *, int? output_size=None) -> Tensor': positionsOf,
  },
);
