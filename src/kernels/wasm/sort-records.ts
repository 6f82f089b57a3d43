/**
 * Sorting records of a key and a position, stably: insertion for few, otherwise by the keys' digits from the lowest up
 * (radix sort), digits that all records share left out. A record is 8 bytes (position, key), or 16 with a key of 64
 * bits (key, position).
 */
import {
  type Func,
  type FuncRef,
  i32,
  type I32,
  i64,
  type I64,
  type Local,
  memory,
  v128,
  type WasmModule,
} from './emitter.ts';

/** Up to so many records are sorted by insertion. */
const FEW = 40;
/** Bytes of the counters: of 256 digits, for each byte of a key. */
export const COUNTER_BYTES = 8 * 256 * 4;

export const recordBytes = (wide: boolean): number => (wide ? 16 : 8);

export function storeRecord(f: Func, wide: boolean, at: I32, key: Local, position: I32): void {
  if (wide) {
    f.do(i64.store(at, key as Local<'i64'>));
    f.do(i64.store(at, i64.extend_i32_u(position), 8));
  } else {
    f.do(i32.store(at, position));
    f.do(i32.store(at, key as Local<'i32'>, 4));
  }
}

/** The position in the record at `at`. */
export function positionAt(wide: boolean, at: I32): I32 {
  return i32.load(at, wide ? 8 : 0);
}

/** Byte number `p` of the key of the record at `at`. */
function digitAt(wide: boolean, at: I32, p: number): I32 {
  return i32.load8_u(at, wide ? p : 4 + p);
}

type SortFunction = FuncRef<readonly ['i32', 'i32', 'i32', 'i32'], 'i32'>;

/** `sort(records, spare, count, counters)`: gives where the sorted records are, `records` or `spare`. */
export function recordSorter(m: WasmModule, bits: number): SortFunction {
  const wide = bits === 64;
  const bytes = recordBytes(wide);
  const passes = bits / 8;
  return m.shared(`sort records ${bits}`, ['i32', 'i32', 'i32', 'i32'], 'i32', (f, records, spare, count, counters) => {
    const end = f.let(i32.add(records, i32.mul(count, bytes)));
    f.if(i32.le_u(count, FEW), () => {
      insertion(f, wide, records, end);
      f.return(records);
    });
    f.do(memory.fill(counters, 0, passes * 1024));
    const at = f.local('i32');
    f.for(at, records, end, bytes, () => {
      for (let p = 0; p < passes; p++) {
        const counter = f.let(i32.add(counters, i32.shl(digitAt(wide, at, p), 2)));
        f.do(i32.store(counter, i32.add(i32.load(counter, p * 1024), 1), p * 1024));
      }
    });
    const from = f.let(records);
    const to = f.let(spare);
    const sum = f.local('i32');
    const table = f.local('i32');
    for (let p = 0; p < passes; p++) {
      f.set(table, i32.add(counters, p * 1024));
      const same = i32.load(i32.add(table, i32.shl(digitAt(wide, from, p), 2)));
      f.if(i32.ne(same, count), () => {
        // Counts become the places of the next record with that digit.
        f.set(sum, to);
        f.for(at, table, f.let(i32.add(table, 1024)), 4, () => {
          const records = f.let(i32.load(at));
          f.do(i32.store(at, sum));
          f.inc(sum, i32.mul(records, bytes));
        });
        f.for(at, from, f.let(i32.add(from, i32.mul(count, bytes))), bytes, () => {
          const counter = f.let(i32.add(table, i32.shl(digitAt(wide, at, p), 2)));
          const place = f.let(i32.load(counter));
          f.do(wide ? v128.store(place, v128.load(at)) : i64.store(place, i64.load(at)));
          f.do(i32.store(counter, i32.add(place, bytes)));
        });
        f.set(sum, from);
        f.set(from, to);
        f.set(to, sum);
      });
    }
    return from;
  });
}

/** Records come with rising positions, so that comparing positions, too, keeps the order. */
function insertion(f: Func, wide: boolean, records: Local<'i32'>, end: Local<'i32'>): void {
  const bytes = recordBytes(wide);
  const [at, place] = [f.local('i32'), f.local('i32')];
  // 8-byte records compare as a whole: the key is their upper half.
  const key = (where: I32, offset = 0): I64 => i64.load(where, offset);
  f.for(at, f.let(i32.add(records, bytes)), end, bytes, () => {
    const moved = f.let(key(at));
    const position = wide ? f.let(i64.load(at, 8)) : null;
    f.set(place, at);
    f.block((done) => {
      f.loop((again) => {
        f.brIf(done, i32.le_u(place, records));
        const before = f.let(i32.sub(place, bytes));
        const other = f.let(key(before));
        f.brIf(done, i64.le_u(other, moved));
        f.do(wide ? v128.store(place, v128.load(before)) : i64.store(place, other));
        f.set(place, before);
        f.br(again);
      });
    });
    f.do(i64.store(place, moved));
    if (position !== null) f.do(i64.store(place, position, 8));
  });
}
