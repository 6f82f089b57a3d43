/** `optim.lr_scheduler`: learning rates that change from epoch to epoch. `step()` is called once after each. */
import { KeyError, ValueError } from '../core/errors.ts';
import { warn } from '../core/warn.ts';
import { Signature } from '../nn/signature.ts';
import { pyTypeName } from '../nn/text.ts';
import { hasStepped, Optimizer, type ParamGroup } from './optimizer.ts';

/** What a scheduler keeps, by name. */
export type SchedulerState = Record<string, unknown>;

/** Base of schedulers: a subclass computes the rates of the groups for `last_epoch`, mostly from the current ones. */
export abstract class LRScheduler {
  readonly optimizer: Optimizer;
  /** The groups' rates at the beginning. */
  base_lrs: number[];
  /** How many epochs are over. */
  last_epoch: number;
  protected last_lr: number[] = [];
  private steps = 0;

  /** @param last_epoch -1 to begin; otherwise the groups must have an `initial_lr` */
  constructor(optimizer: Optimizer, last_epoch: number) {
    if (!(optimizer instanceof Optimizer)) throw new TypeError(`${pyTypeName(optimizer)} is not an Optimizer`);
    this.optimizer = optimizer;
    optimizer.param_groups.forEach((group, i) => {
      if (last_epoch === -1) group['initial_lr'] ??= group['lr'];
      else if (group['initial_lr'] === undefined) {
        throw new KeyError(
          `param 'initial_lr' is not specified in param_groups[${i}] when resuming scheduler with last_epoch >= 0.`,
        );
      }
    });
    this.base_lrs = optimizer.param_groups.map((group) => group['initial_lr'] as number);
    this.last_epoch = last_epoch;
  }

  /** Sets the rates for the first epoch; constructors of subclasses end with it. */
  protected begin(): void {
    this.steps = 0;
    this.advance();
  }

  /** The groups' rates for `last_epoch`. */
  abstract get_lr(): number[];

  /** The rates that are set now. */
  get_last_lr(): number[] {
    return this.last_lr;
  }

  /** An epoch is over: sets the rates for the next. */
  step(): void {
    if (this.steps === 1 && !hasStepped(this.optimizer)) {
      warn(
        'Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping the first value of the learning rate schedule. See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate',
      );
    }
    this.advance();
  }

  private advance(): void {
    this.steps++;
    this.last_epoch++;
    const rates = this.get_lr();
    const groups = this.optimizer.param_groups;
    rates.forEach((rate, i) => {
      groups[i]['lr'] = rate;
    });
    this.last_lr = groups.map((group) => group['lr'] as number);
  }

  /** Everything but the optimizer. */
  state_dict(): SchedulerState {
    const { optimizer: _optimizer, last_lr, steps, ...rest } = this as unknown as Record<string, unknown>;
    return { ...rest, _last_lr: last_lr, _step_count: steps };
  }

  /** Takes the state of a scheduler of the same kind. */
  load_state_dict(state_dict: Readonly<SchedulerState>): void {
    const { _last_lr, _step_count, ...rest } = state_dict;
    Object.assign(this, rest);
    this.last_lr = _last_lr as number[];
    this.steps = _step_count as number;
  }

  /** The groups' current rates, each times `factor`. */
  protected times(factor: number): number[] {
    return this.optimizer.param_groups.map((group: ParamGroup) => (group['lr'] as number) * factor);
  }
}

type Factor = (epoch: number) => number;

const LAMBDA = Signature.of('LambdaLR.__init__(self, optimizer, lr_lambda, last_epoch=-1)');

/** The first rate times a function of the epoch, one for all groups or one for each. */
export class LambdaLR extends LRScheduler {
  readonly lr_lambdas: readonly Factor[];

  constructor(optimizer: Optimizer, lr_lambda: Factor | readonly Factor[], options?: { last_epoch?: number } | number);
  constructor(...args: unknown[]) {
    const [optimizer, factor, last] = LAMBDA.bind(args) as [Optimizer, Factor | readonly Factor[], number];
    super(optimizer, last);
    const count = optimizer.param_groups.length;
    if (typeof factor === 'function') this.lr_lambdas = new Array(count).fill(factor);
    else {
      if (factor.length !== count) throw new ValueError(`Expected ${count} lr_lambdas, but got ${factor.length}`);
      this.lr_lambdas = factor;
    }
    this.begin();
  }

