import { expect, test } from 'vitest';
import { OutOfMemoryError } from '../core/errors.ts';
import { clock } from './clock.ts';
import { Counter, formatSize, roundSize } from './counter.ts';
import { newRecord, type StorageRecord } from './record.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

const record = (nbytes: number): StorageRecord => newRecord(null, nbytes);

test.each([
  [0, 0],
  [1, 512],
  [512, 512],
  [513, 1024],
  [30 * 4, 512],
  [5 * GIB + 1, 5 * GIB + 512],
])('%d bytes take %d', (nbytes, taken) => {
  expect(roundSize(nbytes)).toBe(taken);
});

test.each([
  [0, '0 bytes'],
  [1024, '1024 bytes'],
  [1536, '1.50 KiB'],
  [MIB, '1024.00 KiB'],
  [20 * MIB, '20.00 MiB'],
  [GIB, '1024.00 MiB'],
  [2048 * GIB, '2048.00 GiB'],
])('%d prints as %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});

test('allocated, peak and the reset of the peak', () => {
  const counter = new Counter(1 * MIB, 'MTIA', 0);
  const a = record(100);
  const b = record(1000);
  expect(counter.allocate(a) && counter.allocate(b)).toBe(true);
  counter.free(a);
  expect([counter.allocated, counter.reserved, counter.peak]).toEqual([1024, 1024, 1536]);
  counter.resetPeak();
  expect(counter.peak).toBe(1024);
  counter.free(b);
  expect([counter.allocated, counter.peak]).toEqual([0, 1024]);
});

test('what does not fit is refused, changes nothing and makes the error that PyTorch users know', () => {
  const counter = new Counter(64 * MIB, 'MTIA', 1);
  clock.operation = 'matmul';
  const large = record(40 * MIB);
  clock.operation = '';
  expect(counter.allocate(large)).toBe(true);
  expect(counter.allocate(large)).toBe(false);
  expect([counter.allocated, counter.peak, counter.ooms]).toEqual([40 * MIB, 40 * MIB, 1]);
  const error = counter.outOfMemory(large);
  expect(error).toBeInstanceOf(OutOfMemoryError);
  expect(error.message).toBe(
    'MTIA out of memory. Tried to allocate 40.00 MiB. MTIA 1 has a total capacity of 64.00 MiB of which 24.00 MiB is free. ' +
      'Of the allocated memory 40.00 MiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated. ' +
      'The allocation was made by matmul.',
  );
});

test('a fraction of the capacity limits, and is named', () => {
  const counter = new Counter(64 * MIB, 'MTIA', 0);
  counter.fraction = 0.5;
  expect(counter.allocate(record(32 * MIB))).toBe(true);
  expect(counter.headroom).toBe(0);
  expect(counter.allocate(record(1))).toBe(false);
  expect(counter.outOfMemory(record(1)).message).toContain(
    'of which 32.00 MiB is free. 32.00 MiB allowed; Of the allocated',
  );
});
