/** Arithmetic of sizes and strides. Strides are counted in elements. */
import { IndexError, RuntimeError } from './errors.ts';

export function numel(sizes: readonly number[]): number {
  let product = 1;
  for (let i = 0; i < sizes.length; i++) product *= sizes[i];
  return product;
}

/** Row-major strides. A size of 0 counts as 1, as in PyTorch. */
export function contiguousStrides(sizes: readonly number[]): number[] {
  const n = sizes.length;
  if (n === 0) return [];
  if (n === 1) return [1];
  if (n === 2) return [Math.max(sizes[1], 1), 1];
  const strides = new Array<number>(n);
  let step = 1;
  for (let i = n - 1; i >= 0; i--) {
    strides[i] = step;
    if (sizes[i] > 1) step *= sizes[i];
  }
  return strides;
}

/** PyTorch's `is_contiguous`: dimensions of size 1 may have any stride, empty tensors are contiguous. */
export function isContiguous(sizes: readonly number[], strides: readonly number[]): boolean {
  let step = 1;
  for (let i = sizes.length - 1; i >= 0; i--) {
    const size = sizes[i];
    if (size === 0) return true;
    if (size !== 1) {
      if (strides[i] !== step) return numel(sizes) === 0;
      step *= size;
    }
  }
  return true;
}

export function sameSizes(a: readonly number[], b: readonly number[]): boolean {
  if (a === b) return true;
  const n = a.length;
  if (n !== b.length) return false;
  for (let i = 0; i < n; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** As PyTorch prints sizes inside error texts: `[2, 3]`. */
export function showSizes(sizes: readonly number[]): string {
  return `[${sizes.join(', ')}]`;
}

/**
 * The broadcast of two shapes.
 * @throws RuntimeError with PyTorch's text when they don't fit.
 */
export function broadcastSizes(a: readonly number[], b: readonly number[]): readonly number[] {
  if (sameSizes(a, b)) return a;
  const n = Math.max(a.length, b.length);
  const out = new Array<number>(n);
  // From the end, as PyTorch: the last dimension that does not fit is the one it names.
  for (let i = n - 1; i >= 0; i--) {
    const da = i - (n - a.length);
    const db = i - (n - b.length);
    const sa = da < 0 ? 1 : a[da];
    const sb = db < 0 ? 1 : b[db];
    if (sa !== sb && sa !== 1 && sb !== 1) {
      throw new RuntimeError(
        `The size of tensor a (${sa}) must match the size of tensor b (${sb}) at non-singleton dimension ${i}`,
      );
    }
    out[i] = sa === 1 ? sb : sa;
  }
  return out;
}

/**
 * A dimension as a non-negative number.
 * @throws IndexError with PyTorch's text.
 */
export function wrapDim(dim: number, rank: number): number {
  const n = rank === 0 ? 1 : rank;
  if (dim < -n || dim >= n) {
    throw new IndexError(`Dimension out of range (expected to be in range of [${-n}, ${n - 1}], but got ${dim})`);
  }
  return dim < 0 ? dim + n : dim;
}

/**
 * Replaces the one -1 of a requested shape.
 * @throws RuntimeError with PyTorch's texts.
 */
export function inferSize(shape: readonly number[], length: number): number[] {
  let known = 1;
  let unknown = -1;
  for (let i = 0; i < shape.length; i++) {
    const size = shape[i];
    if (size === -1) {
      if (unknown >= 0) throw new RuntimeError('only one dimension can be inferred');
      unknown = i;
    } else if (size < 0) {
      throw new RuntimeError(`invalid shape dimension ${size} at index ${i} of shape ${showSizes(shape)}`);
    } else known *= size;
  }
  const fits = unknown < 0 ? known === length : known > 0 && length % known === 0;
  if (unknown >= 0 && known === 0 && length === 0) {
    throw new RuntimeError(
      `cannot reshape tensor of 0 elements into shape ${showSizes(shape)} because the unspecified dimension size -1 can be any value and is ambiguous`,
    );
  }
  if (!fits) throw new RuntimeError(`shape '${showSizes(shape)}' is invalid for input of size ${length}`);
  const out = shape.slice();
  if (unknown >= 0) out[unknown] = length / known;
  return out;
}

/** Strides with which `oldSizes/oldStrides` can be seen as `newSizes` without a copy, or null when they can't. */
export function viewStrides(
  oldSizes: readonly number[],
  oldStrides: readonly number[],
  newSizes: readonly number[],
): number[] | null {
  const total = numel(oldSizes);
  if (total === 0) return sameSizes(oldSizes, newSizes) ? oldStrides.slice() : contiguousStrides(newSizes);
  if (oldSizes.length === 0) return contiguousStrides(newSizes);
  const strides = new Array<number>(newSizes.length);
  let view = newSizes.length - 1;
  let base = oldStrides[oldStrides.length - 1];
  let tensorElements = 1;
  let viewElements = 1;
  for (let dim = oldSizes.length - 1; dim >= 0; dim--) {
    tensorElements *= oldSizes[dim];
    // A chunk of dimensions ends where memory does not go on evenly.
    if (dim === 0 || (oldSizes[dim - 1] !== 1 && oldStrides[dim - 1] !== tensorElements * base)) {
      while (view >= 0 && (viewElements < tensorElements || newSizes[view] === 1)) {
        strides[view] = viewElements * base;
        viewElements *= newSizes[view];
        view--;
      }
      if (viewElements !== tensorElements) return null;
      if (dim > 0) {
        base = oldStrides[dim - 1];
        tensorElements = 1;
        viewElements = 1;
      }
    }
  }
  return view === -1 ? strides : null;
}
