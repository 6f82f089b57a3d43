/** For tests of modules and optimizers: what scripts/oracle/modules.py recorded. */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { compareNumbers } from '../../tests/oracle/compare.ts';
import type { TensorData } from '../../tests/oracle/fixtures.ts';
import { arrayOf, bytesOf, numbersOf } from '../../tests/oracle/values.ts';
import type { Tensor } from '../tensor/tensor.ts';

interface Drawn {
  name: string;
  args: unknown[];
  kwargs: Record<string, unknown>;
}

export interface ModuleFixtures {
  init: (Drawn & { shape: number[]; result: TensorData })[];
  layers: (Drawn & { state: Record<string, TensorData> })[];
  texts: Record<string, string>;
  half: {
    optimizer: 'SGD' | 'Adam' | 'AdamW';
    options: Record<string, unknown>;
    x: TensorData;
    grads: TensorData[];
    final: TensorData;
  }[];
  schedules: Record<string, number[][]>;
}

export const fixtures = JSON.parse(
  readFileSync(new URL('../../tests/fixtures/modules.json', import.meta.url), 'utf8'),
) as ModuleFixtures;

/** Shape, dtype and values, with a relative tolerance. */
export function expectTensor(what: string, actual: Tensor, expected: TensorData, relative: number): void {
  expect([...actual.shape], `${what}: shape`).toEqual(expected.shape);
  expect(actual.dtype.name, `${what}: dtype`).toBe(expected.dtype);
  const wanted = numbersOf(expected.dtype, arrayOf(expected.dtype, bytesOf(expected.data)) as ArrayLike<number>);
  const values = numbersOf(expected.dtype, actual.toTypedArray() as ArrayLike<number>);
  expect(compareNumbers(values, wanted, { relative, absolute: relative, scaled: 0 }), what).toBeNull();
}

/** What `run` throws, as text; fails if it does not. */
export function errorOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return String(error);
  }
  throw new Error('expected an error');
}
