/** `optim.lr_scheduler.ReduceLROnPlateau`: smaller rates when a figure no longer gets better. */
import { RuntimeError, ValueError } from '../core/errors.ts';
import { Signature } from '../nn/signature.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Optimizer } from './optimizer.ts';
import { numberOf, rateOf } from './options.ts';
import { LRScheduler, type PerGroup, type SchedulerState, setRate, warnOfEpoch } from './scheduler.ts';

export interface ReduceLROnPlateauOptions {
  /** Whether less is better (default) or more. */
  mode?: 'min' | 'max';
  /** What rates are multiplied by. Default: 0.1. */
  factor?: number;
  /** How many epochs without progress are allowed. Default: 10. */
  patience?: number;
  /** What counts as progress. Default: 1e-4. */
  threshold?: number;
  /** Whether the threshold is relative to the best figure (default) or absolute. */
  threshold_mode?: 'rel' | 'abs';
  /** Epochs after a reduction that don't count. Default: 0. */
  cooldown?: number;
  /** The least rate. Default: 0. */
  min_lr?: PerGroup<number>;
  /** Changes up to this are not made. Default: 1e-8. */
  eps?: number;
}

const INIT = Signature.of(
  "ReduceLROnPlateau.__init__(self, optimizer, mode='min', factor=0.1, patience=10, threshold=0.0001, threshold_mode='rel', cooldown=0, min_lr=0, eps=1e-08)",
);
const STEP = Signature.of('ReduceLROnPlateau.step(self, metrics, epoch=None)');

/** Multiplies the rates by `factor` (0.1) when a figure has not got better for more than `patience` (10) epochs. */
export class ReduceLROnPlateau extends LRScheduler {
  declare factor: number;
  declare default_min_lr: number | null;
  declare min_lrs: number[];
  declare patience: number;
  declare cooldown: number;
  declare eps: number;
  declare mode_worse: number;
  declare mode: 'min' | 'max';
  declare threshold: number;
  declare threshold_mode: 'rel' | 'abs';
  declare best: number;
  declare cooldown_counter: number;
  declare num_bad_epochs: number;

  constructor(optimizer: Optimizer, options?: ReduceLROnPlateauOptions);
  constructor(optimizer: Optimizer, mode: 'min' | 'max', options?: ReduceLROnPlateauOptions);
  constructor(optimizer: Optimizer, mode: 'min' | 'max', factor: number, options?: ReduceLROnPlateauOptions);
  constructor(
    optimizer: Optimizer,
    mode: 'min' | 'max',
    factor: number,
    patience: number,
    options?: ReduceLROnPlateauOptions,
  );
  constructor(...args: unknown[]) {
    const [optimizer, mode, factor, patience, threshold, thresholdMode, cooldown, least, eps] = INIT.bind(args) as [
      Optimizer,
      'min' | 'max',
      number,
      number,
      number,
      'rel' | 'abs',
      number,
      PerGroup<number>,
      number,
    ];
    if (factor >= 1) throw new ValueError('Factor should be < 1.0.');
    super(optimizer, null);
    const count = optimizer.param_groups.length;
    this.factor = factor;
    if (typeof least === 'number') {
      this.default_min_lr = least;
      this.min_lrs = new Array<number>(count).fill(least);
    } else {
      if (least.length !== count) throw new ValueError(`expected ${count} min_lrs, got ${least.length}`);
      this.default_min_lr = null;
      this.min_lrs = [...least];
    }
    this.patience = patience;
    this.cooldown = cooldown;
    this.eps = eps;
    this.last_epoch = 0;
    this._last_lr = this.rates();
    this.setMode(mode, threshold, thresholdMode);
    this._reset();
  }

  private setMode(mode: 'min' | 'max', threshold: number, thresholdMode: 'rel' | 'abs'): void {
    if (mode !== 'min' && mode !== 'max') throw new ValueError(`mode ${String(mode)} is unknown!`);
    if (thresholdMode !== 'rel' && thresholdMode !== 'abs') {
      throw new ValueError(`threshold mode ${String(thresholdMode)} is unknown!`);
    }
    this.mode_worse = mode === 'min' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    this.mode = mode;
    this.threshold = threshold;
    this.threshold_mode = thresholdMode;
  }

  /** Forgets the best figure, and the epochs without progress. */
  _reset(): void {
    this.best = this.mode_worse;
    this.cooldown_counter = 0;
    this.num_bad_epochs = 0;
  }

  /** An epoch is over. @param metrics the figure that should get better: a number, or a tensor of one element */
  override step(metrics?: number | Tensor | null, epoch?: number | null): void;
  override step(...args: unknown[]): void {
    const [metrics, epoch] = STEP.bind(args) as [number | Tensor, number | null];
    const current = numberOf(metrics);
    if (epoch !== null) warnOfEpoch();
    this.last_epoch = epoch ?? this.last_epoch + 1;
    if (this.better(current, this.best)) {
      this.best = current;
      this.num_bad_epochs = 0;
    } else this.num_bad_epochs++;
    if (this.in_cooldown) {
      this.cooldown_counter--;
      this.num_bad_epochs = 0;
    }
    if (this.num_bad_epochs > this.patience) {
      this.reduce();
      this.cooldown_counter = this.cooldown;
      this.num_bad_epochs = 0;
    }
    this._last_lr = this.rates();
  }

  private reduce(): void {
    const groups = this.optimizer.param_groups;
    if (groups.length !== this.min_lrs.length) {
      if (this.default_min_lr === null) {
        throw new RuntimeError(
          `The number of param groups in the \`optimizer\` (${groups.length}) differs from when \`ReduceLROnPlateau\` was initialized (${this.min_lrs.length}), usually due to a new param group being added to the optimizer. Please modify the \`min_lrs\` field to match the length of the \`optimizer\` param groups.`,
        );
      }
      this.min_lrs = new Array<number>(groups.length).fill(this.default_min_lr);
    }
    groups.forEach((group, i) => {
      const before = rateOf(group);
      const after = Math.max(before * this.factor, this.min_lrs[i]);
      if (before - after > this.eps) setRate(group, after);
    });
  }

  /** Whether epochs don't count, after a reduction. */
  get in_cooldown(): boolean {
    return this.cooldown_counter > 0;
  }

  private better(a: number, best: number): boolean {
    const { mode, threshold, threshold_mode } = this;
    if (threshold_mode === 'rel') return mode === 'min' ? a < best * (1 - threshold) : a > best * (threshold + 1);
    return mode === 'min' ? a < best - threshold : a > best + threshold;
  }

  override load_state_dict(state_dict: Readonly<SchedulerState>): void {
    super.load_state_dict(state_dict);
    this.setMode(this.mode, this.threshold, this.threshold_mode);
  }
}
