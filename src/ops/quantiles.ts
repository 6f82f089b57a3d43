/** Quantiles: quantile, nanquantile. */
import { no_grad } from '../autograd/mode.ts';
import { float32, float64, int64 } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { wrapDim } from '../core/shape.ts';
import { Tensor } from '../tensor/tensor.ts';
import { define } from './registry.ts';
import { sort } from './sorting.ts';

const INTERPOLATIONS = ['linear', 'lower', 'higher', 'midpoint', 'nearest'];
/** Positions of more elements are not whole in float32. */
const MOST = 2 ** 24;

function check(self: Tensor, q: Tensor): void {
  if (self.length === 0) throw new RuntimeError('quantile() input tensor must be non-empty');
  if (q.sizes.length > 1) throw new RuntimeError('quantile() q must be a scalar or 1D tensor');
  if (self.dtype !== float32 && self.dtype !== float64) {
    throw new RuntimeError('quantile() input tensor must be either float or double dtype');
  }
  if (q.dtype !== self.dtype) throw new RuntimeError('quantile() q tensor must be same dtype as the input tensor');
  if (q.storage.backend !== self.storage.backend) {
    throw new RuntimeError('quantile() q tensor must be on the same device as the input tensor');
  }
}

/** Numbers along the last dimension, sorted: [...kept, n]. */
function rowsOf(self: Tensor, dim: number | null): Tensor {
  if (dim === null) return sort(self.flatten(), -1, false).values;
  const rank = self.sizes.length;
  if (rank === 0 || dim === rank - 1) return sort(rank === 0 ? self.flatten() : self, -1, false).values;
  return sort(self.unsqueeze(-1).transpose(dim, -1), -1, false).values.squeeze(dim);
}

function quantile(
  self: Tensor,
  q: Tensor | number,
  dim: number | null,
  keepdim: boolean,
  interpolation: string,
  ignoreNaN: boolean,
): Tensor {
  if (!(q instanceof Tensor) && !(q >= 0 && q <= 1)) {
    throw new RuntimeError(`quantile() q must be in the range [0, 1] but got ${Number.isNaN(q) ? 'nan' : q}`);
  }
  if (!INTERPOLATIONS.includes(interpolation)) {
    throw new RuntimeError(
      `quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got ${interpolation}`,
    );
  }
  const where = q instanceof Tensor ? q : self.new_full([], q, { dtype: self.dtype });
  check(self, where);
  const { sizes } = self;
  const rank = sizes.length;
  const at = dim === null ? null : wrapDim(dim, rank);
  if (q instanceof Tensor) {
    // Waits for the device.
    const inside = no_grad(() => q.ge(0).logical_and_(q.le(1)).all().item());
    if (!inside) throw new RuntimeError('quantile() q values must be in the range [0, 1]');
  }
  const sorted = rowsOf(self, at);
  const n = sorted.sizes[sorted.sizes.length - 1];
  if (n > MOST) throw new RuntimeError('quantile() input tensor is too large');

  // [...kept, q]
  const nan = sorted.isnan();
  let ranks: Tensor;
  if (ignoreNaN) {
    // All are NaN: rank 0, which is NaN.
    ranks = where.mul(nan.logical_not().sum([-1], true).sub(1));
    ranks = ranks.masked_fill(ranks.lt(0), 0);
  } else {
    // The last is NaN if there is one.
    const shape = [...sorted.sizes.slice(0, -1), where.length];
    ranks = where
      .mul(n - 1)
      .expand(shape)
      .masked_fill(nan.any(-1, true), n - 1);
  }
  if (interpolation === 'lower') ranks = ranks.floor();
  else if (interpolation === 'higher') ranks = ranks.ceil();
  else if (interpolation === 'nearest') ranks = ranks.round();
  const below = ranks.detach().to(int64);
  let values = sorted.gather(-1, below);
  if (interpolation === 'linear' || interpolation === 'midpoint') {
    const weights = interpolation === 'midpoint' ? ranks.detach().mul(0).add(0.5) : ranks.sub(below);
    values = values.lerp(sorted.gather(-1, ranks.detach().ceil().to(int64)), weights);
  }
  if (keepdim) {
    // [...kept with ones, q]
    const shape = at === null ? new Array<number>(rank).fill(1) : sizes.map((size, d) => (d === at ? 1 : size));
    values = values.reshape([...shape, where.length]);
  }
  if (where.sizes.length === 0) return values.squeeze_(-1);
  // The quantiles come first.
  return values.unsqueeze(0).transpose_(0, -1).squeeze_(-1);
}

for (const [name, doc, ignoreNaN] of [
  [
    'quantile',
    'The q-quantiles, q between 0 and 1, of all elements or along dim, between neighbours as interpolation says. NaN if there is one.',
    false,
  ],
  ['nanquantile', 'The q-quantiles as by `quantile`, of the elements that are not NaN.', true],
] as const) {
  define(
    { doc },
    {
      [`${name}(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation="linear") -> Tensor`]: (
        self: Tensor,
        q: Tensor,
        dim: number | null,
        keepdim: boolean,
        interpolation: string,
      ) => quantile(self, q, dim, keepdim, interpolation, ignoreNaN),
      [`${name}(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation="linear") -> Tensor`]: (
        self: Tensor,
        q: number,
        dim: number | null,
        keepdim: boolean,
        interpolation: string,
      ) => quantile(self, q, dim, keepdim, interpolation, ignoreNaN),
    },
  );
}
