/** Optimizers that divide by a running mean of squared gradients: `optim.RMSprop`, `optim.Adagrad`, `optim.Adadelta`. */
import { Signature } from '../nn/signature.ts';
import { ValueError } from '../core/errors.ts';
import * as e from '../kernels/expr.ts';
import type { Expr } from '../kernels/expr.ts';
import { pyNumber } from '../nn/text.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { CountingOptimizer } from './counting-optimizer.ts';
import { type CapturableOptions, type CommonOptions, checkNotNegative, checkRate, checkWays } from './options.ts';
import type { ParamGroup, ParamsInput } from './optimizer.ts';
import { type Rule, RuleSet, type UpdateParts } from './rule.ts';

export interface RMSpropOptions extends CapturableOptions {
  /** Learning rate. Default: 1e-2. */
  lr?: number | Tensor;
  /** How much of the mean square stays from step to step. Default: 0.99. */
  alpha?: number;
  /** Added to the denominator. Default: 1e-8. */
  eps?: number;
  /** Default: 0. */
  weight_decay?: number;
  /** Default: 0. */
  momentum?: number;
  /** Whether to divide by the standard deviation in place of the mean square. */
  centered?: boolean;
}

export interface AdagradOptions extends CommonOptions {
  /** Learning rate. Default: 1e-2. */
  lr?: number | Tensor;
  /** The rate is divided by 1 + lr_decay times the number of steps so far. Default: 0. */
  lr_decay?: number;
  /** Default: 0. */
  weight_decay?: number;
  /** What the sums of squares begin with. Default: 0. */
  initial_accumulator_value?: number;
  /** Added to the denominator. Default: 1e-10. */
  eps?: number;
  fused?: boolean | null;
}

export interface AdadeltaOptions extends CapturableOptions {
  /** Learning rate. Default: 1. */
  lr?: number | Tensor;
  /** How much of the means of squares stays from step to step. Default: 0.9. */
  rho?: number;
  /** Added to the means of squares. Default: 1e-6. */
  eps?: number;
  /** Default: 0. */
  weight_decay?: number;
}

const MAXIMIZE = 1;
const DECAY = 2;
const MOMENTUM = 4;
const CENTERED = 8;

/** Positions of the numbers that all have. */
const EPS = 0;
const WEIGHT_DECAY = 1;
const KEPT = 2;
const REST = 3;
const MOMENTUM_AT = 4;
const LR_DECAY = 2;

function flagsOf(group: ParamGroup): number {
  return (group['maximize'] ? MAXIMIZE : 0) | (group['weight_decay'] !== 0 ? DECAY : 0);
}

function gradientOf({ flags, param, grad, number }: UpdateParts): Expr {
  const g = flags & MAXIMIZE ? e.neg(grad) : grad;
  return flags & DECAY ? e.add(g, e.mul(number(WEIGHT_DECAY), param)) : g;
}

/** `kept` of the mean stays, the rest is the new square. */
function meanSquare(mean: Expr, x: Expr, { number }: UpdateParts): Expr {
  return e.add(e.mul(mean, number(KEPT)), e.mul(number(REST), e.mul(x, x)));
}

/** Counts the step; the only value is minus the learning rate. */
function countOnly([before]: readonly Expr[], lr: Expr): { next: Expr[]; values: Expr[] } {
  return { next: [e.add(before, 1)], values: [e.neg(lr)] };
}

function numbersOf(group: ParamGroup, to: number[], kept: string): number {
  to[EPS] = group['eps'] as number;
  to[WEIGHT_DECAY] = group['weight_decay'] as number;
  to[KEPT] = group[kept] as number;
  to[REST] = 1 - to[KEPT];
  return 4;
}

const rmsprop = new RuleSet({
  name: 'rmsprop',
  counters: ['step'],
  flags: (group) =>
    flagsOf(group) | ((group['momentum'] as number) > 0 ? MOMENTUM : 0) | (group['centered'] ? CENTERED : 0),
  states: (flags) => [
    'square_avg',
    ...(flags & MOMENTUM ? ['momentum_buffer'] : []),
    ...(flags & CENTERED ? ['grad_avg'] : []),
  ],
  begin: () => [0],
  numbers(group, to) {
    const count = numbersOf(group, to, 'alpha');
    to[MOMENTUM_AT] = group['momentum'] as number;
    return count + 1;
  },
  count: countOnly,
  update(parts) {
    const { flags, param, states, values, number } = parts;
    const grad = gradientOf(parts);
    const after = [meanSquare(states[0], grad, parts)];
    let mean = after[0];
    let average: Expr | null = null;
    if (flags & CENTERED) {
      const before = states[states.length - 1];
      average = e.add(before, e.mul(number(REST), e.sub(grad, before)));
      mean = e.sub(mean, e.mul(average, average));
    }
    const denominator = e.add(e.sqrt(mean), number(EPS));
    let step = e.div(grad, denominator);
    if (flags & MOMENTUM) {
      step = e.add(e.mul(states[1], number(MOMENTUM_AT)), step);
      after.push(step);
      step = e.mul(values[0], step);
    } else step = e.div(e.mul(values[0], grad), denominator);
    if (average !== null) after.push(average);
    return { param: e.add(param, step), states: after };
  },
} satisfies Rule);

