/** Schedulers that multiply rates: by functions of the epoch, at steps, towards a factor. */
import { ValueError } from '../core/errors.ts';
import { Signature } from '../nn/signature.ts';
import { pyTypeName } from '../nn/text.ts';
import type { Optimizer } from './optimizer.ts';
import { LRScheduler, type SchedulerState } from './scheduler.ts';

export interface LastEpoch {
  /** -1 to begin. */
  last_epoch?: number;
}

type Factor = (epoch: number) => number;

function factorsOf(optimizer: Optimizer, factor: Factor | readonly Factor[]): readonly Factor[] {
  const count = optimizer.param_groups.length;
  if (!Array.isArray(factor)) return new Array<Factor>(count).fill(factor as Factor);
  if (factor.length !== count) throw new ValueError(`Expected ${count} lr_lambdas, but got ${factor.length}`);
  return factor.slice();
}

/** Functions are not saved: the state dict has null in their places. */
abstract class Lambdas extends LRScheduler {
  lr_lambdas: readonly Factor[] = [];

  override state_dict(): SchedulerState {
    return { ...super.state_dict(), lr_lambdas: this.lr_lambdas.map(() => null) };
  }

  override load_state_dict(state_dict: Readonly<SchedulerState>): void {
    const { lr_lambdas: _functions, ...rest } = state_dict;
    super.load_state_dict(rest);
  }
}

const LAMBDA = Signature.of('LambdaLR.__init__(self, optimizer, lr_lambda, last_epoch=-1)');

/** The first rate times a function of the epoch, one for all groups or one for each. */
export class LambdaLR extends Lambdas {
  constructor(optimizer: Optimizer, lr_lambda: Factor | readonly Factor[], options?: LastEpoch | number);
  constructor(...args: unknown[]) {
    const [optimizer, factor, last] = LAMBDA.bind(args) as [Optimizer, Factor | readonly Factor[], number];
    super(optimizer, last);
    this.lr_lambdas = factorsOf(optimizer, factor);
    this._initial_step();
  }

  override get_lr(): number[] {
    this.insideStep();
    return this.base_lrs.map((rate, i) => rate * this.lr_lambdas[i](this.last_epoch));
  }
}

const MULTIPLICATIVE = Signature.of('MultiplicativeLR.__init__(self, optimizer, lr_lambda, last_epoch=-1)');

/** The rate so far times a function of the epoch, one for all groups or one for each. */
export class MultiplicativeLR extends Lambdas {
  constructor(optimizer: Optimizer, lr_lambda: Factor | readonly Factor[], options?: LastEpoch | number);
  constructor(...args: unknown[]) {
    const [optimizer, factor, last] = MULTIPLICATIVE.bind(args) as [Optimizer, Factor | readonly Factor[], number];
    super(optimizer, last);
    this.lr_lambdas = factorsOf(optimizer, factor);
    for (const each of this.lr_lambdas) {
      if (typeof each !== 'function') {
        throw new TypeError(`lr_lambda should be a function, but got ${pyTypeName(each)}`);
      }
    }
    this._initial_step();
  }

  override get_lr(): number[] {
    this.insideStep();
    if (this._is_initial) return this.rates();
    return this.rates().map((rate, i) => rate * this.lr_lambdas[i](this.last_epoch));
  }
}

const STEP = Signature.of('StepLR.__init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1)');

/** Every `step_size` epochs, the rate is multiplied by gamma (0.1). */
export class StepLR extends LRScheduler {
  step_size: number;
  gamma: number;

  constructor(optimizer: Optimizer, options: { step_size: number; gamma?: number } & LastEpoch);
  constructor(optimizer: Optimizer, step_size: number, options?: { gamma?: number } & LastEpoch);
  constructor(optimizer: Optimizer, step_size: number, gamma: number, last_epoch?: number | LastEpoch);
  constructor(...args: unknown[]) {
    const [optimizer, size, gamma, last] = STEP.bind(args) as [Optimizer, number, number, number];
    super(optimizer, last);
    this.step_size = size;
    this.gamma = gamma;
    this._initial_step();
  }

