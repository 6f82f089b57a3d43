/** Reductions: sums, means, extrema, truth, variance, running sums. */

import { mode } from '../autograd/mode.ts';
import { type BackwardFunction, record, shouldRecord1, touchGraphOf } from '../autograd/record.ts';
import { bool, type DType, FLOAT_CATEGORY, int64, uint8 } from '../core/dtype.ts';
import { IndexError, RuntimeError } from '../core/errors.ts';
import { wrapDim } from '../core/shape.ts';
import { div, input, raw, scalar } from '../kernels/expr.ts';
import { ReduceKernel } from '../kernels/reduce.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { FLAG_INFERENCE, type Tensor } from '../tensor/tensor.ts';
import { cat } from './join.ts';
import { namedTuple } from './named-tuple.ts';
import { define } from './registry.ts';

type Combine = 'sum' | 'prod' | 'max' | 'min' | 'any' | 'all' | 'argmax' | 'argmin';

/** Bit d set: dimension d is reduced. null, and by PyTorch's habit an empty list, mean all of them. */
export function dimMask(dims: readonly number[] | null, rank: number): number {
  if (dims === null || dims.length === 0) return rank === 0 ? 0 : 2 ** rank - 1;
  let mask = 0;
  for (const dim of dims) {
    const at = wrapDim(dim, rank);
    if ((mask & (1 << at)) !== 0) {
      throw new RuntimeError(`dim ${at} appears multiple times in the list of dims`);
    }
    if (rank > 0) mask |= 1 << at;
  }
  return mask;
}

export function reducedSizes(sizes: readonly number[], mask: number, keepdim: boolean): number[] {
  const out: number[] = [];
  for (let i = 0; i < sizes.length; i++) {
    if ((mask & (1 << i)) === 0) out.push(sizes[i]);
    else if (keepdim) out.push(1);
  }
  return out;
}

/** How many elements make one result. */
export function reducedCount(sizes: readonly number[], mask: number): number {
  let count = 1;
  for (let i = 0; i < sizes.length; i++) if ((mask & (1 << i)) !== 0) count *= sizes[i];
  return count;
}

/** A reduced gradient in a shape that broadcasts to the input's. */
export function restored(grad: Tensor, sizes: readonly number[], mask: number, keepdim: boolean): Tensor {
  if (keepdim || grad.sizes.length === sizes.length) return grad;
  return grad.reshape(sizes.map((size, i) => ((mask & (1 << i)) === 0 ? size : 1)));
}

/** Kernels of one reduction by dtypes. */
class Reduction {
  private readonly kernels: (ReduceKernel | undefined)[] = [];
  constructor(
    readonly name: string,
    private readonly combine: Combine,
    private readonly truth = false,
    private readonly mean = false,
  ) {}

  kernel(from: DType, compute: DType, to: DType): ReduceKernel {
    const key = (from.index * 10 + compute.index) * 10 + to.index;
    return (this.kernels[key] ??= new ReduceKernel({
      name: this.name,
      combine: this.combine,
      expr: this.truth ? raw(0) : input(0),
      inputs: [from],
      compute,
      output: to,
      finalize: this.mean ? div(input(0), scalar(0)) : undefined,
      scalars: this.mean ? 1 : 0,
    }));
  }
}

const SUM = new Reduction('sum', 'sum');
const MEAN = new Reduction('mean', 'sum', false, true);
const PROD = new Reduction('prod', 'prod');
const MAX = new Reduction('max', 'max');
const MIN = new Reduction('min', 'min');
const ANY = new Reduction('any', 'any', true);
const ALL = new Reduction('all', 'all', true);
const ARGMAX = new Reduction('argmax', 'argmax');
const ARGMIN = new Reduction('argmin', 'argmin');

export function finish(out: Tensor, self: Tensor): Tensor {
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  if (!mode.grad) touchGraphOf(self);
  return out;
}

function run(
  reduction: Reduction,
  self: Tensor,
  mask: number,
  keepdim: boolean,
  compute: DType,
  to: DType,
  scalars?: readonly number[],
): Tensor {
  const out = emptyTensor(self.storage.backend, reducedSizes(self.sizes, mask, keepdim), to);
  reduction.kernel(self.dtype, compute, to).launch(out, [self], self.sizes, mask, scalars);
  return finish(out, self);
}

/** @throws RuntimeError, as PyTorch, where a gradient would have to flow through an integer result */
export function checkRecordable(self: Tensor, to: DType): void {
  if (to.category !== FLOAT_CATEGORY && shouldRecord1(self)) {
    throw new RuntimeError(`Autograd not support dtype: ${to.scalarTypeName}`);
  }
}

