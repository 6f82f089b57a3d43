/**
 * Reductions whose unit of work is a strip of results side by side: the elements are gone through row by row, a few
 * vectors of columns at a time, in blocks of rows that are then added to wider running totals in memory. So memory is
 * read in its order although the reduction runs across it.
 */
import {
  type I32,
  i32,
  type Local,
  type ModuleOptions,
  select,
  type V128,
  v128,
  type Value,
  WasmModule,
} from './emitter.ts';
import {
  bytesOf,
  type CombineName,
  combineVectors,
  combineScalars,
  identity,
  identityVector,
  loadTotal,
  storeTotal,
  widen,
  widenVector,
} from './reduce-combine.ts';
import { type ReduceCode, ReduceContext } from './reduce-elements.ts';
import { emitRunPlace, emitUnits, type Frame, Word } from './reduce-frame.ts';
import { first as firstLane } from './reduce-run.ts';
import { computeType, lanesOf } from './types.ts';

/** Rows that are combined in the narrow type before they go to the totals. */
export const ROW_BLOCK = 32;

/** Rows up to which results are written at once, without totals in memory. */
export const DIRECT_ROWS = 64;

const VECTORS = 4;

/** Whether results can be made from the accumulators at once: those of at most DIRECT_ROWS rows in one run. */
export function canBeDirect(code: Omit<ReduceCode, 'kinds'>): boolean {
  return (
    code.result !== 'partial' &&
    (code.result.compute.is_floating_point || code.total === code.compute) &&
    computeType(code.result.compute) === code.compute
  );
}

/** The module of a reduction by columns; kinds are those along the columns. `direct`: see `canBeDirect`. */
export function columnReduction(code: ReduceCode, direct: boolean, options?: ModuleOptions): Uint8Array {
  const combine = code.combine;
  if (combine === 'argmax' || combine === 'argmin') throw new Error('positions are found by rows');
  const m = new WasmModule(options);
  m.kernel((f, args) => {
    const fault = f.local('i32');
    const context = new ReduceContext(f, args, code, fault);
    emitUnits(f, args, code.inputs.length, code.scalars, true, (frame) => {
      emitStrip(context, args, combine, direct, frame);
    });
    return fault;
  });
  return m.toBytes();
}

