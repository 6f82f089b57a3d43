/**
 * Builder of pooling launches over one to three axes: maxima and averages of windows, and their gradients. Shape and
 * dtype rules are the operations'. Averages of half types are summed in float32 and rounded once.
 */
import { DTYPES } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import type { Backend } from '../devices/backend.ts';
import type { Storage } from '../devices/storage.ts';
import { inComputeType } from './conv-parts.ts';
import { type Axes, axesOf } from './conv-plan.ts';
import { registerKernel } from './registry.ts';
import { address, outAddress } from './touch.ts';
import { averagePoolGrad, maxPoolGrad, poolKernel } from './wasm/pool.ts';
import { POOL } from './wasm/pool-words.ts';

export interface PoolGeometry {
  readonly window: Axes;
  readonly stride: Axes;
  readonly padding: Axes;
  readonly dilation: Axes;
  /** Windows follow from the sizes of input and output; nothing else counts then. */
  readonly adaptive: boolean;
  /** Averages: what sums are divided by; 0 for the number of elements. */
  readonly divisor: number;
  /** Averages: whether that number counts the padding. */
  readonly countPadding: boolean;
}

/** By `2 * dtype index + (adaptive ? 1 : 0)`. */
const both = (name: string, wanted: (index: number) => boolean, build: (i: number, adaptive: boolean) => Uint8Array) =>
  DTYPES.flatMap((d) =>
    [false, true].map((adaptive) =>
      wanted(d.index)
        ? registerKernel(() => build(d.index, adaptive), `${adaptive ? 'adaptive_' : ''}${name}.${d.name}`)
        : -1,
    ),
  );
const isFloat = (i: number): boolean => DTYPES[i].is_floating_point;
const MAX = both(
  'max_pool',
  (i) => DTYPES[i].name !== 'bool',
  (i, adaptive) => poolKernel(DTYPES[i], 'max', adaptive),
);
const AVERAGE = both(
  'avg_pool',
  (i) => isFloat(i) || DTYPES[i].name === 'int64',
  (i, adaptive) => poolKernel(DTYPES[i], 'average', adaptive),
);
const AVERAGE_GRAD = both('avg_pool_backward', isFloat, (i, adaptive) => averagePoolGrad(DTYPES[i], adaptive));
const MAX_GRAD = DTYPES.map((d) =>
  d.is_floating_point ? registerKernel(() => maxPoolGrad(d), `max_pool_backward.${d.name}`) : -1,
);

/** Elements worth handing to a thread. */
const GRAIN = 16 * 1024;

function writeAxes(words: Int32Array, at: number, inSize: Axes, outSize: Axes, g: PoolGeometry): void {
  for (let i = 0; i < 3; i++) {
    words[at + POOL.inSize + i] = inSize[i];
    words[at + POOL.outSize + i] = outSize[i];
    words[at + POOL.window + i] = g.window[i];
    words[at + POOL.stride + i] = g.stride[i];
    words[at + POOL.padding + i] = g.padding[i];
    words[at + POOL.dilation + i] = g.dilation[i];
  }
  words[at + POOL.divisor] = g.divisor;
  words[at + POOL.countPadding] = g.countPadding ? 1 : 0;
}

/** @param indices int64, contiguous: positions in the input's plane; null: not wanted, or averages */
function forward(kernel: number, out: Operand, indices: Operand | null, x: Operand, g: PoolGeometry): void {
  if (out.length === 0) return;
  const backend = (out.storage as Storage).backend;
  const { itemsize } = out.dtype;
  const [inSize, outSize, strides] = [axesOf(x.sizes, 1), axesOf(out.sizes, 1), axesOf(x.strides, 0)];
  const rows = out.sizes[0] * out.sizes[1] * outSize[0] * outSize[1];
  const inputs = (out.sizes[0] * out.sizes[1] * inSize[0] * inSize[1] * inSize[2]) / rows;
  const at = backend.begin(kernel, POOL.count, Math.max(1, Math.floor(GRAIN / Math.max(1, inputs))));
  const { words } = backend;
  words[at + POOL.begin] = 0;
  words[at + POOL.end] = rows;
  words[at + POOL.out] = outAddress(out, backend);
  words[at + POOL.indices] = indices === null ? 0 : outAddress(indices, backend);
  words[at + POOL.x] = address(x, backend);
  words[at + POOL.image] = x.strides[0] * itemsize;
  words[at + POOL.channel] = x.strides[1] * itemsize;
  words[at + POOL.channels] = x.sizes[1];
  for (let i = 0; i < 3; i++) words[at + POOL.axis + i] = strides[i] * itemsize;
  writeAxes(words, at, inSize, outSize, g);
  backend.submit();
}

/**
 * out[n, c, p] = the maximum of p's window in x[n, c]; NaN if there is one.
 *
 * @param out [N, C, …], contiguous; not bool
 * @param indices where it was, as a position in the plane: int64, contiguous, as `out`
 * @param x [N, C, …], any strides
 */
export function maxPool(out: Operand, indices: Operand | null, x: Operand, g: PoolGeometry): void {
  forward(MAX[2 * out.dtype.index + (g.adaptive ? 1 : 0)], out, indices, x, g);
}

/** out[n, c, p] = the average of p's window in x[n, c]. As `maxPool`; floats and int64. */
export function averagePool(out: Operand, x: Operand, g: PoolGeometry): void {
  forward(AVERAGE[2 * out.dtype.index + (g.adaptive ? 1 : 0)], out, null, x, g);
}

function backward(kernel: number, out: Operand, grad: Operand, indices: Operand | null, g: PoolGeometry): void {
  if (out.length === 0) return;
  const [inSize, outSize] = [axesOf(out.sizes, 1), axesOf(grad.sizes, 1)];
  const planes = out.sizes[0] * out.sizes[1];
  inComputeType(out, (to, backend: Backend) => {
    const each = Math.max(1, out.length / planes);
    const at = backend.begin(kernel, POOL.count, Math.max(1, Math.floor(GRAIN / each)));
    const { words } = backend;
    words[at + POOL.begin] = 0;
    words[at + POOL.end] = planes;
    words[at + POOL.out] = address(grad, backend);
    words[at + POOL.indices] = indices === null ? 0 : address(indices, backend);
    words[at + POOL.x] = to;
    writeAxes(words, at, inSize, outSize, g);
    backend.submit();
  });
}

/**
 * The gradient of `maxPool`'s input.
 *
 * @param out [N, C, …], contiguous
 * @param grad [N, C, …], contiguous
 * @param indices of the forward pass
 */
export function maxPoolBackward(out: Operand, grad: Operand, indices: Operand, g: PoolGeometry): void {
  backward(MAX_GRAD[out.dtype.index], out, grad, indices, g);
}

/** The gradient of `averagePool`'s input. As `maxPoolBackward`. */
export function averagePoolBackward(out: Operand, grad: Operand, g: PoolGeometry): void {
  backward(AVERAGE_GRAD[2 * out.dtype.index + (g.adaptive ? 1 : 0)], out, grad, null, g);
}