const adagrad = new RuleSet({
  name: 'adagrad',
  counters: ['step'],
  flags: flagsOf,
  states: () => ['sum'],
  initial: (_, group) => group['initial_accumulator_value'] as number,
  begin: () => [0],
  numbers(group, to) {
    to[EPS] = group['eps'] as number;
    to[WEIGHT_DECAY] = group['weight_decay'] as number;
    to[LR_DECAY] = group['lr_decay'] as number;
    return 3;
  },
  count([before], lr, number) {
    return { next: [e.add(before, 1)], values: [e.neg(e.div(lr, e.add(1, e.mul(before, number(LR_DECAY)))))] };
  },
  update(parts) {
    const { param, states, values, number } = parts;
    const grad = gradientOf(parts);
    const sum = e.add(states[0], e.mul(grad, grad));
    const step = e.div(e.mul(values[0], grad), e.add(e.sqrt(sum), number(EPS)));
    return { param: e.add(param, step), states: [sum] };
  },
} satisfies Rule);

const adadelta = new RuleSet({
  name: 'adadelta',
  counters: ['step'],
  flags: flagsOf,
  states: () => ['square_avg', 'acc_delta'],
  begin: () => [0],
  numbers: (group, to) => numbersOf(group, to, 'rho'),
  count: countOnly,
  update(parts) {
    const { param, states, values, number } = parts;
    const grad = gradientOf(parts);
    const squares = meanSquare(states[0], grad, parts);
    const root = (x: Expr) => e.sqrt(e.add(x, number(EPS)));
    const delta = e.mul(e.div(root(states[1]), root(squares)), grad);
    return { param: e.add(param, e.mul(values[0], delta)), states: [squares, meanSquare(states[1], delta, parts)] };
  },
} satisfies Rule);

const RMSPROP = Signature.of(
  'RMSprop.__init__(self, params, lr=0.01, alpha=0.99, eps=1e-08, weight_decay=0, momentum=0, centered=False, capturable=False, foreach=None, maximize=False, differentiable=False)',
);

/** Gradients divided by the root of their running mean square. */
export class RMSprop extends CountingOptimizer {
  constructor(params: ParamsInput, options?: RMSpropOptions);
  constructor(params: ParamsInput, lr: number | Tensor, options?: RMSpropOptions);
  constructor(...args: unknown[]) {
    const bound = RMSPROP.bind(args) as [ParamsInput, ...unknown[]];
    const [params, lr, alpha, eps, weight_decay, momentum, centered] = bound;
    const [capturable, foreach, maximize, differentiable] = bound.slice(7);
    checkRate(lr);
    checkNotNegative(eps, 'epsilon value');
    checkNotNegative(momentum, 'momentum value');
    checkNotNegative(weight_decay, 'weight_decay value');
    checkNotNegative(alpha, 'alpha value');
    checkWays(foreach, differentiable);
    super(rmsprop, params, {
      lr,
      momentum,
      alpha,
      eps,
      centered,
      weight_decay,
      capturable,
      foreach,
      maximize,
      differentiable,
    });
  }
}

const ADAGRAD = Signature.of(
  'Adagrad.__init__(self, params, lr=0.01, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, foreach=None, *, maximize=False, differentiable=False, fused=None)',
);

/** Gradients divided by the root of the sum of all squares so far. */
export class Adagrad extends CountingOptimizer {
  constructor(params: ParamsInput, options?: AdagradOptions);
  constructor(params: ParamsInput, lr: number | Tensor, options?: AdagradOptions);
  constructor(...args: unknown[]) {
    const bound = ADAGRAD.bind(args) as [ParamsInput, ...unknown[]];
    const [params, lr, lr_decay, weight_decay, initial_accumulator_value, eps, foreach] = bound;
    const [maximize, differentiable, fused] = bound.slice(7);
    checkRate(lr);
    checkNotNegative(lr_decay, 'lr_decay value');
    checkNotNegative(weight_decay, 'weight_decay value');
    checkNotNegative(initial_accumulator_value, 'initial_accumulator_value value');
    checkNotNegative(eps, 'epsilon value');
    checkWays(foreach, differentiable, fused);
    super(adagrad, params, {
      lr,
      lr_decay,
      eps,
      weight_decay,
      initial_accumulator_value,
      foreach,
      maximize,
      differentiable,
      fused,
    });
    this.makeStates();
  }
}

const ADADELTA = Signature.of(
  'Adadelta.__init__(self, params, lr=1.0, rho=0.9, eps=1e-06, weight_decay=0, foreach=None, *, capturable=False, maximize=False, differentiable=False)',
);

/** Steps as large as recent ones were, by the ratio of the gradient to recent gradients. */
export class Adadelta extends CountingOptimizer {
  constructor(params: ParamsInput, options?: AdadeltaOptions);
  constructor(params: ParamsInput, lr: number | Tensor, options?: AdadeltaOptions);
  constructor(...args: unknown[]) {
    const bound = ADADELTA.bind(args) as [ParamsInput, ...unknown[]];
    const [params, lr, rho, eps, weight_decay, foreach, capturable, maximize, differentiable] = bound;
    checkRate(lr);
    if (!((rho as number) >= 0 && (rho as number) <= 1)) {
      throw new ValueError(`Invalid rho value: ${pyNumber(rho as number)}`);
    }
    checkNotNegative(eps, 'epsilon value');
    checkNotNegative(weight_decay, 'weight_decay value');
    checkWays(foreach, differentiable);
    super(adadelta, params, {
      lr,
      rho,
      eps,
      weight_decay,
      maximize,
      capturable,
      foreach,
      differentiable,
    });
  }
}
