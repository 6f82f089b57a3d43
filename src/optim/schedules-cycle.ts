/** Schedulers that go up and down, and momentum against them: `CyclicLR`, `OneCycleLR`. */
import { ValueError } from '../core/errors.ts';
import { Signature } from '../nn/signature.ts';
import { pyRepr } from '../nn/text.ts';
import type { Optimizer, ParamGroup } from './optimizer.ts';
import {
  eachGroup,
  LRScheduler,
  type PerGroup,
  type SchedulerState,
  setMomentum,
  setRates,
  usesBeta1,
} from './scheduler.ts';
import type { LastEpoch } from './schedules-factor.ts';

export interface CyclicLROptions extends LastEpoch {
  /** Steps from the base rate to the largest. Default: 2000. */
  step_size_up?: number;
  /** Steps back. Default: as many. */
  step_size_down?: number | null;
  /** Whether the height stays, is halved with every cycle, or is gamma to the power of the step. Default: triangular. */
  mode?: 'triangular' | 'triangular2' | 'exp_range';
  gamma?: number;
  /** The height's factor as a function of the cycle or of the step, in place of `mode`. */
  scale_fn?: ((x: number) => number) | null;
  /** What `scale_fn` is given: the number of the cycle (default), or of the step. */
  scale_mode?: 'cycle' | 'iterations';
  /** Whether momentum goes the other way. Default: true. */
  cycle_momentum?: boolean;
  /** Default: 0.8. */
  base_momentum?: PerGroup<number>;
  /** Default: 0.9. */
  max_momentum?: PerGroup<number>;
}

const CYCLIC = Signature.of(
  "CyclicLR.__init__(self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode='triangular', gamma=1.0, scale_fn=None, scale_mode='cycle', cycle_momentum=True, base_momentum=0.8, max_momentum=0.9, last_epoch=-1)",
);

/** The groups' momentum at the beginning: the largest. */
function beginMomentum(optimizer: Optimizer, base: readonly number[], max: readonly number[], useBeta1: boolean): void {
  optimizer.param_groups.forEach((group, i) => {
    setMomentum(group, max[i], useBeta1);
    group['max_momentum'] = max[i];
    group['base_momentum'] = base[i];
  });
}

/** The rate goes from base_lr to max_lr and back, in cycles of steps (batches, not epochs). */
export class CyclicLR extends LRScheduler {
  declare max_lrs: number[];
  declare total_size: number;
  declare step_ratio: number;
  declare mode: 'triangular' | 'triangular2' | 'exp_range';
  declare gamma: number;
  declare scale_mode: 'cycle' | 'iterations';
  declare cycle_momentum: boolean;
  declare use_beta1?: boolean;
  declare base_momentums?: number[];
  declare max_momentums?: number[];
  declare private _scale_fn_custom: ((x: number) => number) | null;

  constructor(optimizer: Optimizer, options: { base_lr: PerGroup<number>; max_lr: PerGroup<number> } & CyclicLROptions);
  constructor(optimizer: Optimizer, base_lr: PerGroup<number>, max_lr: PerGroup<number>, options?: CyclicLROptions);
  constructor(...args: unknown[]) {
    const bound = CYCLIC.bind(args);
    const [optimizer, base, most, up, down, mode, gamma] = bound as [
      Optimizer,
      PerGroup<number>,
      PerGroup<number>,
      number,
      number | null,
      CyclicLR['mode'],
      number,
    ];
    const [scaleFn, scaleMode, cycles, baseMomentum, maxMomentum, last] = bound.slice(7) as [
      ((x: number) => number) | null,
      CyclicLR['scale_mode'],
      boolean,
      PerGroup<number>,
      PerGroup<number>,
      number,
    ];
    super(optimizer, null);
    const bases = eachGroup('base_lr', optimizer, base);
    if (last === -1) setRates(optimizer, bases);
    this.max_lrs = eachGroup('max_lr', optimizer, most);
    this.total_size = up + (down ?? up);
    this.step_ratio = up / this.total_size;
    if (!['triangular', 'triangular2', 'exp_range'].includes(mode) && scaleFn === null) {
      throw new ValueError('mode is invalid and scale_fn is None');
    }
    this.mode = mode;
    this.gamma = gamma;
    this._scale_fn_custom = scaleFn;
    this.scale_mode = scaleFn !== null ? scaleMode : mode === 'exp_range' ? 'iterations' : 'cycle';
    this.cycle_momentum = cycles;
    if (cycles) {
      this.use_beta1 = usesBeta1(optimizer);
      this.base_momentums = eachGroup('base_momentum', optimizer, baseMomentum);
      this.max_momentums = eachGroup('max_momentum', optimizer, maxMomentum);
      if (last === -1) beginMomentum(optimizer, this.base_momentums, this.max_momentums, this.use_beta1);
    }
    this.attach(last);
    this._initial_step();
    this.base_lrs = bases;
  }

