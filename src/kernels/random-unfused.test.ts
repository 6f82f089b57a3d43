/** The kernels as they are built where relaxed SIMD is missing or not fused: the same bits. */
import { expect, test, vi } from 'vitest';
import { CpuBackend } from '../devices/cpu.ts';
import { check, fixture, sha1, submit } from './random.testing.ts';
import { GeneratorState } from './random.ts';

vi.mock('./wasm/random-fma.ts', async (original) => ({
  ...(await original<typeof import('./wasm/random-fma.ts')>()),
  hasFusedMadd: () => false,
}));

const cpu = new CpuBackend();
const rounded = new Set(['uniform_', 'normal_', 'exponential_']);

for (const { seed, calls, state: digest } of fixture.sequences) {
  if (!calls.some(({ op, dtype }) => rounded.has(op) && dtype.includes('float'))) continue;
  test(`seed ${seed}: ${calls[0].op} ${calls[0].dtype}${calls[0].view ? ', strided' : ''}`, () => {
    const state = new GeneratorState(cpu, BigInt(seed));
    for (const call of calls) check(call, submit(call, state));
    expect(sha1(state.getState())).toBe(digest);
    state.dispose();
  });
}
