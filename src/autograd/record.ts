/**
 * Recording: giving an op's outputs a node whose edges lead to the nodes of its inputs.
 */
import { type GraphGroup, joinGroups, newGroup } from '../memory/groups.ts';
import { Node, OutputMeta } from '../tensor/node.ts';
import { type Tensor, requiresGrad } from '../tensor/tensor.ts';
import { accumulatorOf } from './accumulate.ts';
import { mode } from './mode.ts';
import { SavedTensor } from './saved.ts';
import { currentStreamOf } from './streams.ts';
import { gradientNode } from './views.ts';

/** Whether an op over these tensors must be recorded. */
export function shouldRecord1(a: Tensor): boolean {
  return mode.grad && requiresGrad(a) && a.dtype.is_floating_point;
}

export function shouldRecord(inputs: readonly (Tensor | null)[]): boolean {
  if (!mode.grad) return false;
  for (let i = 0; i < inputs.length; i++) {
    const x = inputs[i];
    if (x !== null && requiresGrad(x) && x.dtype.is_floating_point) return true;
  }
  return false;
}

/** Makes room for so many edges at once: an array that grows by `push` takes room for 17 at the first. */
export function reserveEdges(node: Node, count: number): void {
  node.nextNodes = count === 1 ? [null] : count === 2 ? [null, null] : new Array<Node | null>(count).fill(null);
  node.nextOutputs = count === 1 ? [0] : count === 2 ? [0, 0] : new Array<number>(count).fill(0);
}

/** Edge i, for one input: to its node, to its accumulator, or to nothing. */
export function setEdge(node: Node, i: number, input: Tensor | null): void {
  if (input === null || !input.dtype.is_floating_point || !requiresGrad(input)) return;
  const source = gradientNode(input);
  if (source === null) {
    node.nextNodes[i] = accumulatorOf(input);
    return;
  }
  node.nextNodes[i] = source;
  if (input.outputNumber !== 0) node.nextOutputs[i] = input.outputNumber;
  // Graphs joined through a non-leaf edge are one graph from here on.
  node.group = joinGroups(node.group, source.group);
}

/** Edges for all inputs of an op. */
export function setEdges(node: Node, inputs: readonly (Tensor | null)[]): void {
  reserveEdges(node, inputs.length);
  for (let i = 0; i < inputs.length; i++) setEdge(node, i, inputs[i]);
}

/** Makes `output` output number `number` of the node. */
export function setHistory(output: Tensor, node: Node, number: number): void {
  output.node = node;
  output.outputNumber = number;
  const { backend } = output.storage;
  const meta = new OutputMeta(output.sizes, output.dtype, backend);
  if (number === 0 && node.outputs.length === 0) node.outputs = [meta];
  else node.outputs[number] = meta;
  node.stream = currentStreamOf(backend);
}

/** The node's graph counts as touched now. Nodes that joined no graph begin one. */
export function touchGroup(node: Node): GraphGroup {
  const group = (node.group ??= newGroup());
  group.touch();
  return group;
}

/** An op that is not recorded reads a tensor: the graph that it hangs on counts as touched now. */
export function touchGraphOf(x: Tensor): void {
  if (x.node !== null && x.node.group !== null) x.node.group.touch();
}

/** Gradients of the outputs and the saved tensors in, gradients of the inputs out. */
export type BackwardFunction = (
  grads: (Tensor | null)[],
  saved: Tensor[],
  node: FunctionNode,
) => (Tensor | null)[] | Tensor | null;

/** The node of an op whose backward is written as a function over tensors. */
export class FunctionNode extends Node {
  saved: (SavedTensor | null)[] | null = null;

  constructor(
    readonly name: string,
    private readonly backward: BackwardFunction,
  ) {
    super();
  }

  apply(grads: (Tensor | null)[]): (Tensor | null)[] {
    // Backward knows which of them it may ask for.
    const saved = (this.saved === null ? [] : this.saved.map((s) => (s === null ? null : s.unpack()))) as Tensor[];
    const result = this.backward(grads, saved, this);
    return Array.isArray(result) ? result : [result];
  }

  release(): void {
    if (this.saved !== null) for (const s of this.saved) s?.release();
  }
}

/**
 * Records an op if any of its inputs requires grad; returns the outputs.
 *
 * @param name PyTorch's name of the node, such as `IndexSelectBackward0`
 * @param outputs one tensor or several; null and integer outputs get no gradient
 * @param inputs the differentiable inputs, in the order of backward's results
 * @param save tensors that backward needs (inputs or outputs); null in its place where it does not, as nothing wants
 *   the gradient that it is for. Never close over a tensor instead: what is not saved
 *   here is neither checked for in-place changes nor counted in the memory figures.
 */
export function record<T extends Tensor | (Tensor | null)[]>(
  name: string,
  outputs: T,
  inputs: readonly (Tensor | null)[],
  save: readonly (Tensor | null)[],
  backward: BackwardFunction,
): T {
  // Conversions to integers and the like: no gradient comes back from there.
  const differentiable = Array.isArray(outputs) || outputs.dtype.is_floating_point;
  if (!differentiable || !shouldRecord(inputs)) {
    for (let i = 0; i < inputs.length; i++) {
      const x = inputs[i];
      if (x !== null) touchGraphOf(x);
    }
    return outputs;
  }
  const node = new FunctionNode(name, backward);
  setEdges(node, inputs);
  if (Array.isArray(outputs)) {
    for (let i = 0; i < outputs.length; i++) {
      const output = outputs[i];
      if (output?.dtype.is_floating_point) {
        setHistory(output, node, i);
      }
    }
  } else {
    setHistory(outputs, node, 0);
  }
  const group = touchGroup(node);
  if (save.length > 0) {
    node.saved = save.map((x) => (x === null ? null : new SavedTensor(x, group, x.node === node ? node : null)));
  }
  return outputs;
}
