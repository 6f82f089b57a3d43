/**
 * A node of the autograd graph: a function that turns gradients of its outputs into gradients of its inputs. The engine
 * that runs nodes and the kinds of nodes live above; tensors only need to know that there is one.
 */
import type { DType } from '../core/dtype.ts';
import type { Backend } from '../devices/backend.ts';
import type { GraphGroup } from '../memory/groups.ts';
import type { Tensor } from './tensor.ts';

/** What the engine must know of an output to check, or make up, its gradient. */
export class OutputMeta {
  constructor(
    readonly sizes: readonly number[],
    readonly dtype: DType,
    readonly backend: Backend,
  ) {}
}

let created = 0;

/** Whether nodes remember where they were made; see `src/autograd/anomaly.ts`. */
export const anomaly = { enabled: false, checkNan: true };

/** The backward run under way computes only gradients that lead to these nodes; null: all. */
export const pruning = { needed: null as ReadonlySet<Node> | null };

/** The calls that led here, without those of this library's node. */
function callers(): string {
  return (new Error().stack ?? '').split('\n').slice(3).join('\n');
}

/** Called before a node runs with the gradients of its outputs; may replace them. */
export type NodePreHook = (grads: (Tensor | null)[]) => void;

export abstract class Node {
  /** PyTorch's name of the class, such as `MulBackward0`. */
  abstract readonly name: string;
  /** Order of creation; the engine runs later nodes first. */
  readonly sequence: number = created++;
  /** Edge i leads to the node (null: no gradient wanted) that takes this node's gradient for its input i. */
  nextNodes: (Node | null)[] = [];
  /** Which output of `nextNodes[i]` edge i belongs to. */
  nextOutputs: number[] = [];
  outputs: OutputMeta[] = [];
  /** The stream that its op ran on, on the device of the outputs: the node runs there, too. */
  stream = 0;
  preHooks: NodePreHook[] | null = null;
  /** Outputs that keep their gradient (`retain_grad`). */
  retained: { tensor: WeakRef<Tensor>; output: number }[] | null = null;
  /** The autograd graph this node is part of; null for leaves' accumulators, which join nothing. */
  group: GraphGroup | null = null;
  /** Whether `apply` runs the program's own code, which may keep the gradients that it gets and gives. */
  get runsUserCode(): boolean {
    return false;
  }
  /** Whether it is run even if no gradient has arrived: it may make zeros of nothing. */
  readonly runsWithoutGradients: boolean = false;
  /** Where it was made, under anomaly detection. */
  readonly trace: string | null = anomaly.enabled ? callers() : null;
  /** Scratch of the engine: the backward run that last visited this node, what it counted, and what has arrived. */
  visit = 0;
  pending = 0;
  inbox: (Tensor | null)[] | null = null;

  /** Gradients of the outputs (null: zero) to gradients of the inputs (null: none). */
  abstract apply(grads: (Tensor | null)[]): (Tensor | null)[];

  /** Drops what was saved for backward. */
  abstract release(): void;

  /** PyTorch's `next_functions`. */
  get next_functions(): [Node | null, number][] {
    return this.nextNodes.map((node, i) => [node, this.nextOutputs[i]]);
  }

  /** Whether input i wants a gradient, of the backward run under way if there is one. */
  needs(i: number): boolean {
    const next = this.nextNodes[i];
    return next !== null && (pruning.needed === null || pruning.needed.has(next));
  }

  toString(): string {
    return `<${this.name} object>`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}
