/** What JavaScript has that Python has not: typed arrays of all kinds, over any buffer, and bigints. */
import { describe, expect, test } from 'vitest';
import torch from '../index.ts';

describe('typed arrays', () => {
  test.each([
    [new Float64Array([1, 2]), torch.float64],
    [new Float32Array([1, 2]), torch.float32],
    [new BigInt64Array([1n, 2n]), torch.int64],
    [new Int32Array([1, 2]), torch.int32],
    [new Int16Array([1, 2]), torch.int16],
    [new Int8Array([1, 2]), torch.int8],
    [new Uint8Array([1, 2]), torch.uint8],
    [new Uint8ClampedArray([1, 2]), torch.uint8],
    [Buffer.from([1, 2]), torch.uint8],
    // Without a dtype of their own: the smallest that holds their values.
    [new Uint16Array([1, 2]), torch.int32],
    [new Uint32Array([1, 2]), torch.int64],
    [new BigUint64Array([1n, 2n]), torch.int64],
  ])('%o', (array, dtype) => {
    const x = torch.tensor(array as Float32Array);
    expect(x.dtype).toBe(dtype);
    expect(x.tolist()).toEqual([1, 2]);
  });

  test('no value is changed', () => {
    expect(torch.tensor(new Uint32Array([2 ** 32 - 1]) as never).item()).toBe(2 ** 32 - 1);
    expect(torch.tensor(new Uint16Array([65535]) as never).item()).toBe(65535);
    const overflow = new torch.ValueError('Overflow when unpacking long long');
    expect(() => torch.tensor(new BigUint64Array([2n ** 63n]) as never)).toThrow(overflow);
    expect(() => torch.tensor([2n ** 63n])).toThrow(overflow);
    expect(() => torch.tensor([-(2n ** 63n) - 1n])).toThrow(overflow);
    expect(torch.tensor([2n ** 63n - 1n, -(2n ** 63n)]).toTypedArray()).toEqual(
      new BigInt64Array([2n ** 63n - 1n, -(2n ** 63n)]),
    );
  });

  test('windows of a buffer, at any byte, also of shared memory', () => {
    expect(torch.tensor(new Float64Array(new Float64Array([9, 1, 2, 9]).buffer, 8, 2)).tolist()).toEqual([1, 2]);
    expect(torch.tensor(new Uint8Array(new Uint8Array([9, 1, 2, 9]).buffer, 1, 2)).tolist()).toEqual([1, 2]);
    expect(torch.tensor(new Float32Array(new SharedArrayBuffer(8)).fill(3)).tolist()).toEqual([3, 3]);
    expect(torch.tensor([new Float32Array([1, 2]), new Float32Array([3, 4])]).tolist()).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  test('buffers and views without a kind are refused', () => {
    expect(() => torch.tensor(new DataView(new ArrayBuffer(8)))).toThrow('Could not infer dtype of DataView');
    expect(() => torch.tensor(new ArrayBuffer(8) as never)).toThrow('Could not infer dtype of ArrayBuffer');
  });

  test('what a tensor gives is a copy', () => {
    const x = torch.ones(2);
    x.toTypedArray()[0] = 5;
    expect(x.tolist()).toEqual([1, 1]);
  });
});

test('things that are no data', () => {
  for (const data of [new Map(), new Set([1]), Promise.resolve(1), { length: 2 }]) {
    expect(() => torch.tensor(data as never)).toThrow(/^Could not infer dtype of /);
  }
  // biome-ignore lint/suspicious/noSparseArray: the case in question
  expect(() => torch.tensor([1, , 3] as number[])).toThrow('Could not infer dtype of NoneType');
});
