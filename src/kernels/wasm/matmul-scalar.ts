/**
 * Matrix multiply one element at a time, for integers (which wrap) and for tiny float matrices. Any strides.
 */
import type { DType } from '../../core/dtype.ts';
import { f64, i32, type I32, i64, type Local, type Statement, type Value, WasmModule } from './emitter.ts';
import { floatOps } from './float-ops.ts';
import { forItems, readWords, W } from './matmul-words.ts';

interface ScalarOps {
  readonly type: 'i32' | 'i64' | 'f32' | 'f64';
  readonly bytes: number;
  load(address: I32): Value;
  store(address: I32, value: Value): Statement;
  add(a: Value, b: Value): Value;
  mul(a: Value, b: Value): Value;
  /** From the two words of a factor. */
  factor(address: I32, offset: number): Value;
}

function scalarOps(dtype: DType, m: WasmModule): ScalarOps {
  if (dtype.is_floating_point) {
    const t = floatOps(dtype.itemsize === 8 ? 'f64' : 'f32', m);
    return { ...t, type: t.name, factor: (address, offset) => t.fromF64(f64.load(address, offset)) };
  }
  if (dtype.itemsize === 8) {
    return {
      type: 'i64',
      bytes: 8,
      load: i64.load,
      store: (address, value) => i64.store(address, value as Value<'i64'>),
      add: (a, b) => i64.add(a as Value<'i64'>, b as Value<'i64'>),
      mul: (a, b) => i64.mul(a as Value<'i64'>, b as Value<'i64'>),
      factor: i64.load,
    };
  }
  // Narrow integers are computed in 32 bits; storing keeps the low ones. The low word of the factor is enough.
  const bytes = dtype.itemsize;
  const load = bytes === 4 ? i32.load : bytes === 2 ? i32.load16_s : dtype.is_signed ? i32.load8_s : i32.load8_u;
  const store = bytes === 4 ? i32.store : bytes === 2 ? i32.store16 : i32.store8;
  return {
    type: 'i32',
    bytes,
    load,
    store: (address, value) => store(address, value as I32),
    add: (a, b) => i32.add(a as I32, b as I32),
    mul: (a, b) => i32.mul(a as I32, b as I32),
    factor: i32.load,
  };
}

/** The kernel's bytes; words as in `matmul-words.ts`: `aRow`, `aK`, `bCol`, `bK` are used. */
export function matmulScalar(dtype: DType): Uint8Array {
  const m = new WasmModule();
  const t = scalarOps(dtype, m);
  m.kernel((f, args) => {
    const w = readWords(f, args, 'outRow', 'aRow', 'aK', 'bCol', 'bK', 'K', 'cRow', 'cCol');
    const alpha = f.let(t.factor(args, W.alpha * 4));
    const beta = f.let(t.factor(args, W.beta * 4));
    const [row, n, k, a, b, out, c] = Array.from({ length: 7 }, () => f.local('i32'));
    // TypeScript cannot tie the local's type to the operations'; both come from `t`.
    const sum = f.local(t.type) as Local<'i32'>;
    const set = (value: Value): void => f.set(sum, value as I32);
    const zero = f.local(t.type) as Local<'i32'>;
    forItems(f, args, (item) => {
      f.for(row, item.m0, item.m1, 1, () => {
        f.set(out, i32.add(item.out, i32.add(i32.mul(row, w.outRow), i32.mul(item.n0, t.bytes))));
        f.set(c, item.c);
        f.if(c, () => f.inc(c, i32.add(i32.mul(row, w.cRow), i32.mul(item.n0, w.cCol))));
        f.for(n, item.n0, item.n1, 1, () => {
          f.set(a, i32.add(item.a, i32.mul(row, w.aRow)));
          f.set(b, i32.add(item.b, i32.mul(n, w.bCol)));
          set(zero);
          f.for(k, 0, w.K, 1, () => {
            set(t.add(sum, t.mul(t.load(a), t.load(b))));
            f.inc(a, w.aK);
            f.inc(b, w.bK);
          });
          set(t.mul(alpha, sum));
          f.if(c, () => {
            set(t.add(sum, t.mul(beta, t.load(c))));
            f.inc(c, w.cCol);
          });
          f.do(t.store(out, sum));
          f.inc(out, t.bytes);
        });
      });
    });
    return undefined;
  });
  return m.toBytes();
}
