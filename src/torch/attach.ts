/** Puts every declared op where users find it: Tensor.prototype, `torch`, `torch.nn.functional`, `torch.linalg`. */
import { type Policies, policiesOf } from '../amp/policies.ts';
import { autocast } from '../amp/state.ts';
import { touchGraphOf } from '../autograd/record.ts';
import { DISPOSED, touch } from '../devices/storage.ts';
import { clock } from '../memory/clock.ts';
import { entry, recorded } from '../memory/entry.ts';
import '../ops/core.ts';
import { bind, bound } from '../ops/bind.ts';
import { type Op, onOp } from '../ops/registry.ts';
import { missingText } from '../core/signature.ts';
import { Tensor } from '../tensor/tensor.ts';
import { typeName } from '../tensor/type-name.ts';

/** `torch.*` functions made from ops. */
export const functions: Record<string, (...args: unknown[]) => unknown> = {};
/** `torch.nn.functional.*` functions made from ops. */
export const functional: Record<string, (...args: unknown[]) => unknown> = {};
/** `torch.linalg.*` functions made from ops. */
export const linalg: Record<string, (...args: unknown[]) => unknown> = {};

/** What autocast does to each op. */
const policies = new Map<Op, Policies | null>();

function call(op: Op, args: readonly unknown[], asMethod: boolean): unknown {
  const values = bind(op.schemas, args, asMethod);
  const index = bound;
  // Operations that call others: what is allocated after such a call is theirs again.
  const { operation } = clock;
  clock.operation = op.name;
  const result =
    autocast.active === 0
      ? op.implementations[index](...values)
      : autocast.run!(op, policies.get(op) ?? null, index, values);
  clock.operation = operation;
  for (let i = 0; i < values.length; i++) if (values[i] instanceof Tensor) touchArgument(values[i] as Tensor);
  return result;
}

/** Whoever calls an op holds what it is given until it returns. */
function touchArgument(x: Tensor): void {
  if (x.storage === DISPOSED) return;
  touch(x.storage);
  touchGraphOf(x);
}

/** Python's error for a method that was taken off its tensor, as in `list.map(x.add)`. */
export function withoutTensor(name: string, self: unknown): TypeError {
  return new TypeError(
    `descriptor '${name}' for 'torch._C.TensorBase' objects doesn't apply to a '${typeName(self)}' object`,
  );
}

/** What `torch.nn.functional` has from C++, whose errors it speaks. */
// biome-ignore format: a table
const BUILTIN: ReadonlySet<string> = new Set([
  'adaptive_avg_pool1d', 'avg_pool1d', 'avg_pool2d', 'avg_pool3d', 'bilinear', 'celu_', 'channel_shuffle', 'conv1d', 'conv2d', 'conv3d',
  'conv_transpose1d', 'conv_transpose2d', 'conv_transpose3d', 'cosine_similarity', 'elu_', 'gelu', 'hardshrink', 'hardtanh_', 'leaky_relu_',
  'linear', 'logsigmoid', 'one_hot', 'pairwise_distance', 'pdist', 'pixel_shuffle', 'pixel_unshuffle', 'prelu', 'relu_', 'rrelu_',
  'scaled_dot_product_attention', 'selu_', 'softplus', 'softshrink', 'threshold_',
]);

type AnyFunction = (...args: unknown[]) => unknown;

/** A function that PyTorch has written in Python: of arguments that were left out it speaks in Python's words. */
function writtenInPython(name: string, fn: AnyFunction): AnyFunction {
  const head = `${name}() missing `;
  const python = (...args: unknown[]): unknown => {
    try {
      return fn(...args);
    } catch (error) {
      if (!(error instanceof TypeError) || !error.message.startsWith(head)) throw error;
      const names = error.message.slice(error.message.indexOf(':') + 2).split(', ');
      throw new TypeError(
        missingText(
          name,
          names.map((quoted) => quoted.replaceAll('"', "'")),
        ),
      );
    }
  };
  Object.defineProperty(python, 'name', { value: name });
  return python;
}

/** The hot path of an op, which autocast does not take. */
function unlessCast(
  fast: (...args: never[]) => unknown,
  general: (self: unknown, args: unknown[]) => unknown,
): (...args: never[]) => unknown {
  return function (this: unknown, ...args: unknown[]): unknown {
    return autocast.active === 0 ? Reflect.apply(fast, this, args) : general(this, args);
  };
}

/** A method's arguments with its tensor among them. A loop: spreading goes through the iterators of arrays. */
function withSelf(self: Tensor, args: readonly unknown[], at: number): unknown[] {
  const all = new Array<unknown>(args.length + 1);
  for (let i = 0; i < at; i++) all[i] = args[i];
  all[at] = self;
  for (let i = at; i < args.length; i++) all[i + 1] = args[i];
  return all;
}

function attach(op: Op): void {
  const casts = policiesOf(op.name);
  policies.set(op, casts);
  if (op.method) {
    const general = (self: unknown, args: unknown[]) => {
      if (!(self instanceof Tensor)) throw withoutTensor(op.name, self);
      const all = withSelf(self, args, Math.min(op.selfAt, args.length));
      return entry.settler === null ? call(op, all, true) : recorded(call, op, all, true);
    };
    const method =
      op.entry === null
        ? function (this: Tensor, ...args: unknown[]) {
            return general(this, args);
          }
        : casts === null
          ? op.entry.method(general)
          : unlessCast(op.entry.method(general), general);
    Object.defineProperty(method, 'name', { value: op.name });
    Object.defineProperty(Tensor.prototype, op.name, { value: method, writable: true, configurable: true });
  }
  if (op.function || op.functional || op.linalg) {
    const general = (args: unknown[]) =>
      entry.settler === null ? call(op, args, false) : recorded(call, op, args, false);
    const fn = (
      op.entry === null
        ? (...args: unknown[]) => general(args)
        : casts === null
          ? op.entry.function(general)
          : unlessCast(op.entry.function(general), (_self, args) => general(args))
    ) as (...args: unknown[]) => unknown;
    Object.defineProperty(fn, 'name', { value: op.name });
    if (op.function) functions[op.name] = fn;
    if (op.functional) functional[op.name] = BUILTIN.has(op.name) ? fn : writtenInPython(op.name, fn);
    if (op.linalg) linalg[op.name.slice('linalg_'.length)] = fn;
  }
}

onOp(attach);