  /** The factor of a cycle's height. */
  scale_fn(x: number): number {
    if (this._scale_fn_custom !== null) return this._scale_fn_custom(x);
    if (this.mode === 'triangular') return 1;
    return this.mode === 'triangular2' ? 1 / 2 ** (x - 1) : this.gamma ** x;
  }

  override get_lr(): number[] {
    this.insideStep();
    const cycle = Math.floor(1 + this.last_epoch / this.total_size);
    const x = 1 + this.last_epoch / this.total_size - cycle;
    const height = x <= this.step_ratio ? x / this.step_ratio : (x - 1) / (this.step_ratio - 1);
    const scale = this.scale_fn(this.scale_mode === 'cycle' ? cycle : this.last_epoch);
    if (this.cycle_momentum) {
      this.optimizer.param_groups.forEach((group, i) => {
        const [least, most] = [this.base_momentums![i], this.max_momentums![i]];
        setMomentum(group, most - (most - least) * height * scale, this.use_beta1!);
      });
    }
    return this.base_lrs.map((base, i) => base + (this.max_lrs[i] - base) * height * scale);
  }

  /** A function of your own is not saved. */
  override state_dict(): SchedulerState {
    return { ...super.state_dict(), _scale_fn_custom: null };
  }

  override load_state_dict(state_dict: Readonly<SchedulerState>): void {
    const { _scale_fn_custom: _function, ...rest } = state_dict;
    super.load_state_dict(rest);
  }
}

export interface OneCycleLROptions extends LastEpoch {
  /** How many steps the cycle has; or `epochs` and `steps_per_epoch`. */
  total_steps?: number | null;
  epochs?: number | null;
  steps_per_epoch?: number | null;
  /** The part of the cycle that goes up. Default: 0.3. */
  pct_start?: number;
  /** Default: cos. */
  anneal_strategy?: 'cos' | 'linear';
  /** Whether momentum goes the other way. Default: true. */
  cycle_momentum?: boolean;
  /** Default: 0.85. */
  base_momentum?: PerGroup<number>;
  /** Default: 0.95. */
  max_momentum?: PerGroup<number>;
  /** The first rate is max_lr divided by this. Default: 25. */
  div_factor?: number;
  /** The last rate is the first divided by this. Default: 1e4. */
  final_div_factor?: number;
  /** Whether the rate goes back to the first one, and in a third phase to the last. */
  three_phase?: boolean;
}

interface Phase {
  end_step: number;
  start_lr: string;
  end_lr: string;
  start_momentum: string;
  end_momentum: string;
}

const ONE_CYCLE = Signature.of(
  "OneCycleLR.__init__(self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3, anneal_strategy='cos', cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0, final_div_factor=10000.0, three_phase=False, last_epoch=-1)",
);

function stepsOf(total: number | null, epochs: number | null, perEpoch: number | null): number {
  const positive = (value: number, name: string): number => {
    if (value > 0 && Number.isInteger(value)) return value;
    throw new ValueError(`Expected positive integer ${name}, but got ${pyRepr(value)}`);
  };
  if (total !== null) return positive(total, 'total_steps');
  if (epochs === null || perEpoch === null) {
    throw new ValueError('You must define either total_steps OR (epochs AND steps_per_epoch)');
  }
  return positive(epochs, 'epochs') * positive(perEpoch, 'steps_per_epoch');
}

function phase(end_step: number, lr: [string, string], momentum: [string, string]): Phase {
  return {
    end_step,
    start_lr: lr[0],
    end_lr: lr[1],
    start_momentum: momentum[0],
    end_momentum: momentum[1],
  };
}

