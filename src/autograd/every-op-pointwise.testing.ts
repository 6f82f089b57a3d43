/** Samples of the pointwise ops, activations and losses, for `every-op.test.ts`. */
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { functional } from '../torch/attach.ts';
import {
  binary,
  F,
  float64,
  inplace,
  ints,
  m23,
  on,
  type Sample,
  signed,
  unary,
  v3,
  values,
  x,
  y,
} from './every-op.testing.ts';

const both = () => signed(2, 3);

export const pointwiseSamples: Record<string, Sample[]> = {
  round: [...unary((a) => a.round()), ...unary((a) => a.round({ decimals: 1 }))],
  addcmul: [
    on(
      (a, b, c) => a.addcmul(b, c, { value: 0.7 }),
      m23,
      () => y(3),
      () => x(2, 1),
    ),
  ],
  addcmul_: [
    on(
      (a, b, c) => a.clone().addcmul_(b, c),
      m23,
      () => y(3),
      () => x(2, 1),
    ),
  ],
  addcdiv: [
    on(
      (a, b, c) => a.addcdiv(b, c, { value: 0.7 }),
      m23,
      () => y(3),
      () => x(2, 1),
    ),
  ],
  addcdiv_: [
    on(
      (a, b, c) => a.clone().addcdiv_(b, c),
      m23,
      () => y(3),
      () => x(2, 1),
    ),
  ],
  lerp: [
    on(
      (a, b) => a.lerp(b, 0.3),
      m23,
      () => y(3),
    ),
    on(
      (a, b, w) => a.lerp(b, w),
      m23,
      () => y(3),
      v3,
    ),
  ],
  lerp_: [
    on(
      (a, b) => a.clone().lerp_(b, 0.3),
      m23,
      () => y(3),
    ),
  ],
  nan_to_num_: inplace((a) => a.nan_to_num_()),
  positive: unary((a) => a.positive()),
  float_power: [
    on(
      (a, b) => a.float_power(b),
      m23,
      () => y(3),
    ),
    on((a) => torch.float_power(2.5, a), m23),
  ],
  float_power_: inplace((a) => a.float_power_(2.5)),
};

