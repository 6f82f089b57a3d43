/**
 * Calling a module: hooks around `forward`, and the warning about modules that their caller does not own. Such a module
 * works and is never trained, since nobody lists its parameters.
 */
import { warn } from '../core/warn.ts';
import { DISPOSED, touch } from '../devices/storage.ts';
import { Tensor } from '../tensor/tensor.ts';
import { clock } from '../memory/clock.ts';
import { NOWHERE, type Place } from '../memory/place.ts';
import { nameTensor } from './convert.ts';
import { eachBuffer, eachParameter, modulesOf, tensorsOf } from './members.ts';
import { type Module, type ModuleState, stateOf } from './module.ts';
import { missingText } from './signature.ts';

/** The module whose `forward` is running; null outside of all. */
let current: Module | null = null;

export function callModule(self: Module, args: unknown[]): unknown {
  const state = stateOf(self);
  const outer = current;
  const { place } = clock;
  if (outer === null) {
    if (!state.named) nameTensors(self);
  } else {
    if (state.caller !== stateOf(outer).id) checkOwned(self, outer);
    clock.place = state.place.parent === place ? state.place : placeIn(state, place);
  }
  if (args.length !== self.forward.length) checkCount(self, args.length);
  current = self;
  try {
    if (state.preHooks === null && state.hooks === null) return self.forward(...(args as never[]));
    return callWithHooks(self, args);
  } finally {
    current = outer;
    clock.place = place;
    // Whoever calls a module holds what it is given until it returns.
    for (let i = 0; i < args.length; i++) if (args[i] instanceof Tensor) touchHeld(args[i] as Tensor);
  }
}

/** Where a module is whose caller is at `outer`: where that is, if it is not known to own it. */
function placeIn(state: ModuleState, outer: Place): Place {
  if (state.path === '') return outer;
  state.place = outer.child(state.path);
  return state.place;
}

/** A module that no other calls is where paths begin: from its first call on, what it consists of goes by its name. */
function nameTensors(self: Module): void {
  stateOf(self).named = true;
  for (const [path, parameter] of tensorsOf(self, eachParameter, '', true, true)) nameTensor(parameter, path);
  for (const [path, buffer] of tensorsOf(self, eachBuffer, '', true, true)) nameTensor(buffer, path);
}

function touchHeld(x: Tensor): void {
  if (x.storage !== DISPOSED) touch(x.storage);
}

function callWithHooks(self: Module, args: unknown[]): unknown {
  const { preHooks, hooks } = stateOf(self);
  if (preHooks !== null) {
    for (const hook of preHooks.slice()) {
      const replaced = hook(self, args);
      if (replaced !== null && replaced !== undefined) args = Array.isArray(replaced) ? replaced : [replaced];
    }
  }
  let output: unknown = self.forward(...(args as never[]));
  if (hooks !== null) {
    for (const hook of hooks.slice()) {
      const replaced = hook(self, args, output);
      if (replaced !== null && replaced !== undefined) output = replaced;
    }
  }
  return output;
}

/** The inputs of library modules' `forward`, where there is exactly this many. */
const inputNames = new WeakMap<object, readonly string[]>();

/** Calls of the class's own `forward` must give exactly these inputs; anything else is Python's TypeError. */
export function fixedInputs(type: { readonly prototype: Module }, ...names: string[]): void {
  inputNames.set(type.prototype.forward, names);
}

function checkCount(self: Module, given: number): void {
  const names = inputNames.get(self.forward);
  if (names === undefined) return;
  const name = `${self.constructor.name}.forward`;
  if (given < names.length)
    throw new TypeError(
      missingText(
        name,
        names.slice(given).map((n) => `'${n}'`),
      ),
    );
  throw new TypeError(`${name}() takes ${names.length + 1} positional arguments but ${given + 1} were given`);
}

/** Remembers that `outer` owns `self`, or warns once for each caller. */
function checkOwned(self: Module, outer: Module): void {
  const owner = stateOf(outer);
  const state = stateOf(self);
  state.path = modulesOf(outer, '', true).find(([, module]) => module === self)?.[0] ?? '';
  state.place = NOWHERE;
  if (!owner.warned && state.path === '') {
    const first = self.named_parameters().next();
    if (!first.done) {
      owner.warned = true;
      const [caller, called] = [outer.constructor.name, self.constructor.name];
      warn(
        `${caller}.forward calls a ${called} that ${caller} has not registered: its parameters are in neither parameters() nor state_dict(), and no optimizer will train them. Modules in a #private field, a plain array, an object or a closure are not found; assign it to a public field of its own, or use nn.ModuleList or nn.ModuleDict.`,
      );
    }
  }
  state.caller = owner.id;
}
