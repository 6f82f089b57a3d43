/**
 * Arguments and results of a compiled function as a flat list of tensors and the rest: arrays and plain objects, however
 * nested, of tensors and of plain values.
 */
import { isOptions } from '../core/signature.ts';
import { Tensor } from '../tensor/tensor.ts';

/** Where a tensor stands in a `Shape`: its number in the flat list. */
export class Leaf {
  constructor(readonly index: number) {}
}

/** What a tree is without its tensors: values, `Leaf`s, arrays and objects of such. */
export type Shape = unknown;

/** The tree with its tensors taken out, and put into `tensors`; equal ones once. */
export function flatten(value: unknown, tensors: Tensor[]): Shape {
  if (value instanceof Tensor) {
    const at = tensors.indexOf(value);
    return new Leaf(at >= 0 ? at : tensors.push(value) - 1);
  }
  if (Array.isArray(value)) return value.map((x) => flatten(x, tensors));
  if (isPlain(value)) {
    const shape: Record<string, unknown> = {};
    for (const key of Object.keys(value)) shape[key] = flatten(value[key], tensors);
    return shape;
  }
  return value;
}

/** The tree with tensors put in. */
export function unflatten(shape: Shape, tensors: readonly Tensor[]): unknown {
  if (shape instanceof Leaf) return tensors[shape.index];
  if (Array.isArray(shape)) return shape.map((x) => unflatten(x, tensors));
  if (isPlain(shape)) {
    const value: Record<string, unknown> = {};
    for (const key of Object.keys(shape)) value[key] = unflatten(shape[key], tensors);
    return value;
  }
  return shape;
}

/** Whether two trees differ in nothing but their tensors' numbers' tensors. Objects that are not plain must be the same. */
export function sameShape(a: Shape, b: Shape): boolean {
  if (Object.is(a, b)) return true;
  if (a instanceof Leaf) return b instanceof Leaf && a.index === b.index;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!sameShape(a[i], b[i])) return false;
    return true;
  }
  if (!isPlain(a) || !isPlain(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) if (!(key in b) || !sameShape(a[key], b[key])) return false;
  return true;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return isOptions(value) && !(value instanceof Leaf);
}
