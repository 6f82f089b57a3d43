/** Samplers: the order in which samples are taken. They draw as PyTorch's do, so the order for a seed is PyTorch's. */

import { internDevice } from '../core/device.ts';
import { float64, int64 } from '../core/dtype.ts';
import { ValueError } from '../core/errors.ts';
import { Signature } from '../core/signature.ts';
import { backendFor } from '../devices/registry.ts';
import { type GeneratorState, randint, random, randperm } from '../kernels/random.ts';
import { type TensorData, tensorFromData } from '../ops/from-data.ts';
import { defaultGenerator, Generator } from '../ops/generator.ts';
import { toHost } from '../ops/host.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { pyStr, pyTuple } from '../nn/text.ts';
import { Tensor } from '../tensor/tensor.ts';

const cpu = () => backendFor(internDevice('cpu', null));

function numbers(x: Tensor): number[] {
  return Array.from(toHost(x) as BigInt64Array, Number);
}

/** A random order of the numbers below n; null: the default generator of the cpu. */
export function permutation(n: number, generator: Generator | null): number[] {
  const out = emptyTensor(cpu(), [n], int64);
  randperm(out, stateOf(generator));
  return numbers(out);
}

function stateOf(generator: Generator | null): GeneratorState {
  return (generator ?? defaultGenerator(cpu())).state;
}

/** A random 64-bit number from a generator; what PyTorch seeds other generators with. */
export function drawSeed(generator: Generator | null): bigint {
  const out = emptyTensor(cpu(), [], int64);
  random(out, stateOf(generator));
  return (toHost(out) as BigInt64Array)[0];
}

/** Anything with a length. */
export interface Sized {
  readonly length: number;
}

/** `torch.utils.data.Sampler`: the base of samplers that one writes oneself. */
export abstract class Sampler<T = number> implements Iterable<T> {
  abstract [Symbol.iterator](): Iterator<T>;
}

/** `torch.utils.data.SequentialSampler(data_source)`. */
export class SequentialSampler extends Sampler {
  constructor(readonly data_source: Sized) {
    super();
  }

  get length(): number {
    return this.data_source.length;
  }

  *[Symbol.iterator](): Iterator<number> {
    for (let i = 0; i < this.data_source.length; i++) yield i;
  }
}

export interface RandomSamplerOptions {
  /** Samples may come more than once. */
  replacement?: boolean;
  /** How many to draw; default: as many as there are. */
  num_samples?: number | null;
  generator?: Generator | null;
}

/** @throws ValueError unless it is a positive whole number */
export function needPositive(value: unknown, name: string): asserts value is number {
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return;
  throw new ValueError(`${name} should be a positive integer value, but got ${name}=${pyStr(value)}`);
}

const RANDOM = Signature.of(
  'RandomSampler.__init__(self, data_source, replacement=False, num_samples=None, generator=None)',
);

/** `torch.utils.data.RandomSampler(data_source, { replacement, num_samples, generator })`: all in random order, or drawn anew every time. */
export class RandomSampler extends Sampler {
  readonly data_source: Sized;
  readonly replacement: boolean;
  readonly generator: Generator | null;
  readonly #samples: number | null;

  /**
   * All positions in random order, or drawn anew every time with `replacement`.
   * @throws TypeError, ValueError with PyTorch's texts
   */
  constructor(data_source: Sized, options?: RandomSamplerOptions);
  constructor(data_source: Sized, replacement: boolean, num_samples?: number | null, generator?: Generator | null);
  constructor(...args: unknown[]) {
    super();
    const [source, replacement, samples, generator] = RANDOM.bind(args);
    this.data_source = source as Sized;
    if (typeof replacement !== 'boolean') {
      throw new TypeError(`replacement should be a boolean value, but got replacement=${pyStr(replacement)}`);
    }
    this.replacement = replacement;
    this.#samples = samples as number | null;
    this.generator = generator as Generator | null;
    needPositive(this.num_samples, 'num_samples');
  }

  get num_samples(): number {
    return this.#samples ?? this.data_source.length;
  }

  get length(): number {
    return this.num_samples;
  }

  *[Symbol.iterator](): Iterator<number> {
    const n = this.data_source.length;
    const generator = this.generator ?? new Generator('cpu').manual_seed(drawSeed(null));
    const count = this.num_samples;
    if (this.replacement) {
      const draw = (size: number) => {
        const out = emptyTensor(cpu(), [size], int64);
        randint(out, generator.state, 0n, BigInt(n));
        return numbers(out);
      };
      for (let i = 0; i < Math.floor(count / 32); i++) yield* draw(32);
      yield* draw(count % 32);
      return;
    }
    for (let i = 0; i < Math.floor(count / n); i++) yield* permutation(n, generator);
    // PyTorch draws this one even where nothing of it is used: the generator moves on.
    yield* permutation(n, generator).slice(0, count % n);
  }
}

