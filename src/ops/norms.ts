/** Norms of vectors and matrices: norm, linalg.vector_norm, linalg.matrix_norm, linalg.norm. */

import { type DType, FLOAT_CATEGORY } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { promoteTypes } from '../core/promote.ts';
import { wrapDim } from '../core/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { define } from './registry.ts';
import { shown, vectorNorm } from './vector-norm.ts';

/** dtype that a norm is computed in. @throws RuntimeError as PyTorch, with the function's name */
function normDType(name: string, self: Tensor, dtype: DType | null): DType {
  if (self.dtype.category !== FLOAT_CATEGORY) {
    throw new RuntimeError(
      `${name}: Expected a floating point or complex tensor as input. Got ${self.dtype.scalarTypeName}`,
    );
  }
  if (dtype === null) return self.dtype;
  if (dtype.category !== FLOAT_CATEGORY) {
    throw new RuntimeError(`${name}: dtype should be floating point or complex, but got ${dtype.scalarTypeName}`);
  }
  if (promoteTypes(self.dtype, dtype) !== dtype) {
    throw new RuntimeError(
      `${name}: the dtype of the input (${self.dtype.scalarTypeName}) should be convertible without narrowing to the specified dtype (${dtype.scalarTypeName})`,
    );
  }
  return dtype;
}

function norm(self: Tensor, p: number, dims: readonly number[] | null, keepdim: boolean, dtype: DType | null): Tensor {
  const to = normDType('linalg.vector_norm', self, dtype);
  const all = dims === null || dims.length === 0;
  return vectorNorm(self, p, all ? null : dims, keepdim, 'LinalgVectorNormBackward0', to);
}

define(
  {
    doc: 'The ord-norm over all elements, or over the dimensions dim; ord may be every number, Infinity and -Infinity too.',
    linalg: true,
  },
  {
    'linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor':
      (self: Tensor, ord: number, dim: number[] | null, keepdim: boolean, dtype: DType | null) =>
        norm(self, Number(ord), dim, keepdim, dtype),
  },
);

function checkMatrix(self: Tensor, dims: readonly number[]): [number, number] {
  if (self.sizes.length < 2) {
    throw new RuntimeError('linalg.matrix_norm: The input tensor A must have at least 2 dimensions.');
  }
  if (dims.length !== 2) {
    throw new RuntimeError(`linalg.matrix_norm: dim must be a 2-tuple. Got ${dims.join(' ')}`);
  }
  const [a, b] = dims.map((d) => wrapDim(d, self.sizes.length));
  if (a === b) throw new RuntimeError(`linalg.matrix_norm: dims must be different. Got (${dims.join(', ')})`);
  return [a, b];
}

const singular = (ord: unknown) =>
  new NotImplementedError(
    `linalg.matrix_norm: the norm of order ${String(ord)} needs singular values, which are not there yet; 'fro', 1, -1, Infinity and -Infinity are`,
  );

function matrixNorm(
  self: Tensor,
  ord: string | number,
  dims: readonly number[],
  keepdim: boolean,
  dtype: DType | null,
): Tensor {
  if (typeof ord === 'string' && ord !== 'fro' && ord !== 'nuc') {
    throw new RuntimeError(`linalg.matrix_norm: Order ${ord} not supported.`);
  }
  const size = typeof ord === 'string' ? 0 : Math.abs(ord);
  if (typeof ord !== 'string' && size !== 1 && size !== 2 && size !== Infinity) {
    throw new RuntimeError(`linalg.matrix_norm: Order ${shown(ord)} not supported.`);
  }
  const [a, b] = checkMatrix(self, dims);
  const to = normDType('linalg.matrix_norm', self, dtype);
  if (ord === 'fro') return norm(self, 2, [a, b], keepdim, dtype);
  if (typeof ord === 'string' || size === 2) {
    if (to.itemsize < 4) {
      throw new RuntimeError(`linalg.matrix_norm: Low precision dtypes not supported. Got ${to.scalarTypeName}`);
    }
    throw singular(ord);
  }
  // Sums along one dimension, then the largest or smallest along the other.
  const [summed, kept] = size === 1 ? [a, b] : [b, a];
  const sums = norm(self.to(to), 1, [summed], keepdim, null);
  const at = keepdim || kept < summed ? kept : kept - 1;
  return ord > 0 ? sums.amax(at, keepdim) : sums.amin(at, keepdim);
}

