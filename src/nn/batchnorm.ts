/** Batch and instance normalisation as layers, with running statistics. */
import type { DeviceLike } from '../core/device.ts';
import { type DType, int64 } from '../core/dtype.ts';
import { ValueError } from '../core/errors.ts';
import { warn } from '../core/warn.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { empty, ones, zeros } from '../torch/factories.ts';
import { fixedInputs } from './call.ts';
import { functional } from './functional.ts';
import './functional-normalization.ts';
import { ones_, zeros_ } from './init.ts';
import { type FactoryOptions, Module } from './module.ts';
import { makeParameter, type Parameter } from './parameter.ts';
import { Signature } from './signature.ts';
import { pyRepr } from './text.ts';

export interface BatchNormLayerOptions extends FactoryOptions {
  /** Added to the variance. Default: 1e-5. */
  eps?: number;
  /** How far the running statistics are moved; null: they are the averages of all batches. Default: 0.1. */
  momentum?: number | null;
  /** Whether there are weight and bias. Default: true; for instance norm false. */
  affine?: boolean;
  /** Whether there are running statistics. Default: true; for instance norm false. */
  track_running_stats?: boolean;
  /** Whether there is a bias beside the weight. Default: true. */
  bias?: boolean;
}

type Values = [number, number, number | null, boolean, boolean, DeviceLike | null, DType | null, boolean];

const bind = (name: string, own: boolean, args: readonly unknown[]): Values => {
  const flag = own ? 'True' : 'False';
  return Signature.of(
    `${name}.__init__(self, num_features, eps=1e-05, momentum=0.1, affine=${flag}, track_running_stats=${flag}, device=None, dtype=None, *, bias=True)`,
  ).bind(args) as Values;
};

abstract class NormBase extends Module {
  /** 2: with `num_batches_tracked`, which state dicts of the first version do not have. */
  static override _version = 2;
  num_features: number;
  eps: number;
  momentum: number | null;
  affine: boolean;
  track_running_stats: boolean;
  /** [num_features] */
  declare weight: Parameter | null;
  /** [num_features] */
  declare bias: Parameter | null;
  /** [num_features] */
  declare running_mean: Tensor | null;
  /** [num_features] */
  declare running_var: Tensor | null;
  /** int64, one number. */
  declare num_batches_tracked: Tensor | null;

  constructor([features, eps, momentum, affine, track, device, dtype, bias]: Values) {
    super();
    this.num_features = features;
    this.eps = eps;
    this.momentum = momentum;
    this.affine = affine;
    this.track_running_stats = track;
    const make = () => makeParameter(empty([features], { device, dtype }), true);
    this.register_parameter('weight', affine ? make() : null);
    this.register_parameter('bias', affine && bias ? make() : null);
    this.register_buffer('running_mean', track ? zeros([features], { device, dtype }) : null);
    this.register_buffer('running_var', track ? ones([features], { device, dtype }) : null);
    this.register_buffer('num_batches_tracked', track ? zeros([], { device, dtype: int64 }) : null);
    this.reset_parameters();
  }

  /** Mean 0, variance 1, no batches. */
  reset_running_stats(): void {
    this.running_mean?.zero_();
    this.running_var?.fill_(1);
    this.num_batches_tracked?.zero_();
  }

  /** Weight 1, bias 0, and running statistics anew. */
  reset_parameters(): void {
    this.reset_running_stats();
    if (this.weight !== null) ones_(this.weight);
    if (this.bias !== null) zeros_(this.bias);
  }

  override _load_from_state_dict(
    ...args: [Record<string, unknown>, string, Record<string, unknown>, boolean, string[], string[], string[]]
  ): void {
    const [state, prefix, metadata] = args;
    const key = `${prefix}num_batches_tracked`;
    if (ofFirstVersion(metadata) && this.track_running_stats && !Object.hasOwn(state, key)) {
      const count = this.num_batches_tracked;
      state[key] = count !== null && !count.is_meta ? count : zeros([], { dtype: int64 });
    }
    super._load_from_state_dict(...args);
  }

  override extra_repr(): string {
    return `${this.num_features}, eps=${pyRepr(this.eps)}, momentum=${pyRepr(this.momentum)}, affine=${pyRepr(this.affine)}, bias=${pyRepr(this.bias !== null)}, track_running_stats=${pyRepr(this.track_running_stats)}`;
  }
}

/** Whether a state dict was made before there were versions, or says that it is of the first. */
function ofFirstVersion(metadata: Record<string, unknown>): boolean {
  const version = metadata['version'];
  return version === null || version === undefined || (version as number) < 2;
}

abstract class BatchNorm extends NormBase {
  constructor(num_features: number, options?: BatchNormLayerOptions);
  constructor(num_features: number, eps: number, options?: Omit<BatchNormLayerOptions, 'eps'>);
  constructor(
    num_features: number,
    eps: number,
    momentum: number | null,
    options?: Omit<BatchNormLayerOptions, 'eps' | 'momentum'>,
  );
  constructor(...args: unknown[]) {
    super(bind('_BatchNorm', true, args));
  }

  protected abstract checkInput(rank: number): void;