const SUBSET = Signature.of('SubsetRandomSampler.__init__(self, indices, generator=None)');

/** `torch.utils.data.SubsetRandomSampler(indices, { generator })`: these positions in random order. */
export class SubsetRandomSampler extends Sampler {
  readonly indices: readonly number[];
  readonly generator: Generator | null;

  constructor(indices: readonly number[], options?: { generator?: Generator | null });
  constructor(indices: readonly number[], generator: Generator | null);
  constructor(...args: unknown[]) {
    super();
    [this.indices, this.generator] = SUBSET.bind(args) as [readonly number[], Generator | null];
  }

  get length(): number {
    return this.indices.length;
  }

  *[Symbol.iterator](): Iterator<number> {
    for (const i of permutation(this.indices.length, this.generator)) yield this.indices[i];
  }
}

const WEIGHTED = Signature.of(
  'WeightedRandomSampler.__init__(self, weights, num_samples, replacement=True, generator=None)',
);

/**
 * `torch.utils.data.WeightedRandomSampler(weights, num_samples, { replacement, generator })`: positions by their weights,
 * which need not add up to one.
 */
export class WeightedRandomSampler extends Sampler {
  /** float64 [n] */
  readonly weights: Tensor;
  readonly num_samples: number;
  readonly replacement: boolean;
  readonly generator: Generator | null;

  /**
   * `num_samples` positions by their weights, which need not add up to one.
   * @throws ValueError with PyTorch's texts
   */
  constructor(
    weights: readonly number[] | Tensor,
    num_samples: number,
    options?: { replacement?: boolean; generator?: Generator | null },
  );
  constructor(
    weights: readonly number[] | Tensor,
    num_samples: number,
    replacement: boolean,
    generator?: Generator | null,
  );
  constructor(...args: unknown[]) {
    super();
    const [weights, samples, replacement, generator] = WEIGHTED.bind(args);
    needPositive(samples, 'num_samples');
    if (typeof replacement !== 'boolean') {
      throw new ValueError(`replacement should be a boolean value, but got replacement=${pyStr(replacement)}`);
    }
    this.weights =
      weights instanceof Tensor ? weights.to(float64) : tensorFromData(weights as TensorData, float64, cpu());
    const { sizes } = this.weights;
    if (sizes.length !== 1) {
      throw new ValueError(`weights should be a 1d sequence but given weights have shape ${pyTuple(sizes)}`);
    }
    this.num_samples = samples;
    this.replacement = replacement;
    this.generator = generator as Generator | null;
  }

  get length(): number {
    return this.num_samples;
  }

  *[Symbol.iterator](): Iterator<number> {
    const { weights, num_samples, replacement, generator } = this;
    yield* numbers(weights.multinomial(num_samples, replacement, { generator }));
  }
}

const BATCH = Signature.of('BatchSampler.__init__(self, sampler, batch_size, drop_last)');

/** `torch.utils.data.BatchSampler(sampler, batch_size, drop_last)`: lists of batch_size positions of another sampler. */
export class BatchSampler extends Sampler<number[]> {
  readonly sampler: Iterable<number>;
  readonly batch_size: number;
  /** Whether an incomplete last batch is left out. */
  readonly drop_last: boolean;

  /**
   * Lists of `batch_size` positions of another sampler; `drop_last` leaves out an incomplete last one.
   * @throws ValueError with PyTorch's texts
   */
  constructor(sampler: Iterable<number>, batch_size: number, drop_last: boolean);
  constructor(sampler: Iterable<number>, options: { batch_size: number; drop_last: boolean });
  constructor(...args: unknown[]) {
    super();
    const [sampler, size, drop] = BATCH.bind(args);
    needPositive(size, 'batch_size');
    if (typeof drop !== 'boolean') {
      throw new ValueError(`drop_last should be a boolean value, but got drop_last=${pyStr(drop)}`);
    }
    this.sampler = sampler as Iterable<number>;
    this.batch_size = size;
    this.drop_last = drop;
  }

  get length(): number {
    const n = (this.sampler as unknown as Sized).length;
    return this.drop_last ? Math.floor(n / this.batch_size) : Math.ceil(n / this.batch_size);
  }

  *[Symbol.iterator](): Iterator<number[]> {
    let batch: number[] = [];
    for (const index of this.sampler) {
      batch.push(index);
      if (batch.length === this.batch_size) {
        yield batch;
        batch = [];
      }
    }
    if (batch.length > 0 && !this.drop_last) yield batch;
  }
}
