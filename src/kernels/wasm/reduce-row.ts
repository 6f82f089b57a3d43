/**
 * Reductions whose unit of work is one result: its elements are gone through run by run, each run along the reduced
 * dimension that lies closest in memory. Also the positions of extremes (argmax, argmin).
 */
import {
  f32,
  f32x4,
  f64,
  f64x2,
  type Func,
  type I32,
  i32,
  i32x4,
  i64,
  i64x2,
  type Local,
  type V128,
  type Value,
  v128,
  WasmModule,
  type ModuleOptions,
} from './emitter.ts';
import { splat } from './elements.ts';
import { bytesOf, type CombineName, identity, lane, storeTotal } from './reduce-combine.ts';
import { type ReduceCode, ReduceContext } from './reduce-elements.ts';
import { emitRunPlace, emitUnits, type Frame, Word } from './reduce-frame.ts';
import { emitRun, type RunElements } from './reduce-run.ts';
import { type Compute, lanesOf } from './types.ts';

/** The module of a reduction by rows. */
export function rowReduction(code: ReduceCode, options?: ModuleOptions): Uint8Array {
  const m = new WasmModule(options);
  m.kernel((f, args) => {
    const fault = f.local('i32');
    const context = new ReduceContext(f, args, code, fault);
    emitUnits(f, args, code.inputs.length, code.scalars, false, (frame) => {
      if (code.combine === 'argmax' || code.combine === 'argmin') emitArg(context, args, frame, code.combine);
      else emitRow(context, args, frame, code.combine);
    });
    return fault;
  });
  return m.toBytes();
}

/** Does `body` for every run of the unit, with `pointers` at its first element and `n` its length. */
function forRuns(
  f: Func,
  args: Local<'i32'>,
  code: ReduceCode,
  frame: Frame,
  body: (pointers: Local<'i32'>[], n: Local<'i32'>, run: Local<'i32'>) => void,
): void {
  const inputs = code.inputs.length;
  const pointers = code.inputs.map(() => f.local('i32'));
  const n = f.local('i32');
  const run = f.local('i32');
  f.for(run, frame.firstRun, frame.lastRun, 1, () => {
    f.set(n, frame.count);
    emitRunPlace(f, args, frame, inputs, code.scalars, run, pointers);
    body(pointers, n, run);
  });
}

function emitRow(context: ReduceContext, args: Local<'i32'>, frame: Frame, combine: CombineName): void {
  const { f, code } = context;
  const total = f.local(code.total);
  const run = { combine, value: code.compute, type: code.total, total };
  f.set(total, identity(combine, code.total) as Value<'i32'>);
  forRuns(f, args, code, frame, (pointers, n) => {
    emitRun(f, [run], n, context.elements(pointers, frame.strides));
  });
  if (code.result === 'partial') {
    const at = f.let(i32.add(frame.word(Word.out), i32.mul(frame.unit, bytesOf(code.total))));
    f.do(storeTotal(code.total, at, total));
  } else context.storeResult(frame.out, total);
}

/** Whether x comes before the best so far: NaN before everything, and the first of equals stays. */
function better(combine: 'argmax' | 'argmin', type: Compute, x: Value, best: Value): I32 {
  if (type === 'f32' || type === 'f64') {
    const k = (type === 'f32' ? f32 : f64) as typeof f32;
    const [a, b] = [x as Value<'f32'>, best as Value<'f32'>];
    const beyond = combine === 'argmax' ? k.gt(a, b) : k.lt(a, b);
    return i32.or(beyond, i32.and(k.ne(a, a), k.eq(b, b)));
  }
  const k = (type === 'i32' ? i32 : i64) as typeof i32;
  return combine === 'argmax' ? k.gt_s(x as I32, best as I32) : k.lt_s(x as I32, best as I32);
}

