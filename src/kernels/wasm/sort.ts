/**
 * The code of sorting along one dimension. One kernel sorts whole rows and writes the first `count` elements; another
 * finds elements by their rank (the largest few, the k-th, the median) without sorting the rest.
 *
 * Words; addresses and strides in bytes:
 *
 *     0, 1      first row, end
 *     HEAD      see `SORT`
 *     dims      the rows' dimensions: size, stride of the input, of the values, of the positions
 *
 * Scratch of a call, at `scratch` + (first row / `grain`) * `scratchBytes`: counters, then two lists of records, or keys
 * and then records.
 */
import type { DType } from '../../core/dtype.ts';
import { type Func, i32, type I32, i64, type Local, memory, select, WasmModule } from './emitter.ts';
import { mover } from './indexed-elements.ts';
import { emitCoordinates } from './reduce-frame.ts';
import { isWide, key32, key64, keyBits } from './sort-keys.ts';
import { COUNTER_BYTES, positionAt, recordBytes, recordSorter, storeRecord } from './sort-records.ts';

export const SORT = {
  input: 2,
  values: 3,
  /** int64 positions; 0: not wanted. */
  indices: 4,
  /** Elements of a row, and stride. */
  length: 5,
  inStride: 6,
  valueStride: 7,
  indexStride: 8,
  /** How many of the sorted elements are written. */
  count: 9,
  /** 0 ascending, -1 descending. */
  down: 10,
  scratch: 11,
  scratchBytes: 12,
  grain: 13,
  dims: 14,
  /** What is wanted of a selection: see `SELECT`. */
  mode: 15,
} as const;
export const SORT_HEAD = 16;
export const SORT_DIM_WORDS = 4;

export const SELECT = {
  /** The first `count` of the sorted elements, sorted. */
  first: 0,
  /** The last of the first `count` alone. */
  kth: 1,
  /** The lower median; the first NaN, if there is one. */
  median: 2,
  /** The lower median of what is no NaN. */
  nanmedian: 3,
  /** The most frequent element, of several the smallest; its last position. */
  mode: 4,
} as const;

/** Scratch of a row of so many elements, of which `count` are wanted. */
export function sortScratchBytes(dtype: DType, length: number, count: number, select: boolean): number {
  const record = recordBytes(isWide(dtype));
  if (!select) return COUNTER_BYTES + 2 * length * record;
  const keys = length * (isWide(dtype) ? 8 : 4);
  return COUNTER_BYTES + keys + 16 + Math.max(keys, 2 * count * record);
}

interface Row {
  readonly f: Func;
  readonly m: WasmModule;
  readonly dtype: DType;
  readonly input: Local<'i32'>;
  readonly values: Local<'i32'>;
  readonly indices: Local<'i32'>;
  readonly scratch: Local<'i32'>;
  readonly word: (at: number) => I32;
}

function eachRow(dtype: DType, body: (row: Row) => void): Uint8Array {
  const m = new WasmModule();
  m.kernel((f, args) => {
    const word = (at: number): I32 => i32.load(args, at * 4);
    const [begin, end] = f.words(args, 2);
    const [unit, rest, dim, coordinate] = Array.from({ length: 4 }, () => f.local('i32'));
    const [input, values, indices] = Array.from({ length: 3 }, () => f.local('i32'));
    const scratch = f.let(word(SORT.scratch));
    f.if(word(SORT.grain), () => {
      f.inc(scratch, i32.mul(i32.div_u(begin, word(SORT.grain)), word(SORT.scratchBytes)));
    });
    const dims = f.let(i32.add(args, SORT_HEAD * 4));
    f.for(unit, begin, end, 1, () => {
      f.set(rest, unit);
      f.set(input, word(SORT.input));
      f.set(values, word(SORT.values));
      f.set(indices, word(SORT.indices));
      emitCoordinates(f, rest, dim, coordinate, dims, f.let(word(SORT.dims)), SORT_DIM_WORDS * 4, () => {
        f.inc(input, i32.mul(coordinate, i32.load(dim, 4)));
        f.inc(values, i32.mul(coordinate, i32.load(dim, 8)));
        f.inc(indices, i32.mul(coordinate, i32.load(dim, 12)));
      });
      body({ f, m, dtype, input, values, indices, scratch, word });
    });
    return undefined;
  });
  return m.toBytes();
}

/** Makes the keys of a row; `each` gets a key and its position. */
function eachKey(row: Row, each: (key: Local, position: Local<'i32'>) => void): void {
  const { f, dtype, input, word } = row;
  const length = f.let(word(SORT.length));
  const stride = f.let(word(SORT.inStride));
  const at = f.let(input);
  const position = f.local('i32');
  const down = f.let(word(SORT.down));
  const down64 = isWide(dtype) ? f.let(i64.extend_i32_s(down)) : null;
  f.for(position, 0, length, 1, () => {
    const key = down64 === null ? key32(f, dtype, at, down) : key64(f, dtype, at, down64);
    each(key as Local, position);
    f.inc(at, stride);
  });
}