  override get_lr(): number[] {
    return this.base_lrs.map((rate, i) => rate * this.lr_lambdas[i](this.last_epoch));
  }

  /** Functions are not saved. */
  override state_dict(): SchedulerState {
    const { lr_lambdas: _functions, ...rest } = super.state_dict();
    return rest;
  }
}

const STEP = Signature.of('StepLR.__init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1)');

/** Every `step_size` epochs, the rate is multiplied by gamma (0.1). */
export class StepLR extends LRScheduler {
  step_size: number;
  gamma: number;

  constructor(optimizer: Optimizer, options: { step_size: number; gamma?: number; last_epoch?: number });
  constructor(optimizer: Optimizer, step_size: number, options?: { gamma?: number; last_epoch?: number } | number);
  constructor(...args: unknown[]) {
    const [optimizer, size, gamma, last] = STEP.bind(args) as [Optimizer, number, number, number];
    super(optimizer, last);
    this.step_size = size;
    this.gamma = gamma;
    this.begin();
  }

  override get_lr(): number[] {
    const due = this.last_epoch !== 0 && this.last_epoch % this.step_size === 0;
    return this.times(due ? this.gamma : 1);
  }
}

const MULTI = Signature.of('MultiStepLR.__init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1)');

/** At every milestone, the rate is multiplied by gamma (0.1). */
export class MultiStepLR extends LRScheduler {
  milestones: readonly number[];
  gamma: number;

  constructor(optimizer: Optimizer, options: { milestones: readonly number[]; gamma?: number; last_epoch?: number });
  constructor(
    optimizer: Optimizer,
    milestones: readonly number[],
    options?: { gamma?: number; last_epoch?: number } | number,
  );
  constructor(...args: unknown[]) {
    const [optimizer, milestones, gamma, last] = MULTI.bind(args) as [Optimizer, readonly number[], number, number];
    super(optimizer, last);
    this.milestones = [...milestones].sort((a, b) => a - b);
    this.gamma = gamma;
    this.begin();
  }

  override get_lr(): number[] {
    const times = this.milestones.filter((milestone) => milestone === this.last_epoch).length;
    return this.times(this.gamma ** times);
  }
}

const EXPONENTIAL = Signature.of('ExponentialLR.__init__(self, optimizer, gamma, last_epoch=-1)');

/** Every epoch, the rate is multiplied by gamma. */
export class ExponentialLR extends LRScheduler {
  gamma: number;

  constructor(optimizer: Optimizer, options: { gamma: number; last_epoch?: number });
  constructor(optimizer: Optimizer, gamma: number, options?: { last_epoch?: number } | number);
  constructor(...args: unknown[]) {
    const [optimizer, gamma, last] = EXPONENTIAL.bind(args) as [Optimizer, number, number];
    super(optimizer, last);
    this.gamma = gamma;
    this.begin();
  }

  override get_lr(): number[] {
    return this.times(this.last_epoch === 0 ? 1 : this.gamma);
  }
}

const COSINE = Signature.of('CosineAnnealingLR.__init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1)');

/** Half a wave of a cosine from the first rate to eta_min (0) in T_max epochs, and back. */
export class CosineAnnealingLR extends LRScheduler {
  T_max: number;
  eta_min: number;

  constructor(optimizer: Optimizer, options: { T_max: number; eta_min?: number; last_epoch?: number });
  constructor(optimizer: Optimizer, T_max: number, options?: { eta_min?: number; last_epoch?: number } | number);
  constructor(...args: unknown[]) {
    const [optimizer, length, least, last] = COSINE.bind(args) as [Optimizer, number, number, number];
    super(optimizer, last);
    this.T_max = length;
    this.eta_min = least;
    this.begin();
  }

  override get_lr(): number[] {
    const { last_epoch: epoch, T_max: length, eta_min: least } = this;
    if (epoch === 0) return this.times(1);
    const wave = (at: number) => 1 + Math.cos((Math.PI * at) / length);
    return this.optimizer.param_groups.map((group, i) => {
      const rate = group['lr'] as number;
      // From the lowest point the recursion would start with 0 / 0.
      if ((epoch - 1 - length) % (2 * length) === 0) {
        return rate + ((this.base_lrs[i] - least) * (1 - Math.cos(Math.PI / length))) / 2;
      }
      return (wave(epoch) / wave(epoch - 1)) * (rate - least) + least;
    });
  }
}
