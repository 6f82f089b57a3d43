/**
 * Full backward hooks of modules: a module's inputs and outputs pass through nodes of their own, where their gradients are
 * met together.
 */
import { AutogradFunction } from '../autograd/function.ts';
import type { FunctionCtx } from '../autograd/function.ts';
import { mode } from '../autograd/mode.ts';
import { RuntimeError } from '../core/errors.ts';
import { warn } from '../core/warn.ts';
import { requiresGrad, Tensor } from '../tensor/tensor.ts';
import { type BackwardHook, type BackwardPreHook, backwardHooks } from './call-hooks.ts';
import type { Module } from './module.ts';
import { pyTypeName } from './text.ts';

type Grads = (Tensor | null)[];
type Meet = (grads: Grads) => Grads;

/** Gives its inputs; their gradients go through `meet`. */
class BackwardHookFunction extends AutogradFunction {
  static override forward(ctx: FunctionCtx, meet: Meet, materialize: boolean, ...tensors: Tensor[]): Tensor[] {
    ctx.mark_non_differentiable(...tensors.filter((x) => !requiresGrad(x)));
    ctx.set_materialize_grads(materialize);
    (ctx as unknown as { meet: Meet }).meet = meet;
    return tensors;
  }

  static override backward(ctx: FunctionCtx, ...grads: Grads): (Tensor | null)[] {
    return [null, null, ...(ctx as unknown as { meet: Meet }).meet(grads)];
  }
}

// Build tools shorten the names of classes, and nodes are called after them.
Object.defineProperty(BackwardHookFunction, 'name', { value: 'BackwardHookFunction' });

/** The hooks of one call of a module. */
export class BackwardHooks {
  private gradOutputs: Grads | null = null;
  /** Positions of tensors among the inputs; null if none of them requires grad. */
  private inputs: number[] | null = null;
  private inputCount = 0;

  constructor(
    private readonly module: Module,
    private readonly hooks: readonly BackwardHook[],
    private readonly preHooks: readonly BackwardPreHook[],
  ) {}

  /** The inputs as `forward` is given them. */
  throughInputs(args: unknown[]): unknown[] {
    this.inputCount = args.length;
    const positions = tensorPositions(args);
    if (positions === null) return args;
    this.inputs = positions;
    return through(args, positions, true, (grads) => this.meetInputs(grads, positions));
  }

  /** The result as the call gives it. */
  throughOutputs(result: unknown): unknown {
    if (!(result instanceof Tensor || Array.isArray(result))) {
      warn(
        `For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received <class '${pyTypeName(result)}'>`,
      );
      return result;
    }
    const list = Array.isArray(result) ? (result as unknown[]) : [result];
    const positions = tensorPositions(list);
    if (positions === null) return result;
    const passed = through(list, positions, false, (grads) => this.meetOutputs(grads, positions, list.length));
    return Array.isArray(result) ? passed : passed[0];
  }

  private meetOutputs(grads: Grads, positions: readonly number[], count: number): Grads {
    let all = spread(grads, positions, count);
    for (const hook of this.preHooks) {
      const replaced = hook(this.module, all);
      if (replaced === null || replaced === undefined) continue;
      all = listOf(replaced, count, 'Backward pre hook returned an invalid number of grad_output');
    }
    if (this.inputs === null) this.meetWithoutInputs(all);
    else this.gradOutputs = all;
    return positions.map((at) => all[at]);
  }

  private meetWithoutInputs(gradOutputs: Grads): void {
    warn(
      'Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook for more details.',
    );
    const none = new Array<null>(this.inputCount).fill(null);
    for (const hook of this.hooks) {
      const returned = hook(this.module, none, gradOutputs);
      const empty = (x: unknown) => x === null || x === undefined;
      if (empty(returned) || (Array.isArray(returned) && returned.every(empty))) continue;
      throw new RuntimeError(
        'Backward hook for Modules where no input requires gradient should always return None or None for all gradients.',
      );
    }
  }

  private meetInputs(grads: Grads, positions: readonly number[]): Grads {
    // Gradients may come to the inputs past the outputs, as in a second backward.
    if (this.gradOutputs === null) return grads;
    let all = spread(grads, positions, this.inputCount);
    for (const hook of this.hooks) {
      const replaced = hook(this.module, all, this.gradOutputs);
      if (replaced === null || replaced === undefined) continue;
      all = listOf(replaced, this.inputCount, 'Backward hook returned an invalid number of grad_input');
    }
    this.gradOutputs = null;
    return positions.map((at) => all[at]);
  }
}

/** Where tensors are; null if nothing of it is recorded. */
function tensorPositions(values: readonly unknown[]): number[] | null {
  const positions: number[] = [];
  let any = false;
  values.forEach((value, i) => {
    if (!(value instanceof Tensor)) return;
    positions.push(i);
    any ||= requiresGrad(value);
  });
  return any && mode.grad ? positions : null;
}

function through(
  values: readonly unknown[],
  positions: readonly number[],
  materialize: boolean,
  meet: Meet,
): unknown[] {
  const tensors = positions.map((at) => values[at] as Tensor);
  const passed = (BackwardHookFunction.apply as (...args: unknown[]) => Tensor[])(meet, materialize, ...tensors);
  const result = values.slice();
  positions.forEach((at, i) => {
    result[at] = passed[i];
  });
  return result;
}

function spread(grads: Grads, positions: readonly number[], count: number): Grads {
  const all: Grads = new Array<Tensor | null>(count).fill(null);
  positions.forEach((at, i) => {
    all[at] = grads[i] ?? null;
  });
  return all;
}

function listOf(returned: unknown, count: number, text: string): Grads {
  const list = (Array.isArray(returned) ? returned : [returned]) as Grads;
  if (list.length !== count) throw new RuntimeError(`${text}, got ${list.length}, but expected ${count}`);
  return list;
}

backwardHooks.make = (module, hooks, preHooks) => new BackwardHooks(module, hooks, preHooks);
