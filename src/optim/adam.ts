/** `optim.Adam` and `optim.AdamW`: steps scaled by running moments. */
import { ValueError } from '../core/errors.ts';
import { Signature } from '../nn/signature.ts';
import * as e from '../kernels/expr.ts';
import { Tensor } from '../tensor/tensor.ts';
import { CountingOptimizer } from './counting-optimizer.ts';
import { type CapturableOptions, checkBetas, checkNotNegative, checkRate, checkWays, numberOf } from './options.ts';
import type { ParamsInput } from './optimizer.ts';
import { type Rule, RuleSet } from './rule.ts';

export interface AdamOptions extends CapturableOptions {
  /** Learning rate. Default: 1e-3. */
  lr?: number | Tensor;
  /** How much of the first and second moment stays from step to step. Default: [0.9, 0.999]. */
  betas?: readonly [number | Tensor, number | Tensor];
  /** Added to the denominator. Default: 1e-8. */
  eps?: number;
  /** Default: 0 (Adam), 0.01 (AdamW). */
  weight_decay?: number;
  /** Whether the largest second moment so far counts. */
  amsgrad?: boolean;
  fused?: boolean | null;
}

const ADAM = Signature.of(
  'Adam.__init__(self, params, lr=0.001, betas=None, eps=1e-08, weight_decay=0, amsgrad=False, *, foreach=None, maximize=False, capturable=False, differentiable=False, fused=None, decoupled_weight_decay=False)',
);
const ADAMW = Signature.of(
  'AdamW.__init__(self, params, lr=0.001, betas=None, eps=1e-08, weight_decay=0.01, amsgrad=False, *, maximize=False, foreach=None, capturable=False, differentiable=False, fused=None)',
);

const MAXIMIZE = 1;
const DECAY = 2;
/** Weight decay apart from the moments, as AdamW has it. */
const DECOUPLED = 4;
const AMSGRAD = 8;

/** Positions of the group's numbers. */
const BETA1 = 0;
const REST1 = 1;
const BETA2 = 2;
const REST2 = 3;
const EPS = 4;
const WEIGHT_DECAY = 5;

const rule: Rule = {
  name: 'adam',
  counters: ['step'],
  flags(group) {
    const decay = group['weight_decay'] !== 0;
    return (
      (group['maximize'] ? MAXIMIZE : 0) |
      (decay ? DECAY : 0) |
      (decay && group['decoupled_weight_decay'] ? DECOUPLED : 0) |
      (group['amsgrad'] ? AMSGRAD : 0)
    );
  },
  states: (flags) => (flags & AMSGRAD ? ['exp_avg', 'exp_avg_sq', 'max_exp_avg_sq'] : ['exp_avg', 'exp_avg_sq']),
  begin: () => [0],
  numbers(group, to) {
    const [beta1, beta2] = group['betas'] as [number, number];
    to[BETA1] = beta1;
    to[REST1] = 1 - beta1;
    to[BETA2] = beta2;
    to[REST2] = 1 - beta2;
    to[EPS] = group['eps'] as number;
    to[WEIGHT_DECAY] = group['weight_decay'] as number;
    return 6;
  },
  /** Values: minus the step size, the root of the second moment's correction, what decoupled decay leaves. */
  count([before], lr, number, flags) {
    const step = e.add(before, 1);
    const correction = (beta: number) => e.sub(1, e.pow(number(beta), step));
    const values = [e.neg(e.div(lr, correction(BETA1))), e.sqrt(correction(BETA2))];
    if (flags & DECOUPLED) values.push(e.sub(1, e.mul(lr, number(WEIGHT_DECAY))));
    return { next: [step], values };
  },
  update({ flags, param, grad, states, values, number }) {
    const [first, second, most] = states;
    const [rate, root, shrink] = values;
    let g = flags & MAXIMIZE ? e.neg(grad) : grad;
    let from = param;
    if (flags & DECOUPLED) from = e.mul(param, shrink);
    else if (flags & DECAY) g = e.add(g, e.mul(number(WEIGHT_DECAY), param));
    const nextFirst = e.add(first, e.mul(number(REST1), e.sub(g, first)));
    const nextSecond = e.add(e.mul(second, number(BETA2)), e.mul(number(REST2), e.mul(g, g)));
    const after = [nextFirst, nextSecond];
    if (flags & AMSGRAD) after.push(e.maximum(most, nextSecond));
    const denominator = e.add(e.div(e.sqrt(after[after.length - 1]), root), number(EPS));
    return { param: e.add(from, e.div(e.mul(rate, nextFirst), denominator)), states: after };
  },
};

const rules = new RuleSet(rule);

/** Betas as numbers. */
function betaNumbers(betas: readonly unknown[], capturable: unknown, foreach: unknown): readonly number[] {
  if (betas[0] instanceof Tensor !== betas[1] instanceof Tensor) {
    throw new ValueError('betas must be either both floats or both Tensors');
  }
  betas.forEach((beta, i) => {
    if (!(beta instanceof Tensor)) return;
    if (!capturable && foreach) {
      throw new ValueError(`betas[${i}] as a Tensor is not supported for capturable=False and foreach=True`);
    }
    if (beta.length !== 1) throw new ValueError(`Tensor betas[${i}] must be 1-element`);
  });
  return betas.map(numberOf);
}

const BETAS = [0.9, 0.999];

/** `torch.optim.Adam(params, { lr: 1e-3, betas: [0.9, 0.999], eps: 1e-8, weight_decay: 0, amsgrad })`: steps by the moments of the gradients. */
export class Adam extends CountingOptimizer {
  constructor(params: ParamsInput, options?: AdamOptions & { decoupled_weight_decay?: boolean });
  constructor(params: ParamsInput, lr: number | Tensor, options?: AdamOptions & { decoupled_weight_decay?: boolean });
  constructor(...args: unknown[]) {
    const [params, lr, betas, eps, weight_decay, amsgrad, foreach, maximize, capturable, differentiable, fused, apart] =
      ADAM.bind(args) as [ParamsInput, ...unknown[]];
    if (lr instanceof Tensor && foreach && !capturable) {
      throw new ValueError('lr as a Tensor is not supported for capturable=False and foreach=True');
    }
    checkRate(lr);
    checkNotNegative(eps, 'epsilon value');
    const given = (betas ?? BETAS) as readonly unknown[];
    checkBetas(given);
    checkNotNegative(weight_decay, 'weight_decay value');
    checkWays(foreach, differentiable, fused);
    super(rules, params, {
      lr,
      betas: betaNumbers(given, capturable, foreach),
      eps,
      weight_decay,
      amsgrad,
      maximize,
      foreach,
      capturable,
      differentiable,
      fused,
      decoupled_weight_decay: apart,
    });
  }
}

/** Adam with weight decay that does not pass through the moments. */
export class AdamW extends Adam {
  constructor(params: ParamsInput, options?: AdamOptions);
  constructor(params: ParamsInput, lr: number | Tensor, options?: AdamOptions);
  constructor(...args: unknown[]) {
    const [params, lr, betas, eps, weight_decay, amsgrad, maximize, foreach, capturable, differentiable, fused] =
      ADAMW.bind(args) as [ParamsInput, ...unknown[]];
    super(params, {
      lr,
      betas,
      eps,
      weight_decay,
      amsgrad,
      maximize,
      foreach,
      capturable,
      differentiable,
      fused,
      decoupled_weight_decay: true,
    } as AdamOptions);
  }
}
