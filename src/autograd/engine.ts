/**
 * The engine: runs the nodes of a graph from its roots to the leaves, each once, later nodes first. Iterative, so that
 * the depth of a graph has no limit but memory.
 */
import { RuntimeError } from '../core/errors.ts';
import { sameSizes, showSizes } from '../core/shape.ts';
import { DISPOSED } from '../devices/storage.ts';
import { clock } from '../memory/clock.ts';
import { byProgram } from '../memory/entry.ts';
import { Temporaries } from '../memory/scope.ts';
import { anomaly, type Node, type OutputMeta, pruning } from '../tensor/node.ts';
import { disown, FLAG_OWN, FLAG_SEVERAL, type Tensor } from '../tensor/tensor.ts';
import { AccumulateGrad, isSole } from './accumulate.ts';
import { runWatched } from './anomaly.ts';
import { retainGradients, runHook } from './hooks.ts';
import { mode } from './mode.ts';
import { backwardStreams } from './streams.ts';

/** Where a gradient is wanted as a result instead of in `.grad`. */
export interface Capture {
  node: Node;
  output: number;
}

export interface Root {
  node: Node;
  output: number;
  grad: Tensor;
  /** Whether the gradient was made for this run, which holds it to its end. */
  implied: boolean;
}

/** Nodes ready to run, the latest created on top. */
class ReadyQueue {
  private readonly heap: Node[] = [];

  get size(): number {
    return this.heap.length;
  }

  push(node: Node): void {
    const heap = this.heap;
    let i = heap.length;
    heap.push(node);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (order(heap[parent]) >= order(node)) break;
      heap[i] = heap[parent];
      i = parent;
    }
    heap[i] = node;
  }

  pop(): Node {
    const heap = this.heap;
    const top = heap[0];
    const last = heap.pop()!;
    const n = heap.length;
    if (n === 0) return top;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= n) break;
      if (child + 1 < n && order(heap[child + 1]) > order(heap[child])) child++;
      if (order(heap[child]) <= order(last)) break;
      heap[i] = heap[child];
      i = child;
    }
    heap[i] = last;
    return top;
  }
}

/** Accumulators go first, as in PyTorch, so that gradients are let go early. */
function order(node: Node): number {
  return node.nextNodes.length === 0 ? Number.MAX_SAFE_INTEGER : node.sequence;
}

let runs = 0;
let depth = 0;

/** What the outer run has of a node. */
type Scratch = Pick<Node, 'visit' | 'pending' | 'inbox'>;

/**
 * Runs backward.
 *
 * @param keepGraph whether what was saved stays for another run
 * @param createGraph whether the run itself is recorded
 * @param captures null: leaves get `.grad`; otherwise only these gradients are computed, and returned
 * @param accumulate with captures: they are leaves that get `.grad`, as `backward(inputs=…)` wants
 */
