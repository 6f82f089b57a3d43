/**
 * Worker threads that die: an error within seconds, never a hang, and never for one that is merely busy.
 */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { RuntimeError } from '../core/errors.ts';
import { CpuBackend } from './cpu.ts';
import { block, callMath, callMathSplit, LONG, read, slowAdd } from './kernels.testing.ts';
import { MtiaBackend } from './mtia.ts';
import { getNumThreads, setNumThreads, type ThreadOptions } from './threads.ts';

const open: MtiaBackend[] = [];
/** In its worker, `callMath` does what the text says. */
function device(cosh: string, options: ThreadOptions = {}): MtiaBackend {
  const backend = new MtiaBackend(0, 'worker', { ...options, prelude: `Math.cosh = () => { ${cosh} };` });
  open.push(backend);
  return backend;
}
afterEach(() => {
  for (const backend of open.splice(0)) backend.close();
  vi.restoreAllMocks();
});

function deathOf(run: () => unknown): { error: Error; seconds: number } {
  const start = performance.now();
  try {
    run();
  } catch (error) {
    return { error: error as Error, seconds: (performance.now() - start) / 1000 };
  }
  throw new Error('nothing was thrown');
}

describe.each([
  ['process.exit', 'process.exit(0)', {}],
  ['process.exit after a rejected promise', 'Promise.reject(new Error("late")); process.exit(3)', {}],
  ['heap exhaustion', 'const all = []; for (;;) all.push(new Array(1e5).fill(1.5))', { maxOldGenerationSizeMb: 24 }],
])('%s', (_, text, resourceLimits) => {
  test('a read that waits for it fails', () => {
    const on = device(text, { resourceLimits });
    const a = block(on, [1]);
    callMath(on);
    slowAdd(on, a, a, 1, 1);
    const { error, seconds } = deathOf(() => read(on, a, 1));
    expect(error).toBeInstanceOf(RuntimeError);
    expect(error.message).toMatch(/^mtia:0: the device is lost, its worker thread has died: it ended/);
    expect(seconds).toBeLessThan(5);
    expect(() => on.synchronize()).toThrow(RuntimeError);
    expect(() => on.copyIn(a, new Uint8Array(100_000))).toThrow(RuntimeError);
  });

  test('so does a launch that waits for room in the ring', () => {
    const on = device(text, { resourceLimits });
    const a = block(on, [1]);
    callMath(on);
    const { error, seconds } = deathOf(() => {
      for (let i = 0; i < 200_000; i++) slowAdd(on, a, a, 1, 1);
    });
    expect(error.message).toContain('the device is lost');
    expect(seconds).toBeLessThan(5);
  });
});

test('a worker that ends while the host does something else is found later', async () => {
  const on = device('process.exit(4)');
  callMath(on);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(() => on.synchronize()).toThrow(/the device is lost.*it exited with code 4/);
});

test('an exception before its first launch is told', () => {
  const on = new MtiaBackend(0, 'worker', { prelude: 'performance.now = () => { throw new Error("no clock"); };' });
  open.push(on);
  const a = block(on, [1]);
  expect(() => read(on, a, 1)).toThrow(/the device is lost, its worker thread has died: no clock/);
});

test('an exception thrown inside a kernel is a fault, and the worker lives on', () => {
  const on = device('throw new Error("from Math")');
  const a = block(on, [1]);
  callMath(on);
  slowAdd(on, a, a, 1, 1);
  expect(() => on.synchronize()).toThrow(new RuntimeError('mtia:0: kernel test.call: from Math'));
  expect(read(on, a, 1)).toEqual([2]);
});

test('an error in the program itself is told', () => {
  const on = new MtiaBackend(0, 'worker', { prelude: 'helperOfSomeTool()' });
  open.push(on);
  expect(() => read(on, block(on, [1]), 1)).toThrow(/has died: helperOfSomeTool is not defined/);
});

test('a long kernel is not taken for a dead one', () => {
  const on = device('');
  const a = block(on, [1]);
  slowAdd(on, a, a, 1, 1, 10 * LONG);
  expect(read(on, a, 1)).toEqual([2]);
});

test('a helper of the cpu that dies in its part of a launch', () => {
  const threads = getNumThreads();
  setNumThreads(2);
  try {
    const on = new CpuBackend({ prelude: 'Math.cosh = () => process.exit(5);' });
    // The calling thread's part is slow, so that the helper gets one.
    vi.spyOn(Math, 'cosh').mockImplementation(() => {
      for (const end = performance.now() + 300; performance.now() < end; );
      return 0;
    });
    const { error, seconds } = deathOf(() => callMathSplit(on, 4));
    expect(error.message).toMatch(/^cpu: a worker thread has died, and its part of a launch with it: it/);
    expect(seconds).toBeLessThan(5);
  } finally {
    setNumThreads(threads);
  }
});
