/**
 * What the builders of random kernels share: the launch's words and the steps of every kernel, in chunks over the
 * generator's scratch.
 */
import type { DType } from '../../core/dtype.ts';
import { type Func, f32, f32x4, f64, f64x2, type I32, i32, type Local } from './emitter.ts';
import { draw } from './random-engine.ts';
import type { Fused } from './random-fma.ts';
import { copyOut, type Layout, type Made, narrow } from './random-store.ts';

/** The word from which on a launch has its layout. */
export const PAIRS = 10;

/** What the parts of a kernel share. */
export interface Context {
  readonly f: Func;
  readonly fused: Fused;
  readonly dtype: DType;
  readonly args: Local<'i32'>;
  readonly block: Local<'i32'>;
  readonly scratch: Local<'i32'>;
  readonly count: Local<'i32'>;
  readonly layout: Layout;
}

/** Runs the body for every chunk of the elements from `begin` on. */
export function chunks(
  c: Context,
  begin: I32 | number,
  size: number,
  body: (first: Local<'i32'>, n: Local<'i32'>) => void,
) {
  const { f, count } = c;
  const first = f.local('i32');
  const n = f.local('i32');
  f.for(first, begin, count, size, () => {
    f.set(n, i32.sub(count, first));
    f.if(i32.gt_u(n, size), () => f.set(n, size));
    body(first, n);
  });
}

/** Draws words to the scratch. */
export function drawWords(c: Context, words: I32 | number, offset = 0): void {
  const count = typeof words === 'number' ? i32.const(words) : words;
  c.f.do(draw(c.f.module).call(c.block, i32.add(c.scratch, offset), count));
}

/** Runs the body for 16 bytes at a time of the first `bytes` of the scratch; the last may be partly beyond. */
export function vectors(c: Context, bytes: I32, body: (at: Local<'i32'>) => void): void {
  const at = c.f.local('i32');
  c.f.for(at, c.scratch, c.f.let(i32.add(c.scratch, bytes)), 16, () => body(at));
}

export function finish(c: Context, made: Made, first: I32, n: I32): void {
  narrow(c.f, made, c.dtype, c.scratch, n);
  copyOut(c.f, c.layout, c.scratch, first, n);
}

/** A float64 parameter in all lanes, as the made type. */
export function parameter(c: Context, made: Made, word: number): Local<'v128'> {
  const value = f64.load(c.args, word * 4);
  return c.f.let(made === 'f32' ? f32x4.splat(f32.demote_f64(value)) : f64x2.splat(value));
}