define(
  { doc: "Norms of matrices (two dimensions): 'fro', 1, -1, Infinity, -Infinity.", linalg: true },
  {
    'linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2,-1], bool keepdim=False, *, dtype? dtype=None) -> Tensor':
      (self: Tensor, ord: number, dim: number[], keepdim: boolean, dtype: DType | null) =>
        matrixNorm(self, Number(ord), dim, keepdim, dtype),
    'linalg_matrix_norm(Tensor self, str ord="fro", int[] dim=[-2,-1], bool keepdim=False, *, dtype? dtype=None) -> Tensor':
      matrixNorm,
  },
);

function linalgNorm(
  self: Tensor,
  ord: string | number | null,
  dims: readonly number[] | null,
  keepdim: boolean,
  dtype: DType | null,
): Tensor {
  if (dims !== null && dims.length !== 1 && dims.length !== 2) {
    throw new RuntimeError(
      `linalg.norm: If dim is specified, it must be of length 1 or 2. Got ${`[${dims.join(', ')}]`}`,
    );
  }
  const rank = self.sizes.length;
  if (ord !== null) {
    if (dims === null && rank !== 1 && rank !== 2) {
      throw new RuntimeError(
        `linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got ${rank}D.`,
      );
    }
    const matrix = (dims?.length ?? rank) === 2;
    if (typeof ord === 'string') return matrixNorm(self, ord, dims ?? [0, 1], keepdim, dtype);
    return matrix ? matrixNorm(self, ord, dims ?? [0, 1], keepdim, dtype) : norm(self, ord, dims, keepdim, dtype);
  }
  return norm(self, 2, dims, keepdim, dtype);
}

define(
  {
    doc: 'The norm of a vector or a matrix, as the dimensions are one or two; without ord the 2-norm of all elements.',
    linalg: true,
  },
  {
    'linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor':
      (self: Tensor, ord: number | null, dim: number[] | null, keepdim: boolean, dtype: DType | null) =>
        linalgNorm(self, ord === null ? null : Number(ord), dim, keepdim, dtype),
    'linalg_norm(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor':
      linalgNorm,
  },
);

define(
  {
    doc: "The p-norm over all elements or the dimensions dim; 'fro' is the 2-norm. torch.linalg.vector_norm and matrix_norm are newer names.",
  },
  {
    'norm(Tensor self, Scalar p, int[1]? dim=None, bool keepdim=False, dtype? dtype=None) -> Tensor': (
      self: Tensor,
      p: number,
      dim: number[] | null,
      keepdim: boolean,
      dtype: DType | null,
    ) => norm(self, Number(p), dim, keepdim, dtype),
    'norm(Tensor self, str? p="fro", int[1]? dim=None, bool keepdim=False, dtype? dtype=None) -> Tensor': (
      self: Tensor,
      p: string | null,
      dim: number[] | null,
      keepdim: boolean,
      dtype: DType | null,
    ) => {
      const order = p ?? 'fro';
      if (order === 'fro' && (dim === null || dim.length <= 2)) return norm(self, 2, dim, keepdim, dtype);
      // Without dim it is over all of them, which must be two.
      return matrixNorm(self, order, dim ?? self.sizes.map((_, i) => i), keepdim, dtype);
    },
  },
);

define(
  { doc: 'The p-norm of self - other.' },
  {
    'dist(Tensor self, Tensor other, Scalar p=2) -> Tensor': (self: Tensor, other: Tensor, p: number) => {
      const difference = self.sub(other);
      if (difference.dtype.category !== FLOAT_CATEGORY) {
        throw new RuntimeError(
          `norm(): input dtype should be either floating point or complex. Got ${difference.dtype.scalarTypeName} instead.`,
        );
      }
      return vectorNorm(difference, Number(p), null, false, 'DistBackward0');
    },
  },
);
