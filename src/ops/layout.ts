/** Layout of an op's output: PyTorch keeps the order of dimensions in memory that its inputs have. */
import { RuntimeError } from '../core/errors.ts';
import { contiguousStrides, isContiguous, sameSizes } from '../core/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';

/** What of an input decides the layout of the output. */
export interface Layout {
  readonly sizes: readonly number[];
  readonly strides: readonly number[];
  readonly contiguousNow: boolean;
}

/** Strides of the output of a pointwise op over these inputs, as PyTorch's iterator chooses them. */
export function outputStrides(sizes: readonly number[], inputs: readonly Layout[]): readonly number[] {
  const rank = sizes.length;
  let plain = true;
  for (let i = 0; i < inputs.length; i++) if (!inputs[i].contiguousNow) plain = false;
  if (plain || rank < 2) return contiguousStrides(sizes);
  // Sort dimensions from innermost outwards; operands vote in order, ties keep row-major order.
  const order = new Array<number>(rank);
  for (let i = 0; i < rank; i++) order[i] = rank - 1 - i;
  for (let i = 1; i < rank; i++) {
    let moving = i;
    for (let j = i - 1; j >= 0; j--) {
      const vote = shouldSwap(order[j], order[moving], sizes, inputs);
      if (vote > 0) {
        const t = order[j];
        order[j] = order[moving];
        order[moving] = t;
        moving = j;
      } else if (vote < 0) break;
    }
  }
  const strides = new Array<number>(rank);
  let step = 1;
  for (let i = 0; i < rank; i++) {
    strides[order[i]] = step;
    step *= Math.max(sizes[order[i]], 1);
  }
  return isContiguous(sizes, strides) ? contiguousStrides(sizes) : strides;
}

/** 1: dimension a must lie outside b; -1: inside; 0: no operand decides. */
function shouldSwap(a: number, b: number, sizes: readonly number[], inputs: readonly Layout[]): number {
  for (let i = 0; i < inputs.length; i++) {
    const x = inputs[i];
    const sa = strideIn(x, a, sizes);
    const sb = strideIn(x, b, sizes);
    // A broadcast dimension says nothing.
    if (sa === 0 || sb === 0) continue;
    if (sa < sb) return -1;
    if (sa > sb) return 1;
    if (sizes[a] > sizes[b]) return 1;
  }
  return 0;
}

/** The stride that x has in a dimension of the result, 0 where it is broadcast. */
function strideIn(x: Layout, dim: number, sizes: readonly number[]): number {
  const own = dim - (sizes.length - x.sizes.length);
  return own < 0 || (x.sizes[own] === 1 && sizes[dim] !== 1) ? 0 : x.strides[own];
}

/** PyTorch's "non-overlapping and dense": some order of dimensions makes it contiguous. */
export function isDense(x: { sizes: readonly number[]; strides: readonly number[] }): boolean {
  const dims: number[] = [];
  for (let i = 0; i < x.sizes.length; i++) {
    if (x.sizes[i] === 0) return true;
    if (x.sizes[i] !== 1) dims.push(i);
  }
  dims.sort((a, b) => x.strides[a] - x.strides[b]);
  let step = 1;
  for (const dim of dims) {
    if (x.strides[dim] !== step) return false;
    step *= x.sizes[dim];
  }
  return true;
}

/** Strides of `empty_like(x)` and `clone()`: x's own where it is dense, else contiguous in x's order of dimensions. */
export function preservedStrides(x: Tensor): readonly number[] {
  if (x.contiguousNow) return contiguousStrides(x.sizes);
  return isDense(x) ? x.strides : outputStrides(x.sizes, [x]);
}

/** Whether two elements of x share memory (an expanded tensor), which forbids writing. */
export function overlapsItself(x: Tensor): boolean {
  if (x.length === 0) return false;
  for (let i = 0; i < x.sizes.length; i++) if (x.sizes[i] > 1 && x.strides[i] === 0) return true;
  return false;
}

/** Whether x and out share some elements but not all in the same places. */
export function overlapsPartly(out: Tensor, x: Tensor): boolean {
  if (out.storage !== x.storage || out.length === 0 || x.length === 0) return false;
  if (out.offset === x.offset && out.length === x.length && sameSizes(out.strides, x.strides)) return false;
  // Only dense ranges are judged, as in PyTorch: anything else is "too hard to tell".
  if (!isDense(out) || !isDense(x)) return false;
  const a = out.offset * out.dtype.itemsize;
  const b = x.offset * x.dtype.itemsize;
  return a < b + x.length * x.dtype.itemsize && b < a + out.length * out.dtype.itemsize;
}

/** @throws RuntimeError when x shares any memory with an input, or has elements that share some */
export function checkNoOverlap(x: Tensor, inputs: readonly Tensor[]): void {
  checkOverlap(x, []);
  checkShared(x, inputs);
}

/** @throws RuntimeError when x shares any memory with an input */
export function checkShared(x: Tensor, inputs: readonly (Tensor | null)[]): void {
  for (const input of inputs) {
    if (input === null) continue;
    if (overlapsPartly(x, input)) throw new RuntimeError(SHARED);
    if (input.length === 0 || x.storage !== input.storage) continue;
    const same = input.offset === x.offset && sameSizes(input.sizes, x.sizes) && sameSizes(input.strides, x.strides);
    if (input === x || (same && isDense(x))) throw new RuntimeError(SHARED);
  }
}

const SHARED =
  'unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please clone() the tensor before performing the operation.';

/** @throws RuntimeError when writing x would change an input that is still to be read */
export function checkOverlap(x: Tensor, inputs: readonly Tensor[]): void {
  if (overlapsItself(x)) {
    throw new RuntimeError(
      'unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation.',
    );
  }
  for (let i = 0; i < inputs.length; i++) {
    if (inputs[i] !== x && overlapsPartly(x, inputs[i])) {
      throw new RuntimeError(SHARED);
    }
  }
}
