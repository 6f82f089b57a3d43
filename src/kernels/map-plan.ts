/**
 * Puts the layout of a launch into its simplest form: dimensions of size 1 dropped, the outputs' smallest stride
 * innermost, neighbours that can be walked as one joined.
 */
import type { Operand } from '../core/operand.ts';
import { ACROSS, BROADCAST, CONTIGUOUS, STRIDED } from './wasm/map-layout.ts';

const MAX_DIMS = 64;
const MAX_OPERANDS = 32;

export interface Plan {
  /** Dimensions left, at least 1. */
  dims: number;
  operands: number;
  /** From the inside out. */
  readonly sizes: Float64Array;
  /** In bytes: dimension d of operand k at d * operands + k. Outputs first. */
  readonly strides: Float64Array;
  /** Along the innermost dimension. */
  readonly walks: Uint8Array;
  /** Whether any operand walks in steps. */
  strided: boolean;
  /** Whether the two innermost dimensions are better walked in tiles. */
  tiled: boolean;
}

/** Reused by every launch: valid until the next call. */
const plan: Plan = {
  dims: 0,
  operands: 0,
  sizes: new Float64Array(MAX_DIMS),
  strides: new Float64Array(MAX_DIMS * MAX_OPERANDS),
  walks: new Uint8Array(MAX_OPERANDS),
  strided: false,
  tiled: false,
};

/** Tiles pay off from this many elements on. */
const TILED_ELEMENTS = 4096;
const TILED_SIDE = 8;

/**
 * @param outs all outputs; null when `out` is the only one
 * @param inputs the first `inputCount` of these broadcast to the shape of `out`
 */
export function coalesce(
  out: Operand,
  outs: readonly Operand[] | null,
  inputs: readonly Operand[],
  inputCount: number,
): Plan {
  const outCount = outs === null ? 1 : outs.length;
  const n = outCount + inputCount;
  if (n > MAX_OPERANDS) throw new Error(`a map kernel takes at most ${MAX_OPERANDS} operands, got ${n}`);
  const { sizes, strides } = plan;
  plan.operands = n;
  let dims = 0;
  const rank = out.sizes.length;
  for (let d = rank - 1; d >= 0; d--) {
    const size = out.sizes[d];
    if (size === 1) continue;
    sizes[dims] = size;
    const row = dims * n;
    for (let k = 0; k < outCount; k++) {
      const o = outs === null ? out : outs[k];
      strides[row + k] = o.strides[d] * o.dtype.itemsize;
    }
    for (let k = 0; k < inputCount; k++) {
      const x = inputs[k];
      const own = d - rank + x.sizes.length;
      strides[row + outCount + k] = own < 0 || x.sizes[own] === 1 ? 0 : x.strides[own] * x.dtype.itemsize;
    }
    dims++;
  }
  if (dims === 0) {
    // A single element: it may count as a run of one.
    sizes[0] = 1;
    for (let k = 0; k < n; k++)
      strides[k] = (k < outCount ? (outs === null ? out : outs[k]) : inputs[k - outCount]).dtype.itemsize;
    dims = 1;
  } else {
    sortDims(dims, n);
    dims = joinDims(dims, n);
  }
  plan.dims = dims;
  plan.strided = false;
  for (let k = 0; k < n; k++) {
    const itemsize = (k < outCount ? (outs === null ? out : outs[k]) : inputs[k - outCount]).dtype.itemsize;
    const stride = strides[k];
    plan.walks[k] = stride === itemsize ? CONTIGUOUS : stride === 0 && k >= outCount ? BROADCAST : STRIDED;
    if (plan.walks[k] === STRIDED) plan.strided = true;
  }
  plan.tiled = plan.strided && dims > 1 && out.length >= TILED_ELEMENTS && chooseTiles(n, inputs, outCount);
  return plan;
}

/** Insertion sort by the stride of the first output, smallest first; usually they are in order already. */
function sortDims(dims: number, n: number): void {
  const { strides } = plan;
  for (let i = 1; i < dims; i++) {
    for (let j = i; j > 0 && strides[j * n] < strides[(j - 1) * n]; j--) swapDims(j, j - 1, n);
  }
}

function swapDims(a: number, b: number, n: number): void {
  const { sizes, strides } = plan;
  const size = sizes[a];
  sizes[a] = sizes[b];
  sizes[b] = size;
  for (let k = 0; k < n; k++) {
    const stride = strides[a * n + k];
    strides[a * n + k] = strides[b * n + k];
    strides[b * n + k] = stride;
  }
}

function joinDims(dims: number, n: number): number {
  const { sizes, strides } = plan;
  let last = 0;
  for (let d = 1; d < dims; d++) {
    let joins = true;
    for (let k = 0; k < n && joins; k++) joins = strides[d * n + k] === strides[last * n + k] * sizes[last];
    if (joins) {
      sizes[last] *= sizes[d];
      continue;
    }
    last++;
    sizes[last] = sizes[d];
    for (let k = 0; k < n; k++) strides[last * n + k] = strides[d * n + k];
  }
  return last + 1;
}

/** If an input lies side by side along another dimension than the innermost, makes that the second. */
function chooseTiles(n: number, inputs: readonly Operand[], outCount: number): boolean {
  const { sizes, strides, walks } = plan;
  if (sizes[0] < TILED_SIDE) return false;
  for (let k = outCount; k < n; k++) {
    if (walks[k] !== STRIDED) continue;
    const itemsize = inputs[k - outCount].dtype.itemsize;
    for (let d = 1; d < plan.dims; d++) {
      if (strides[d * n + k] !== itemsize || sizes[d] < TILED_SIDE) continue;
      for (let e = d; e > 1; e--) swapDims(e, e - 1, n);
      for (let other = k; other < n; other++) {
        if (walks[other] === STRIDED && strides[n + other] === inputs[other - outCount].dtype.itemsize)
          walks[other] = ACROSS;
      }
      return true;
    }
  }
  return false;
}
