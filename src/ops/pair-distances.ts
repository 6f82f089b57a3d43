/** p-norms of the differences of rows with rows: cdist, pdist. */
import { shouldRecord, record } from '../autograd/record.ts';
import { type DType, FLOAT_CATEGORY, float32, float64 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError, ValueError } from '../core/errors.ts';
import { broadcastSizes } from '../core/shape.ts';
import * as e from '../kernels/expr.ts';
import { ReduceKernel, type ReduceSpec } from '../kernels/reduce.ts';
import { emptyTensor } from '../tensor/empty.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { finishNew } from './inplace.ts';
import { define } from './registry.ts';

type Kind = 'zero' | 'one' | 'two' | 'max' | 'power';

const kindOf = (p: number): Kind =>
  p === 0 ? 'zero' : p === 1 ? 'one' : p === 2 ? 'two' : p === Infinity ? 'max' : 'power';

const difference = e.sub(e.input(0), e.input(1));
const magnitude = e.abs(difference);
const combined = e.input(0);
/** By kind: what is combined, how, and what becomes of it. The scalars of `power` are p and 1 / p. */
const FORWARD: Record<Kind, Pick<ReduceSpec, 'combine' | 'expr' | 'finalize' | 'scalars'>> = {
  zero: { combine: 'sum', expr: e.number(e.ne(difference, e.constant(0))) },
  one: { combine: 'sum', expr: magnitude },
  two: { combine: 'sum', expr: e.mul(difference, difference), finalize: e.sqrt(combined) },
  max: { combine: 'max', expr: magnitude },
  power: {
    combine: 'sum',
    expr: e.pow(magnitude, e.scalar(0)),
    finalize: e.pow(combined, e.scalar(1)),
    scalars: 2,
  },
};

const [grad, distance] = [e.input(2), e.input(3)];
const none = e.constant(0);
/** What a pair adds to the gradient of its first row. The scalar of `power` is p - 1. */
const BACKWARD: Record<Exclude<Kind, 'zero'>, e.Expr> = {
  one: e.mul(e.sign(difference), grad),
  two: e.where(e.eq(distance, none), none, e.div(e.mul(grad, difference), distance)),
  max: e.mul(e.mul(e.sign(difference), grad), e.number(e.eq(distance, magnitude))),
  power: e.where(
    e.or(e.eq(distance, none), e.eq(difference, none)),
    none,
    e.div(e.mul(e.mul(e.sign(difference), e.pow(magnitude, e.scalar(0))), grad), e.pow(distance, e.scalar(0))),
  ),
};

const kernels = new Map<string, ReduceKernel>();

function kernelOf(kind: Kind, dtype: DType, backward: boolean): ReduceKernel {
  const key = `${kind} ${dtype.name} ${backward}`;
  let kernel = kernels.get(key);
  if (kernel === undefined) {
    const inputs = new Array<DType>(backward ? 4 : 2).fill(dtype);
    const form: typeof FORWARD.one =
      backward && kind !== 'zero'
        ? { combine: 'sum', expr: BACKWARD[kind], scalars: kind === 'power' ? 1 : 0 }
        : FORWARD[kind];
    kernels.set(key, (kernel = new ReduceKernel({ name: 'cdist', inputs, compute: dtype, output: dtype, ...form })));
  }
  return kernel;
}

/** Norms of a - b over the last dimension, both broadcast to `sizes`. */
function norms(a: Tensor, b: Tensor, sizes: readonly number[], p: number): Tensor {
  const out = emptyTensor(a.storage.backend, sizes.slice(0, -1), a.dtype);
  const kind = kindOf(p);
  const scalars = kind === 'power' ? [p, 1 / p] : undefined;
  kernelOf(kind, a.dtype, false).launch(out, [a, b], sizes, 1 << (sizes.length - 1), scalars);
  return out;
}

/** The gradient with respect to a - b, of the broadcast size, in operations that can be differentiated again. */
function differentiable(a: Tensor, b: Tensor, g: Tensor, d: Tensor, p: number): Tensor {
  const kind = kindOf(p);
  const delta = a.sub(b);
  if (kind === 'one') return delta.sign().mul(g);
  if (kind === 'two') return g.mul(delta).div(d).masked_fill(d.eq(0), 0);
  if (kind === 'max') return delta.sign().mul(g).mul(delta.abs().eq(d));
  const flat = d.eq(0).logical_or(delta.eq(0));
  return delta
    .sign()
    .mul(delta.abs().pow(p - 1))
    .mul(g)
    .div(d.pow(p - 1))
    .masked_fill(flat, 0);
}

const MODES = ['use_mm_for_euclid_dist_if_necessary', 'use_mm_for_euclid_dist', 'donot_use_mm_for_euclid_dist'];

function checkRows(x1: Tensor, x2: Tensor, p: number): void {
  for (const [name, x] of [
    ['X1', x1],
    ['X2', x2],
  ] as const) {
    if (x.sizes.length < 2) {
      throw new RuntimeError(`cdist only supports at least 2D tensors, ${name} got: ${x.sizes.length}D`);
    }
  }
  const [m, n] = [x1.sizes[x1.sizes.length - 1], x2.sizes[x2.sizes.length - 1]];
  if (m !== n) throw new RuntimeError(`X1 and X2 must have the same number of columns. X1: ${m} X2: ${n}`);
  for (const [name, x] of [
    ['X1', x1],
    ['X2', x2],
  ] as const) {
    if (x.dtype.category !== FLOAT_CATEGORY) {
      throw new RuntimeError(`cdist only supports floating-point dtypes, ${name} got: ${x.dtype.scalarTypeName}`);
    }
  }
  if (!(p >= 0)) throw new RuntimeError('cdist only supports non-negative p values');
}

