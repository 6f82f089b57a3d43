/** The bytes of a tensor as another dtype: `x.view(dtype)`. It declares no op. */
import type { DType } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { isContiguous, numel } from '../core/shape.ts';
import { FLAG_INFERENCE, Tensor, versionCounter } from '../tensor/tensor.ts';

/**
 * The same storage and version counter, without history. Where the elements have another size the last dimension grows or
 * shrinks, and must lie side by side.
 * @throws RuntimeError where the bytes do not make whole elements
 */
export function reinterpret(self: Tensor, dtype: DType): Tensor {
  const [from, to] = [self.dtype.itemsize, dtype.itemsize];
  const rank = self.sizes.length;
  const fail = (what: string) => {
    const names = `to view ${self.dtype.scalarTypeName} as ${dtype.scalarTypeName}`;
    throw new RuntimeError(`self.${what.replace('#', names)}`);
  };
  const sizes = self.sizes.slice();
  const strides = self.strides.slice();
  let { offset } = self;
  if (from !== to) {
    if (rank === 0) fail('dim() cannot be 0 # (different element sizes)');
    const last = rank - 1;
    if (from > to) {
      const ratio = from / to;
      if (strides[last] !== 1) {
        fail(`stride(-1) must be 1 # (different element sizes), but got ${strides[last]}`);
      }
      for (let d = 0; d < last; d++) strides[d] *= ratio;
      sizes[last] *= ratio;
      offset *= ratio;
    } else {
      const ratio = to / from;
      const whole = (what: string, value: number) => {
        if (value % ratio !== 0) {
          fail(`${what} must be divisible by ${ratio} # (different element sizes), but got ${value}`);
        }
      };
      whole('size(-1)', sizes[last]);
      whole('storage_offset()', offset);
      if (strides[last] !== 1) {
        fail(`stride(-1) must be 1 # (different element sizes), but got ${strides[last]}`);
      }
      for (let d = 0; d < last; d++) {
        whole(`stride(${d})`, strides[d]);
        strides[d] /= ratio;
      }
      sizes[last] /= ratio;
      offset /= ratio;
    }
  }
  const out = new Tensor(self.storage, offset, sizes, strides, dtype, numel(sizes), isContiguous(sizes, strides));
  out.flags |= self.flags & FLAG_INFERENCE;
  if ((self.flags & FLAG_INFERENCE) === 0) out.version = versionCounter(self);
  return out;
}
