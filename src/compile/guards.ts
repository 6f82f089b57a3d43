/**
 * What a compiled function depends on besides the values of its tensors: the kind of its arguments, the modes that it is
 * called in, and the modules and optimizers that run in it. Looked at before every call.
 */
import { mode } from '../autograd/mode.ts';
import { autocast, lowerDType } from '../amp/state.ts';
import { defaultDevice, defaultDType } from '../core/defaults.ts';
import { sameSizes } from '../core/shape.ts';
import type { Storage } from '../devices/storage.ts';
import { lifetimesOf } from '../devices/storage.ts';
import { numThreads } from '../devices/threads.ts';
import { callHooksOf } from '../nn/hooked.ts';
import { globalHooks } from '../nn/call-hooks.ts';
import { Module } from '../nn/module.ts';
import { Optimizer } from '../optim/optimizer.ts';
import { requiresGrad, Tensor } from '../tensor/tensor.ts';
import { sameShape, type Shape } from './tree.ts';

interface ArgKind {
  readonly sizes: readonly number[];
  readonly strides: readonly number[];
  /** In bytes from the first argument that shares its memory. */
  readonly behind: number;
  readonly dtype: Tensor['dtype'];
  readonly backend: Storage['backend'];
  readonly grad: boolean;
  readonly leaf: boolean;
  readonly flags: number;
  /** The first argument that shares its memory. */
  readonly shares: number;
}

/** The kind of a call: all that decides which launches it makes, as far as arguments and modes can. */
export class CallKind {
  private readonly args: ArgKind[];
  private readonly modes = modesNow();

  constructor(
    private readonly shape: Shape,
    args: readonly Tensor[],
  ) {
    this.args = args.map((x, i) => ({
      sizes: x.sizes,
      strides: x.strides,
      behind: behind(args, i),
      dtype: x.dtype,
      backend: x.storage.backend,
      grad: requiresGrad(x),
      leaf: x.node === null,
      flags: x.flags,
      shares: sharesWith(args, i),
    }));
  }

  matches(shape: Shape, args: readonly Tensor[]): boolean {
    const kinds = this.args;
    if (args.length !== kinds.length) return false;
    for (let i = 0; i < kinds.length; i++) {
      const kind = kinds[i];
      const x = args[i];
      if (
        x.dtype !== kind.dtype ||
        x.storage.backend !== kind.backend ||
        x.flags !== kind.flags ||
        (x.node === null) !== kind.leaf ||
        !sameSizes(x.sizes, kind.sizes) ||
        !sameSizes(x.strides, kind.strides) ||
        requiresGrad(x) !== kind.grad ||
        sharesWith(args, i) !== kind.shares ||
        (kind.shares !== i && behind(args, i) !== kind.behind)
      ) {
        return false;
      }
    }
    return sameModes(this.modes) && sameShape(shape, this.shape);
  }
}

function sharesWith(args: readonly Tensor[], i: number): number {
  const { storage } = args[i];
  for (let k = 0; k < i; k++) if (args[k].storage === storage) return k;
  return i;
}

function behind(args: readonly Tensor[], i: number): number {
  const first = args[sharesWith(args, i)];
  return args[i].offset * args[i].dtype.itemsize - first.offset * first.dtype.itemsize;
}

interface Modes {
  readonly grad: boolean;
  readonly inference: boolean;
  readonly autocast: number;
  readonly lower: readonly [unknown, unknown];
  readonly dtype: unknown;
  readonly device: unknown;
  readonly threads: number;
}

function modesNow(): Modes {
  return {
    grad: mode.grad,
    inference: mode.inference,
    autocast: autocast.active,
    lower: [lowerDType(false), lowerDType(true)],
    dtype: defaultDType(),
    device: defaultDevice(),
    threads: numThreads,
  };
}

function sameModes(m: Modes): boolean {
  return (
    m.grad === mode.grad &&
    m.inference === mode.inference &&
    m.autocast === autocast.active &&
    (m.autocast === 0 || (m.lower[0] === lowerDType(false) && m.lower[1] === lowerDType(true))) &&
    m.dtype === defaultDType() &&
    m.device === defaultDevice() &&
    m.threads === numThreads
  );
}

/** Whether work goes to the default streams: programs know no other. */
export function onDefaultStream(backend: Storage['backend']): boolean {
  return backend.device.type !== 'mtia' || lifetimesOf(backend)!.stream === 0;
}

/** What a module or an optimizer was like. */
export interface Guard {
  holds(): boolean;
}

/** Why an object's code can't be left out of a call; null: it can. */
export function problemOf(object: object): string | null {
  if (!(object instanceof Module)) return null;
  const hooks = callHooksOf(object);
  if ((hooks === null || hooks.none) && globalHooks.none) return null;
  return `a ${object.constructor.name} has hooks`;
}

export function guardOf(object: object): Guard {
  return object instanceof Optimizer ? new OptimizerGuard(object) : new ModuleGuard(object as Module);
}

/** A module's own numbers, flags and tensors are what they were, and it has no hooks. */
class ModuleGuard implements Guard {
  private readonly keys: string[];
  private readonly values: unknown[];
  private readonly storages: (Storage | null)[];
  private readonly record: Record<string, unknown>;

  constructor(private readonly module: Module) {
    this.record = module as unknown as Record<string, unknown>;
    this.keys = Object.keys(module).filter((key) => guarded(this.record[key]));
    this.values = this.keys.map((key) => this.record[key]);
    this.storages = this.values.map((value) => (value instanceof Tensor ? value.storage : null));
  }

  holds(): boolean {
    const { keys, values, record, storages, module } = this;
    for (let i = 0; i < keys.length; i++) {
      const value = record[keys[i]];
      if (value !== values[i] && !Object.is(value, values[i])) return false;
      if (storages[i] !== null && (value as Tensor).storage !== storages[i]) return false;
    }
    const hooks = callHooksOf(module);
    return (hooks === null || hooks.none) && globalHooks.none;
  }
}

/** Submodules are guarded by being the same; arrays and objects can't be, and are not looked at. */
function guarded(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof Tensor;
}

/** The options of an optimizer's groups are what they were, and what it keeps of parameters is the same objects. */
class OptimizerGuard implements Guard {
  private readonly options: unknown[];
  private readonly states: readonly (readonly [Tensor, unknown])[];

  constructor(private readonly optimizer: Optimizer) {
    this.options = optionsOf(optimizer);
    this.states = optimizer.param_groups.flatMap(({ params }) =>
      params.map((param) => [param, optimizer.state.get(param)] as const),
    );
  }

  holds(): boolean {
    const now = optionsOf(this.optimizer);
    if (now.length !== this.options.length) return false;
    for (let i = 0; i < now.length; i++) if (!Object.is(now[i], this.options[i])) return false;
    const { states, optimizer } = this;
    for (let i = 0; i < states.length; i++) if (optimizer.state.get(states[i][0]) !== states[i][1]) return false;
    return true;
  }
}

function optionsOf(optimizer: Optimizer): unknown[] {
  const found: unknown[] = [];
  for (const group of optimizer.param_groups) {
    found.push(group.params.length);
    for (const key in group) {
      const value = group[key];
      if (key === 'params' || key === 'param_names' || (key === 'lr' && optimizer.rateIsLive(group))) continue;
      if (Array.isArray(value)) for (const x of value) found.push(x);
      else found.push(value);
    }
  }
  return found;
}
