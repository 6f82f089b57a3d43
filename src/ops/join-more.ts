/** Further ways to join tensors: hstack and its kin, grids and products of vectors. */

import { int64 } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { showSizes } from '../core/shape.ts';
import { warnOnce } from '../core/warn.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { fromHost } from './host.ts';
import { cat, stack } from './join.ts';
import { define } from './registry.ts';
import { expand } from './views.ts';
import { atLeast } from './views-more.ts';

function some(name: string, tensors: readonly Tensor[]): void {
  if (tensors.length === 0) throw new RuntimeError(`${name} expects a non-empty TensorList`);
}

define(
  { doc: 'Tensors side by side: along dimension 1, vectors along 0.' },
  {
    'hstack(Tensor[] tensors) -> Tensor': (tensors: Tensor[]) => {
      some('hstack', tensors);
      const raised = tensors.map((x) => atLeast(1, x));
      return cat(raised, raised[0].sizes.length === 1 ? 0 : 1);
    },
  },
);

for (const name of ['vstack', 'row_stack'] as const) {
  define(
    { doc: 'Tensors one below the other, vectors as rows.' },
    {
      [`${name}(Tensor[] tensors) -> Tensor`]: (tensors: Tensor[]) => {
        some('vstack', tensors);
        return cat(
          tensors.map((x) => atLeast(2, x)),
          0,
        );
      },
    },
  );
}

define(
  { doc: 'Tensors one behind the other, along dimension 2.' },
  {
    'dstack(Tensor[] tensors) -> Tensor': (tensors: Tensor[]) => {
      some('dstack', tensors);
      return cat(
        tensors.map((x) => atLeast(3, x)),
        2,
      );
    },
  },
);

define(
  { doc: 'Tensors side by side, vectors as columns.' },
  {
    'column_stack(Tensor[] tensors) -> Tensor': (tensors: Tensor[]) => {
      some('column_stack', tensors);
      return cat(
        tensors.map((x) => (x.sizes.length <= 1 ? x.reshape(x.length, 1) : x)),
        1,
      );
    },
  },
);

function meshgrid(tensors: readonly Tensor[], indexing: string): Tensor[] {
  some('meshgrid', tensors);
  tensors.forEach((x, i) => {
    if (x.sizes.length > 1) {
      throw new RuntimeError(
        `torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: a tensor of shape ${showSizes(x.sizes)}`,
      );
    }
    if (i > 0 && x.dtype !== tensors[i - 1].dtype) {
      throw new RuntimeError('meshgrid expects all tensors to have the same dtype');
    }
    if (i > 0 && x.storage.backend !== tensors[i - 1].storage.backend) {
      throw new RuntimeError('torch.meshgrid expects all tensors to have the same device');
    }
  });
  if (indexing !== 'ij' && indexing !== 'xy') {
    throw new RuntimeError(`torch.meshgrid: indexing must be one of "xy" or "ij", but received: ${indexing}`);
  }
  const swapped = indexing === 'xy' && tensors.length >= 2;
  const list = swapped ? [tensors[1], tensors[0], ...tensors.slice(2)] : tensors;
  const sizes = list.map((x) => x.length);
  const grids = list.map((x, i) => expand(x.view(sizes.map((_, d) => (d === i ? -1 : 1))), sizes));
  if (swapped) [grids[0], grids[1]] = [grids[1], grids[0]];
  return grids;
}

function meshgridOf(tensors: Tensor[], indexing: string | null): Tensor[] {
  if (indexing === null) {
    warnOnce('torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.');
  }
  return meshgrid(tensors, indexing ?? 'ij');
}

define(
  { doc: 'For every vector a grid of its values over the sizes of all; indexing "ij" or "xy" (first two exchanged).' },
  {
    'meshgrid(Tensor... tensors, *, str? indexing=None) -> Tensor[]': meshgridOf,
  },
);

/** @throws RuntimeError unless x is a vector */
function needVector(x: Tensor): void {
  if (x.sizes.length !== 1) throw new RuntimeError(`Expect a 1D vector, but got shape ${showSizes(x.sizes)}`);
}

define(
  { doc: 'Every combination of one element of each vector, one row each; of one vector itself.' },
  {
    'cartesian_prod(Tensor... tensors) -> Tensor': (tensors: Tensor[]) => {
      tensors.forEach(needVector);
      if (tensors.length === 1) return tensors[0];
      return stack(
        meshgrid(tensors, 'ij').map((x) => x.flatten()),
        1,
      );
    },
  },
);

define(
  { doc: 'Every choice of r elements of a vector, in order; with_replacement: also the same one again.' },
  {
    'combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor': (
      self: Tensor,
      r: number,
      again: boolean,
    ) => {
      needVector(self);
      if (r < 0) throw new RuntimeError(`Expect a non-negative number, but got ${r}`);
      if (r === 0) return self.new_empty(0);
      const columns: bigint[][] = Array.from({ length: r }, () => []);
      const chosen = new Array<number>(r).fill(0);
      const choose = (k: number, from: number): void => {
        if (k === r) {
          chosen.forEach((value, i) => {
            columns[i].push(BigInt(value));
          });
          return;
        }
        for (let i = from; i < self.length; i++) {
          chosen[k] = i;
          choose(k + 1, again ? i : i + 1);
        }
      };
      choose(0, 0);
      const { backend } = self.storage;
      return stack(
        columns.map((list) => self.index_select(0, fromHost(backend, [list.length], int64, BigInt64Array.from(list)))),
        1,
      );
    },
  },
);
