/** What modules can be hooked into: the methods that register hooks, and where the hooks are kept. The base of `Module`. */
import type { RemovableHandle } from '../tensor/members.ts';
import {
  type BackwardHook,
  type BackwardPreHook,
  CallHooks,
  type ForwardHook,
  type ForwardHookWithOptions,
  type ForwardPreHook,
  type ForwardPreHookWithOptions,
  type HookOptions,
  type PreHookOptions,
  refuseBackwardHook,
  needBackwardHooks,
} from './call-hooks.ts';
import { Callable } from './callable.ts';
import { addHook, type PrependOption } from './hook-list.ts';
import type { Module } from './module.ts';
import { Signature } from './signature.ts';
import type { IncompatibleKeys, StateDict } from './state-dict.ts';

/** Called before a module's state dict is made. */
export type StateDictPreHook = (module: Module, prefix: string, keep_vars: boolean) => void;
/** Called with a module's state dict, which it may change; it returns nothing. */
export type StateDictPostHook = (
  module: Module,
  state_dict: StateDict,
  prefix: string,
  local_metadata: Record<string, unknown>,
) => unknown;
/** Called with what a module is about to load, which it may change. */
export type LoadStateDictPreHook = (
  module: Module,
  state_dict: Record<string, unknown>,
  prefix: string,
  local_metadata: Record<string, unknown>,
  strict: boolean,
  missing_keys: string[],
  unexpected_keys: string[],
  error_msgs: string[],
) => void;
/** Called after a module has been loaded; it may change the lists, and returns nothing. */
export type LoadStateDictPostHook = (module: Module, incompatible_keys: IncompatibleKeys) => unknown;

const BACKWARD_PRE = Signature.of('Module.register_full_backward_pre_hook(self, hook, prepend=False)');
const BACKWARD = Signature.of('Module.register_full_backward_hook(self, hook, prepend=False)');

export class StateHooks {
  readonly pre: StateDictPreHook[] = [];
  readonly post: StateDictPostHook[] = [];
  readonly loadPre: LoadStateDictPreHook[] = [];
  readonly loadPost: LoadStateDictPostHook[] = [];

  copy(): StateHooks {
    const copy = new StateHooks();
    copy.pre.push(...this.pre);
    copy.post.push(...this.post);
    copy.loadPre.push(...this.loadPre);
    copy.loadPost.push(...this.loadPost);
    return copy;
  }
}

/** A module's hooks around calls; null if it never had any. */
export let callHooksOf: (module: Hooked) => CallHooks | null;
/** A module's hooks around state dicts; null if it never had any. */
export let stateHooksOf: (module: Hooked) => StateHooks | null;
/** Gives a copy of a module the hooks of the original. */
export let copyHooks: (from: Hooked, to: Hooked) => void;

export class Hooked extends Callable {
  #callHooks: CallHooks | null = null;
  #stateHooks: StateHooks | null = null;

  static {
    callHooksOf = (module) => module.#callHooks;
    stateHooksOf = (module) => module.#stateHooks;
    copyHooks = (from, to) => {
      to.#callHooks = from.#callHooks?.copy() ?? null;
      to.#stateHooks = from.#stateHooks?.copy() ?? null;
    };
  }

  /**
   * Calls hook with `(module, inputs)` before every `forward`; what it returns takes the inputs' place. An options object
   * that comes after other arguments is not among the inputs: a hook `with_kwargs` is given it as third argument.
   */
  register_forward_pre_hook(
    hook: ForwardPreHook,
    options?: { prepend?: boolean; with_kwargs?: false },
  ): RemovableHandle;
  register_forward_pre_hook(
    hook: ForwardPreHookWithOptions,
    options: PreHookOptions & { with_kwargs: true },
  ): RemovableHandle;
  register_forward_pre_hook(...args: unknown[]): RemovableHandle {
    return (this.#callHooks ??= new CallHooks()).addForwardPre(...args);
  }

  /** Calls hook with `(module, inputs, output)` after every `forward`; what it returns takes the output's place. */
  register_forward_hook(
    hook: ForwardHook,
    options?: { prepend?: boolean; with_kwargs?: false; always_call?: boolean },
  ): RemovableHandle;
  register_forward_hook(hook: ForwardHookWithOptions, options: HookOptions & { with_kwargs: true }): RemovableHandle;
  register_forward_hook(...args: unknown[]): RemovableHandle {
    return (this.#callHooks ??= new CallHooks()).addForward(...args);
  }

  /** Calls hook with `(module, grad_output)` when the gradients of the outputs are there; what it returns takes their place. */
  register_full_backward_pre_hook(hook: BackwardPreHook, prepend?: PrependOption): RemovableHandle;
  register_full_backward_pre_hook(...args: unknown[]): RemovableHandle {
    needBackwardHooks('register_full_backward_pre_hook');
    const [hook, prepend] = BACKWARD_PRE.bind(args) as [BackwardPreHook, boolean];
    return addHook((this.#callHooks ??= new CallHooks()).backwardPre, hook, prepend);
  }

  /**
   * Calls hook with `(module, grad_input, grad_output)` when the gradients of the inputs are there; what it returns takes the
   * place of `grad_input`. What is no tensor has null.
   */
  register_full_backward_hook(hook: BackwardHook, prepend?: PrependOption): RemovableHandle;
  register_full_backward_hook(...args: unknown[]): RemovableHandle {
    needBackwardHooks('register_full_backward_hook');
    const [hook, prepend] = BACKWARD.bind(args) as [BackwardHook, boolean];
    return addHook((this.#callHooks ??= new CallHooks()).backward, hook, prepend);
  }

  /** Deprecated. @throws NotImplementedError: use `register_full_backward_hook` */
  register_backward_hook(_hook: BackwardHook): RemovableHandle {
    return refuseBackwardHook();
  }

  /** Calls hook with `(module, prefix, keep_vars)` before every `state_dict`. */
  register_state_dict_pre_hook(hook: StateDictPreHook): RemovableHandle {
    return addHook((this.#stateHooks ??= new StateHooks()).pre, hook);
  }

  /** Calls hook with `(module, state_dict, prefix, local_metadata)` after every `state_dict`; it may change the dict. */
  register_state_dict_post_hook(hook: StateDictPostHook): RemovableHandle {
    return addHook((this.#stateHooks ??= new StateHooks()).post, hook);
  }

  /**
   * Calls hook with `(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)` before the
   * module loads its part of a state dict, which it may change.
   */
  register_load_state_dict_pre_hook(hook: LoadStateDictPreHook): RemovableHandle {
    return addHook((this.#stateHooks ??= new StateHooks()).loadPre, hook);
  }

  /** Calls hook with `(module, incompatible_keys)` after the module has been loaded; it may change the lists. */
  register_load_state_dict_post_hook(hook: LoadStateDictPostHook): RemovableHandle {
    return addHook((this.#stateHooks ??= new StateHooks()).loadPost, hook);
  }
}
