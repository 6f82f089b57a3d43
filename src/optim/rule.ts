/**
 * How an optimizer that counts its steps computes one: declared once as expressions, from which come the launch for each
 * parameter and, for what depends on the number of the step, either numbers on the host or a small launch before it.
 */
import { type DType, DTYPES, float32, float64 } from '../core/dtype.ts';
import * as e from '../kernels/expr.ts';
import type { Expr } from '../kernels/expr.ts';
import { MapKernel } from '../kernels/map.ts';
import { evaluate } from './evaluate.ts';
import type { ParamGroup } from './optimizer.ts';

/** A number of the group by its position in what `numbers` writes; never the learning rate. */
export type NumberAt = (position: number) => Expr;

/** What the expressions of an update are made of. */
export interface UpdateParts {
  readonly flags: number;
  readonly param: Expr;
  readonly grad: Expr;
  /** The tensors of the state, in the order of `states(flags)`. */
  readonly states: readonly Expr[];
  /** What `count` gives as values. */
  readonly values: readonly Expr[];
  readonly number: NumberAt;
}

/** What a step's number decides: the counters after the step, and the values that the update reads. */
export interface Counted {
  readonly next: readonly Expr[];
  readonly values: readonly Expr[];
}

export interface Rule {
  /** For profilers. */
  readonly name: string;
  /** Names of the counters, `step` first: numbers that a parameter keeps in float32. */
  readonly counters: readonly string[];
  /** Whether counters are shown on the parameter's device also where they are kept on the host. */
  readonly countersOnDevice?: boolean;
  /** What must be on a device that can capture, for the error. Default: `params and state_steps`. */
  readonly placed?: string;
  /** Options that shape the code, as bits below `FLAGS`. */
  flags(group: ParamGroup): number;
  /** Names of the tensors of the state. */
  states(flags: number): readonly string[];
  /** What a tensor of the state begins with. Default: 0. */
  initial?(state: string, group: ParamGroup, lr: number): number;
  /** What the counters begin with. */
  begin(lr: number): number[];
  /** Writes the group's numbers that the expressions read. Returns how many. */
  numbers(group: ParamGroup, to: number[]): number;
  /** From the counters before the step. */
  count(counters: readonly Expr[], lr: Expr, number: NumberAt, flags: number): Counted;
  /** The parameter and the states after the step. */
  update(parts: UpdateParts): { param: Expr; states: readonly Expr[] };
}

const FLAGS = 32;
const ON_DEVICE = FLAGS;
const RATE_ON_DEVICE = 2 * FLAGS;

/** A rule with what has been compiled of it. */
export class RuleSet {
  private readonly compiled: (CompiledRule | undefined)[] = new Array(4 * FLAGS);

  constructor(readonly rule: Rule) {}

  /**
   * @param numbers how many numbers the group has
   * @param onDevice whether what the step's number decides is read from the device
   * @param rateOnDevice whether the learning rate is read from the device, too
   */
  get(flags: number, numbers: number, onDevice: boolean, rateOnDevice: boolean): CompiledRule {
    const key = flags | (onDevice ? ON_DEVICE : 0) | (rateOnDevice ? RATE_ON_DEVICE : 0);
    return (this.compiled[key] ??= new CompiledRule(this.rule, flags, numbers, onDevice, rateOnDevice));
  }
}

/** A rule for one combination of options: its expressions, and its kernels by dtype. */
export class CompiledRule {
  readonly states: readonly string[];
  /** How many values the update reads. */
  readonly values: number;
  private readonly counted: Counted;
  private readonly updates: (MapKernel | undefined)[] = new Array(DTYPES.length);
  private readonly counts: (MapKernel | undefined)[] = new Array(DTYPES.length);

  constructor(
    private readonly rule: Rule,
    private readonly flags: number,
    private readonly numbers: number,
    private readonly onDevice: boolean,
    private readonly rateOnDevice: boolean,
  ) {
    this.states = rule.states(flags);
    const { length } = rule.counters;
    const counters = Array.from({ length }, (_, i) => e.input(i));
    this.counted = rule.count(counters, rateOnDevice ? e.input(length) : e.scalar(numbers), e.scalar, flags);
    this.values = this.counted.values.length;
  }

  /**
   * A step on the host. `counts` become those after it.
   *
   * @param numbers the group's, and the learning rate
   * @param scalars of the update's launch: its values are written behind the numbers
   */
  advance(counts: number[], numbers: readonly number[], scalars: number[]): void {
    const { next, values } = this.counted;
    for (let i = 0; i < values.length; i++) scalars[this.numbers + i] = evaluate(values[i], counts, numbers);
    const after = next.map((expr) => Math.fround(evaluate(expr, counts, numbers)));
    for (let i = 0; i < after.length; i++) counts[i] = after[i];
  }

  /** Outputs are the counters and the values, inputs the counters and, if it is on the device, the learning rate. */
  countKernel(dtype: DType): MapKernel {
    const type = valueType(dtype);
    return (this.counts[type.index] ??= this.buildCount(type));
  }

  /** Outputs: parameter and states; inputs: these, the gradient, and the values if they are on the device. */
  updateKernel(dtype: DType): MapKernel {
    return (this.updates[dtype.index] ??= this.buildUpdate(dtype));
  }

  private buildCount(dtype: DType): MapKernel {
    const { next, values } = this.counted;
    return new MapKernel({
      outputs: [...next.map((expr) => ({ expr, dtype: float32 })), ...values.map((expr) => ({ expr, dtype }))],
      inputs: new Array<DType>(next.length + (this.rateOnDevice ? 1 : 0)).fill(float32),
      compute: float64,
      scalars: this.numbers + 1,
      name: `${this.rule.name} step`,
    });
  }

  private buildUpdate(dtype: DType): MapKernel {
    const { rule, flags, states, values, onDevice, numbers } = this;
    const count = states.length + 1;
    const { param, states: after } = rule.update({
      flags,
      param: e.input(0),
      states: states.map((_, i) => e.input(i + 1)),
      grad: e.input(count),
      values: Array.from({ length: values }, (_, i) => (onDevice ? e.input(count + 1 + i) : e.scalar(numbers + i))),
      number: e.scalar,
    });
    const inputs = new Array<DType>(count + 1).fill(dtype);
    if (onDevice) for (let i = 0; i < values; i++) inputs.push(valueType(dtype));
    return new MapKernel({
      outputs: [param, ...after].map((expr) => ({ expr, dtype })),
      inputs,
      compute: dtype,
      scalars: numbers + (onDevice ? 0 : values),
      name: rule.name,
    });
  }
}

/** The dtype of values on the device for parameters of a dtype: what scalars of their launch have. */
export function valueType(dtype: DType): DType {
  return dtype === float64 ? float64 : float32;
}
