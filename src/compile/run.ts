/**
 * One traced run of a function: calls it as ever while a trace is written, then runs the backward of what it gave once, with
 * zeros for gradients, for the trace alone. What comes out of both is described relative to the trace's memory.
 */
import { AccumulateGrad } from '../autograd/accumulate.ts';
import { type Capture, runBackward } from '../autograd/engine.ts';
import { FunctionNode } from '../autograd/record.ts';
import { ALREADY_FREED } from '../autograd/saved.ts';
import { gradientNode } from '../autograd/views.ts';
import type { DType } from '../core/dtype.ts';
import { recording, setRecording } from '../devices/recording.ts';
import { type Storage, watchStorages } from '../devices/storage.ts';
import { watchAccesses } from '../kernels/touch.ts';
import type { Node } from '../tensor/node.ts';
import { currentVersion, requiresGrad, type Tensor } from '../tensor/tensor.ts';
import { flatten, type Shape } from './tree.ts';
import { Trace } from './trace.ts';

/** A tensor that a run gives. Refers to nothing that was made in the run. */
export interface Given {
  /** What the trace calls its memory; -1: it is from before. */
  readonly id: number;
  /** null for what was made in the run. */
  readonly storage: Storage | null;
  readonly offset: number;
  readonly sizes: readonly number[];
  readonly strides: readonly number[];
  readonly dtype: DType;
  readonly length: number;
  readonly contiguous: boolean;
  readonly flags: number;
  /** Whether gradients flow to it. */
  readonly grad: boolean;
  /** The very tensor, where it was there before; null: it is new. */
  readonly same: Tensor | null;
}

/** Whom a gradient of the backward part belongs to: an argument, or a leaf that the function closes over. */
export type Owner = { readonly arg: number; readonly leaf: null } | { readonly arg: -1; readonly leaf: Tensor };

export interface Backward {
  /** Gradients of the results that require grad, in their order: contiguous zeros. */
  readonly tangents: Given[];
  /** Keeps their memory from being used otherwise. */
  readonly held: Tensor[];
  readonly owners: Owner[];
  readonly grads: (Given | null)[];
  /** The run itself has gone backward from the results: nobody can do so again. */
  readonly spent: boolean;
}

export interface Run {
  readonly trace: Trace;
  readonly args: readonly Tensor[];
  readonly shape: Shape;
  readonly results: Given[];
  readonly backward: Backward | null;
  /** Leaves whose `.grad` was changed: what it was, and what it is. */
  readonly gradients: { readonly leaf: Tensor; readonly before: Tensor | null; readonly after: Given | null }[];
  /** By how much the versions of arguments and of tensors from outside have grown. */
  readonly bumps: { readonly tensor: Tensor; readonly arg: number; readonly by: number }[];
}

/** @throws what `call` throws; nothing is left of the trace then */
export function traceRun(
  call: () => unknown,
  args: readonly Tensor[],
  before: Trace | null,
  onBreak: (reason: string) => void,
): { run: Run; value: unknown } {
  const trace = new Trace(before, onBreak);
  const versions = args.map(currentVersion);
  const nodes = args.map((x) => x.node);
  const since = new FunctionNode('', () => null).sequence;
  if (recording !== null) throw new Error('a trace in a trace');
  begin(trace);
  try {
    const value = call();
    const tensors: Tensor[] = [];
    const shape = flatten(value, tensors);
    if (value instanceof Promise) trace.break('the function is asynchronous');
    args.forEach((x, i) => {
      if (x.node !== nodes[i] || (requiresGrad(x) && currentVersion(x) !== versions[i])) {
        trace.break('an argument that requires grad is changed in place');
      }
    });
    const gradients: Run['gradients'] = [];
    for (const [leaf, old] of trace.gradients) {
      const after = leaf.gradient;
      gradients.push({
        leaf,
        before: old,
        after: after === null ? null : given(trace, after, after === old ? old : null),
      });
    }
    const bumps: Run['bumps'] = [];
    const bump = (tensor: Tensor, arg: number, by: number) => {
      if (by > 0 && !bumps.some((b) => b.tensor.version === tensor.version)) bumps.push({ tensor, arg, by });
    };
    args.forEach((x, i) => {
      bump(x, i, currentVersion(x) - versions[i]);
    });
    for (const { tensors } of trace.outside.values()) {
      for (const [tensor, version] of tensors) bump(tensor, -1, currentVersion(tensor) - version);
    }
    const results = tensors.map((x) => resultOf(trace, x, args));
    checkSharing(trace, results);
    const backward = trace.broken === null ? traceBackward(trace, tensors, results, args, since) : null;
    return { run: { trace, args, shape, results, backward, gradients, bumps }, value };
  } finally {
    end();
  }
}

function begin(trace: Trace): void {
  setRecording(trace);
  watchAccesses(trace);
  watchStorages({ allocated: (storage) => trace.stored(storage), freed: () => {} });
}

