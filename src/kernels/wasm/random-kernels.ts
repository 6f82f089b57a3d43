/**
 * The random kernels: one per kind and dtype. Each makes its numbers in chunks in the generator's scratch, advances the
 * generator and copies the chunk out. A launch runs on one thread, so what comes out depends on nothing but the order of
 * launches. Words:
 *
 *     0 generator's block   1 address of the result   2 number of elements   3 dimensions (0: contiguous)
 *     4-5, 6-7, 8 parameters of the kind   9 address of the probabilities
 *     10… pairs (size, stride in bytes), fastest dimension first; then as many for the probabilities
 */
import { bfloat16, type DType, float16, float64 } from '../../core/dtype.ts';
import { RuntimeError } from '../../core/errors.ts';
import { defineFault } from '../faults.ts';
import {
  f32,
  f32x4,
  f64,
  f64x2,
  type I32,
  i16x8,
  i32,
  i32x4,
  i64,
  i64x2,
  type Local,
  select,
  v128,
  WasmModule,
} from './emitter.ts';
import { type Context, chunks, drawWords, finish, PAIRS, parameter, vectors } from './random-context.ts';
import { BLOCK, CHUNK, STATE } from './random-engine.ts';
import { fusedOperations } from './random-fma.ts';
import { integers, permutation } from './random-integers.ts';
import { normalBlock32, normalBlock64, normalPairs, uniform32, uniform64 } from './random-normal.ts';
import { copyIn, copyOut, madeFor, storeInteger, toHalf } from './random-store.ts';

/** A probability that is not in [0, 1]; PyTorch's text. */
export const FAULT_PROBABILITY = defineFault(
  () =>
    new RuntimeError(
      'Expected p_in >= 0 && p_in <= 1 to be true, but got false.  ' +
        '(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)',
    ),
);

/** Writes the code of a kind of random numbers. */
export type RandomBody = (c: Context) => void;

/** @param fused whether relaxed_madd may be used: it must be fused (`hasFusedMadd`) */
export function buildRandom(body: RandomBody, dtype: DType, fused: boolean): Uint8Array {
  return build(dtype, fused, (c) => {
    body(c);
    return undefined;
  });
}

export { integers, permutation };

/** 1 with the probability that another tensor has for the element, else 0. */
export function buildBernoulliTensor(dtype: DType, probability: DType): Uint8Array {
  return build(dtype, false, (c) => bernoulliTensor(c, probability));
}

function build(dtype: DType, fused: boolean, body: (c: Context) => I32 | undefined): Uint8Array {
  const m = new WasmModule({ relaxed: fused });
  m.kernel((f, args) => {
    const [block, address, count, dims] = f.words(args, 4);
    const scratch = f.let(i32.add(block, BLOCK.scratch));
    const pairs = f.let(i32.add(args, PAIRS * 4));
    const layout = { itemsize: dtype.itemsize, address, dims, pairs };
    return body({ f, fused: fusedOperations(f, fused), dtype, args, block, scratch, count, layout });
  });
  return m.toBytes();
}

