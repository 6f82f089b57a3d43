/** `repr(tensor)`, line for line as PyTorch prints it. */

import { gradientNode } from '../autograd/views.ts';
import { defaultDType } from '../core/defaults.ts';
import { bool, int64 } from '../core/dtype.ts';
import { ValueError } from '../core/errors.ts';
import { decode, toHost } from '../ops/host.ts';
import { FLAG_PARAMETER, requiresGrad, type Tensor } from '../tensor/tensor.ts';
import { exponential, fixed } from './print-numbers.ts';

interface PrintOptions {
  precision: number;
  threshold: number;
  edgeitems: number;
  linewidth: number;
  sci_mode: boolean | null;
}

const DEFAULTS: PrintOptions = { precision: 4, threshold: 1000, edgeitems: 3, linewidth: 80, sci_mode: null };
const PROFILES: Readonly<Record<string, Partial<PrintOptions>>> = {
  default: { precision: 4, threshold: 1000, edgeitems: 3, linewidth: 80 },
  short: { precision: 2, threshold: 1000, edgeitems: 2, linewidth: 80 },
  full: { precision: 4, threshold: Infinity, edgeitems: 3, linewidth: 80 },
};

const options: PrintOptions = { ...DEFAULTS };

/** `torch.set_printoptions`. */
export function set_printoptions(
  changes: Partial<PrintOptions> & { profile?: 'default' | 'short' | 'full' } = {},
): void {
  const { profile, ...rest } = changes;
  for (const key in rest) {
    if (!(key in DEFAULTS)) throw new TypeError(`set_printoptions() got an unexpected keyword argument '${key}'`);
  }
  if (profile !== undefined) {
    if (!(profile in PROFILES)) throw new ValueError(`unknown print profile '${profile}'`);
    Object.assign(options, PROFILES[profile]);
  }
  for (const key of ['precision', 'threshold', 'edgeitems', 'linewidth'] as const) {
    if (rest[key] !== undefined) options[key] = rest[key];
  }
  options.sci_mode = rest.sci_mode ?? null;
}

type Value = number | bigint | boolean;

/** The values of a tensor in row-major order, with its sizes. */
interface Block {
  readonly sizes: readonly number[];
  readonly values: readonly Value[];
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
    this.scientific = options.sci_mode ?? (max / min > 1000 || max > 1e8 || (!this.integral && min < 1e-4));
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

function showBlock(block: Block, at: number, dim: number, indent: number, summarize: boolean, f: Formatter): string {
  const { sizes, values } = block;
  if (sizes.length === 0) return f.format(values[0]);
  const size = sizes[dim];
  const edge = options.edgeitems;
  const short = summarize && size > 2 * edge;
  const indices = short ? [...range(0, edge), ...range(size - edge, size)] : range(0, size);
  if (dim === sizes.length - 1) {
    const perLine = Math.max(1, Math.floor((options.linewidth - indent) / (f.elementWidth + 2)));
    const shown = indices.map((i) => f.format(values[at + i]));
    if (short) shown.splice(edge, 0, ' ...');
    const lines: string[] = [];
    for (let i = 0; i < shown.length; i += perLine) lines.push(shown.slice(i, i + perLine).join(', '));
    return `[${lines.join(`,\n${' '.repeat(indent + 1)}`)}]`;
  }
  let step = 1;
  for (let d = dim + 1; d < sizes.length; d++) step *= sizes[d];
  const shown = indices.map((i) => showBlock(block, at + i * step, dim + 1, indent + 1, summarize, f));
  if (short) shown.splice(edge, 0, '...');
  return `[${shown.join(`,${'\n'.repeat(sizes.length - dim - 1)}${' '.repeat(indent + 1)}`)}]`;
}

const range = (from: number, to: number) => Array.from({ length: Math.max(to - from, 0) }, (_, i) => from + i);

/** The corners of a large tensor, which alone decide on the format. */
function corners(block: Block): Value[] {
  const { sizes, values } = block;
  const edge = options.edgeitems;
  const out: Value[] = [];
  const visit = (dim: number, at: number) => {
    if (dim === sizes.length) {
      out.push(values[at]);
      return;
    }
    let step = 1;
    for (let d = dim + 1; d < sizes.length; d++) step *= sizes[d];
    const size = sizes[dim];
    const indices = size > 2 * edge ? [...range(0, edge), ...range(size - edge, size)] : range(0, size);
    for (const i of indices) visit(dim + 1, at + i * step);
  };
  visit(0, 0);
  return out;
}

function body(x: Tensor, indent: number): string {
  const array = toHost(x);
  const values: Value[] = new Array(array.length);
  for (let i = 0; i < array.length; i++) values[i] = decode(x.dtype, array[i]);
  const block = { sizes: x.sizes, values };
  const summarize = x.length > options.threshold;
  const formatter = new Formatter(x.dtype.is_floating_point, summarize ? corners(block) : values);
  return showBlock(block, 0, 0, indent, summarize, formatter);
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