export function runBackward(
  roots: readonly Root[],
  keepGraph: boolean,
  createGraph: boolean,
  captures: readonly Capture[] | null,
  accumulate = false,
): (Tensor | null)[] {
  const run = ++runs;
  const nodes: Node[] = [];
  // A run inside a hook or a custom Function may meet nodes of the outer run: their scratch is put back afterwards.
  const outer: Scratch[] | null = depth > 0 ? [] : null;
  countDependencies(roots, run, nodes, outer);
  const needed = captures === null ? null : neededNodes(nodes, captures);
  const wanted = captures === null ? null : byNode(captures);
  const captured: (Tensor | null)[] = captures === null ? [] : new Array(captures.length).fill(null);
  const ready = new ReadyQueue();
  const made = createGraph ? null : new Temporaries();
  const streams = backwardStreams();
  // Others may be reading it on their streams.
  const unlike = streams === null ? 0 : FLAG_SEVERAL;

  const gradBefore = mode.grad;
  const neededBefore = pruning.needed;
  mode.grad = createGraph;
  pruning.needed = needed;
  depth++;
  let running = NO_GRADS;
  let several = NO_TENSORS;
  try {
    for (const root of roots) {
      if (root.node.pending === 0 && root.node.inbox === null) ready.push(root.node);
      if (streams === null) addGradient(root.node, root.output, root.grad, unlike);
      else streams.hand(root.grad, root.node, () => addGradient(root.node, root.output, root.grad, unlike));
    }
    while (ready.size > 0) {
      const node = ready.pop();
      const grads = node.inbox ?? blank(node.outputs.length);
      node.inbox = null;
      running = grads;
      if (needed !== null && !needed.has(node)) {
        running = NO_GRADS;
        letGo(grads, NO_GRADS, null);
        continue;
      }
      if (streams !== null) {
        streams.enter(node);
        if (node.nextNodes.length === 0 || wanted?.has(node)) streams.leaf(node);
      }
      runHooks(node, grads);
      if (wanted !== null) {
        const numbers = wanted.get(node);
        if (numbers !== undefined) {
          for (const c of numbers) {
            const grad = grads[captures![c].output] ?? null;
            if (grad !== null) disown(grad);
            captured[c] = grad;
          }
        }
        // A captured node runs only where other captured ones lie behind it.
        if (node.nextNodes.length === 0 ? !accumulate : !leadsTo(node, needed!)) {
          running = NO_GRADS;
          letGo(grads, NO_GRADS, null);
          continue;
        }
      }
      const results = runAndFit(node, grads, made);
      // In PyTorch's order: gradients that came in go when the node has run, then what it saved, then others are added up.
      letGo(grads, results, node instanceof AccumulateGrad ? node.variable.gradient : null);
      running = NO_GRADS;
      if (!keepGraph) node.release();
      const next = node.nextNodes;
      several = holdSeveral(results);
      for (let i = 0; i < next.length; i++) {
        const target = next[i];
        if (target === null) continue;
        const grad = results[i] ?? null;
        if (grad !== null) {
          if (needed === null || needed.has(target)) {
            if (streams === null) addGradient(target, node.nextOutputs[i], grad, unlike);
            else streams.hand(grad, target, () => addGradient(target, node.nextOutputs[i], grad, unlike));
          } else if ((grad.flags & (FLAG_OWN | FLAG_SEVERAL)) === FLAG_OWN) grad.drop();
        }
        if (--target.pending === 0 && (needed === null || needed.has(target))) {
          // Without any gradient there is nothing to do behind this node either, but edges must be counted off.
          ready.push(target);
        }
      }
      letGo(several, NO_GRADS, null);
      several = NO_TENSORS;
    }
  } finally {
    mode.grad = gradBefore;
    pruning.needed = neededBefore;
    depth--;
    streams?.leave();
    // After an error: what still waits.
    letGo(running, NO_GRADS, null);
    letGo(several, NO_GRADS, null);
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i];
      if (node.inbox !== null) letGo(node.inbox, NO_GRADS, null);
      node.inbox = null;
      if (outer !== null) ({ visit: node.visit, pending: node.pending, inbox: node.inbox } = outer[i]);
    }
  }
  return captured;
}

/** Nothing for each of so many outputs. */
function blank(outputs: number): (Tensor | null)[] {
  return outputs === 1 ? [null] : new Array<Tensor | null>(outputs).fill(null);
}

/** Visits what is reachable; `pending` becomes the number of edges into each node. */
function countDependencies(roots: readonly Root[], run: number, nodes: Node[], outer: Scratch[] | null): void {
  const stack: Node[] = [];
  const visit = (node: Node) => {
    outer?.push({ visit: node.visit, pending: node.pending, inbox: node.inbox });
    node.visit = run;
    node.pending = 0;
    node.inbox = null;
    nodes.push(node);
    stack.push(node);
  };
  for (const root of roots) if (root.node.visit !== run) visit(root.node);
  while (stack.length > 0) {
    const next = stack.pop()!.nextNodes;
    for (let i = 0; i < next.length; i++) {
      const target = next[i];
      if (target === null) continue;
      if (target.visit !== run) visit(target);
      target.pending++;
    }
  }
}

