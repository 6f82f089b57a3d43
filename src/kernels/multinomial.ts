/** Launches of draws with replacement (PyTorch's multinomial). */
import { DTYPES, float64 } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import { registerKernel } from './registry.ts';
import { address, outAddress } from './touch.ts';
import { MULTINOMIAL as W, MULTINOMIAL_WORDS, multinomialKernel } from './wasm/multinomial.ts';

const kernels = DTYPES.map((d) =>
  d.is_floating_point ? registerKernel(() => multinomialKernel(d), `multinomial.${d.name}`) : -1,
);

/**
 * out[i][j] = a position in row i of the weights, drawn with uniforms[i][j].
 *
 * @param out int64 [rows, samples], contiguous
 * @param weights [rows, categories] of a float dtype, any strides. What is negative or not finite, and rows of zeros, are
 *   faults
 * @param uniforms float64 [rows, samples] in [0, 1), contiguous
 */
export function multinomial(out: Operand, weights: Operand, uniforms: Operand): void {
  if (out.length === 0) return;
  const backend = (out.storage as Storage).backend;
  const { dtype } = weights;
  const bytes = weights.sizes[1] * (dtype === float64 ? 8 : 4);
  const scratch = backend.allocate(bytes);
  const at = backend.begin(kernels[dtype.index], MULTINOMIAL_WORDS, 0);
  const { words } = backend;
  words[at + W.begin] = 0;
  words[at + W.end] = out.sizes[0];
  words[at + W.weights] = address(weights, backend);
  words[at + W.rowStride] = weights.strides[0] * dtype.itemsize;
  words[at + W.stride] = weights.strides[1] * dtype.itemsize;
  words[at + W.categories] = weights.sizes[1];
  words[at + W.uniforms] = address(uniforms, backend);
  words[at + W.samples] = out.sizes[1];
  words[at + W.out] = outAddress(out, backend);
  words[at + W.sums] = scratch;
  try {
    backend.submit();
  } finally {
    backend.free(scratch, bytes);
  }
}