/** [from, to): float64 words 4, 6. */
export function uniform(c: Context): void {
  const { f, fused, dtype } = c;
  const from = parameter(c, madeFor(dtype), 4);
  const to = parameter(c, madeFor(dtype), 6);
  if (dtype === float64) {
    const range = f.let(f64x2.sub(to, from));
    chunks(c, 0, CHUNK, (first, n) => {
      drawWords(c, i32.shl(n, 1));
      vectors(c, i32.shl(n, 3), (at) => {
        const x = f.let(fused.madd64(uniform64(f.let(v128.load(at))), range, from));
        f.do(v128.store(at, v128.bitselect(from, x, f64x2.eq(x, to))));
      });
      finish(c, 'f64', first, n);
    });
    return;
  }
  const range = f.let(f32x4.sub(to, from));
  const half = dtype === float16 || dtype === bfloat16;
  /** The half type's bits, -0 as 0, so that equal bits are equal numbers. */
  const halfBits = (x: Local<'v128'>) => {
    const bits = f.let(toHalf(f, dtype, x));
    return f.let(v128.andnot(bits, i32x4.eq(bits, i32x4.const(0x8000))));
  };
  const [fromBits, toBits] = half ? [f.let(toHalf(f, dtype, from)), halfBits(to)] : [from, to];
  chunks(c, 0, CHUNK, (first, n) => {
    drawWords(c, n);
    const packed = f.let(c.scratch);
    vectors(c, i32.shl(n, 2), (at) => {
      const x = f.let(fused.madd32(uniform32(v128.load(at)), range, from));
      // Rounding may have reached `to`, which does not belong to the interval.
      if (half) {
        const bits = f.let(toHalf(f, dtype, x));
        const plain = v128.andnot(bits, i32x4.eq(bits, i32x4.const(0x8000)));
        f.set(bits, v128.bitselect(fromBits, bits, i32x4.eq(plain, toBits)));
        f.do(v128.store64_lane(packed, i16x8.narrow_i32x4_u(bits, bits), 0));
        f.inc(packed, 8);
      } else f.do(v128.store(at, v128.bitselect(from, x, f32x4.eq(x, to))));
    });
    copyOut(f, c.layout, c.scratch, first, n);
  });
}

/** In blocks of 16, of contiguous results from 16 elements on: mean, standard deviation. */
export function normal(c: Context): void {
  const { f, fused, dtype, count, scratch, block } = c;
  const made = madeFor(dtype);
  const double = made === 'f64';
  const shift = double ? 3 : 2;
  const mean = parameter(c, made, 4);
  const std = parameter(c, made, 6);
  const at = f.local('i32');
  const fill = (n: I32) => {
    drawWords(c, double ? i32.shl(n, 1) : n);
    vectors(c, i32.shl(n, shift), (place) => {
      const words = f.let(v128.load(place));
      f.do(v128.store(place, double ? uniform64(words) : uniform32(words)));
    });
    f.for(at, scratch, f.let(i32.add(scratch, i32.shl(n, shift))), 16 << shift, () => {
      if (double) normalBlock64(f, fused, block, at, mean, std);
      else normalBlock32(f, fused, at, mean, std);
    });
  };
  const all = f.let(count);
  f.set(count, i32.and(all, -16));
  // The last elements have a block of their own, which overlaps the one before.
  const left = f.let(i32.and(all, 15));
  const lastBlock = f.local('i32');
  const n = f.local('i32');
  const first = f.local('i32');
  f.while(i32.or(i32.lt_u(first, count), i32.and(i32.ne(left, 0), i32.eqz(lastBlock))), () => {
    f.if(
      i32.lt_u(first, count),
      () => {
        f.set(n, i32.sub(count, first));
        f.if(i32.gt_u(n, CHUNK), () => f.set(n, CHUNK));
      },
      () => {
        // float32 and float64 have drawn uniforms for them before.
        if (dtype.itemsize > 2) drawWords(c, double ? i32.shl(left, 1) : left);
        f.set(first, i32.sub(all, 16));
        f.set(n, 16);
        f.set(lastBlock, 1);
      },
    );
    fill(n);
    finish(c, made, first, n);
    f.set(first, select(lastBlock, count, i32.add(first, n)));
  });
}

/** One by one, with the second of a pair kept: mean, standard deviation. */
export function normalSerial(c: Context): void {
  serialNormals(c, (x) => x);
}

