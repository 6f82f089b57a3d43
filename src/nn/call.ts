/**
 * Calling a module: hooks around `forward`, and the warning about modules that their caller does not own. Such a module
 * works and is never trained, since nobody lists its parameters.
 */
import { warn } from '../core/warn.ts';
import { recording } from '../devices/recording.ts';
import { DISPOSED, touch } from '../devices/storage.ts';
import { Tensor } from '../tensor/tensor.ts';
import { clock } from '../memory/clock.ts';
import { NOWHERE, type Place } from '../memory/place.ts';
import { isOptions } from '../core/signature.ts';
import { backwardHooks as gradientHooks, CallHooks, globalHooks, type PostEntry, replacedBoth } from './call-hooks.ts';
import { nameTensor } from './convert.ts';
import { callHooksOf } from './hooked.ts';
import { eachBuffer, eachParameter, modulesOf, tensorsOf } from './members.ts';
import { type Module, type ModuleState, stateOf } from './module.ts';
import { missingText } from './signature.ts';

/** The module whose `forward` is running; null outside of all. */
let current: Module | null = null;

export function callModule(self: Module, args: unknown[]): unknown {
  const { compiledCall } = stateOf(self);
  return compiledCall === null ? callForward(self, args) : compiledCall(args);
}

/** A call of a module whether or not it is compiled. */
export function callForward(self: Module, args: unknown[]): unknown {
  const state = stateOf(self);
  const outer = current;
  const { place } = clock;
  if (recording !== null) recording.consulted(self);
  if (outer === null) {
    if (!state.named) nameTensors(self);
  } else {
    if (state.caller !== stateOf(outer).id) checkOwned(self, outer);
    clock.place = state.place.parent === place ? state.place : placeIn(state, place);
  }
  if (args.length !== self.forward.length) checkCount(self, args.length);
  current = self;
  try {
    const hooks = callHooksOf(self);
    if ((hooks === null || hooks.none) && globalHooks.none) return self.forward(...(args as never[]));
    return callWithHooks(self, hooks ?? NO_HOOKS, args);
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

const NO_HOOKS = new CallHooks();

/** One call as its hooks see it. */
interface Call {
  inputs: unknown[];
  /** The options object that came last, after other arguments; null if there was none. */
  options: Record<string, unknown> | null;
  result: unknown;
  /** Hooks that are also called after an error, and have been. */
  readonly called: Set<PostEntry>;
}

function callWithHooks(self: Module, hooks: CallHooks, args: unknown[]): unknown {
  const { length } = args;
  // A mapping alone is what the module is given.
  const split = length > 1 && isOptions(args[length - 1]);
  const call: Call = {
    inputs: split ? args.slice(0, -1) : args,
    options: split ? (args[length - 1] as Record<string, unknown>) : null,
    result: null,
    called: new Set(),
  };
  try {
    return runHooks(self, hooks, call);
  } catch (error) {
    runAlways(self, hooks, call);
    throw error;
  }
}

function runHooks(self: Module, hooks: CallHooks, call: Call): unknown {
  // Those of a hook that is registered meanwhile are for the next call.
  const backwardHooks = [...globalHooks.backward, ...hooks.backward];
  const backwardPre = [...globalHooks.backwardPre, ...hooks.backwardPre];
  for (const { hook, options } of [...globalHooks.forwardPre, ...hooks.forwardPre]) {
    if (options) {
      const replaced = replacedBoth(Reflect.apply(hook, null, [self, call.inputs, call.options ?? {}]));
      if (replaced !== null) [call.inputs, call.options] = replaced;
    } else {
      const replaced = Reflect.apply(hook, null, [self, call.inputs]);
      if (replaced !== null && replaced !== undefined) {
        call.inputs = Array.isArray(replaced) ? replaced : [replaced];
      }
    }
  }
  const through =
    backwardHooks.length + backwardPre.length > 0 ? gradientHooks.make!(self, backwardHooks, backwardPre) : null;
  if (through !== null) call.inputs = through.throughInputs(call.inputs);
  const { options } = call;
  const given = options === null || Object.keys(options).length === 0 ? call.inputs : [...call.inputs, options];
  call.result = self.forward(...(given as never[]));
  for (const entry of [...globalHooks.forward, ...hooks.forward]) {
    if (entry.always) call.called.add(entry);
    runAfter(self, entry, call);
  }
  return through === null ? call.result : through.throughOutputs(call.result);
}

function runAfter(self: Module, { hook, options }: PostEntry, call: Call): void {
  const given = options ? [self, call.inputs, call.options ?? {}, call.result] : [self, call.inputs, call.result];
  const replaced = Reflect.apply(hook, null, given);
  if (replaced !== null && replaced !== undefined) call.result = replaced;
}

/** `forward` or a hook has thrown: hooks that are always called are. */
function runAlways(self: Module, hooks: CallHooks, call: Call): void {
  for (const [entries, kind] of [
    [globalHooks.forward, 'global module'],
    [hooks.forward, 'module'],
  ] as const) {
    for (const entry of entries.slice()) {
      if (!entry.always || call.called.has(entry)) continue;
      try {
        runAfter(self, entry, call);
      } catch (error) {
        warn(
          `${kind} forward hook with \`\`always_call=True\`\` raised an exception that was silenced as another error was raised in forward: ${(error as Error).message}`,
        );
      }
    }
  }
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
