/** Schedulers along a cosine: `CosineAnnealingLR`, and `CosineAnnealingWarmRestarts`. */
import { ValueError } from '../core/errors.ts';
import { Signature } from '../nn/signature.ts';
import { pyRepr, pyStr, pyTypeName } from '../nn/text.ts';
import type { Optimizer } from './optimizer.ts';
import { rateOf } from './options.ts';
import { LRScheduler, setRates } from './scheduler.ts';
import type { LastEpoch } from './schedules-factor.ts';

const COSINE = Signature.of('CosineAnnealingLR.__init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1)');

/** Half a wave of a cosine from the first rate to eta_min (0) in T_max epochs, and back. */
export class CosineAnnealingLR extends LRScheduler {
  T_max: number;
  eta_min: number;

  constructor(optimizer: Optimizer, options: { T_max: number; eta_min?: number } & LastEpoch);
  constructor(optimizer: Optimizer, T_max: number, options?: { eta_min?: number } & LastEpoch);
  constructor(optimizer: Optimizer, T_max: number, eta_min: number, last_epoch?: number | LastEpoch);
  constructor(...args: unknown[]) {
    const [optimizer, length, least, last] = COSINE.bind(args) as [Optimizer, number, number, number];
    super(optimizer, last);
    this.T_max = length;
    this.eta_min = least;
    this._initial_step();
  }

  override get_lr(): number[] {
    this.insideStep();
    const { last_epoch: epoch, T_max: length, eta_min: least } = this;
    if (this._is_initial) return this.rates();
    if (this._step_count === 1 && epoch > 0) return this._get_closed_form_lr();
    const wave = (at: number) => 1 + Math.cos((Math.PI * at) / length);
    return this.optimizer.param_groups.map((group, i) => {
      const rate = rateOf(group);
      // From the lowest point the recursion would start with 0 / 0.
      if ((epoch - 1 - length) % (2 * length) === 0) {
        return rate + ((this.base_lrs[i] - least) * (1 - Math.cos(Math.PI / length))) / 2;
      }
      return (wave(epoch) / wave(epoch - 1)) * (rate - least) + least;
    });
  }

  override _get_closed_form_lr(): number[] {
    return this.base_lrs.map((rate) => cosine(rate, this.eta_min, this.last_epoch / this.T_max));
  }
}

/** From a rate to the least one, when a part of the way is done. */
function cosine(rate: number, least: number, part: number): number {
  return least + ((rate - least) * (1 + Math.cos(Math.PI * part))) / 2;
}

const WARM_STEP = Signature.of('CosineAnnealingWarmRestarts.step(self, epoch=None)');
const RESTARTS = Signature.of(
  'CosineAnnealingWarmRestarts.__init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1)',
);

/** Half a wave of a cosine from the first rate to eta_min (0), again and again, each T_mult (1) times as long. */
export class CosineAnnealingWarmRestarts extends LRScheduler {
  /** Epochs of the first wave. */
  T_0: number;
  /** Epochs of this wave. */
  T_i: number;
  T_mult: number;
  eta_min: number;
  /** Epochs since this wave began. */
  T_cur: number;

  constructor(optimizer: Optimizer, options: { T_0: number; T_mult?: number; eta_min?: number } & LastEpoch);
  constructor(optimizer: Optimizer, T_0: number, options?: { T_mult?: number; eta_min?: number } & LastEpoch);
  constructor(
    optimizer: Optimizer,
    T_0: number,
    T_mult: number,
    eta_min?: number | ({ eta_min?: number } & LastEpoch),
    last_epoch?: number | LastEpoch,
  );
  constructor(...args: unknown[]) {
    const [optimizer, first, times, least, last] = RESTARTS.bind(args) as [Optimizer, ...number[]];
    if (!(first > 0 && Number.isInteger(first))) {
      throw new ValueError(`Expected positive integer T_0, but got ${pyRepr(first)}`);
    }
    if (!(times >= 1 && Number.isInteger(times))) {
      throw new ValueError(`Expected integer T_mult >= 1, but got ${pyRepr(times)}`);
    }
    if (typeof least !== 'number') {
      throw new ValueError(
        `Expected float or int eta_min, but got ${pyStr(least)} of type <class '${pyTypeName(least)}'>`,
      );
    }
    super(optimizer, last);
    this.T_0 = first;
    this.T_i = first;
    this.T_mult = times;
    this.eta_min = least;
    this.T_cur = last;
    this._initial_step();
  }

  override get_lr(): number[] {
    this.insideStep();
    return this.base_lrs.map((rate) => cosine(rate, this.eta_min, this.T_cur / this.T_i));
  }

  /** @param epoch where the schedule goes on, also between epochs: `epoch + i / batches` after every batch */
  override step(epoch?: number | null): void;
  override step(...args: unknown[]): void {
    const [epoch] = WARM_STEP.bind(args) as [number | null];
    let at = epoch === null && this.last_epoch < 0 ? 0 : epoch;
    if (at === null) {
      at = this.last_epoch + 1;
      this.T_cur++;
      if (this.T_cur >= this.T_i) {
        this.T_cur %= this.T_i;
        this.T_i *= this.T_mult;
      }
    } else this.goTo(at);
    this.last_epoch = Math.floor(at);
    this._get_lr_called_within_step = true;
    try {
      setRates(this.optimizer, this.get_lr());
    } finally {
      this._get_lr_called_within_step = false;
    }
    this._last_lr = this.rates();
  }

  private goTo(epoch: number): void {
    const { T_0: first, T_mult: times } = this;
    if (epoch < 0) throw new ValueError(`Expected non-negative epoch, but got ${pyRepr(epoch)}`);
    if (epoch < first) {
      this.T_i = first;
      this.T_cur = epoch;
    } else if (times === 1) this.T_cur = epoch % first;
    else {
      const wave = Math.trunc(Math.log((epoch / first) * (times - 1) + 1) / Math.log(times));
      this.T_cur = epoch - (first * (times ** wave - 1)) / (times - 1);
      this.T_i = first * times ** wave;
    }
  }
}
