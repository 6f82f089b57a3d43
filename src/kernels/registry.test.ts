import { describe, expect, test, vi } from 'vitest';
import { defineFault, faultError } from './faults.ts';
import { features } from './features.ts';
import {
  kernelBytes,
  kernelCount,
  kernelImports,
  kernelModule,
  kernelName,
  MATH_IMPORTS,
  registerKernel,
} from './registry.ts';
import { f64x2, i32, WasmModule } from './wasm/emitter.ts';

describe('registry', () => {
  test('numbers densely, builds once and only when asked', () => {
    let built = 0;
    const build = () => {
      built++;
      const m = new WasmModule();
      m.kernel(() => i32.const(5));
      return m.toBytes();
    };
    const before = kernelCount();
    const first = registerKernel(build, 'five');
    const second = registerKernel(build, 'another');
    expect([first, second]).toEqual([before, before + 1]);
    expect(kernelName(first)).toBe('five');
    expect(built).toBe(0);
    const module = kernelModule(first);
    expect(kernelBytes(first)).toBe(kernelBytes(first));
    expect(kernelModule(first)).toBe(module);
    expect(built).toBe(1);
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536, shared: features.sharedMemory });
    const { run } = new WebAssembly.Instance(module, kernelImports(memory)).exports as { run(args: number): number };
    expect(run(0)).toBe(5);
  });

  test('an unknown number is an error', () => {
    expect(() => kernelBytes(1_000_000)).toThrow('no kernel has the number 1000000');
  });

  test('offers the Math functions', () => {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 1 });
    const { math } = kernelImports(memory) as { math: Record<string, (x: number, y: number) => number> };
    for (const name of MATH_IMPORTS) expect(math[name](0.5, 2)).toBe(Math[name](0.5, 2));
  });
});

describe('faults', () => {
  test('codes make errors with what the kernel stored', () => {
    const code = defineFault(([index, size]) => new RangeError(`${index} of ${size}`));
    expect(faultError(code, [7, 5, 0, 0])).toEqual(new RangeError('7 of 5'));
    expect(faultError(code + 1000, [0, 0, 0, 0]).message).toContain('unknown code');
  });
});

describe('features', () => {
  test('what is said to be there works', () => {
    const m = new WasmModule();
    const a = f64x2.const(1);
    m.kernel((f) => {
      f.drop(f64x2.relaxed_madd(a, a, a));
      return undefined;
    });
    expect(WebAssembly.validate(m.toBytes() as BufferSource)).toBe(features.relaxedSimd);
    expect(features.threads).toBe(features.sharedMemory);
  });

  test('MTIA_DISABLE turns them off', async () => {
    vi.resetModules();
    vi.stubEnv('MTIA_DISABLE', 'threads, relaxed-simd');
    const again = (await import('./features.ts')).features;
    vi.unstubAllEnvs();
    expect([again.relaxedSimd, again.sharedMemory, again.threads]).toEqual([false, false, false]);
    expect([again.isDisabled('threads'), features.isDisabled('threads')]).toEqual([true, false]);
  });
});
