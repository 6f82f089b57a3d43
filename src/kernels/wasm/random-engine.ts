/**
 * The Mersenne Twister (mt19937) in a device's memory: its block, seeding, and drawing words. PyTorch's CPU generator,
 * word for word; `random.ts` converts its saved states.
 */
import {
  type Func,
  type FuncRef,
  type I32,
  i32,
  i32x4,
  type Local,
  type V128,
  v128,
  type WasmModule,
} from './emitter.ts';

const WORDS = 624;
const SHIFT = 397;

/** The generator's block: byte offsets of its fields. */
export const STATE = {
  /** 624 words. */
  words: 0,
  /** Number of words used of the 624; UNTWISTED right after seeding. */
  index: 2496,
  /** The seed, 64 bits. */
  seed: 2504,
  /** The second of two normals, kept for the next call: float64, and whether there is one. */
  normal: 2512,
  normalValid: 2520,
  /** A float32 normal: no kernel makes or uses one, but saved states have it. */
  floatNormal: 2524,
  floatNormalValid: 2528,
  /** Size of what makes up the state. */
  bytes: 2560,
} as const;

/** Tables and scratch of the kernels, after the state. */
export const BLOCK = {
  sincos: STATE.bytes,
  log: STATE.bytes + 111 * 32,
  exp: STATE.bytes + 111 * 32 + 128 * 16,
  scratch: STATE.bytes + 111 * 32 + 2 * 128 * 16,
  bytes: STATE.bytes + 111 * 32 + 2 * 128 * 16 + 8192 + 64,
} as const;

/** Elements that kernels make at a time; their words or values fit into the scratch. */
export const CHUNK = 1024;

/** More than 624, so that it too asks for new words; kept apart because saved states show it. */
export const UNTWISTED = 625;

/** Fills the words from a seed; drops the kept normals. Words: block, seed (64 bits; the engine uses the low 32). */
export function buildSeed(m: WasmModule): void {
  m.kernel((f, args) => {
    const [block, low, high] = f.words(args, 3);
    f.do(i32.store(block, low, STATE.seed));
    f.do(i32.store(block, high, STATE.seed + 4));
    const word = f.let(low);
    f.do(i32.store(block, word));
    const j = f.local('i32');
    f.for(j, 1, WORDS, 1, () => {
      const mixed = i32.xor(word, i32.shr_u(word, 30));
      f.set(word, i32.add(i32.mul(mixed, 1812433253), j));
      f.do(i32.store(i32.add(block, i32.shl(j, 2)), word));
    });
    f.do(i32.store(block, UNTWISTED, STATE.index));
    f.do(i32.store(block, 0, STATE.normalValid));
    f.do(i32.store(block, 0, STATE.floatNormalValid));
    return undefined;
  });
}

/** `draw(block, to, count)`: the next words of the generator, tempered, to memory. */
export function draw(m: WasmModule): FuncRef<readonly ['i32', 'i32', 'i32'], 'none'> {
  return m.shared('draw', ['i32', 'i32', 'i32'], 'none', (f, block, to, count) => {
    const index = f.let(i32.load(block, STATE.index));
    const end = f.let(i32.add(to, i32.shl(count, 2)));
    const stop = f.local('i32');
    const from = f.local('i32');
    f.while(i32.lt_u(to, end), () => {
      f.if(i32.ge_u(index, WORDS), () => {
        f.do(twist(m).call(block));
        f.set(index, 0);
      });
      const left = f.let(i32.shl(i32.sub(WORDS, index), 2));
      const wanted = f.let(i32.sub(end, to));
      f.if(i32.lt_u(wanted, left), () => f.set(left, wanted));
      f.set(from, i32.add(block, i32.shl(index, 2)));
      f.set(index, i32.add(index, i32.shr_u(left, 2)));
      f.set(stop, i32.add(to, i32.and(left, -16)));
      f.for(to, to, stop, 16, () => {
        f.do(v128.store(to, temper(f, v128.load(from))));
        f.inc(from, 16);
      });
      f.set(stop, i32.add(to, i32.and(left, 15)));
      f.for(to, to, stop, 4, () => {
        f.do(i32.store(to, i32x4.extract_lane(temper(f, v128.load32_zero(from)), 0)));
        f.inc(from, 4);
      });
    });
    f.do(i32.store(block, index, STATE.index));
  });
}

function temper(f: Func, word: V128): V128 {
  const y = f.let(word);
  f.set(y, v128.xor(y, i32x4.shr_u(y, 11)));
  f.set(y, v128.xor(y, v128.and(i32x4.shl(y, 7), i32x4.const(0x9d2c5680))));
  f.set(y, v128.xor(y, v128.and(i32x4.shl(y, 15), i32x4.const(0xefc60000))));
  return v128.xor(y, i32x4.shr_u(y, 18));
}

/** The next 624 words: each from itself, its successor and the word 397 further on, in a circle. */
function twist(m: WasmModule): FuncRef<readonly ['i32'], 'none'> {
  return m.shared('twist', ['i32'], 'none', (f, block) => {
    const at = f.local('i32');
    const word = (address: I32, offset = 0) => i32.load(address, offset);
    const four = (from: number, to: number, third: number) => {
      f.for(at, i32.add(block, from * 4), f.let(i32.add(block, to * 4)), 16, () => {
        const u = f.let(v128.load(at));
        const v = f.let(v128.load(at, 4));
        const mixed = v128.or(v128.and(u, i32x4.const(0x80000000)), v128.and(v, i32x4.const(0x7fffffff)));
        const odd = i32x4.neg(v128.and(v, i32x4.const(1)));
        const twisted = v128.xor(i32x4.shr_u(mixed, 1), v128.and(odd, i32x4.const(0x9908b0df)));
        f.do(
          v128.store(at, v128.xor(v128.load(third < 0 ? i32.sub(at, -third * 4) : i32.add(at, third * 4)), twisted)),
        );
      });
    };
    const one = (from: number, to: number, third: number, next: (at: Local<'i32'>) => I32) => {
      f.for(at, i32.add(block, from * 4), f.let(i32.add(block, to * 4)), 4, () => {
        const v = f.let(next(at));
        const mixed = i32.or(i32.and(word(at), 0x80000000), i32.and(v, 0x7fffffff));
        const odd = i32.sub(0, i32.and(v, 1));
        const twisted = i32.xor(i32.shr_u(mixed, 1), i32.and(odd, 0x9908b0df));
        f.do(i32.store(at, i32.xor(word(i32.add(at, third * 4)), twisted)));
      });
    };
    const first = WORDS - SHIFT;
    four(0, 224, SHIFT);
    one(224, first, SHIFT, (a) => word(a, 4));
    four(first, 623, -first);
    one(623, WORDS, -first, () => word(block));
  });
}
