/** Products of many matrices in the cheapest order: linalg.multi_dot, chain_matmul. */

import { RuntimeError } from '../core/errors.ts';
import { showSizes } from '../core/shape.ts';
import { warnOnce } from '../core/warn.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { C_NAMES } from './linalg.ts';
import { define } from './registry.ts';

/** Where to split the product of matrices i … j: the cheapest way for sizes p[i] x p[i + 1]. */
function splits(p: readonly number[]): number[][] {
  const n = p.length - 1;
  const cost = Array.from({ length: n }, () => new Array<number>(n).fill(0));
  const at = Array.from({ length: n }, () => new Array<number>(n).fill(0));
  for (let span = 1; span < n; span++) {
    for (let i = 0; i + span < n; i++) {
      const j = i + span;
      cost[i][j] = Infinity;
      for (let k = i; k < j; k++) {
        const here = cost[i][k] + cost[k + 1][j] + p[i] * p[k + 1] * p[j + 1];
        if (here < cost[i][j]) {
          cost[i][j] = here;
          at[i][j] = k;
        }
      }
    }
  }
  return at;
}

function multiDot(tensors: readonly Tensor[]): Tensor {
  const n = tensors.length;
  if (n < 2) throw new RuntimeError(`multi_dot(): expected at least 2 tensors but got ${n}`);
  const list = tensors.slice();
  const out: number[] = [];
  const ends = (i: number, x: Tensor) => {
    if (x.sizes.length === 1) list[i] = i === 0 ? x.unsqueeze(0) : x.unsqueeze(-1);
    else if (x.sizes.length === 2) out.push(i === 0 ? x.sizes[0] : x.sizes[1]);
    else {
      const which = i === 0 ? 'the first' : 'the last';
      throw new RuntimeError(`multi_dot(): ${which} tensor must be 1D or 2D but got ${x.sizes.length}D`);
    }
  };
  ends(0, tensors[0]);
  ends(n - 1, tensors[n - 1]);
  for (let i = 1; i < n - 1; i++) {
    if (list[i].sizes.length !== 2) {
      throw new RuntimeError(`multi_dot(): tensor ${i} must be 2D but got ${list[i].sizes.length}D`);
    }
  }
  for (let i = 1; i < n; i++) {
    if (list[i].dtype !== list[0].dtype) {
      throw new RuntimeError(
        `multi_dot(): all tensors must have be the same dtype but tensor 0 is ${C_NAMES[list[0].dtype.name]} and tensor ${i} ${C_NAMES[list[i].dtype.name]}`,
      );
    }
    if (list[i - 1].sizes[1] !== list[i].sizes[0]) {
      throw new RuntimeError(
        `multi_dot(): tensors ${i - 1} and ${i} with shapes ${showSizes(list[i - 1].sizes)} and ${showSizes(list[i].sizes)} cannot be multiplied`,
      );
    }
  }
  sameBackend(
    'multi_dot',
    list,
    list.map(() => 'tensors'),
  );
  const at = splits([list[0].sizes[0], ...list.map((x) => x.sizes[1])]);
  const multiply = (i: number, j: number): Tensor =>
    i === j ? list[i] : multiply(i, at[i][j]).mm(multiply(at[i][j] + 1, j));
  return multiply(0, n - 1).view(out);
}

define(
  {
    doc: 'The product of two or more matrices in the cheapest order; the first and the last may be vectors.',
    linalg: true,
  },
  { 'linalg_multi_dot(Tensor[] tensors) -> Tensor': multiDot },
);

define(
  { doc: 'The product of matrices in the cheapest order; torch.linalg.multi_dot is the newer name.' },
  {
    'chain_matmul(Tensor... matrices) -> Tensor': (matrices: Tensor[]) => {
      warnOnce(
        'torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather than multiple parameters.',
      );
      if (matrices.length === 0) throw new RuntimeError('chain_matmul(): Expected one or more matrices');
      for (const x of matrices) {
        if (x.sizes.length !== 2) {
          throw new RuntimeError(`Tensor dimension is ${x.sizes.length}, expected 2 instead.`);
        }
      }
      return matrices.length === 1 ? matrices[0].clone() : multiDot(matrices);
    },
  },
);
