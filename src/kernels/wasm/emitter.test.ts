import { describe, expect, test } from 'vitest';
import { features } from '../features.ts';
import * as ops from './emitter.ts';
import { choose, f32, f32x4, f64, i32, i64, i8x16, select, v128, type Value, WasmModule } from './emitter.ts';

const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536, shared: features.sharedMemory });

function instantiate(m: WasmModule): Record<string, (...args: number[]) => number> {
  const module = new WebAssembly.Module(m.toBytes() as BufferSource);
  const instance = new WebAssembly.Instance(module, { env: { memory }, math: { sin: Math.sin } });
  return instance.exports as Record<string, (...args: number[]) => number>;
}

/** A value of each kind of argument an instruction may take. */
const SAMPLE = { i32: i32.const(1), i64: i64.const(1), f32: f32.const(1), f64: f64.const(1), v128: f32x4.const(1) };

describe('instructions', () => {
  // Every instruction must assemble into a module that validates, for some choice of argument types.
  const namespaces = {
    i32,
    i64,
    f32,
    f64,
    v128,
    i8x16,
    i16x8: ops.i16x8,
    i32x4: ops.i32x4,
    i64x2: ops.i64x2,
    f32x4,
    f64x2: ops.f64x2,
  };
  const special = /^(const|shuffle)$/;
  for (const [space, table] of Object.entries(namespaces)) {
    test(space, () => {
      for (const [name, op] of Object.entries(table)) {
        if (special.test(name)) continue;
        if (name.includes('relaxed') && !features.relaxedSimd) continue;
        expect(validates(name, op as (...args: unknown[]) => Value), `${space}.${name}`).toBe(true);
      }
    });
  }

  function validates(name: string, op: (...args: unknown[]) => Value): boolean {
    const types = Object.values(SAMPLE);
    const candidates: unknown[][] = [];
    if (name.includes('lane') && !name.includes('laneselect')) {
      for (const a of types) for (const c of [...types, undefined]) candidates.push([a, 0, c], [i32.const(64), a, 0]);
    } else {
      for (const a of types) {
        candidates.push([a]);
        for (const b of types) candidates.push([a, b], [a, b, b]);
      }
    }
    return candidates.some((args) => {
      try {
        const m = new WasmModule();
        m.kernel((f) => {
          const v = op(...args);
          if ((v.type as string) === 'none') f.do(v as never);
          else f.drop(v);
          return undefined;
        });
        return WebAssembly.validate(m.toBytes() as BufferSource);
      } catch {
        return false; // an argument of the wrong kind
      }
    });
  }
});

describe('functions', () => {
  test('the example: add two arrays', () => {
    const m = new WasmModule();
    m.kernel((f, args) => {
      const [begin, end, out, a, b] = f.words(args, 5);
      const i = f.local('i32');
      f.for(i, begin, end, 4, () => {
        const at = f.let(i32.shl(i, 2));
        f.do(v128.store(i32.add(out, at), f32x4.add(v128.load(i32.add(a, at)), v128.load(i32.add(b, at)))));
      });
      return undefined;
    });
    const words = new Int32Array(memory.buffer);
    const floats = new Float32Array(memory.buffer);
    words.set([0, 8, 1024, 2048, 3072]);
    for (let i = 0; i < 8; i++) {
      floats[512 + i] = i;
      floats[768 + i] = 10 * i;
    }
    expect(instantiate(m).run(0)).toBe(0);
    expect([...floats.subarray(256, 264)]).toEqual([0, 11, 22, 33, 44, 55, 66, 77]);
  });

  test('imports, helpers made while another body is built, and control flow', () => {
    const m = new WasmModule();
    const run = m.func(['i32'], 'f64', (f, n) => {
      const square = m.shared('square', ['f64'], 'f64', (_, x) => f64.mul(x, x));
      expect(m.shared('square', ['f64'], 'f64', () => f64.const(0))).toBe(square);
      const sin = m.import('math', 'sin', ['f64'], 'f64');
      const total = f.local('f64');
      const i = f.local('i32');
      f.while(i32.lt_s(i, n), () => {
        f.block((skip) => {
          f.brIf(skip, i32.and(i, 1));
          f.set(total, f64.add(total, square.call(f64.convert_i32_s(i))));
        });
        f.inc(i, 1);
      });
      f.if(
        i32.eq(n, 0),
        () => f.return(f64.const(-1)),
        () => f.set(total, f64.add(total, 0.5)),
      );
      return choose(i32.gt_s(n, 100), sin.call(total), select(i32.eq(n, 3), f64.const(33), total));
    });
    m.export('run', run as never);
    const { run: f } = instantiate(m);
    expect(f(5)).toBe(0 + 4 + 16 + 0.5);
    expect(f(3)).toBe(33);
    expect(f(0)).toBe(-1);
    expect(f(101)).toBe(Math.sin(171700 + 0.5));
  });

  test('constants keep their bits', () => {
    for (const x of [0, -1, 127, 128, -64, -65, 2 ** 31 - 1, -(2 ** 31), 0xffffffff]) {
      const m = new WasmModule();
      m.kernel(() => i32.const(x));
      expect(instantiate(m).run(0)).toBe(x | 0);
    }
    const m = new WasmModule();
    m.kernel(() => i32.wrap_i64(i64.shr_u(i64.const(-(2n ** 63n) + 5n), 60n)));
    expect(instantiate(m).run(0)).toBe(8);
  });
});