/** The nodes from which a captured one can be reached, and these themselves. */
function neededNodes(nodes: readonly Node[], captures: readonly Capture[]): Set<Node> {
  const parents = new Map<Node, Node[]>();
  for (const node of nodes) {
    for (const next of node.nextNodes) {
      if (next === null) continue;
      const list = parents.get(next);
      if (list) list.push(node);
      else parents.set(next, [node]);
    }
  }
  const needed = new Set<Node>();
  const stack = captures.map((c) => c.node);
  while (stack.length > 0) {
    const node = stack.pop()!;
    if (needed.has(node)) continue;
    needed.add(node);
    for (const parent of parents.get(node) ?? []) stack.push(parent);
  }
  return needed;
}

/** Which captures a node serves. */
function byNode(captures: readonly Capture[]): Map<Node, number[]> {
  const found = new Map<Node, number[]>();
  captures.forEach(({ node }, c) => {
    const numbers = found.get(node);
    if (numbers === undefined) found.set(node, [c]);
    else numbers.push(c);
  });
  return found;
}

/** Hooks of tensors whose gradient has arrived. Those added or removed meanwhile count from the next run on. */
function runHooks(node: Node, grads: (Tensor | null)[]): void {
  if (node instanceof AccumulateGrad) {
    const { hooks } = node.variable;
    if (hooks !== null && grads[0] !== null) for (const hook of hooks.slice()) grads[0] = runHook(hook, grads[0]);
    return;
  }
  if (node.preHooks !== null) for (const hook of node.preHooks.slice()) hook(grads);
  if (node.retained !== null) retainGradients(node, grads);
}

function leadsTo(node: Node, needed: Set<Node>): boolean {
  for (const next of node.nextNodes) if (next !== null && needed.has(next)) return true;
  return false;
}

const NO_GRADS: readonly (Tensor | null)[] = [];
const NO_TENSORS: readonly Tensor[] = [];

/** Runs a node and fits what it gives to what it is given to. What was made on the way and does not come out is let go. */
function runAndFit(node: Node, grads: (Tensor | null)[], made: Temporaries | null): (Tensor | null)[] {
  // The program's own code may keep what it gets; an accumulator keeps what it makes.
  if (made === null || node.runsUserCode || node instanceof AccumulateGrad) {
    if (node.runsUserCode) for (const grad of grads) if (grad !== null && grad !== undefined) disown(grad);
    return fitted(node, node.runsUserCode ? byProgram(runNode, node, grads) : runNode(node, grads));
  }
  let results: (Tensor | null)[];
  made.begin();
  try {
    results = fitted(node, runNode(node, grads));
  } finally {
    made.end();
  }
  const list = made.list as Tensor[];
  for (let i = 0; i < list.length; i++) {
    const x = list[i];
    const at = results.indexOf(x);
    if (at < 0) x.drop();
    else x.flags |= results.indexOf(x, at + 1) < 0 ? FLAG_OWN : FLAG_OWN | FLAG_SEVERAL;
  }
  list.length = 0;
  return results;
}

function runNode(node: Node, grads: (Tensor | null)[]): (Tensor | null)[] {
  // A node none of whose outputs got a gradient gives none, except accumulators, which ignore it.
  let any = false;
  for (let i = 0; i < grads.length; i++) {
    if (grads[i] === undefined) grads[i] = null;
    if (grads[i] !== null) any = true;
  }
  if (!any && !node.runsWithoutGradients) return [];
  clock.operation = node.name;
  const results = anomaly.enabled ? runWatched(node, () => node.apply(grads)) : node.apply(grads);
  // One that goes on to several places is used up only when it has been used in all of them.
  for (let i = 0; i < grads.length; i++) {
    const grad = grads[i];
    if (grad === null) continue;
    const at = results.indexOf(grad);
    if (at >= 0 && results.indexOf(grad, at + 1) >= 0) grad.flags |= FLAG_SEVERAL;
  }
  return results;
}

