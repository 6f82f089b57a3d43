/**
 * Kernels for the tests of this folder: simple enough to be judged by eye, and one that is slow on purpose, so that a
 * queue gets deep.
 */
import { IndexError } from '../core/errors.ts';
import { defineFault } from '../kernels/faults.ts';
import { registerKernel } from '../kernels/registry.ts';
import { f64, i32, WasmModule } from '../kernels/wasm/emitter.ts';
import type { Backend } from './backend.ts';
import { FAULT_DETAILS } from './layout.ts';

/** out[i] = value for i in [begin, end). */
const FILL = registerKernel(() => {
  const m = new WasmModule();
  m.kernel((f, args) => {
    const [begin, end, out, value] = f.words(args, 4);
    const i = f.local('i32');
    f.for(i, begin, end, 1, () => f.do(i32.store(i32.add(out, i32.shl(i, 2)), value)));
    return undefined;
  });
  return m.toBytes();
}, 'test.fill');

/** out[i] = a[i] + value, after `turns` idle turns. */
const SLOW_ADD = registerKernel(() => {
  const m = new WasmModule();
  m.kernel((f, args) => {
    const [begin, end, out, a, value, turns] = f.words(args, 6);
    const i = f.local('i32');
    const idle = f.local('i32');
    // A division by what is not known to be constant can't be left out or hurried.
    f.for(i, 0, turns, 1, () => f.set(idle, i32.add(idle, i32.rem_u(i, i32.or(idle, 1)))));
    f.if(i32.eq(idle, -1), () => f.set(value, 0));
    f.for(i, begin, end, 1, () => {
      const at = f.let(i32.shl(i, 2));
      f.do(i32.store(i32.add(out, at), i32.add(i32.load(i32.add(a, at)), value)));
    });
    return undefined;
  });
  return m.toBytes();
}, 'test.slow_add');

/** out[i] = begin of the chunk, for i in [begin, end). */
const BORDERS = registerKernel(() => {
  const m = new WasmModule();
  m.kernel((f, args) => {
    const [begin, end, out] = f.words(args, 3);
    const i = f.local('i32');
    f.for(i, begin, end, 1, () => f.do(i32.store(i32.add(out, i32.shl(i, 2)), begin)));
    return undefined;
  });
  return m.toBytes();
}, 'test.borders');

const OUT_OF_RANGE = defineFault(
  ([position, index, limit]) => new IndexError(`index ${index} at ${position} is out of range for size ${limit}`),
);

/** A fault for the first i in [begin, end) with indices[i] >= limit. */
const CHECK = registerKernel(() => {
  const m = new WasmModule();
  m.kernel((f, args) => {
    const [begin, end, indices, limit] = f.words(args, 4);
    const i = f.local('i32');
    f.for(i, begin, end, 1, () => {
      const index = f.let(i32.load(i32.add(indices, i32.shl(i, 2))));
      f.if(i32.ge_u(index, limit), () => {
        f.do(i32.store(i32.const(FAULT_DETAILS), i));
        f.do(i32.store(i32.const(FAULT_DETAILS + 4), index));
        f.do(i32.store(i32.const(FAULT_DETAILS + 8), limit));
        f.return(i32.const(OUT_OF_RANGE));
      });
    });
    return undefined;
  });
  return m.toBytes();
}, 'test.check');

/** Calls a function of `Math`, which a test may have replaced in the worker. */
const CALL = registerKernel(() => {
  const m = new WasmModule();
  m.kernel((f) => {
    f.drop(m.import('math', 'cosh', ['f64'], 'f64').call(f64.const(1)));
    return undefined;
  });
  return m.toBytes();
}, 'test.call');

const TRAP = registerKernel(() => {
  const m = new WasmModule();
  m.kernel((f, args) => {
    f.drop(i32.div_u(i32.load(args), i32.const(0)));
    return undefined;
  });
  return m.toBytes();
}, 'test.trap');

/** A new kernel of its own number with a body of about `size` bytes; stores `value`. */
export function bigKernel(size: number, value: number): number {
  return registerKernel(() => {
    const m = new WasmModule();
    m.kernel((f, args) => {
      const [, , out] = f.words(args, 3);
      for (let bytes = 0; bytes < size; bytes += 6) f.do(i32.store(out, value));
      return undefined;
    });
    return m.toBytes();
  }, `test.big_${value}`);
}

export function launch(on: Backend, kernel: number, words: readonly number[], grain = 0): void {
  const at = on.begin(kernel, words.length, grain);
  const target = on.words;
  for (let i = 0; i < words.length; i++) target[at + i] = words[i];
  on.submit();
}

export const fill = (on: Backend, out: number, n: number, value: number, grain = 0): void =>
  launch(on, FILL, [0, n, out, value], grain);

export const slowAdd = (on: Backend, out: number, a: number, n: number, value: number, turns = 0, grain = 0): void =>
  launch(on, SLOW_ADD, [0, n, out, a, value, turns], grain);

export const check = (on: Backend, indices: number, n: number, limit: number, grain = 0): void =>
  launch(on, CHECK, [0, n, indices, limit], grain);

export const callMath = (on: Backend): void => launch(on, CALL, [0, 1]);

export const trap = (on: Backend): void => launch(on, TRAP, [0, 1]);

/** Turns of `slowAdd` that take about a twentieth of a second. */
export const LONG = 10_000_000;

export function write(on: Backend, address: number, values: readonly number[]): void {
  on.copyIn(address, new Uint8Array(Int32Array.from(values).buffer));
}

export function read(on: Backend, address: number, n: number): number[] {
  return Array.from(new Int32Array(on.copyOut(address, 4 * n).buffer));
}

/** A new block with these values. */
export function block(on: Backend, values: readonly number[]): number {
  const address = on.allocate(4 * values.length);
  write(on, address, values);
  return address;
}

/** The same in `n` chunks. */
export const callMathSplit = (on: Backend, n: number): void => launch(on, CALL, [0, n], 1);

export const borders = (on: Backend, out: number, begin: number, end: number, grain: number): void =>
  launch(on, BORDERS, [begin, end, out], grain);
