/** Builder of the launch that undoes a maximum pool. */
import { RuntimeError } from '../core/errors.ts';
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import { defineFault } from './faults.ts';
import { registerKernel } from './registry.ts';
import { address, outAddress } from './touch.ts';
import { UNPOOL, unpoolKernel } from './wasm/unpool.ts';

const FAULT = defineFault(
  ([index, depth, height, width]) =>
    new RuntimeError(
      `Found an invalid max index: ${index} (output volumes are of size ${depth > 0 ? `${depth}x` : ''}${height}x${width})`,
    ),
);

/** By bytes of an element. */
const KERNELS = new Map([1, 2, 4, 8].map((b) => [b, registerKernel(() => unpoolKernel(b), `max_unpool.i${b * 8}`)]));

/**
 * out[plane, indices[plane, k]] = x[plane, k], and 0 elsewhere. All contiguous, of one dtype.
 *
 * @param out [planes, …axes]
 * @param x [planes, elements]
 * @param indices int64, as x
 */
export function unpool(out: Operand, x: Operand, indices: Operand): void {
  if (out.length === 0) return;
  const backend = (out.storage as Storage).backend;
  const [planes, ...axes] = out.sizes;
  const places = out.length / planes;
  const k = backend.begin(
    KERNELS.get(out.dtype.itemsize)!,
    UNPOOL.count,
    Math.max(1, Math.floor(32768 / Math.max(1, places))),
  );
  const { words } = backend;
  words[k + UNPOOL.begin] = 0;
  words[k + UNPOOL.end] = planes;
  words[k + UNPOOL.out] = outAddress(out, backend);
  words[k + UNPOOL.x] = address(x, backend);
  words[k + UNPOOL.indices] = address(indices, backend);
  words[k + UNPOOL.elements] = x.length / planes;
  words[k + UNPOOL.size] = axes.length === 3 ? axes[0] : 0;
  words[k + UNPOOL.size + 1] = axes[axes.length - 2];
  words[k + UNPOOL.size + 2] = axes[axes.length - 1];
  words[k + UNPOOL.places] = places;
  words[k + UNPOOL.fault] = FAULT;
  backend.submit();
}
