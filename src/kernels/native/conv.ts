/** The native kernels of convolutions, and how large their blocks are. `conv-parts.ts` and `conv.ts` launch them. */
import { LAYOUT, MAX_THREADS } from '../../devices/layout.ts';
import type { Axes } from '../conv-plan.ts';
import { registerProgram } from '../registry.ts';
import { COLUMNS, fillRows, gatherColumns, spreadRows } from '../wasm/conv-columns.ts';
import { CONV, CONV_WEIGHT } from '../wasm/conv-words.ts';
import { type NativeGemm, nativeGemm } from './blas.ts';
import { convProgram, type ConvProgramData, convWeightProgram } from './conv-program.ts';
import { openBlas } from './open.ts';

export interface NativeConv {
  /** By type: float32, float64. */
  readonly conv: readonly [number, number];
  readonly weight: readonly [number, number];
}

/** Bytes of a block's columns: half of a second cache. */
const BLOCK_BYTES = 384 * 1024;
/** Fewer rows or columns than this leave the library's tiles half empty. */
const LEAST = 4;

let registered: NativeConv | null = null;
let registeredFor: NativeGemm | null = null;

/** The kernels for a convolution that is a product [M, K] @ [K, P] for each image and group; null: ours are better. */
export function nativeConv(M: number, K: number, P: number): NativeConv | null {
  if (M < LEAST || K < LEAST) return null;
  const gemm = nativeGemm(M * K * P);
  if (gemm === null) return null;
  if (gemm !== registeredFor) {
    registeredFor = gemm;
    registered = register(gemm);
  }
  return registered;
}

function register({ library }: NativeGemm): NativeConv {
  const data = (type: 'f32' | 'f64') => (): ConvProgramData => ({
    ...library[type],
    gather: Array.from(gatherColumns(type)),
    fill: Array.from(fillRows(type)),
    spread: Array.from(spreadRows(type)),
    conv: CONV,
    weight: CONV_WEIGHT,
    block: COLUMNS,
    slots: { first: LAYOUT.scratch, words: LAYOUT.scratchWords, count: MAX_THREADS },
  });
  const both = (program: typeof convProgram, name: string): [number, number] => [
    registerProgram(program, data('f32'), openBlas, `blas.${name}.f32`),
    registerProgram(program, data('f64'), openBlas, `blas.${name}.f64`),
  ];
  return { conv: both(convProgram, 'conv'), weight: both(convWeightProgram, 'conv_weight_backward') };
}

/** Positions of a block, so that K rows of columns stay in the second cache. */
export function positionsOf(K: number, P: number, bytes: number): number {
  const fitting = Math.floor(BLOCK_BYTES / bytes / K / 16) * 16;
  return Math.min(P, Math.max(48, fitting));
}

/** Bytes from one row of columns to the next, where windows of one tap find them side by side in the input; else 0. */
export function columnsInPlace(taps: Axes, positions: Axes, step: Axes, channel: number, bytes: number): number {
  const [d, h, w] = positions;
  const single = taps[0] * taps[1] * taps[2] === 1;
  // From one position to the next, whichever axes have more than one.
  const together =
    (w === 1 || step[2] === bytes) && (h === 1 || step[1] === w * bytes) && (d === 1 || step[0] === h * w * bytes);
  return single && together && channel >= d * h * w * bytes ? channel : 0;
}
