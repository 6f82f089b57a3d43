/** Matrix products in every rank combination. */

import { changeInplace, checkChange } from '../autograd/inplace.ts';
import { mode } from '../autograd/mode.ts';
import { type BackwardFunction, record, touchGraphOf } from '../autograd/record.ts';
import { bool, type DType, float32 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { broadcastSizes, numel, showSizes } from '../core/shape.ts';
import { copy, zero } from '../kernels/copy.ts';
import { matmul as matmulKernel } from '../kernels/matmul.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { aliasTensor, FLAG_INFERENCE, requiresGrad, type Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { checkOverlap } from './layout.ts';
import { define } from './registry.ts';
import { checkScalar } from './scalar-range.ts';
import { sumToSize } from './reductions.ts';
import { expandGeometry, transposed, unsafeView } from './views.ts';

function checkDTypes(a: Tensor, b: Tensor): DType {
  if (a.dtype !== b.dtype) {
    throw new RuntimeError(
      `expected m1 and m2 to have the same dtype, but got: ${C_NAMES[a.dtype.name]} != ${C_NAMES[b.dtype.name]}`,
    );
  }
  if (a.dtype === bool && a.length > 0 && b.length > 0) {
    throw new NotImplementedError(`"addmm_impl_cpu_" not implemented for 'Bool'`);
  }
  return a.dtype;
}

/** dtypes as C++ calls them, in some of PyTorch's texts. */
export const C_NAMES: Readonly<Record<string, string>> = {
  float64: 'double',
  float32: 'float',
  float16: 'c10::Half',
  bfloat16: 'c10::BFloat16',
  int64: 'long int',
  int32: 'int',
  int16: 'short int',
  int8: 'signed char',
  uint8: 'unsigned char',
  bool: 'bool',
};

export function product(out: Tensor, a: Tensor, b: Tensor, c: Tensor | null, alpha: number, beta: number): Tensor {
  matmulKernel(out, a, b, c, alpha, beta);
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  if (!mode.grad) {
    touchGraphOf(a);
    touchGraphOf(b);
  }
  return out;
}

/** A product over nothing. */
function finishZero(out: Tensor, inputs: readonly Tensor[]): void {
  zero(out);
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  if (!mode.grad) for (const x of inputs) touchGraphOf(x);
}

/** [n, k] @ [k, m]. */
export function mm(self: Tensor, mat2: Tensor): Tensor {
  if (self.sizes.length !== 2) throw new RuntimeError('self must be a matrix');
  if (mat2.sizes.length !== 2) throw new RuntimeError('mat2 must be a matrix');
  const [n, k] = self.sizes;
  const [k2, m] = mat2.sizes;
  if (k !== k2) {
    throw new RuntimeError(`mat1 and mat2 shapes cannot be multiplied (${n}x${k} and ${k2}x${m})`);
  }
  const backend = sameBackend('mm', [self, mat2], ['self', 'mat2']);
  const out = emptyTensor(backend, [n, m], checkDTypes(self, mat2));
  if (out.dtype === bool) finishZero(out, [self, mat2]);
  else product(out, self, mat2, null, 1, 0);
  if (!mode.grad) return out;
  const backward = MM_BACKWARD[(byColumns(self) ? 1 : 0) + (byColumns(mat2) ? 2 : 0)];
  return record('MmBackward0', out, [self, mat2], saveFactors(self, mat2), backward);
}

/** Each factor is saved for the other's gradient. */
export function saveFactors(a: Tensor, b: Tensor): (Tensor | null)[] {
  return [requiresGrad(b) ? a : null, requiresGrad(a) ? b : null];
}

/** Column-major, as the transpose of a weight: its gradient is made so that transposing it back needs no copy. */
function byColumns(x: Tensor): boolean {
  return x.strides[0] === 1 && x.strides[1] === x.sizes[0];
}

const gradOfFirst = (grad: Tensor, b: Tensor, columns: boolean) =>
  columns ? transposed(mm(b, transposed(grad))) : mm(grad, transposed(b));
const gradOfSecond = (grad: Tensor, a: Tensor, columns: boolean) =>
  columns ? transposed(mm(transposed(grad), a)) : mm(transposed(a), grad);

const MM_BACKWARD = [0, 1, 2, 3].map(
  (columns): BackwardFunction =>
    ([grad], [a, b], node) => [
      node.needs(0) ? gradOfFirst(grad!, b, (columns & 1) !== 0) : null,
      node.needs(1) ? gradOfSecond(grad!, a, (columns & 2) !== 0) : null,
    ],
);

/** Batches of matrices: [b, n, k] @ [b, k, m]. */
export function bmm(self: Tensor, mat2: Tensor): Tensor {
  if (self.sizes.length !== 3) throw new RuntimeError('batch1 must be a 3D tensor');
  if (mat2.sizes.length !== 3) throw new RuntimeError('batch2 must be a 3D tensor');
  const [b, n, k] = self.sizes;
  const [b2, k2, m] = mat2.sizes;
  if (b !== b2 || k !== k2) {
    throw new RuntimeError(
      `Expected size for first two dimensions of batch2 tensor to be: [${b}, ${k}] but got: [${b2}, ${k2}].`,
    );
  }
  const backend = sameBackend('bmm', [self, mat2], ['self', 'mat2']);
  const empty = b * n * m === 0;
  if (self.dtype === bool && !empty && k > 0) throw new NotImplementedError(`"bmm" not implemented for 'Bool'`);
  if (self.dtype !== mat2.dtype && !empty && k > 0) {
    throw new RuntimeError(`expected scalar type ${self.dtype.scalarTypeName} but found ${mat2.dtype.scalarTypeName}`);
  }
  if (self.dtype === bool && !empty && k > 0)
    throw new NotImplementedError(`"baddbmm_kernel" not implemented for 'Bool'`);
  const out = emptyTensor(backend, [b, n, m], mat2.dtype);
  if (empty || k > 0) product(out, self, mat2, null, 1, 0);
  else finishZero(out, [self, mat2]);
  return record('BmmBackward0', out, [self, mat2], saveFactors(self, mat2), ([grad], [x, y], node) => [
    node.needs(0) ? bmm(grad!, y.transpose(1, 2)) : null,
    node.needs(1) ? bmm(x.transpose(1, 2), grad!) : null,
  ]);
}

/** beta * self + alpha * (mat1 @ mat2); self broadcasts. */
export function addmm(self: Tensor, mat1: Tensor, mat2: Tensor, beta: number | bigint, alpha: number | bigint): Tensor {
  if (mat1.sizes.length !== 2) throw new RuntimeError(`mat1 must be a matrix, got ${mat1.sizes.length}-D tensor`);
  if (mat2.sizes.length !== 2) throw new RuntimeError(`mat2 must be a matrix, got ${mat2.sizes.length}-D tensor`);
  const [n, k] = mat1.sizes;
  const [k2, m] = mat2.sizes;
  if (k !== k2) {
    throw new RuntimeError(`mat1 and mat2 shapes cannot be multiplied (${n}x${k} and ${k2}x${m})`);
  }
  const backend = sameBackend('addmm', [self, mat1, mat2], ['self', 'mat1', 'mat2']);
  const mismatch = (name: string, x: Tensor) =>
    new RuntimeError(
      `${name} and mat2 must have the same dtype, but got ${x.dtype.scalarTypeName} and ${mat2.dtype.scalarTypeName}`,
    );
  if (self.dtype !== mat2.dtype) throw mismatch('self', self);
  if (mat1.dtype !== mat2.dtype) throw mismatch('mat1', mat1);
  const dtype = checkDTypes(mat1, mat2);
  const sizes = [n, m];
  // Throws where self does not broadcast.
  expandGeometry(self, sizes);
  const [a, b] = [factor(dtype, alpha, n * m > 0), factor(dtype, beta, n * m > 0)];
  const out = product(emptyTensor(backend, sizes, dtype), mat1, mat2, self, a, b);
  if (!mode.grad) {
    touchGraphOf(self);
    return out;
  }
  const backward = addmmBackward(self.sizes, byColumns(mat1), byColumns(mat2), b, a);
  return record('AddmmBackward0', out, [self, mat1, mat2], saveFactors(mat1, mat2), backward);
}

/** A factor as the dtype has it. Half types are multiplied in float32. */
export function factor(dtype: DType, value: number | bigint, used: boolean): number {
  if (used) checkScalar(dtype.itemsize === 2 && dtype.is_floating_point ? float32 : dtype, value);
  return dtype.is_floating_point ? Number(value) : Math.trunc(Number(value));
}

/** `sizes`: of what was added; `columns1`, `columns2`: whether the factors are column-major. */
function addmmBackward(
  sizes: readonly number[],
  columns1: boolean,
  columns2: boolean,
  beta: number,
  alpha: number,
): BackwardFunction {
  return ([grad], [a, b], node) => [
    node.needs(0) ? scaled(sumToSize(grad!, sizes), beta) : null,
    node.needs(1) ? scaled(gradOfFirst(grad!, b, columns1), alpha) : null,
    node.needs(2) ? scaled(gradOfSecond(grad!, a, columns2), alpha) : null,
  ];
}

define(
  { doc: 'In-place form of `addmm`.', function: false },
  {
    'addmm_(Tensor(a!) self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)': (
      self: Tensor,
      mat1: Tensor,
      mat2: Tensor,
      beta: number,
      alpha: number,
    ) => {
      checkChange(self, [self, mat1, mat2]);
      checkOverlap(self, [self, mat1, mat2]);
      const save = mode.grad ? saveFactors(mat1, mat2) : [];
      return changeInplace(
        'AddmmBackward0',
        self,
        [self, mat1, mat2],
        save,
        () => {
          const result = addmm(self.detach(), mat1.detach(), mat2.detach(), beta, alpha);
          if (result.sizes.join() !== self.sizes.join()) {
            throw new RuntimeError(
              `output with shape ${showSizes(self.sizes)} doesn't match the broadcast shape ${showSizes(result.sizes)}`,
            );
          }
          copy(self, result);
          result.storage.freeNow();
        },
        addmmBackward(self.sizes, byColumns(mat1), byColumns(mat2), Number(beta), Number(alpha)),
      );
    },
  },
);

export function scaled(x: Tensor, factor: number): Tensor {
  return factor === 1 ? x : x.mul(factor);
}

/** Dot product of two vectors. */
export function dot(self: Tensor, tensor: Tensor, node = 'DotBackward0'): Tensor {
  if (self.sizes.length !== 1 || tensor.sizes.length !== 1) {
    throw new RuntimeError(`1D tensors expected, but got ${self.sizes.length}D and ${tensor.sizes.length}D tensors`);
  }
  if (self.dtype !== tensor.dtype) {
    throw new RuntimeError(
      `dot : expected both vectors to have same dtype, but found ${self.dtype.scalarTypeName} and ${tensor.dtype.scalarTypeName}`,
    );
  }
  if (self.length !== tensor.length) {
    throw new RuntimeError(
      `inconsistent tensor size, expected tensor [${self.length}] and src [${tensor.length}] to have the same number of elements, but got ${self.length} and ${tensor.length} elements respectively`,
    );
  }
  const backend = sameBackend('dot', [self, tensor], ['self', 'tensor']);
  if (self.dtype === bool) throw new NotImplementedError(`"dot" not implemented for 'Bool'`);
  const out = emptyTensor(backend, [], checkDTypes(self, tensor));
  product(asMatrix(out, 1, 1), asMatrix(self, 1, self.length), asMatrix(tensor, self.length, 1), null, 1, 0);
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  return record(node, out, [self, tensor], saveFactors(self, tensor), ([grad], [a, b], node) => [
    node.needs(0) ? grad!.mul(b) : null,
    node.needs(1) ? grad!.mul(a) : null,
  ]);
}

/** A vector as a matrix of one row or column, for a launch; not a view for autograd. */
export function asMatrix(x: Tensor, rows: number, columns: number): Tensor {
  const stride = x.sizes.length === 0 ? 1 : x.strides[0];
  const strides = rows === 1 ? [x.length * stride, stride] : [stride, 1];
  return aliasTensor(x, x.offset, [rows, columns], strides, x.length);
}

/** Matrix by vector. */
export function mv(self: Tensor, vec: Tensor): Tensor {
  if (self.sizes.length !== 2 || vec.sizes.length !== 1) {
    throw new RuntimeError(`vector + matrix @ vector expected, got 1, ${self.sizes.length}, ${vec.sizes.length}`);
  }
  const [n, k] = self.sizes;
  if (k !== vec.length) throw new RuntimeError(`size mismatch, got input (${n}), mat (${n}x${k}), vec (${vec.length})`);
  const backend = sameBackend('mv', [self, vec], ['self', 'vec']);
  if (self.dtype !== vec.dtype) {
    const [m, v] = [self.dtype.scalarTypeName, vec.dtype.scalarTypeName];
    throw new RuntimeError(`addmv input tensors must have the same dtype, but got ${v}, ${m}, and ${v}`);
  }
  const out = emptyTensor(backend, [n], checkDTypes(self, vec));
  if (out.dtype === bool) finishZero(out, [self, vec]);
  else product(asMatrix(out, n, 1), self, asMatrix(vec, k, 1), null, 1, 0);
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  return record('MvBackward0', out, [self, vec], saveFactors(self, vec), ([grad], [a, v], node) => [
    node.needs(0) ? mm(grad!.unsqueeze(1), v.unsqueeze(0)) : null,
    node.needs(1) ? mv(a.t(), grad!) : null,
  ]);
}

/** PyTorch's matmul: vectors, matrices and batches with broadcasting. */
export function matmul(self: Tensor, other: Tensor): Tensor {
  const a = self.sizes.length;
  const b = other.sizes.length;
  if (a === 0 || b === 0) {
    throw new RuntimeError(`both arguments to matmul need to be at least 1D, but they are ${a}D and ${b}D`);
  }
  if (a === 1 && b === 1) return dot(self, other);
  if (a === 2 && b === 1) return mv(self, other);
  if (a === 1 && b === 2) return unsafeView(mm(self.unsqueeze(0), other), [other.sizes[1]], 'SqueezeBackward4');
  if (a === 2 && b === 2) return mm(self, other);
  // A batch times one matrix is one tall matrix times it.
  if (a > 2 && b <= 2) {
    const rows = self.reshape(numel(self.sizes.slice(0, -1)), self.sizes[a - 1]);
    const out = b === 1 ? mv(rows, other) : mm(rows, other);
    const tail = b === 1 ? [] : [other.sizes[1]];
    return unsafeView(out, [...self.sizes.slice(0, -1), ...tail]);
  }
  const left = a === 1 ? self.unsqueeze(0) : self;
  const right = b === 1 ? other.unsqueeze(1) : other;
  const ra = left.sizes.length;
  const rb = right.sizes.length;
  const [n, k] = [left.sizes[ra - 2], left.sizes[ra - 1]];
  const [k2, m] = [right.sizes[rb - 2], right.sizes[rb - 1]];
  const batch = broadcastSizes(left.sizes.slice(0, -2), right.sizes.slice(0, -2));
  const count = batch.reduce((p, s) => p * s, 1);
  const x = left.expand([...batch, n, k]).reshape([count, n, k]);
  const y = right.expand([...batch, k2, m]).reshape([count, k2, m]);
  const out = bmm(x, y);
  const tail = [...(a === 1 ? [] : [n]), ...(b === 1 ? [] : [m])];
  return unsafeView(out, [...batch, ...tail]);
}

define({ doc: 'Matrix product [n, k] @ [k, m].' }, { 'mm(Tensor self, Tensor mat2) -> Tensor': mm });
define(
  { doc: 'Products of two batches of matrices, [b, n, k] @ [b, k, m].' },
  { 'bmm(Tensor self, Tensor mat2) -> Tensor': bmm },
);
define(
  { doc: 'beta * self + alpha * (mat1 @ mat2); self broadcasts to the product.' },
  {
    'addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor': addmm,
  },
);
define(
  { doc: 'Dot product of two vectors.' },
  { 'dot(Tensor self, Tensor tensor) -> Tensor': (self: Tensor, tensor: Tensor) => dot(self, tensor) },
);
define({ doc: 'Matrix by vector.' }, { 'mv(Tensor self, Tensor vec) -> Tensor': mv });
define(
  { doc: 'Matrix product of vectors, matrices or broadcast batches of matrices.' },
  { 'matmul(Tensor self, Tensor other) -> Tensor': matmul },
);

/** x @ weight.T + bias, over the last dimension. */
export function linear(input: Tensor, weight: Tensor, bias: Tensor | null): Tensor {
  const rank = input.sizes.length;
  if (bias !== null && rank === 2 && weight.sizes.length === 2) return addmm(bias, input, weight.t(), 1, 1);
  if (bias !== null && rank > 2 && weight.sizes.length === 2 && input.contiguousNow) {
    const rows = input.view(numel(input.sizes.slice(0, -1)), input.sizes[rank - 1]);
    return addmm(bias, rows, weight.t(), 1, 1).view([...input.sizes.slice(0, -1), weight.sizes[0]]);
  }
  if (bias !== null && rank === 1 && bias.dtype !== weight.dtype) {
    throw new RuntimeError(
      `self and mat2 must have the same dtype, but got ${bias.dtype.scalarTypeName} and ${weight.dtype.scalarTypeName}`,
    );
  }
  const out = matmul(input, weight.t());
  return bias === null ? out : out.add(bias);
}

define(
  { doc: 'input @ weight.T + bias over the last dimension; weight is [out, in].', functional: true, method: false },
  { 'linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor': linear },
);
