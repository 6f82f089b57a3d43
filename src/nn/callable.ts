/**
 * Objects that are called: `model(x)`. The constructor gives a function whose prototype is the class's, so fields,
 * methods and `instanceof` work as for any object. No class fields here: they would land on the discarded `this`.
 */

import { IndexError } from '../core/errors.ts';

/** What a call runs; set by `module.ts`. */
let run: (self: Callable, args: unknown[]) => unknown;

export function setCall(call: (self: Callable, args: unknown[]) => unknown): void {
  run = call;
}

export class Callable {
  constructor() {
    const self = (...args: unknown[]): unknown => run(self as unknown as Callable, args);
    // A function's own name and length can't be assigned to; a module may well have fields of these names.
    Object.defineProperty(self, 'name', PLAIN);
    Object.defineProperty(self, 'length', PLAIN);
    Object.setPrototypeOf(self, new.target.prototype);
    // biome-ignore lint/correctness/noConstructorReturn: this is what makes it callable
    return self as unknown as Callable;
  }
}

const PLAIN: PropertyDescriptor = { value: undefined, writable: true, configurable: true, enumerable: true };

// The end of the chain: the rest of what functions have, and an error for an index that is not there.
Object.setPrototypeOf(
  Callable.prototype,
  new Proxy(Function.prototype, {
    get(target, key, receiver) {
      if (typeof key === 'string') {
        if (/^-?\d+$/.test(key)) throw outOfRange(receiver, Number(key));
        // Getters that throw.
        if (key === 'caller' || key === 'arguments') return undefined;
      }
      return Reflect.get(target, key, receiver);
    },
  }),
);

function outOfRange(receiver: unknown, index: number): Error {
  const module = receiver as { at?: unknown; constructor: { name: string } };
  const { name } = module.constructor;
  if (typeof module.at === 'function') {
    if (index >= 0) return new IndexError(`index ${index} is out of range`);
    return new TypeError(`'${name}' object has no child ${index}; write x.at(${index}) for one counted from the end`);
  }
  return new TypeError(`'${name}' object is not subscriptable`);
}
