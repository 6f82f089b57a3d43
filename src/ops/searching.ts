/** Places in sorted sequences, and counts by place: searchsorted, bucketize, bincount, histc, isin. */

import { bool, type DType, float32, float64, int32, int64 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { resultType } from '../core/promote.ts';
import { sameSizes, showSizes } from '../core/shape.ts';
import { search } from '../kernels/search.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { tensorFromData } from './from-data.ts';
import { finishNew } from './inplace.ts';
import { define } from './registry.ts';

/** A number among boundaries is a 0-dim tensor on their device. */
function asTensor(value: Tensor | number | bigint | boolean, like: Tensor): Tensor {
  if (value instanceof Tensor) return value;
  // A whole number next to integers is an integer.
  const whole = typeof value !== 'boolean' && !like.dtype.is_floating_point && Number.isInteger(Number(value));
  return tensorFromData(value, whole ? int64 : null, like.storage.backend);
}

function checkSearch(boundaries: Tensor, values: Tensor, sorter: Tensor | null): void {
  const b = boundaries.sizes.length;
  const v = values.sizes.length;
  if (v === 0 && b !== 1) {
    throw new RuntimeError(
      `torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries tensor dim(${b}) and input value's dim(${v}) numel(${values.length})`,
    );
  }
  if (b === 0) {
    throw new RuntimeError(
      'torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension',
    );
  }
  if (b !== 1 && !(b === v && sameSizes(boundaries.sizes.slice(0, -1), values.sizes.slice(0, -1)))) {
    throw new RuntimeError(
      `torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value tensor must match, but we got boundaries tensor ${showSizes(boundaries.sizes)} and input value tensor ${showSizes(values.sizes)}`,
    );
  }
  if (sorter === null) return;
  if (!sameSizes(boundaries.sizes, sorter.sizes)) {
    throw new RuntimeError(
      `torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor ${showSizes(boundaries.sizes)}and got sorter tensor ${showSizes(sorter.sizes)}`,
    );
  }
  if (sorter.dtype !== int64) {
    throw new RuntimeError(
      `torch.searchsorted(): sorter must be a tensor of long dtype but got dtype ${sorter.dtype.scalarTypeName}`,
    );
  }
  if (sorter.length > 0) {
    const size = sorter.sizes[b - 1];
    const [low, high] = [sorter.min().item(), sorter.max().item()];
    if (Number(low) < 0 || Number(high) >= size) {
      throw new RuntimeError('torch.searchsorted(): sorter index out of range');
    }
  }
}

function placesIn(boundaries: Tensor, values: Tensor, narrow: boolean, right: boolean): Tensor {
  const dtype = resultType(boundaries.dtype, boundaries.sizes.length, values.dtype, values.sizes.length);
  if (dtype === bool) throw new NotImplementedError(`"searchsorted_out_cpu" not implemented for 'Bool'`);
  const out = emptyTensor(values.storage.backend, values.sizes, narrow ? int32 : int64);
  const ready = (x: Tensor) => x.detach().to(dtype).contiguous();
  search(out, ready(boundaries), ready(values), right);
  return finishNew(out, [values]);
}

define(
  {
    doc: 'For every value its place in the sorted sequence (the last dimension): before equal elements, or with right behind them.',
    method: false,
  },
  {
    'searchsorted(Tensor sorted_sequence, Tensor|Scalar input, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor':
      (
        boundaries: Tensor,
        input: Tensor | number,
        narrow: boolean,
        right: boolean,
        side: string | null,
        sorter: Tensor | null,
      ) => {
        const values = asTensor(input, boundaries);
        sameBackend('searchsorted', [boundaries, values, sorter], ['sorted_sequence', 'input', 'sorter']);
        if (side !== null && side !== 'left' && side !== 'right') {
          throw new RuntimeError(`torch.searchsorted(): side can only be 'left' or 'right' but got ${side}`);
        }
        if (right && side === 'left') {
          throw new RuntimeError(
            `torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True`,
          );
        }
        checkSearch(boundaries, values, sorter);
        const sequence = sorter === null ? boundaries : boundaries.detach().gather(-1, sorter);
        return placesIn(sequence, values, narrow, right || side === 'right');
      },
  },
);

define(
  {
    doc: 'For every value the number of its bucket between the sorted boundaries, a vector: as `searchsorted`, the other way round.',
    method: false,
  },
  {
    'bucketize(Tensor|Scalar input, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor': (
      input: Tensor | number,
      boundaries: Tensor,
      narrow: boolean,
      right: boolean,
    ) => {
      if (boundaries.sizes.length !== 1) {
        throw new RuntimeError(`boundaries tensor must be 1 dimension, but got dim(${boundaries.sizes.length})`);
      }
      const values = asTensor(input, boundaries);
      sameBackend('bucketize', [boundaries, values], ['boundaries', 'input']);
      return placesIn(boundaries, values, narrow, right);
    },
  },
);

define(
  { doc: 'How often every whole number from 0 up is there, or the sum of its weights. Waits for the device.' },
  {
    'bincount(Tensor self, Tensor? weights=None, int minlength=0) -> Tensor': (
      self: Tensor,
      weights: Tensor | null,
      minlength: number,
    ) => {
      if (self.dtype.is_floating_point || self.dtype === bool) {
        throw new NotImplementedError(`"bincount_cpu" not implemented for '${self.dtype.scalarTypeName}'`);
      }
      if (minlength < 0) throw new RuntimeError('minlength should be >= 0');
      sameBackend('bincount', [self, weights], ['self', 'weights']);
      const x = self.detach();
      if (x.sizes.length === 1 && x.length === 0) return x.new_zeros(minlength, { dtype: int64 });
      if (x.sizes.length !== 1 || Number(x.min().item()) < 0) {
        throw new RuntimeError('bincount only supports 1-d non-negative integral inputs.');
      }
      if (weights !== null && (weights.sizes.length !== 1 || weights.length !== x.length)) {
        throw new RuntimeError('weights should be 1-d and have the same length as input');
      }
      const bins = Math.max(minlength, Number(x.max().item()) + 1);
      const dtype: DType = weights === null ? int64 : weights.dtype === float32 ? float32 : float64;
      const added = weights === null ? x.new_ones(1, { dtype }).expand(x.length) : weights.detach().to(dtype);
      return x.new_zeros(bins, { dtype }).index_add_(0, x.to(int64), added);
    },
  },
);

/** The range of a histogram: of the elements where none is given, never empty. */
function histogramRange(x: Tensor, low: number, high: number): [number, number] {
  let [from, to] = [low, high];
  if (from === to && x.length > 0) {
    from = Number(x.min().item());
    to = Number(x.max().item());
  }
  if (from === to) {
    from -= 1;
    to += 1;
  }
  if (!Number.isFinite(from) || !Number.isFinite(to)) {
    const shown = (v: number) => String(v).replace('Infinity', 'inf').replace('NaN', 'nan');
    throw new RuntimeError(`torch.histc: range of [${shown(from)}, ${shown(to)}] is not finite`);
  }
  if (from > to) throw new RuntimeError('torch.histc: max must be larger than min');
  return [from, to];
}

define(
  {
    doc: 'How many elements fall in each of `bins` equal parts of [min, max]; min = max = 0 takes the range of the elements.',
  },
  {
    'histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor': (
      self: Tensor,
      bins: number,
      min: number,
      max: number,
    ) => {
      const { dtype } = self;
      if (!dtype.is_floating_point) {
        throw new NotImplementedError(`"histogram_cpu" not implemented for '${dtype.scalarTypeName}'`);
      }
      if (bins <= 0) {
        throw new RuntimeError(`torch.histogram(): bins must be > 0, but got ${bins} for dimension 0`);
      }
      const x = self.detach().reshape(-1);
      const [from, to] = histogramRange(x, Number(min), Number(max));
      // In the input's own precision, as PyTorch.
      const place = x
        .sub(from)
        .mul(bins)
        .div(to - from)
        .to(int64)
        .clamp_(0, bins - 1);
      const inside = x.ge(from).mul(x.le(to)).to(dtype);
      const counted = x.new_zeros(bins, { dtype }).index_add_(0, place, inside);
      return finishNew(counted, [self]);
    },
  },
);

define(
  { doc: 'Whether each element is among test_elements (with invert: is not).', method: false },
  {
    'isin(Tensor|Scalar elements, Tensor|Scalar test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor':
      (elements: Tensor | number, test: Tensor | number, _unique: boolean, invert: boolean) => {
        const some = elements instanceof Tensor ? elements : (test as Tensor);
        if (!(some instanceof Tensor)) {
          throw new TypeError('isin() takes at least one tensor');
        }
        for (const given of [elements, test]) {
          if (typeof given === 'boolean' || (given instanceof Tensor && given.dtype === bool)) {
            throw new RuntimeError('Unsupported input type encountered for isin(): Bool');
          }
        }
        const x = asTensor(elements, some).detach();
        sameBackend('isin', [x, asTensor(test, some)], ['elements', 'test_elements']);
        let tested = asTensor(test, some).detach().reshape(-1);
        // NaN equals nothing.
        if (tested.dtype.is_floating_point) tested = tested.masked_select(tested.eq(tested));
        const sorted = tested.sort().values;
        if (sorted.length === 0) return x.new_full(x.sizes as number[], invert, { dtype: bool });
        const place = placesIn(sorted, x, false, false).clamp_(null, sorted.length - 1);
        const found = sorted
          .index_select(0, place.reshape(-1))
          .reshape(x.sizes as number[])
          .eq(x);
        return invert ? found.logical_not() : found;
      },
  },
);
