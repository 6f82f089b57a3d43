/** Differences of neighbours: diff. */
import { bool } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { wrapDim } from '../core/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { cat } from './join.ts';
import { define } from './registry.ts';

function checkFits(self: Tensor, other: Tensor | null, dim: number): void {
  if (other === null) return;
  const at = wrapDim(dim, self.sizes.length);
  if (other.sizes.length !== self.sizes.length) {
    throw new RuntimeError('diff expects prepend or append to be the same dimension as input');
  }
  other.sizes.forEach((size, d) => {
    if (d === at || size === self.sizes[d]) return;
    throw new RuntimeError(
      `diff expects the shape of tensor to prepend or append to match that of input except along the differencing dimension; input.size(${d}) = ${self.sizes[d]}, but got tensor.size(${d}) = ${size}`,
    );
  });
}

define(
  {
    doc: 'Differences of neighbours along dim, n times over: of length n less. Between bools, whether they differ. prepend and append are put to the ends first.',
  },
  {
    'diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor': (
      self: Tensor,
      n: number,
      dim: number,
      prepend: Tensor | null,
      append: Tensor | null,
    ) => {
      const rank = self.sizes.length;
      if (rank === 0) throw new RuntimeError('diff expects input to be at least one-dimensional');
      if (n < 0) throw new RuntimeError(`order must be non-negative but got ${n}`);
      checkFits(self, prepend, dim);
      checkFits(self, append, dim);
      let out = self;
      if (n > 0 && (prepend !== null || append !== null)) {
        out = cat(
          [prepend, self, append].filter((x) => x !== null),
          dim,
        );
      }
      const at = wrapDim(dim, rank);
      const times = Math.min(n, out.sizes[at]);
      if (times === 0) return out.clone();
      for (let k = 0; k < times; k++) {
        const left = out.sizes[at] - 1;
        const [after, before] = [out.narrow(at, 1, left), out.narrow(at, 0, left)];
        out = out.dtype === bool ? after.logical_xor(before) : after.sub(before);
      }
      return out;
    },
  },
);
