/** Products of vectors and small matrices: vdot, outer, ger, inner, kron, cross, trace, linalg.vecdot, linalg.matmul. */

import { type BackwardFunction, record } from '../autograd/record.ts';
import { bool } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { broadcastSizes, showSizes, wrapDim } from '../core/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { tensordot } from './einsum.ts';
import { finishNew } from './inplace.ts';
import { dot, matmul } from './linalg.ts';
import { define } from './registry.ts';
import { unsafeView } from './views.ts';
import { diagonal } from './views-more.ts';

define(
  { doc: 'Dot product of two vectors.' },
  {
    'vdot(Tensor self, Tensor other) -> Tensor': (self: Tensor, other: Tensor) => dot(self, other, 'VdotBackward0'),
  },
);

function outer(self: Tensor, vec2: Tensor): Tensor {
  for (const [name, x] of [
    ['self', self],
    ['vec2', vec2],
  ] as const) {
    if (x.sizes.length !== 1) {
      throw new RuntimeError(`outer: Expected 1-D argument ${name}, but got ${x.sizes.length}-D`);
    }
  }
  return self.reshape(self.length, 1).mul(vec2);
}

for (const name of ['outer', 'ger'] as const) {
  define(
    { doc: 'Every product of an element of self with one of vec2: [n, m].' },
    { [`${name}(Tensor self, Tensor vec2) -> Tensor`]: outer },
  );
}

define(
  { doc: 'Sums of products over the last dimension of both.' },
  {
    'inner(Tensor self, Tensor other) -> Tensor': (self: Tensor, other: Tensor) => {
      const [a, b] = [self.sizes, other.sizes];
      if (a.length === 0 || b.length === 0) return self.mul(other);
      if (a[a.length - 1] !== b[b.length - 1]) {
        throw new RuntimeError(
          `inner() the last dimension must match on both input tensors but got shapes ${showSizes(a)} and ${showSizes(b)}`,
        );
      }
      return tensordot(self, other, [-1], [-1]);
    },
  },
);

define(
  { doc: 'Kronecker product: a block self[i, j] * other for every element of self.' },
  {
    'kron(Tensor self, Tensor other) -> Tensor': (self: Tensor, other: Tensor) => {
      const rank = Math.max(self.sizes.length, other.sizes.length);
      const a: number[] = [];
      const b: number[] = [];
      const sizes: number[] = [];
      for (let d = 0; d < rank; d++) {
        const n = self.sizes[d - rank + self.sizes.length] ?? 1;
        const m = other.sizes[d - rank + other.sizes.length] ?? 1;
        a.push(n, 1);
        b.push(1, m);
        sizes.push(n * m);
      }
      return unsafeView(self.reshape(a).mul(other.reshape(b)), sizes);
    },
  },
);

/** The vector product along a dimension of size 3 of tensors of one shape, without recording. */
function crossOf(a: Tensor, b: Tensor, dim: number): Tensor {
  const turned = (x: Tensor, by: number) => x.roll(-by, dim);
  return turned(a, 1)
    .mul(turned(b, 2))
    .sub(turned(a, 2).mul(turned(b, 1)));
}

function cross(self: Tensor, other: Tensor, dim: number): Tensor {
  if (self.sizes.length !== other.sizes.length) {
    throw new RuntimeError('linalg.cross: inputs must have the same number of dimensions.');
  }
  const at = wrapDim(dim, self.sizes.length);
  if (self.sizes[at] !== 3 || other.sizes[at] !== 3) {
    throw new RuntimeError(
      `linalg.cross: inputs dimension ${dim} must have length 3. Got ${self.sizes[at]} and ${other.sizes[at]}`,
    );
  }
  sameBackend('linalg_cross', [self, other], ['self', 'other']);
  if (self.dtype === bool && other.dtype === bool) {
    throw new NotImplementedError(`"cross" not implemented for 'Bool'`);
  }
  if (self.dtype !== other.dtype) {
    throw new RuntimeError(`expected scalar type ${self.dtype.scalarTypeName} but found ${other.dtype.scalarTypeName}`);
  }
  const sizes = broadcastSizes(self.sizes, other.sizes) as number[];
  const [a, b] = [self.expand(sizes), other.expand(sizes)];
  const out = finishNew(crossOf(a.detach(), b.detach(), at), [self, other]);
  return record('LinalgCrossBackward0', out, [a, b], [a, b], crossBackward(at));
}

function crossBackward(dim: number): BackwardFunction {
  return ([grad], [a, b], node) => [
    node.needs(0) ? cross(b, grad!, dim) : null,
    node.needs(1) ? cross(grad!, a, dim) : null,
  ];
}

define(
  { doc: 'Vector products along dim, which has size 3.', linalg: true },
  {
    'linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor': cross,
  },
);
define(
  { doc: 'Vector products along dim (by default the first of size 3).' },
  {
    'cross(Tensor self, Tensor other, int? dim=None) -> Tensor': (self: Tensor, other: Tensor, dim: number | null) => {
      const at = dim ?? self.sizes.indexOf(3);
      if (dim === null && at < 0) throw new RuntimeError('no dimension of size 3 in input');
      return cross(self, other, at);
    },
  },
);

define(
  { doc: 'The sum of the diagonal of a matrix.' },
  {
    'trace(Tensor self) -> Tensor': (self: Tensor) => {
      if (self.sizes.length !== 2) {
        throw new RuntimeError(`trace: expected a matrix, but got tensor with dim ${self.sizes.length}`);
      }
      if (self.dtype === bool) throw new NotImplementedError(`"trace" not implemented for 'Bool'`);
      const out = diagonal(self.detach(), 0, 0, 1).sum();
      const own = self.sizes;
      return record('TraceBackward0', finishNew(out, [self]), [self], [], ([grad]) => {
        const full = grad!.new_zeros(own as number[]);
        const line = full.diagonal();
        line.copy_(grad!.expand(line.sizes as number[]));
        return full;
      });
    },
  },
);

define(
  { doc: 'Sums of products along dim.', linalg: true },
  {
    'linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor': (x: Tensor, y: Tensor, dim: number) => {
      if (x.dtype !== y.dtype) {
        throw new RuntimeError(
          `linalg.vecdot: Expected x and y to have the same dtype, but found x of type ${x.dtype.scalarTypeName} and y of type ${y.dtype.scalarTypeName} instead`,
        );
      }
      return x.mul(y).sum(dim);
    },
  },
);
define(
  { doc: 'Matrix product, as `torch.matmul`.', linalg: true },
  { 'linalg_matmul(Tensor self, Tensor other) -> Tensor': matmul },
);
define(
  { doc: 'The diagonal of the last two dimensions, as `torch.diagonal`.', linalg: true },
  {
    'linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)': diagonal,
  },
);