function checkKernel(name: string, x1: Tensor, x2: Tensor): void {
  if (x1.dtype !== float32 && x1.dtype !== float64) {
    throw new NotImplementedError(`"${name}" not implemented for '${x1.dtype.scalarTypeName}'`);
  }
  if (x1.dtype !== x2.dtype) {
    throw new RuntimeError(`expected scalar type ${x1.dtype.scalarTypeName} but found ${x2.dtype.scalarTypeName}`);
  }
}

function cdist(x1: Tensor, x2: Tensor, p: number): Tensor {
  checkRows(x1, x2, p);
  sameBackend('cdist', [x1, x2], ['x1', 'x2']);
  const [r1, r2] = [x1.sizes.length, x2.sizes.length];
  const batch = broadcastSizes(x1.sizes.slice(0, -2), x2.sizes.slice(0, -2)) as number[];
  const [rows, columns, m] = [x1.sizes[r1 - 2], x2.sizes[r2 - 2], x1.sizes[r1 - 1]];
  const a = x1.expand([...batch, rows, m]);
  const b = x2.expand([...batch, columns, m]);
  const sizes = [...batch, rows, columns, m];
  const result = [...batch, rows, columns];
  let out: Tensor;
  if (m === 0 || result.includes(0)) out = a.detach().new_zeros(result);
  else {
    checkKernel('cdist', a, b);
    out = norms(a.detach().unsqueeze(-2), b.detach().unsqueeze(-3), sizes, p);
  }
  finishNew(out, [x1, x2]);
  return record('CdistBackward0', out, [a, b], [a, b, out], ([g], [first, second, d], node) => {
    const kind = kindOf(p);
    if (kind === 'zero' || m === 0 || result.includes(0)) return [first.detach().mul(0), second.detach().mul(0)];
    const [u, v, gs, ds] = [first.unsqueeze(-2), second.unsqueeze(-3), g!.unsqueeze(-1), d.unsqueeze(-1)];
    const [across, down] = [sizes.length - 2, sizes.length - 3];
    if (shouldRecord([g!, first, second])) {
      const whole = differentiable(u, v, gs, ds, p);
      return [whole.sum(across), whole.sum(down).neg()];
    }
    const scalars = kind === 'power' ? [p - 1] : undefined;
    const kernel = kernelOf(kind, first.dtype, true);
    const part = (dim: number, like: Tensor, from: Tensor, to: Tensor) => {
      const made = emptyTensor(like.storage.backend, like.sizes, like.dtype);
      kernel.launch(made, [from, to, gs, ds], sizes, 1 << dim, scalars);
      return made;
    };
    // Exchanged, every difference has the other sign.
    return [node.needs(0) ? part(across, first, u, v) : null, node.needs(1) ? part(down, second, v, u) : null];
  });
}

define(
  {
    doc: 'p-norms of all differences of a row of x1, [..., P, M], with a row of x2, [..., R, M]: [..., P, R]. Never by products of matrices, whatever compute_mode says.',
    method: false,
  },
  {
    'cdist(Tensor x1, Tensor x2, float p=2.0, str compute_mode="use_mm_for_euclid_dist_if_necessary") -> Tensor': (
      x1: Tensor,
      x2: Tensor,
      p: number,
      compute_mode: string,
    ) => {
      if (!MODES.includes(compute_mode)) {
        throw new ValueError(`${compute_mode} is not a valid value for compute_mode`);
      }
      return cdist(x1, x2, p);
    },
  },
);

define(
  {
    doc: 'p-norms of the differences of every two rows of a matrix [N, M]: a vector of N * (N - 1) / 2, in the order of the upper triangle.',
    functional: true,
    method: false,
    function: true,
  },
  {
    'pdist(Tensor self, float p=2) -> Tensor': (self: Tensor, p: number) => {
      if (self.sizes.length !== 2) {
        throw new RuntimeError(`pdist only supports 2D tensors, got: ${self.sizes.length}D`);
      }
      if (self.dtype.category !== FLOAT_CATEGORY) throw new RuntimeError('pdist only supports floating-point dtypes');
      if (!(p >= 0)) throw new RuntimeError('pdist only supports non-negative p values');
      const [n, m] = self.sizes;
      const [i, j] = rowPairs(self, n);
      const pairs = [i.length, m];
      let out: Tensor;
      if (i.length === 0 || m === 0) out = self.detach().new_zeros([i.length]);
      else {
        checkKernel('pdist', self, self);
        const x = self.detach();
        out = norms(x.index_select(0, i), x.index_select(0, j), pairs, p);
      }
      finishNew(out, [self]);
      return record('PdistBackward0', out, [self], [self, out], ([g], [x, d]) => {
        if (p === 0 || i.length === 0 || m === 0) return x.detach().mul(0);
        const [first, second] = rowPairs(x, n);
        const [u, v] = [x.index_select(0, first), x.index_select(0, second)];
        const part = differentiable(u, v, g!.unsqueeze(-1), d.unsqueeze(-1), p);
        return x.detach().mul(0).index_add(0, first, part).index_add(0, second, part.neg());
      });
    },
  },
);

/** The numbers of the rows of every pair. */
function rowPairs(x: Tensor, n: number): [Tensor, Tensor] {
  const list = x.detach().new_ones([n, n]).triu(1).nonzero();
  return [list.select(1, 0), list.select(1, 1)];
}
