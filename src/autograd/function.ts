/**
 * `torch.autograd.Function`: ops whose forward and backward users write themselves.
 *
 *     class Exp extends torch.autograd.Function {
 *       static forward(ctx: FunctionCtx, x: Tensor) {
 *         const y = x.exp();
 *         ctx.save_for_backward(y);
 *         return y;
 *       }
 *       static backward(ctx: FunctionCtx, grad: Tensor) {
 *         const [y] = ctx.saved_tensors;
 *         return grad.mul(y);
 *       }
 *     }
 *     Exp.apply(x);
 */
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { Node } from '../tensor/node.ts';
import { requiresGrad, Tensor } from '../tensor/tensor.ts';
import { Context, CustomNode } from './function-node.ts';
import { wrapOutputs } from './function-outputs.ts';
import { mode } from './mode.ts';
import { setEdges, setHistory, touchGraphOf, touchGroup } from './record.ts';

/**
 * What `forward`, `setup_context` and `backward` get first: PyTorch's methods, and attributes of your own. Name their
 * types, as in `FunctionCtx<{ alpha: number }>`, or they are unknown.
 */
export type FunctionCtx<Attributes extends object = Record<string, unknown>> = Context & Attributes;

type Forward = (...args: never[]) => unknown;
/** What `apply` takes: forward's arguments, without the context where forward gets one. */
type ApplyArguments<F> = F extends { setup_context: unknown; forward: (...args: infer Args) => unknown }
  ? Args
  : F extends { forward: (ctx: never, ...args: infer Args) => unknown }
    ? Args
    : never;

interface Definition {
  forward: Forward;
  backward: (...args: never[]) => unknown;
  vjp?: (...args: never[]) => unknown;
  setup_context?: (...args: never[]) => void;
  prototype: object;
  name: string;
}

const LEGACY =
  'Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)';

export class AutogradFunction {
  constructor() {
    throw new RuntimeError(LEGACY);
  }

  /**
   * Computes the result: `forward(ctx, …args)`, or `forward(…args)` beside a `setup_context`. Nothing inside is recorded.
   * One tensor, or an array whose tensors are the outputs.
   */
  static forward(..._args: never[]): unknown {
    throw new NotImplementedError('You must implement the forward function for custom autograd.Function.');
  }

  /** `backward(ctx, …grads)`: one gradient of each output in, one for each argument of forward out (null: none). */
  static backward(..._args: never[]): unknown {
    throw new NotImplementedError(
      'You must implement either the backward or vjp method for your custom autograd.Function to use it with backward mode AD.',
    );
  }

  /** Runs forward on the arguments, and records it. */
  static apply<F extends { forward: Forward }>(this: F, ...args: ApplyArguments<F>): ReturnType<F['forward']> {
    // biome-ignore lint/complexity/noThisInStatic: the class that extends this one
    return applyFunction(this as unknown as Definition, args) as ReturnType<F['forward']>;
  }
}

function applyFunction(definition: Definition, args: readonly unknown[]): unknown {
  if (definition.forward === AutogradFunction.forward && 'forward' in definition.prototype) {
    throw new RuntimeError(LEGACY);
  }
  const inputs = args.filter((arg): arg is Tensor => arg instanceof Tensor);
  const ctx = new Context(args.map((arg) => arg instanceof Tensor && requiresGrad(arg)));
  const node = mode.grad && ctx.needs_input_grad.includes(true) ? recordInputs(definition, ctx, args) : null;
  for (const x of inputs) touchGraphOf(x);

  const { setup_context } = definition;
  const before = mode.grad;
  mode.grad = false;
  let result: unknown;
  try {
    if (setup_context === undefined) {
      result = Reflect.apply(definition.forward, definition, [ctx, ...args]);
    } else {
      result = Reflect.apply(definition.forward, definition, args);
      Reflect.apply(setup_context, definition, [ctx, args, result]);
    }
  } finally {
    mode.grad = before;
  }
  const list = Array.isArray(result) ? (result as unknown[]) : [result];
  const outputs = wrapOutputs(list, inputs, ctx, node, setup_context !== undefined);
  if (node !== null) ctx.keepSaved(node, touchGroup(node));
  else ctx.dropSaved();
  return Array.isArray(result) ? outputs : outputs[0];
}

/** The node, with an edge for every tensor among the arguments. Made first: forward may change its inputs in place. */
function recordInputs(definition: Definition, ctx: Context, args: readonly unknown[]): CustomNode {
  const backward = definition.backward === AutogradFunction.backward ? definition.vjp : undefined;
  const node = new CustomNode(
    `${definition.name}Backward`,
    ctx,
    args.map((arg) => arg instanceof Tensor),
    (grads) => Reflect.apply(backward ?? definition.backward, definition, [ctx, ...grads]),
  );
  setEdges(
    node,
    args.filter((arg) => arg instanceof Tensor),
  );
  return node;
}

/** Backward of a Function that can't be differentiated itself: `static backward = once_differentiable((ctx, grad) => …)`. */
export function once_differentiable<Args extends unknown[], R>(backward: (...args: Args) => R): (...args: Args) => R {
  return function onceDifferentiable(this: unknown, ...args: Args): R {
    const before = mode.grad;
    mode.grad = false;
    let result: R;
    try {
      result = Reflect.apply(backward, this, args);
    } finally {
      mode.grad = before;
    }
    if (!before || !args.some((arg) => arg instanceof Tensor && requiresGrad(arg))) return result;
    const refuse = (x: unknown) => (x instanceof Tensor ? refusing(x) : x);
    return (Array.isArray(result) ? result.map(refuse) : refuse(result)) as R;
  };
}

/** What a once-differentiable gradient hangs on. */
class Refusal extends Node {
  readonly name = 'Error';

  apply(): never {
    throw new RuntimeError('trying to differentiate twice a function that was marked with @once_differentiable');
  }

  release(): void {}
}

function refusing(x: Tensor): Tensor {
  const output = x.detach();
  const node = new Refusal();
  setEdges(node, [x.detach().requires_grad_()]);
  setHistory(output, node, 0);
  touchGroup(node);
  return output;
}