  override get_lr(): number[] {
    this.insideStep();
    const due = this.last_epoch !== 0 && this.last_epoch % this.step_size === 0;
    return due ? this.times(this.gamma) : this.rates();
  }

  override _get_closed_form_lr(): number[] {
    return this.base_lrs.map((rate) => rate * this.gamma ** Math.floor(this.last_epoch / this.step_size));
  }
}

const MULTI = Signature.of('MultiStepLR.__init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1)');

/** At every milestone, the rate is multiplied by gamma (0.1). */
export class MultiStepLR extends LRScheduler {
  /** How often each epoch was given: Python's Counter. */
  milestones: Map<number, number>;
  gamma: number;

  constructor(optimizer: Optimizer, options: { milestones: Iterable<number>; gamma?: number } & LastEpoch);
  constructor(optimizer: Optimizer, milestones: Iterable<number>, options?: { gamma?: number } & LastEpoch);
  constructor(optimizer: Optimizer, milestones: Iterable<number>, gamma: number, last_epoch?: number | LastEpoch);
  constructor(...args: unknown[]) {
    const [optimizer, milestones, gamma, last] = MULTI.bind(args) as [Optimizer, Iterable<number>, number, number];
    super(optimizer, last);
    this.milestones = counted(milestones);
    this.gamma = gamma;
    this._initial_step();
  }

  override get_lr(): number[] {
    this.insideStep();
    const times = this.milestones.get(this.last_epoch);
    return times === undefined ? this.rates() : this.times(this.gamma ** times);
  }

  override _get_closed_form_lr(): number[] {
    let times = 0;
    for (const [epoch, count] of this.milestones) if (epoch <= this.last_epoch) times += count;
    return this.base_lrs.map((rate) => rate * this.gamma ** times);
  }

  /** Takes milestones as they are here, or as a plain object. */
  override load_state_dict(state_dict: Readonly<SchedulerState>): void {
    super.load_state_dict(state_dict);
    const given: unknown = this.milestones;
    const entries = given instanceof Map ? [...given] : Object.entries(given as object);
    this.milestones = new Map(entries.map(([epoch, count]) => [Number(epoch), Number(count)]));
  }
}

