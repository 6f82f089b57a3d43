/**
 * The launch words that all matrix-multiply kernels share, and the code that finds an item's place: a launch's range
 * counts blocks of the output, `columns` of them in a row of blocks, `rows` of those in a matrix, then the batch.
 *
 * out[batch, m, n] = alpha * sum over k of a[batch, m, k] * b[batch, k, n] + beta * c[batch, m, n]. All strides are in bytes.
 */
import { type Func, i32, type Local } from './emitter.ts';

/** Positions of the words. */
export const W = {
  begin: 0,
  end: 1,
  out: 2,
  outRow: 3,
  outBatch: 4,
  a: 5,
  /** From one group of rows (a tile's height) to the next; `aRow * 4` unless packed. */
  aStrip: 6,
  aRow: 7,
  aK: 8,
  b: 9,
  /** From one group of columns (a tile's width) to the next. */
  bPanel: 10,
  bCol: 11,
  bK: 12,
  /** Address; 0: there is none. */
  c: 13,
  cRow: 14,
  cCol: 15,
  M: 16,
  N: 17,
  K: 18,
  /** Rows and columns of a block, and how many blocks there are. */
  mStep: 19,
  nStep: 20,
  mBlocks: 21,
  nBlocks: 22,
  /** At most this many k at a time; partial sums are added up in `out`. */
  kStep: 23,
  /** 1: b is packed, the last panel padded with zeros. */
  padded: 24,
  batchRank: 25,
  /** Two words each: a float64 for float dtypes, an int64 for integers. */
  alpha: 26,
  beta: 28,
  /** For each batch dimension, outermost first: size, and the strides of a, b, c. */
  batch: 30,
} as const;

export type WordName = keyof typeof W;

/** A local for each word read. */
export type Words = { readonly [name in WordName]: Local<'i32'> };

/** Reads the named words into locals. */
export function readWords<N extends WordName>(f: Func, args: Local<'i32'>, ...names: N[]): { [K in N]: Local<'i32'> } {
  const out = {} as { [K in N]: Local<'i32'> };
  for (const name of names) out[name] = f.let(i32.load(args, W[name] * 4));
  return out;
}

/** Where an item's matrices and its block lie. `m1` and `n1` are the block's ends. */
export interface Item {
  readonly out: Local<'i32'>;
  readonly a: Local<'i32'>;
  readonly b: Local<'i32'>;
  /** 0 if there is none. */
  readonly c: Local<'i32'>;
  readonly m0: Local<'i32'>;
  readonly m1: Local<'i32'>;
  readonly n0: Local<'i32'>;
  readonly n1: Local<'i32'>;
}

/** Runs `body` for every item of the launch's range. */
export function forItems(f: Func, args: Local<'i32'>, body: (item: Item) => void): void {
  const w = readWords(f, args, 'begin', 'end', 'mBlocks', 'nBlocks', 'mStep', 'nStep', 'M', 'N');
  const item = f.local('i32');
  const [out, a, b, c, m0, m1, n0, n1] = Array.from({ length: 8 }, () => f.local('i32'));
  f.for(item, w.begin, w.end, 1, () => {
    const rows = f.let(i32.div_u(item, w.nBlocks));
    const batch = f.let(i32.div_u(rows, w.mBlocks));
    f.set(n0, i32.mul(i32.sub(item, i32.mul(rows, w.nBlocks)), w.nStep));
    f.set(m0, i32.mul(i32.sub(rows, i32.mul(batch, w.mBlocks)), w.mStep));
    f.set(n1, minimum(i32.add(n0, w.nStep), w.N));
    f.set(m1, minimum(i32.add(m0, w.mStep), w.M));
    f.set(out, i32.add(i32.load(args, W.out * 4), i32.mul(batch, i32.load(args, W.outBatch * 4))));
    f.set(a, i32.load(args, W.a * 4));
    f.set(b, i32.load(args, W.b * 4));
    f.set(c, i32.load(args, W.c * 4));
    const rest = f.let(batch);
    const first = f.let(i32.add(args, W.batch * 4));
    const at = f.let(i32.add(first, i32.shl(i32.load(args, W.batchRank * 4), 4)));
    f.while(i32.gt_u(at, first), () => {
      f.inc(at, -16);
      const size = f.let(i32.load(at));
      const next = f.let(i32.div_u(rest, size));
      const index = f.let(i32.sub(rest, i32.mul(next, size)));
      f.set(a, i32.add(a, i32.mul(index, i32.load(at, 4))));
      f.set(b, i32.add(b, i32.mul(index, i32.load(at, 8))));
      f.set(c, i32.add(c, i32.mul(index, i32.load(at, 12))));
      f.set(rest, next);
    });
    body({ out, a, b, c, m0, m1, n0, n1 });
  });
}

/** The smaller of two unsigned numbers; both are computed twice. */
export function minimum(a: Local<'i32'> | ReturnType<typeof i32.add>, b: Local<'i32'>): ReturnType<typeof i32.add> {
  const x = i32.sub(a, b);
  // b + min(a - b, 0): sizes are far below 2^31.
  return i32.add(b, i32.and(x, i32.shr_s(x, 31)));
}
