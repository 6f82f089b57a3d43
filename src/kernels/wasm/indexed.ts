/**
 * Gather and scatter: one operand is walked in order (`dense`), the other (`indexed`) at places that index tensors name.
 * A gather copies from the indexed operand to the dense one; a scatter writes the dense one into the indexed, adds it to
 * what is there, or combines it in another way.
 *
 * All operands share one iteration space: outer dimensions, and an inner one that is walked in a tight loop. Indices
 * either stay the same along the inner dimension (whole rows are moved) or are read for each of its elements.
 *
 * A gather's range counts rows, or inner elements where there is one row only. A scatter's range counts places along the
 * first indexed dimension: a thread goes through all indices and serves those in its range, so that what goes to the
 * same place is done by one thread, in order.
 */
import type { DType } from '../../core/dtype.ts';
import { FAULT_DETAILS } from '../../devices/layout.ts';
import { type Func, i32, type I32, i64, type Label, type Local, WasmModule } from './emitter.ts';
import { adder, type Combine, combiner, mover } from './indexed-elements.ts';
import { minimum } from './matmul-words.ts';

/** Positions of the words. Strides are in bytes. */
export const IX = {
  begin: 0,
  end: 1,
  dense: 2,
  indexed: 3,
  /** Rows: the product of the outer sizes. */
  rows: 4,
  /** Elements of the inner dimension. */
  inner: 5,
  denseInner: 6,
  indexedInner: 7,
  /** 1: the range counts inner elements (gather). */
  splitInner: 8,
  /** 1: the (only) index is read for every inner element. */
  perElement: 9,
  /** 1: negative indices count from the end. */
  wrap: 10,
  /** The fault of an index out of range. */
  fault: 11,
  indices: 12,
  outerRank: 13,
  /** For each index tensor: address, inner stride, size of the indexed dimension, its stride, its number. */
  index: 14,
} as const;
/** Words of an index tensor. */
export const INDEX_WORDS = 5;
/** Words of an outer dimension without the index strides: size, dense stride, indexed stride; then one per index. */
export const DIM_WORDS = 3;

export type IndexedOperation = 'gather' | 'scatter' | 'scatter_add' | 'scatter_prod' | 'scatter_max' | 'scatter_min';

/**
 * The kernel's bytes.
 *
 * @param dtype of both operands; only its size matters where elements are only moved
 * @param indexBytes 4 or 8: int32 or int64 indices
 */
