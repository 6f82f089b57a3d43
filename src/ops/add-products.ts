/** Products added to a tensor: addmv, addr, baddbmm, addbmm, and their in-place forms. */

import { changeInplace, checkChange } from '../autograd/inplace.ts';
import { mode } from '../autograd/mode.ts';
import { type BackwardFunction, record } from '../autograd/record.ts';
import { bool, type DType } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { sameSizes, showSizes } from '../core/shape.ts';
import { copy } from '../kernels/copy.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { aliasTensor, type Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { finishNew } from './inplace.ts';
import { checkOverlap } from './layout.ts';
import { asMatrix, bmm, C_NAMES, factor, mv, product, saveFactors, scaled } from './linalg.ts';
import { commonDType } from './pointwise-op.ts';
import { define } from './registry.ts';
import { expandGeometry } from './views.ts';

type Factor = number | bigint | boolean;
type Operation = (self: Tensor, a: Tensor, b: Tensor, beta: Factor, alpha: Factor) => Tensor;
/** Whether the result fits into self. @throws PyTorch's error where it does not */
type CheckSelf = (self: Tensor, result: Tensor, a: Tensor, b: Tensor) => void;
type Backward = (sizes: readonly number[], beta: number, alpha: number) => BackwardFunction;

/** Declares `name` and its in-place form. `names`: of the factors. */
function declare(
  name: string,
  doc: string,
  node: string,
  names: readonly [string, string],
  run: Operation,
  backward: Backward,
  checkSelf: CheckSelf,
): void {
  const params = `Tensor ${names[0]}, Tensor ${names[1]}, *, Scalar beta=1, Scalar alpha=1`;
  define(
    { doc },
    {
      [`${name}(Tensor self, ${params}) -> Tensor`]: (
        self: Tensor,
        a: Tensor,
        b: Tensor,
        beta: Factor,
        alpha: Factor,
      ) => {
        const out = run(self, a, b, beta, alpha);
        const save = saveFactors(a, b);
        return record(node, out, [self, a, b], save, backward(self.sizes, Number(beta), Number(alpha)));
      },
    },
  );
  define(
    { doc: `In-place form of \`${name}\`.`, function: false },
    {
      [`${name}_(Tensor(a!) self, ${params}) -> Tensor(a!)`]: (
        self: Tensor,
        a: Tensor,
        b: Tensor,
        beta: Factor,
        alpha: Factor,
      ) => {
        checkChange(self, [self, a, b]);
        checkOverlap(self, [self, a, b]);
        const save = mode.grad ? saveFactors(a, b) : [];
        const write = () => {
          const result = run(self.detach(), a.detach(), b.detach(), beta, alpha);
          checkSelf(self, result, a, b);
          copy(self, result);
          result.storage.freeNow();
        };
        const derive = backward(self.sizes, Number(beta), Number(alpha));
        return changeInplace(node, self, [self, a, b], save, write, derive);
      },
    },
  );
}

function sameSize(self: Tensor, result: Tensor): void {
  if (!sameSizes(self.sizes, result.sizes)) {
    throw new RuntimeError(
      `Bad in-place call: input tensor size ${showSizes(self.sizes)} and output tensor size ${showSizes(result.sizes)} should match`,
    );
  }
}

/** A factor for a product of this dtype. */
const factorOf = (dtype: DType, value: Factor, used: boolean) =>
  factor(dtype, typeof value === 'boolean' ? Number(value) : value, used);

function addmv(self: Tensor, mat: Tensor, vec: Tensor, beta: Factor, alpha: Factor): Tensor {
  const [r, m, v] = [self.sizes.length, mat.sizes.length, vec.sizes.length];
  if (m !== 2 || v !== 1 || r > 1) {
    throw new RuntimeError(`vector + matrix @ vector expected, got ${r}, ${m}, ${v}`);
  }
  const [n, k] = mat.sizes;
  if (k !== vec.length || !(self.length === 1 || self.sizes[0] === n)) {
    throw new RuntimeError(`size mismatch, got input (${self.sizes[0] ?? 1}), mat (${n}x${k}), vec (${vec.length})`);
  }
  const backend = sameBackend('addmv', [self, mat, vec], ['self', 'mat', 'vec']);
  if (self.dtype !== mat.dtype || mat.dtype !== vec.dtype) {
    const [x, y, z] = [self, mat, vec].map(({ dtype }) => dtype.scalarTypeName);
    throw new RuntimeError(`addmv input tensors must have the same dtype, but got ${x}, ${y}, and ${z}`);
  }
  if (mat.dtype === bool && n > 0) throw new NotImplementedError(`"addmv_impl_cpu" not implemented for 'Bool'`);
  const out = emptyTensor(backend, [n], mat.dtype);
  const { strides } = expandGeometry(self, [n]);
  const added = aliasTensor(self, self.offset, [n, 1], [strides[0], 0], n);
  const [a, b] = [factorOf(out.dtype, alpha, n > 0), factorOf(out.dtype, beta, n > 0)];
  product(asMatrix(out, n, 1), mat, asMatrix(vec, k, 1), added, a, b);
  return finishNew(out, [self, mat, vec]);
}

