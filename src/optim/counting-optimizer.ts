/** Optimizers that count the steps of each parameter: made from a `Rule`, one launch for all parameters of a group that go together. */
import { float32 } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { warn } from '../core/warn.ts';
import { isCurrentStreamCapturing } from '../devices/graph.ts';
import { recording } from '../devices/recording.ts';
import { bumpVersion } from '../autograd/views.ts';
import { Tensor } from '../tensor/tensor.ts';
import { advanceOnDevice, CountedState, countsOf } from './counted-state.ts';
import { Optimizer, type ParamGroup, type ParamsInput } from './optimizer.ts';
import { rateOf } from './options.ts';
import type { CompiledRule, Rule, RuleSet } from './rule.ts';
import { checkFits, newState, type ParamState } from './state.ts';
import { stepBatch } from './step-batch.ts';

// Of the group that is being updated.
const numbers: number[] = [];
const scalars: number[] = [];
const outputs: Tensor[] = [];
const inputs: Tensor[] = [];
const NOTHING = null as unknown as Tensor;

export abstract class CountingOptimizer extends Optimizer {
  readonly #rules: RuleSet;
  #warned = false;

  constructor(rules: RuleSet, params: ParamsInput, defaults: Readonly<Record<string, unknown>>) {
    super(params, defaults);
    this.#rules = rules;
  }

