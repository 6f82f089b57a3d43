/**
 * Comparing results with the fixtures: dtype, shape and device exactly; integers, bools and layouts exactly; floating
 * point within the tolerances below. Every comparison returns null or what is wrong, in words.
 */
import { device } from '../device.ts';
import type { Encoded, ErrorData, TensorData } from './fixtures.ts';
import { arrayOf, bytesOf, isTensor, type Names, numbersOf, type Tensor } from './values.ts';

/** |actual - expected| <= absolute + relative * |expected| + scaled * (largest |expected| of the tensor) */
export interface Tolerance {
  relative: number;
  absolute: number;
  scaled: number;
}

/** One unit in the last place of a half type, relative. */
const HALF = 2 ** -10;
const BFLOAT = 2 ** -7;

const FORWARD: Record<string, Tolerance> = {
  float64: { relative: 1e-12, absolute: 1e-13, scaled: 0 },
  float32: { relative: 1e-5, absolute: 1e-6, scaled: 0 },
  // Computed in float32 and rounded once on both sides, so at most the last place differs.
  float16: { relative: HALF, absolute: 1e-6, scaled: 0 },
  bfloat16: { relative: BFLOAT, absolute: 1e-6, scaled: 0 },
};
const BACKWARD: Record<string, Tolerance> = {
  float64: { relative: 1e-10, absolute: 1e-12, scaled: 0 },
  // Sums in another order: where terms cancel, the error is relative to the terms.
  float32: { relative: 1e-5, absolute: 1e-6, scaled: 1e-6 },
  // PyTorch rounds every step of a gradient to the half type, we only the last: a few places, of the largest terms.
  float16: { relative: 4 * HALF, absolute: 1e-6, scaled: 2 * HALF },
  bfloat16: { relative: 4 * BFLOAT, absolute: 1e-6, scaled: 2 * BFLOAT },
};

const HALVES_OF_SCALARS = {
  float16: { relative: HALF, absolute: 1e-6, scaled: HALF / 2 },
  bfloat16: { relative: BFLOAT, absolute: 1e-6, scaled: BFLOAT / 2 },
};

const SUMS = { float32: { relative: 1e-5, absolute: 1e-6, scaled: 1e-6 } };

const ROUNDED_BETWEEN = {
  float16: { relative: 2 * HALF, absolute: 1e-6, scaled: HALF },
  bfloat16: { relative: 2 * BFLOAT, absolute: 1e-6, scaled: BFLOAT },
};

/** Looser tolerances of the results of single operations, each with its reason. */
const LOOSER: Record<string, Partial<Record<string, Tolerance>>> = {
  // PyTorch rounds a scalar operand to the half type before it adds; we keep it in float32.
  add: HALVES_OF_SCALARS,
  sub: HALVES_OF_SCALARS,
  // Long sums in another order.
  matmul: SUMS,
  mm: SUMS,
  bmm: SUMS,
  addmm: SUMS,
  linear: SUMS,
  conv1d: SUMS,
  conv2d: SUMS,
  conv3d: SUMS,
  // PyTorch rounds products, parts of sums, statistics and weights to the half type, we only the result.
  conv_transpose1d: { ...SUMS, ...ROUNDED_BETWEEN },
  conv_transpose2d: { ...SUMS, ...ROUNDED_BETWEEN },
  conv_transpose3d: { ...SUMS, ...ROUNDED_BETWEEN },
  adaptive_avg_pool3d: ROUNDED_BETWEEN,
  batch_norm: ROUNDED_BETWEEN,
  instance_norm: ROUNDED_BETWEEN,
  rms_norm: ROUNDED_BETWEEN,
  scaled_dot_product_attention: { ...SUMS, ...ROUNDED_BETWEEN },
  fold: ROUNDED_BETWEEN,
  // Of the four cubic weights two are negative: what cancels is larger than the result.
  interpolate: { ...SUMS, ...ROUNDED_BETWEEN },
  // The mean is subtracted from values far from zero; PyTorch's own error there is as large.
  layer_norm: { float32: { relative: 1e-5, absolute: 5e-6, scaled: 0 } },
};

/** From fine to coarse. */
const PRECISION = ['float64', 'float32', 'float16', 'bfloat16'];

/** The coarser of two dtypes: a gradient is no better than the dtypes it went through. */
export function coarser(a: string, b: string): string {
  return PRECISION.indexOf(b) > PRECISION.indexOf(a) ? b : a;
}

export function tolerance(dtype: string, kind: Kind): Tolerance | null {
  if (!kind.backward) return LOOSER[kind.group]?.[dtype] ?? FORWARD[dtype] ?? null;
  return BACKWARD[kind.coarsest ? coarser(dtype, kind.coarsest) : dtype] ?? null;
}

export interface Kind {
  group: string;
  backward: boolean;
  /** The coarsest floating dtype of the call. */
  coarsest?: string;
}

/** What differs between a tensor and the fixture, or null. */
export function compareTensor(actual: unknown, expected: TensorData, kind: Kind): string | null {
  if (!isTensor(actual)) return `expected a tensor, got ${String(actual)}`;
  const x = actual as Tensor & { readonly device: { type: string }; toTypedArray(): ArrayLike<number> };
  if (x.dtype.name !== expected.dtype) return `dtype ${x.dtype.name}, expected ${expected.dtype}`;
  const shape = [...x.sizes];
  if (!sameNumbers(shape, expected.shape)) return `shape [${shape}], expected [${expected.shape}]`;
  if (x.device.type !== device) return `device ${x.device.type}, expected ${device}`;
  if (expected.strides && !sameLayout(x, expected)) {
    return `strides [${x.strides}] offset ${x.offset}, expected [${expected.strides}] offset ${expected.offset}`;
  }
  if (expected.data === null) return null;
  const raw = x.toTypedArray();
  return compareNumbers(
    numbersOf(expected.dtype, raw),
    numbersOf(expected.dtype, arrayOf(expected.dtype, bytesOf(expected.data)) as ArrayLike<number>),
    tolerance(expected.dtype, kind),
  );
}

