/**
 * Every op of the registry that is differentiable, against finite differences: gradients and gradients of gradients, in
 * float64, on the cpu (other devices have the same graphs; tests/oracle compares their gradients with PyTorch's). An op
 * without a sample here fails.
 */
import { describe, expect, test } from 'vitest';
import torch from '../index.ts';
import { aliases } from '../ops/aliases.ts';
import { allOps } from '../ops/all.ts';
import type { Tensor } from '../tensor/tensor.ts';
import {
  binary,
  F,
  float64,
  inplace,
  ints,
  m23,
  mask,
  on,
  type Sample,
  signed,
  unary,
  v3,
  values,
  x,
  y,
} from './every-op.testing.ts';
import { arraySamples, arraysWithoutGradient, underivableArrays } from './every-op-arrays.testing.ts';
import { imageSamples } from './every-op-images.testing.ts';
import { layerSamples } from './every-op-layers.testing.ts';
import { onceSamples, pointwiseSamples, pointwiseWithoutGradient, underivable } from './every-op-pointwise.testing.ts';

const { gradcheck, gradgradcheck } = torch.autograd;

const SAMPLES: Record<string, Sample[]> = {
  ...arraySamples,
  ...imageSamples,
  ...layerSamples,
  ...pointwiseSamples,
  view: unary((a) => a.view(3, 2)),
  view_as: unary((a) => a.view_as(values([3, 2]))),
  reshape: unary((a) => a.t().reshape(-1)),
  reshape_as: unary((a) => a.reshape_as(values([6]))),
  flatten: unary((a) => a.flatten()),
  unflatten: unary((a) => a.unflatten(1, [3, 1])),
  permute: unary((a) => a.permute(1, 0)),
  transpose: unary((a) => a.transpose(0, 1)),
  swapaxes: unary((a) => a.swapaxes(0, 1)),
  swapdims: unary((a) => a.swapdims(0, 1)),
  t: unary((a) => a.t()),
  unsqueeze: unary((a) => a.unsqueeze(1)),
  squeeze: unary((a) => a.unsqueeze(1).squeeze(1)),
  expand: unary((a) => a.expand(2, 2, 3)),
  expand_as: unary((a) => a.expand_as(values([2, 2, 3]))),
  broadcast_to: unary((a) => a.broadcast_to([2, 2, 3])),
  select: unary((a) => a.select(1, 1)),
  narrow: unary((a) => a.narrow(1, 1, 2)),
  split: unary((a) => a.split(2, 1)),
  chunk: unary((a) => a.chunk(2, 1)),
  unbind: unary((a) => a.unbind(1)),
  as_strided: unary((a) => a.clone().as_strided([2, 2], [1, 2], 1)),
  as_strided_backward: unary((a) => a.as_strided_backward([4], [1], [2, 3], [1, 1], 0)),
  t_: inplace((a) => a.t_()),
  transpose_: inplace((a) => a.transpose_(0, 1)),
  swapaxes_: inplace((a) => a.swapaxes_(0, 1)),
  swapdims_: inplace((a) => a.swapdims_(0, 1)),
  squeeze_: inplace(
    (a) => a.squeeze_(0),
    () => x(1, 3),
  ),
  unsqueeze_: inplace((a) => a.unsqueeze_(1)),
  as_strided_: inplace((a) => a.as_strided_([2, 2], [1, 2], 1)),
  index: [
    on((a) => a.index([0, ':']), m23),
    on((a) => a.index([':', ints([0, 2, 0])]), m23),
    on((a) => a.index([':', mask()]), m23),
  ],
  index_put_: [
    on(
      (a, b) => a.clone().index_put_([0, ints([0, 2])], b),
      m23,
      () => y(2),
    ),
  ],
  index_put: [
    on(
      (a, b) => a.index_put([0, ints([0, 2])], b),
      m23,
      () => y(2),
    ),
    on(
      (a, b) => a.index_put([0, ints([0, 0])], b, { accumulate: true }),
      m23,
      () => y(2),
    ),
  ],
  index_select: unary((a) => a.index_select(1, ints([2, 0, 2]))),
  index_add_: [
    on(
      (a, b) => a.clone().index_add_(0, ints([1, 1]), b, { alpha: 2 }),
      m23,
      () => y(2, 3),
    ),
  ],
  index_add: [
    on(
      (a, b) => a.index_add(0, ints([1, 1]), b, { alpha: 2 }),
      m23,
      () => y(2, 3),
    ),
  ],
  gather: unary((a) =>
    a.gather(
      1,
      ints([
        [0, 0],
        [2, 1],
      ]),
    ),
  ),
  scatter_add_: [
    on(
      (a, b) =>
        a.clone().scatter_add_(
          1,
          ints([
            [0, 0],
            [2, 1],
          ]),
          b,
        ),
      m23,
      () => y(2, 2),
    ),
  ],
  scatter_add: [
    on(
      (a, b) =>
        a.scatter_add(
          1,
          ints([
            [0, 0],
            [2, 1],
          ]),
          b,
        ),
      m23,
      () => y(2, 2),
    ),
  ],
  scatter_: [
    on(
      (a, b) =>
        a.clone().scatter_(
          1,
          ints([
            [0, 1],
            [2, 1],
          ]),
          b,
        ),
      m23,
      () => y(2, 2),
    ),
  ],
  scatter: [
    on(
      (a, b) =>
        a.scatter(
          1,
          ints([
            [0, 1],
            [2, 1],
          ]),
          b,
        ),
      m23,
      () => y(2, 2),
    ),
    on(
      (a) =>
        a.scatter(
          1,
          ints([
            [0, 1],
            [2, 1],
          ]),
          3,
        ),
      m23,
    ),
  ],
  cat: [
    on(
      (a, b) => torch.cat([a, b], 1),
      m23,
      () => y(2, 1),
    ),
  ],
  concat: [
    on(
      (a, b) => torch.concat([a, b]),
      m23,
      () => y(1, 3),
    ),
  ],
  concatenate: [
    on(
      (a, b) => torch.concatenate([a, b]),
      m23,
      () => y(1, 3),
    ),
  ],
  stack: [
    on(
      (a, b) => torch.stack([a, b], 1),
      m23,
      () => y(2, 3),
    ),
  ],

  addmm_: [
    on(
      (a, b, c) => a.clone().addmm_(b, c, { beta: 2, alpha: 3 }),
      () => x(2, 2),
      m23,
      () => y(3, 2),
    ),
  ],
  mm: [
    on(
      (a, b) => a.mm(b),
      m23,
      () => y(3, 2),
    ),
  ],
  bmm: [
    on(
      (a, b) => a.bmm(b),
      () => x(2, 1, 3),
      () => y(2, 3, 2),
    ),
  ],
  addmm: [
    on(
      (a, b, c) => torch.addmm(a, b, c, { beta: 2, alpha: 3 }),
      () => x(2),
      m23,
      () => y(3, 2),
    ),
  ],
  dot: [
    on(
      (a, b) => a.dot(b),
      v3,
      () => y(3),
    ),
  ],
  mv: [
    on(
      (a, b) => a.mv(b),
      m23,
      () => y(3),
    ),
  ],
  matmul: [
    on(
      (a, b) => a.matmul(b),
      m23,
      () => y(3, 2),
    ),
    on(
      (a, b) => a.matmul(b),
      () => x(2, 1, 2, 3),
      () => y(3, 1),
    ),
    on(
      (a, b) => a.matmul(b),
      v3,
      () => y(2, 3, 2),
    ),
    on(
      (a, b) => a.matmul(b),
      m23,
      () => y(3),
    ),
  ],
  linear: [
    on(
      (a, b, c) => F['linear'](a, b, c),
      m23,
      () => y(2, 3),
      () => x(2),
    ),
  ],

  to: unary((a) => a.to(torch.float64, { copy: true })),
  double: unary((a) => a.double().mul(1)),
  cpu: unary((a) => a.cpu().mul(1)),
  type_as: unary((a) => a.type_as(values([1])).mul(1)),
  clone: unary((a) => a.clone()),
  pin_memory: unary((a) => a.pin_memory()),
  contiguous: unary((a) => a.t().contiguous()),
  copy_: [
    on(
      (a, b) => a.clone().copy_(b),
      m23,
      () => y(3),
    ),
  ],
  fill_: [
    on(
      (a, b) => a.clone().fill_(b),
      m23,
      () => y(),
    ),
  ],
  zero_: inplace((a) => a.zero_()),
  uniform_: inplace((a) => a.uniform_(0, 0)),
  normal_: inplace((a) => a.normal_(1, 0)),
  random_: inplace((a) => a.random_(0, 1)),
  bernoulli_: inplace((a) => a.bernoulli_(1)),

  add: [...binary((a, b) => a.add(b, { alpha: 2 })), on((a) => a.add(3), m23)],
  sub: [...binary((a, b) => a.sub(b, { alpha: 2 })), on((a) => a.sub(3), m23)],
  rsub: binary((a, b) => torch.rsub(a, b, { alpha: 2 })),
  mul: [...binary((a, b) => a.mul(b)), on((a) => a.mul(3), m23), on((a) => a.mul(a), m23)],
  div: [...binary((a, b) => a.div(b)), on((a) => a.div(3), m23)],
  pow: [
    ...binary((a, b) => a.pow(b)),
    on((a) => a.pow(3), m23),
    on((a) => a.pow(0.5), m23),
    on((a) => torch.pow(2, a), m23),
  ],
  maximum: binary((a, b) => a.maximum(b)),
  minimum: binary((a, b) => a.minimum(b)),
  add_: [
    on(
      (a, b) => a.clone().add_(b, { alpha: 2 }),
      m23,
      () => y(3),
    ),
  ],
  sub_: [
    on(
      (a, b) => a.clone().sub_(b, { alpha: 2 }),
      m23,
      () => y(3),
    ),
  ],
  mul_: [
    on(
      (a, b) => a.clone().mul_(b),
      m23,
      () => y(3),
    ),
  ],
  div_: [
    on(
      (a, b) => a.clone().div_(b),
      m23,
      () => y(3),
    ),
  ],
  pow_: [
    on(
      (a, b) => a.clone().pow_(b),
      m23,
      () => y(3),
    ),
  ],
  clamp: [
    on((a) => a.clamp(0.45, 0.73), m23),
    on(
      (a, lo, hi) => a.clamp(lo, hi),
      m23,
      () => torch.full([3], 0.45, { ...float64, requires_grad: true }),
      () => torch.full([2, 1], 0.73, { ...float64, requires_grad: true }),
    ),
  ],
  clamp_: inplace((a) => a.clamp_(0.45)),
  where: [
    on(
      (a, b) => torch.where(mask(), a, b),
      m23,
      () => y(3),
    ),
  ],
  masked_fill: [
    on((a) => a.masked_fill(mask(), 2), m23),
    on(
      (a, b) => a.masked_fill(mask(), b),
      m23,
      () => y(),
    ),
  ],
  masked_fill_: inplace((a) => a.masked_fill_(mask(), 2)),

  sum: [on((a) => a.sum(), m23), on((a) => a.sum(1, { keepdim: true }), m23), on((a) => a.sum([0, 1]), m23)],
  sum_to_size: unary((a) => a.sum_to_size(1, 3)),
  mean: [on((a) => a.mean(), m23), on((a) => a.mean(0), m23)],
  max: [on((a) => a.max(), m23), on((a) => [...a.max(1)], m23), ...binary((a, b) => torch.max(a, b))],
  min: [on((a) => a.min(), m23), on((a) => [...a.min(1)], m23), ...binary((a, b) => torch.min(a, b))],
  amax: [on((a) => a.amax(), m23), on((a) => a.amax(1), m23)],
  amin: [on((a) => a.amin(), m23), on((a) => a.amin(1), m23)],
  prod: [on((a) => a.prod(), m23), on((a) => a.prod(1, { keepdim: true }), m23)],
  var: [on((a) => a.var(), m23), on((a) => a.var(1, { correction: 0 }), m23)],
  std: [on((a) => a.std(), m23), on((a) => a.std(1, { keepdim: true }), m23)],
  cumsum: unary((a) => a.cumsum(1)),
  cumsum_: inplace((a) => a.cumsum_(0)),
  softmax: [on((a) => a.softmax(1), m23), on((a) => a.softmax(0), m23)],
  log_softmax: [on((a) => a.log_softmax(1), m23), on((a) => a.log_softmax(0), m23)],
  logsumexp: [on((a) => a.logsumexp(1), m23), on((a) => a.logsumexp([0, 1]), m23)],
  layer_norm: [
    on(
      (a, w, b) => F['layer_norm'](a, [3], w, b),
      m23,
      () => y(3),
      v3,
    ),
    on((a) => F['layer_norm'](a, [2, 3]), m23),
  ],

  gelu: [
    on(
      (a) => F['gelu'](a),
      () => signed(2, 3),
    ),
    on(
      (a) => F['gelu'](a, { approximate: 'tanh' }),
      () => signed(2, 3),
    ),
  ],
  relu: unary(
    (a) => a.relu(),
    () => signed(2, 3),
  ),
  relu_: inplace(
    (a) => a.relu_(),
    () => signed(2, 3),
  ),
  mse_loss: [
    on(
      (a, b) => F['mse_loss'](a, b),
      m23,
      () => y(2, 3),
    ),
    on(
      (a, b) => F['mse_loss'](a, b, { reduction: 'none' }),
      m23,
      () => y(2, 3),
    ),
  ],
  l1_loss: [
    on(
      (a, b) => F['l1_loss'](a, b),
      m23,
      () => y(2, 3),
    ),
  ],
  smooth_l1_loss: [
    on(
      (a, b) => F['smooth_l1_loss'](a, b, { beta: 0.1 }),
      m23,
      () => y(2, 3),
    ),
  ],
  huber_loss: [
    on(
      (a, b) => F['huber_loss'](a, b, { delta: 0.1 }),
      m23,
      () => y(2, 3),
    ),
  ],
  binary_cross_entropy: [
    on(
      (a, b) => F['binary_cross_entropy'](a, b),
      m23,
      () => y(2, 3),
    ),
  ],
  binary_cross_entropy_with_logits: [
    on(
      (a, b) => F['binary_cross_entropy_with_logits'](a, b, { pos_weight: values([3]) }),
      () => signed(2, 3),
      () => y(2, 3),
    ),
  ],
  nll_loss: [
    on((a) => F['nll_loss'](a, ints([2, 0])), m23),
    on((a) => F['nll_loss'](a, ints([2, 0]), { weight: values([3]), reduction: 'sum' }), m23),
  ],
  linear_cross_entropy: [
    on(
      (a, b) => F['linear_cross_entropy'](a, b, ints([2, 0])),
      m23,
      () => x(4, 3),
    ),
  ],
  cross_entropy: [
    on((a) => F['cross_entropy'](a, ints([2, 0])), m23),
    on((a) => F['cross_entropy'](a, ints([2, 0]), { label_smoothing: 0.1, weight: values([3]) }), m23),
  ],
  embedding: [
    on(
      (w) =>
        F['embedding'](
          ints([
            [1, 0],
            [1, 1],
          ]),
          w,
        ),
      m23,
    ),
  ],
  embedding_bag: ['sum', 'mean'].map((mode) =>
    on(
      (w) =>
        F['embedding_bag'](
          ints([
            [1, 0],
            [1, 1],
          ]),
          w,
          { mode },
        ),
      m23,
    ),
  ),
};

