/** Rows of the pointwise ops, activations and losses, for `mixed-devices.test.ts`. */
import torch, { type Tensor } from 'torch-mtia';
import {
  both,
  type Case,
  cube,
  F,
  type Fn,
  ints,
  method,
  MOVED,
  pair,
  pairs,
  row,
  vector,
  x,
} from './mixed-devices.testing.ts';

/** `x.name(y)` of whole numbers. */
const whole = (name: string): Case[] => {
  const fn: Fn = (a, b) => method(name, a.mul(9).int(), b.mul(9).int());
  return [both(fn, [x, vector], `other in method ${name.replace(/_$/, '')}`)];
};
const withInplace = (names: readonly string[], make: (name: string) => Case[]): Record<string, Case[]> =>
  Object.fromEntries(names.flatMap((name) => [name, `${name}_`].map((each) => [each, make(each)])));

/** `x.name(y, z)` */
const triple = (name: string, second: string, third: string): Case[] => {
  const plain = name.replace(/_$/, '');
  const fn: Fn = (a, b, c) => method(name, name.endsWith('_') ? a.clone() : a, b, c);
  const [other, last] = [second, third].map((argument) => `${argument} in method ${plain}`);
  return [row(fn, [x, x, x], other, other, last)];
};

/** Another name, and what the op is called in errors. */
const ALIASES: Readonly<Record<string, string>> = {
  arctan2: 'atan2',
  divide: 'div',
  greater: 'gt',
  greater_equal: 'ge',
  less: 'lt',
  less_equal: 'le',
  multiply: 'mul',
  not_equal: 'ne',
  subtract: 'sub',
  true_divide: 'div',
};

const two = (fn: (a: Tensor, b: Tensor) => Tensor, off: string, make = [x, x]): Case[] => [both(fn as Fn, make, off)];
const sequence = () => torch.rand(3, 2, 4).log_softmax(2);
const labels = () =>
  torch.tensor([
    [1n, 2n],
    [2n, 1n],
  ]);
const lengths = (each: bigint) => () => torch.tensor([each, each]);

export const pointwiseCases: Record<string, Case[]> = {
  ...withInplace(['fmod', 'remainder', 'floor_divide', 'atan2', 'copysign', 'hypot', 'xlogy', 'ldexp'], (name) =>
    pair(name),
  ),
  ...withInplace(['logical_and', 'logical_or', 'logical_xor'], (name) => pair(name)),
  ...pairs('logaddexp', 'logaddexp2', 'fmax', 'fmin'),
  ...withInplace(['clamp_min'], (name) => pair(name, 'min')),
  ...withInplace(['clamp_max'], (name) => pair(name, 'max')),
  ...withInplace(['clip'], (name) => pair(name, 'min', 'clamp')),
  ...withInplace(['heaviside'], (name) => pair(name, 'values')),
  float_power: pair('float_power', 'exponent', 'pow'),
  float_power_: two((a, b) => a.double().float_power_(b), 'exponent in method pow'),
  ...withInplace(['bitwise_and', 'bitwise_or', 'bitwise_xor', 'bitwise_left_shift', 'bitwise_right_shift'], whole),
  ...withInplace(['addcmul', 'addcdiv'], (name) => triple(name, 'tensor1', 'tensor2')),
  ...withInplace(['lerp'], (name) => triple(name, 'end', 'weight')),
  ...withInplace(Object.keys(ALIASES), (name) => pair(name, 'other', ALIASES[name.replace(/_$/, '')])),

  prelu: two((a, weight) => F.prelu(a, weight), 'weight in method _prelu_kernel', [x, vector]),
  kl_div: two((a, b) => F.kl_div(a, b, { reduction: 'sum' }), 'other in method mul'),
  poisson_nll_loss: two((a, b) => F.poisson_nll_loss(a, b), 'other in method mul'),
  gaussian_nll_loss: [
    row(
      (a, b, variance) => F.gaussian_nll_loss(a, b, variance),
      [x, x, x],
      'other in method sub',
      'other in method sub',
      'other in method div',
    ),
  ],
  soft_margin_loss: two((a, b) => F.soft_margin_loss(a, b), 'target in method soft_margin_loss'),
  multilabel_soft_margin_loss: [
    both((a, b, w) => F.multilabel_soft_margin_loss(a, b, w), [x, x, vector], 'other in method mul'),
  ],
  margin_ranking_loss: [
    row(
      (a, b, target) => F.margin_ranking_loss(a, b, target),
      [vector, vector, vector],
      'other in method sub',
      'other in method sub',
      'other in method mul',
    ),
  ],
  hinge_embedding_loss: two((a, b) => F.hinge_embedding_loss(a, b), 'self in method where'),
  cosine_embedding_loss: [
    row(
      (a, b, target) => F.cosine_embedding_loss(a, b, target),
      [x, x, vector],
      'other in method mul',
      'other in method mul',
      'self in method where',
    ),
  ],
  multi_margin_loss: [
    row(
      (a, target, weight) => F.multi_margin_loss(a, target, { weight }),
      [x, ints, vector],
      'target in method multi_margin_loss',
      'target in method multi_margin_loss',
      'weight in method multi_margin_loss',
    ),
  ],
  multilabel_margin_loss: two(
    (a, target) => F.multilabel_margin_loss(a, target),
    'target in method multilabel_margin_loss_forward',
    [vector, ints],
  ),
  ctc_loss: [
    row(
      (a, targets, inputs, counts) => F.ctc_loss(a, targets, inputs, counts),
      [sequence, labels, lengths(3n), lengths(1n)],
      'targets in method ctc_loss',
      'targets in method ctc_loss',
      MOVED,
      MOVED,
    ),
  ],
  pairwise_distance: two((a, b) => F.pairwise_distance(a, b), 'other in method sub'),
  cosine_similarity: two((a, b) => F.cosine_similarity(a, b), 'other in method mul', [cube, cube]),
  triplet_margin_loss: [both((a, b, c) => F.triplet_margin_loss(a, b, c), [x, x, x], 'other in method sub')],
};