/** dtype of a sum: integers and bool become int64. */
export function sumDType(self: Tensor, dtype: DType | null): DType {
  return dtype ?? (self.dtype.category === FLOAT_CATEGORY ? self.dtype : int64);
}

export function sum(self: Tensor, dims: readonly number[] | null, keepdim: boolean, dtype: DType | null): Tensor {
  const to = sumDType(self, dtype);
  const mask = dimMask(dims, self.sizes.length);
  checkRecordable(self, to);
  // Of truth values, which 0.5 is one of too.
  if (to === bool && self.dtype !== bool) return sum(self.to(bool), dims, keepdim, dtype);
  // float64 results add up in float64; half types in float32.
  const compute =
    to.category === FLOAT_CATEGORY && self.dtype.category === FLOAT_CATEGORY && self.dtype.itemsize > to.itemsize
      ? self.dtype
      : to;
  const out = run(SUM, self, mask, keepdim, compute, to);
  const { sizes, dtype: from } = self;
  return record('SumBackward1', out, [self], [], ([grad]) => {
    const g = from === grad!.dtype ? grad! : grad!.to(from);
    return restored(g, sizes, mask, keepdim).expand(sizes as number[]);
  });
}

define(
  { doc: 'Sum over all elements, or over the dimensions dim. Integers and bools add up in int64.' },
  {
    'sum(Tensor self, *, dtype? dtype=None) -> Tensor': (self: Tensor, dtype: DType | null) =>
      renamed(sum(self, null, false, dtype), 'SumBackward0'),
    'sum(Tensor self, int[1]? dim, bool keepdim=False, *, dtype? dtype=None) -> Tensor': sum,
  },
);

/** The same node under the name that PyTorch gives to another overload. */
function renamed(out: Tensor, name: string): Tensor {
  if (out.node !== null) (out.node as { name: string }).name = name;
  return out;
}

/** Sums over the dimensions that broadcasting to self's shape from `size` would have repeated. */
export function sumToSize(self: Tensor, size: readonly number[]): Tensor {
  const extra = self.sizes.length - size.length;
  const dims: number[] = [];
  for (let i = 0; i < self.sizes.length; i++) {
    if (i < extra || (size[i - extra] === 1 && self.sizes[i] !== 1)) dims.push(i);
    else if (size[i - extra] !== self.sizes[i]) {
      throw new RuntimeError(`size {[${size.join(', ')}]} is not expandable to size {[${self.sizes.join(', ')}]}.`);
    }
  }
  if (size.length === 0) return renamed(sum(self, null, false, null), 'SumBackward0');
  if (dims.length === 0 && extra === 0) return self;
  // Where nothing is recorded, dimensions that are all to go need not be kept first.
  if (dims.length === extra && !mode.grad) return sum(self, dims, false, null);
  const summed = dims.length === 0 ? self : sum(self, dims, true, null);
  return extra > 0 ? summed.reshape(size as number[]) : summed;
}

define(
  { doc: 'Sums self down to a shape that broadcasts to its own.', function: false },
  { 'sum_to_size(Tensor self, int... size) -> Tensor': sumToSize },
);

function mean(self: Tensor, dims: readonly number[] | null, keepdim: boolean, dtype: DType | null): Tensor {
  const to = dtype ?? self.dtype;
  if (to.category !== FLOAT_CATEGORY) {
    const which = dtype === null ? 'Input' : 'Optional';
    throw new RuntimeError(
      `mean(): could not infer output dtype. ${which} dtype must be either a floating point or complex dtype. Got: ${to.scalarTypeName}`,
    );
  }
  const mask = dimMask(dims, self.sizes.length);
  const count = reducedCount(self.sizes, mask);
  const out = run(MEAN, self, mask, keepdim, to, to, [count]);
  const { sizes, dtype: from } = self;
  return record('MeanBackward1', out, [self], [], ([grad]) => {
    const g = from === grad!.dtype ? grad! : grad!.to(from);
    return restored(g, sizes, mask, keepdim)
      .expand(sizes as number[])
      .div(count);
  });
}

define(
  { doc: 'Mean over all elements, or over the dimensions dim.' },
  {
    'mean(Tensor self, *, dtype? dtype=None) -> Tensor': (self: Tensor, dtype: DType | null) =>
      renamed(mean(self, null, false, dtype), 'MeanBackward0'),
    'mean(Tensor self, int[1]? dim, bool keepdim=False, *, dtype? dtype=None) -> Tensor': mean,
  },
);

