/**
 * The order in which PyTorch's TensorIterator visits the elements of a tensor that is written alone or together with one
 * that is read: by rising strides, so that memory is walked forwards. Random numbers are given out in it.
 */

/** The result, fastest dimension first: neighbouring dimensions that form one are joined. Valid until the next call. */
export const order = {
  /** 0: contiguous (both tensors, where there are two). */
  dims: 0,
  sizes: [] as number[],
  /** In elements. */
  strides: [] as number[],
  otherStrides: [] as number[],
};

const permutation: number[] = [];

/** Whether dimension a comes after b: 1 yes, -1 no, 0 undecided. */
function compare(sizes: readonly number[], strides: readonly number[], a: number, b: number): number {
  if (strides[a] === 0 || strides[b] === 0) return 0;
  if (strides[a] !== strides[b]) return strides[a] < strides[b] ? -1 : 1;
  return sizes[a] > sizes[b] ? 1 : 0;
}

/** Fills `order`. `other` are the strides of the tensor that is read, of the same sizes (0 where it is broadcast). */
export function findOrder(
  sizes: readonly number[],
  strides: readonly number[],
  other: readonly number[] | null = null,
): void {
  const n = sizes.length;
  for (let i = 0; i < n; i++) permutation[i] = n - 1 - i;
  for (let i = 1; i < n; i++) {
    let moved = i;
    for (let j = i - 1; j >= 0; j--) {
      let after = compare(sizes, strides, permutation[j], permutation[moved]);
      if (after === 0 && other) after = compare(sizes, other, permutation[j], permutation[moved]);
      if (after < 0) break;
      if (after > 0) {
        const dim = permutation[j];
        permutation[j] = permutation[moved];
        permutation[moved] = dim;
        moved = j;
      }
    }
  }
  let dims = 0;
  for (let i = 0; i < n; i++) {
    const dim = permutation[i];
    const size = sizes[dim];
    if (size === 1) continue;
    const stride = strides[dim];
    const otherStride = other ? other[dim] : 0;
    const last = dims - 1;
    const extent = dims > 0 ? order.sizes[last] : 0;
    if (dims > 0 && stride === order.strides[last] * extent && otherStride === order.otherStrides[last] * extent) {
      order.sizes[last] = extent * size;
      continue;
    }
    order.sizes[dims] = size;
    order.strides[dims] = stride;
    order.otherStrides[dims] = otherStride;
    dims++;
  }
  const contiguous = dims === 1 && order.strides[0] === 1 && (!other || order.otherStrides[0] === 1);
  order.dims = contiguous ? 0 : dims;
  if (dims === 0) {
    // One element.
    order.sizes[0] = order.strides[0] = order.otherStrides[0] = 1;
  }
}
