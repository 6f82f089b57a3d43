/**
 * The tensor: a strided window on a storage, and its place in the autograd graph. It has no operations; `src/torch`
 * gives the class its methods from the op declarations, and `generated.ts` their types.
 */
import type { DType } from '../core/dtype.ts';
import { isContiguous } from '../core/shape.ts';
import { DISPOSED, type Storage } from '../devices/storage.ts';
import { entry, recorded } from '../memory/entry.ts';
import { collectInScope, keepFromScopes } from '../memory/scope.ts';
import type { TensorMethods } from '../torch/generated.ts';
import type { TensorMembers } from './members.ts';
import type { Node } from './node.ts';

/** Counts in-place changes. Shared by all views of a base and by `detach()`, not by `.data`. */
export class VersionCounter {
  value = 0;
}

/** Storages of disposed tensors that the framework held at the time: `heldStorage` finds them when it lets go. */
const heldStorages = new WeakMap<Tensor, Storage>();

/** The storage that the framework holds x by, also after x was disposed of; null if it is gone. */
export function heldStorage(x: Tensor): Storage | null {
  return x.storage === DISPOSED ? (heldStorages.get(x) ?? null) : x.storage;
}

/** How a view came to be; decides whether it may be changed in place. PyTorch's CreationMeta. */
export type ViewCreation = 'default' | 'multi-output' | 'no-grad' | 'inference' | 'custom-function';

export class ViewInfo {
  constructor(
    readonly base: Tensor,
    public creation: ViewCreation,
    /** Version at which the view's node was made; behind the counter's value it is made anew from the base. */
    public nodeVersion: number,
  ) {}
}

const release = (storage: Storage): void => storage.release();

/** Called with a tensor's gradient; may return another in its place. */
export type TensorHook = (grad: Tensor) => Tensor | null | undefined | undefined;

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the methods are attached from the op declarations
export class Tensor {
  storage: Storage;
  /** In elements from the start of the storage. */
  offset: number;
  sizes: readonly number[];
  /** In elements. */
  strides: readonly number[];
  dtype: DType;
  /** Number of elements. */
  length: number;
  /** PyTorch's `is_contiguous()`. */
  contiguousNow: boolean;

  /** `requires_grad` as set by the user; a tensor with a node requires grad whatever this says. */
  wantsGrad = false;
  /** The node whose output this is. Behind in-place changes of a view's base; use `gradientNode(x)` to read it. */
  node: Node | null = null;
  /** Which output of the node. */
  outputNumber = 0;
  /** `.grad`. */
  gradient: Tensor | null = null;
  /** A leaf's AccumulateGrad node, once it has been needed. */
  accumulator: Node | null = null;
  /** null: never changed in place and no view taken, which counts as version 0. */
  version: VersionCounter | null = null;
  viewInfo: ViewInfo | null = null;
  hooks: TensorHook[] | null = null;
  /** Bit set of the FLAG_ constants. */
  flags = 0;

  constructor(
    storage: Storage,
    offset: number,
    sizes: readonly number[],
    strides: readonly number[],
    dtype: DType,
    length: number,
    contiguous: boolean,
  ) {
    this.storage = storage;
    this.offset = offset;
    this.sizes = sizes;
    this.strides = strides;
    this.dtype = dtype;
    this.length = length;
    this.contiguousNow = contiguous;
    if (storage?.record === undefined) throw new TypeError(NO_CONSTRUCTOR);
    storage.record.handles++;
    collectInScope(this);
  }

  /**
   * Lets go of this handle now, as Python's `del`. The storage goes at once if no other undisposed tensor shares it and
   * the framework holds nothing; what an autograd graph has saved stays until its backward.
   */
  dispose(): void {
    const storage = this.storage;
    if (storage === DISPOSED) return;
    if (storage.record.holds > 0) heldStorages.set(this, storage);
    this.forget();
  }

  /** As `dispose`, for a tensor that the framework does not hold by this object. */
  forget(): void {
    const storage = this.storage;
    if (storage === DISPOSED) return;
    this.storage = DISPOSED;
    if (entry.settler === null) storage.release();
    else recorded(release, storage);
  }

  /** As `dispose`, for a tensor that only the framework knew: not a use, so its memory counts up to the last one. */
  drop(): void {
    const storage = this.storage;
    if (storage === DISPOSED) return;
    this.storage = DISPOSED;
    storage.drop();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Keeps this tensor beyond the end of every open `torch.scope`. Returns it. */
  keep(): this {
    keepFromScopes(this);
    return this;
  }

  /** Whether the framework holds it: a parameter, a gradient, optimizer state. Such tensors outlive scopes. */
  get isHeld(): boolean {
    if ((this.flags & FLAG_PARAMETER) !== 0) return true;
    return this.storage !== DISPOSED && this.storage.record.holds > 0;
  }
}

const NO_CONSTRUCTOR =
  'torch.Tensor is the class of tensors; make one by torch.tensor([1, 2]) from values, or by torch.empty(2, 3), torch.zeros(2, 3) and the like from sizes';

export interface Tensor extends TensorMethods, TensorMembers {}

/** Made under inference_mode: never part of a graph. */
export const FLAG_INFERENCE = 1;
/** A gradient of which nobody but the framework knows: it may be written over, taken, and disposed of when it is used up. */
export const FLAG_OWN = 2;
/** `retain_grad()` was called. */
export const FLAG_RETAINS_GRAD = 4;
/** An `nn.Parameter`. */
export const FLAG_PARAMETER = 8;
/** A gradient that waits in several places of a backward run. */
export const FLAG_SEVERAL = 16;

/** The program's own code gets to see a gradient: it is not the framework's alone any more. */
export function disown(grad: Tensor): void {
  grad.flags &= ~FLAG_OWN;
}

/** Whether gradients flow to this tensor. A view requires grad with its base, also one made under no_grad. */
export function requiresGrad(x: Tensor): boolean {
  return x.node !== null || x.wantsGrad || (x.viewInfo !== null && requiresGrad(x.viewInfo.base));
}

/** The counter of in-place changes, made on demand so that most tensors need none. */
export function versionCounter(x: Tensor): VersionCounter {
  return (x.version ??= new VersionCounter());
}

export function currentVersion(x: Tensor): number {
  return x.version === null ? 0 : x.version.value;
}

/** A tensor over the same storage. The handle is not a view for autograd; callers decide on that. */
export function aliasTensor(
  x: Tensor,
  offset: number,
  sizes: readonly number[],
  strides: readonly number[],
  length: number,
): Tensor {
  return new Tensor(x.storage, offset, sizes, strides, x.dtype, length, isContiguous(sizes, strides));
}
