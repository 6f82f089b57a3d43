/** Triangles and diagonals of matrices: tril, triu and their indices, diag, diag_embed, diagflat. */

import { changeInplace, checkChange } from '../autograd/inplace.ts';
import { mode } from '../autograd/mode.ts';
import { type BackwardFunction, record, touchGraphOf } from '../autograd/record.ts';
import type { DeviceLike } from '../core/device.ts';
import { type DType, int32, int64 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { wrapDim } from '../core/shape.ts';
import { copy } from '../kernels/copy.ts';
import { triangle } from '../kernels/triangle.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { FLAG_INFERENCE, type Tensor } from '../tensor/tensor.ts';
import { encode, fromHost } from './host.ts';
import { checkOverlap } from './layout.ts';
import { backendOf, finishLeaf } from './options.ts';
import { wantsPinned } from './pinned.ts';
import { define } from './registry.ts';
import { diagonal as diagonalOf } from './views-more.ts';

function finish(out: Tensor, self: Tensor): Tensor {
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  if (!mode.grad) touchGraphOf(self);
  return out;
}

for (const [name, lower] of [
  ['tril', true],
  ['triu', false],
] as const) {
  const node = `${lower ? 'Tril' : 'Triu'}Backward0`;
  // Made apart from the functions that have the tensors: what one closure there refers to, all keep.
  const backward =
    (diagonal: number): BackwardFunction =>
    ([grad]) =>
      keep(grad!, diagonal);
  const check = (self: Tensor) => {
    if (self.sizes.length < 2) throw new RuntimeError(`${name}: input tensor must have at least 2 dimensions`);
  };
  const keep = (self: Tensor, diagonal: number): Tensor => {
    check(self);
    const out = emptyTensor(self.storage.backend, self.sizes, self.dtype);
    let source = self;
    if (!self.contiguousNow) copy((source = out), self);
    triangle(out, source, diagonal, lower);
    return record(node, finish(out, self), [self], [], backward(diagonal));
  };
  define(
    {
      doc: `Matrices (the last two dimensions) with zeros ${lower ? 'above' : 'below'} the given diagonal (0 is the main one).`,
    },
    { [`${name}(Tensor self, int diagonal=0) -> Tensor`]: keep },
  );
  define(
    { doc: `In-place form of \`${name}\`.`, function: false },
    {
      [`${name}_(Tensor(a!) self, int diagonal=0) -> Tensor(a!)`]: (self: Tensor, diagonal: number) => {
        checkChange(self, [self]);
        check(self);
        checkOverlap(self, []);
        const write = () => {
          if (self.contiguousNow) {
            triangle(self, self, diagonal, lower);
            return;
          }
          const result = keep(self.detach(), diagonal);
          copy(self, result);
          result.storage.freeNow();
        };
        return changeInplace(node, self, [self], [], write, backward(diagonal));
      },
    },
  );
}

/** Rows and columns of the places of a triangle, row by row: [2, count]. */
function triangleIndices(
  name: string,
  row: number,
  column: number,
  within: (i: number) => readonly [from: number, to: number],
  dtype: DType | null,
  device: DeviceLike | null,
  pin_memory: boolean,
): Tensor {
  if (row < 0) throw new RuntimeError(`row must be non-negative, got${row}`);
  if (column < 0) throw new RuntimeError(`col must be non-negative, got${column}`);
  const type = dtype ?? int64;
  if (type !== int64 && type !== int32) {
    throw new NotImplementedError(`"${name}" not implemented for '${type.scalarTypeName}'`);
  }
  const rows: number[] = [];
  const columns: number[] = [];
  for (let i = 0; i < row; i++) {
    const [from, to] = within(i);
    for (let j = Math.max(0, from); j < Math.min(column, to); j++) {
      rows.push(i);
      columns.push(j);
    }
  }
  const array = new type.array(2 * rows.length);
  const { length } = rows;
  for (let k = 0; k < length; k++) {
    array[k] = encode(type, rows[k]);
    array[length + k] = encode(type, columns[k]);
  }
  const backend = backendOf(device);
  return finishLeaf(fromHost(backend, [2, length], type, array, wantsPinned(backend, pin_memory)), false);
}

for (const [name, which, within] of [
  ['tril_indices', 'lower', (i: number, offset: number) => [0, i + offset + 1] as const],
  ['triu_indices', 'upper', (i: number, offset: number) => [i + offset, Infinity] as const],
] as const) {
  define(
    { doc: `Rows and columns of the places in the ${which} triangle of a row x col matrix, [2, count].` },
    {
      [`${name}(int row, int col, int offset=0, *, dtype? dtype=None, device? device=None, bool pin_memory=False) -> Tensor`]:
        (
          row: number,
          col: number,
          offset: number,
          dtype: DType | null,
          device: DeviceLike | null,
          pin_memory: boolean,
        ) => triangleIndices(name, row, col, (i) => within(i, offset), dtype, device, pin_memory),
    },
  );
}

function diagEmbed(self: Tensor, offset: number, dim1: number, dim2: number): Tensor {
  const rank = self.sizes.length + 1;
  const a = wrapDim(dim1, rank);
  const b = wrapDim(dim2, rank);
  if (a === b) throw new RuntimeError(`diagonal dimensions cannot be identical ${dim1}, ${dim2}`);
  const side = self.sizes[rank - 2] + Math.abs(offset);
  const sizes = self.sizes.slice(0, -1);
  sizes.splice(Math.min(a, b), 0, side);
  sizes.splice(Math.max(a, b), 0, side);
  const out = self.new_zeros(sizes);
  const target = diagonalOf(out, offset, a, b);
  copy(target, self);
  target.dispose();
  return record('DiagEmbedBackward0', finish(out, self), [self], [], ([grad]) => grad!.diagonal(offset, a, b));
}

define(
  { doc: 'Matrices of zeros (dimensions dim1 and dim2) with the last dimension of self on a diagonal.' },
  { 'diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor': diagEmbed },
);

define(
  { doc: 'The diagonal of a matrix as a new vector, or a matrix with a vector on its diagonal.' },
  {
    'diag(Tensor self, int diagonal=0) -> Tensor': (self: Tensor, offset: number) => {
      const rank = self.sizes.length;
      if (rank === 1) return diagEmbed(self, offset, 0, 1);
      if (rank !== 2) throw new RuntimeError(`diag(): Supports 1D or 2D tensors. Got ${rank}D`);
      const line = diagonalOf(self.detach(), offset, 0, 1);
      const out = emptyTensor(self.storage.backend, line.sizes, self.dtype);
      copy(out, line);
      const own = self.sizes;
      return record('DiagonalBackward0_copy', finish(out, self), [self], [], ([grad]) => {
        const full = grad!.new_zeros(own as number[]);
        full.diagonal(offset, 0, 1).copy_(grad!);
        return full;
      });
    },
  },
);

define(
  { doc: 'A matrix with the flattened input on a diagonal.' },
  {
    'diagflat(Tensor self, int offset=0) -> Tensor': (self: Tensor, offset: number) =>
      diagEmbed(self.reshape(-1), offset, 0, 1),
  },
);
