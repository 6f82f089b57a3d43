/**
 * Random numbers against recorded PyTorch, bit for bit: every distribution, dtype and size, not contiguous, mixed; the
 * saved states; the error texts.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { float32, float64, int64 } from '../core/dtype.ts';
import { CpuBackend } from '../devices/cpu.ts';
import { MtiaBackend } from '../devices/mtia.ts';
import { check, describeCall, fixture, operand, sha1, submit } from './random.testing.ts';
import { bernoulliTensor, GeneratorState, normal, SAVED_BYTES, uniform } from './random.ts';

const cpu = new CpuBackend();
const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'));

describe('the recorded sequences', () => {
  for (const { seed, calls, state: digest } of fixture.sequences) {
    test(`seed ${seed}: ${calls[0].op} ${calls[0].dtype}${calls[0].view ? ', strided' : ''}`, () => {
      const state = new GeneratorState(cpu, BigInt(seed));
      expect(state.initialSeed).toBe(BigInt.asUintN(64, BigInt(seed)));
      for (const call of calls) check(call, submit(call, state));
      expect(sha1(state.getState())).toBe(digest);
      state.dispose();
    });
  }
});

describe.each(['worker', 'inline'] as const)('mtia, %s', (executor) => {
  const mtia = new MtiaBackend(0, executor);
  afterAll(() => mtia.close());

  test('has the same numbers, and launches need no waiting in between', () => {
    const mixed = fixture.sequences.filter(({ calls }) => calls.length === 16);
    expect(mixed.length).toBeGreaterThan(10);
    const state = new GeneratorState(mtia);
    for (const { seed, calls, state: digest } of mixed) {
      state.seed(BigInt(seed));
      const results = calls.map((call) => submit(call, state));
      const saved = state.getState();
      for (const [i, call] of calls.entries()) check(call, results[i]);
      expect(sha1(saved)).toBe(digest);
    }
  });

  test('a probability that is none surfaces at the next synchronisation', () => {
    const state = new GeneratorState(mtia);
    const p = operand(mtia, float32, 3, null);
    mtia.copyIn(p.storage.address, new Uint8Array(new Float32Array([0.5, 1.5, 0.5]).buffer));
    const submitted = () => {
      bernoulliTensor(operand(mtia, float32, 3, null), state, p);
      mtia.synchronize();
    };
    expect(submitted).toThrow('Expected p_in >= 0 && p_in <= 1 to be true, but got false.');
  });
});

describe('saved states', () => {
  test.each(fixture.states)('after seed $seed', ({ seed, calls, saved, after }) => {
    const state = new GeneratorState(cpu, BigInt(seed));
    for (const call of calls) submit(call, state);
    expect(Buffer.from(state.getState()).toString('base64')).toBe(saved);
    for (const call of after) check(call, submit(call, state));

    const other = new GeneratorState(cpu, 99n);
    other.setState(bytesOf(saved));
    expect(other.initialSeed).toBe(BigInt(seed));
    expect(other.getState()).toEqual(bytesOf(saved));
    for (const call of after) check(call, submit(call, other));
  });

  test('what is no state is refused, and changes nothing', () => {
    const state = new GeneratorState(cpu, 1n);
    const before = state.getState();
    expect(() => state.setState(new Uint8Array(50))).toThrow(
      'Expected a CPUGeneratorImplState of size 5056 but found the input RNG state size to be 50',
    );
    expect(() => state.setState(new Uint8Array(SAVED_BYTES))).toThrow('Invalid mt19937 state');
    expect(state.getState()).toEqual(before);
  });

  test('a kept float32 normal, which only old states have, survives', () => {
    const state = new GeneratorState(cpu, 1n);
    const saved = state.getState();
    new DataView(saved.buffer).setFloat32(5048, 0.75, true);
    saved[5052] = 1;
    state.setState(saved);
    expect(state.getState()).toEqual(saved);
  });
});

describe('arguments that PyTorch does not take', () => {
  test.each(fixture.errors.map((call) => [describeCall(call), call] as const))('%s', (_, call) => {
    const state = new GeneratorState(cpu, 1n);
    const before = state.getState();
    let error: unknown;
    try {
      submit(call, state);
    } catch (caught) {
      error = caught;
    }
    expect(error).toMatchObject({ name: call.error?.type, message: call.error?.text });
    expect(state.getState()).toEqual(before);
  });
});

test('two generators of a device are independent', () => {
  const a = new GeneratorState(cpu, 5n);
  const b = new GeneratorState(cpu, 5n);
  const first = operand(cpu, float64, 9, null);
  const second = operand(cpu, float64, 9, null);
  normal(first, a);
  uniform(operand(cpu, float32, 1000, null), a);
  normal(second, b);
  expect(cpu.copyOut(first.storage.address, 72)).toEqual(cpu.copyOut(second.storage.address, 72));
});

test('nothing is drawn for nothing', () => {
  const state = new GeneratorState(cpu, 5n);
  const before = state.getState();
  uniform(operand(cpu, float32, 0, null), state);
  normal(operand(cpu, int64, 0, null), state);
  expect(state.getState()).toEqual(before);
});
