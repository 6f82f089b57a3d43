/** Hooks on a tensor's gradient, and `retain_grad`. They belong to the node that the tensor hangs on when they are set. */
import { RuntimeError } from '../core/errors.ts';
import { sameSizes } from '../core/shape.ts';
import { byProgram } from '../memory/entry.ts';
import type { RemovableHandle } from '../tensor/members.ts';
import type { Node } from '../tensor/node.ts';
import { disown, FLAG_RETAINS_GRAD, requiresGrad, Tensor, type TensorHook } from '../tensor/tensor.ts';
import { typeName } from '../tensor/type-name.ts';
import { setGradient } from './accumulate.ts';
import { gradientNode } from './views.ts';

/** Runs one hook; the gradient, or what the hook gives in its place. */
export function runHook(hook: TensorHook, grad: Tensor): Tensor {
  // The hook may keep what it was given.
  disown(grad);
  const replaced = byProgram(hook, grad);
  if (replaced === null || replaced === undefined) return grad;
  if (!(replaced instanceof Tensor)) {
    throw new TypeError(`expected Variable, but hook returned '${typeName(replaced)}'`);
  }
  const what = `hook '${hook.name || '<lambda>'}' has changed the`;
  if (replaced.dtype !== grad.dtype || replaced.storage.backend !== grad.storage.backend) {
    throw new RuntimeError(`${what} type of value (was ${replacedType(grad)} got ${replacedType(replaced)})`);
  }
  if (!sameSizes(replaced.sizes, grad.sizes)) throw new RuntimeError(`${what} size of value`);
  disown(replaced);
  return replaced;
}

function replacedType(x: Tensor): string {
  const { type } = x.storage.backend.device;
  return `torch.${type === 'cpu' ? '' : `${type}.`}${x.dtype.tensorTypeName}`;
}

function handleOf<T>(list: T[], entry: T): RemovableHandle {
  list.push(entry);
  const remove = () => {
    const at = list.indexOf(entry);
    if (at >= 0) list.splice(at, 1);
  };
  return { remove, [Symbol.dispose]: remove };
}

/** `x.register_hook(hook)`. */
export function registerHook(x: Tensor, hook: TensorHook): RemovableHandle {
  if (!requiresGrad(x)) {
    throw new RuntimeError("cannot register a hook on a tensor that doesn't require gradient");
  }
  if (typeof hook !== 'function') throw new TypeError(`expected a function as hook, but got ${typeName(hook)}`);
  const node = gradientNode(x);
  // A leaf's accumulator may be made anew, so its hooks are its own.
  if (node === null) return handleOf((x.hooks ??= []), hook);
  const { outputNumber } = x;
  return handleOf((node.preHooks ??= []), (grads: (Tensor | null)[]) => {
    const grad = grads[outputNumber];
    if (grad !== null && grad !== undefined) grads[outputNumber] = runHook(hook, grad);
  });
}

/** `x.retain_grad()`. */
export function retainGrad(x: Tensor): void {
  if (!requiresGrad(x)) throw new RuntimeError("can't retain_grad on Tensor that has requires_grad=False");
  const node = gradientNode(x);
  if (node === null || (x.flags & FLAG_RETAINS_GRAD) !== 0) return;
  x.flags |= FLAG_RETAINS_GRAD;
  node.retained ??= [];
  node.retained.push({ tensor: new WeakRef(x), output: x.outputNumber });
}

/** Gives the tensors that retain their gradient what has arrived; after all hooks. */
export function retainGradients(node: Node, grads: readonly (Tensor | null)[]): void {
  for (const { tensor, output } of node.retained!) {
    const grad = grads[output];
    const x = tensor.deref();
    if (grad === null || grad === undefined || x === undefined) continue;
    // A copy, as in PyTorch: what has arrived goes on, and may be the program's own.
    setGradient(x, x.gradient === null ? grad.clone({ memory_format: 'contiguous_format' }) : x.gradient.add(grad));
  }
}
