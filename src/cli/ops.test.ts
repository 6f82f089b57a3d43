/** `mtia ops`: what it says of operations is what they do. */
import { describe, expect, test } from 'vitest';
import torch from '../index.ts';
import { allOps } from '../ops/registry.ts';
import { ops } from './ops.ts';

interface Row {
  name: string;
  where: string[];
  schemas: string[];
  dtypes: string[];
  devices: string[];
  grad: boolean;
}

const json = (name?: string, options = {}): Row[] => JSON.parse(ops(torch, name, { json: true, ...options }));
const one = (name: string) => json(name)[0];

const FLOATS = ['float64', 'float32', 'float16', 'bfloat16'];
const INTS = ['int64', 'int32', 'int16', 'int8', 'uint8'];
const ALL = [...FLOATS, ...INTS, 'bool'];

describe('dtypes, devices and gradients', () => {
  test.each([
    ['add', ALL, true],
    ['exp', ALL, true],
    ['exp_', FLOATS, true],
    ['sub', [...FLOATS, ...INTS], true],
    ['bitwise_and', [...INTS, 'bool'], false],
    ['matmul', [...FLOATS, ...INTS], true],
    ['softmax', FLOATS, true],
    ['conv2d', [...FLOATS, ...INTS], true],
    ['embedding', ALL, true],
    ['zeros', ALL, false],
    ['view', ALL, true],
    ['eq', ALL, false],
  ])('%s', (name, dtypes, grad) => {
    const row = one(name);
    expect(row.dtypes).toEqual(dtypes);
    expect(row.grad).toBe(grad);
    expect(row.devices).toEqual(['cpu', 'mtia', 'meta']);
  });

  test('what needs data is not on meta', () => {
    expect(one('nonzero').devices).toEqual(['cpu', 'mtia']);
    expect(one('item').devices).toEqual(['cpu', 'mtia']);
  });
});

test('every operation is listed, and takes something', () => {
  const rows = json();
  expect(rows.map(({ name }) => name)).toEqual([...allOps().keys()].sort((a, b) => (a < b ? -1 : 1)));
  expect(rows.filter(({ dtypes }) => dtypes.length === 0).map(({ name }) => name)).toEqual([]);
  expect(rows.filter(({ where }) => where.length === 0).map(({ name }) => name)).toEqual([]);
});

test('by dtype and by device', () => {
  const half = ops(torch, 'bitwise_and', { dtype: 'float16' });
  expect(half).toBe('');
  expect(ops(torch, 'add', { dtype: 'float16', device: 'meta' })).toContain('add: self + alpha * other');
  expect(() => ops(torch, undefined, { dtype: 'half' })).toThrow("'half' is no dtype; there are float64,");
  expect(() => ops(torch, undefined, { device: 'gpu' })).toThrow("'gpu' is no device; there are cpu, mtia, meta");
});

test('one in detail', () => {
  const text = ops(torch, 'relu', {});
  expect(text).toContain('relu(Tensor self) -> Tensor');
  expect(text).toMatch(/^dtypes {4}float64 float32 /m);
  expect(text).toMatch(/^devices {3}cpu mtia meta$/m);
  expect(text).toMatch(/^gradient {2}yes$/m);
});

test('what is not there', () => {
  expect(() => ops(torch, 'ad', {})).toThrow('there is no operation ad. Did you mean');
  expect(() => ops(torch, 'torch.add', {})).toThrow('operations go by their names alone: mtia ops add');
  expect(() => ops(torch, 'fft', {})).toThrow('fft is in PyTorch, but not implemented in torch-mtia');
  const missing = JSON.parse(ops(torch, undefined, { missing: true, json: true })) as Record<string, string[]>;
  expect(missing['torch']).toContain('fft');
  expect(missing['torch']).not.toContain('add');
  expect(missing['torch.Tensor']).not.toContain('add');
  expect(ops(torch, undefined, { missing: true })).toContain('In PyTorch 2.13, and not here:');
});

test('looking uses no mtia device', () => {
  expect(torch.mtia.is_initialized()).toBe(false);
});
