/**
 * Tensors of different devices in one operation: PyTorch's sentence and the argument that is off, or the right result
 * where PyTorch moves the value; never the bytes that lie there on the other device. Every operation that takes several
 * tensors must have a row here.
 */
import torch, { type Tensor } from 'torch-mtia';
import { beforeAll, describe, expect, test } from 'vitest';
import { allOps } from '../src/ops/all.ts';
import {
  both,
  type Case,
  cube,
  F,
  type Fn,
  grid,
  INDICES,
  ints,
  MOVED,
  mask,
  method,
  one,
  pair,
  pairs,
  row,
  vector,
  x,
  zeroDim,
} from './mixed-devices.testing.ts';
import { arrayCases, elsewhereInOtherWords } from './mixed-devices-arrays.testing.ts';
import { imageCases } from './mixed-devices-images.testing.ts';
import { pointwiseCases } from './mixed-devices-pointwise.testing.ts';

const indexed = (name: string, args: (i: Tensor, source: Tensor) => unknown[] = (i, source) => [0, i, source]) => {
  const plain = name.replace(/_$/, '');
  const [index, source, called] = plain === 'index_add' ? [ints, x, 'source'] : [grid, one, 'src'];
  const [i, s] = ['index', called].map((argument) => `${argument} in method ${plain}_`);
  return [
    row((a, i, s) => method(name, name.endsWith('_') ? a.clone() : a, ...args(i, s)), [x, index, source], i, i, s),
  ];
};
const joined = (name: 'cat' | 'concat' | 'concatenate' | 'stack') => [
  both((a, b) => torch[name]([a, b]), [x, x], `tensors in method ${name === 'stack' ? 'stack' : 'cat'}`),
];
const loss = (name: 'mse_loss' | 'l1_loss' | 'smooth_l1_loss' | 'huber_loss', off = `target in method ${name}`) =>
  (['mean', 'none'] as const).map((reduction) =>
    both((a, b) => (F[name] as typeof F.mse_loss)(a, b, { reduction }), [x, x], off),
  );
const entropy = (name: 'binary_cross_entropy' | 'binary_cross_entropy_with_logits') =>
  (['mean', 'none'] as const).map((reduction) => {
    const target = `target in method ${name}`;
    const fn: Fn = (a, b, weight) => F[name](a, b, weight, { reduction });
    return row(fn, [x, x, x], target, target, `weight in method ${name}`);
  });
const positive: Fn = (a, b, pos_weight) => F.binary_cross_entropy_with_logits(a, b, { pos_weight });
const nll = (name: 'nll_loss' | 'cross_entropy') => {
  const [target, weight] = ['target', 'weight'].map((argument) => `${argument} in method nll_loss_forward`);
  return [row((a, t, w) => F[name](a, t, w), [x, ints, vector], target, target, weight)];
};

