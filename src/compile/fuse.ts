/**
 * Fewer launches: expressions of one shape of which one reads what the other makes, or both read the same, become one launch,
 * and what nobody reads is not stored, nor computed. Every element is computed by the same operations as before.
 */
import { type Expr, input, isTruth, ne, number, scalar } from '../kernels/expr.ts';
import { cost } from '../kernels/wasm/map-layout.ts';
import type { Step } from './agree.ts';
import {
  common,
  decode,
  encode,
  isExact,
  type MapStep,
  type Range,
  rangeOf,
  sameView,
  split,
  type View,
} from './map-step.ts';
import { COPY_IN } from './trace.ts';

/** How far back a launch looks for one to be joined with. */
const REACH = 48;
/** Operands of a launch, at most. */
const OPERANDS = 16;
/** What an expression may cost, by `cost`. */
const COST = 400;

/** A step with the memory that it reads and writes. */
interface Node {
  /** null: it is not of expressions, or can't be changed. */
  map: MapStep | null;
  step: Step;
  /** Whether `map` is no longer what `step` does. */
  changed: boolean;
  reads: Set<number>;
  writes: Set<number>;
}

/**
 * @param kept buffers that must be there afterwards
 * @param made how many buffers are the program's own, the first ones
 * @param ranges memory outside that is always at one place
 */
export function fuse(
  steps: readonly Step[],
  kept: ReadonlySet<number>,
  made: number,
  ranges: readonly Range[],
): Step[] {
  const nodes: Node[] = [];
  for (const step of steps) {
    const node = nodeOf(step, ranges);
    if (node.map === null || !join(nodes, node)) nodes.push(node);
  }
  return prune(nodes, kept, made).map((node) => (node.changed ? encode(node.map!, ranges) : node.step));
}

function nodeOf(step: Step, ranges: readonly Range[]): Node {
  const map = decode(step, ranges);
  if (map !== null) return { map, step, changed: false, ...accessesOf(map) };
  const used = new Set(step.relocs.map((r) => r.buffer));
  if (step.kernel !== COPY_IN) {
    // Which words are addresses is not known: any that could be is one.
    for (const word of step.words) {
      const range = rangeOf(word >>> 0, ranges);
      if (range >= 0) used.add(-1 - range);
    }
  }
  return { map: null, step, changed: false, reads: used, writes: used };
}

function accessesOf({ inputs, outputs }: MapStep): { reads: Set<number>; writes: Set<number> } {
  return { reads: new Set(inputs.map((v) => v.memory)), writes: new Set(outputs.map((v) => v.memory)) };
}

/** Whether one of two steps must stay before the other. */
function conflict(a: Node, b: Node): boolean {
  return meet(a.writes, b.reads) || meet(a.writes, b.writes) || meet(a.reads, b.writes);
}

function meet(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  for (const x of a) if (b.has(x)) return true;
  return false;
}

/** Joins a node with one before it, at the place of either; whether there was one. */
function join(nodes: Node[], node: Node): boolean {
  /** Whether the node can go up to here. */
  let up = true;
  for (let j = nodes.length - 1; j >= Math.max(0, nodes.length - REACH); j--) {
    const other = nodes[j];
    const related = meet(other.writes, node.reads) || meet(other.reads, node.reads);
    if (related && other.map !== null && (up || canGoDown(nodes, j))) {
      const map = fused(other.map, node.map!);
      if (map !== null) {
        const both: Node = { map, step: node.step, changed: true, ...accessesOf(map) };
        if (up) nodes[j] = both;
        else {
          nodes.splice(j, 1);
          nodes.push(both);
        }
        return true;
      }
    }
    if (conflict(other, node)) up = false;
  }
  return false;
}

function canGoDown(nodes: readonly Node[], j: number): boolean {
  for (let k = j + 1; k < nodes.length; k++) if (conflict(nodes[j], nodes[k])) return false;
  return true;
}