/** Writes the element at `position` of the row as a result, and its position. */
function writeResult(row: Row, value: I32, index: I32, position: Local<'i32'>): void {
  const { f, dtype, input, word } = row;
  mover(dtype.itemsize).one(f, value, i32.add(input, i32.mul(position, word(SORT.inStride))));
  f.if(word(SORT.indices), () => f.do(i64.store(index, i64.extend_i32_u(position))));
}

/** Writes the first `count` of the records from `from` on. */
function writeRecords(row: Row, from: I32, count: I32): void {
  const { f, dtype, values, indices, word } = row;
  const wide = isWide(dtype);
  const bytes = recordBytes(wide);
  const at = f.let(from);
  const [value, index] = [f.let(values), f.let(indices)];
  const [valueStride, indexStride] = [f.let(word(SORT.valueStride)), f.let(word(SORT.indexStride))];
  const end = f.let(i32.add(at, i32.mul(count, bytes)));
  f.for(at, at, end, bytes, () => {
    writeResult(row, value, index, f.let(positionAt(wide, at)));
    f.inc(value, valueStride);
    f.inc(index, indexStride);
  });
}

/** Sorts whole rows. */
export function sortKernel(dtype: DType): Uint8Array {
  const wide = isWide(dtype);
  const bytes = recordBytes(wide);
  return eachRow(dtype, (row) => {
    const { f, m, scratch, word } = row;
    const records = f.let(i32.add(scratch, COUNTER_BYTES));
    const length = f.let(word(SORT.length));
    const spare = f.let(i32.add(records, i32.mul(length, bytes)));
    const at = f.let(records);
    eachKey(row, (key, position) => {
      storeRecord(f, wide, at, key, position);
      f.inc(at, bytes);
    });
    const sorted = f.let(recordSorter(m, keyBits(dtype)).call(records, spare, length, scratch));
    f.if(
      i32.eq(word(SORT.mode), SELECT.mode),
      () => writeMode(row, sorted, length),
      () => writeRecords(row, sorted, word(SORT.count)),
    );
  });
}

/** Of sorted records the longest run of one key. */
function writeMode(row: Row, sorted: Local<'i32'>, length: Local<'i32'>): void {
  const { f, dtype, values, indices } = row;
  const wide = isWide(dtype);
  const bytes = recordBytes(wide);
  const at = f.let(sorted);
  const end = f.let(i32.add(sorted, i32.mul(length, bytes)));
  const [run, most, best] = [f.local('i32'), f.local('i32'), f.let(sorted)];
  const [first, current] = [f.let(sorted), f.let(sorted)];
  // Locals keep what the row before left in them.
  f.set(run, 0);
  f.set(most, 0);
  f.for(at, at, end, bytes, () => {
    f.set(current, at);
    const differs = wide
      ? i64.ne(i64.load(first), i64.load(current))
      : i32.ne(i32.load(first, 4), i32.load(current, 4));
    f.if(differs, () => {
      f.set(first, current);
      f.set(run, 0);
    });
    f.inc(run, 1);
    f.if(i32.gt_u(run, most), () => {
      f.set(most, run);
      f.set(best, current);
    });
  });
  writeResult(row, values, indices, f.let(positionAt(wide, best)));
}