const CASES: Record<string, Case[]> = {
  ...arrayCases,
  ...imageCases,
  ...pointwiseCases,
  ...pairs('add', 'add_', 'sub', 'sub_', 'mul', 'mul_', 'div', 'div_', 'maximum', 'minimum'),
  ...pairs('eq', 'eq_', 'ne', 'ne_', 'lt', 'lt_', 'le', 'le_', 'gt', 'gt_', 'ge', 'ge_'),
  rsub: [both((a, b) => torch.rsub(a, b), [x, x], 'other in method rsub')],
  max: pair('max', 'other', 'maximum'),
  min: pair('min', 'other', 'minimum'),
  pow: pair('pow', 'exponent'),
  pow_: pair('pow_', 'exponent'),
  clamp: pair('clamp', 'min'),
  clamp_: pair('clamp_', 'min'),
  fill_: [row((a, value) => a.clone().fill_(value), [x, zeroDim], MOVED, MOVED)],
  copy_: [row((a, b) => a.clone().copy_(b), [x, vector], MOVED, MOVED)],
  where: [
    row(
      (c, a, b) => torch.where(c, a, b),
      [mask, x, x],
      'self in method where',
      'self in method where',
      'other in method where',
    ),
    both((c, b) => torch.where(c, 1, b), [mask, zeroDim], 'other in method where'),
  ],
  masked_fill: [
    both((a, m) => a.masked_fill(m, 1), [x, mask], 'mask in method masked_fill'),
    both((a, value) => a.masked_fill(a.gt(0.5), value), [x, zeroDim], 'value in method masked_fill'),
  ],
  masked_fill_: [both((a, m) => a.clone().masked_fill_(m, 1), [x, mask], 'mask in method masked_fill')],
  isclose: [both((a, b) => a.isclose(b), [x, x], 'other in method eq')],
  allclose: [both((a, b) => a.allclose(b), [x, x], 'other in method eq')],
  equal: [both((a, b) => a.equal(b), [x, x], 'other in method equal')],

  view_as: [row((a, b) => a.view_as(b), [x, x], MOVED, MOVED)],
  reshape_as: [row((a, b) => a.reshape_as(b), [x, x], MOVED, MOVED)],
  expand_as: [row((a, b) => a.expand_as(b), [vector, x], MOVED, MOVED)],
  narrow: [row((a, start) => a.narrow(0, start, 1), [x, () => torch.tensor(1n)], MOVED, MOVED)],
  to: [row((a, b) => a.to(b), [x, x], MOVED, MOVED)],
  type_as: [row((a, b) => a.type_as(b), [x, x], MOVED, MOVED)],

  mm: [both((a, b) => a.mm(b), [x, x], 'mat2 in method mm')],
  scaled_dot_product_attention: [
    both((a, b) => F.scaled_dot_product_attention(a, b, b), [cube, cube], 'key in method scaled_dot_product_attention'),
  ],
  bmm: [both((a, b) => a.bmm(b), [cube, cube], 'mat2 in method bmm')],
  dot: [both((a, b) => a.dot(b), [vector, vector], 'tensor in method dot')],
  mv: [both((a, b) => a.mv(b), [x, vector], 'vec in method mv')],
  matmul: [
    both((a, b) => a.matmul(b), [x, x], 'mat2 in method mm'),
    both((a, b) => a.matmul(b), [vector, vector], 'tensor in method dot'),
    both((a, b) => a.matmul(b), [x, vector], 'vec in method mv'),
    both((a, b) => a.matmul(b), [cube, cube], 'mat2 in method bmm'),
  ],
  addmm: [
    row(
      (a, b, c) => torch.addmm(a, b, c),
      [vector, x, x],
      'mat1 in method addmm',
      'mat1 in method addmm',
      'mat2 in method addmm',
    ),
  ],
  addmm_: [
    row(
      (a, b, c) => a.clone().addmm_(b, c),
      [x, x, x],
      'mat1 in method addmm',
      'mat1 in method addmm',
      'mat2 in method addmm',
    ),
  ],
  linear: [
    row(
      (a, weight, bias) => F.linear(a, weight, bias),
      [x, x, vector],
      'mat1 in method addmm',
      'mat2 in method addmm',
      'mat1 in method addmm',
    ),
    both((a, weight) => F.linear(a, weight), [x, x], 'mat2 in method mm'),
  ],
  cat: joined('cat'),
  concat: joined('concat'),
  concatenate: joined('concatenate'),
  stack: joined('stack'),

  index: [
    row((a, i) => a.index([i]), [x, ints], INDICES, INDICES),
    row((a, m) => a.index([':', m]), [x, mask], INDICES, INDICES),
  ],
  index_put_: [
    row((a, i) => a.clone().index_put_([i], 1), [x, ints], INDICES, INDICES),
    both((a, v) => a.clone().index_put_([[0, 1]], v), [x, vector], 'values in method index_put_'),
    row((a, v) => a.clone().index_put_([[0, 1]], v), [x, zeroDim], MOVED, MOVED),
    row((a, v) => a.clone().index_put_([0], v), [x, vector], MOVED, MOVED),
  ],
  index_put: [both((a, v) => a.index_put([[0, 1]], v), [x, vector], 'values in method index_put_')],
  index_select: [both((a, i) => a.index_select(0, i), [x, ints], 'index in method index_select')],
  gather: [both((a, i) => a.gather(0, i), [x, grid], 'index in method gather')],
  index_add: indexed('index_add'),
  index_add_: indexed('index_add_'),
  scatter: indexed('scatter'),
  scatter_: indexed('scatter_'),
  scatter_add: indexed('scatter_add'),
  scatter_add_: indexed('scatter_add_'),

  layer_norm: [
    row(
      (a, weight, bias) => F.layer_norm(a, [3], weight, bias),
      [x, vector, vector],
      'weight in method native_layer_norm',
      'weight in method native_layer_norm',
      'bias in method native_layer_norm',
    ),
  ],
  mse_loss: loss('mse_loss'),
  l1_loss: loss('l1_loss', 'other in method sub'),
  smooth_l1_loss: loss('smooth_l1_loss'),
  huber_loss: loss('huber_loss'),
  binary_cross_entropy: entropy('binary_cross_entropy'),
  binary_cross_entropy_with_logits: [
    ...entropy('binary_cross_entropy_with_logits'),
    row(
      positive,
      [x, x, vector],
      'target in method binary_cross_entropy_with_logits',
      'target in method binary_cross_entropy_with_logits',
      'pos_weight in method binary_cross_entropy_with_logits',
    ),
  ],
  nll_loss: nll('nll_loss'),
  cross_entropy: nll('cross_entropy'),
  embedding: [both((i, weight) => F.embedding(i, weight), [ints, x], 'index in method index_select')],
  embedding_bag: [
    row(
      (i, weight, offsets, each) => F.embedding_bag(i, weight, offsets, { mode: 'sum', per_sample_weights: each }),
      [ints, x, () => torch.tensor([0n, 2n]), vector],
      'indices in method embedding_bag',
      'indices in method embedding_bag',
      'offsets in method embedding_bag',
      'per_sample_weights in method embedding_bag',
    ),
  ],
};

