/** Launches of expressions, taken apart and put together: what a fused launch is made from. */
import type { DType } from '../core/dtype.ts';
import { bool, float32, float64, int32, int64 } from '../core/dtype.ts';
import { mapKernelFor, mapVariant } from '../kernels/map.ts';
import { BROADCAST, CONTIGUOUS, type MapCode, STRIDED, type Walk } from '../kernels/wasm/map-layout.ts';
import type { Reloc, Step } from './agree.ts';

/** Memory outside of the program that is always at one place. */
export interface Range {
  readonly address: number;
  readonly bytes: number;
}

/** An operand as it is walked. Strides in bytes, from the inside out. */
export interface View {
  /** A buffer of the program, or below 0 -1 - the number of a `Range`. */
  readonly memory: number;
  /** In bytes from where the memory begins. */
  readonly offset: number;
  readonly strides: readonly number[];
  readonly dtype: DType;
}

/** A launch of expressions over views of one shape. */
export interface MapStep {
  readonly code: MapCode;
  readonly name: string;
  /** From the inside out. */
  readonly sizes: readonly number[];
  readonly outputs: readonly View[];
  readonly inputs: readonly View[];
  /** Two words for each scalar. */
  readonly scalars: readonly number[];
}

/** The step as expressions; null if it is not one of those that can be changed. */
export function decode(step: Step, ranges: readonly Range[]): MapStep | null {
  const variant = mapVariant(step.kernel);
  if (variant === undefined || variant.layout.tiled || step.numbers.length > 0) return null;
  const { code, words: at, layout, name } = variant;
  const { words, relocs } = step;
  const { depth, walks } = layout;
  const n = walks.length;
  const sizes = depth === 0 ? [words[1] - words[0]] : Array.from({ length: depth + 1 }, (_, d) => words[at.inner + d]);
  const views: View[] = [];
  for (let k = 0; k < n; k++) {
    const dtype = k < code.outputs.length ? code.outputs[k].dtype : code.inputs[k - code.outputs.length];
    const strides: number[] = [];
    const walk = walks[k];
    strides.push(walk === CONTIGUOUS ? dtype.itemsize : walk === BROADCAST ? 0 : words[at.innerStrides + k]);
    for (let d = 0; d < depth; d++) strides.push(words[at.stride(depth, d, k)]);
    const place = placeOf(at.addresses + k, words, relocs, ranges);
    if (place === null) return null;
    views.push({ ...place, strides, dtype });
  }
  const scalars = Array.from(words.subarray(at.scalars, at.scalars + 2 * code.scalars));
  const outputs = views.slice(0, code.outputs.length);
  return { code, name, sizes, outputs, inputs: views.slice(code.outputs.length), scalars };
}

/** What memory a word of a launch is an address in; null: that is not known. */
export function placeOf(
  at: number,
  words: Int32Array,
  relocs: readonly Reloc[],
  ranges: readonly Range[],
): { memory: number; offset: number } | null {
  const reloc = relocs.find((r) => r.at === at);
  if (reloc !== undefined) return { memory: reloc.buffer, offset: reloc.offset };
  const address = words[at] >>> 0;
  const range = rangeOf(address, ranges);
  return range < 0 ? null : { memory: -1 - range, offset: address - ranges[range].address };
}

/** The range that an address lies in; -1: none. */
export function rangeOf(address: number, ranges: readonly Range[]): number {
  return ranges.findIndex((r) => address >= r.address && address < r.address + r.bytes);
}

