/** `torch.utils.data.DistributedSampler`: the part of the samples that one of several processes trains on. */
import { AssertionError, RuntimeError, ValueError } from '../core/errors.ts';
import { Signature } from '../core/signature.ts';
import { Generator } from '../ops/generator.ts';
import { permutation, Sampler, type Sized } from './sampler.ts';

export interface DistributedSamplerOptions {
  /** How many processes there are. */
  num_replicas?: number | null;
  /** Which of them this is. */
  rank?: number | null;
  /** Default: true. */
  shuffle?: boolean;
  /** The same in all processes. Default: 0. */
  seed?: number;
  /** Whether the last samples are left out so that all get as many, instead of giving some twice. Default: false. */
  drop_last?: boolean;
}

const SIGNATURE = Signature.of(
  'DistributedSampler.__init__(self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False)',
);

/** Every num_replicas-th sample, from number rank on, of an order that `set_epoch` chooses. */
export class DistributedSampler extends Sampler {
  readonly dataset: Sized;
  readonly num_replicas: number;
  readonly rank: number;
  readonly shuffle: boolean;
  readonly seed: number;
  readonly drop_last: boolean;
  /** How many samples this process gets. */
  readonly num_samples: number;
  readonly total_size: number;
  epoch = 0;

  /**
   * Every num_replicas-th position, from number rank on, shuffled by seed and epoch.
   * @throws RuntimeError without num_replicas and rank: there is no process group to ask
   * @throws ValueError for a rank that there is not
   */
  constructor(dataset: Sized, options?: DistributedSamplerOptions);
  constructor(
    dataset: Sized,
    num_replicas: number | null,
    rank: number | null,
    options?: Omit<DistributedSamplerOptions, 'num_replicas' | 'rank'>,
  );
  constructor(...args: unknown[]) {
    super();
    const [dataset, replicas, rank, shuffle, seed, drop] = SIGNATURE.bind(args) as [
      Sized,
      number | null,
      number | null,
      boolean,
      number,
      boolean,
    ];
    if (replicas === null || rank === null) throw new RuntimeError('Requires distributed package to be available');
    if (rank >= replicas || rank < 0) {
      throw new ValueError(`Invalid rank ${rank}, rank should be in the interval [0, ${replicas - 1}]`);
    }
    this.dataset = dataset;
    this.num_replicas = replicas;
    this.rank = rank;
    this.shuffle = shuffle;
    this.seed = seed;
    this.drop_last = drop;
    const { length } = dataset;
    this.num_samples =
      drop && length % replicas !== 0 ? Math.ceil((length - replicas) / replicas) : Math.ceil(length / replicas);
    this.total_size = this.num_samples * replicas;
  }

  get length(): number {
    return this.num_samples;
  }

  /** Chooses the order of the next run; without it every run has the same. */
  set_epoch(epoch: number): void {
    this.epoch = epoch;
  }

  *[Symbol.iterator](): Iterator<number> {
    const { length } = this.dataset;
    const order = this.shuffle
      ? permutation(length, new Generator('cpu').manual_seed(this.seed + this.epoch))
      : Array.from({ length }, (_, i) => i);
    if (this.total_size > 0 && length === 0) {
      throw new AssertionError(`Number of indices (0) does not match total_size (${this.total_size})`);
    }
    // Beyond the end it begins again.
    for (let i = this.rank; i < this.total_size; i += this.num_replicas) yield order[i % length];
  }
}