/** amax and amin, and max() and min() over everything: equal extrema share the gradient. */
function extremum(
  reduction: Reduction,
  node: string,
  self: Tensor,
  dims: readonly number[] | null,
  keepdim: boolean,
): Tensor {
  const { length: rank } = self.sizes;
  if (self.length > 0) dimMask(dims, rank);
  const empty =
    rank > 0 && (dims === null || dims.length === 0 || dims.some((d) => self.sizes[wrapDim(d, rank)] === 0));
  if (self.length === 0 && empty) {
    const kind = node.startsWith('Am') ? node.slice(0, 4).toLowerCase() : node.slice(0, 3).toLowerCase();
    if (dims === null || dims.length === 0) {
      throw new RuntimeError(
        `${kind}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.`,
      );
    }
    // Named as it was given.
    const at = dims.find((d) => self.sizes[wrapDim(d, self.sizes.length)] === 0)!;
    throw new IndexError(`${kind}(): Expected reduction dim ${at} to have non-zero size.`);
  }
  const mask = dimMask(dims, rank);
  const out = run(reduction, self, mask, keepdim, self.dtype, self.dtype);
  return record(node, out, [self], [self, out], extremumBackward(mask, keepdim, dims === null, !node.startsWith('Am')));
}

/** @param nan whether all that are NaN share the gradient of a result that is; otherwise there it is NaN everywhere */
export function extremumBackward(mask: number, keepdim: boolean, everything: boolean, nan = false): BackwardFunction {
  return ([grad], [x, result]) => {
    const whole = restored(result, x.sizes, mask, keepdim);
    const equal = nan ? x.eq(whole).maximum(x.isnan().mul(whole.isnan())) : x.eq(whole);
    const extreme = equal.to(grad!.dtype);
    const g = restored(grad!, x.sizes, mask, keepdim);
    const ties = everything ? extreme.sum() : extreme.sum(maskDims(mask), true);
    return extreme.mul(g.div(ties));
  };
}

export function maskDims(mask: number): number[] {
  const dims: number[] = [];
  for (let i = 0; mask >> i > 0; i++) if ((mask >> i) & 1) dims.push(i);
  return dims;
}

/** Extremum along one dimension, with positions. */
function extremumAlong(name: 'max' | 'min', self: Tensor, dim: number, keepdim: boolean) {
  const rank = self.sizes.length;
  const at = wrapDim(dim, rank);
  const mask = rank === 0 ? 0 : 1 << at;
  if (rank > 0 && self.sizes[at] === 0) {
    throw new IndexError(`${name}(): Expected reduction dim ${at} to have non-zero size.`);
  }
  const { backend } = self.storage;
  const sizes = reducedSizes(self.sizes, mask, keepdim);
  const values = emptyTensor(backend, sizes, self.dtype);
  const indices = emptyTensor(backend, sizes, int64);
  const reduction = name === 'max' ? ARGMAX : ARGMIN;
  reduction.kernel(self.dtype, self.dtype, self.dtype).launch(values, [self], self.sizes, mask, undefined, indices);
  finish(values, self);
  const own = self.sizes;
  record(`${name === 'max' ? 'Max' : 'Min'}Backward0`, [values, indices], [self], [indices], ([grad], [index]) => {
    const full = grad!.new_zeros(own as number[]);
    if (own.length === 0) return full.add(grad!);
    const i = keepdim ? index : index.unsqueeze(at);
    const g = keepdim ? grad! : grad!.unsqueeze(at);
    return full.scatter_add_(at, i, g);
  });
  return namedTuple(['values', 'indices'], [values, indices]);
}