  protected run(input: Tensor): Tensor {
    this.checkInput(input.sizes.length);
    let factor = this.momentum ?? 0;
    if (this.training && this.track_running_stats && this.num_batches_tracked !== null) {
      this.num_batches_tracked.add_(1);
      if (this.momentum === null) factor = 1 / (this.num_batches_tracked.item() as number);
    }
    const own = this.training || (this.running_mean === null && this.running_var === null);
    const tracked = !this.training || this.track_running_stats;
    return functional.batch_norm(
      input,
      tracked ? this.running_mean : null,
      tracked ? this.running_var : null,
      this.weight,
      this.bias,
      own,
      factor,
      this.eps,
    );
  }
}

function checkRank(rank: number, accepted: readonly number[]): void {
  if (accepted.includes(rank)) return;
  throw new ValueError(`expected ${accepted.map((r) => `${r}D`).join(' or ')} input (got ${rank}D input)`);
}

/** Mean 0 and variance 1 for every channel of [N, C] or [N, C, L]. */
export class BatchNorm1d extends BatchNorm {
  protected checkInput(rank: number): void {
    checkRank(rank, [2, 3]);
  }

  override forward(input: Tensor): Tensor {
    return this.run(input);
  }
}

/** Mean 0 and variance 1 for every channel of [N, C, H, W]. */
export class BatchNorm2d extends BatchNorm {
  protected checkInput(rank: number): void {
    checkRank(rank, [4]);
  }

  override forward(input: Tensor): Tensor {
    return this.run(input);
  }
}

/** Mean 0 and variance 1 for every channel of [N, C, D, H, W]. */
export class BatchNorm3d extends BatchNorm {
  protected checkInput(rank: number): void {
    checkRank(rank, [5]);
  }

  override forward(input: Tensor): Tensor {
    return this.run(input);
  }
}

type InstanceNormLayerOptions = BatchNormLayerOptions & { momentum?: number };

const oldStatistics = (keys: readonly string[], name: string): string =>
  `Unexpected running stats buffer(s) ${keys.map((key) => `"${key}"`).join(' and ')} for ${name} with track_running_stats=False. If state_dict is a checkpoint saved before 0.4.0, this may be expected because ${name} does not track running stats by default since 0.4.0. Please remove these keys from state_dict. If the running stats are actually needed, instead set track_running_stats=True in ${name} to enable them. See the documentation of ${name} for details.`;

abstract class InstanceNorm extends NormBase {
  constructor(num_features: number, options?: InstanceNormLayerOptions);
  constructor(num_features: number, eps: number, options?: Omit<InstanceNormLayerOptions, 'eps'>);
  constructor(...args: unknown[]) {
    super(bind('_InstanceNorm', false, args));
  }

  /** Running statistics of the time when all layers had them are an error here. */
  override _load_from_state_dict(
    ...args: [Record<string, unknown>, string, Record<string, unknown>, boolean, string[], string[], string[]]
  ): void {
    const [state, prefix, { version = null }, , , , errors] = args;
    if (version === null && !this.track_running_stats) {
      const found = [`${prefix}running_mean`, `${prefix}running_var`].filter((key) => Object.hasOwn(state, key));
      if (found.length > 0) errors.push(oldStatistics(found, this.constructor.name));
      for (const key of found) delete state[key];
    }
    super._load_from_state_dict(...args);
  }

  /** @param axes of an image */
  protected run(input: Tensor, axes: number): Tensor {
    const rank = input.sizes.length;
    checkRank(rank, [axes + 1, axes + 2]);
    const dim = rank - axes - 1;
    const channels = input.sizes[dim];
    if (channels !== this.num_features) {
      if (this.affine) {
        throw new ValueError(
          `expected input's size at dim=${dim} to match num_features (${this.num_features}), but got: ${channels}.`,
        );
      }
      warn(
        `input's size at dim=${dim} does not match num_features. You can silence this warning by not passing in num_features, which is not used because affine=False`,
      );
    }
    const single = dim === 0;
    const out = functional.instance_norm(
      single ? input.unsqueeze(0) : input,
      this.running_mean,
      this.running_var,
      this.weight,
      this.bias,
      this.training || !this.track_running_stats,
      this.momentum ?? 0,
      this.eps,
    );
    return single ? out.squeeze(0) : out;
  }
}

/** Mean 0 and variance 1 for every channel of every line of [N, C, L] or [C, L]. */
export class InstanceNorm1d extends InstanceNorm {
  override forward(input: Tensor): Tensor {
    return this.run(input, 1);
  }
}

/** Mean 0 and variance 1 for every channel of every image of [N, C, H, W] or [C, H, W]. */
export class InstanceNorm2d extends InstanceNorm {
  override forward(input: Tensor): Tensor {
    return this.run(input, 2);
  }
}

/** Mean 0 and variance 1 for every channel of every volume of [N, C, D, H, W] or [C, D, H, W]. */
export class InstanceNorm3d extends InstanceNorm {
  override forward(input: Tensor): Tensor {
    return this.run(input, 3);
  }
}

for (const layer of [BatchNorm1d, BatchNorm2d, BatchNorm3d, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d]) {
  fixedInputs(layer, 'input');
}