function sameNumbers(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((v, i) => v === b[i]);
}

/** Strides of dimensions with one element say nothing, nor do those of an empty tensor. */
function sameLayout(x: Tensor, expected: TensorData): boolean {
  if (expected.shape.includes(0)) return true;
  return (
    x.offset === (expected.offset ?? 0) &&
    expected.strides!.every((stride, i) => expected.shape[i] === 1 || stride === x.strides[i])
  );
}

export function compareNumbers(
  actual: ArrayLike<number | bigint>,
  expected: ArrayLike<number | bigint>,
  allowed: Tolerance | null,
): string | null {
  if (actual.length !== expected.length) return `${actual.length} values, expected ${expected.length}`;
  let margin = 0;
  if (allowed) {
    let largest = 0;
    for (let i = 0; i < expected.length; i++) {
      const size = Math.abs(Number(expected[i]));
      if (size > largest && size !== Infinity) largest = size;
    }
    margin = allowed.absolute + allowed.scaled * largest;
  }
  let wrong = 0;
  let first = '';
  for (let i = 0; i < expected.length; i++) {
    const a = actual[i];
    const e = expected[i];
    if (a === e || (Number.isNaN(a) && Number.isNaN(e))) continue;
    if (allowed && Math.abs(Number(a) - Number(e)) <= margin + allowed.relative * Math.abs(Number(e))) continue;
    if (wrong++ === 0) first = `value ${i} is ${a}, expected ${e}`;
  }
  return wrong === 0 ? null : `${first}${wrong > 1 ? ` (${wrong} of ${expected.length} differ)` : ''}`;
}

/** What differs between any result and the fixture, or null. */
export function compareResult(actual: unknown, expected: Encoded, kind: Kind): string | null {
  if (typeof expected !== 'object' || expected === null) {
    if (expected === null)
      return actual === null || actual === undefined ? null : `got ${String(actual)}, expected None`;
    if (typeof expected === 'number' && typeof actual === 'number') {
      return compareNumbers([actual], [expected], { relative: 1e-6, absolute: 1e-12, scaled: 0 });
    }
    return actual === expected ? null : `got ${String(actual)}, expected ${String(expected)}`;
  }
  if (Array.isArray(expected)) return compareSequence(actual, expected, kind);
  if ('T' in expected) return compareTensor(actual, expected.T, kind);
  if ('size' in expected) return compareSequence(actual, expected.size, kind);
  if ('float' in expected) {
    const value = { nan: Number.NaN, inf: Infinity, '-inf': -Infinity, '-0': -0 }[expected.float];
    return Object.is(actual, value) ? null : `got ${String(actual)}, expected ${value}`;
  }
  if ('int' in expected)
    return String(actual) === expected.int ? null : `got ${String(actual)}, expected ${expected.int}`;
  if ('dtype' in expected || 'device' in expected) {
    const wanted = 'dtype' in expected ? `torch.${expected.dtype}` : expected.device;
    return String(actual) === wanted ? null : `got ${String(actual)}, expected ${wanted}`;
  }
  if ('tuple' in expected) {
    for (const [i, name] of expected.names.entries()) {
      const field = compareResult((actual as Names)[name], expected.tuple[i], kind);
      if (field) return `${name}: ${field}`;
    }
    return compareSequence(actual, expected.tuple, kind);
  }
  throw new Error(`not a result: ${JSON.stringify(expected)}`);
}

function compareSequence(actual: unknown, expected: readonly Encoded[], kind: Kind): string | null {
  if (typeof actual !== 'object' || actual === null || !(Symbol.iterator in actual)) {
    return `got ${String(actual)}, expected a sequence of ${expected.length}`;
  }
  const items = Array.from(actual as Iterable<unknown>);
  if (items.length !== expected.length) return `${items.length} items, expected ${expected.length}`;
  for (const [i, value] of expected.entries()) {
    const wrong = compareResult(items[i], value, kind);
    if (wrong) return `item ${i}: ${wrong}`;
  }
  return null;
}

/** Tensor types in PyTorch's texts name the device's. */
const onDevice = (text: string) =>
  device === 'cpu' ? text : text.replace(/torch\.(?=[A-Z]\w*Tensor)/g, `torch.${device}.`);

/** PyTorch's type, and its text at the beginning of ours (ours may go on with the way out). */
export function compareError(error: unknown, expected: ErrorData): string | null {
  if (!(error instanceof Error)) return `threw ${String(error)}`;
  const text = error.message;
  if (error.name !== expected.type) return `${error.name}: ${text}\n      expected ${expected.type}: ${expected.text}`;
  const parts = expected.match === undefined ? null : [expected.match].flat().map(onDevice);
  const whole = onDevice(firstLine(expected.text));
  const fits = parts === null ? text.startsWith(whole) : parts.every((part) => text.includes(part));
  return fits ? null : `${error.name}: ${text}\n      expected text: ${parts?.join(' … ') ?? whole}`;
}

/** PyTorch appends C++ context on further lines in places. */
function firstLine(text: string): string {
  return text.split('\n')[0].trimEnd();
}