/** The operations behind the recurrent networks: by their modules. */
const RECURRENT = ['lstm', 'gru', 'rnn_tanh', 'rnn_relu'].flatMap((name) => [name, `${name}_cell`]);

test.each([
  ['LSTM', () => new torch.nn.LSTM(3, 4)],
  ['GRU', () => new torch.nn.GRU(3, 4)],
  ['RNN', () => new torch.nn.RNN(3, 4)],
  ['RNN of relu', () => new torch.nn.RNN(3, 4, { nonlinearity: 'relu' })],
  ['LSTMCell', () => new torch.nn.LSTMCell(3, 4)],
  ['GRUCell', () => new torch.nn.GRUCell(3, 4)],
  ['RNNCell', () => new torch.nn.RNNCell(3, 4)],
  ['RNNCell of relu', () => new torch.nn.RNNCell(3, 4, { nonlinearity: 'relu' })],
] as const)('%s: weights and inputs on different devices', (_, make) => {
  const call = make() as unknown as (input: Tensor) => unknown;
  const input = (device: string) => torch.randn(2, 3, { device });
  expect(() => call(input('mtia:0'))).toThrow(/^Expected all tensors to be on the same device.* mtia:0 and cpu!/);
  call(input('cpu'));
});

test('every operation that takes several tensors has a row', () => {
  const missing = new Set<string>();
  for (const { name, schemas } of allOps().values()) {
    for (const { params } of schemas) {
      const tensors = params.filter(({ type }) => type.startsWith('Tensor') || type === 'Index');
      if ((tensors.length > 1 || tensors.some(({ list }) => list !== null)) && !(name in CASES)) missing.add(name);
    }
  }
  for (const name of [...elsewhereInOtherWords, ...RECURRENT]) missing.delete(name);
  expect([...missing]).toEqual([]);
});

beforeAll(() => {
  torch.mtia.configure({ devices: 2 });
});

for (const [here, there] of [
  ['mtia:0', 'cpu'],
  ['cpu', 'mtia:0'],
  ['mtia:0', 'mtia:1'],
]) {
  const text = (what: string) =>
    what === INDICES
      ? INDICES
      : `found at least two devices, (${here} and ${there}|${there} and ${here})! \\(when checking argument for argument ${what}\\) Move one of them: x\\.to\\('[a-z:0-9]+'\\)\\.$`;
  describe(`all on ${here}, one on ${there}`, () => {
    for (const [name, cases] of Object.entries(CASES)) {
      test(name, () => {
        for (const { fn, make, off } of cases) {
          expect(fn(...make.map((each) => each().to(here)))).toBeDefined();
          off.forEach((what, at) => {
            const made = make.map((each) => each());
            const placed = made.map((t, i) => t.to(i === at ? there : here));
            // A 0-dim tensor of the cpu may stand beside others, as long as it is not the one to be changed.
            const scalar = placed.findIndex((t) => t.dim() === 0 && !what.startsWith('indices'));
            const index = what === INDICES && placed[1].device.type === 'cpu';
            if (what === MOVED || index || (scalar >= 0 && placed[scalar].device.type === 'cpu')) {
              const result = fn(...placed) as Tensor;
              expect(result.to('cpu').tolist()).toEqual((fn(...made) as Tensor).tolist());
            } else {
              expect(() => fn(...placed)).toThrow(torch.RuntimeError);
              expect(() => fn(...placed)).toThrow(new RegExp(text(what)));
            }
            torch.mtia.synchronize(0);
            torch.mtia.synchronize(1);
          });
        }
      });
    }
  });
}

test('grids of vectors of several devices', () => {
  const [a, b] = [torch.rand(2), torch.rand(3, { device: 'mtia' })];
  for (const name of ['meshgrid', 'cartesian_prod'] as const) {
    expect(() => torch[name](a, b)).toThrow('torch.meshgrid expects all tensors to have the same device');
  }
});

test('a 0-dim tensor of the cpu is not changed by one of another device', () => {
  const a = torch.zeros([]);
  expect(() => a.add_(torch.ones([], { device: 'mtia' }))).toThrow('found at least two devices, mtia:0 and cpu!');
  expect(a.item()).toBe(0);
});
