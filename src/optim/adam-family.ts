/** Relatives of Adam: `optim.NAdam`, `optim.RAdam`, `optim.Adamax`. */
import { Signature } from '../nn/signature.ts';
import * as e from '../kernels/expr.ts';
import type { Expr } from '../kernels/expr.ts';
import { CountingOptimizer } from './counting-optimizer.ts';
import { type CapturableOptions, checkBetas, checkNotNegative, checkRate, checkWays } from './options.ts';
import type { ParamGroup, ParamsInput } from './optimizer.ts';
import { type NumberAt, type Rule, RuleSet, type UpdateParts } from './rule.ts';
import type { Tensor } from '../tensor/tensor.ts';

interface MomentOptions extends CapturableOptions {
  /** How much of the first and second moment stays from step to step. Default: [0.9, 0.999]. */
  betas?: readonly [number, number];
  /** Added to the denominator. Default: 1e-8. */
  eps?: number;
  /** Default: 0. */
  weight_decay?: number;
}

export interface NAdamOptions extends MomentOptions {
  /** Learning rate. Default: 2e-3. */
  lr?: number | Tensor;
  /** Default: 4e-3. */
  momentum_decay?: number;
  /** Whether weight decay stays out of the moments, as in AdamW. */
  decoupled_weight_decay?: boolean;
}

export interface RAdamOptions extends MomentOptions {
  /** Learning rate. Default: 1e-3. */
  lr?: number | Tensor;
  /** Whether weight decay stays out of the moments, as in AdamW. */
  decoupled_weight_decay?: boolean;
}

export interface AdamaxOptions extends MomentOptions {
  /** Learning rate. Default: 2e-3. */
  lr?: number | Tensor;
}

const BETAS = [0.9, 0.999] as const;

const MAXIMIZE = 1;
const DECAY = 2;
const DECOUPLED = 4;

const BETA1 = 0;
const REST1 = 1;
const BETA2 = 2;
const REST2 = 3;
const EPS = 4;
const WEIGHT_DECAY = 5;
const MOMENTUM_DECAY = 6;

function flagsOf(group: ParamGroup): number {
  const decay = group['weight_decay'] !== 0;
  return (
    (group['maximize'] ? MAXIMIZE : 0) |
    (decay ? DECAY : 0) |
    (decay && group['decoupled_weight_decay'] ? DECOUPLED : 0)
  );
}

function numbersOf(group: ParamGroup, to: number[]): number {
  const [beta1, beta2] = group['betas'] as [number, number];
  to[BETA1] = beta1;
  to[REST1] = 1 - beta1;
  to[BETA2] = beta2;
  to[REST2] = 1 - beta2;
  to[EPS] = group['eps'] as number;
  to[WEIGHT_DECAY] = group['weight_decay'] as number;
  return 6;
}

/** The parameter and the gradient after weight decay. `shrink`: what decoupled decay leaves of a parameter. */
function decayed({ flags, param, grad, number }: UpdateParts, shrink: Expr): [param: Expr, grad: Expr] {
  const g = flags & MAXIMIZE ? e.neg(grad) : grad;
  if (flags & DECOUPLED) return [e.mul(param, shrink), g];
  return [param, flags & DECAY ? e.add(g, e.mul(number(WEIGHT_DECAY), param)) : g];
}

function shrinkOf(lr: Expr, number: NumberAt): Expr {
  return e.sub(1, e.mul(lr, number(WEIGHT_DECAY)));
}

/** The moments after a gradient. */
function moments([first, second]: readonly Expr[], grad: Expr, number: NumberAt): [Expr, Expr] {
  return [
    e.add(first, e.mul(number(REST1), e.sub(grad, first))),
    e.add(e.mul(second, number(BETA2)), e.mul(number(REST2), e.mul(grad, grad))),
  ];
}

const MOMENTS = ['exp_avg', 'exp_avg_sq'];