/** Where the derivative is not smooth in between 0.3 and 0.9, other inputs. */
const INPUTS: Readonly<Record<string, () => Tensor>> = {
  acosh: () => x(2, 3).detach().add(1).requires_grad_(),
};
for (const name of [
  ...['reciprocal', 'square', 'exp2', 'expm1', 'log1p', 'log2', 'log10', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh'],
  ...[
    'asinh',
    'acosh',
    'atanh',
    'erfc',
    'ceil',
    'floor',
    'trunc',
    'round',
    'frac',
    'sign',
    'sgn',
    'nan_to_num',
    'deg2rad',
    'rad2deg',
    'logit',
    'sinc',
  ],
]) {
  type Name = 'neg';
  const make = INPUTS[name] ?? (['sign', 'sgn'].includes(name) ? () => signed(2, 3) : m23);
  pointwiseSamples[name] ??= unary((a) => a[name as Name](), make);
  pointwiseSamples[`${name}_`] ??= inplace((a) => a[`${name}_` as 'neg_'](), make);
}

for (const name of [
  'fmod',
  'remainder',
  'atan2',
  'copysign',
  'hypot',
  'logaddexp',
  'logaddexp2',
  'xlogy',
  'fmax',
  'fmin',
  'ldexp',
  'clamp_min',
  'clamp_max',
]) {
  type Name = 'mul';
  pointwiseSamples[name] ??= binary((a, b) => a[name as Name](b));
  if ((!name.startsWith('logaddexp') && !name.startsWith('fm')) || name === 'fmod') {
    pointwiseSamples[`${name}_`] ??= [
      on(
        (a, b) => a.clone()[`${name}_` as 'mul_'](b),
        m23,
        () => y(3),
      ),
    ];
  }
}
for (const name of ['logical_and_', 'logical_or_', 'logical_xor_'] as const) {
  pointwiseSamples[name] ??= inplace((a) => a[name](values([3])));
}

/** Takes tensors, and what comes out never requires grad. */
export const pointwiseWithoutGradient: Record<string, (a: Tensor) => unknown> = {
  logical_and: (a) => a.logical_and(a),
  logical_or: (a) => a.logical_or(a),
  logical_xor: (a) => a.logical_xor(a),
  signbit: (a) => a.signbit(),
  isposinf: (a) => a.isposinf(),
  isneginf: (a) => a.isneginf(),
  isreal: (a) => a.isreal(),
};
for (const name of ['and', 'or', 'xor', 'left_shift', 'right_shift']) {
  for (const suffix of ['', '_']) {
    const method = `bitwise_${name}${suffix}` as 'bitwise_and_';
    pointwiseWithoutGradient[method] = (a) => a.detach().int()[method](1);
  }
}
for (const name of ['bitwise_not', 'bitwise_not_'] as const) {
  pointwiseWithoutGradient[name] = (a) => a.detach().int()[name]();
}

/** Differentiable in name only: backward raises, as in PyTorch. */
export const underivable: Record<string, (a: Tensor) => Tensor> = {
  floor_divide: (a) => a.floor_divide(2),
  floor_divide_: (a) => a.clone().floor_divide_(2),
  heaviside: (a) => a.heaviside(a.detach()),
  heaviside_: (a) => a.clone().heaviside_(a.detach()),
};

/** Activations: the op and its in-place form. */
for (const [name, ...args] of [
  ['threshold', 0.1, 0.5],
  ['hardtanh', -0.3, 0.3],
  ['leaky_relu', 0.2],
  ['elu', 0.7],
  ['selu'],
  ['celu', 0.7],
  ['mish'],
  ['silu'],
  ['hardswish'],
  ['hardsigmoid'],
  ['rrelu', 0.17, 0.17],
] as const) {
  pointwiseSamples[name] = unary((a) => F[name](a, ...args), both);
  const written = functional[`${name}_`];
  if (written !== undefined) pointwiseSamples[`${name}_`] = inplace((a) => written(a, ...args), both);
  else pointwiseSamples[`${name}_`] = inplace((a) => F[name](a, ...args, { inplace: true }), both);
}
// In place with a negative slope, where the result does not say which side the input was on.
for (const [name, slope] of [
  ['leaky_relu', -1.5],
  ['elu', -0.7],
  ['celu', -0.7],
] as const) {
  pointwiseSamples[`${name}_`].push(...inplace((a) => F[name](a, slope, { inplace: true }), both));
}
for (const [name, ...args] of [
  ['hardshrink', 0.17],
  ['softshrink', 0.17],
  ['softplus', 2],
  ['logsigmoid'],
  ['softsign'],
  ['tanhshrink'],
] as const) {
  pointwiseSamples[name] = unary((a) => F[name](a, ...args), both);
}
pointwiseSamples['prelu'] = [on((a, w) => F['prelu'](a, w), both, v3)];
pointwiseSamples['glu'] = [
  on(
    (a) => F['glu'](a, 0),
    () => signed(4, 2),
  ),
];

pointwiseSamples['gumbel_softmax'] = unary((a) => {
  torch.manual_seed(0);
  return F['gumbel_softmax'](a);
});

// Nothing is random at the ends.
for (const name of ['dropout', 'feature_dropout', 'alpha_dropout', 'feature_alpha_dropout'] as const) {
  pointwiseSamples[name] = [0, 1].map((p) => on((a) => torch[name](a, p, true), m23));
  pointwiseSamples[`${name}_`] = inplace((a) => torch[`${name}_`](a, 1, true));
}

/** Losses: [name, inputs that require grad, what follows them]. */
const sign3 = () => torch.tensor([1, -1, 1], float64);
const LOSSES: readonly (readonly [string, (() => Tensor)[], () => unknown[]])[] = [
  ['kl_div', [m23, () => y(2, 3)], () => [{ reduction: 'batchmean' }]],
  ['poisson_nll_loss', [m23, () => y(2, 3)], () => [{ log_input: false, full: true }]],
  ['gaussian_nll_loss', [m23, () => y(2, 3), () => x(2, 3)], () => [{ full: true }]],
  ['soft_margin_loss', [both], () => [sign3()]],
  ['multilabel_soft_margin_loss', [both, () => y(2, 3)], () => [values([3])]],
  ['margin_ranking_loss', [() => x(3), () => y(3)], () => [sign3(), 0.5]],
  ['hinge_embedding_loss', [() => x(3)], () => [sign3()]],
  ['cosine_embedding_loss', [() => x(3, 2), () => y(3, 2)], () => [sign3()]],
  ['multi_margin_loss', [m23], () => [ints([2, 0]), 2, { weight: values([3]) }]],
  ['multilabel_margin_loss', [m23], () => [ints([2, 0, -1, 1, -1, 0]).reshape(2, 3)]],
  ['pairwise_distance', [m23, () => y(3)], () => [3]],
  ['cosine_similarity', [m23, () => y(2, 3)], () => []],
  ['normalize', [m23], () => []],
  ['triplet_margin_loss', [m23, () => y(2, 3), () => signed(2, 3)], () => []],
];
for (const [name, inputs, rest] of LOSSES) {
  pointwiseSamples[name] = [on((...tensors) => F[name](...tensors, ...rest()), ...inputs)];
}

/** PyTorch has their gradient, but not the gradient's own. */
export const onceSamples: Record<string, Sample[]> = {
  ctc_loss: unary(
    (a) => F['ctc_loss'](a.log_softmax(2), ints([1, 2, 1]), [3, 2], [2, 1]),
    () => signed(3, 2, 3),
  ),
};