declare(
  'addmv',
  'beta * self + alpha * (mat @ vec); self broadcasts to the product.',
  'AddmvBackward0',
  ['mat', 'vec'],
  addmv,
  (sizes, beta, alpha) =>
    ([grad], [mat, vec], node) => [
      node.needs(0) ? scaled(grad!.sum_to_size(sizes as number[]), beta) : null,
      node.needs(1) ? scaled(grad!.outer(vec), alpha) : null,
      node.needs(2) ? scaled(mv(mat.t(), grad!), alpha) : null,
    ],
  sameSize,
);

/** @throws RuntimeError with PyTorch's text for a factor with a fraction next to integers */
function wholeFactor(name: string, dtype: DType, value: Factor): void {
  if (dtype === bool || dtype.is_floating_point) return;
  if (typeof value === 'number' && !Number.isInteger(value)) {
    throw new RuntimeError(`For integral input tensors, argument ${name} must not be a floating point number.`);
  }
}

function addr(self: Tensor, vec1: Tensor, vec2: Tensor, beta: Factor, alpha: Factor): Tensor {
  for (const [name, x] of [
    ['vec1', vec1],
    ['vec2', vec2],
  ] as const) {
    if (x.sizes.length !== 1) {
      throw new RuntimeError(`addr: Expected 1-D argument ${name}, but got ${x.sizes.length}-D`);
    }
  }
  sameBackend('addr', [self, vec1, vec2], ['self', 'vec1', 'vec2']);
  const dtype = commonDType([self, vec1, vec2], 0, null);
  const sizes = [vec1.length, vec2.length];
  expandGeometry(self, sizes);
  wholeFactor('beta', dtype, beta);
  wholeFactor('alpha', dtype, alpha);
  const [x, a, b] = [self, vec1, vec2].map((t) => t.detach().to(dtype));
  if (dtype === bool) {
    const products = a.mul(Boolean(alpha)).unsqueeze(1).mul(b);
    return finishNew(Number(beta) === 0 ? products : products.maximum(x.mul(Boolean(beta))), [self, vec1, vec2]);
  }
  const columns = a.unsqueeze(1);
  const times = (t: Tensor, by: Factor) => (Number(by) === 1 ? t : t.mul(by as number));
  // With beta = 0 what is in self does not matter, not even NaN. Half types are rounded at every step, as in PyTorch.
  const out =
    Number(beta) === 0
      ? times(columns, alpha).mul(b)
      : dtype.itemsize === 2 && dtype.is_floating_point
        ? times(x, beta).add(times(columns, alpha).mul(b))
        : times(x, beta).addcmul(columns, b, { value: alpha as number });
  return finishNew(out, [self, vec1, vec2]);
}

declare(
  'addr',
  'beta * self + alpha * outer(vec1, vec2); self broadcasts to the product.',
  'AddrBackward0',
  ['vec1', 'vec2'],
  addr,
  (sizes, beta, alpha) =>
    ([grad], [vec1, vec2], node) => [
      node.needs(0) ? scaled(grad!.sum_to_size(sizes as number[]), beta) : null,
      node.needs(1) ? scaled(mv(grad!, vec2), alpha) : null,
      node.needs(2) ? scaled(mv(grad!.t(), vec1), alpha) : null,
    ],
  (self, result, a, b) => {
    if (self.sizes.length !== 2) {
      throw new RuntimeError(`2D tensor expected, got ${self.sizes.length}D tensor for input`);
    }
    if (!sameSizes(self.sizes, result.sizes)) {
      throw new RuntimeError(
        `size mismatch, input: ${showSizes(self.sizes)}, v1: ${showSizes(a.sizes)}, v2: ${showSizes(b.sizes)}`,
      );
    }
  },
);

function checkBatches(batch1: Tensor, batch2: Tensor): void {
  if (batch1.sizes.length !== 3) throw new RuntimeError('batch1 must be a 3D tensor');
  if (batch2.sizes.length !== 3) throw new RuntimeError('batch2 must be a 3D tensor');
}

