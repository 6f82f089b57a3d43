/**
 * The `map` kernel kind: expressions over strided, broadcasting operands, element by element.
 *
 *     const kernel = new MapKernel({
 *       outputs: [{ expr: add(input(0), mul(scalar(0), input(1))), dtype: float32 }],
 *       inputs: [float32, float32],
 *       compute: float32,
 *       scalars: 1,
 *       name: 'add',
 *     });
 *     kernel.launch2(out, a, b, 0.5);
 *
 * Outputs have the full shape (all the same); inputs broadcast to it. An output may be one of the inputs, but may not
 * overlap one otherwise. A launch looks at the layout, chooses the code for it (built when first needed, shared by all
 * MapKernels of the same structure), writes words and submits.
 */
import { type DType, float32, float64, int32, int64 } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import { isContiguous } from '../core/shape.ts';
import { MAX_WORDS } from '../devices/layout.ts';
import type { Storage } from '../devices/storage.ts';
import { type Expr, exprId } from './expr.ts';
import { coalesce, type Plan } from './map-plan.ts';
import { registerKernel } from './registry.ts';
import { address, outAddress } from './touch.ts';
import { mapModule } from './wasm/map.ts';
import {
  CONTIGUOUS,
  cost,
  type MapCode,
  type MapLayout,
  MapWords,
  SET_ALIGNMENT,
  SetWords,
  type Walk,
} from './wasm/map-layout.ts';
import { computeType } from './wasm/types.ts';

export interface MapSpec {
  readonly outputs: readonly { readonly expr: Expr; readonly dtype: DType }[];
  /** Dtypes of the operands as stored. */
  readonly inputs: readonly DType[];
  /** What is computed in; half types stand for float32, narrow integers and bool for int32. */
  readonly compute: DType;
  /** Number of scalars of a launch; default 0. */
  readonly scalars?: number;
  /** For profilers; kernels of one structure share the first name. */
  readonly name?: string;
}

/** A scalar of a launch: any number for a float compute dtype, a whole one for an integer compute dtype. */
export type LaunchScalar = number | bigint;

/** The code of one structure, and its kernels by layout. */
interface Compiled {
  readonly code: MapCode;
  readonly name: string;
  readonly words: MapWords;
  /** Kernel numbers by layout key. */
  readonly kernels: Map<number, number>;
  /** The kernel for operands that are all contiguous; -1 before it exists. */
  flat: number;
  readonly setWords: SetWords;
  /** The kernel over sets of operands; -1 before it exists. */
  sets: number;
  /** Elements that are worth a thread of their own. */
  readonly grain: number;
}

const compiled = new Map<string, Compiled>();

/** What a kernel of this kind computes, and for which layout. */
export interface MapVariant {
  readonly code: MapCode;
  readonly words: MapWords;
  readonly layout: MapLayout;
  readonly grain: number;
  readonly name: string;
}

const variants = new Map<number, MapVariant>();

/** The expressions behind a kernel's number; undefined: it is of another kind. */
export function mapVariant(kernel: number): MapVariant | undefined {
  return variants.get(kernel);
}

/** The kernel for code and layout, outside of any `MapKernel`. */
export function mapKernelFor(code: MapCode, layout: MapLayout, name: string): { kernel: number; variant: MapVariant } {
  const spec = { ...code, compute: COMPUTE[code.compute], name };
  const kernel = new MapKernel(spec).kernelFor(layout);
  return { kernel, variant: variants.get(kernel)! };
}

/** The kernel for code over sets of operands, and how many of them a launch takes at most. */
export function setsKernelFor(code: MapCode, name: string): { kernel: number; most: number } {
  const map = new MapKernel({ ...code, compute: COMPUTE[code.compute], name });
  return { kernel: map.setsKernel(), most: map.mostSets };
}

/** A dtype that is computed in as itself. */
const COMPUTE = { f32: float32, f64: float64, i32: int32, i64: int64 };

function compile(spec: MapSpec): Compiled {
  const code: MapCode = {
    outputs: spec.outputs,
    inputs: spec.inputs,
    compute: computeType(spec.compute),
    scalars: spec.scalars ?? 0,
  };
  const key = [
    code.compute,
    code.scalars,
    code.outputs.map((o) => `${exprId(o.expr)}:${o.dtype.index}`).join(),
    code.inputs.map((d) => d.index).join(),
  ].join('|');
  let found = compiled.get(key);
  if (!found) {
    const work = 4 + cost(code.outputs.map((o) => o.expr));
    found = {
      code,
      name: spec.name ?? 'map',
      words: new MapWords(code.outputs.length + code.inputs.length, code.scalars),
      kernels: new Map(),
      flat: -1,
      setWords: new SetWords(code.outputs.length + code.inputs.length, code.scalars),
      sets: -1,
      grain: Math.max(1024, Math.ceil(160_000 / work / 64) * 64),
    };
    compiled.set(key, found);
  }
  return found;
}