/** The rate goes from a small one up to max_lr, and down to a very small one, in one cycle of steps (batches, not epochs). */
export class OneCycleLR extends LRScheduler {
  declare total_steps: number;
  declare cycle_momentum: boolean;
  declare use_beta1?: boolean;
  declare private _schedule_phases: Phase[];
  declare private _anneal_func_type: 'cos' | 'linear';

  constructor(optimizer: Optimizer, options: { max_lr: PerGroup<number> } & OneCycleLROptions);
  constructor(optimizer: Optimizer, max_lr: PerGroup<number>, options?: OneCycleLROptions);
  constructor(optimizer: Optimizer, max_lr: PerGroup<number>, total_steps: number | null, options?: OneCycleLROptions);
  constructor(...args: unknown[]) {
    const bound = ONE_CYCLE.bind(args);
    const [optimizer, max, total, epochs, perEpoch, start, strategy, cycles] = bound as [
      Optimizer,
      PerGroup<number>,
      number | null,
      number | null,
      number | null,
      number,
      'cos' | 'linear',
      boolean,
    ];
    const [baseMomentum, maxMomentum, div, finalDiv, threePhase, last] = bound.slice(8) as [
      PerGroup<number>,
      PerGroup<number>,
      number,
      number,
      boolean,
      number,
    ];
    super(optimizer, null);
    const steps = stepsOf(total, epochs, perEpoch);
    this.total_steps = steps;
    const up: [string, string] = ['initial_lr', 'max_lr'];
    const down: [string, string] = ['max_momentum', 'base_momentum'];
    const back: [string, string] = ['base_momentum', 'max_momentum'];
    this._schedule_phases = threePhase
      ? [
          phase(start * steps - 1, up, down),
          phase(2 * start * steps - 2, ['max_lr', 'initial_lr'], back),
          phase(steps - 1, ['initial_lr', 'min_lr'], ['max_momentum', 'max_momentum']),
        ]
      : [phase(start * steps - 1, up, down), phase(steps - 1, ['max_lr', 'min_lr'], back)];
    if (!(start >= 0 && start <= 1)) {
      throw new ValueError(`Expected float between 0 and 1 pct_start, but got ${pyRepr(start)}`);
    }
    if (strategy !== 'cos' && strategy !== 'linear') {
      throw new ValueError(`anneal_strategy must be one of 'cos' or 'linear', instead got ${String(strategy)}`);
    }
    this._anneal_func_type = strategy;
    const rates = eachGroup('max_lr', optimizer, max);
    if (last === -1) {
      optimizer.param_groups.forEach((group, i) => {
        group['initial_lr'] = rates[i] / div;
        group['max_lr'] = rates[i];
        group['min_lr'] = rates[i] / div / finalDiv;
      });
    }
    this.cycle_momentum = cycles;
    if (cycles) {
      this.use_beta1 = usesBeta1(optimizer);
      const most = eachGroup('max_momentum', optimizer, maxMomentum);
      const least = eachGroup('base_momentum', optimizer, baseMomentum);
      if (last === -1) beginMomentum(optimizer, least, most, this.use_beta1);
    }
    this.attach(last);
    this._initial_step();
  }

  override get_lr(): number[] {
    this.insideStep();
    const step = this.last_epoch;
    if (step > this.total_steps) {
      throw new ValueError(`Tried to step ${step} times. The specified number of total steps is ${this.total_steps}`);
    }
    return this.optimizer.param_groups.map((group) => {
      let begin = 0;
      const phases = this._schedule_phases;
      let at = 0;
      while (at < phases.length - 1 && step > phases[at].end_step) begin = phases[at++].end_step;
      const { end_step, start_lr, end_lr, start_momentum, end_momentum } = phases[at];
      const part = (step - begin) / (end_step - begin);
      if (this.cycle_momentum) {
        setMomentum(group, this.between(group, start_momentum, end_momentum, part), this.use_beta1!);
      }
      return this.between(group, start_lr, end_lr, part);
    });
  }

  private between(group: ParamGroup, from: string, to: string, part: number): number {
    const [start, end] = [group[from] as number, group[to] as number];
    if (this._anneal_func_type === 'linear') return (end - start) * part + start;
    return end + ((start - end) / 2) * (Math.cos(Math.PI * part) + 1);
  }
}
