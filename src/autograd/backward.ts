/** `Tensor.backward`, `torch.autograd.backward` and `torch.autograd.grad`. */
import { AssertionError, NotImplementedError, RuntimeError, ValueError } from '../core/errors.ts';
import { sameSizes } from '../core/shape.ts';
import { Signature } from '../core/signature.ts';
import { DISPOSED, touch } from '../devices/storage.ts';
import { fill } from '../kernels/copy.ts';
import { clock } from '../memory/clock.ts';
import { recorded } from '../memory/entry.ts';
import { relieveAtRest } from '../memory/sweep.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { FLAG_OWN, FLAG_SEVERAL, Tensor, requiresGrad } from '../tensor/tensor.ts';
import { typeName } from '../tensor/type-name.ts';
import { AccumulateGrad, accumulatorOf } from './accumulate.ts';
import { type Capture, type Root, runBackward } from './engine.ts';
import { retainGrad } from './hooks.ts';
import { gradientNode } from './views.ts';

type Many<T> = T | readonly T[];

/** One tensor or several, as a list. */
function list(value: unknown): unknown[] {
  if (value instanceof Tensor) return [value];
  if (Array.isArray(value)) return value;
  if (typeof value === 'object' && value !== null && Symbol.iterator in value) return [...(value as Iterable<unknown>)];
  throw new TypeError(`'${typeName(value)}' object is not iterable`);
}

/** A flag in Python's sense: numbers count. */
function flag(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (Number.isInteger(value) || typeof value === 'bigint') return Boolean(value);
  throw new TypeError(`'${typeName(value)}' object cannot be interpreted as an integer`);
}

function inputsOf(value: unknown, name: string): Tensor[] {
  const inputs = list(value);
  if (inputs.length === 0) throw new RuntimeError(`\`inputs\` argument to \`${name}()\` cannot be empty.`);
  for (const x of inputs) {
    if (!(x instanceof Tensor)) {
      throw new RuntimeError(`all inputs have to be Tensors or GradientEdges, but got ${typeName(x)}`);
    }
  }
  return inputs as Tensor[];
}

const withoutGrad = (i: number) => `element ${i} of tensors does not require grad and does not have a grad_fn`;