/** Finds elements by rank. */
export function selectKernel(dtype: DType): Uint8Array {
  const wide = isWide(dtype);
  const keyBytes = wide ? 8 : 4;
  const bytes = recordBytes(wide);
  return eachRow(dtype, (row) => {
    const { f, m, scratch, word, values, indices } = row;
    const length = f.let(word(SORT.length));
    const keys = f.let(i32.add(scratch, COUNTER_BYTES));
    const keysEnd = f.let(i32.add(keys, i32.mul(length, keyBytes)));
    const records = f.let(i32.and(i32.add(keysEnd, 15), ~15));
    const mode = f.let(word(SORT.mode));
    const load = (at: I32): Local => f.let(wide ? i64.load(at) : i32.load(at)) as Local;
    const less = (a: Local, b: Local): I32 =>
      wide ? i64.lt_u(a as Local<'i64'>, b as Local<'i64'>) : i32.lt_u(a as Local<'i32'>, b as Local<'i32'>);
    const equal = (a: Local, b: Local): I32 =>
      wide ? i64.eq(a as Local<'i64'>, b as Local<'i64'>) : i32.eq(a as Local<'i32'>, b as Local<'i32'>);

    // Locals keep what the row before left in them.
    const [nans, firstNan, position] = Array.from({ length: 3 }, () => f.let(i32.const(0)));
    const largest = f.let(wide ? i64.const(-1) : i32.const(2 ** keyBits(dtype) - 1)) as Local;
    const store = f.let(keys);
    eachKey(row, (key, position) => {
      f.do(wide ? i64.store(store, key as Local<'i64'>) : i32.store(store, key as Local<'i32'>));
      f.inc(store, keyBytes);
      if (dtype.is_floating_point) {
        f.if(equal(key, largest), () => {
          f.if(i32.eqz(nans), () => f.set(firstNan, position));
          f.inc(nans, 1);
        });
      }
    });

    f.block((done) => {
      const rank = f.let(i32.sub(word(SORT.count), 1));
      f.if(i32.eq(mode, SELECT.median), () => {
        f.if(nans, () => {
          writeResult(row, values, indices, firstNan);
          f.br(done);
        });
        f.set(rank, i32.shr_u(i32.sub(length, 1), 1));
      });
      f.if(i32.eq(mode, SELECT.nanmedian), () => {
        const rest = f.let(i32.sub(length, nans));
        f.set(rank, select(rest, i32.shr_u(i32.sub(rest, 1), 1), i32.const(0)));
      });
      const wanted = f.let(rankedKey(m, keyBits(dtype)).call(keys, keysEnd, rank, scratch, records) as never) as Local;
      // How many elements equal to the wanted one come before it.
      const equals = f.let(i32.load(scratch, EQUALS));
      const at = f.let(keys);
      f.if(mode, () => {
        const differs = wide
          ? i64.ne(i64.load(at), wanted as Local<'i64'>)
          : i32.ne(i32.load(at), wanted as Local<'i32'>);
        f.while(differs, () => f.inc(at, keyBytes));
        f.set(position, i32.div_u(i32.sub(at, keys), keyBytes));
        writeResult(row, values, indices, position);
        f.br(done);
      });
      const to = f.let(records);
      f.inc(equals, 1);
      f.for(at, at, keysEnd, keyBytes, () => {
        const key = load(at);
        const taken = f.let(less(key, wanted));
        f.if(i32.and(equal(key, wanted), i32.ne(equals, 0)), () => {
          f.set(taken, 1);
          f.inc(equals, -1);
        });
        f.if(taken, () => {
          storeRecord(f, wide, to, key, position);
          f.inc(to, bytes);
        });
        f.inc(position, 1);
      });
      const count = f.let(word(SORT.count));
      const sorted = recordSorter(m, keyBits(dtype)).call(records, to, count, scratch);
      writeRecords(row, f.let(sorted), count);
    });
  });
}

/** Where in the scratch `rankedKey` leaves how many keys equal to the found one come before it. */
const EQUALS = 1024;

/**
 * `key(keys, end, rank, scratch, spare)`: the key that has this rank among them, found digit by digit from the highest;
 * those that have the digits so far are gathered in `spare`.
 */
function rankedKey(m: WasmModule, bits: number) {
  const wide = bits === 64;
  const bytes = wide ? 8 : 4;
  const k = (wide ? i64 : i32) as typeof i32;
  const type = (wide ? 'i64' : 'i32') as 'i32';
  return m.shared(
    `key of rank ${bits}`,
    ['i32', 'i32', 'i32', 'i32', 'i32'],
    type,
    (f, keys, end, rank, scratch, spare) => {
      const [from, stop] = [f.let(keys), f.let(end)];
      const [at, to, digit, count] = Array.from({ length: 4 }, () => f.local('i32'));
      for (let p = bits / 8 - 1; p >= 0; p--) {
        f.do(memory.fill(scratch, 0, 1024));
        f.for(at, from, stop, bytes, () => {
          const counter = f.let(i32.add(scratch, i32.shl(i32.load8_u(at, p), 2)));
          f.do(i32.store(counter, i32.add(i32.load(counter), 1)));
        });
        f.set(digit, 0);
        f.set(count, i32.load(scratch));
        f.while(i32.ge_u(rank, count), () => {
          f.set(rank, i32.sub(rank, count));
          f.inc(digit, 1);
          f.set(count, i32.load(i32.add(scratch, i32.shl(digit, 2))));
        });
        // Nothing is moved where all have the same digit.
        f.if(i32.ne(i32.mul(count, bytes), i32.sub(stop, from)), () => {
          f.set(to, spare);
          f.for(at, from, stop, bytes, () => {
            f.do(k.store(to, k.load(at)));
            f.inc(to, i32.shl(i32.eq(i32.load8_u(at, p), digit), wide ? 3 : 2));
          });
          f.set(from, spare);
          f.set(stop, to);
        });
      }
      f.do(i32.store(scratch, rank, EQUALS));
      return k.load(from);
    },
  );
}