function emitStrip(
  context: ReduceContext,
  args: Local<'i32'>,
  combine: CombineName,
  direct: boolean,
  frame: Frame,
): void {
  const { f, code } = context;
  const inputs = code.inputs.length;
  const { word } = frame;
  const totalBytes = bytesOf(code.total);
  const value = code.compute;
  const lanes = lanesOf(value);
  const type = { combine, value };

  const from = f.let(i32.mul(frame.column, word(Word.unitWidth)));
  const width = f.let(i32.sub(word(Word.width), from));
  f.if(i32.gt_u(width, word(Word.unitWidth)), () => f.set(width, word(Word.unitWidth)));
  const outBytes = code.result === 'partial' ? 0 : code.result.output.itemsize;
  const out = f.let(i32.add(frame.out, i32.mul(from, outBytes)));
  code.inputs.forEach((dtype, i) => {
    if (code.kinds[i] === 'unit') f.inc(frame.bases[i], i32.mul(from, dtype.itemsize));
  });
  const totals = f.let(
    i32.add(
      word(code.result === 'partial' ? Word.out : Word.totals),
      i32.mul(i32.add(i32.mul(frame.row, word(Word.width)), from), totalBytes),
    ),
  );

  const run = f.local('i32');
  const row = f.local('i32');
  const rows = f.local('i32');
  const first = f.local('i32');
  const left = f.local('i32');
  const [total, result] = [f.local('i32'), f.local('i32')];
  const pointers = code.inputs.map(() => f.local('i32'));
  const columns = code.inputs.map(() => f.local('i32'));
  const moving = code.inputs.map(() => f.local('i32'));
  const elements = context.elements(moving, frame.strides);
  const vector = elements.vector as (k: number) => V128[];

  /** As many columns as fit, `step` at a time: down the rows of the block, then `flush`. */
  const columnsOf = (step: number, accumulate: () => void, clear: () => void, flush: () => void) => {
    f.while(i32.ge_u(left, step), () => {
      clear();
      moving.forEach((p, i) => {
        f.set(p, columns[i]);
      });
      const down = f.let(rows);
      f.if(down, () => {
        f.loop((again) => {
          accumulate();
          moving.forEach((p, i) => {
            f.inc(p, frame.strides[i]);
          });
          f.set(down, i32.sub(down, 1));
          f.brIf(again, down);
        });
      });
      flush();
      columns.forEach((p, i) => {
        if (code.kinds[i] === 'unit') f.inc(p, step * code.inputs[i].itemsize);
      });
      f.inc(total, step * totalBytes);
      f.inc(result, step * outBytes);
      f.set(left, i32.sub(left, step));
    });
  };

  const addTotal = (x: Value) => {
    const part = f.let(x as I32);
    const old = f.let(loadTotal(code.total, total) as I32);
    const sum = f.let(combineScalars(combine, code.total, old, part) as I32);
    f.do(storeTotal(code.total, total, select(first, part, sum)));
  };
  const addTotals = (offset: number, x: V128) => {
    const part = f.let(x);
    const old = f.let(v128.load(total, offset));
    f.do(v128.store(total, select(first, part, f.let(combineVectors(combine, code.total, old, part))), offset));
  };

  const block = () => {
    columns.forEach((p, i) => {
      f.set(p, pointers[i]);
    });
    f.set(left, width);
    f.set(total, totals);
    f.set(result, out);
    for (const count of [VECTORS, 1]) {
      const accumulators = Array.from({ length: count }, () => f.local('v128'));
      columnsOf(
        count * lanes,
        () => {
          accumulators.forEach((a, k) => {
            f.set(a, combineVectors(combine, value, a, f.let(vector(k)[0])));
          });
        },
        () => {
          for (const a of accumulators) f.set(a, identityVector(combine, value));
        },
        () => {
          accumulators.forEach((a, k) => {
            if (direct) context.storeResults(result, a, k);
            else {
              widenVector(value, code.total, a).forEach((part, half) => {
                addTotals(k * lanes * totalBytes + half * 16, part);
              });
            }
          });
        },
      );
    }
    const accumulator = f.local(code.total);
    columnsOf(
      1,
      () => {
        const x = f.let(widen(firstLane(type, f.let(elements.single()[0])), code.total) as I32);
        f.set(accumulator, combineScalars(combine, code.total, accumulator, x) as I32);
      },
      () => f.set(accumulator, identity(combine, code.total) as I32),
      () => (direct ? context.storeResult(result, accumulator) : addTotal(accumulator)),
    );
  };

  if (direct) {
    pointers.forEach((p, i) => {
      f.set(p, frame.bases[i]);
    });
    f.set(rows, frame.count);
    block();
    return;
  }
  f.set(first, 1);
  f.for(run, frame.firstRun, frame.lastRun, 1, () => {
    emitRunPlace(f, args, frame, inputs, code.scalars, run, pointers);
    f.set(row, frame.count);
    f.while(row, () => {
      f.set(rows, row);
      f.if(i32.gt_u(rows, ROW_BLOCK), () => f.set(rows, i32.const(ROW_BLOCK)));
      f.set(row, i32.sub(row, rows));
      block();
      f.set(first, 0);
      pointers.forEach((p, i) => {
        f.inc(p, i32.mul(rows, frame.strides[i]));
      });
    });
  });
  if (code.result === 'partial') return;
  f.set(left, width);
  f.set(total, totals);
  f.set(result, out);
  f.while(left, () => {
    context.storeResult(result, f.let(loadTotal(code.total, total) as I32));
    f.inc(total, totalBytes);
    f.inc(result, outBytes);
    f.set(left, i32.sub(left, 1));
  });
}
