/** Samplers: the order in which samples are taken. They draw as PyTorch's do, so the order for a seed is PyTorch's. */

import { internDevice } from '../core/device.ts';
import { int64 } from '../core/dtype.ts';
import { ValueError } from '../core/errors.ts';
import { backendFor } from '../devices/registry.ts';
import { type GeneratorState, randint, random, randperm } from '../kernels/random.ts';
import { defaultGenerator, Generator } from '../ops/generator.ts';
import { toHost } from '../ops/host.ts';
import { emptyTensor } from '../tensor/empty.ts';
import type { Tensor } from '../tensor/tensor.ts';

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
interface Sized {
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

/** `torch.utils.data.RandomSampler(data_source)`. */
export class RandomSampler extends Sampler {
  readonly replacement: boolean;
  readonly generator: Generator | null;
  readonly #samples: number | null;

  constructor(
    readonly data_source: Sized,
    options: RandomSamplerOptions = {},
  ) {
    super();
    this.replacement = options.replacement ?? false;
    this.generator = options.generator ?? null;
    this.#samples = options.num_samples ?? null;
    if (!Number.isInteger(this.num_samples) || this.num_samples <= 0) {
      throw new ValueError(`num_samples should be a positive integer value, but got num_samples=${this.num_samples}`);
    }
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

/** `torch.utils.data.SubsetRandomSampler(indices)`. */
export class SubsetRandomSampler extends Sampler {
  readonly generator: Generator | null;

  constructor(
    readonly indices: readonly number[],
    options: { generator?: Generator | null } = {},
  ) {
    super();
    this.generator = options.generator ?? null;
  }

  get length(): number {
    return this.indices.length;
  }

  *[Symbol.iterator](): Iterator<number> {
    for (const i of permutation(this.indices.length, this.generator)) yield this.indices[i];
  }
}

/** `torch.utils.data.BatchSampler(sampler, batch_size, drop_last)`. */
export class BatchSampler extends Sampler<number[]> {
  constructor(
    readonly sampler: Iterable<number>,
    readonly batch_size: number,
    readonly drop_last: boolean,
  ) {
    super();
    if (!Number.isInteger(batch_size) || batch_size <= 0) {
      throw new ValueError(`batch_size should be a positive integer value, but got batch_size=${batch_size}`);
    }
    if (typeof drop_last !== 'boolean') {
      throw new ValueError(`drop_last should be a boolean value, but got drop_last=${drop_last}`);
    }
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