export function indexedKernel(operation: IndexedOperation, dtype: DType, indexBytes: number): Uint8Array {
  const m = new WasmModule();
  const scatter = operation !== 'gather';
  const combine = combineOf(operation, dtype, m);
  m.kernel((f, args) => {
    const word = (at: number): Local<'i32'> => f.let(i32.load(args, at * 4));
    const begin = word(IX.begin);
    const end = word(IX.end);
    const denseInner = word(IX.denseInner);
    const indexedInner = word(IX.indexedInner);
    const perElement = word(IX.perElement);
    const firstIndex = f.let(i32.add(args, IX.index * 4));
    const count = word(IX.indices);
    const lastIndex = f.let(i32.add(firstIndex, i32.mul(count, INDEX_WORDS * 4)));
    const dimBytes = f.let(i32.shl(i32.add(count, DIM_WORDS), 2));
    const dims = f.let(lastIndex);
    const dimsEnd = f.let(i32.add(dims, i32.mul(word(IX.outerRank), dimBytes)));
    const row = f.local('i32');
    const rowEnd = f.let(i32.load(args, IX.rows * 4));
    const j0 = f.let(i32.const(0));
    const j1 = word(IX.inner);
    if (!scatter) {
      f.if(
        word(IX.splitInner),
        () => {
          f.set(j0, begin);
          f.set(j1, end);
        },
        () => {
          f.set(row, begin);
          f.set(rowEnd, end);
        },
      );
    }
    const [dense, indexed, at, rest, dim, j] = Array.from({ length: 6 }, () => f.local('i32'));
    const resolve = resolver(f, args, indexBytes, scatter ? { begin, end } : null);
    /** One element or run, in the direction of the operation. */
    const to = scatter ? indexed : dense;
    const from = scatter ? dense : indexed;
    const toInner = scatter ? indexedInner : denseInner;
    const fromInner = scatter ? denseInner : indexedInner;

    // Rows that differ in the last outer dimension alone follow each other by its strides.
    const lastDim = f.let(dims);
    const lastSize = f.let(i32.const(1));
    const [denseStep, indexedStep, atStep] = Array.from({ length: 3 }, () => f.local('i32'));
    f.if(i32.gt_u(dimsEnd, dims), () => {
      f.set(lastDim, i32.sub(dimsEnd, dimBytes));
      f.set(lastSize, i32.load(lastDim));
      f.set(denseStep, i32.load(lastDim, 4));
      f.set(indexedStep, i32.load(lastDim, 8));
      f.set(atStep, i32.load(lastDim, 12));
    });
    const [rowDense, rowIndexed, rowAt, stop] = Array.from({ length: 4 }, () => f.local('i32'));
    f.while(i32.lt_u(row, rowEnd), () => {
      f.set(rest, i32.div_u(row, lastSize));
      const skipped = f.let(i32.sub(row, i32.mul(rest, lastSize)));
      f.set(rowDense, i32.add(i32.load(args, IX.dense * 4), i32.mul(skipped, denseStep)));
      f.set(rowIndexed, i32.add(i32.load(args, IX.indexed * 4), i32.mul(skipped, indexedStep)));
      f.set(rowAt, i32.add(i32.load(firstIndex), i32.mul(skipped, atStep)));
      f.set(dim, lastDim);
      f.while(i32.gt_u(dim, dims), () => {
        f.set(dim, i32.sub(dim, dimBytes));
        const index = place(f, dim, dims, rest);
        f.inc(rowDense, i32.mul(index, i32.load(dim, 4)));
        f.inc(rowIndexed, i32.mul(index, i32.load(dim, 8)));
        f.inc(rowAt, i32.mul(index, i32.load(dim, 12)));
      });
      f.inc(rowDense, i32.mul(j0, denseInner));
      f.inc(rowIndexed, i32.mul(j0, indexedInner));
      f.set(stop, minimum(i32.sub(i32.add(row, lastSize), skipped), rowEnd));

      f.loop((again) => {
        f.set(dense, rowDense);
        f.set(indexed, rowIndexed);
        f.set(at, rowAt);
        f.block((nextRow) => {
          f.if(
            perElement,
            () => {
              const step = f.let(i32.load(firstIndex, 4));
              const base = f.let(indexed);
              f.inc(at, i32.mul(j0, step));
              f.for(j, j0, j1, 1, () => {
                f.block((skip) => {
                  f.set(indexed, i32.add(base, resolve(at, firstIndex, true, skip)));
                  combine.one(f, to, from);
                });
                f.inc(at, step);
                f.inc(base, indexedInner);
                f.inc(dense, denseInner);
              });
            },
            () => {
              f.inc(indexed, resolve(at, firstIndex, true, nextRow));
              otherIndices(f, { firstIndex, lastIndex, dims, dimsEnd, dimBytes, row }, (address, record) => {
                f.inc(indexed, resolve(address, record, false, nextRow));
              });
              const dense1 = i32.eq(denseInner, dtype.itemsize);
              f.if(
                i32.and(dense1, i32.eq(indexedInner, dtype.itemsize)),
                () => combine.run(f, to, from, f.let(i32.sub(j1, j0))),
                () => {
                  f.for(j, j0, j1, 1, () => {
                    combine.one(f, to, from);
                    f.inc(to, toInner);
                    f.inc(from, fromInner);
                  });
                },
              );
            },
          );
        });
        f.inc(rowDense, denseStep);
        f.inc(rowIndexed, indexedStep);
        f.inc(rowAt, atStep);
        f.inc(row, 1);
        f.brIf(again, i32.lt_u(row, stop));
      });
    });
    return undefined;
  });
  return m.toBytes();
}