for (const [name, reduction] of [
  ['max', MAX],
  ['min', MIN],
] as const) {
  const camel = name === 'max' ? 'Max' : 'Min';
  define(
    {
      doc: `The ${name === 'max' ? 'largest' : 'smallest'} element; with dim, along that dimension with its positions; with a tensor, elementwise.`,
    },
    {
      [`${name}(Tensor self) -> Tensor`]: (self: Tensor) => extremum(reduction, `${camel}Backward1`, self, null, false),
      // Before the next: a 0-dim tensor may stand for an int.
      [`${name}(Tensor self, Tensor other) -> Tensor`]: (self: Tensor, other: Tensor) =>
        name === 'max' ? self.maximum(other) : self.minimum(other),
      [`${name}(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)`]: (
        self: Tensor,
        dim: number,
        keepdim: boolean,
      ) => extremumAlong(name, self, dim, keepdim),
    },
  );
  define(
    {
      doc: `The ${name === 'max' ? 'largest' : 'smallest'} elements over the dimensions dim; ties share the gradient.`,
    },
    {
      [`a${name}(Tensor self, int[1]? dim=[], bool keepdim=False) -> Tensor`]: (
        self: Tensor,
        dim: number[],
        keepdim: boolean,
      ) => extremum(reduction, `A${name}Backward0`, self, dim, keepdim),
    },
  );
  const argument = name === 'max' ? ARGMAX : ARGMIN;
  define(
    {
      doc: `Position of the ${name === 'max' ? 'largest' : 'smallest'} element, in the flattened tensor or along dim.`,
    },
    {
      [`arg${name}(Tensor self, int? dim=None, bool keepdim=False) -> Tensor`]: (
        self: Tensor,
        dim: number | null,
        keepdim: boolean,
      ) => {
        const rank = self.sizes.length;
        if (self.dtype === bool) throw new RuntimeError(`arg${name}(): does not support bool input`);
        if (dim === null && self.length === 0) {
          throw new IndexError(
            `arg${name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.`,
          );
        }
        const mask = dimMask(dim === null ? null : [dim], rank);
        if (dim !== null && rank > 0 && self.sizes[wrapDim(dim, rank)] === 0) {
          throw new IndexError(`arg${name}(): Expected reduction dim ${wrapDim(dim, rank)} to have non-zero size.`);
        }
        const indices = emptyTensor(self.storage.backend, reducedSizes(self.sizes, mask, keepdim), int64);
        argument.kernel(self.dtype, self.dtype, self.dtype).launch(null, [self], self.sizes, mask, undefined, indices);
        return finish(indices, self);
      },
    },
  );
}

for (const [name, reduction] of [
  ['any', ANY],
  ['all', ALL],
] as const) {
  const test = (self: Tensor, dims: readonly number[] | null, keepdim: boolean) => {
    // For uint8 PyTorch keeps the dtype.
    const to = self.dtype === uint8 ? uint8 : bool;
    // Here an empty list is no dimension at all.
    const mask = dims !== null && dims.length === 0 ? 0 : dimMask(dims, self.sizes.length);
    return run(reduction, self, mask, keepdim, self.dtype, to);
  };
  define(
    { doc: `Whether ${name} elements are true, over everything or along dim.` },
    {
      [`${name}(Tensor self) -> Tensor`]: (self: Tensor) => test(self, null, false),
      [`${name}(Tensor self, int[1]? dim=None, bool keepdim=False) -> Tensor`]: test,
    },
  );
}

function prod(self: Tensor, dim: number | null, keepdim: boolean, dtype: DType | null): Tensor {
  const to = sumDType(self, dtype);
  const mask = dimMask(dim === null ? null : [dim], self.sizes.length);
  checkRecordable(self, to);
  const source = self.dtype === to ? self : self.to(to);
  const out = run(PROD, source, mask, keepdim, to, to);
  const { sizes } = source;
  // The result is saved as PyTorch saves it: memory and in-place errors are the same.
  const at = dim === null ? 0 : wrapDim(dim, sizes.length);
  const backward = prodBackward(sizes, mask, keepdim, dim === null ? null : at);
  return record(dim === null ? 'ProdBackward0' : 'ProdBackward1', out, [source], [source, out], backward);
}

/** Products of all the others, from the left and from the right: right also where elements are 0. */
function prodBackward(sizes: readonly number[], mask: number, keepdim: boolean, dim: number | null): BackwardFunction {
  return ([grad], [x]) => {
    if (sizes.length === 0) return grad!.clone();
    const g = restored(grad!, sizes, mask, keepdim);
    const at = dim ?? 0;
    const flat = dim === null ? x.reshape(-1) : x;
    const n = flat.sizes[at];
    if (flat.length === 0) return x.mul(g);
    const shape = flat.sizes.slice();
    shape[at] = 1;
    const one = x.detach().new_ones(shape);
    const before = cat([one, flat.narrow(at, 0, n - 1)], at).cumprod(at);
    const after = cat([one, flat.narrow(at, 1, n - 1).flip(at)], at)
      .cumprod(at)
      .flip(at);
    const others = before.mul(after);
    return (dim === null ? others.reshape(sizes as number[]) : others).mul(g);
  };
}

define(
  { doc: 'Product of all elements, or along dim. Integers and bools multiply in int64.' },
  {
    'prod(Tensor self, *, dtype? dtype=None) -> Tensor': (self: Tensor, dtype: DType | null) =>
      prod(self, null, false, dtype),
    'prod(Tensor self, int dim, bool keepdim=False, *, dtype? dtype=None) -> Tensor': prod,
  },
);
