/** Launches that keep one triangle of matrices (PyTorch's tril and triu). */
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import { registerKernel } from './registry.ts';
import { address, outAddress } from './touch.ts';
import { TRI, TRI_WORDS, triangleKernel } from './wasm/triangle.ts';

const kernel = registerKernel(triangleKernel, 'triangle');

/** Bytes worth handing to a thread. */
const GRAIN = 1 << 17;

/**
 * out = the elements of x up to (lower) or from (upper) the diagonal, zeros elsewhere. Both contiguous, of one shape
 * with at least two dimensions, and they may be the same. `diagonal` counts from the main one upwards.
 */
export function triangle(out: Operand, x: Operand, diagonal: number, lower: boolean): void {
  if (out.length === 0) return;
  const rank = out.sizes.length;
  const [rows, columns] = [out.sizes[rank - 2], out.sizes[rank - 1]];
  const backend = (out.storage as Storage).backend;
  const all = out.length / columns;
  const bytes = columns * out.dtype.itemsize;
  const grain = all * bytes > 2 * GRAIN ? Math.max(1, Math.ceil(GRAIN / bytes)) : 0;
  const at = backend.begin(kernel, TRI_WORDS, grain);
  const { words } = backend;
  words[at + TRI.begin] = 0;
  words[at + TRI.end] = all;
  words[at + TRI.input] = address(x, backend);
  words[at + TRI.out] = outAddress(out, backend);
  words[at + TRI.rows] = rows;
  words[at + TRI.columns] = columns;
  // Beyond the corners every diagonal is the same.
  words[at + TRI.diagonal] = Math.min(Math.max(diagonal, -rows), columns);
  words[at + TRI.itemsize] = out.dtype.itemsize;
  words[at + TRI.lower] = lower ? 1 : 0;
  backend.submit();
}
