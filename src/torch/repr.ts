/** `repr(tensor)`, line for line as PyTorch prints it. Reads the elements that are shown, where they lie. */

import { gradientNode } from '../autograd/views.ts';
import { touchGraphOf } from '../autograd/record.ts';
import { defaultDType } from '../core/defaults.ts';
import { bool, int64 } from '../core/dtype.ts';
import { touch } from '../devices/storage.ts';
import { accessed } from '../kernels/touch.ts';
import { decode } from '../ops/host.ts';
import { FLAG_PARAMETER, requiresGrad, type Tensor } from '../tensor/tensor.ts';
import { exponential, fixed } from './print-numbers.ts';
import { options } from './print-options.ts';

type Value = number | bigint | boolean;

/** The elements of a tensor, by their places in its storage. */
interface Elements {
  readonly sizes: readonly number[];
  readonly strides: readonly number[];
  at(index: number): Value;
}

class Formatter {
  private width = 1;
  private integral = true;
  private scientific = false;

  constructor(
    private readonly floating: boolean,
    values: readonly Value[],
  ) {
    if (!floating) {
      for (const value of values) this.width = Math.max(this.width, showWhole(value).length);
      return;
    }
    const shown = (values as readonly number[]).filter((v) => Number.isFinite(v) && v !== 0);
    if (shown.length === 0) return;
    let min = Infinity;
    let max = 0;
    for (const value of shown) {
      const size = Math.abs(value);
      min = Math.min(min, size);
      max = Math.max(max, size);
      if (value !== Math.ceil(value)) this.integral = false;
    }
    this.scientific = options.sci_mode ?? (max / min > 1000 || max > 1e8 || min < 1e-4);
    for (const value of shown) {
      const text = this.scientific
        ? exponential(value, options.precision)
        : this.integral
          ? `${fixed(value, 0)}.`
          : fixed(value, options.precision);
      this.width = Math.max(this.width, text.length);
    }
  }

  get elementWidth(): number {
    return this.width;
  }

  format(value: Value): string {
    let text: string;
    if (!this.floating) text = showWhole(value);
    else if (this.scientific) text = exponential(value as number, options.precision);
    else if (this.integral) {
      text = fixed(value as number, 0);
      if (Number.isFinite(value as number)) text += '.';
    } else text = fixed(value as number, options.precision);
    return text.padStart(this.width);
  }
}

function showWhole(value: Value): string {
  return typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value);
}

function show(x: Elements, at: number, dim: number, indent: number, summarize: boolean, f: Formatter): string {
  const { sizes, strides } = x;
  if (sizes.length === 0) return f.format(x.at(at));
  const edge = options.edgeitems;
  const short = summarize && sizes[dim] > 2 * edge;
  const indices = shownOf(sizes[dim], summarize);
  if (dim === sizes.length - 1) {
    const perLine = Math.max(1, Math.floor((options.linewidth - indent) / (f.elementWidth + 2)));
    const shown = indices.map((i) => f.format(x.at(at + i * strides[dim])));
    if (short) shown.splice(edge, 0, edge === 0 ? '...' : ' ...');
    const lines: string[] = [];
    for (let i = 0; i < shown.length; i += perLine) lines.push(shown.slice(i, i + perLine).join(', '));
    return `[${lines.join(`,\n${' '.repeat(indent + 1)}`)}]`;
  }
  const shown = indices.map((i) => show(x, at + i * strides[dim], dim + 1, indent + 1, summarize, f));
  if (short) shown.splice(edge, 0, '...');
  return `[${shown.join(`,${'\n'.repeat(sizes.length - dim - 1)}${' '.repeat(indent + 1)}`)}]`;
}

/** Which of the elements or rows along a dimension are shown. */
function shownOf(size: number, summarize: boolean): number[] {
  const edge = options.edgeitems;
  return summarize && size > 2 * edge ? [...range(0, edge), ...range(size - edge, size)] : range(0, size);
}

const range = (from: number, to: number) => Array.from({ length: Math.max(to - from, 0) }, (_, i) => from + i);

/** The values that are shown, which alone decide on the format. */
function collect(x: Elements, at: number, dim: number, summarize: boolean, out: Value[]): Value[] {
  if (dim === x.sizes.length) out.push(x.at(at));
  else {
    for (const i of shownOf(x.sizes[dim], summarize)) collect(x, at + i * x.strides[dim], dim + 1, summarize, out);
  }
  return out;
}

function body(x: Tensor, indent: number): string {
  const { storage, dtype, offset, sizes, strides } = x;
  touch(storage);
  accessed(x, false);
  touchGraphOf(x);
  // No allocation on the device from here on: the bytes are where they lie.
  const { buffer, byteOffset, byteLength } = storage.backend.view(storage.address, storage.nbytes);
  const array = new dtype.array(buffer, byteOffset, Math.floor(byteLength / dtype.itemsize));
  const elements = { sizes, strides, at: (index: number) => decode(dtype, array[index]) };
  const summarize = x.length > options.threshold;
  const formatter = new Formatter(dtype.is_floating_point, collect(elements, offset, 0, summarize, []));
  return show(elements, offset, 0, indent, summarize, formatter);
}

/** Python's `repr`. Reads the data, so it waits for the device. */
export function repr(x: Tensor): string {
  const parameter = (x.flags & FLAG_PARAMETER) !== 0;
  const prefix = 'tensor(';
  const indent = prefix.length;
  const suffixes: string[] = [];
  const { device } = x.storage.backend;
  const isDefault = x.dtype === defaultDType() || x.dtype === int64 || x.dtype === bool;
  let text: string;
  if (device.type !== 'cpu') suffixes.push(`device='${device}'`);
  if (device.type === 'meta') {
    suffixes.push(`size=${tuple(x.sizes)}`);
    if (x.dtype !== defaultDType()) suffixes.push(`dtype=${x.dtype}`);
    text = '...';
  } else if (x.length === 0) {
    if (x.sizes.length !== 1) suffixes.push(`size=${tuple(x.sizes)}`);
    if (x.dtype !== defaultDType()) suffixes.push(`dtype=${x.dtype}`);
    text = '[]';
  } else {
    if (options.edgeitems === 0) suffixes.push(`size=${tuple(x.sizes)}`);
    if (!isDefault) suffixes.push(`dtype=${x.dtype}`);
    text = body(x, indent);
  }
  const node = gradientNode(x);
  if (node !== null) suffixes.push(`grad_fn=<${node.name}>`);
  else if (requiresGrad(x)) suffixes.push('requires_grad=True');
  text = prefix + text;
  let line = text.length - text.lastIndexOf('\n') + 1;
  for (const suffix of suffixes) {
    if (line + suffix.length + 2 > options.linewidth) {
      text += `,\n${' '.repeat(indent)}${suffix}`;
      line = indent + suffix.length;
    } else {
      text += `, ${suffix}`;
      line += suffix.length + 2;
    }
  }
  return `${parameter ? 'Parameter containing:\n' : ''}${text})`;
}

function tuple(sizes: readonly number[]): string {
  return sizes.length === 1 ? `(${sizes[0]},)` : `(${sizes.join(', ')})`;
}
