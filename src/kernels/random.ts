/**
 * Launches that fill a tensor with random numbers: what PyTorch's CPU gives for the same seed and sequence of calls, bit
 * for bit. They check their arguments as PyTorch's in-place methods (`uniform_`, `normal_`, …) do, with its texts.
 */
import { bfloat16, bool, type DType, float16, float32, float64 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import { cppName, INT64_MAX, INT64_MIN, integerRange } from './random-integers.ts';
import { findOrder, order } from './random-order.ts';
import type { GeneratorState } from './random-state.ts';
import { registerKernel } from './registry.ts';
import { reads, writes } from './touch.ts';
import { PAIRS } from './wasm/random-context.ts';
import { hasFusedMadd } from './wasm/random-fma.ts';
import * as bodies from './wasm/random-kernels.ts';

export { DEFAULT_SEED, GeneratorState, SAVED_BYTES } from './random-state.ts';

type Out = Operand<Storage>;

/** Kernels of one kind by dtype, numbered when first needed. */
export class Kernels {
  private readonly ids: (number | undefined)[] = [];
  constructor(
    private readonly kind: string,
    private readonly body: bodies.RandomBody,
  ) {}
  of(dtype: DType): number {
    const { kind, body } = this;
    return (this.ids[dtype.index] ??= registerKernel(
      () => bodies.buildRandom(body, dtype, hasFusedMadd()),
      `random ${kind} ${dtype.name}`,
    ));
  }
}

const UNIFORM = new Kernels('uniform', bodies.uniform);
const NORMAL = new Kernels('normal', bodies.normal);
const NORMAL_SERIAL = new Kernels('normalSerial', bodies.normalSerial);
const BERNOULLI = new Kernels('bernoulli', bodies.bernoulli);
const INTEGERS = new Kernels('integers', bodies.integers);
const PERMUTATION = new Kernels('permutation', bodies.permutation);
const BERNOULLI_TENSOR: (number | undefined)[] = [];

/** The parameters of a launch: two float64 or int64, and a flag. */
const parameters = new DataView(new ArrayBuffer(20));
const parameterWords = new Int32Array(parameters.buffer);

function launch(kernel: number, out: Out, state: GeneratorState, probabilities: Out | null): void {
  findOrder(out.sizes, out.strides, probabilities ? probabilities.strides : null);
  const { dims } = order;
  const backend = state.backend;
  const at = backend.begin(kernel, PAIRS + dims * (probabilities ? 4 : 2), 0);
  const words = backend.words;
  const { itemsize } = out.dtype;
  words[at] = state.address;
  words[at + 1] = out.storage.address + out.offset * itemsize;
  words[at + 2] = out.length;
  words[at + 3] = dims;
  for (let i = 0; i < 5; i++) words[at + 4 + i] = parameterWords[i];
  words[at + 9] = probabilities
    ? probabilities.storage.address + probabilities.offset * probabilities.dtype.itemsize
    : 0;
  let to = at + PAIRS;
  for (let i = 0; i < dims; i++) {
    words[to++] = order.sizes[i];
    words[to++] = order.strides[i] * itemsize;
  }
  if (probabilities) {
    for (let i = 0; i < dims; i++) {
      words[to++] = order.sizes[i];
      words[to++] = order.otherStrides[i] * probabilities.dtype.itemsize;
    }
    reads(probabilities);
  }
  writes(out);
  backend.submit();
}

export function launchFloats(kernels: Kernels, out: Out, state: GeneratorState, a: number, b: number): void {
  parameters.setFloat64(0, a, true);
  parameters.setFloat64(8, b, true);
  launch(kernels.of(out.dtype), out, state, null);
}

/**
 * Numbers of [from, to), each equally likely: `Tensor.uniform_`.
 * @throws NotImplementedError for integers, RuntimeError for bounds that the dtype does not have
 */
export function uniform(out: Out, state: GeneratorState, from = 0, to = 1): void {
  const { dtype } = out;
  checkFloat(dtype, 'check_uniform_bounds');
  const max = LARGEST[dtype.index];
  if (!(from >= -max && from <= max)) throw new RuntimeError(`from is out of bounds for ${cppName(dtype)}`);
  if (!(to >= -max && to <= max)) throw new RuntimeError(`to is out of bounds for ${cppName(dtype)}`);
  if (from > to) {
    throw new RuntimeError(
      `uniform_ expects to return a [from, to) range, but found from=${shown(from)} > to=${shown(to)}`,
    );
  }
  if (to - from > max) {
    throw new RuntimeError(
      `uniform_ expects to-from <= std::numeric_limits<${dtype.scalarTypeName}>::max(), but found to=${shown(to)} and ` +
        `from=${shown(from)} which result in to-from to exceed the limit`,
    );
  }
  if (out.length > 0) launchFloats(UNIFORM, out, state, from, to);
}

/**
 * Normally distributed numbers: `Tensor.normal_`.
 * @throws NotImplementedError for integers, RuntimeError for a negative standard deviation
 */
export function normal(out: Out, state: GeneratorState, mean = 0, std = 1): void {
  if (!(std >= 0)) throw new RuntimeError(`normal expects std >= 0.0, but found std ${shown(std)}`);
  if (out.length === 0) return;
  checkFloat(out.dtype, 'normal_kernel_cpu');
  const blocks = out.length >= 16 && isContiguous(out);
  launchFloats(blocks ? NORMAL : NORMAL_SERIAL, out, state, mean, std);
}

/**
 * 1 with probability p, else 0, in any dtype: `Tensor.bernoulli_(p)`, and the mask of dropout.
 * @throws RuntimeError if p is not in [0, 1]
 */
export function bernoulli(out: Out, state: GeneratorState, p = 0.5): void {
  if (!(p >= 0 && p <= 1)) throw new RuntimeError(`bernoulli_ expects p to be in [0, 1], but got p=${shown(p)}`);
  if (out.length > 0) launchFloats(BERNOULLI, out, state, p, 0);
}

/**
 * 1 with the probability that `p` has for the element, else 0: `Tensor.bernoulli_(p)` and `torch.bernoulli`. `p` is of a
 * float dtype and has the sizes of `out` (stride 0 where it is broadcast). A probability that is not in [0, 1] is a fault.
 */
export function bernoulliTensor(out: Out, state: GeneratorState, p: Out): void {
  if (out.length === 0) return;
  checkFloat(p.dtype, 'bernoulli_tensor_cpu_p_');
  const key = out.dtype.index * 4 + p.dtype.index;
  const { dtype } = out;
  const from = p.dtype;
  launch(
    (BERNOULLI_TENSOR[key] ??= registerKernel(
      () => bodies.buildBernoulliTensor(dtype, from),
      `random bernoulli ${dtype.name} of ${from.name}`,
    )),
    out,
    state,
    p,
  );
}

/**
 * Whole numbers of [low, high) in any dtype: `torch.randint`, `Tensor.random_(low, high)`. Without `high` up to the
 * largest of the dtype (of float dtypes: up to which every whole number exists), that one included.
 * @throws RuntimeError if the range is empty or the dtype does not have it
 */
export function randint(out: Out, state: GeneratorState, low: bigint, high: bigint | null): void {
  const { dtype } = out;
  if (high === null && low === INT64_MIN) {
    if (out.length === 0) return;
    if (dtype.itemsize < 4 && dtype !== bfloat16 ? true : !(dtype.is_floating_point || dtype.itemsize === 8)) {
      throw dtype === float16 || dtype === bool
        ? new NotImplementedError(
            `"random_full_64_bits_range_kernel_cpu" not implemented for '${dtype.scalarTypeName}'`,
          )
        : new RuntimeError('random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16');
    }
    launchIntegers(out, state, 0n, 0n, true);
    return;
  }
  const { from, range } = integerRange(dtype, low, high);
  if (out.length > 0) launchIntegers(out, state, range, from, range >= 1n << 28n);
}

/** Whole numbers from 0 to the largest that `randint` without `high` gives: `Tensor.random_()`. */
export function random(out: Out, state: GeneratorState): void {
  if (out.length === 0) return;
  const { dtype } = out;
  const digits = dtype === float64 ? 53n : dtype === float32 ? 24n : dtype === float16 ? 11n : 8n;
  const bits = dtype === bool ? 1n : BigInt(8 * dtype.itemsize - (dtype.is_signed ? 1 : 0));
  const range = dtype.is_floating_point ? (1n << digits) + 1n : 1n << bits;
  launchIntegers(out, state, range, 0n, dtype.itemsize === 8);
}

function launchIntegers(out: Out, state: GeneratorState, range: bigint, base: bigint, wide: boolean): void {
  parameters.setBigInt64(0, range, true);
  parameters.setBigInt64(8, base, true);
  parameters.setInt32(16, wide ? 1 : 0, true);
  launch(INTEGERS.of(out.dtype), out, state, null);
}

/** From here on PyTorch draws 64 bits for an index. */
const WIDE_PERMUTATION = 214748364;

/**
 * The numbers from 0 to `out.length` - 1 in random order, in a tensor of one dimension: `torch.randperm`.
 * @throws NotImplementedError for bool, RuntimeError if the dtype does not have the numbers
 */
export function randperm(out: Out, state: GeneratorState): void {
  const { dtype, length: n } = out;
  if (n > LARGEST[dtype.index] + 1 && !dtype.is_floating_point && dtype !== bool) {
    throw new RuntimeError(`value cannot be converted to type ${dtype.name}_t without overflow`);
  }
  if (dtype === float16 && n > 2049) throw new RuntimeError('n cannot be greater than 2049 for Half type.');
  if (dtype === float32 && n > 2 ** 24 + 1) throw new RuntimeError('n cannot be greater than 2^24+1 for Float type.');
  if (dtype === bool) throw new NotImplementedError(`"randperm" not implemented for 'Bool'`);
  if (n === 0) return;
  parameters.setInt32(16, n < WIDE_PERMUTATION ? 0 : 1, true);
  launch(PERMUTATION.of(dtype), out, state, null);
}

/** The largest finite number of each dtype, by index. */
const LARGEST = [
  Number.MAX_VALUE,
  (2 - 2 ** -23) * 2 ** 127,
  65504,
  (2 - 2 ** -7) * 2 ** 127,
  Number(INT64_MAX),
  2 ** 31 - 1,
  2 ** 15 - 1,
  127,
  255,
  1,
];

export function checkFloat(dtype: DType, kernel: string): void {
  if (!dtype.is_floating_point) {
    throw new NotImplementedError(`"${kernel}" not implemented for '${dtype.scalarTypeName}'`);
  }
}

function isContiguous({ sizes, strides }: Out): boolean {
  let expected = 1;
  for (let i = sizes.length - 1; i >= 0; i--) {
    if (sizes[i] === 1) continue;
    if (strides[i] !== expected) return false;
    expected *= sizes[i];
  }
  return true;
}

/** A number as C++ prints it: six digits, with an exponent below 1e-4 and from 1e6 on. */
export function shown(x: number): string {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? 'nan' : x > 0 ? 'inf' : '-inf';
  const rounded = Number(x.toPrecision(6));
  const size = Math.abs(rounded);
  if (size === 0 || (size >= 1e-4 && size < 1e6)) return String(rounded);
  return rounded.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}
