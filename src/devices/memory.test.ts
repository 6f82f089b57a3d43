import { describe, expect, test } from 'vitest';
import { RuntimeError } from '../core/errors.ts';
import { BackingStoreError, DeviceMemory } from './memory.ts';

const MIB = 1024 * 1024;

test('memory grows on demand and keeps its content', () => {
  const memory = new DeviceMemory('mtia:0');
  const small = memory.allocate(100);
  memory.bytes[small] = 42;
  const before = memory.size;
  let told = 0;
  memory.onGrow = () => told++;
  const large = memory.allocate(10 * MIB);
  expect(memory.size).toBeGreaterThanOrEqual(before + 9 * MIB);
  expect(memory.size).toBeLessThan(before + 14 * MIB);
  expect(told).toBe(1);
  expect(memory.bytes.length).toBe(memory.size);
  expect(memory.memory.buffer.byteLength).toBe(memory.size);
  expect(memory.bytes[small]).toBe(42);
  memory.bytes[large + 10 * MIB - 1] = 7;
  expect(memory.bytes[large + 10 * MIB - 1]).toBe(7);
});

test('freed memory is used again before the memory grows', () => {
  const memory = new DeviceMemory('mtia:0');
  let address = memory.allocate(8 * MIB);
  const { size } = memory;
  for (let i = 0; i < 100; i++) {
    memory.free(address, 8 * MIB);
    address = memory.allocate(8 * MIB);
  }
  expect(memory.size).toBe(size);
  expect(memory.peak).toBe(8 * MIB);
});

test('small blocks that were freed give way to a large one', () => {
  const memory = new DeviceMemory('mtia:0');
  const small = Array.from({ length: 8192 }, () => memory.allocate(4096));
  const { size } = memory;
  for (const address of small) memory.free(address, 4096);
  memory.allocate(30 * MIB);
  expect(memory.size).toBe(size);
});

test('nothing takes no room', () => {
  const memory = new DeviceMemory('mtia:0');
  expect(memory.allocate(0)).toBe(0);
  memory.free(0, 0);
  expect(memory.inUse).toBe(0);
});

describe('when it is full', () => {
  test('the error says whose limit it is, and the memory stays usable', () => {
    const memory = new DeviceMemory('mtia:0');
    memory.setLimit(16 * MIB);
    const kept = memory.allocate(8 * MIB);
    const error = thrown(() => memory.allocate(9 * MIB));
    expect(error).toBeInstanceOf(BackingStoreError);
    expect(error).toBeInstanceOf(RuntimeError);
    expect((error as BackingStoreError).bytes).toBe(9 * MIB);
    expect(error.message).toMatch(
      /^mtia:0: the host's backing store cannot hold 9\.00 MiB more\. 8\.00 MiB of at most 16\.00 MiB/,
    );
    expect(error.message).toContain("not the device's capacity");
    memory.free(kept, 8 * MIB);
    expect(memory.allocate(9 * MIB)).toBeGreaterThan(0);
  });

  test('more than 4 GiB is refused at once', () => {
    const memory = new DeviceMemory('mtia:0');
    const { size } = memory;
    expect(() => memory.allocate(5 * 1024 * MIB)).toThrow(BackingStoreError);
    expect(() => memory.allocate(2 ** 45)).toThrow(BackingStoreError);
    expect(memory.size).toBe(size);
  });

  test('somebody is asked to free before the request fails', () => {
    const memory = new DeviceMemory('mtia:0');
    memory.setLimit(16 * MIB);
    let garbage = memory.allocate(10 * MIB);
    const asked: number[] = [];
    memory.onPressure = (bytes) => {
      asked.push(bytes);
      if (garbage !== 0) memory.free(garbage, 10 * MIB);
      garbage = 0;
    };
    expect(memory.allocate(11 * MIB)).toBeGreaterThan(0);
    expect(asked).toEqual([11 * MIB]);
    expect(() => memory.allocate(11 * MIB)).toThrow(BackingStoreError);
    expect(asked).toEqual([11 * MIB, 11 * MIB]);
  });
});

test('somebody is asked to free before the memory grows past a threshold', () => {
  const memory = new DeviceMemory('mtia:0');
  const garbage: number[] = [];
  let asked = 0;
  memory.onPressure = () => {
    asked++;
    for (const address of garbage.splice(0)) memory.free(address, 10 * MIB);
  };
  for (let i = 0; i < 100; i++) garbage.push(memory.allocate(10 * MIB));
  expect(asked).toBeGreaterThan(5);
  expect(asked).toBeLessThan(20);
  expect(memory.size).toBeLessThan(256 * MIB);
});

function thrown(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
