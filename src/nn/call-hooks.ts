/** Hooks around a module's call: their kinds, where they are kept, and those that every module has. */
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import type { RemovableHandle } from '../tensor/members.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { addEntry, addHook, checkHook, type PrependOption } from './hook-list.ts';
import type { BackwardHooks } from './backward-hooks.ts';
import type { Module } from './module.ts';
import { Signature } from './signature.ts';

type Options = Record<string, unknown>;

/** Called before `forward` with the module and its arguments; what it returns takes their place. */
export type ForwardPreHook = (module: Module, inputs: unknown[]) => unknown;
/** With `with_kwargs`: the options object comes, too; new arguments are returned as `[inputs, options]`. */
export type ForwardPreHookWithOptions = (module: Module, inputs: unknown[], options: Options) => unknown;
/** Called after `forward` with the module, its arguments and its result; what it returns takes the result's place. */
export type ForwardHook = (module: Module, inputs: unknown[], output: unknown) => unknown;
/** With `with_kwargs`: the options object comes, too. */
export type ForwardHookWithOptions = (module: Module, inputs: unknown[], options: Options, output: unknown) => unknown;

type Grads = readonly (Tensor | null)[];
/** Called with the gradients of the module's outputs; what it returns takes their place. */
export type BackwardPreHook = (module: Module, grad_output: Grads) => unknown;
/** Called with the gradients of the module's inputs and outputs; what it returns takes the inputs' place. */
export type BackwardHook = (module: Module, grad_input: Grads, grad_output: Grads) => unknown;

export interface PreHookOptions {
  /** Whether the hook comes before those that are there. */
  prepend?: boolean;
  /** Whether the hook is given the options object, too. */
  with_kwargs?: boolean;
}

export interface HookOptions extends PreHookOptions {
  /** Whether the hook is also called when `forward` has thrown. */
  always_call?: boolean;
}

export interface PreEntry {
  readonly hook: (...args: never[]) => unknown;
  readonly options: boolean;
}

export interface PostEntry extends PreEntry {
  readonly always: boolean;
}

const FORWARD_PRE = Signature.of('Module.register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False)');
const FORWARD = Signature.of(
  'Module.register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False)',
);

/** What makes the backward hooks of a call (`backward-hooks.ts`), where it is loaded. */
export const backwardHooks: {
  make:
    | ((module: Module, hooks: readonly BackwardHook[], preHooks: readonly BackwardPreHook[]) => BackwardHooks)
    | null;
} = { make: null };

/** @throws NotImplementedError in the small entry point alone */
export function needBackwardHooks(name: string): void {
  if (backwardHooks.make !== null) return;
  throw new NotImplementedError(`Module.${name} is not in torch-mtia/core: import 'torch-mtia/nn', too`);
}

/** The hooks of a module, or of all. */
export class CallHooks {
  readonly forwardPre: PreEntry[] = [];
  readonly forward: PostEntry[] = [];
  readonly backwardPre: BackwardPreHook[] = [];
  readonly backward: BackwardHook[] = [];

  get none(): boolean {
    return this.forwardPre.length + this.forward.length + this.backwardPre.length + this.backward.length === 0;
  }

  addForwardPre(...args: unknown[]): RemovableHandle {
    const [hook, prepend, with_kwargs] = FORWARD_PRE.bind(args) as [unknown, boolean, boolean];
    checkHook(hook);
    return addEntry(this.forwardPre, { hook: hook as PreEntry['hook'], options: with_kwargs }, prepend);
  }

  addForward(...args: unknown[]): RemovableHandle {
    const [hook, prepend, with_kwargs, always_call] = FORWARD.bind(args) as [unknown, boolean, boolean, boolean];
    checkHook(hook);
    const entry = { hook: hook as PreEntry['hook'], options: with_kwargs, always: always_call };
    return addEntry(this.forward, entry, prepend);
  }

  copy(): CallHooks {
    const copy = new CallHooks();
    copy.forwardPre.push(...this.forwardPre);
    copy.forward.push(...this.forward);
    copy.backwardPre.push(...this.backwardPre);
    copy.backward.push(...this.backward);
    return copy;
  }
}

/** Those that every module has; they come before a module's own. */
export const globalHooks = new CallHooks();

/** Calls hook before the `forward` of every module. */
export function register_module_forward_pre_hook(hook: ForwardPreHook): RemovableHandle {
  return globalHooks.addForwardPre(hook);
}

/** Calls hook after the `forward` of every module. */
export function register_module_forward_hook(
  hook: ForwardHook,
  options?: { with_kwargs?: false; always_call?: boolean },
): RemovableHandle;
export function register_module_forward_hook(
  hook: ForwardHookWithOptions,
  options: { with_kwargs: true; always_call?: boolean },
): RemovableHandle;
export function register_module_forward_hook(hook: unknown, options?: HookOptions): RemovableHandle {
  return globalHooks.addForward(hook, options);
}

/** Calls hook when the gradients of the outputs of any module have been computed. */
export function register_module_full_backward_pre_hook(hook: BackwardPreHook): RemovableHandle {
  return addHook(globalHooks.backwardPre, hook);
}

/** Calls hook when the gradients of the inputs of any module have been computed. */
export function register_module_full_backward_hook(hook: BackwardHook): RemovableHandle {
  return addHook(globalHooks.backward, hook);
}

/** Deprecated in PyTorch, and not here. @throws NotImplementedError */
export function refuseBackwardHook(): never {
  throw new NotImplementedError(
    'register_backward_hook is deprecated in PyTorch and not implemented; use register_full_backward_hook',
  );
}

/** The arguments after a pre-hook with options. @throws RuntimeError unless it returned null or `[inputs, options]` */
export function replacedBoth(returned: unknown): [unknown[], Options] | null {
  if (returned === null || returned === undefined) return null;
  if (Array.isArray(returned) && returned.length === 2) {
    const [inputs, options] = returned as [unknown, Options];
    return [Array.isArray(inputs) ? inputs : [inputs], options];
  }
  throw new RuntimeError(
    `forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got ${String(returned)}.`,
  );
}

export type { PrependOption };