const scalarBits = new DataView(new ArrayBuffer(8));

export class MapKernel {
  private readonly compiled: Compiled;
  private readonly floatScalars: boolean;

  constructor(readonly spec: MapSpec) {
    this.compiled = compile(spec);
    this.floatScalars = this.compiled.code.compute.startsWith('f');
  }

  /** One output, one input. */
  launch1(out: Operand, a: Operand, scalar0: LaunchScalar = 0, scalar1: LaunchScalar = 0): void {
    const n = out.length;
    if (n === 0) return;
    if (a.length !== n || !contiguous(out) || !contiguous(a)) {
      one[0] = a;
      this.general(out, null, one, 1, pair(scalar0, scalar1));
      one[0] = NOTHING;
      return;
    }
    const c = this.compiled;
    const kernel = c.flat >= 0 ? c.flat : this.flatKernel();
    const backend = (out.storage as Storage).backend;
    const at = backend.begin(kernel, c.words.innerStrides, n > c.grain ? c.grain : 0);
    const words = backend.words;
    words[at] = 0;
    words[at + 1] = n;
    words[at + 2] = outAddress(out, backend);
    words[at + 3] = address(a, backend);
    if (c.code.scalars > 0) this.writeTwo(words, at, scalar0, scalar1);
    backend.submit();
  }

  /** One output, two inputs. */
  launch2(out: Operand, a: Operand, b: Operand, scalar0: LaunchScalar = 0, scalar1: LaunchScalar = 0): void {
    const n = out.length;
    if (n === 0) return;
    if (a.length !== n || b.length !== n || !contiguous(out) || !contiguous(a) || !contiguous(b)) {
      two[0] = a;
      two[1] = b;
      this.general(out, null, two, 2, pair(scalar0, scalar1));
      two[0] = two[1] = NOTHING;
      return;
    }
    const c = this.compiled;
    const kernel = c.flat >= 0 ? c.flat : this.flatKernel();
    const backend = (out.storage as Storage).backend;
    const at = backend.begin(kernel, c.words.innerStrides, n > c.grain ? c.grain : 0);
    const words = backend.words;
    words[at] = 0;
    words[at + 1] = n;
    words[at + 2] = outAddress(out, backend);
    words[at + 3] = address(a, backend);
    words[at + 4] = address(b, backend);
    if (c.code.scalars > 0) this.writeTwo(words, at, scalar0, scalar1);
    backend.submit();
  }

  /** One output, any number of inputs. */
  launch(out: Operand, inputs: readonly Operand[], scalars: readonly LaunchScalar[] | null = null): void {
    if (out.length > 0) this.general(out, null, inputs, inputs.length, scalars);
  }

  /** Any number of outputs, all of one shape. */
  launchMany(
    outs: readonly Operand[],
    inputs: readonly Operand[],
    scalars: readonly LaunchScalar[] | null = null,
  ): void {
    if (outs[0].length > 0) this.general(outs[0], outs, inputs, inputs.length, scalars);
  }

  /** How many sets of operands `launchSets` takes at most. */
  get mostSets(): number {
    const { setWords } = this.compiled;
    return Math.floor((MAX_WORDS - setWords.sets) / setWords.size);
  }

  /**
   * The same computation over several sets of operands, in one launch: what is small costs no launch of its own.
   *
   * @param operands set after set: outputs, then inputs. Those of a set have the same sizes and strides, dense in some
   *   order, and none is empty; no set writes what another reads or writes
   * @param sets how many; at most `mostSets`
   */
  launchSets(operands: readonly Operand[], sets: number, scalars: readonly LaunchScalar[] | null = null): void {
    if (sets === 0) return;
    const c = this.compiled;
    const outCount = c.code.outputs.length;
    const n = outCount + c.code.inputs.length;
    let range = 0;
    for (let s = 0; s < sets; s++) range = alignSet(range) + operands[s * n].length;
    if (c.sets < 0) this.setsKernel();
    const backend = (operands[0].storage as Storage).backend;
    const at = backend.begin(c.sets, c.setWords.sets + sets * c.setWords.size, range > c.grain ? c.grain : 0);
    const words = backend.words;
    words[at] = 0;
    words[at + 1] = range;
    words[at + c.setWords.count] = sets;
    for (let i = 0; i < c.code.scalars; i++) {
      this.writeScalar(words, at + c.setWords.scalars + 2 * i, scalars === null ? 0 : scalars[i]);
    }
    let position = at + c.setWords.sets;
    let start = 0;
    for (let s = 0; s < sets; s++) {
      const first = s * n;
      const { length } = operands[first];
      words[position++] = start;
      words[position++] = length;
      for (let k = 0; k < n; k++) {
        const operand = operands[first + k];
        words[position++] = k < outCount ? outAddress(operand, backend) : address(operand, backend);
      }
      start = alignSet(start + length);
    }
    backend.submit();
  }