const nadam = new RuleSet({
  name: 'nadam',
  counters: ['step', 'mu_product'],
  placed: 'params, mu_products and state_steps',
  flags: flagsOf,
  states: () => MOMENTS,
  begin: () => [0, 1],
  numbers(group, to) {
    const count = numbersOf(group, to);
    to[MOMENTUM_DECAY] = group['momentum_decay'] as number;
    return count + 1;
  },
  /** Values: the weights of the gradient and of the first moment, the second moment's correction, decay. */
  count([before, product], lr, number) {
    const step = e.add(before, 1);
    const momentum = (at: Expr) =>
      e.mul(number(BETA1), e.sub(1, e.mul(0.5, e.pow(0.96, e.mul(at, number(MOMENTUM_DECAY))))));
    const now = momentum(step);
    const then = momentum(e.add(step, 1));
    const reached = e.mul(product, now);
    const weight = (part: Expr, all: Expr) => e.div(e.mul(e.neg(lr), part), e.sub(1, all));
    return {
      next: [step, reached],
      values: [
        weight(e.sub(1, now), reached),
        weight(then, e.mul(reached, then)),
        e.sub(1, e.pow(number(BETA2), step)),
        shrinkOf(lr, number),
      ],
    };
  },
  update(parts) {
    const { values, number, states } = parts;
    const [param, grad] = decayed(parts, values[3]);
    const [first, second] = moments(states, grad, number);
    const denominator = e.add(e.sqrt(e.div(second, values[2])), number(EPS));
    const partly = e.add(param, e.div(e.mul(values[0], grad), denominator));
    return { param: e.add(partly, e.div(e.mul(values[1], first), denominator)), states: [first, second] };
  },
} satisfies Rule);

const radam = new RuleSet({
  name: 'radam',
  counters: ['step'],
  flags: flagsOf,
  states: () => MOMENTS,
  begin: () => [0],
  numbers: numbersOf,
  /** Values: minus the step size; what the second moment scales it by, 0 while it is not known well enough; decay. */
  count([before], lr, number) {
    const step = e.add(before, 1);
    const power = e.pow(number(BETA2), step);
    const correction = e.sub(1, power);
    // The length of the average that a moving one stands for: in the end, and so far.
    const most = e.sub(e.div(2, number(REST2)), 1);
    const length = e.sub(most, e.div(e.mul(e.mul(2, step), power), correction));
    const product = (x: Expr, y: Expr) => e.mul(e.mul(e.sub(x, 4), e.sub(x, 2)), y);
    const rectified = e.sqrt(e.div(product(length, most), product(most, length)));
    return {
      next: [step],
      values: [
        e.neg(e.div(lr, e.sub(1, e.pow(number(BETA1), step)))),
        e.where(e.gt(length, 5), e.mul(rectified, e.sqrt(correction)), 0),
        shrinkOf(lr, number),
      ],
    };
  },
  update(parts) {
    const { values, number, states } = parts;
    const [param, grad] = decayed(parts, values[2]);
    const [first, second] = moments(states, grad, number);
    const scale = e.where(e.ne(values[1], 0), e.div(values[1], e.add(e.sqrt(second), number(EPS))), 1);
    return { param: e.add(param, e.mul(e.mul(values[0], first), scale)), states: [first, second] };
  },
} satisfies Rule);

const adamax = new RuleSet({
  name: 'adamax',
  counters: ['step'],
  flags: flagsOf,
  states: () => ['exp_avg', 'exp_inf'],
  begin: () => [0],
  numbers: numbersOf,
  count([before], lr, number) {
    const step = e.add(before, 1);
    return { next: [step], values: [e.neg(e.div(lr, e.sub(1, e.pow(number(BETA1), step))))] };
  },
  update(parts) {
    const { values, number, states } = parts;
    const [param, grad] = decayed(parts, values[0]);
    const first = e.add(states[0], e.mul(number(REST1), e.sub(grad, states[0])));
    const largest = e.maximum(e.mul(states[1], number(BETA2)), e.add(e.abs(grad), number(EPS)));
    return { param: e.add(param, e.div(e.mul(values[0], first), largest)), states: [first, largest] };
  },
} satisfies Rule);