function combineOf(operation: IndexedOperation, dtype: DType, m: WasmModule): Combine {
  if (operation === 'gather' || operation === 'scatter') return mover(dtype.itemsize);
  if (operation === 'scatter_add') return adder(dtype, m);
  return combiner(operation === 'scatter_prod' ? 'prod' : operation === 'scatter_max' ? 'max' : 'min', dtype);
}

/** The row's place in a dimension; `rest` is left for the dimensions outside of it. */
function place(f: Func, dim: Local<'i32'>, dims: Local<'i32'>, rest: Local<'i32'>): Local<'i32'> {
  const index = f.let(rest);
  f.if(i32.ne(dim, dims), () => {
    const size = f.let(i32.load(dim));
    f.set(rest, i32.div_u(rest, size));
    f.set(index, i32.sub(index, i32.mul(rest, size)));
  });
  return index;
}

/**
 * Emits the byte offset that the index at `at` stands for; `record` is the index tensor's words. An index out of range
 * ends the kernel with the fault; with a range, the first index tensor's places outside of it branch to `skip`.
 */
function resolver(
  f: Func,
  args: Local<'i32'>,
  indexBytes: number,
  range: { begin: Local<'i32'>; end: Local<'i32'> } | null,
) {
  const wrap = f.let(i64.extend_i32_s(i32.sub(0, i32.load(args, IX.wrap * 4))));
  const fault = f.let(i32.load(args, IX.fault * 4));
  const size = f.local('i64');
  const value = f.local('i64');
  const place = f.local('i64');
  const index = f.local('i32');
  return (at: Local<'i32'>, record: Local<'i32'>, first: boolean, skip: Label): I32 => {
    f.set(size, i64.load32_u(record, 8));
    f.set(value, indexBytes === 8 ? i64.load(at) : i64.load32_s(at));
    // place = value + size where it is negative and may be.
    f.set(place, i64.add(value, i64.and(i64.and(size, wrap), i64.shr_s(value, 63))));
    f.if(i64.ge_u(place, size), () => {
      f.do(i64.store(i32.const(FAULT_DETAILS), value));
      f.do(i32.store(i32.const(FAULT_DETAILS), i32.load(record, 8), 8));
      f.do(i32.store(i32.const(FAULT_DETAILS), i32.load(record, 16), 12));
      f.return(fault);
    });
    f.set(index, i32.wrap_i64(place));
    if (range && first) f.brIf(skip, i32.ge_u(i32.sub(index, range.begin), i32.sub(range.end, range.begin)));
    return i32.mul(index, i32.load(record, 12));
  };
}

interface Walk {
  readonly firstIndex: Local<'i32'>;
  readonly lastIndex: Local<'i32'>;
  readonly dims: Local<'i32'>;
  readonly dimsEnd: Local<'i32'>;
  readonly dimBytes: Local<'i32'>;
  readonly row: Local<'i32'>;
}

/** Runs `body` for every index tensor but the first, with the address of the row's index in it. */
function otherIndices(f: Func, w: Walk, body: (at: Local<'i32'>, record: Local<'i32'>) => void): void {
  const record = f.let(i32.add(w.firstIndex, INDEX_WORDS * 4));
  /** Where in a dimension's words this index tensor's stride is. */
  const strideAt = f.let(i32.const(DIM_WORDS * 4 + 4));
  const [at, rest, dim] = Array.from({ length: 3 }, () => f.local('i32'));
  f.while(i32.lt_u(record, w.lastIndex), () => {
    f.set(at, i32.load(record));
    f.set(rest, w.row);
    f.set(dim, w.dimsEnd);
    f.while(i32.gt_u(dim, w.dims), () => {
      f.set(dim, i32.sub(dim, w.dimBytes));
      const index = place(f, dim, w.dims, rest);
      f.inc(at, i32.mul(index, i32.load(i32.add(dim, strideAt))));
    });
    body(at, record);
    f.inc(record, INDEX_WORDS * 4);
    f.inc(strideAt, 4);
  });
}
