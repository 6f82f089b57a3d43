/** The comparisons themselves: what they let through, and that they notice what they must. */
import { describe, expect, test } from 'vitest';
import { IndexError } from '../../src/core/errors.ts';
import torch from '../../src/index.ts';
import { device } from '../device.ts';
import { compareError, compareNumbers, compareResult, compareTensor } from './compare.ts';
import type { TensorData } from './fixtures.ts';
import { build, numbersOf } from './values.ts';

const KIND = { group: 'test', backward: false };
const floats = (values: number[]) => Buffer.from(new Float32Array(values).buffer).toString('base64');
const vector = (values: number[]): TensorData => ({ dtype: 'float32', shape: [values.length], data: floats(values) });

describe('comparing tensors', () => {
  const { x } = build(vector([1, 2, 3]));

  test('equal ones', () => {
    expect(compareTensor(x, vector([1, 2, 3]), KIND)).toBeNull();
    expect(compareTensor(x, vector([1, 2, 3.00001]), KIND)).toBeNull();
  });

  test('values, shapes and dtypes that differ', () => {
    expect(compareTensor(x, vector([1, 2.001, 3]), KIND)).toContain('value 1');
    expect(compareTensor(x, vector([1, 2, Number.NaN]), KIND)).toContain('value 2');
    expect(compareTensor(x, { ...vector([1, 2, 3]), shape: [3, 1] }, KIND)).toContain('shape');
    expect(compareTensor(x, { ...vector([1, 2, 3]), dtype: 'int32' }, KIND)).toContain('dtype');
    expect(compareTensor(x, { ...vector([1, 2, 3]), strides: [2] }, KIND)).toContain('strides');
    expect(compareTensor(1, vector([1]), KIND)).toContain('expected a tensor');
  });

  test('the layout of an input is the fixture’s', () => {
    const { x: columns } = build({
      dtype: 'float32',
      shape: [2, 2],
      strides: [1, 3],
      offset: 1,
      data: floats([0, 1, 2, 3, 4, 5]),
    });
    expect(compareTensor(columns, { dtype: 'float32', shape: [2, 2], data: floats([1, 4, 2, 5]) }, KIND)).toBeNull();
  });
});

test('integers are compared exactly, floats by their tolerance, NaN with NaN', () => {
  expect(compareNumbers([1n, 2n], [1n, 3n], null)).toContain('value 1');
  expect(compareNumbers([1], [1.0001], null)).not.toBeNull();
  expect(compareNumbers([Number.NaN, Infinity], [Number.NaN, Infinity], null)).toBeNull();
  expect(compareNumbers([Infinity], [1e30], { relative: 1e-5, absolute: 0, scaled: 0 })).not.toBeNull();
});

test('half types as numbers', () => {
  expect(Array.from(numbersOf('float16', [0x3c00, 0xc000, 0x0001, 0x7c00]))).toEqual([1, -2, 2 ** -24, Infinity]);
  expect(Array.from(numbersOf('bfloat16', [0x3f80, 0xc000, 0x7f80]))).toEqual([1, -2, Infinity]);
});

test('tuples by name and position', () => {
  const [values, indices] = [build(vector([1])).x, build(vector([2])).x];
  const expected = { tuple: [{ T: vector([1]) }, { T: vector([2]) }], names: ['values', 'indices'] };
  expect(compareResult(Object.assign([values, indices], { values, indices }), expected, KIND)).toBeNull();
  expect(compareResult(Object.assign([values, indices], { values, indices: values }), expected, KIND)).toContain(
    'indices',
  );
  expect(compareResult([values], [{ T: vector([1]) }, { T: vector([2]) }], KIND)).toContain('1 items');
});

test('errors by type and text', () => {
  const error = new IndexError('index 5 is out of range. Use …');
  expect(compareError(error, { type: 'IndexError', text: 'index 5 is out of range' })).toBeNull();
  expect(compareError(error, { type: 'RuntimeError', text: 'index 5 is out of range' })).not.toBeNull();
  expect(compareError(error, { type: 'IndexError', text: 'index 6 is out of range' })).not.toBeNull();
  expect(compareError(error, { type: 'IndexError', text: '', match: ['index 5', 'of range'] })).toBeNull();
  expect(compareError(error, { type: 'IndexError', text: '', match: ['index 5', 'of bounds'] })).not.toBeNull();
});

test('the device under test is compared, too', () => {
  const make = torch.zeros as unknown as (size: number[], options: object) => unknown;
  const other = device === 'cpu' ? 'mtia' : 'cpu';
  expect(compareTensor(make([1], { device: other }), vector([0]), KIND)).toContain(`device ${other}`);
});
