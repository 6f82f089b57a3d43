/** Tensors of different devices in what rearranges, picks, sorts and multiplies arrays, for `mixed-devices.test.ts`. */
import torch, { type Tensor } from 'torch-mtia';
import {
  both,
  type Case,
  cube,
  type Fn,
  grid,
  ints,
  MOVED,
  method,
  one,
  row,
  vector,
  x,
} from './mixed-devices.testing.ts';

const said = (argument: string, name: string) => `${argument} in method ${name}`;
const whole = () => torch.ones(3, 3, { dtype: torch.bool });
const split = () => torch.tensor([1n, 2n]);
const counts = () => torch.tensor([1n, 2n, 0n]);
const place = () => torch.tensor([1n]);
const weights = () => torch.ones(2, 3, 3);
const sorted = () => torch.tensor([0.2, 0.5, 0.7]);

/** A method and its in-place form, whose errors name the latter. */
function placing(name: string, args: (...rest: Tensor[]) => unknown[], make: (() => Tensor)[], ...off: string[]) {
  const [first] = off;
  const cases = (called: string): Case[] => {
    const fn: Fn = (a, ...rest) => method(called, called.endsWith('_') ? a.clone() : a, ...args(...rest));
    return [row(fn, make, said(first, `${name}_`), ...off.map((argument) => said(argument, `${name}_`)))];
  };
  return { [name]: cases(name), [`${name}_`]: cases(`${name}_`) };
}

function adding(name: string, ...make: (() => Tensor)[]) {
  const [first, second] = NAMES[name] ?? ['batch1', 'batch2'];
  const off = [first, first, second].map((argument) => said(argument, name));
  const fn = (called: string): Fn => {
    return (a, b, c) => method(called, called.endsWith('_') ? a.clone() : a, b, c);
  };
  return { [name]: [row(fn(name), make, ...off)], [`${name}_`]: [row(fn(`${name}_`), make, ...off)] };
}
const NAMES: Record<string, string[]> = { addmv: ['mat', 'vec'], addr: ['vec1', 'vec2'] };

const joined = (name: 'hstack' | 'vstack' | 'row_stack' | 'dstack' | 'column_stack') => ({
  [name]: [both((a, b) => torch[name]([a, b]), [x, x], said('tensors', 'cat'))],
});
const raised = (name: 'atleast_1d' | 'atleast_2d' | 'atleast_3d') => ({
  [name]: [row((a, b) => torch[name](a, b)[1].to('cpu'), [vector, vector], MOVED, MOVED)],
});

export const arrayCases: Record<string, Case[]> = {
  tensor_split: [row((a, at) => a.tensor_split(at)[0], [x, split], MOVED, MOVED)],
  ...raised('atleast_1d'),
  ...raised('atleast_2d'),
  ...raised('atleast_3d'),
  repeat_interleave: [both((a, r) => a.repeat_interleave(r, 0), [x, counts], said('repeats', 'repeat_interleave'))],
  ...joined('hstack'),
  ...joined('vstack'),
  ...joined('row_stack'),
  ...joined('dstack'),
  ...joined('column_stack'),
  masked_select: [both((a, m) => a.masked_select(m), [x, whole], said('mask', 'masked_select'))],
  ...placing('masked_scatter', (m, s) => [m, s], [x, whole, x], 'mask', 'source'),
  take: [both((a, i) => a.take(i), [x, ints], said('index', 'take'))],
  take_along_dim: [both((a, i) => a.take_along_dim(i, 0), [x, grid], said('index', 'gather'))],
  ...placing('put', (i, s) => [i, s], [x, ints, vector], 'index', 'source'),
  ...placing('index_copy', (i, s) => [0, i, s], [x, ints, x], 'index', 'source'),
  ...placing('index_fill', (i) => [0, i, 2], [x, place], 'index'),
  ...placing('scatter_reduce', (i, s) => [0, i, s, 'sum'], [x, grid, one], 'index', 'src'),
  bernoulli_: [row((a, p) => a.clone().bernoulli_(p.ge(0).float()), [x, vector], MOVED, MOVED)],
  searchsorted: [both((s, v) => torch.searchsorted(s, v), [sorted, x], said('input', 'searchsorted'))],
  bucketize: [both((v, b) => torch.bucketize(v, b), [x, sorted], said('input', 'bucketize'))],
  bincount: [both((a, w) => a.bincount(w), [ints, vector], said('weights', 'bincount'))],
  isin: [both((a, t) => torch.isin(a, t), [x, vector], said('test_elements', 'isin'))],
  normal: [both((m, s) => torch.normal(m, s), [x, vector], said('other', 'mul'))],
  tensordot: [both((a, b) => torch.tensordot(a, b, 1), [x, x], said('mat2', 'mm'))],
  einsum: [
    both((a, b) => torch.einsum('ij,jk->ik', a, b), [x, x], said('mat2', 'bmm')),
    both((a, b) => torch.einsum('ij,ij->ij', a, b), [x, x], said('other', 'mul')),
  ],
  vdot: [both((a, b) => torch.vdot(a, b), [vector, vector], said('tensor', 'dot'))],
  outer: [both((a, b) => torch.outer(a, b), [vector, vector], said('other', 'mul'))],
  ger: [both((a, b) => torch.ger(a, b), [vector, vector], said('other', 'mul'))],
  inner: [both((a, b) => torch.inner(a, b), [x, x], said('mat2', 'mm'))],
  kron: [both((a, b) => torch.kron(a, b), [x, x], said('other', 'mul'))],
  cross: [both((a, b) => torch.cross(a, b), [x, x], said('other', 'linalg_cross'))],
  linalg_cross: [both((a, b) => torch.linalg.cross(a, b), [x, x], said('other', 'linalg_cross'))],
  linalg_vecdot: [both((a, b) => torch.linalg.vecdot(a, b), [x, x], said('other', 'mul'))],
  linalg_matmul: [both((a, b) => torch.linalg.matmul(a, b), [x, x], said('mat2', 'mm'))],
  linalg_multi_dot: [both((a, b) => torch.linalg.multi_dot([a, b]), [x, x], said('tensors', 'multi_dot'))],
  chain_matmul: [both((a, b) => torch.chain_matmul(a, b), [x, x], said('tensors', 'multi_dot'))],
  diff: [both((a, before) => a.diff({ prepend: before }), [vector, vector], said('tensors', 'cat'))],
  dist: [both((a, b) => a.dist(b), [x, x], said('other', 'sub'))],
  cdist: [both((a, b) => torch.cdist(a, b), [x, x], said('x2', 'cdist'))],
  bilinear: [
    row(
      (a, b, weight) => torch.nn.functional.bilinear(a, b, weight),
      [x, x, weights],
      said('mat2', 'mm'),
      said('mat2', 'bmm'),
      said('mat2', 'mm'),
    ),
  ],
  linear_cross_entropy: [
    row(
      (a, weight, target) => torch.nn.functional.linear_cross_entropy(a, weight, target),
      [x, x, ints],
      said('mat2', 'mm'),
      said('mat2', 'mm'),
      said('target', 'nll_loss_forward'),
    ),
  ],
  ...adding('addmv', vector, x, vector),
  ...adding('addr', x, vector, vector),
  ...adding('baddbmm', cube, cube, cube),
  ...adding('addbmm', x, cube, cube),
};

/** No device in the text: PyTorch's is another. */
export const elsewhereInOtherWords = ['meshgrid', 'cartesian_prod', 'quantile', 'nanquantile'];