function emitArg(context: ReduceContext, args: Local<'i32'>, frame: Frame, combine: 'argmax' | 'argmin'): void {
  const { f, code } = context;
  const type = code.compute;
  const best = f.local(type);
  const at = f.local('i32');
  const found = f.local('i32');
  const position = f.local('i32');
  f.set(found, 0);
  f.set(at, 0);
  f.set(best, identity(combine === 'argmax' ? 'max' : 'min', type) as Value<'i32'>);

  forRuns(f, args, code, frame, (pointers, n, run) => {
    const elements = context.elements(pointers, frame.strides);
    f.set(position, i32.add(i32.mul(run, frame.word(Word.length)), frame.start));
    const take = (x: Value) => {
      f.set(best, x as Value<'i32'>);
      f.set(at, code.positions ? i32.load(pointers[1]) : position);
      f.set(found, 1);
    };
    if (elements.vector) {
      emitSearch(f, combine, type, elements, pointers, n, position, best, found, take);
      return;
    }
    f.for(position, position, f.let(i32.add(position, n)), 1, () => {
      const x = f.let(lane(type, f.let(elements.single()[0]), 0) as Value<'i32'>);
      f.if(i32.or(better(combine, type, x, best), i32.eqz(found)), () => take(x));
      elements.advance(1);
    });
  });

  if (code.result === 'partial') {
    const values = f.let(i32.add(frame.word(Word.out), i32.mul(frame.unit, bytesOf(type))));
    const places = f.let(i32.add(frame.word(Word.indices), i32.mul(frame.unit, 8)));
    f.do(storeTotal(type, values, best));
    f.do(i64.store(places, i64.extend_i32_u(at)));
    return;
  }
  f.do(i64.store(frame.indices, i64.extend_i32_u(at)));
  f.if(frame.word(Word.out), () => context.storeResult(frame.out, best));
}

/** One run in vectors: first its extreme, then, if that is better, where it is. */
function emitSearch(
  f: Func,
  combine: 'argmax' | 'argmin',
  type: Compute,
  elements: RunElements,
  pointers: readonly Local<'i32'>[],
  n: Local<'i32'>,
  position: Local<'i32'>,
  best: Local,
  found: Local<'i32'>,
  take: (x: Value) => void,
): void {
  const extreme = combine === 'argmax' ? 'max' : 'min';
  const starts = pointers.map((p) => f.let(p));
  const left = f.let(n);
  const top = f.local(type);
  f.set(top, identity(extreme, type) as Value<'i32'>);
  emitRun(f, [{ combine: extreme, value: type, type, total: top }], n, elements);
  f.if(i32.or(better(combine, type, top, best), i32.eqz(found)), () => {
    pointers.forEach((p, i) => {
      f.set(p, starts[i]);
    });
    const lanes = lanesOf(type);
    const wanted = f.let(splat(type, top));
    const mask = f.local('v128');
    f.block((out) => {
      f.while(i32.ge_u(left, lanes), () => {
        const x = f.let(elements.vector!(0)[0]);
        f.set(mask, equalOrNan(type, x, wanted));
        f.brIf(out, v128.any_true(mask));
        elements.advance(lanes);
        f.inc(position, lanes);
        f.set(left, i32.sub(left, lanes));
      });
      f.set(mask, i32x4.const(0));
    });
    // Step to the element itself: the lane, or one by one through what is left.
    f.if(
      v128.any_true(mask),
      () => {
        const ahead = f.let(i32.ctz(lanes === 4 ? i32x4.bitmask(mask) : i64x2.bitmask(mask)));
        f.while(ahead, () => {
          elements.advance(1);
          f.inc(position, 1);
          f.set(ahead, i32.sub(ahead, 1));
        });
        take(f.let(lane(type, f.let(elements.single()[0]), 0) as Value<'i32'>));
      },
      () => {
        f.block((out) => {
          f.while(left, () => {
            const x = f.let(lane(type, f.let(elements.single()[0]), 0) as Value<'i32'>);
            f.if(scalarEqualOrNan(type, x, top), () => {
              take(x);
              f.br(out);
            });
            elements.advance(1);
            f.inc(position, 1);
            f.set(left, i32.sub(left, 1));
          });
        });
      },
    );
  });
}

/** If the extreme is NaN, the first NaN is wanted; if it is not, there is none. */
function equalOrNan(type: Compute, x: V128, wanted: V128): V128 {
  if (type === 'i32') return i32x4.eq(x, wanted);
  if (type === 'i64') return i64x2.eq(x, wanted);
  const k = type === 'f32' ? f32x4 : f64x2;
  return v128.or(k.eq(x, wanted), k.ne(x, x));
}
function scalarEqualOrNan(type: Compute, x: Value, wanted: Value): I32 {
  if (type === 'i32') return i32.eq(x as I32, wanted as I32);
  if (type === 'i64') return i64.eq(x as Value<'i64'>, wanted as Value<'i64'>);
  const k = (type === 'f32' ? f32 : f64) as typeof f32;
  return i32.or(k.eq(x as Value<'f32'>, wanted as Value<'f32'>), k.ne(x as Value<'f32'>, x as Value<'f32'>));
}
