/**
 * The passes of the row kernels that networks need: softmax and its kin, normalisation, each forward and backward.
 * Plain data: what `RowsKernel` takes. Inputs and scalars are numbered as each function says.
 */
import { abs, add, div, eq, exp, input, log, mul, scalar, sqrt, square, sub, where } from './expr.ts';
import { type RowPass, rowValue as row, stored } from './rows-spec.ts';

/**
 * Inputs: x. Outputs: softmax of each row. `exact`: the output has the dtype of the computation, so the exponentials
 * can wait in it for their sum; otherwise they are computed twice.
 */
export function softmaxPasses(exact: boolean): RowPass[] {
  const e = exp(sub(input(0), row(0)));
  return [
    { reduce: 'max', expr: input(0) },
    { reduce: 'sum', expr: e, store: exact ? 0 : undefined },
    { value: div(1, row(1)) },
    { store: 0, expr: mul(exact ? stored(0) : e, row(2)) },
  ];
}

/** Inputs: gradient, softmax. Outputs: gradient of x. */
export function softmaxBackwardPasses(): RowPass[] {
  return [
    { reduce: 'sum', expr: mul(input(0), input(1)) },
    { store: 0, expr: mul(input(1), sub(input(0), row(0))) },
  ];
}

/** Inputs: x. Outputs: log_softmax of each row. */
export function logSoftmaxPasses(): RowPass[] {
  return [
    { reduce: 'max', expr: input(0) },
    { reduce: 'sum', expr: exp(sub(input(0), row(0))) },
    { value: log(row(1)) },
    { store: 0, expr: sub(sub(input(0), row(0)), row(2)) },
  ];
}

/** Inputs: gradient, log_softmax. Outputs: gradient of x. */
export function logSoftmaxBackwardPasses(): RowPass[] {
  return [
    { reduce: 'sum', expr: input(0) },
    { store: 0, expr: sub(input(0), mul(exp(input(1)), row(0))) },
  ];
}

/** Inputs: x. Outputs: logsumexp, one value a row. A row of -inf gives -inf, one with inf gives inf. */
export function logsumexpPasses(): RowPass[] {
  // Beside an infinite maximum the sum is NaN.
  const infinite = eq(abs(row(0)), Number.POSITIVE_INFINITY);
  return [
    { reduce: 'max', expr: input(0) },
    { reduce: 'sum', expr: exp(sub(input(0), row(0))) },
    { store: 0, expr: where(infinite, row(0), add(log(row(1)), row(0))) },
  ];
}

/**
 * Variance about the mean, in two passes. Inputs: x. Scalars: the number of elements; what to divide by. Outputs: one
 * value a row. `root`: the standard deviation.
 */
export function variancePasses(root: boolean): RowPass[] {
  const variance = div(row(2), scalar(1));
  return [
    { reduce: 'sum', expr: input(0) },
    { value: div(row(0), scalar(0)) },
    { reduce: 'sum', expr: square(sub(input(0), row(1))) },
    { store: 0, expr: root ? sqrt(variance) : variance },
  ];
}

/**
 * Inputs: x, then weight and bias if there are (columns). Scalars: the number of elements; eps. Outputs: the
 * normalised rows; mean and 1 / standard deviation, one value a row each.
 */
export function layerNormPasses(weight: boolean, bias: boolean): RowPass[] {
  let out = mul(sub(input(0), row(1)), row(3));
  if (weight) out = mul(out, input(1));
  if (bias) out = add(out, input(weight ? 2 : 1));
  return [
    { reduce: 'sum', expr: input(0) },
    { value: div(row(0), scalar(0)) },
    { reduce: 'sum', expr: square(sub(input(0), row(1))) },
    { value: div(1, sqrt(add(div(row(2), scalar(0)), scalar(1)))) },
    { store: 0, expr: out },
    { store: 1, expr: row(1) },
    { store: 2, expr: row(3) },
  ];
}

/**
 * Inputs: gradient, x, mean and 1 / standard deviation (one value a row each), then weight if there is (columns).
 * Scalars: the number of elements. Outputs: gradient of x; with `parameters` also those of weight and bias, in parts.
 */
export function layerNormBackwardPasses(weight: boolean, parameters = false): RowPass[] {
  const g = weight ? mul(input(0), input(4)) : input(0);
  const normalised = mul(sub(input(1), input(2)), input(3));
  return [
    { reduce: 'sum', expr: g },
    { reduce: 'sum', expr: mul(g, normalised) },
    { value: div(row(0), scalar(0)) },
    { value: div(row(1), scalar(0)) },
    {
      store: 0,
      expr: mul(input(3), sub(sub(g, row(2)), mul(normalised, row(3)))),
      sums: parameters
        ? [
            { output: 1, expr: mul(input(0), normalised) },
            { output: 2, expr: input(0) },
          ]
        : [],
    },
  ];
}
