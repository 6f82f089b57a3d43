/** softmax, log_softmax, logsumexp and layer_norm: row kernels. */

import { mode } from '../autograd/mode.ts';
import { type BackwardFunction, record, touchGraphOf } from '../autograd/record.ts';
import { defaultDType } from '../core/defaults.ts';
import { type DType, FLOAT_CATEGORY, float32 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { contiguousStrides, sameSizes, showSizes, wrapDim } from '../core/shape.ts';
import * as e from '../kernels/expr.ts';
import { ReduceKernel } from '../kernels/reduce.ts';
import { RowsKernel } from '../kernels/rows.ts';
import {
  layerNormBackwardPasses,
  layerNormPasses,
  logSoftmaxBackwardPasses,
  logSoftmaxPasses,
  logsumexpPasses,
  softmaxBackwardPasses,
  softmaxPasses,
} from '../kernels/rows-passes.ts';
import { PART_ROWS, type RowInputKind, type RowOutputKind, type RowPass } from '../kernels/rows-spec.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { aliasTensor, FLAG_INFERENCE, requiresGrad, type Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { dimMask } from './reductions.ts';
import { define } from './registry.ts';

const computeOf = (dtype: DType) => (dtype.itemsize === 2 ? float32 : dtype);

/** One kind of row kernel, made once per dtype. */
class Rows {
  private readonly kernels: (RowsKernel | undefined)[] = [];
  constructor(
    private readonly name: string,
    private readonly inputs: readonly RowInputKind[],
    private readonly outputs: readonly RowOutputKind[],
    private readonly scalars: number,
    private readonly passes: (dtype: DType) => readonly RowPass[],
  ) {}

  /** `parameters`: dtype of columns and of values by row, where it is another than that of the rows. */
  of(dtype: DType, parameters: DType = dtype): RowsKernel {
    const of = <K extends RowInputKind | RowOutputKind>(kind: K) => ({
      dtype: kind === 'full' ? dtype : kind === 'part' ? computeOf(dtype) : parameters,
      kind,
    });
    return (this.kernels[dtype.index * 10 + parameters.index] ??= new RowsKernel({
      name: this.name,
      inputs: this.inputs.map(of),
      outputs: this.outputs.map(of),
      compute: computeOf(dtype),
      scalars: this.scalars,
      passes: this.passes(dtype),
    }));
  }
}

const SOFTMAX = new Rows('softmax', ['full'], ['full'], 0, (d) => softmaxPasses(d.itemsize > 2));
const SOFTMAX_BACKWARD = new Rows('softmax_backward', ['full', 'full'], ['full'], 0, softmaxBackwardPasses);
const LOG_SOFTMAX = new Rows('log_softmax', ['full'], ['full'], 0, logSoftmaxPasses);
const LOG_SOFTMAX_BACKWARD = new Rows('log_softmax_backward', ['full', 'full'], ['full'], 0, logSoftmaxBackwardPasses);
const LOGSUMEXP = new Rows('logsumexp', ['full'], ['row'], 0, logsumexpPasses);

function finish(out: Tensor, inputs: readonly Tensor[]): Tensor {
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  if (!mode.grad) for (const x of inputs) touchGraphOf(x);
  return out;
}

/** Kernel of one input along one dimension. */
function along(rows: Rows, inputs: readonly Tensor[], dim: number): Tensor {
  const x = inputs[0];
  const out = emptyTensor(x.storage.backend, x.sizes, x.dtype);
  if (x.length > 0) rows.of(x.dtype).launch([out], inputs, x.sizes, dim, dim);
  return finish(out, inputs);
}

function floatInput(name: string, self: Tensor, dtype: DType | null): Tensor {
  const x = dtype === null || dtype === self.dtype ? self : self.to(dtype);
  if (x.dtype.category !== FLOAT_CATEGORY && x.length > 0) {
    throw new NotImplementedError(`"${name}" not implemented for '${x.dtype.scalarTypeName}'`);
  }
  return x;
}

function softmax(self: Tensor, dim: number, dtype: DType | null): Tensor {
  const at = wrapDim(dim, self.sizes.length);
  const x = floatInput('softmax_lastdim_kernel_impl', self, dtype);
  const out = along(SOFTMAX, [x], at);
  return record('SoftmaxBackward0', out, [x], [out], ([grad], [result]) => softmaxBackward(grad!, result, at));
}

/** The gradient as an op of its own, so that it can be differentiated again. */
export function softmaxBackward(grad: Tensor, result: Tensor, dim: number): Tensor {
  if (grad.dtype !== result.dtype) grad = grad.to(result.dtype);
  const out = along(SOFTMAX_BACKWARD, [grad, result], dim);
  return record('SoftmaxBackwardDataBackward0', out, [grad, result], [grad, result], ([gg], [g, y], node) => {
    // d/dg: the Jacobian is symmetric. d/dy: gg * g - gg * sum(y g) - g * sum(y gg).
    const sumYgg = y.mul(gg!).sum(dim, true);
    return [
      node.needs(0) ? softmaxBackward(gg!, y, dim) : null,
      node.needs(1)
        ? gg!
            .mul(g)
            .sub(gg!.mul(y.mul(g).sum(dim, true)))
            .sub(g.mul(sumYgg))
        : null,
    ];
  });
}

function logSoftmax(self: Tensor, dim: number, dtype: DType | null): Tensor {
  const at = wrapDim(dim, self.sizes.length);
  const x = floatInput('log_softmax_lastdim_kernel_impl', self, dtype);
  const out = along(LOG_SOFTMAX, [x], at);
  return record('LogSoftmaxBackward0', out, [x], [out], ([grad], [result]) => logSoftmaxBackward(grad!, result, at));
}

function logSoftmaxBackward(grad: Tensor, result: Tensor, dim: number): Tensor {
  if (grad.dtype !== result.dtype) grad = grad.to(result.dtype);
  const out = along(LOG_SOFTMAX_BACKWARD, [grad, result], dim);
  return record('LogSoftmaxBackwardDataBackward0', out, [grad, result], [grad, result], ([gg], [g, y], node) => {
    const p = y.exp();
    return [
      node.needs(0) ? gg!.sub(gg!.mul(p).sum(dim, true)) : null,
      node.needs(1) ? gg!.mul(p).mul(g.sum(dim, true)).neg() : null,
    ];
  });
}

for (const [name, fn] of [
  ['softmax', softmax],
  ['log_softmax', logSoftmax],
] as const) {
  define(
    {
      doc: `${name === 'softmax' ? 'exp(x) / sum(exp(x))' : 'Logarithm of softmax'} along dimension dim.`,
      functional: true,
      function: true,
    },
    { [`${name}(Tensor self, int dim, dtype? dtype=None) -> Tensor`]: fn },
  );
}

define(
  { doc: 'log(sum(exp(x))) over the dimensions dim, without overflow.' },
  {
    'logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor': (
      self: Tensor,
      dim: number[],
      keepdim: boolean,
    ) => {
      const x = self.dtype.category === FLOAT_CATEGORY ? self : self.to(defaultDType());
      const rank = x.sizes.length;
      dimMask(dim, rank);
      const dims = (dim.length === 0 ? x.sizes.map((_, i) => i) : dim.map((d) => wrapDim(d, rank))).sort(
        (a, b) => a - b,
      );
      const kept = x.sizes.map((_, i) => i).filter((i) => !dims.includes(i));
      const keptSizes = kept.map((i) => x.sizes[i]);
      const n = dims.reduce((p, d) => p * (rank === 0 ? 1 : x.sizes[d]), 1);
      // All reduced dimensions become one row at the end.
      const rows =
        rank === 0
          ? x.reshape(1)
          : x
              .detach()
              .permute([...kept, ...dims])
              .reshape([...keptSizes, n]);
      const kept1 = x.sizes.map((size, i) => (dims.includes(i) ? 1 : size));
      const out = emptyTensor(x.storage.backend, keepdim ? kept1 : keptSizes, x.dtype);
      const last = rows.sizes.length - 1;
      const target = aliasTensor(out, 0, [...keptSizes, 1], contiguousStrides([...keptSizes, 1]), out.length);
      LOGSUMEXP.of(x.dtype).launch([target], [rows], rows.sizes, last, last);
      target.dispose();
      finish(out, [x]);
      return record('LogsumexpBackward0', out, [x], [x, out], logsumexpBackward(kept1));
    },
  },
);

/** `kept`: the input's sizes, 1 where it was reduced. */
function logsumexpBackward(kept: number[]): BackwardFunction {
  return ([grad], [input, result]) => grad!.reshape(kept).mul(input.sub(result.reshape(kept)).exp());
}

const norms = new Map<string, Rows>();

function normKernel(weight: boolean, bias: boolean): Rows {
  const key = `${weight}${bias}`;
  let rows = norms.get(key);
  if (rows === undefined) {
    const columns: RowInputKind[] = [...(weight ? ['column' as const] : []), ...(bias ? ['column' as const] : [])];
    rows = new Rows('layer_norm', ['full', ...columns], ['full', 'row', 'row'], 2, () => layerNormPasses(weight, bias));
    norms.set(key, rows);
  }
  return rows;
}

const NORM_BACKWARD = new Rows('layer_norm_backward', ['full', 'full', 'row', 'row'], ['full'], 1, () =>
  layerNormBackwardPasses(false),
);
const NORM_BACKWARD_WEIGHT = new Rows(
  'layer_norm_backward',
  ['full', 'full', 'row', 'row', 'column'],
  ['full'],
  1,
  () => layerNormBackwardPasses(true),
);

function layerNorm(
  input: Tensor,
  normalized_shape: number[],
  weight: Tensor | null,
  bias: Tensor | null,
  eps: number,
): Tensor {
  const count = normalized_shape.length;
  if (count === 0) {
    throw new RuntimeError(
      'Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []',
    );
  }
  for (const [what, x] of [
    ['weight', weight],
    ['bias', bias],
  ] as const) {
    if (x !== null && !sameSizes(x.sizes, normalized_shape)) {
      throw new RuntimeError(
        `Expected ${what} to be of same shape as normalized_shape, but got ${what} of shape ${showSizes(x.sizes)} and normalized_shape = ${showSizes(normalized_shape)}`,
      );
    }
  }
  const rank = input.sizes.length;
  const first = rank - count;
  if (first < 0 || !sameSizes(input.sizes.slice(first), normalized_shape)) {
    throw new RuntimeError(
      `Given normalized_shape=${showSizes(normalized_shape)}, expected input with shape [*, ${normalized_shape.join(', ')}], but got input of size${showSizes(input.sizes)}`,
    );
  }
  const x = floatInput('LayerNormKernelImpl', input, null);
  const backend = sameBackend('native_layer_norm', [x, weight, bias], ['input', 'weight', 'bias']);
  const dense = x.contiguous();
  const w = weight === null ? null : weight.contiguous();
  const b = bias === null ? null : bias.contiguous();
  const n = normalized_shape.reduce((p, s) => p * s, 1);
  const out = emptyTensor(backend, x.sizes, x.dtype);
  const statSizes = x.sizes.map((s, i) => (i < first ? s : 1));
  // Half-precision rows may have float32 parameters; their statistics are float32 then, too.
  const parameters = w?.dtype ?? b?.dtype ?? x.dtype;
  const mixed = parameters === float32 && x.dtype.itemsize === 2;
  for (const t of [w, b]) {
    if (t !== null && t.dtype !== parameters) {
      throw new RuntimeError(`expected scalar type ${parameters.scalarTypeName} but found ${t.dtype.scalarTypeName}`);
    }
  }
  if (parameters !== x.dtype && !mixed) {
    throw new RuntimeError(`expected scalar type ${x.dtype.scalarTypeName} but found ${parameters.scalarTypeName}`);
  }
  const mean = emptyTensor(backend, statSizes, parameters);
  const rstd = emptyTensor(backend, statSizes, parameters);
  const operands = [dense, ...(w === null ? [] : [w]), ...(b === null ? [] : [b])];
  if (x.length > 0) {
    normKernel(w !== null, b !== null)
      .of(x.dtype, parameters)
      .launch([out, mean, rstd], operands, x.sizes, first, rank - 1, [n, eps]);
  }
  finish(out, operands);
  const inputs = [dense, w, b];
  if (!mode.grad || !inputs.some((t) => t !== null && requiresGrad(t))) {
    mean.storage.freeNow();
    rstd.storage.freeNow();
    return out;
  }
  // The bias is saved as PyTorch saves it, though nothing needs it.
  const save = [dense, mean, rstd, w, b];
  return record('NativeLayerNormBackward0', out, inputs, save, ([grad], saved, node) => {
    const [xx, , , ww] = saved;
    let [, m, r] = saved;
    const all = node.needs(0) && node.needs(1) && node.needs(2) && ww !== null;
    if (!mode.grad && all && n >= normTuning.elements && xx.length >= n * normTuning.rows) {
      return layerNormBackwardAll(grad!, xx, m, r, ww, first, n);
    }
    if (mode.grad) {
      // mean and rstd as functions of x, so that a second derivative sees them.
      const dims = Array.from({ length: count }, (_, i) => first + i);
      m = xx.mean(dims, true);
      const centred = xx.sub(m);
      r = centred.mul(centred).mean(dims, true).add(eps).rsqrt();
    }
    const lead = Array.from({ length: first }, (_, i) => i);
    const overRows = (t: Tensor) => (lead.length === 0 ? t : t.sum(lead));
    return [
      node.needs(0) ? layerNormBackward(grad!, xx, m, r, ww, first, n) : null,
      node.needs(1) ? layerNormScale(grad!, xx, m, r, first) : null,
      node.needs(2) ? overRows(grad!) : null,
    ];
  });
}

/** Gradient of the input. When it is recorded itself, it is written out in differentiable steps. */
function layerNormBackward(
  grad: Tensor,
  x: Tensor,
  mean: Tensor,
  rstd: Tensor,
  weight: Tensor | null,
  first: number,
  n: number,
): Tensor {
  if (mode.grad) {
    const dims = Array.from({ length: x.sizes.length - first }, (_, i) => first + i);
    const g = weight === null ? grad : grad.mul(weight);
    const normalised = x.sub(mean).mul(rstd);
    const a = g.mean(dims, true);
    const b = g.mul(normalised).mean(dims, true);
    return rstd.mul(g.sub(a).sub(normalised.mul(b)));
  }
  const out = emptyTensor(x.storage.backend, x.sizes, x.dtype);
  const last = x.sizes.length - 1;
  const dense = grad.contiguous();
  if (weight === null)
    NORM_BACKWARD.of(x.dtype, mean.dtype).launch([out], [dense, x, mean, rstd], x.sizes, first, last, [n]);
  else
    NORM_BACKWARD_WEIGHT.of(x.dtype, mean.dtype).launch([out], [dense, x, mean, rstd, weight], x.sizes, first, last, [
      n,
    ]);
  return out;
}

const NORM_BACKWARD_ALL = new Rows(
  'layer_norm_backward',
  ['full', 'full', 'row', 'row', 'column'],
  ['full', 'part', 'part'],
  1,
  () => layerNormBackwardPasses(true, true),
);

/** Rows from which the sums over parts are worth their second step, and elements of a row. */
export const normTuning = { rows: 2 * PART_ROWS, elements: 16 };

/** All gradients in one pass over the rows: of x, weight and bias. */
function layerNormBackwardAll(
  grad: Tensor,
  x: Tensor,
  mean: Tensor,
  rstd: Tensor,
  weight: Tensor,
  first: number,
  n: number,
): Tensor[] {
  const { backend } = x.storage;
  const out = emptyTensor(backend, x.sizes, x.dtype);
  const partSizes = [Math.ceil(x.length / n / PART_ROWS), ...x.sizes.slice(first)];
  const parts = [0, 1].map(() => emptyTensor(backend, partSizes, computeOf(x.dtype)));
  const dense = grad.contiguous();
  NORM_BACKWARD_ALL.of(x.dtype, mean.dtype).launch(
    [out, ...parts],
    [dense, x, mean, rstd, weight],
    x.sizes,
    first,
    x.sizes.length - 1,
    [n],
  );
  const sums = parts.map((part) => {
    const wide = part.sum([0]);
    part.storage.freeNow();
    if (wide.dtype === mean.dtype) return wide;
    const sum = wide.to(mean.dtype);
    wide.storage.freeNow();
    return sum;
  });
  return [out, ...sums];
}

const scaleKernels = new Map<number, ReduceKernel>();

function scaleKernel(dtype: DType, parameters: DType): ReduceKernel {
  const key = dtype.index * 10 + parameters.index;
  let kernel = scaleKernels.get(key);
  if (kernel === undefined) {
    kernel = new ReduceKernel({
      name: 'layer_norm_backward',
      combine: 'sum',
      expr: e.mul(e.input(0), e.mul(e.sub(e.input(1), e.input(2)), e.input(3))),
      inputs: [dtype, dtype, parameters, parameters],
      compute: computeOf(dtype),
      output: parameters,
    });
    scaleKernels.set(key, kernel);
  }
  return kernel;
}

/** Gradient of the weight: grad times the normalised input, added up over the first dimensions. */
function layerNormScale(grad: Tensor, x: Tensor, mean: Tensor, rstd: Tensor, first: number): Tensor {
  if (mode.grad) {
    const products = grad.mul(x.sub(mean).mul(rstd));
    return first === 0 ? products : products.sum(Array.from({ length: first }, (_, i) => i));
  }
  const out = emptyTensor(x.storage.backend, x.sizes.slice(first), mean.dtype);
  scaleKernel(x.dtype, mean.dtype).launch(out, [grad, x, mean, rstd], x.sizes, 2 ** first - 1);
  return out;
}

define(
  {
    doc: 'Rows over the last dimensions (normalized_shape) to mean 0 and variance 1, then scaled by weight and shifted by bias.',
    functional: true,
    function: true,
    method: false,
  },
  {
    'layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> Tensor':
      layerNorm,
  },
);