/** Normals one by one; `change` gets two of them. */
export function serialNormals(c: Context, change: (x: Local<'v128'>) => Local<'v128'>): void {
  const { f, fused, block, scratch, count } = c;
  const mean = parameter(c, 'f64', 4);
  const std = parameter(c, 'f64', 6);
  const scaleAndFinish = (first: I32, n: I32) => {
    vectors(c, i32.shl(n, 3), (at) => {
      f.do(v128.store(at, change(f.let(fused.madd64(f.let(v128.load(at)), std, mean)))));
    });
    finish(c, 'f64', first, n);
  };
  const begin = f.local('i32');
  const one = f.let(i32.const(1));
  f.if(i32.and(i32.load(block, STATE.normalValid), i32.ne(count, 0)), () => {
    f.do(i32.store(block, 0, STATE.normalValid));
    f.do(i64.store(scratch, i64.load(block, STATE.normal)));
    scaleAndFinish(begin, one);
    f.set(begin, 1);
  });
  chunks(c, begin, CHUNK, (first, n) => {
    const pairs = f.let(i32.shr_u(i32.add(n, 1), 1));
    drawWords(c, i32.shl(pairs, 2));
    const at = f.local('i32');
    f.for(at, scratch, f.let(i32.add(scratch, i32.shl(pairs, 4))), 32, () => normalPairs(f, fused, block, at));
    f.if(i32.and(n, 1), () => {
      f.do(i32.store(block, 1, STATE.normalValid));
      f.do(i64.store(block, i64.load(i32.add(scratch, i32.shl(n, 3))), STATE.normal));
    });
    scaleAndFinish(first, n);
  });
}

/** The probability, a float64. */
export function bernoulli(c: Context): void {
  const { f, dtype } = c;
  const p = parameter(c, 'f64', 4);
  const one = dtype.is_floating_point ? f64x2.const(1) : i64x2.const(1n);
  chunks(c, 0, CHUNK, (first, n) => {
    drawWords(c, i32.shl(n, 1));
    vectors(c, i32.shl(n, 3), (at) => {
      f.do(v128.store(at, v128.and(f64x2.lt(uniform64(f.let(v128.load(at))), p), one)));
    });
    finish(c, dtype.is_floating_point ? 'f64' : 'i64', first, n);
  });
}

/** Half a chunk of uniforms and, after them, of probabilities, in float64 or float32 as the latter are. */
function bernoulliTensor(c: Context, probability: DType): I32 {
  const { f, dtype, args, scratch, layout } = c;
  const double = probability === float64;
  const half = CHUNK / 2;
  const pairs = f.let(i32.add(layout.pairs, i32.shl(layout.dims, 3)));
  const from = { itemsize: probability.itemsize, address: f.let(i32.load(args, 36)), dims: layout.dims, pairs };
  const at = f.let(i32.add(scratch, half * 8));
  const fault = f.local('i32');
  chunks(c, 0, half, (first, n) => {
    copyIn(f, from, at, first, n);
    drawWords(c, double ? i32.shl(n, 1) : n);
    // From the last to the first, as the float64 results take more room than float32 uniforms.
    const i = f.let(n);
    f.while(i, () => {
      f.set(i, i32.sub(i, 1));
      const source = i32.add(at, i32.mul(i, probability.itemsize));
      const p = f.let(readProbability(probability, source));
      const word = i32.add(scratch, i32.shl(i, double ? 3 : 2));
      const words = f.let(double ? v128.load64_zero(word) : v128.load32_zero(word));
      const u = double
        ? f64x2.extract_lane(uniform64(words), 0)
        : f64.promote_f32(f32x4.extract_lane(uniform32(words), 0));
      f.if(i32.eqz(i32.and(f64.ge(p, 0), f64.le(p, 1))), () => f.set(fault, FAULT_PROBABILITY));
      const one = f.let(i64.extend_i32_u(f64.lt(u, p)));
      f.do(storeInteger(dtype.is_floating_point ? 'f64' : 'i64', i32.add(scratch, i32.shl(i, 3)), one));
    });
    f.if(fault, () => f.return(fault));
    finish(c, dtype.is_floating_point ? 'f64' : 'i64', first, n);
  });
  return i32.const(0);
}

function readProbability(dtype: DType, at: I32) {
  if (dtype === float64) return f64.load(at);
  if (dtype.itemsize === 4) return f64.promote_f32(f32.load(at));
  if (dtype === bfloat16) return f64.promote_f32(f32.reinterpret_i32(i32.shl(i32.load16_u(at), 16)));
  const size = f32.reinterpret_i32(i32.shl(i32.and(i32.load16_u(at), 0x7fff), 13));
  const sign = f32.reinterpret_i32(i32.shl(i32.load16_u(at), 16));
  return f64.promote_f32(f32.copysign(f32.mul(size, 2 ** 112), sign));
}
