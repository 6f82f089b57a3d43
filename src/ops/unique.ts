/** unique and unique_consecutive: the distinct elements, or slices along a dimension. */

import { record } from '../autograd/record.ts';
import { bool, int64 } from '../core/dtype.ts';
import { IndexError, RuntimeError } from '../core/errors.ts';
import { wrapDim } from '../core/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { finishNew } from './inplace.ts';
import { nonzero } from './indexing.ts';
import { fromHost } from './host.ts';
import { cat } from './join.ts';
import { define } from './registry.ts';
import { sort } from './sorting.ts';

type Result = Tensor | Tensor[];

interface Groups {
  /** Positions where a new group begins. */
  readonly starts: Tensor;
  /** The group of every element. */
  readonly numbers: Tensor | null;
  readonly counts: Tensor | null;
}

/** Groups of neighbours; `begins[i]`: whether element i + 1 differs from the one before. Waits for the device. */
function groupsOf(begins: Tensor, wantsNumbers: boolean, wantsCounts: boolean): Groups {
  const flags = cat([begins.new_ones(1), begins]);
  const starts = nonzero(flags).select(1, 0);
  const numbers = wantsNumbers ? flags.cumsum(0).sub_(1) : null;
  let counts: Tensor | null = null;
  if (wantsCounts) {
    const end = fromHost(flags.storage.backend, [1], int64, BigInt64Array.of(BigInt(flags.length)));
    counts = cat([starts.narrow(0, 1, starts.length - 1), end]).sub(starts);
  }
  return { starts: starts.contiguous(), numbers, counts };
}

/** The results that were asked for, as PyTorch gives them: one tensor, or several. */
function results(values: Tensor, inverse: Tensor | null, counts: Tensor | null): Result {
  if (inverse === null && counts === null) return values;
  return [values, ...(inverse === null ? [] : [inverse]), ...(counts === null ? [] : [counts])];
}

const noDerivative = (name: string) => (): never => {
  throw new RuntimeError(`the derivative for '${name}' is not implemented.`);
};

/** The distinct elements of the flattened tensor. */
function uniqueElements(self: Tensor, sorted: boolean, inverse: boolean, counts: boolean): Result {
  const name = sorted ? '_unique2' : 'unique_consecutive';
  const node = sorted ? 'Unique2Backward0' : 'UniqueConsecutiveBackward0';
  const x = self.detach().reshape(-1);
  const n = x.length;
  if (n === 0) {
    const empty = self.detach().new_empty(0);
    const zero = () => self.detach().new_zeros(self.sizes as number[], { dtype: int64 });
    return results(empty, inverse ? zero() : null, counts ? self.detach().new_zeros(0, { dtype: int64 }) : null);
  }
  const [values, indices] = sorted ? sort(x, 0, false) : [x, null];
  const begins = values.narrow(0, 1, n - 1).ne(values.narrow(0, 0, n - 1));
  const groups = groupsOf(begins, inverse, counts);
  const out = finishNew(values.index_select(0, groups.starts), [self]);
  let numbers = groups.numbers;
  if (numbers !== null) {
    if (indices !== null) numbers = numbers.new_empty(n).scatter_(0, indices, numbers);
    numbers = numbers.view(self.sizes as number[]);
  }
  record(node, out, [self], [], noDerivative(name));
  return results(out, numbers, groups.counts);
}

/** The distinct slices along dim. */
function uniqueSlices(self: Tensor, dim: number, sorted: boolean, inverse: boolean, counts: boolean): Result {
  const rank = self.sizes.length;
  const at = wrapDim(dim, rank);
  if (rank === 0) throw new IndexError(`Dimension specified as ${dim} but tensor has no dimensions`);
  const n = self.sizes[at];
  if (self.length === 0) {
    if (n !== 0) {
      throw new RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
    }
    const none = () => self.detach().new_zeros(0, { dtype: int64 });
    return results(self.detach().clone(), inverse ? none() : null, counts ? none() : null);
  }
  const slices = self.detach().movedim(at, 0).reshape(n, -1);
  // Stable sorts by every column, the last one first.
  let order: Tensor | null = null;
  if (sorted) {
    for (let column = slices.sizes[1] - 1; column >= 0; column--) {
      const keys: Tensor = slices.select(1, column);
      const next: Tensor = sort(order === null ? keys : keys.index_select(0, order), 0, false).indices;
      order = order === null ? next : order.index_select(0, next);
    }
  }
  const ordered = order === null ? slices : slices.index_select(0, order);
  const begins = ordered
    .narrow(0, 1, n - 1)
    .ne(ordered.narrow(0, 0, n - 1))
    .any(1);
  const groups = groupsOf(begins.to(bool), inverse, counts);
  const chosen = order === null ? groups.starts : order.index_select(0, groups.starts);
  const out = finishNew(self.detach().index_select(at, chosen), [self]);
  let numbers = groups.numbers;
  if (numbers !== null && order !== null) numbers = numbers.new_empty(n).scatter_(0, order, numbers);
  const [name, node] = sorted
    ? ['unique_dim', 'UniqueDimBackward0']
    : ['unique_dim_consecutive', 'UniqueDimConsecutiveBackward0'];
  record(node, out, [self], [], noDerivative(name));
  return results(out, numbers, groups.counts);
}

define(
  {
    doc: 'The distinct elements, or slices along dim, sorted; with return_inverse and return_counts a list: values, the place of every element among them, how often each is there. Waits for the device.',
  },
  {
    'unique(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False, int? dim=None) -> Tensor':
      (self: Tensor, _sorted: boolean, inverse: boolean, counts: boolean, dim: number | null) =>
        dim === null ? uniqueElements(self, true, inverse, counts) : uniqueSlices(self, dim, true, inverse, counts),
  },
);

define(
  {
    doc: 'One of every run of equal elements, or slices along dim; with return_inverse and return_counts a list, as `unique` gives. Waits for the device.',
  },
  {
    'unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> Tensor': (
      self: Tensor,
      inverse: boolean,
      counts: boolean,
      dim: number | null,
    ) =>
      dim === null ? uniqueElements(self, false, inverse, counts) : uniqueSlices(self, dim, false, inverse, counts),
  },
);
