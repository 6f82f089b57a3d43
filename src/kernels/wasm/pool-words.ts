/** The launch words of the pooling kernels, and the windows: which inputs an output is made of. */

import { wordReader } from './conv-words.ts';
import { type Func, type I32, i32, type Local, select } from './emitter.ts';

/**
 * The range counts rows of outputs (along the last axis) in the forward pass, planes (a channel of an image) in the
 * backward pass. Outputs and indices are contiguous. All strides are in bytes.
 */
export const POOL = {
  begin: 0,
  end: 1,
  /** Forward: the outputs. Backward: their gradient, contiguous. */
  out: 2,
  /** int64 positions in the input's plane; 0: not wanted. */
  indices: 3,
  /** Forward: the input. Backward: its gradient, contiguous. */
  x: 4,
  image: 5,
  channel: 6,
  axis: 7,
  channels: 10,
  inSize: 11,
  outSize: 14,
  window: 17,
  stride: 20,
  padding: 23,
  dilation: 26,
  /** Averages: 0 for the number of elements. */
  divisor: 29,
  /** Whether that number counts the padding. */
  countPadding: 30,
  count: 31,
} as const;

/** The words of every axis, as locals. */
export interface PoolAxes {
  readonly inSize: readonly Local<'i32'>[];
  readonly outSize: readonly Local<'i32'>[];
  readonly window: readonly Local<'i32'>[];
  readonly stride: readonly Local<'i32'>[];
  readonly padding: readonly Local<'i32'>[];
  readonly dilation: readonly Local<'i32'>[];
}

export function poolAxes(f: Func, args: Local<'i32'>): PoolAxes {
  const word = wordReader(f, args, POOL);
  const three = (name: keyof typeof POOL) => [0, 1, 2].map((i) => word(name, i));
  return {
    inSize: three('inSize'),
    outSize: three('outSize'),
    window: three('window'),
    stride: three('stride'),
    padding: three('padding'),
    dilation: three('dilation'),
  };
}

/** Inputs `first`, first + dilation, … below `end` along an axis. */
export interface Span {
  readonly first: Local<'i32'>;
  readonly end: Local<'i32'>;
  /** How long the window is with the padding that it covers; for averages. */
  readonly whole: Local<'i32'>;
}

export type PoolKind = 'max' | 'average';

/** Sets the span of output `index` along an axis. */
export function spanOf(f: Func, axes: PoolAxes, axis: number, index: I32, kind: PoolKind, adaptive: boolean): Span {
  const size = axes.inSize[axis];
  const outputs = axes.outSize[axis];
  const span = { first: f.local('i32'), end: f.local('i32'), whole: f.local('i32') };
  if (adaptive) {
    f.set(span.first, i32.div_u(i32.mul(index, size), outputs));
    const next = i32.mul(i32.add(index, 1), size);
    f.set(span.end, i32.div_u(i32.sub(i32.add(next, outputs), 1), outputs));
    f.set(span.whole, i32.sub(span.end, span.first));
    return span;
  }
  const [window, padding] = [axes.window[axis], axes.padding[axis]];
  f.set(span.first, i32.sub(i32.mul(index, axes.stride[axis]), padding));
  if (kind === 'max') {
    const dilation = axes.dilation[axis];
    f.set(span.end, i32.add(i32.add(span.first, i32.mul(i32.sub(window, 1), dilation)), 1));
    f.while(i32.lt_s(span.first, 0), () => f.inc(span.first, dilation));
  } else {
    const end = f.let(i32.add(span.first, window));
    const most = f.let(i32.add(size, padding));
    f.set(span.end, select(i32.lt_s(end, most), end, most));
    f.set(span.whole, i32.sub(span.end, span.first));
    f.if(i32.lt_s(span.first, 0), () => f.set(span.first, 0));
  }
  f.if(i32.gt_s(span.end, size), () => f.set(span.end, size));
  return span;
}