function check(lr: unknown, betas: readonly unknown[], eps: unknown, weight_decay: unknown): void {
  checkRate(lr);
  checkNotNegative(eps, 'epsilon value');
  checkBetas(betas);
  checkNotNegative(weight_decay, 'weight_decay value');
}

const NADAM = Signature.of(
  'NAdam.__init__(self, params, lr=0.002, betas=None, eps=1e-08, weight_decay=0, momentum_decay=0.004, decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False, differentiable=False)',
);

/** Adam with Nesterov momentum. */
export class NAdam extends CountingOptimizer {
  constructor(params: ParamsInput, options?: NAdamOptions);
  constructor(params: ParamsInput, lr: number | Tensor, options?: NAdamOptions);
  constructor(...args: unknown[]) {
    const bound = NADAM.bind(args) as [ParamsInput, ...unknown[]];
    const [params, lr, , eps, weight_decay, momentum_decay, decoupled_weight_decay] = bound;
    const [foreach, maximize, capturable, differentiable] = bound.slice(7);
    const betas = (bound[2] ?? BETAS) as readonly unknown[];
    check(lr, betas, eps, weight_decay);
    checkNotNegative(momentum_decay, 'momentum_decay value');
    checkWays(foreach, differentiable);
    super(nadam, params, {
      lr,
      betas,
      eps,
      weight_decay,
      momentum_decay,
      decoupled_weight_decay,
      maximize,
      foreach,
      capturable,
      differentiable,
    });
  }
}

const RADAM = Signature.of(
  'RAdam.__init__(self, params, lr=0.001, betas=None, eps=1e-08, weight_decay=0, decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False, differentiable=False)',
);

/** Adam that takes its second moment into account to the degree that it is known. */
export class RAdam extends CountingOptimizer {
  constructor(params: ParamsInput, options?: RAdamOptions);
  constructor(params: ParamsInput, lr: number | Tensor, options?: RAdamOptions);
  constructor(...args: unknown[]) {
    const bound = RADAM.bind(args) as [ParamsInput, ...unknown[]];
    const [params, lr, , eps, weight_decay, decoupled_weight_decay] = bound;
    const [foreach, maximize, capturable, differentiable] = bound.slice(6);
    const betas = (bound[2] ?? BETAS) as readonly unknown[];
    check(lr, betas, eps, weight_decay);
    checkWays(foreach, differentiable);
    super(radam, params, {
      lr,
      betas,
      eps,
      weight_decay,
      maximize,
      foreach,
      capturable,
      decoupled_weight_decay,
      differentiable,
    });
  }
}

const ADAMAX = Signature.of(
  'Adamax.__init__(self, params, lr=0.002, betas=None, eps=1e-08, weight_decay=0, foreach=None, *, maximize=False, differentiable=False, capturable=False)',
);

/** Adam with the largest gradient, decaying, in place of the second moment. */
export class Adamax extends CountingOptimizer {
  constructor(params: ParamsInput, options?: AdamaxOptions);
  constructor(params: ParamsInput, lr: number | Tensor, options?: AdamaxOptions);
  constructor(...args: unknown[]) {
    const bound = ADAMAX.bind(args) as [ParamsInput, ...unknown[]];
    const [params, lr, , eps, weight_decay, foreach, maximize, differentiable, capturable] = bound;
    const betas = (bound[2] ?? BETAS) as readonly unknown[];
    check(lr, betas, eps, weight_decay);
    checkWays(foreach, differentiable);
    super(adamax, params, { lr, betas, eps, weight_decay, foreach, maximize, differentiable, capturable });
  }
}
