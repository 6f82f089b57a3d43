/** Deep copies of modules: Python's `copy.deepcopy`. */
import { RuntimeError } from '../core/errors.ts';
import { requiresGrad, Tensor } from '../tensor/tensor.ts';
import { copyHooks } from './hooked.ts';
import { Module, stateOf } from './module.ts';
import { isParameter, makeParameter } from './parameter.ts';

/**
 * A copy of a module with all below it: parameters and buffers of their own, without gradients. Python's
 * `copy.deepcopy(module)`. The classes' constructors do not run, so what a class keeps in `#private` fields is missing.
 */
export function deepCopy<T extends Module>(module: T): T {
  return copied(module, new Map()) as T;
}

function copied(value: unknown, known: Map<object, unknown>): unknown {
  if (typeof value === 'function') return value instanceof Module ? copyModule(value, known) : value;
  if (typeof value !== 'object' || value === null) return value;
  const found = known.get(value);
  if (found !== undefined) return found;
  if (value instanceof Tensor) return remember(known, value, copyTensor(value));
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    known.set(value, list);
    for (const each of value) list.push(copied(each, known));
    return list;
  }
  if (value instanceof Map) {
    const map = new Map();
    known.set(value, map);
    for (const [key, each] of value) map.set(copied(key, known), copied(each, known));
    return map;
  }
  if (value instanceof Set) {
    const set = new Set();
    known.set(value, set);
    for (const each of value) set.add(copied(each, known));
    return set;
  }
  const prototype = Object.getPrototypeOf(value);
  // Instances of classes (dtypes, devices, generators) are shared.
  if (prototype !== Object.prototype && prototype !== null) return value;
  const object = Object.create(prototype) as Record<string, unknown>;
  known.set(value, object);
  for (const [key, each] of Object.entries(value)) object[key] = copied(each, known);
  return object;
}

function remember<T>(known: Map<object, unknown>, original: object, copy: T): T {
  known.set(original, copy);
  return copy;
}

function copyTensor(x: Tensor): Tensor {
  const parameter: boolean = isParameter(x);
  if (parameter) return makeParameter(x.detach().clone(), requiresGrad(x));
  if (x.node !== null) {
    throw new RuntimeError(
      'Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment. If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001',
    );
  }
  const copy = x.detach().clone().keep();
  return requiresGrad(x) ? copy.requires_grad_() : copy;
}

function copyModule(module: Module, known: Map<object, unknown>): Module {
  const found = known.get(module);
  if (found !== undefined) return found as Module;
  // Module's own constructor alone, for an object of the class.
  const copy = Reflect.construct(Module, [], module.constructor as new () => Module) as Module;
  known.set(module, copy);
  for (const key of Reflect.ownKeys(module)) {
    const property = Object.getOwnPropertyDescriptor(module, key)!;
    if ('value' in property) property.value = copied(property.value, known);
    Object.defineProperty(copy, key, property);
  }
  stateOf(copy).takeFrom(stateOf(module));
  copyHooks(module, copy);
  return copy;
}
