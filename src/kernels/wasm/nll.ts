/**
 * Negative log likelihood: picks one class of every position, and its gradient puts one number into every position.
 * Averages and sums are added up in float64, in order.
 */
import type { DType } from '../../core/dtype.ts';
import { FAULT_DETAILS } from '../../devices/layout.ts';
import { type F64, f32, f64, type Func, i32, type I32, i64, type Local, type Value, WasmModule } from './emitter.ts';
import { type Source, source } from './float-source.ts';

/** Positions of the words. Strides are in bytes. Positions are [rows, columns], scores [rows, classes, columns]. */
export const NLL = {
  /** The range of positions. */
  begin: 0,
  end: 1,
  /** The result: of every position, or one number. Backward: the scores' gradient, contiguous and 0. */
  out: 2,
  /** The sum of the weights, one number. */
  totalWeight: 3,
  /** Forward: the scores. Backward: the loss's gradient, of every position or one number. */
  x: 4,
  xRow: 5,
  xClass: 6,
  xColumn: 7,
  target: 8,
  targetRow: 9,
  targetColumn: 10,
  /** By class; 0: all are 1. */
  weight: 11,
  weightStep: 12,
  columns: 13,
  classes: 14,
  fault: 15,
  /** int64 */
  ignore: 16,
  words: 18,
} as const;

/** `none`: a loss of every position. */
export type NllReduction = 'none' | 'sum' | 'mean';

interface Position {
  readonly row: Local<'i32'>;
  readonly column: Local<'i32'>;
  readonly class: Local<'i32'>;
  /** The weight of the class. */
  readonly weight: Local<'f64'>;
}

type Words = Record<Exclude<keyof typeof NLL, 'words' | 'ignore'>, Local<'i32'>>;

function readWords(f: Func, args: Local<'i32'>): Words {
  const all = f.words(args, NLL.ignore);
  const names = Object.entries(NLL).filter(([name]) => name !== 'words' && name !== 'ignore');
  return Object.fromEntries(names.map(([name, at]) => [name, all[at]])) as Words;
}

const wide = (s: Source, x: Value): F64 => (s.type === 'f64' ? x : f64.promote_f32(x as Value<'f32'>)) as F64;
const narrow = (s: Source, x: F64): Value => (s.type === 'f64' ? x : f32.demote_f64(x));

/** Goes through the positions of the range that are not ignored; `skipped` for those that are. */
function eachPosition(
  f: Func,
  args: Local<'i32'>,
  w: Words,
  s: Source,
  targetBytes: number,
  visit: (p: Position, at: Local<'i32'>) => void,
  skipped: (at: Local<'i32'>) => void,
): void {
  const at = f.local('i32');
  const p: Position = {
    row: f.local('i32'),
    column: f.local('i32'),
    class: f.local('i32'),
    weight: f.local('f64'),
  };
  const ignore = f.let(i64.load(args, NLL.ignore * 4));
  const classes = f.let(i64.extend_i32_u(w.classes));
  const value = f.local('i64');
  f.for(at, w.begin, w.end, 1, () => {
    f.set(p.row, i32.div_u(at, w.columns));
    f.set(p.column, i32.sub(at, i32.mul(p.row, w.columns)));
    const from = f.let(i32.add(w.target, i32.add(i32.mul(p.row, w.targetRow), i32.mul(p.column, w.targetColumn))));
    f.set(value, targetBytes === 8 ? i64.load(from) : i64.extend_i32_u(i32.load8_u(from)));
    f.if(
      i64.eq(value, ignore),
      () => skipped(at),
      () => {
        f.if(i64.ge_u(value, classes), () => {
          f.do(i64.store(i32.const(FAULT_DETAILS), value));
          f.return(w.fault);
        });
        f.set(p.class, i32.wrap_i64(value));
        f.set(p.weight, f64.const(1));
        f.if(w.weight, () => {
          f.set(p.weight, wide(s, s.load(f, i32.add(w.weight, i32.mul(p.class, w.weightStep)))));
        });
        visit(p, at);
      },
    );
  });
}

export function nllKernel(dtype: DType, targetBytes: number, reduction: NllReduction): Uint8Array {
  const m = new WasmModule();
  const s = source(dtype, m);
  m.kernel((f, args) => {
    const w = readWords(f, args);
    const sum = f.local('f64');
    const weights = f.local('f64');
    const element = (at: I32): I32 => i32.add(w.out, i32.mul(at, s.bytes));
    eachPosition(
      f,
      args,
      w,
      s,
      targetBytes,
      (p, at) => {
        const place = i32.add(
          i32.mul(p.row, w.xRow),
          i32.add(i32.mul(p.class, w.xClass), i32.mul(p.column, w.xColumn)),
        );
        const loss = f.let(f64.neg(f64.mul(p.weight, wide(s, s.load(f, i32.add(w.x, place))))));
        if (reduction === 'none') f.do(s.store(f, element(at), narrow(s, loss)));
        else {
          f.set(sum, f64.add(sum, loss));
          f.set(weights, f64.add(weights, p.weight));
        }
      },
      (at) => {
        if (reduction === 'none') f.do(s.store(f, element(at), narrow(s, f64.const(0))));
      },
    );
    if (reduction !== 'none') {
      f.do(s.store(f, w.totalWeight, narrow(s, weights)));
      f.do(s.store(f, w.out, narrow(s, reduction === 'mean' ? f64.div(sum, weights) : sum)));
    }
    return undefined;
  });
  return m.toBytes();
}

/** The gradient of the scores: contiguous, and 0 before. */
export function nllGradKernel(dtype: DType, targetBytes: number, reduction: NllReduction): Uint8Array {
  const m = new WasmModule();
  const s = source(dtype, m);
  m.kernel((f, args) => {
    const w = readWords(f, args);
    const factor = f.local('f64');
    if (reduction !== 'none') {
      f.set(factor, f64.neg(wide(s, s.load(f, w.x))));
      if (reduction === 'mean') f.set(factor, f64.div(factor, wide(s, s.load(f, w.totalWeight))));
    }
    eachPosition(
      f,
      args,
      w,
      s,
      targetBytes,
      (p) => {
        if (reduction === 'none') {
          const from = i32.add(w.x, i32.add(i32.mul(p.row, w.xRow), i32.mul(p.column, w.xColumn)));
          f.set(factor, f64.neg(wide(s, s.load(f, from))));
        }
        const place = i32.add(i32.mul(i32.add(i32.mul(p.row, w.classes), p.class), w.columns), p.column);
        const to = f.let(i32.add(w.out, i32.mul(place, s.bytes)));
        f.do(s.store(f, to, narrow(s, f64.mul(p.weight, factor))));
      },
      () => undefined,
    );
    return undefined;
  });
  return m.toBytes();
}
