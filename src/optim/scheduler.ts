/** The base of learning rate schedulers, and what they share. */
import { recording } from '../devices/recording.ts';
import { KeyError, NotImplementedError, ValueError } from '../core/errors.ts';
import { Signature } from '../core/signature.ts';
import { warn } from '../core/warn.ts';
import { pyTypeName } from '../nn/text.ts';
import { Tensor } from '../tensor/tensor.ts';
import { hasStepped, Optimizer, type ParamGroup } from './optimizer.ts';
import { numberOf, rateOf } from './options.ts';

const INIT = Signature.of('LRScheduler.__init__(self, optimizer, last_epoch=-1)');
const STEP = Signature.of('LRScheduler.step(self, epoch=None)');

/** What a scheduler keeps, by name. */
export type SchedulerState = Record<string, unknown>;

/** One value for all groups, or one for each. */
export type PerGroup<T> = T | readonly T[];

const EPOCH_DEPRECATED =
  'The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use `scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed form is used instead of the new chainable form, where available. Please open an issue if you are unable to replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose.';

/**
 * Base of schedulers. A subclass computes the rates of the groups for `last_epoch` in `get_lr`, mostly from the current
 * ones; its constructor ends with `this._initial_step()`, when its own fields are there.
 */
export class LRScheduler {
  readonly optimizer: Optimizer;
  /** The groups' rates at the beginning. */
  declare base_lrs: number[];
  /** How many epochs are over. */
  declare last_epoch: number;
  declare _step_count: number;
  declare _is_initial: boolean;
  declare _get_lr_called_within_step: boolean;
  declare _last_lr: number[];

  /**
   * Base of learning rate schedulers.
   * @param last_epoch -1 to begin; otherwise the groups must have an `initial_lr`. null: the subclass sets all itself
   */
  constructor(optimizer: Optimizer, last_epoch?: number | null | { last_epoch?: number });
  constructor(...args: unknown[]) {
    const [optimizer, last_epoch] = INIT.bind(args) as [Optimizer, number | null];
    if (!(optimizer instanceof Optimizer)) throw new TypeError(`${pyTypeName(optimizer)} is not an Optimizer`);
    this.optimizer = optimizer;
    if (last_epoch !== null) this.attach(last_epoch);
  }

  /** Takes the groups' rates as the first ones. The constructor does it, unless it is given null. */
  protected attach(last_epoch: number): void {
    const { optimizer } = this;
    optimizer.param_groups.forEach((group, i) => {
      if (last_epoch === -1) group['initial_lr'] ??= rateOf(group);
      else if (group['initial_lr'] === undefined) {
        throw new KeyError(
          `param 'initial_lr' is not specified in param_groups[${i}] when resuming scheduler with last_epoch >= 0.\n` +
            'This typically happens when:\n' +
            "1. You're trying to resume training from a checkpoint but haven't properly loaded the optimizer state\n" +
            "2. You're using last_epoch >= 0 for a fresh training run (not recommended)",
        );
      }
    });
    this.base_lrs = optimizer.param_groups.map((group) => numberOf(group['initial_lr']));
    this.last_epoch = last_epoch;
  }

  /** Sets the rates for the first epoch. */
  _initial_step(): void {
    this._step_count = 0;
    this._is_initial = true;
    try {
      this.step();
    } finally {
      this._is_initial = false;
    }
  }

  /** The groups' rates for `last_epoch`. */
  get_lr(): number[] {
    throw new NotImplementedError(`${this.constructor.name} is missing the required "get_lr" function`);
  }

  /** The groups' rates for `last_epoch` from the first ones, where there is such a form. */
  _get_closed_form_lr(): number[] {
    return this.get_lr();
  }

  /** The rates that are set now. */
  get_last_lr(): number[] {
    return this._last_lr;
  }

  /**
   * An epoch is over: sets the rates for the next.
   *
   * @param epoch deprecated: the number of the next epoch
   */
  step(epoch?: number | null): void;
  step(...args: unknown[]): void {
    const [epoch] = STEP.bind(args) as [number | null];
    if (this._step_count === 1 && !hasStepped(this.optimizer)) {
      warn(
        'Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping the first value of the learning rate schedule. See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate',
      );
    }
    recording?.opaque(
      'a learning rate scheduler steps, which is work of the host: step it outside of the compiled function',
    );
    this._step_count++;
    if (epoch !== null) warnOfEpoch();
    this._update_lr(epoch);
  }

  _update_lr(epoch: number | null = null): void {
    let rates: number[];
    this._get_lr_called_within_step = true;
    try {
      if (epoch === null) {
        this.last_epoch++;
        rates = this.get_lr();
      } else {
        this.last_epoch = epoch;
        rates = this._get_closed_form_lr();
      }
    } finally {
      this._get_lr_called_within_step = false;
    }
    setRates(this.optimizer, rates);
    this._last_lr = this.rates();
  }

  /** Everything but the optimizer. */
  state_dict(): SchedulerState {
    const { optimizer: _optimizer, ...state } = this as unknown as SchedulerState;
    return state;
  }

  /** Takes the state of a scheduler of the same kind. */
  load_state_dict(state_dict: Readonly<SchedulerState>): void {
    Object.assign(this, state_dict);
  }

  /** The groups' rates. */
  protected rates(): number[] {
    return this.optimizer.param_groups.map(rateOf);
  }

  /** The groups' rates, each times `factor`. */
  protected times(factor: number): number[] {
    return this.optimizer.param_groups.map((group) => rateOf(group) * factor);
  }

  /** What `get_lr` of a library's scheduler begins with. */
  protected insideStep(): void {
    if (this._get_lr_called_within_step) return;
    warn('To get the last learning rate computed by the scheduler, please use `get_last_lr()`.');
  }
}

export function warnOfEpoch(): void {
  warn(EPOCH_DEPRECATED);
}

/** Sets the groups' rates; one that is a tensor stays that tensor. */
export function setRates(optimizer: Optimizer, rates: readonly number[]): void {
  rates.forEach((rate, i) => {
    setRate(optimizer.param_groups[i], rate);
  });
}

export function setRate(group: ParamGroup, rate: number): void {
  if (group['lr'] instanceof Tensor) group['lr'].fill_(rate);
  else group['lr'] = rate;
}

/** One value for each group. @throws ValueError if there are not as many */
export function eachGroup(name: string, optimizer: Optimizer, value: PerGroup<number>): number[] {
  const count = optimizer.param_groups.length;
  if (!Array.isArray(value)) return new Array<number>(count).fill(value as number);
  if (value.length !== count) {
    throw new ValueError(
      `${name} must have the same length as optimizer.param_groups. ${name} has ${value.length} values, param_groups has ${count}.`,
    );
  }
  return value.slice();
}

/** Sets the momentum of a group, or its first beta. */
export function setMomentum(group: ParamGroup, momentum: number, useBeta1: boolean): void {
  if (useBeta1) group['betas'] = [momentum, ...(group['betas'] as number[]).slice(1)];
  else group['momentum'] = momentum;
}

/** Whether momentum is the first beta. @throws ValueError if the optimizer has neither */
export function usesBeta1(optimizer: Optimizer): boolean {
  const { defaults } = optimizer;
  if (!('momentum' in defaults) && !('betas' in defaults)) {
    throw new ValueError('optimizer must support momentum or beta1 with `cycle_momentum` option enabled');
  }
  return 'betas' in defaults;
}