  private general(
    out: Operand,
    outs: readonly Operand[] | null,
    inputs: readonly Operand[],
    inputCount: number,
    scalars: readonly LaunchScalar[] | null,
  ): void {
    const c = this.compiled;
    const p = coalesce(out, outs, inputs, inputCount);
    const depth = p.dims - 1;
    const backend = (out.storage as Storage).backend;
    const strided = p.strided;
    const n = p.operands;
    const range = p.tiled ? out.length / p.sizes[0] : out.length;
    const grain = p.tiled ? Math.ceil(c.grain / p.sizes[0] / 16) * 16 : c.grain;
    const at = backend.begin(this.kernel(p, depth), c.words.count(depth, strided), range > grain ? grain : 0);
    const words = backend.words;
    words[at] = 0;
    words[at + 1] = range;
    const outCount = n - inputCount;
    let position = at + c.words.addresses;
    for (let k = 0; k < outCount; k++) words[position++] = outAddress(outs === null ? out : outs[k], backend);
    for (let k = 0; k < inputCount; k++) words[position++] = address(inputs[k], backend);
    for (let i = 0; i < c.code.scalars; i++) {
      this.writeScalar(words, at + c.words.scalars + 2 * i, scalars === null ? 0 : scalars[i]);
    }
    if (strided || depth > 0) {
      position = at + c.words.innerStrides;
      for (let k = 0; k < n; k++) words[position++] = p.strides[k];
    }
    if (depth > 0) {
      for (let d = 0; d < p.dims; d++) words[position++] = p.sizes[d];
      for (let d = 1; d < p.dims; d++) for (let k = 0; k < n; k++) words[position++] = p.strides[d * n + k];
    }
    backend.submit();
  }

  private flatKernel(): number {
    const { code } = this.compiled;
    const walks = new Array<Walk>(code.outputs.length + code.inputs.length).fill(CONTIGUOUS);
    return (this.compiled.flat = this.variant(0, walks, false, 0));
  }

  /** The number of the kernel behind `launchSets`. */
  setsKernel(): number {
    const c = this.compiled;
    if (c.sets < 0) {
      const walks = new Array<Walk>(c.code.outputs.length + c.code.inputs.length).fill(CONTIGUOUS);
      c.sets = registerKernel(() => mapModule(c.code, { depth: 0, walks, tiled: false, sets: true }), c.name);
    }
    return c.sets;
  }

  kernelFor({ depth, walks, tiled }: MapLayout): number {
    let key = depth * 2 + (tiled ? 1 : 0);
    for (const walk of walks) key = key * 4 + walk;
    return this.variant(depth, walks, tiled, key);
  }

  private kernel(p: Plan, depth: number): number {
    let key = depth * 2 + (p.tiled ? 1 : 0);
    for (let k = 0; k < p.operands; k++) key = key * 4 + p.walks[k];
    const found = this.compiled.kernels.get(key);
    if (found !== undefined) return found;
    const walks = Array.from(p.walks.subarray(0, p.operands)) as Walk[];
    return this.variant(depth, walks, p.tiled, key);
  }

  private variant(depth: number, walks: readonly Walk[], tiled: boolean, key: number): number {
    const { code, kernels, name } = this.compiled;
    const found = kernels.get(key);
    if (found !== undefined) return found;
    const layout = { depth, walks, tiled };
    const id = registerKernel(() => mapModule(code, layout), name);
    kernels.set(key, id);
    variants.set(id, { code, words: this.compiled.words, layout, grain: this.compiled.grain, name });
    return id;
  }

  private writeTwo(words: Int32Array, at: number, scalar0: LaunchScalar, scalar1: LaunchScalar): void {
    const { words: positions, code } = this.compiled;
    this.writeScalar(words, at + positions.scalars, scalar0);
    if (code.scalars > 1) this.writeScalar(words, at + positions.scalars + 2, scalar1);
  }

  private writeScalar(words: Int32Array, position: number, value: LaunchScalar): void {
    if (this.floatScalars) scalarBits.setFloat64(0, Number(value), true);
    else scalarBits.setBigInt64(0, typeof value === 'bigint' ? value : BigInt(Math.trunc(value)), true);
    words[position] = scalarBits.getInt32(0, true);
    words[position + 1] = scalarBits.getInt32(4, true);
  }
}

/** The next position that a set may begin at. */
export function alignSet(position: number): number {
  return Math.ceil(position / SET_ALIGNMENT) * SET_ALIGNMENT;
}

function contiguous(x: Operand): boolean {
  return isContiguous(x.sizes, x.strides);
}

// Reused, so that the general path makes no arrays for one and two inputs.
const one: Operand[] = [];
const two: Operand[] = [];
/** What they hold between launches: an operand left there would keep its storage alive. */
const NOTHING = null as unknown as Operand;
const scalarPair: LaunchScalar[] = [0, 0];
function pair(a: LaunchScalar, b: LaunchScalar): LaunchScalar[] {
  scalarPair[0] = a;
  scalarPair[1] = b;
  return scalarPair;
}