  /** @throws RuntimeError where a graph is captured that would repeat one step for ever */
  protected override beforeStep(): void {
    if (!('capturable' in this.defaults)) return;
    const capturing = isCurrentStreamCapturing();
    const capturable = this.param_groups.every((group) => group['capturable']);
    if (capturing && !capturable) {
      throw new RuntimeError(
        `Attempting MTIA graph capture of step() for an instance of ${this.constructor.name} but param_groups' capturable is False.`,
      );
    }
    if (this.#warned || capturing || !capturable) return;
    this.#warned = true;
    warn(
      'This instance was constructed with capturable=True or some of all the param_groups came with capturable=True, but step() is running without MTIA graph capture. If you never intend to graph-capture this instance, capturable=True can impair performance, and you should set capturable=False.',
    );
  }

  protected override updateGroup(group: ParamGroup): void {
    const { rule } = this.#rules;
    const capturable = Boolean(group['capturable']);
    const { lr } = group;
    const rate =
      capturable && lr instanceof Tensor && lr.dtype === float32 && lr.sizes.length === 0 && !lr.is_cpu ? lr : null;
    const flags = rule.flags(group);
    const count = rule.numbers(group, numbers);
    const compiled = this.#rules.get(flags, count, capturable, rate !== null);
    for (let i = 0; i < count; i++) scalars[i] = numbers[i];
    numbers[count] = rate === null ? rateOf(group) : 0;
    numbers.length = count + 1;
    try {
      this.updateAll(group, compiled, rate);
    } finally {
      stepBatch.flush();
      // What stands here would keep its storage alive.
      outputs.fill(NOTHING);
      inputs.fill(NOTHING);
    }
  }

  private updateAll(group: ParamGroup, compiled: CompiledRule, rate: Tensor | null): void {
    const { rule } = this.#rules;
    const capturable = Boolean(group['capturable']);
    let live: LiveNumbers | null = null;
    let last: number[] | null = null;
    let next: number[] = [];
    for (const param of group.params) {
      const grad = param.gradient;
      if (grad === null) continue;
      checkFits(param, grad, 'the gradient');
      const kept = this.stateOf(param, group, compiled);
      let values: Tensor[] | null = null;
      if (capturable) {
        const counters = kept.onDeviceOf(rule, param);
        values = advanceOnDevice(compiled, counters, rate, numbers, param.dtype);
        for (const counter of counters) bumpVersion(counter);
      } else {
        if (kept.placed !== null) kept.takeBack();
        const { counts } = kept;
        // Parameters have mostly the same counts.
        if (last !== null && sameNumbers(counts, last)) {
          for (let i = 0; i < counts.length; i++) counts[i] = next[i];
        } else {
          last = counts.slice();
          // Those that wait have other values.
          stepBatch.flush();
          compiled.advance(counts, numbers, scalars);
          next = counts.slice();
        }
      }
      if (recording !== null && values === null) {
        live ??= new LiveNumbers(rule, group, compiled);
        const source = live;
        recording.numbers(() => source.advance(kept.counts));
      }
      this.launch(compiled, param, grad, kept, values);
    }
  }

  override rateIsLive(group: ParamGroup): boolean {
    return !group['capturable'];
  }

  private launch(
    compiled: CompiledRule,
    param: Tensor,
    grad: Tensor,
    kept: CountedState,
    values: Tensor[] | null,
  ): void {
    const { states } = compiled;
    const count = states.length + 1;
    outputs[0] = inputs[0] = param;
    for (let i = 1; i < count; i++) {
      const state = (kept as unknown as ParamState)[states[i - 1]] as Tensor;
      checkFits(param, state, states[i - 1]);
      outputs[i] = inputs[i] = state;
    }
    inputs[count] = grad;
    // Arrays that were emptied would be made anew.
    if (outputs.length !== count) outputs.length = count;
    const inputCount = count + 1 + (values === null ? 0 : values.length);
    if (inputs.length !== inputCount) inputs.length = inputCount;
    const kernel = compiled.updateKernel(param.dtype);
    if (values === null) stepBatch.add(kernel, outputs, inputs, scalars);
    else {
      for (let i = 0; i < values.length; i++) inputs[count + 1 + i] = values[i];
      try {
        kernel.launchMany(outputs, inputs, scalars);
      } finally {
        for (const { storage } of values) storage.freeNow();
      }
    }
    for (let i = 0; i < count; i++) bumpVersion(outputs[i]);
  }

  /** What is kept for the parameter, made before its first step. */
  protected stateOf(param: Tensor, group: ParamGroup, { states }: CompiledRule): CountedState {
    const { rule } = this.#rules;
    let kept = this.state.get(param) as CountedState | undefined;
    if (kept === undefined) {
      kept = new CountedState(rule, param, rule.begin(rateOf(group)));
      if (group['capturable']) kept.place(rule, param);
      this.state.set(param, kept as unknown as ParamState);
    }
    const tensors = kept as unknown as ParamState;
    for (const name of states) {
      tensors[name] ??= newState(param, rule.initial?.(name, group, rateOf(group)) ?? 0);
    }
    return kept;
  }

  /** Makes the state of all parameters now: for optimizers whose state dict has it before the first step. */
  protected makeStates(): void {
    for (const group of this.param_groups) {
      const flags = this.#rules.rule.flags(group);
      const compiled = this.#rules.get(flags, this.#rules.rule.numbers(group, numbers), false, false);
      for (const param of group.params) this.stateOf(param, group, compiled);
    }
  }

  protected override afterLoad(): void {
    const { rule } = this.#rules;
    for (const group of this.param_groups) {
      if (!group['capturable']) continue;
      for (const param of group.params) (this.state.get(param) as CountedState | undefined)?.place(rule, param);
    }
  }

  protected override get counters(): readonly string[] {
    return this.#rules.rule.counters;
  }

  protected override restoreState(loaded: ParamState, param: Tensor): ParamState {
    const { rule } = this.#rules;
    const kept = new CountedState(rule, param, countsOf(rule, loaded)) as unknown as ParamState;
    for (const [name, value] of Object.entries(loaded)) if (!rule.counters.includes(name)) kept[name] = value;
    return kept;
  }
}

/** The numbers of updates that a compiled function makes: those of the group as they are then, and of the next step. */
class LiveNumbers {
  private readonly group: number[] = [];
  private readonly last: number[] = [];
  private counts: readonly number[] = [];
  private next: readonly number[] = [];
  private readonly scalars: number[] = [];

  constructor(
    private readonly rule: Rule,
    private readonly options: ParamGroup,
    private readonly compiled: CompiledRule,
  ) {}

  /** Counts a step, and gives the numbers of its update. */
  advance(counts: number[]): readonly number[] {
    const { group, last } = this;
    const count = this.rule.numbers(this.options, group);
    group[count] = rateOf(this.options);
    group.length = count + 1;
    // Parameters have mostly the same counts.
    if (sameNumbers(group, last) && counts.length === this.counts.length && sameNumbers(counts, this.counts)) {
      for (let i = 0; i < counts.length; i++) counts[i] = this.next[i];
      return this.scalars;
    }
    this.counts = counts.slice();
    for (let i = 0; i < group.length; i++) last[i] = group[i];
    for (let i = 0; i < count; i++) this.scalars[i] = group[i];
    this.compiled.advance(counts, group, this.scalars);
    this.next = counts.slice();
    return this.scalars;
  }
}

function sameNumbers(a: readonly number[], b: readonly number[]): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