function counted(values: Iterable<number>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

const CONSTANT = Signature.of(`ConstantLR.__init__(self, optimizer, factor=${1 / 3}, total_iters=5, last_epoch=-1)`);

/** The rate is multiplied by `factor` (1/3) for the first `total_iters` (5) epochs. */
export class ConstantLR extends LRScheduler {
  factor: number;
  total_iters: number;

  constructor(optimizer: Optimizer, options?: { factor?: number; total_iters?: number } & LastEpoch);
  constructor(optimizer: Optimizer, factor: number, options?: { total_iters?: number } & LastEpoch);
  constructor(optimizer: Optimizer, factor: number, total_iters: number, last_epoch?: number | LastEpoch);
  constructor(...args: unknown[]) {
    const [optimizer, factor, total, last] = CONSTANT.bind(args) as [Optimizer, number, number, number];
    if (factor > 1 || factor < 0) {
      throw new ValueError('Constant multiplicative factor expected to be between 0 and 1.');
    }
    super(optimizer, last);
    this.factor = factor;
    this.total_iters = total;
    this._initial_step();
  }

  override get_lr(): number[] {
    this.insideStep();
    if (this.last_epoch === 0) return this.times(this.factor);
    return this.last_epoch === this.total_iters ? this.times(1 / this.factor) : this.rates();
  }

  override _get_closed_form_lr(): number[] {
    const over = this.last_epoch >= this.total_iters ? 1 : 0;
    return this.base_lrs.map((rate) => rate * (this.factor + over * (1 - this.factor)));
  }
}

const LINEAR = Signature.of(
  `LinearLR.__init__(self, optimizer, start_factor=${1 / 3}, end_factor=1.0, total_iters=5, last_epoch=-1)`,
);

/** The rate's factor goes from `start_factor` (1/3) to `end_factor` (1) in `total_iters` (5) epochs. */
export class LinearLR extends LRScheduler {
  start_factor: number;
  end_factor: number;
  total_iters: number;

  constructor(
    optimizer: Optimizer,
    options?: { start_factor?: number; end_factor?: number; total_iters?: number } & LastEpoch,
  );
  constructor(
    optimizer: Optimizer,
    start_factor: number,
    options?: { end_factor?: number; total_iters?: number } & LastEpoch,
  );
  constructor(
    optimizer: Optimizer,
    start_factor: number,
    end_factor: number,
    total_iters?: number | ({ total_iters?: number } & LastEpoch),
    last_epoch?: number | LastEpoch,
  );
  constructor(...args: unknown[]) {
    const [optimizer, start, end, total, last] = LINEAR.bind(args) as [Optimizer, ...number[]];
    if (start > 1 || start <= 0) {
      throw new ValueError('Starting multiplicative factor expected to be greater than 0 and less or equal to 1.');
    }
    if (end > 1 || end < 0) {
      throw new ValueError('Ending multiplicative factor expected to be between 0 and 1.');
    }
    super(optimizer, last);
    this.start_factor = start;
    this.end_factor = end;
    this.total_iters = total;
    this._initial_step();
  }

  override get_lr(): number[] {
    this.insideStep();
    const { last_epoch: epoch, start_factor: start, end_factor: end, total_iters: total } = this;
    if (epoch === 0) return this.times(start);
    if (this._is_initial || epoch > total) return this.rates();
    return this.times(1 + (end - start) / (total * start + (epoch - 1) * (end - start)));
  }

  override _get_closed_form_lr(): number[] {
    const { last_epoch: epoch, start_factor: start, end_factor: end, total_iters: total } = this;
    return this.base_lrs.map((rate) => rate * (start + ((end - start) * Math.min(total, epoch)) / total));
  }
}

const EXPONENTIAL = Signature.of('ExponentialLR.__init__(self, optimizer, gamma, last_epoch=-1)');

/** Every epoch, the rate is multiplied by gamma. */
export class ExponentialLR extends LRScheduler {
  gamma: number;

  constructor(optimizer: Optimizer, options: { gamma: number } & LastEpoch);
  constructor(optimizer: Optimizer, gamma: number, options?: LastEpoch | number);
  constructor(...args: unknown[]) {
    const [optimizer, gamma, last] = EXPONENTIAL.bind(args) as [Optimizer, number, number];
    super(optimizer, last);
    this.gamma = gamma;
    this._initial_step();
  }

  override get_lr(): number[] {
    this.insideStep();
    return this._is_initial ? this.rates() : this.times(this.gamma);
  }

  override _get_closed_form_lr(): number[] {
    return this.base_lrs.map((rate) => rate * this.gamma ** this.last_epoch);
  }
}

const POLYNOMIAL = Signature.of('PolynomialLR.__init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1)');

/** The rate falls to 0 in `total_iters` (5) epochs, as a power (1) of what is left. */
export class PolynomialLR extends LRScheduler {
  total_iters: number;
  power: number;

  constructor(optimizer: Optimizer, options?: { total_iters?: number; power?: number } & LastEpoch);
  constructor(optimizer: Optimizer, total_iters: number, options?: { power?: number } & LastEpoch);
  constructor(optimizer: Optimizer, total_iters: number, power: number, last_epoch?: number | LastEpoch);
  constructor(...args: unknown[]) {
    const [optimizer, total, power, last] = POLYNOMIAL.bind(args) as [Optimizer, number, number, number];
    super(optimizer, last);
    this.total_iters = total;
    this.power = power;
    this._initial_step();
  }

  override get_lr(): number[] {
    this.insideStep();
    const { last_epoch: epoch, total_iters: total } = this;
    if (this._is_initial || epoch > total) return this.rates();
    const factor = ((1 - epoch / total) / (1 - (epoch - 1) / total)) ** this.power;
    return this.times(factor);
  }

  override _get_closed_form_lr(): number[] {
    const { last_epoch: epoch, total_iters: total } = this;
    return this.base_lrs.map((rate) => rate * (1 - Math.min(total, epoch) / total) ** this.power);
  }
}