/** One step in place of two; null if they do not go together. `b` comes after `a`. */
function fused(a: MapStep, b: MapStep): MapStep | null {
  if (a.code.compute !== b.code.compute) return null;
  const sizes = common(a.sizes, b.sizes);
  if (sizes === null) return null;
  const one = split(a, sizes);
  const two = split(b, sizes);
  if (one === null || two === null) return null;
  const inputs: View[] = [...one.inputs];
  const shift = one.code.scalars;
  /** What stands for each input of the second. */
  const stands: (Expr | number)[] = [];
  let related = false;
  for (const view of two.inputs) {
    const from = one.outputs.findIndex((out) => sameView(out, view));
    if (from >= 0) {
      if (!isExact(view.dtype, one.code.compute)) return null;
      stands.push(stored(one, from));
      related = true;
      continue;
    }
    if (one.outputs.some((out) => out.memory === view.memory)) return null;
    let at = inputs.findIndex((x) => sameView(x, view));
    if (at < 0) at = inputs.push(view) - 1;
    else related = true;
    stands.push(at);
  }
  if (!related) return null;
  // What the second writes, the first may only have read at the same elements.
  for (const out of two.outputs) {
    for (const view of [...one.inputs, ...one.outputs]) {
      if (view.memory === out.memory && !sameView(view, out)) return null;
    }
  }
  for (const out of one.outputs) {
    for (const view of inputs) if (view.memory === out.memory && !sameView(view, out)) return null;
  }
  const outputs: View[] = [];
  const exprs: { expr: Expr; dtype: View['dtype'] }[] = [];
  one.outputs.forEach((out, k) => {
    if (two.outputs.some((later) => sameView(later, out))) return;
    outputs.push(out);
    exprs.push(one.code.outputs[k]);
  });
  two.outputs.forEach((out, k) => {
    outputs.push(out);
    const { expr, dtype } = two.code.outputs[k];
    exprs.push({ expr: replaced(expr, stands, shift), dtype });
  });
  if (inputs.length + outputs.length > OPERANDS || cost(exprs.map((o) => o.expr)) > COST) return null;
  const code = {
    outputs: exprs,
    inputs: inputs.map((v) => v.dtype),
    compute: one.code.compute,
    scalars: shift + two.code.scalars,
  };
  const name = a.name.endsWith(b.name) ? a.name : `${a.name} ${b.name}`;
  return { code, name, sizes, outputs, inputs, scalars: [...one.scalars, ...two.scalars] };
}

/** The value of an output as it is read back. */
function stored({ code }: MapStep, k: number): Expr {
  const { expr, dtype } = code.outputs[k];
  if (dtype.name === 'bool') return isTruth(expr) ? expr : ne(expr, 0);
  return isTruth(expr) ? number(expr) : expr;
}

/** The expression with other inputs, or expressions in their places, and with its scalars behind `shift` others. */
function replaced(e: Expr, stands: readonly (Expr | number)[], shift: number): Expr {
  const seen = new Map<Expr, Expr>();
  const visit = (x: Expr): Expr => {
    let found = seen.get(x);
    if (found === undefined) seen.set(x, (found = make(x)));
    return found;
  };
  const make = (x: Expr): Expr => {
    if (x.op === 'scalar') return scalar(x.index + shift);
    if (x.op === 'input' || x.op === 'raw') {
      const by = stands[x.index];
      if (typeof by === 'number') return x.op === 'input' ? input(by) : { op: 'raw', index: by };
      if (x.op === 'input') return isTruth(by) ? number(by) : by;
      return isTruth(by) ? by : ne(by, 0);
    }
    return 'args' in x ? ({ ...x, args: x.args.map(visit) } as unknown as Expr) : x;
  };
  return visit(e);
}

/** Leaves out what is stored for nobody, and what is computed for nothing else. */
function prune(nodes: readonly Node[], kept: ReadonlySet<number>, made: number): Node[] {
  const read = new Set(kept);
  const left: Node[] = [];
  for (let i = nodes.length - 1; i >= 0; i--) {
    const node = nodes[i];
    if (node.map !== null) {
      const wanted = node.map.outputs.map((v) => v.memory < 0 || v.memory >= made || read.has(v.memory));
      if (!wanted.includes(true)) continue;
      if (wanted.includes(false)) {
        node.map = withOutputs(node.map, wanted);
        node.changed = true;
      }
      for (const { memory } of node.map.inputs) read.add(memory);
    } else for (const memory of node.reads) read.add(memory);
    left.push(node);
  }
  return left.reverse();
}

/** The step with some of its outputs, and the inputs that these need. */
function withOutputs(step: MapStep, wanted: readonly boolean[]): MapStep {
  const outputs = step.code.outputs.filter((_, k) => wanted[k]);
  const used = new Set<number>();
  const visit = (e: Expr): void => {
    if (e.op === 'input' || e.op === 'raw') used.add(e.index);
    else if ('args' in e) for (const x of e.args) visit(x);
  };
  for (const { expr } of outputs) visit(expr);
  const order = [...used].sort((x, y) => x - y);
  const stands = step.inputs.map((_, k) => order.indexOf(k));
  return {
    ...step,
    code: {
      ...step.code,
      outputs: outputs.map(({ expr, dtype }) => ({ expr: replaced(expr, stands, 0), dtype })),
      inputs: order.map((k) => step.code.inputs[k]),
    },
    outputs: step.outputs.filter((_, k) => wanted[k]),
    inputs: order.map((k) => step.inputs[k]),
  };
}