// One input, elementwise: the op's own name says all.
for (const name of ['neg', 'abs', 'exp', 'log', 'sqrt', 'rsqrt', 'sin', 'cos', 'tanh', 'sigmoid', 'erf']) {
  type Name = 'neg';
  SAMPLES[name] ??= unary((a) => a[name as Name]());
  SAMPLES[`${name}_`] ??= inplace((a) => a[`${name}_` as 'neg_']());
}

/** Takes tensors, and what comes out never requires grad. */
const WITHOUT_GRADIENT: Record<string, (a: Tensor) => unknown> = {
  ...arraysWithoutGradient,
  ...pointwiseWithoutGradient,
  ...Object.fromEntries(
    ['zeros_like', 'ones_like', 'empty_like', 'rand_like', 'randn_like'].map((name) => [
      name,
      (a: Tensor) => torch[name as 'zeros_like'](a),
    ]),
  ),
  ...Object.fromEntries(
    ['eq', 'ne', 'lt', 'le', 'gt', 'ge'].map((name) => [name, (a: Tensor) => a[name as 'eq'](0.5)]),
  ),
  ...Object.fromEntries(
    [
      'logical_not',
      'isnan',
      'isfinite',
      'isinf',
      'any',
      'all',
      'argmax',
      'argmin',
      'nonzero',
      'detach',
      'is_pinned',
    ].map((name) => [name, (a: Tensor) => a[name as 'isnan']()]),
  ),
  ...Object.fromEntries(
    ['long', 'int', 'short', 'char', 'byte', 'bool'].map((name) => [name, (a: Tensor) => a[name as 'long']()]),
  ),
  full_like: (a) => torch.full_like(a, 2),
  new_zeros: (a) => a.new_zeros(2),
  new_ones: (a) => a.new_ones(2),
  new_empty: (a) => a.new_empty(2),
  new_full: (a) => a.new_full([2], 3),
  new_tensor: (a) => a.new_tensor([1, 2]),
  new_empty_strided: (a) => a.new_empty_strided([2], [1]),
  new_empty_like_strides: (a) => a.new_empty_like_strides(),
  item: (a) => a.sum().item(),
  tolist: (a) => a.tolist(),
  toTypedArray: (a) => a.toTypedArray(),
  isclose: (a) => a.isclose(a),
  allclose: (a) => a.allclose(a),
  equal: (a) => a.equal(a),
};
/** Comparisons that write 0 and 1 over a tensor: what was there has no gradient any more. */
for (const name of ['eq', 'ne', 'lt', 'le', 'gt', 'ge']) {
  SAMPLES[`${name}_`] ??= inplace((a) => a[`${name}_` as 'eq_'](0.5));
}
SAMPLES['logical_not_'] ??= inplace((a) => a.logical_not_());

