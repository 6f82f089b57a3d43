/**
 * What the kernels of embedding bags share: the launch words, and walking over a bag's indices.
 */
import { FAULT_DETAILS } from '../../devices/layout.ts';
import { f32, f64, type Func, i32, type I32, i64, type Local, type Value } from './emitter.ts';
import type { FloatOps } from './float-ops.ts';

/** Positions of the words, the same for all kernels here. Strides are in bytes, 0 means "there is none". */
export const EB = {
  begin: 0,
  end: 1,
  /** What is written: [bags, columns] forward, [rows, columns] or one for each index backward; contiguous. */
  out: 2,
  /** The matrix. */
  weight: 3,
  weightRow: 4,
  weightColumn: 5,
  /** The indices: one row, or (without offsets) a row for each bag. */
  indices: 6,
  indexRow: 7,
  indexStep: 8,
  /** Where bags begin. */
  offsets: 9,
  offsetStep: 10,
  /** Indices in a bag where there are no offsets. */
  bagLength: 11,
  /** Indices altogether. */
  length: 12,
  bags: 13,
  /** Rows of the matrix, and columns. */
  rows: 14,
  columns: 15,
  /** Indices of this value are skipped; -1: none are. */
  padding: 16,
  /** A factor for each index, laid out as they are. */
  factors: 17,
  factorRow: 18,
  factorStep: 19,
  /** For each bag, how many indices it has without padding (int64 or int32, as the indices). */
  bagSize: 20,
  /** [bags, columns]: which row had the maximum (as the indices). */
  maxIndices: 21,
  faultIndex: 22,
  faultFirst: 23,
  faultLast: 24,
  faultOrder: 25,
  /** 1: the last offset is an end. */
  lastIsEnd: 26,
  /** The gradient of the output: [bags, columns], contiguous rows. */
  grad: 27,
  gradRow: 28,
  /** For each row of the matrix, how many indices name it (int32). */
  counts: 29,
  words: 30,
} as const;

export type BagMode = 'sum' | 'mean' | 'max';

export type Words = { readonly [name in keyof typeof EB]: Local<'i32'> };

export function readAll(f: Func, args: Local<'i32'>): Words {
  const out = {} as Record<string, Local<'i32'>>;
  for (const [name, at] of Object.entries(EB)) if (name !== 'words') out[name] = f.let(i32.load(args, at * 4));
  return out as Words;
}

export interface Bag {
  readonly number: Local<'i32'>;
  /** First index and the end, counted from the row that the bag's indices are in. */
  readonly first: Local<'i32'>;
  readonly end: Local<'i32'>;
  /** Addresses of that first index, and of its factor. */
  readonly index: Local<'i32'>;
  readonly factor: Local<'i32'>;
}

/** Sets up bag number `bag.number`. Offsets that make no sense end the kernel with a fault. */
export function openBag(f: Func, w: Words, bytes: number, bag: Bag): void {
  const offset = (at: I32): I32 => {
    const address = i32.add(w.offsets, i32.mul(at, w.offsetStep));
    return bytes === 8 ? i32.wrap_i64(i64.load(address)) : i32.load(address);
  };
  const fail = (code: Local<'i32'>, a: I32, b: I32): void => {
    f.do(i32.store(i32.const(FAULT_DETAILS), a));
    f.do(i32.store(i32.const(FAULT_DETAILS), b, 4));
    f.return(code);
  };
  const { number, first, end } = bag;
  f.if(
    w.offsets,
    () => {
      f.set(first, offset(number));
      f.if(i32.and(i32.eqz(number), first), () => fail(w.faultFirst, first, i32.const(0)));
      f.if(
        i32.or(w.lastIsEnd, i32.lt_u(i32.add(number, 1), w.bags)),
        () => f.set(end, offset(i32.add(number, 1))),
        () => f.set(end, w.length),
      );
      f.if(i32.gt_s(end, w.length), () => fail(w.faultLast, w.length, end));
      f.if(i32.gt_s(first, w.length), () => fail(w.faultLast, w.length, first));
      f.if(i32.gt_s(first, end), () => fail(w.faultOrder, first, end));
    },
    () => {
      f.set(first, 0);
      f.set(end, w.bagLength);
    },
  );
  const start = (base: I32, row: I32, step: I32): I32 =>
    i32.add(i32.add(base, i32.mul(number, row)), i32.mul(first, step));
  f.set(bag.index, start(w.indices, w.indexRow, w.indexStep));
  f.set(bag.factor, start(w.factors, w.factorRow, w.factorStep));
}

/** Runs `body` for every index of the bag but padding, `row` being the index. */
export function forIndices(
  f: Func,
  w: Words,
  bag: Bag,
  bytes: number,
  body: (row: Local<'i32'>, factor: Local<'i32'>) => void,
): void {
  const at = f.let(bag.index);
  const factor = f.let(bag.factor);
  const j = f.local('i32');
  const row = f.local('i32');
  f.for(j, bag.first, bag.end, 1, () => {
    f.set(row, bytes === 8 ? i32.wrap_i64(i64.load(at)) : i32.load(at));
    f.if(i32.ne(row, w.padding), () => body(row, factor));
    f.inc(at, w.indexStep);
    f.inc(factor, w.factorStep);
  });
}

export function newBag(f: Func): Bag {
  const [number, first, end, index, factor] = Array.from({ length: 5 }, () => f.local('i32'));
  return { number, first, end, index, factor };
}

/** Stores as int64 or int32. */
export function storeIndex(f: Func, bytes: number, to: I32, value: I32): void {
  if (bytes === 8) f.do(i64.store(to, i64.extend_i32_u(value)));
  else f.do(i32.store(to, value));
}

/** A count as a float. */
export function toFloat(t: FloatOps, count: I32): Value {
  return t.name === 'f32' ? f32.convert_i32_u(count) : f64.convert_i32_u(count);
}
export function divide(t: FloatOps, a: Value, b: Value): Value {
  if (t.name === 'f32') return f32.div(a as Value<'f32'>, b as Value<'f32'>);
  return f64.div(a as Value<'f64'>, b as Value<'f64'>);
}