function rootsOf(outputs: readonly unknown[], gradients: readonly unknown[] | null): Root[] {
  if (gradients !== null && gradients.length !== outputs.length) {
    throw new RuntimeError(`got ${outputs.length} tensors and ${gradients.length} gradients`);
  }
  return outputs.map((output, i) => {
    if (!(output instanceof Tensor)) throw new AssertionError('Expected output to be a torch.Tensor');
    if (!requiresGrad(output)) {
      throw new RuntimeError(withoutGrad(i));
    }
    const given = gradients?.[i] ?? null;
    let grad: Tensor;
    if (given === null) {
      if (output.length !== 1) throw new RuntimeError('grad can be implicitly created only for scalar outputs');
      if (!output.dtype.is_floating_point) {
        throw new RuntimeError(
          `grad can be implicitly created only for real scalar outputs but got ${output.dtype.toString()}`,
        );
      }
      clock.operation = 'new_ones';
      grad = emptyTensor(output.storage.backend, output.sizes, output.dtype);
      fill(grad, 1);
      grad.flags |= FLAG_OWN | FLAG_SEVERAL;
      grad.storage.hold();
    } else {
      if (!(given instanceof Tensor)) {
        throw new TypeError(`gradients can be either Tensors or None, but got ${typeName(given)}`);
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
    const implied = given === null;
    if (node !== null) return { node, output: output.outputNumber, grad, implied };
    const leaf = accumulatorOf(output);
    if (leaf === null) throw new RuntimeError(withoutGrad(i));
    return { node: leaf, output: 0, grad, implied };
  });
}

/** Where an input's gradient is caught. */
function captureOf(input: Tensor): Capture {
  const node = gradientNode(input);
  if (node !== null) return { node, output: input.outputNumber };
  // Nothing ever arrives at a node that no graph has.
  return { node: accumulatorOf(input) ?? new AccumulateGrad(input), output: 0 };
}

interface GradTensors {
  grad_tensors?: Many<Tensor | null> | null;
}

export interface BackwardOptions {
  retain_graph?: boolean | null;
  create_graph?: boolean;
  /** Only these get a gradient: leaves, and others as by `retain_grad`. */
  inputs?: Many<Tensor> | null;
}

const BACKWARD = Signature.of(
  'backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None)',
);
const METHOD = Signature.of('Tensor.backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None)');

/** `torch.autograd.backward(tensors, grad_tensors)`: adds to the `.grad` of the leaves. */
export function backward(tensors: Many<Tensor>, options?: BackwardOptions & GradTensors): void;
export function backward(
  tensors: Many<Tensor>,
  grad_tensors: Many<Tensor | null> | null | undefined,
  options?: BackwardOptions,
): void;
export function backward(
  tensors: Many<Tensor>,
  grad_tensors: Many<Tensor | null> | null | undefined,
  retain_graph: boolean | null | undefined,
  create_graph?: boolean,
  options?: Pick<BackwardOptions, 'inputs'>,
): void;
export function backward(...args: unknown[]): void {
  const [tensors, grads, retain, create, , inputs] = BACKWARD.bind(args);
  backwardFrom(list(tensors), grads, retain, create, inputs);
}

/** `tensor.backward(gradient)`. */
export function backwardOf(x: Tensor, args: readonly unknown[]): void {
  if (args.length === 0) {
    backwardFrom([x], null, null, false, null);
    return;
  }
  const [gradient, retain, create, inputs] = METHOD.bind(args);
  backwardFrom([x], gradient, retain, create, inputs);
}

function backwardFrom(...args: Parameters<typeof run>): void {
  recorded(run, ...args);
  relieveAtRest();
}

function run(outputs: unknown[], grads: unknown, retain: unknown, create: unknown, inputs: unknown): void {
  const creating = flag(create);
  const keep = retain === null ? creating : flag(retain);
  const wanted = inputs === null ? null : inputsOf(inputs, 'backward');
  const roots = rootsOf(outputs, grads === null ? null : list(grads));
  if (wanted === null) runBackward(roots, keep, creating, null);
  else {
    for (const input of wanted) retainGrad(input);
    runBackward(roots, keep, creating, wanted.map(captureOf), true);
  }
  letGo(outputs as Tensor[], roots);
}

/** After a run: the caller has held its outputs and gradients to here. A gradient made for it goes, if no hook has seen it. */
function letGo(outputs: readonly Tensor[], roots: readonly Root[]): void {
  for (let i = 0; i < outputs.length; i++) {
    if (outputs[i].storage !== DISPOSED) touch(outputs[i].storage);
    const { grad, implied } = roots[i];
    if (grad.storage === DISPOSED) continue;
    touch(grad.storage);
    if (!implied) continue;
    grad.storage.unhold();
    if ((grad.flags & FLAG_OWN) !== 0) grad.dispose();
  }
}

export interface GradOptions {
  retain_graph?: boolean | null;
  create_graph?: boolean;
  allow_unused?: boolean | null;
  materialize_grads?: boolean;
}

const GRAD = Signature.of(
  'grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, allow_unused=None, is_grads_batched=False, materialize_grads=False)',
);

/** `torch.autograd.grad(outputs, inputs, grad_outputs)`: the gradients, leaving `.grad` alone. */
export function grad(
  outputs: Many<Tensor>,
  inputs: Many<Tensor>,
  options?: GradOptions & { grad_outputs?: Many<Tensor | null> | null },
): (Tensor | null)[];
export function grad(
  outputs: Many<Tensor>,
  inputs: Many<Tensor>,
  grad_outputs: Many<Tensor | null> | null | undefined,
  options?: GradOptions,
): (Tensor | null)[];
export function grad(
  outputs: Many<Tensor>,
  inputs: Many<Tensor>,
  grad_outputs: Many<Tensor | null> | null | undefined,
  retain_graph: boolean | null | undefined,
  create_graph?: boolean,
  options?: Omit<GradOptions, 'retain_graph' | 'create_graph'>,
): (Tensor | null)[];
export function grad(...args: unknown[]): (Tensor | null)[] {
  const [outputs, inputs, gradOutputs, retain, create, unused, batched, materializing] = GRAD.bind(args);
  const from = list(outputs);
  const wanted = inputsOf(inputs, 'grad');
  const creating = flag(create);
  const keep = retain === null ? creating : flag(retain);
  const materialize = flag(materializing);
  if (materialize && unused === false) {
    throw new ValueError(
      'Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.',
    );
  }
  if (flag(batched)) throw new NotImplementedError('grad(): is_grads_batched=True is not supported');
  const allowUnused = unused === null ? materialize : flag(unused);
  const given = gradOutputs === null ? null : list(gradOutputs);
  // What is too much is left alone here, unlike in backward.
  const roots = rootsOf(from, given !== null && given.length > from.length ? given.slice(0, from.length) : given);
  for (const input of wanted) {
    if (!requiresGrad(input)) throw new RuntimeError('One of the differentiated Tensors does not require grad');
  }
  const found = recorded(runBackward, roots, keep, creating, wanted.map(captureOf));
  letGo(from as Tensor[], roots);
  return found.map((gradient, i) => {
    if (gradient !== null) return gradient;
    if (!allowUnused) {
      throw new RuntimeError(
        `The differentiated Tensor at index ${i} appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.`,
      );
    }
    if (!materialize) return null;
    const zeros = wanted[i].detach().new_empty_like_strides().zero_();
    zeros.wantsGrad = creating;
    return zeros;
  });
}
