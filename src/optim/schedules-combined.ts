/** Schedulers of schedulers: `SequentialLR`, one after another; `ChainedScheduler`, all at once. */
import { ValueError } from '../core/errors.ts';
import { Signature } from '../nn/signature.ts';
import { Optimizer } from './optimizer.ts';
import { numberOf, rateOf } from './options.ts';
import { LRScheduler, type SchedulerState, setRate } from './scheduler.ts';
import { ReduceLROnPlateau } from './plateau.ts';
import type { LastEpoch } from './schedules-factor.ts';

function checkAll(name: string, schedulers: readonly LRScheduler[], optimizer: Optimizer): void {
  schedulers.forEach((scheduler, i) => {
    if (!(scheduler?.optimizer instanceof Optimizer)) {
      throw new TypeError(`${name} at index ${i} should have \`optimizer\` as its attribute.`);
    }
    if (scheduler instanceof ReduceLROnPlateau) {
      throw new ValueError(
        `${name} does not support \`ReduceLROnPlateau\` scheduler as it requires additional kwargs to be specified when calling \`step\`, but got one at index ${i} in the given schedulers sequence.`,
      );
    }
    if (scheduler.optimizer !== optimizer) {
      throw new ValueError(
        `${name} expects all schedulers to belong to the same optimizer, but got scheduler ${scheduler.constructor.name} at index ${i} has ${String(scheduler.optimizer)}, which is different from ${optimizer.constructor.name}.`,
      );
    }
  });
}

/** Saves and loads the schedulers with it. */
abstract class Combined extends LRScheduler {
  declare _schedulers: LRScheduler[];

  override state_dict(): SchedulerState {
    return { ...super.state_dict(), _schedulers: this._schedulers.map((scheduler) => scheduler.state_dict()) };
  }

  override load_state_dict(state_dict: Readonly<SchedulerState>): void {
    const { _schedulers, ...rest } = state_dict;
    super.load_state_dict(rest);
    (_schedulers as SchedulerState[]).forEach((state, i) => {
      this._schedulers[i].load_state_dict(state);
    });
  }
}

const SEQUENTIAL = Signature.of('SequentialLR.__init__(self, optimizer, schedulers, milestones, last_epoch=-1)');

/** One scheduler until a milestone (an epoch), and then the next. */
export class SequentialLR extends Combined {
  declare _milestones: readonly number[];

  constructor(
    optimizer: Optimizer,
    options: { schedulers: readonly LRScheduler[]; milestones: readonly number[] } & LastEpoch,
  );
  constructor(
    optimizer: Optimizer,
    schedulers: readonly LRScheduler[],
    milestones: readonly number[],
    options?: LastEpoch | number,
  );
  constructor(optimizer: Optimizer, schedulers: readonly LRScheduler[], options: { milestones: readonly number[] });
  constructor(...args: unknown[]) {
    const [optimizer, schedulers, milestones, last] = SEQUENTIAL.bind(args) as [
      Optimizer,
      LRScheduler[],
      number[],
      number,
    ];
    super(optimizer, null);
    const { name } = this.constructor;
    if (schedulers.length < 1) throw new ValueError(`${name} expects at least one scheduler, but got no scheduler.`);
    checkAll(name, schedulers, optimizer);
    if (milestones.length !== schedulers.length - 1) {
      throw new ValueError(
        `Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone points, but got number of schedulers ${schedulers.length} and the number of milestones to be equal to ${milestones.length}`,
      );
    }
    this._schedulers = [...schedulers];
    this._milestones = [...milestones];
    this.last_epoch = last + 1;
    // All have done their first step, each on what the one before had left.
    for (const group of optimizer.param_groups) setRate(group, numberOf(group['initial_lr']));
    this.recursive_undo();
    const first = this._schedulers[this.current(0)];
    first._initial_step();
    this._last_lr = first.get_last_lr();
  }

  /** Takes back the first step of the schedulers, and of those that they are made of. */
  recursive_undo(scheduler: LRScheduler | null = null): void {
    const at = scheduler ?? this;
    if (at instanceof Combined) for (const each of at._schedulers) this.recursive_undo(each);
    else at.last_epoch--;
  }

  override step(): void {
    this.last_epoch++;
    const at = this.current(this.last_epoch);
    const scheduler = this._schedulers[at];
    if (at > 0 && this._milestones[at - 1] === this.last_epoch) scheduler._update_lr(0);
    else scheduler.step();
    this._last_lr = scheduler.get_last_lr();
  }

  /** Which scheduler an epoch has. */
  private current(epoch: number): number {
    let at = 0;
    while (at < this._milestones.length && this._milestones[at] <= epoch) at++;
    return at;
  }
}

const CHAINED = Signature.of('ChainedScheduler.__init__(self, schedulers, optimizer=None)');

/** Several schedulers, all of which change the rates at every step. */
export class ChainedScheduler extends Combined {
  constructor(schedulers: readonly LRScheduler[], optimizer?: Optimizer | null);
  constructor(schedulers: readonly LRScheduler[], options: { optimizer?: Optimizer | null });
  constructor(...args: unknown[]) {
    const [schedulers, given] = CHAINED.bind(args) as [LRScheduler[], Optimizer | null];
    if (schedulers.length < 1) {
      throw new ValueError('ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.');
    }
    const optimizer = given ?? schedulers[0].optimizer;
    checkAll('ChainedScheduler', schedulers, optimizer);
    super(optimizer, null);
    this._schedulers = [...schedulers];
    this._last_lr = optimizer.param_groups.map(rateOf);
  }

  override step(): void {
    for (const scheduler of this._schedulers) scheduler.step();
    this._last_lr = this.rates();
  }
}