/** The launch of a step. */
export function encode(step: MapStep, ranges: readonly Range[]): Step {
  const { sizes, strides } = joined(step);
  const { code, outputs, inputs, scalars, name } = step;
  const views = [...outputs, ...inputs];
  const depth = sizes.length - 1;
  const walks = views.map((view, k): Walk => {
    const stride = strides[k][0];
    if (stride === view.dtype.itemsize) return CONTIGUOUS;
    return stride === 0 && k >= outputs.length ? BROADCAST : STRIDED;
  });
  const { kernel, variant } = mapKernelFor(code, { depth, walks, tiled: false }, name);
  const at = variant.words;
  const strided = walks.includes(STRIDED);
  const words = new Int32Array(at.count(depth, strided));
  const range = sizes.reduce((a, b) => a * b, 1);
  words[1] = range;
  const relocs: Reloc[] = [];
  views.forEach(({ memory, offset }, k) => {
    if (memory >= 0) relocs.push({ at: at.addresses + k, buffer: memory, offset });
    else words[at.addresses + k] = ranges[-1 - memory].address + offset;
  });
  words.set(scalars, at.scalars);
  if (depth > 0) words.set(sizes, at.inner);
  strides.forEach((s, k) => {
    if (strided || depth > 0) words[at.innerStrides + k] = s[0];
    for (let d = 0; d < depth; d++) words[at.stride(depth, d, k)] = s[d + 1];
  });
  return {
    kernel,
    grain: range > variant.grain ? variant.grain : 0,
    words,
    relocs,
    bytes: null,
    numbers: [],
    sets: null,
  };
}

/** Sizes and strides with neighbours that can be walked as one joined. */
function joined({ sizes, outputs, inputs }: MapStep): { sizes: number[]; strides: number[][] } {
  const views = [...outputs, ...inputs];
  const joinedSizes = [sizes[0]];
  const strides = views.map((v) => [v.strides[0]]);
  for (let d = 1; d < sizes.length; d++) {
    const last = joinedSizes.length - 1;
    if (views.every((v, k) => v.strides[d] === strides[k][last] * joinedSizes[last])) joinedSizes[last] *= sizes[d];
    else {
      joinedSizes.push(sizes[d]);
      views.forEach((v, k) => {
        strides[k].push(v.strides[d]);
      });
    }
  }
  return { sizes: joinedSizes, strides };
}

/** The step over dimensions that are split further, to sizes that divide its own; null if they do not. */
export function split(step: MapStep, sizes: readonly number[]): MapStep | null {
  if (sizes.length === step.sizes.length) return step;
  /** For each new dimension: which old one it is part of, and how many of its elements a step is. */
  const from: [number, number][] = [];
  let d = 0;
  let inside = 1;
  for (const size of sizes) {
    if (d >= step.sizes.length) return null;
    from.push([d, inside]);
    inside *= size;
    if (inside === step.sizes[d]) {
      d++;
      inside = 1;
    } else if (inside > step.sizes[d]) return null;
  }
  const over = (view: View): View => ({ ...view, strides: from.map(([old, by]) => view.strides[old] * by) });
  return { ...step, sizes, outputs: step.outputs.map(over), inputs: step.inputs.map(over) };
}

/** Sizes that divide those of both; null if there are none. */
export function common(a: readonly number[], b: readonly number[]): number[] | null {
  const found: number[] = [];
  let [i, j] = [0, 0];
  let [x, y] = [a[0], b[0]];
  while (i < a.length && j < b.length) {
    const size = Math.min(x, y);
    if (x % size !== 0 || y % size !== 0) return null;
    found.push(size);
    x /= size;
    y /= size;
    if (x === 1) x = a[++i];
    if (y === 1) y = b[++j];
  }
  return i === a.length && j === b.length ? found : null;
}

/** What a value of the compute dtype loses nothing by being stored as. */
export function isExact(dtype: DType, compute: MapCode['compute']): boolean {
  return dtype === bool || dtype === { f32: float32, f64: float64, i32: int32, i64: int64 }[compute];
}

/** Whether two views are the same elements in the same order. */
export function sameView(a: View, b: View): boolean {
  return (
    a.memory === b.memory &&
    a.offset === b.offset &&
    a.dtype === b.dtype &&
    a.strides.every((stride, d) => stride === b.strides[d])
  );
}
