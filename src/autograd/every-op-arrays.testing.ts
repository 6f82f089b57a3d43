/** Samples of the ops that rearrange, pick, sort, reduce and multiply arrays, for `every-op.test.ts`. */
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { F, float64, ints, inplace, m23, on, type Sample, unary, v3, x, y } from './every-op.testing.ts';

const bools = (list: unknown) => torch.tensor(list as boolean[]);
const mask23 = () =>
  bools([
    [true, false, true],
    [false, true, true],
  ]);
const places = () =>
  ints([
    [0, 1],
    [2, 1],
  ]);
const square = () => x(3, 3);
/** The same numbers every time. */
const seeded = () => ({ generator: new torch.Generator().manual_seed(1) });
const pair = (fn: (a: Tensor, b: Tensor) => unknown, second: () => Tensor): Sample => on(fn as never, m23, second);

export const arraySamples: Record<string, Sample[]> = {
  cummax: unary((a) => a.cummax(1).values),
  cummin: unary((a) => torch.cummin(a, 0).values),
  logcumsumexp: unary((a) => a.logcumsumexp(1)),
  quantile: [on((a) => a.quantile(0.4, 1), m23), on((a) => torch.quantile(a, 0.5), m23)],
  nanquantile: unary((a) => a.nanquantile(0.3, 0, true)),
  diff: [
    on((a) => a.diff(2), m23),
    pair(
      (a, b) => a.diff({ dim: 0, prepend: b }),
      () => y(1, 3),
    ),
  ],
  cdist: [2, 1, 3, Infinity].map((p) =>
    pair(
      (a, b) => torch.cdist(a, b, p),
      () => y(4, 3),
    ),
  ),
  pdist: [2, 3].map((p) =>
    on(
      (a) => torch.pdist(a, p),
      () => x(4, 3),
    ),
  ),
  dist: [2, 3].map((p) =>
    pair(
      (a, b) => a.dist(b, p),
      () => y(2, 3),
    ),
  ),
  bilinear: [
    on(
      ((a: Tensor, b: Tensor, w: Tensor) => F.bilinear(a, b, w)) as never,
      () => x(2, 2),
      () => y(2, 3),
      () => x(2, 2, 3),
    ),
  ],
  ravel: unary((a) => a.t().ravel()),
  adjoint: unary((a) => a.adjoint()),
  movedim: unary((a) => a.movedim(0, 1)),
  moveaxis: unary((a) => a.moveaxis([0, 1], [1, 0])),
  diagonal: unary((a) => a.diagonal(1)),
  unfold: [on((a) => a.unfold(1, 2, 1), m23), on((a) => a.unfold(1, 1, 2), m23)],
  tensor_split: unary((a) => a.tensor_split(2, 1)),
  hsplit: unary((a) => a.hsplit([1])),
  vsplit: unary((a) => a.vsplit(2)),
  dsplit: unary(
    (a) => a.dsplit(2),
    () => x(1, 1, 4),
  ),
  atleast_1d: unary(
    (a) => torch.atleast_1d(a),
    () => x(),
  ),
  atleast_2d: unary((a) => torch.atleast_2d(a), v3),
  atleast_3d: unary((a) => torch.atleast_3d(a)),
  flip: unary((a) => a.flip(0, 1)),
  fliplr: unary((a) => a.fliplr()),
  flipud: unary((a) => a.flipud()),
  roll: unary((a) => a.roll([1, 2], [0, 1])),
  rot90: unary((a) => a.rot90()),
  repeat: unary((a) => a.repeat(2, 1, 2)),
  tile: unary((a) => a.tile(2)),
  repeat_interleave: [on((a) => a.repeat_interleave(2), m23), on((a) => a.repeat_interleave(ints([2, 1]), 0), m23)],
  tril: unary((a) => a.tril()),
  triu: unary((a) => a.triu(1)),
  tril_: inplace((a) => a.tril_(), square),
  triu_: inplace((a) => a.triu_(), square),
  diag: [on((a) => a.diag(), m23), on((a) => a.diag(1), v3)],
  diag_embed: unary((a) => a.diag_embed(1)),
  diagflat: unary((a) => torch.diagflat(a)),
  hstack: [
    pair(
      (a, b) => torch.hstack([a, b]),
      () => y(2, 1),
    ),
  ],
  vstack: [pair((a, b) => torch.vstack([a, b]), v3)],
  row_stack: [pair((a, b) => torch.row_stack([a, b]), v3)],
  dstack: [
    pair(
      (a, b) => torch.dstack([a, b]),
      () => y(2, 3),
    ),
  ],
  column_stack: [
    pair(
      (a, b) => torch.column_stack([a, b]),
      () => y(2),
    ),
  ],
  meshgrid: [
    on(
      (a, b) => torch.meshgrid([a, b], { indexing: 'ij' }),
      v3,
      () => y(2),
    ),
  ],
  cartesian_prod: [
    on(
      (a, b) => torch.cartesian_prod(a, b),
      v3,
      () => y(2),
    ),
  ],
  combinations: unary((a) => torch.combinations(a), v3),
  masked_select: unary((a) => a.masked_select(mask23())),
  masked_scatter: [
    pair(
      (a, b) => a.masked_scatter(mask23(), b),
      () => y(5),
    ),
  ],
  masked_scatter_: [
    pair(
      (a, b) => a.clone().masked_scatter_(mask23(), b),
      () => y(5),
    ),
  ],
  take: unary((a) => a.take(ints([0, 5, 5]))),
  take_along_dim: unary((a) => a.take_along_dim(ints([[1, 1]]), 1)),
  put: [
    pair(
      (a, b) => a.put(ints([1, 4]), b),
      () => y(2),
    ),
    pair(
      (a, b) => a.put(ints([1, 1]), b, true),
      () => y(2),
    ),
  ],
  put_: [
    pair(
      (a, b) => a.clone().put_(ints([1, 4]), b),
      () => y(2),
    ),
  ],
  index_copy: [
    pair(
      (a, b) => a.index_copy(1, ints([2, 0]), b),
      () => y(2, 2),
    ),
  ],
  index_copy_: [
    pair(
      (a, b) => a.clone().index_copy_(1, ints([2, 0]), b),
      () => y(2, 2),
    ),
  ],
  index_fill: [
    on((a) => a.index_fill(1, ints([2]), 3), m23),
    pair(
      (a, b) => a.index_fill(1, ints([2, 0]), b),
      () => y(),
    ),
  ],
  index_fill_: [
    pair(
      (a, b) => a.clone().index_fill_(1, ints([2, 0]), b),
      () => y(),
    ),
  ],
  scatter_reduce: (['sum', 'prod', 'mean', 'amax', 'amin'] as const).flatMap((how) => [
    pair(
      (a, b) => a.scatter_reduce(1, places(), b, how),
      () => y(2, 2),
    ),
    pair(
      (a, b) => a.scatter_reduce(1, places(), b, how, { include_self: false }),
      () => y(2, 2),
    ),
  ]),
  scatter_reduce_: [
    pair(
      (a, b) => a.clone().scatter_reduce_(1, places(), b, 'prod'),
      () => y(2, 2),
    ),
  ],
  sort: [on((a) => a.sort(1).values, m23), on((a) => [...a.sort(0, true)], m23)],
  msort: unary((a) => a.msort()),
  topk: unary((a) => a.topk(2).values),
  kthvalue: unary((a) => a.kthvalue(2, 1, true).values),
  median: [on((a) => a.median(), m23), on((a) => a.median(1).values, m23)],
  nanmedian: [on((a) => a.nanmedian(), m23), on((a) => a.nanmedian(1).values, m23)],
  mode: unary((a) => a.mode().values),
  cumprod: unary((a) => a.cumprod(1)),
  cumprod_: inplace((a) => a.cumprod_(0)),
  nansum: unary((a) => a.nansum(1)),
  nanmean: unary((a) => a.nanmean(1)),
  std_mean: unary((a) => torch.std_mean(a, 1)),
  var_mean: unary((a) => torch.var_mean(a)),
  aminmax: unary((a) => [...torch.aminmax(a, { dim: 1 })]),
  norm: [on((a) => a.norm(), m23), on((a) => a.norm(3, 1), m23)],
  linalg_vector_norm: [1, 2, 0.5, 1.5, 3, Infinity, -Infinity].map((p) =>
    on((a) => torch.linalg.vector_norm(a, p, 1), m23),
  ),
  linalg_matrix_norm: [on((a) => torch.linalg.matrix_norm(a), m23), on((a) => torch.linalg.matrix_norm(a, 1), m23)],
  linalg_norm: unary((a) => torch.linalg.norm(a)),
  vdot: [
    on(
      (a, b) => torch.vdot(a, b),
      v3,
      () => y(3),
    ),
  ],
  outer: [
    on(
      (a, b) => torch.outer(a, b),
      v3,
      () => y(2),
    ),
  ],
  ger: [
    on(
      (a, b) => a.ger(b),
      v3,
      () => y(2),
    ),
  ],
  inner: [
    pair(
      (a, b) => torch.inner(a, b),
      () => y(2, 3),
    ),
  ],
  kron: [
    pair(
      (a, b) => torch.kron(a, b),
      () => y(1, 2),
    ),
  ],
  cross: [
    pair(
      (a, b) => torch.cross(a, b),
      () => y(2, 3),
    ),
  ],
  linalg_cross: [
    pair(
      (a, b) => torch.linalg.cross(a, b),
      () => y(1, 3),
    ),
  ],
  linalg_vecdot: [
    pair(
      (a, b) => torch.linalg.vecdot(a, b),
      () => y(2, 3),
    ),
  ],
  linalg_matmul: [
    pair(
      (a, b) => torch.linalg.matmul(a, b),
      () => y(3, 2),
    ),
  ],
  linalg_diagonal: unary((a) => torch.linalg.diagonal(a)),
  linalg_multi_dot: [
    pair(
      (a, b) => torch.linalg.multi_dot([a, b, a]),
      () => y(3, 2),
    ),
  ],
  chain_matmul: [
    pair(
      (a, b) => torch.chain_matmul(a, b),
      () => y(3, 2),
    ),
  ],
  trace: unary((a) => a.trace()),
  tensordot: [
    pair(
      (a, b) => torch.tensordot(a, b, [[1], [0]]),
      () => y(3, 2),
    ),
  ],
  einsum: [
    pair(
      (a, b) => torch.einsum('ij,jk->ki', a, b),
      () => y(3, 2),
    ),
    pair(
      (a, b) => torch.einsum('ij,ij->i', a, b),
      () => y(2, 3),
    ),
  ],
  ...Object.fromEntries(
    ['', '_'].flatMap((suffix) =>
      (
        [
          ['addmv', [2], [2, 3], [3]],
          ['addr', [2, 3], [2], [3]],
          ['baddbmm', [2, 1, 2], [2, 1, 3], [2, 3, 2]],
          ['addbmm', [1, 2], [2, 1, 3], [2, 3, 2]],
        ] as const
      ).map(([name, a, b, c]) => [
        name + suffix,
        [
          on(
            (self, first, second) =>
              (suffix === '' ? self : self.clone())[`${name}${suffix}` as 'addmv'](first, second, {
                beta: 2,
                alpha: 3,
              }),
            () => x(...a),
            () => y(...b),
            () => x(...c),
          ),
        ],
      ]),
    ),
  ),
  bernoulli: unary((a) => torch.bernoulli(a, seeded())),
  normal: [
    // The means have no gradient in PyTorch, so they must not matter.
    on((a) => torch.normal(a.mul(0), 1, seeded()), m23),
    pair(
      (a, b) => torch.normal(a.mul(0), b.mul(0), seeded()),
      () => y(2, 3),
    ),
  ],
  exponential_: inplace((a) => a.exponential_(1, seeded())),
  log_normal_: inplace((a) => a.log_normal_(1, 2, seeded())),
  cauchy_: inplace((a) => a.cauchy_(0, 1, seeded())),
  geometric_: inplace((a) => a.geometric_(0.5, seeded())),
};

/** Takes tensors, and what comes out never requires grad. */
export const arraysWithoutGradient: Record<string, (a: Tensor) => unknown> = {
  argwhere: (a) => a.argwhere(),
  one_hot: (a) => F['one_hot'](a.long()),
  count_nonzero: (a) => a.count_nonzero(),
  multinomial: (a) => a.multinomial(1),
  randint_like: (a) => torch.randint_like(a, 5),
  argsort: (a) => a.argsort(),
  searchsorted: (a) => torch.searchsorted(torch.tensor([0.4, 0.5], float64), a),
  bucketize: (a) => torch.bucketize(a, torch.tensor([0.4, 0.5], float64)),
  bincount: (a) => a.long().flatten().bincount(),
  histc: (a) => a.histc(4),
  isin: (a) => torch.isin(a, 1),
};

/** Differentiable in name only: backward raises, as in PyTorch. */
export const underivableArrays: Record<string, (a: Tensor) => Tensor> = {
  unique: (a) => a.unique(),
  unique_consecutive: (a) => a.unique_consecutive({ dim: 0 }),
};