function end(): void {
  setRecording(null);
  watchAccesses(null);
  watchStorages(null);
}

function resultOf(trace: Trace, x: Tensor, args: readonly Tensor[]): Given {
  if (trace.idOf(x.storage) >= 0 || x.storage.nbytes === 0) return given(trace, x, null);
  if (args.includes(x) || x.viewInfo === null) return given(trace, x, x);
  trace.break('a result is a view of a tensor from outside');
  return given(trace, x, x);
}

function given(trace: Trace, x: Tensor, same: Tensor | null): Given {
  const { storage, offset, sizes, strides, dtype, length, contiguousNow, flags } = x;
  const id = storage.nbytes === 0 ? -1 : trace.idOf(storage);
  const grad = requiresGrad(x);
  const from = id >= 0 || storage.nbytes === 0 ? null : storage;
  return { id, storage: from, offset, sizes, strides, dtype, length, contiguous: contiguousNow, flags, grad, same };
}

function checkSharing(trace: Trace, results: readonly Given[]): void {
  const differentiable = results.filter((r) => r.same === null && r.grad);
  for (const r of differentiable) {
    if (results.some((other) => other !== r && other.id === r.id && r.id >= 0)) {
      trace.break('results that require grad share their memory');
    }
  }
}

function traceBackward(
  trace: Trace,
  tensors: readonly Tensor[],
  results: readonly Given[],
  args: readonly Tensor[],
  since: number,
): Backward | null {
  const roots: { node: Node; output: number; x: Tensor }[] = [];
  tensors.forEach((x, i) => {
    if (results[i].same !== null || !results[i].grad) return;
    const node = gradientNode(x);
    if (node === null) trace.break('the function makes a leaf that requires grad');
    else roots.push({ node, output: x.outputNumber, x });
  });
  if (roots.length === 0 || trace.broken !== null) return null;
  trace.backwardAt = trace.launches.length;
  const captures = bordersOf(trace, roots, since);
  const owners = captures.map((c) => ownerOf(trace, c, args));
  if (trace.broken !== null) return null;
  trace.paused = true;
  const tangents = roots.map(({ x }) => x.new_zeros(x.sizes as number[]));
  trace.paused = false;
  const unhook = withoutHooks(captures);
  try {
    const run = roots.map(({ node, output }, k) => ({ node, output, grad: tangents[k], implied: false }));
    const grads = runBackward(run, true, false, captures);
    return {
      tangents: tangents.map((x) => given(trace, x, null)),
      held: tangents,
      owners,
      grads: grads.map((g) => (g === null ? null : given(trace, g, null))),
      spent: false,
    };
  } catch (error) {
    if ((error as Error).message !== ALREADY_FREED) throw error;
    trace.launches.length = trace.backwardAt;
    return { tangents: [], held: [], owners: [], grads: [], spent: true };
  } finally {
    unhook();
  }
}

/** Where the graph of the run ends: accumulators of leaves, and nodes from before. */
function bordersOf(trace: Trace, roots: readonly { node: Node }[], since: number): Capture[] {
  const captures: Capture[] = [];
  const seen = new Set<Node>();
  const rest = roots.map((r) => r.node);
  while (rest.length > 0) {
    const node = rest.pop()!;
    if (seen.has(node)) continue;
    seen.add(node);
    if (node.preHooks !== null || node.retained !== null) trace.break('tensors have hooks, or retain their gradient');
    node.nextNodes.forEach((next, i) => {
      if (next === null) return;
      if (!(next instanceof AccumulateGrad) && next.sequence > since) {
        rest.push(next);
        return;
      }
      const output = node.nextOutputs[i];
      if (!captures.some((c) => c.node === next && c.output === output)) captures.push({ node: next, output });
    });
  }
  return captures;
}

function ownerOf(trace: Trace, { node, output }: Capture, args: readonly Tensor[]): Owner {
  if (node instanceof AccumulateGrad) {
    const arg = args.indexOf(node.variable);
    return arg >= 0 ? { arg, leaf: null } : { arg: -1, leaf: node.variable };
  }
  const arg = args.findIndex((x) => x.node === node && x.outputNumber === output);
  if (arg < 0) trace.break('the function closes over a tensor with a history: give it as an argument');
  return { arg, leaf: null };
}

/** Hooks of what lies at the border run when a gradient comes there, and not for the trace. */
function withoutHooks(captures: readonly Capture[]): () => void {
  const kept = captures.map(({ node }) => {
    const variable = node instanceof AccumulateGrad ? node.variable : null;
    const { preHooks, retained } = node;
    const hooks = variable?.hooks ?? null;
    node.preHooks = null;
    node.retained = null;
    if (variable !== null) variable.hooks = null;
    return () => {
      node.preHooks = preHooks;
      node.retained = retained;
      if (variable !== null) variable.hooks = hooks;
    };
  });
  return () => {
    for (const restore of kept.reverse()) restore();
  };
}