/** Differentiable, and checked elsewhere: their results are not float64, so differences of 1e-6 drown in rounding. */
const ELSEWHERE = ['float', 'half', 'bfloat16', 'mtia'];

/** What stands for another op is that op. */
const isAlias = (name: string): boolean => name.replace(/_$/, '') in aliases;

const takesTensors = (name: string): boolean =>
  allOps()
    .get(name)!
    .schemas.some(({ params }) => params.some(({ type }) => type.startsWith('Tensor')));

describe('every op', () => {
  test('has a sample', () => {
    const known = (name: string) =>
      name in SAMPLES ||
      name in WITHOUT_GRADIENT ||
      name in onceSamples ||
      name in underivable ||
      isAlias(name) ||
      name in underivableArrays ||
      ELSEWHERE.includes(name);
    const missing = [...allOps().keys()].filter((name) => takesTensors(name) && !known(name));
    expect(missing).toEqual([]);
  });

  test('without gradient: results require none', () => {
    for (const [name, call] of Object.entries(WITHOUT_GRADIENT)) {
      const result = call(m23());
      if (result instanceof torch.Tensor) expect([name, result.requires_grad]).toEqual([name, false]);
    }
  });

  test.each(Object.keys(SAMPLES))('%s', (name) => {
    if (!allOps().has(name)) throw new Error(`there is no op '${name}'`);
    for (const { fn, inputs } of SAMPLES[name]) {
      expect(gradcheck(fn as (...inputs: never[]) => unknown, inputs() as never[])).toBe(true);
      expect(gradgradcheck(fn as (...inputs: never[]) => unknown, inputs() as never[])).toBe(true);
    }
  });

  test('without derivative: the result requires grad, and backward raises', () => {
    for (const [name, call] of Object.entries({ ...underivable, ...underivableArrays })) {
      const result = call(m23());
      expect(() => result.sum().backward(), name).toThrow('is not implemented');
    }
  });

  test.each(Object.keys(onceSamples))('%s, once', (name) => {
    for (const { fn, inputs } of onceSamples[name]) {
      expect(gradcheck(fn as (...inputs: never[]) => unknown, inputs() as never[])).toBe(true);
      const [a] = inputs();
      const [grad] = torch.autograd.grad([fn(a) as Tensor], [a], { create_graph: true });
      expect(() => grad!.sum().backward(), name).toThrow('is not implemented');
    }
  });

  test('conversions to other dtypes: the gradient comes back in the dtype of the input', () => {
    for (const name of ['float', 'half', 'bfloat16'] as const) {
      const a = m23();
      a[name]().mul(2).sum().backward();
      expect([name, String(a.grad!.dtype), a.grad!.eq(2).all().item()]).toEqual([name, 'torch.float64', true]);
    }
    const a = torch.ones(2, { requires_grad: true });
    a.mtia().mul(2).sum().backward();
    expect([String(a.grad!.device), a.grad!.tolist()]).toEqual(['cpu', [2, 2]]);
  });
});
