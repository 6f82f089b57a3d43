/** `Tensor.backward`, `torch.autograd.backward` and `torch.autograd.grad`. */
import { RuntimeError, ValueError } from '../core/errors.ts';
import { sameSizes } from '../core/shape.ts';
import { DISPOSED, touch } from '../devices/storage.ts';
import { Tensor, requiresGrad } from '../tensor/tensor.ts';
import { accumulatorOf } from './accumulate.ts';
import { type Capture, type Root, runBackward } from './engine.ts';
import { retainGrad } from './hooks.ts';
import { gradientNode } from './views.ts';

type Many<T> = T | readonly T[];

function list<T>(value: Many<T> | null | undefined): T[] {
  if (value === null || value === undefined) return [];
  return (Array.isArray(value) ? value : [value]) as T[];
}

function rootsOf(outputs: Tensor[], gradients: (Tensor | null)[]): Root[] {
  if (gradients.length > 0 && gradients.length !== outputs.length) {
    throw new RuntimeError(`got ${outputs.length} tensors and ${gradients.length} gradients`);
  }
  return outputs.map((output, i) => {
    if (!requiresGrad(output)) {
      throw new RuntimeError(`element ${i} of tensors does not require grad and does not have a grad_fn`);
    }
    const given = gradients[i] ?? null;
    let grad: Tensor;
    if (given === null) {
      if (output.length !== 1) throw new RuntimeError('grad can be implicitly created only for scalar outputs');
      if (!output.dtype.is_floating_point) {
        throw new RuntimeError(
          `grad can be implicitly created only for real scalar outputs but got ${output.dtype.toString()}`,
        );
      }
      grad = output.detach().new_ones(output.sizes as number[]);
    } else {
      if (!(given instanceof Tensor)) {
        throw new TypeError(`gradients can be either Tensors or None, but got ${typeof given}`);
      }
      grad = given;
      if (!sameSizes(grad.sizes, output.sizes)) {
        throw new RuntimeError(
          `Mismatch in shape: grad_output[${i}] has a shape of torch.Size([${grad.sizes.join(', ')}]) and output[${i}] has a shape of torch.Size([${output.sizes.join(', ')}]).`,
        );
      }
      if (grad.storage.backend !== output.storage.backend) {
        throw new RuntimeError(
          `invalid gradient at index ${i} - expected device ${output.storage.backend.device} but got ${grad.storage.backend.device}`,
        );
      }
      if (grad.dtype !== output.dtype) grad = grad.to(output.dtype);
    }
    const node = gradientNode(output);
    return node === null
      ? { node: accumulatorOf(output), output: 0, grad }
      : { node, output: output.outputNumber, grad };
  });
}

function captureOf(input: Tensor): Capture {
  const node = gradientNode(input);
  return node === null ? { node: accumulatorOf(input), output: 0 } : { node, output: input.outputNumber };
}

export interface BackwardOptions {
  retain_graph?: boolean | null;
  create_graph?: boolean;
  /** Only these get a gradient: leaves, and others as by `retain_grad`. */
  inputs?: Many<Tensor> | null;
}

/** `torch.autograd.backward(tensors, grad_tensors)`: adds to the `.grad` of the leaves. */
export function backward(
  tensors: Many<Tensor>,
  grad_tensors?: Many<Tensor | null> | null,
  options: BackwardOptions = {},
): void {
  const create = options.create_graph ?? false;
  const keep = options.retain_graph ?? create;
  const outputs = list(tensors);
  const roots = rootsOf(outputs, list(grad_tensors));
  if (options.inputs === undefined || options.inputs === null) {
    runBackward(roots, keep, create, null);
    touchAll(outputs, roots);
    return;
  }
  const inputs = list(options.inputs);
  if (inputs.length === 0) throw new RuntimeError('`inputs` argument to `backward()` cannot be empty.');
  for (const input of inputs) retainGrad(input);
  runBackward(roots, keep, create, inputs.map(captureOf), true);
  touchAll(outputs, roots);
}

/** The caller has held these all the while. */
function touchAll(outputs: readonly Tensor[], roots: readonly Root[]): void {
  for (let i = 0; i < outputs.length; i++) {
    if (outputs[i].storage !== DISPOSED) touch(outputs[i].storage);
    const { grad } = roots[i];
    if (grad.storage !== DISPOSED) touch(grad.storage);
  }
}

export interface GradOptions {
  retain_graph?: boolean | null;
  create_graph?: boolean;
  allow_unused?: boolean | null;
  materialize_grads?: boolean;
}

/** `torch.autograd.grad(outputs, inputs, grad_outputs)`: the gradients, leaving `.grad` alone. */
export function grad(
  outputs: Many<Tensor>,
  inputs: Many<Tensor>,
  grad_outputs?: Many<Tensor | null> | null,
  options: GradOptions = {},
): (Tensor | null)[] {
  const create = options.create_graph ?? false;
  const keep = options.retain_graph ?? create;
  const wanted = list(inputs);
  if (wanted.length === 0) throw new RuntimeError('`inputs` argument to `grad()` cannot be empty.');
  const materialize = options.materialize_grads ?? false;
  if (materialize && options.allow_unused === false) {
    throw new ValueError(
      'Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.',
    );
  }
  const allowUnused = options.allow_unused ?? materialize;
  const from = list(outputs);
  const roots = rootsOf(from, list(grad_outputs));
  for (const input of wanted) {
    if (!requiresGrad(input)) throw new RuntimeError('One of the differentiated Tensors does not require grad');
  }
  const found = runBackward(roots, keep, create, wanted.map(captureOf));
  touchAll(from, roots);
  return found.map((gradient, i) => {
    if (gradient !== null) return gradient;
    if (!allowUnused) {
      throw new RuntimeError(
        `The differentiated Tensor at index ${i} appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.`,
      );
    }
    return materialize ? wanted[i].detach().new_zeros(wanted[i].sizes as number[]) : null;
  });
}
