/** `optim.ASGD`, which averages parameters, and `optim.Rprop`, which looks at signs of gradients alone. */
import { ValueError } from '../core/errors.ts';
import { Signature } from '../nn/signature.ts';
import * as e from '../kernels/expr.ts';
import { pyNumber } from '../nn/text.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { CountingOptimizer } from './counting-optimizer.ts';
import { type CapturableOptions, checkNotNegative, checkRate, checkWays } from './options.ts';
import type { ParamsInput } from './optimizer.ts';
import { type Rule, RuleSet } from './rule.ts';

export interface ASGDOptions extends CapturableOptions {
  /** Learning rate. Default: 1e-2. */
  lr?: number | Tensor;
  /** Decay of parameters and rate. Default: 1e-4. */
  lambd?: number;
  /** Power of the rate's decay. Default: 0.75. */
  alpha?: number;
  /** The step from which on parameters are averaged. Default: 1e6. */
  t0?: number;
  /** Default: 0. */
  weight_decay?: number;
}

export interface RpropOptions extends CapturableOptions {
  /** The first step size. Default: 1e-2. */
  lr?: number | Tensor;
  /** What a step size is multiplied by where the gradient's sign has changed, and where it has not. Default: [0.5, 1.2]. */
  etas?: readonly [number, number];
  /** The least and the largest step size. Default: [1e-6, 50]. */
  step_sizes?: readonly [number, number];
}

const MAXIMIZE = 1;
const DECAY = 2;

const LAMBD = 0;
const ALPHA = 1;
const T0 = 2;
const WEIGHT_DECAY = 3;

const asgd = new RuleSet({
  name: 'asgd',
  counters: ['step', 'eta', 'mu'],
  countersOnDevice: true,
  placed: 'params, mus, etas, and state_steps',
  flags: (group) => (group['maximize'] ? MAXIMIZE : 0) | (group['weight_decay'] !== 0 ? DECAY : 0),
  states: () => ['ax'],
  begin: (lr) => [0, Math.fround(lr), 1],
  numbers(group, to) {
    to[LAMBD] = group['lambd'] as number;
    to[ALPHA] = group['alpha'] as number;
    to[T0] = group['t0'] as number;
    to[WEIGHT_DECAY] = group['weight_decay'] as number;
    return 4;
  },
  /** Values: what decay leaves of a parameter, the rate, the weight of the average. */
  count([before, eta, mu], lr, number) {
    const step = e.add(before, 1);
    const base = e.add(1, e.mul(e.mul(number(LAMBD), lr), step));
    return {
      next: [step, e.div(lr, e.pow(base, number(ALPHA))), e.div(1, e.maximum(1, e.sub(step, number(T0))))],
      values: [e.sub(1, e.mul(number(LAMBD), eta)), e.neg(eta), e.add(mu, 0)],
    };
  },
  update({ flags, param, grad, states, values, number }) {
    let g = flags & MAXIMIZE ? e.neg(grad) : grad;
    if (flags & DECAY) g = e.add(g, e.mul(number(WEIGHT_DECAY), param));
    const next = e.add(e.mul(param, values[0]), e.mul(values[1], g));
    const averaged = e.add(states[0], e.mul(e.sub(next, states[0]), values[2]));
    return { param: next, states: [e.where(e.eq(values[2], 1), next, averaged)] };
  },
} satisfies Rule);

const LESS = 0;
const MORE = 1;
const SMALLEST = 2;
const LARGEST = 3;

const rprop = new RuleSet({
  name: 'rprop',
  counters: ['step'],
  flags: (group) => (group['maximize'] ? MAXIMIZE : 0),
  states: () => ['prev', 'step_size'],
  initial: (state, _, lr) => (state === 'step_size' ? lr : 0),
  begin: () => [0],
  numbers(group, to) {
    [to[LESS], to[MORE]] = group['etas'] as [number, number];
    [to[SMALLEST], to[LARGEST]] = group['step_sizes'] as [number, number];
    return 4;
  },
  count: ([before]) => ({ next: [e.add(before, 1)], values: [] }),
  update({ flags, param, grad, states: [previous, size], number }) {
    const g = flags & MAXIMIZE ? e.neg(grad) : grad;
    const turn = e.mul(g, previous);
    const turned = e.lt(turn, 0);
    const factor = e.where(e.gt(turn, 0), number(MORE), e.where(turned, number(LESS), e.where(e.eq(turn, 0), 1, turn)));
    const next = e.minimum(e.maximum(e.mul(size, factor), number(SMALLEST)), number(LARGEST));
    // Where the sign has changed, this gradient does not count.
    const used = e.where(turned, 0, g);
    return { param: e.sub(param, e.mul(e.sign(used), next)), states: [used, next] };
  },
} satisfies Rule);

const ASGD_INIT = Signature.of(
  'ASGD.__init__(self, params, lr=0.01, lambd=0.0001, alpha=0.75, t0=1000000.0, weight_decay=0, foreach=None, maximize=False, differentiable=False, capturable=False)',
);

/** Gradient descent that keeps an average of the parameters (`ax` of the state). */
export class ASGD extends CountingOptimizer {
  constructor(params: ParamsInput, options?: ASGDOptions);
  constructor(params: ParamsInput, lr: number | Tensor, options?: ASGDOptions);
  constructor(...args: unknown[]) {
    const bound = ASGD_INIT.bind(args) as [ParamsInput, ...unknown[]];
    const [params, lr, lambd, alpha, t0, weight_decay, foreach, maximize, differentiable, capturable] = bound;
    checkRate(lr);
    checkNotNegative(weight_decay, 'weight_decay value');
    checkWays(foreach, differentiable);
    super(asgd, params, {
      lr,
      lambd,
      alpha,
      t0,
      weight_decay,
      foreach,
      maximize,
      differentiable,
      capturable,
    });
  }
}

const RPROP_INIT = Signature.of(
  'Rprop.__init__(self, params, lr=0.01, etas=None, step_sizes=None, *, capturable=False, foreach=None, maximize=False, differentiable=False)',
);

/** A step size for every element: larger while the gradient keeps its sign, smaller where it changes. */
export class Rprop extends CountingOptimizer {
  constructor(params: ParamsInput, options?: RpropOptions);
  constructor(params: ParamsInput, lr: number | Tensor, options?: RpropOptions);
  constructor(...args: unknown[]) {
    const bound = RPROP_INIT.bind(args) as [ParamsInput, ...unknown[]];
    const [params, lr, , , capturable, foreach, maximize, differentiable] = bound;
    const etas = (bound[2] ?? [0.5, 1.2]) as [number, number];
    const step_sizes = bound[3] ?? [1e-6, 50];
    checkRate(lr);
    if (!(etas[0] > 0 && etas[0] < 1 && etas[1] > 1)) {
      throw new ValueError(`Invalid eta values: ${pyNumber(etas[0])}, ${pyNumber(etas[1])}`);
    }
    checkWays(foreach, differentiable);
    super(rprop, params, { lr, etas, step_sizes, foreach, maximize, differentiable, capturable });
  }
}
