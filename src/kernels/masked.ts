/** Launches over the elements where a mask is true (PyTorch's masked_select and masked_scatter). */
import { RuntimeError } from '../core/errors.ts';
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import { defineFault } from './faults.ts';
import { registerKernel } from './registry.ts';
import { address, outAddress } from './touch.ts';
import { MASKED, MASKED_DIM_WORDS, maskedKernel } from './wasm/masked.ts';

/** Fewer elements than places. */
const FAULT_SHORT = defineFault(() => new RuntimeError('Number of elements of source < number of ones in mask'));

/** By log2 of the size of an element. */
const register = (name: string, fault: number | null) =>
  [1, 2, 4, 8].map((size) => registerKernel(() => maskedKernel(size, fault), `${name}.${size * 8}`));
const selectKernels = register('masked_select', null);
const scatterKernels = register('masked_scatter', FAULT_SHORT);

function launch(kernels: readonly number[], x: Operand, mask: Operand, packed: Operand, picks: boolean): void {
  const backend = (x.storage as Storage).backend;
  const rank = x.sizes.length;
  const { itemsize } = x.dtype;
  const at = backend.begin(kernels[31 - Math.clz32(itemsize)], MASKED.dims + rank * MASKED_DIM_WORDS, 0);
  const { words } = backend;
  words[at + MASKED.x] = picks ? address(x, backend) : outAddress(x, backend);
  words[at + MASKED.mask] = address(mask, backend);
  words[at + MASKED.packed] = picks ? outAddress(packed, backend) : address(packed, backend);
  words[at + MASKED.count] = packed.length;
  words[at + MASKED.length] = x.length;
  words[at + MASKED.rank] = rank;
  let to = at + MASKED.dims;
  for (let d = 0; d < rank; d++) {
    words[to++] = x.sizes[d];
    words[to++] = x.strides[d] * itemsize;
    words[to++] = mask.strides[d];
  }
  backend.submit();
}

/** out = the elements of x where mask, a bool of x's sizes, is true, in row-major order; `out` has as many. */
export function maskedSelect(out: Operand, x: Operand, mask: Operand): void {
  if (out.length > 0) launch(selectKernels, x, mask, out, true);
}

/** Elements of x where mask is true become those of source, contiguous, in order. Too few of those are a fault. */
export function maskedScatter(x: Operand, mask: Operand, source: Operand): void {
  if (x.length > 0) launch(scatterKernels, x, mask, source, false);
}