function baddbmm(self: Tensor, batch1: Tensor, batch2: Tensor, beta: Factor, alpha: Factor): Tensor {
  checkBatchSizes(self, batch1, batch2);
  checkBatches(batch1, batch2);
  const [count, n, k] = batch1.sizes;
  const [count2, k2, m] = batch2.sizes;
  if (count !== count2 || k !== k2) {
    throw new RuntimeError(
      `Expected size for first two dimensions of batch2 tensor to be: [${count}, ${k}] but got: [${count2}, ${k2}].`,
    );
  }
  const backend = sameBackend('baddbmm', [self, batch1, batch2], ['self', 'batch1', 'batch2']);
  if (self.dtype !== batch1.dtype || batch1.dtype !== batch2.dtype) {
    const [x, y, z] = [self, batch1, batch2].map(({ dtype }) => C_NAMES[dtype.name]);
    throw new RuntimeError(`Input dtypes must be the same, got: input ${x}, batch1: ${y}, batch2: ${z}`);
  }
  const out = emptyTensor(backend, [count, n, m], self.dtype);
  if (out.dtype === bool && out.length > 0) {
    throw new NotImplementedError(`"baddbmm_kernel" not implemented for 'Bool'`);
  }
  const [a, b] = [factorOf(out.dtype, alpha, out.length > 0), factorOf(out.dtype, beta, out.length > 0)];
  product(out, batch1, batch2, self, a, b);
  return finishNew(out, [self, batch1, batch2]);
}

/** self is expanded to the product first: what does not fit there is named before anything else. */
function checkBatchSizes(self: Tensor, batch1: Tensor, batch2: Tensor): void {
  const { sizes } = batch1;
  if (sizes.length < 2 || batch2.sizes.length < 3) return;
  expandGeometry(self, [sizes[0], sizes[1], batch2.sizes[2]]);
}

declare(
  'baddbmm',
  'beta * self + alpha * (batch1 @ batch2), batches of matrices; self broadcasts to the products.',
  'BaddbmmBackward0',
  ['batch1', 'batch2'],
  baddbmm,
  (sizes, beta, alpha) =>
    ([grad], [x, y], node) => [
      node.needs(0) ? scaled(grad!.sum_to_size(sizes as number[]), beta) : null,
      node.needs(1) ? scaled(bmm(grad!, y.transpose(1, 2)), alpha) : null,
      node.needs(2) ? scaled(bmm(x.transpose(1, 2), grad!), alpha) : null,
    ],
  sameSize,
);

function addbmm(self: Tensor, batch1: Tensor, batch2: Tensor, beta: Factor, alpha: Factor): Tensor {
  checkBatches(batch1, batch2);
  const [count, n, k] = batch1.sizes;
  const [count2, k2, m] = batch2.sizes;
  expandGeometry(self, [n, m]);
  if (count !== count2) {
    throw new RuntimeError(`batch1 and batch2 must have same number of batches, got ${count} and ${count2}`);
  }
  if (k !== k2) throw new RuntimeError(`Incompatible matrix sizes for bmm (${n}x${k} and ${k2}x${m})`);
  const backend = sameBackend('addbmm', [self, batch1, batch2], ['self', 'batch1', 'batch2']);
  const mismatch = (name: string, x: Tensor) =>
    new RuntimeError(
      `${name} and mat2 must have the same dtype, but got ${x.dtype.scalarTypeName} and ${batch2.dtype.scalarTypeName}`,
    );
  if (self.dtype !== batch2.dtype) throw mismatch('self', self);
  if (batch1.dtype !== batch2.dtype) throw mismatch('mat1', batch1);
  const out = emptyTensor(backend, [n, m], self.dtype);
  if (out.dtype === bool && out.length > 0) {
    throw new NotImplementedError(`"addmm_impl_cpu_" not implemented for 'Bool'`);
  }
  const used = out.length > 0;
  const [a, b] = [factorOf(out.dtype, alpha, used), factorOf(out.dtype, beta, used)];
  if (count === 0) product(out, batch1.new_zeros([n, 0]), batch1.new_zeros([0, m]), self, a, b);
  // One batch after the other, each added to what the ones before gave.
  for (let i = 0; i < count; i++) {
    const pair = [batch1, batch2].map((x) => x.detach().select(0, i));
    product(out, pair[0], pair[1], i === 0 ? self : out, a, i === 0 ? b : 1);
  }
  return finishNew(out, [self, batch1, batch2]);
}

declare(
  'addbmm',
  'beta * self + alpha * the sum of batch1 @ batch2 over the batches; self broadcasts to it.',
  'AddbmmBackward0',
  ['batch1', 'batch2'],
  addbmm,
  (sizes, beta, alpha) =>
    ([grad], [x, y], node) => {
      // Whichever of them is kept; neither where only self wants a gradient.
      const batch = node.needs(1) ? y : node.needs(2) ? x : null;
      const g = batch === null ? null : grad!.unsqueeze(0).expand(batch.sizes[0], -1, -1);
      return [
        node.needs(0) ? scaled(grad!.sum_to_size(sizes as number[]), beta) : null,
        node.needs(1) ? scaled(bmm(g!, y.transpose(1, 2)), alpha) : null,
        node.needs(2) ? scaled(bmm(x.transpose(1, 2), g!), alpha) : null,
      ];
    },
  sameSize,
);
