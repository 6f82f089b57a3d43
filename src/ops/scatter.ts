/** scatter: elements of a source, or one number, to the positions that an index says; with `reduce` beside what is there. */
import { changeInplace, checkChange } from '../autograd/inplace.ts';
import { type BackwardFunction, record } from '../autograd/record.ts';
import { RuntimeError } from '../core/errors.ts';
import { scatter } from '../kernels/scatter.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { Tensor } from '../tensor/tensor.ts';
import { gradOfSource } from './gathering.ts';
import { fill } from './host.ts';
import { copyOf } from './inplace.ts';
import { checkNoOverlap } from './layout.ts';
import { define } from './registry.ts';
import { checkScatter, checkScatterNumber } from './scatter-checks.ts';
import { combinationOf, scatterCombined } from './scatter-reduce.ts';

/** Writes one number to the positions. */
function scatterNumber(out: Tensor, at: number, index: Tensor, value: number): void {
  if (index.length === 0) return;
  const one = emptyTensor(out.storage.backend, [], out.dtype);
  fill(one, value);
  const strides = index.sizes.map(() => 0);
  const source = new Tensor(one.storage, 0, index.sizes, strides, out.dtype, index.length, false);
  scatter(out, at, index, source);
  source.dispose();
  one.dispose();
}

define(
  { doc: 'self[index[i][j]][j] = src[i][j] for dim = 0, and so on; src may be a number.', function: false },
  {
    'scatter_(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)': (
      self: Tensor,
      dim: number,
      index: Tensor,
      src: Tensor,
    ) => {
      checkChange(self, [self, src]);
      const at = checkScatter('scatter_', self, dim, index, src);
      checkNoOverlap(self, [index, src]);
      return changeInplace(
        'ScatterBackward0',
        self,
        [self, src],
        [index],
        () => {
          if (index.length > 0) scatter(self, at, index, src);
        },
        scatterBackward(at, src.sizes),
      );
    },
    'scatter_(Tensor(a!) self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor(a!)': scatterReduced_,
    'scatter_(Tensor(a!) self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor(a!)': scatterReduced_,
    'scatter_(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)': (
      self: Tensor,
      dim: number,
      index: Tensor,
      value: number,
    ) => {
      checkChange(self, [self]);
      const at = checkScatterNumber(self, dim, index, value);
      checkNoOverlap(self, [index]);
      const write = () => scatterNumber(self, at, index, value);
      return changeInplace('ScatterBackward1', self, [self], [index], write, scatterBackward(at, null));
    },
  },
);

/** `sizes`: the source's; null where a number was the source. */
function scatterBackward(dim: number, sizes: readonly number[] | null): BackwardFunction {
  return ([grad], [index], node) => {
    const through = node.needs(0) ? grad!.scatter(dim, index, 0) : null;
    if (sizes === null) return [through];
    return [through, node.needs(1) ? gradOfSource(grad!, dim, index, sizes) : null];
  };
}

define(
  { doc: 'As `scatter_`, on a copy.' },
  {
    'scatter(Tensor self, int dim, Tensor index, Tensor src) -> Tensor': (
      self: Tensor,
      dim: number,
      index: Tensor,
      src: Tensor,
    ) => {
      const at = checkScatter('scatter_', self, dim, index, src);
      const out = copyOf(self);
      if (index.length > 0) scatter(out, at, index, src);
      return record('ScatterBackward0', out, [self, src], [index], scatterBackward(at, src.sizes));
    },
    'scatter(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor': scatterReduced,
    'scatter(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor': scatterReduced,
    'scatter(Tensor self, int dim, Tensor index, Scalar value) -> Tensor': (
      self: Tensor,
      dim: number,
      index: Tensor,
      value: number,
    ) => {
      const at = checkScatterNumber(self, dim, index, value);
      const out = copyOf(self);
      scatterNumber(out, at, index, value);
      return record('ScatterBackward1', out, [self], [index], scatterBackward(at, null));
    },
  },
);

function checkReduced(self: Tensor, dim: number, index: Tensor, source: Tensor | number, reduce: string): number {
  combinationOf(reduce);
  return source instanceof Tensor
    ? checkScatter('scatter_', self, dim, index, source)
    : checkScatterNumber(self, dim, index, source);
}

const noDerivative: BackwardFunction = () => {
  throw new RuntimeError('derivative for aten::scatter is not implemented');
};

/** `scatter` with `reduce`: what is there is added to or multiplied. */
function scatterReduced(self: Tensor, dim: number, index: Tensor, source: Tensor | number, reduce: string): Tensor {
  const at = checkReduced(self, dim, index, source, reduce);
  const out = copyOf(self);
  scatterCombined(out, at, index, source, reduce);
  return record('NotImplemented', out, source instanceof Tensor ? [self, source] : [self], [], noDerivative);
}

function scatterReduced_(self: Tensor, dim: number, index: Tensor, source: Tensor | number, reduce: string): Tensor {
  const inputs = source instanceof Tensor ? [self, source] : [self];
  checkChange(self, inputs);
  const at = checkReduced(self, dim, index, source, reduce);
  checkNoOverlap(self, source instanceof Tensor ? [index, source] : [index]);
  const write = () => scatterCombined(self, at, index, source, reduce);
  return changeInplace('NotImplemented', self, inputs, [], write, noDerivative);
}
