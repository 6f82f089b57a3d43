/** What gather, scatter and their kin check: dtypes, devices and shapes, in PyTorch's order. */
import { int32, int64 } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { showSizes, wrapDim } from '../core/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { checkScalar } from './scalar-range.ts';

/** @throws RuntimeError with PyTorch's text unless index is int64 or int32 */
function needIndex(name: string, index: Tensor): void {
  if (index.dtype !== int64 && index.dtype !== int32) {
    throw new RuntimeError(`${name}(): Expected dtype int32/int64 for index`);
  }
}

/** The shape rules of gather and scatter. */
export function checkGather(name: string, self: Tensor, dim: number, index: Tensor, src: Tensor | null): number {
  needIndex(name, index);
  const rank = Math.max(self.sizes.length, 1);
  const at = wrapDim(dim, self.sizes.length);
  if (index.length === 0) return at;
  if (Math.max(index.sizes.length, 1) !== rank) {
    throw new RuntimeError(
      src === null
        ? 'Index tensor must have the same number of dimensions as input tensor'
        : 'Index tensor must have the same number of dimensions as self tensor',
    );
  }
  if (src !== null && Math.max(src.sizes.length, 1) !== rank) {
    throw new RuntimeError('Index tensor must have the same number of dimensions as src tensor');
  }
  for (let d = 0; d < index.sizes.length; d++) {
    const tooLarge = d !== at && index.sizes[d] > (self.sizes[d] ?? 1);
    if (tooLarge && src === null) {
      throw new RuntimeError(
        `Size does not match at dimension ${d} expected index ${showSizes(index.sizes)} to be no larger than self ${showSizes(self.sizes)} apart from dimension ${at}`,
      );
    }
    if (src !== null && (tooLarge || index.sizes[d] > (src.sizes[d] ?? 1))) {
      throw new RuntimeError(
        `Expected index ${showSizes(index.sizes)} to be no larger than self ${showSizes(self.sizes)} apart from dimension ${at} and to be no larger size than src ${showSizes(src.sizes)}`,
      );
    }
  }
  return at;
}

/** What scatter and scatter_add check where a tensor is the source. Returns the dimension. */
export function checkScatter(name: string, self: Tensor, dim: number, index: Tensor, src: Tensor): number {
  sameBackend(name, [self, index, src], ['self', 'index', 'src']);
  const at = checkGather('scatter', self, dim, index, src);
  if (self.dtype !== src.dtype) {
    throw new RuntimeError('scatter(): Expected self.dtype to be equal to src.dtype');
  }
  return at;
}

/** As `checkScatter`, where a number is the source. */
export function checkScatterNumber(self: Tensor, dim: number, index: Tensor, value: number): number {
  sameBackend('scatter_', [self, index], ['self', 'index']);
  const at = checkGather('scatter', self, dim, index, null);
  if (index.length > 0) checkScalar(self.dtype, value);
  return at;
}