function fitted(node: Node, results: (Tensor | null)[]): (Tensor | null)[] {
  const next = node.nextNodes;
  for (let i = 0; i < next.length; i++) {
    const target = next[i];
    const grad = results[i];
    if (target === null || grad === null || grad === undefined) continue;
    const fit = fitGradient(grad, target.outputs[node.nextOutputs[i]], node, i);
    if (fit === grad) continue;
    // A pass-through that did not fit is no result any more.
    results = results.slice();
    results[i] = fit;
  }
  return results;
}

/**
 * Results that go on to several places, held until they have been given to all of them: the first may add such a one up and
 * have done with it.
 */
function holdSeveral(results: readonly (Tensor | null)[]): readonly Tensor[] {
  let held: Tensor[] | null = null;
  for (let i = 0; i < results.length; i++) {
    const grad = results[i];
    if (grad === null || grad === undefined || (grad.flags & FLAG_SEVERAL) === 0 || held?.includes(grad)) continue;
    grad.storage.hold();
    if (held === null) held = [grad];
    else held.push(grad);
  }
  return held ?? NO_TENSORS;
}

/** A node has used these gradients. `kept` has become a leaf's `.grad`; results go on. */
function letGo(grads: readonly (Tensor | null)[], results: readonly (Tensor | null)[], kept: Tensor | null): void {
  for (let i = 0; i < grads.length; i++) {
    const grad = grads[i];
    if (grad === null || grad === undefined || grad.storage === DISPOSED) continue;
    const { storage } = grad;
    storage.unhold();
    if ((grad.flags & FLAG_OWN) === 0 || grad === kept || results.includes(grad)) continue;
    if ((grad.flags & FLAG_SEVERAL) === 0 || storage.record.holds === 0) grad.forget();
  }
}

/**
 * Adds to what has arrived for an output so far, in place unless that has one of the flags `unlike`. Until its node has run, the
 * engine holds it.
 */
function addGradient(node: Node, output: number, grad: Tensor, unlike: number): void {
  const buffer = (node.inbox ??= blank(node.outputs.length));
  grad.storage.hold();
  const before = buffer[output];
  if (before === null || before === undefined) {
    buffer[output] = grad;
    return;
  }
  if (!mode.grad && (before.flags & unlike) === 0 && isSole(before)) {
    before.add_(grad);
    letGo([grad], NO_GRADS, null);
    return;
  }
  const sum = before.add(grad);
  if (!mode.grad) sum.flags |= FLAG_OWN;
  sum.storage.hold();
  buffer[output] = sum;
  letGo([before, grad], NO_GRADS, null);
}

/** Checks a gradient against what it belongs to; sums over broadcast dimensions and converts the dtype. */
function fitGradient(grad: Tensor, meta: OutputMeta, node: Node, index: number): Tensor {
  if (!sameSizes(grad.sizes, meta.sizes)) {
    if (!expandable(meta.sizes, grad.sizes)) {
      throw new RuntimeError(
        `Function ${node.name} returned an invalid gradient at index ${index} - got ${showSizes(grad.sizes)} but expected shape compatible with ${showSizes(meta.sizes)}`,
      );
    }
    grad = grad.sum_to_size(meta.sizes as number[]);
  }
  if (grad.dtype !== meta.dtype) grad = grad.to(meta.dtype);
  if (grad.storage.backend !== meta.backend) {
    throw new RuntimeError(
      `Function ${node.name} returned an invalid gradient at index ${index} - expected device ${meta.backend.device} but got ${grad.storage.backend.device}`,
    );
  }
  return grad;
}

function expandable(from: readonly number[], to: readonly number[]): boolean {
  if (from.length > to.length) return false;
  for (let i = 1; i <= from.length; i++) {
    const size = from[from.length - i];
    if (size !== 1 && size !== to[to.length - i]) return false;
  }
  return true;
}
