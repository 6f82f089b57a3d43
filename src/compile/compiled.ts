/**
 * A compiled function for one kind of arguments: the program of its calls, the program of their backward, and what a call
 * needs of memory and makes of tensors.
 */
import { accumulatorOf, setGradient } from '../autograd/accumulate.ts';
import { mode } from '../autograd/mode.ts';
import { reserveEdges, setEdge, setHistory } from '../autograd/record.ts';
import { sameSizes } from '../core/shape.ts';
import type { Backend } from '../devices/backend.ts';
import { allocateStorage, type Storage, touch } from '../devices/storage.ts';
import { clock } from '../memory/clock.ts';
import { FLAG_INFERENCE, FLAG_OWN, FLAG_PARAMETER, Tensor, versionCounter } from '../tensor/tensor.ts';
import type { Agreement, Moving, Step } from './agree.ts';
import type { Range } from './map-step.ts';
import { type Block, sideBySide, type Workspace, workspace } from './plan.ts';
import { CompiledNode } from './compiled-node.ts';
import { Program } from './program.ts';
import type { Given, Owner, Run } from './run.ts';
import { type Shape, unflatten } from './tree.ts';

/** A tensor that is made of a buffer. */
export interface Made {
  /** -1: it has no memory. */
  readonly buffer: number;
  /** Without what it refers to: that of a call must not live as long as the program. */
  readonly given: Given;
  /** It is this argument; -1: it is none. */
  readonly arg: number;
  /** It is this tensor from outside; null: it is none. */
  readonly same: Tensor | null;
}

/** A buffer with a storage of its own. */
interface Owned {
  readonly buffer: number;
  readonly bytes: number;
}

/** Where an argument must lie. */
export interface Pinned {
  readonly storage: WeakRef<Storage>;
  readonly offset: number;
}

/** What a call does to the `.grad` of a leaf. */
interface GradientChange {
  readonly leaf: Tensor;
  readonly before: { readonly strides: readonly number[]; readonly offset: number } | null;
  /** Where it must be before; null: anywhere. */
  readonly at: Storage | null;
  readonly after: Made | null;
  /** It is the same tensor as before. */
  readonly kept: boolean;
  /** What was there before is not read, and can go at once. */
  readonly early: boolean;
}

/** Changes the steps of a part; what is in `kept` must be there afterwards. */
export type Optimise = (
  steps: readonly Step[],
  kept: ReadonlySet<number>,
  made: number,
  ranges: readonly Range[],
) => readonly Step[];

export class Compiled {
  readonly forward: Program;
  readonly backward: Program | null;
  readonly spent: boolean;
  readonly backend: Backend;
  /** Arguments that must be the very storages of the trace. */
  readonly pinnedArgs: readonly (Pinned | null)[];
  readonly shape: Shape;
  readonly bases: Float64Array;
  /** Whether every buffer is given its place in every call: one without would be taken to lie at address 0. */
  readonly complete: boolean;
  /** Launches of the traces. */
  readonly traced: number;

  private readonly results: readonly Made[];
  private readonly gradients: readonly GradientChange[];
  private readonly bumps: readonly { tensor: Tensor | null; arg: number; by: number }[];
  private readonly outside: readonly Storage[];
  private readonly addresses: readonly number[];
  private readonly tensors: readonly { tensor: Tensor; storage: Storage }[];
  /** Buffers with storages of their own: of results and gradients. */
  private readonly owned: readonly Owned[];
  private readonly ownedSlot = new Map<number, number>();
  private readonly temporary: Workspace;
  /** What moves: arguments by number. */
  private readonly moving: readonly { buffer: number; arg: number; leaf: Tensor | null }[];

  /** What backward needs. */
  readonly saved: Block;
  readonly savedOwned: readonly number[];
  readonly savedArgs: readonly { buffer: number; arg: number }[];
  readonly savedOutside: readonly Tensor[];
  /** Arguments that must lie where they do. */
  readonly savedPinned: readonly number[];
  readonly owners: readonly Owner[];
  readonly grads: readonly (Made | null)[];
  readonly gradOwned: readonly Owned[];
  readonly gradTemporary: Workspace;
  /** Of the results that require grad: their number among the results, and the buffer of their gradient. */
  readonly roots: readonly { result: number; buffer: number; given: Given }[];

  constructor(
    run: Run,
    agreement: Agreement,
    moving: readonly Moving[],
    pinned: readonly (Pinned | null)[],
    pinnedGradients: readonly (Storage | null)[],
    optimise: Optimise,
  ) {
    const { trace, backward } = run;
    const { made, scratch } = agreement;
    this.backend = trace.backend!;
    this.shape = run.shape;
    this.pinnedArgs = pinned;
    this.traced = agreement.steps.length;
    this.bumps = run.bumps.map(({ tensor, arg, by }) => ({ tensor: arg >= 0 ? null : tensor, arg, by }));
    const outside = [...trace.outside.values()].filter(({ storage }) => !moving.some((m) => m.storage === storage));
    const bufferAt = (given: Given): number => {
      if (given.id >= 0) return given.id;
      const at = moving.findIndex((m) => m.storage === given.storage);
      return at < 0 ? -1 : made.length + at;
    };
    const madeOf = (given: Given): Made => {
      const arg = given.same === null ? -1 : run.args.indexOf(given.same);
      const same = arg >= 0 ? null : given.same;
      return { buffer: bufferAt(given), given: { ...given, storage: null, same: null }, arg, same };
    };
    this.results = run.results.map(madeOf);
    this.gradients = run.gradients.map(({ leaf, before, after }, i) => ({
      leaf,
      at: pinnedGradients[i],
      before: before === null ? null : { strides: before.strides, offset: before.offset },
      after: after === null ? null : madeOf(after),
      kept: after !== null && after.same !== null,
      early: before !== null && (after === null || after.same === null) && !trace.outside.has(before.storage),
    }));
    this.spent = backward?.spent ?? false;
    const border = Math.min(trace.backwardAt, agreement.steps.length);
    const ranges = outside.map((o) => ({ address: o.address, bytes: o.storage.nbytes }));
    let first: readonly Step[] = agreement.steps.slice(0, border);
    let second: readonly Step[] = agreement.steps.slice(border);
    const own = new Set<number>();
    for (const made of this.results) if (isNew(made) && made.buffer >= 0) own.add(made.buffer);
    for (const { after, kept } of this.gradients)
      if (after !== null && !kept && after.buffer >= 0) own.add(after.buffer);
    this.grads = backward === null ? [] : backward.grads.map((g) => (g === null ? null : madeOf(g)));
    const gradOwn = new Set<number>();
    for (const g of this.grads) if (g !== null && g.buffer >= 0 && g.buffer < made.length) gradOwn.add(g.buffer);

    second = optimise(second, gradOwn, made.length, ranges);
    const inSecond = buffersOf(second);
    const bornFirst = buffersOf(first);
    const keep = new Set(own);
    for (const b of bornFirst) if (b < made.length && (inSecond.has(b) || gradOwn.has(b))) keep.add(b);
    first = optimise(first, keep, made.length, ranges);
    const inFirst = buffersOf(first);
    const isMade = (b: number) => b < made.length;
    const saved = [...keep].filter((b) => (inSecond.has(b) || gradOwn.has(b)) && inFirst.has(b) && !own.has(b));
    const savedSet = new Set(saved);
    this.saved = sideBySide(saved, made);
    this.savedOwned = [...own].filter((b) => inSecond.has(b));
    this.owned = [...own].map((buffer) => ({ buffer, bytes: made[buffer] }));
    this.owned.forEach(({ buffer }, i) => {
      this.ownedSlot.set(buffer, i);
    });
    const temporary = [...inFirst].filter((b) => isMade(b) && !own.has(b) && !savedSet.has(b));
    this.temporary = workspace(first, temporary, made, scratch);
    this.gradOwned = [...gradOwn].filter((b) => !savedSet.has(b)).map((buffer) => ({ buffer, bytes: made[buffer] }));
    const gradTemporary = [...inSecond].filter((b) => isMade(b) && !gradOwn.has(b) && !savedSet.has(b) && !own.has(b));
    this.gradTemporary = workspace(second, gradTemporary, made, scratch);
    const all = moving.map(({ key }, k) => {
      const [kind, index] = key.split(' ');
      const leaf = kind === 'grad' ? run.gradients[Number(index)].leaf : null;
      return { buffer: made.length + k, arg: kind === 'arg' ? Number(index) : -1, leaf, kind };
    });
    this.moving = all.filter((m) => m.kind !== 'tangent');
    this.savedArgs = all.filter((m) => m.kind === 'arg' && inSecond.has(m.buffer));
    // Arguments live as long as the program's caller wants.
    const isPinned = (storage: Storage) => pinned.some((p) => p?.storage.deref() === storage);
    const fixed = outside.filter(({ storage }) => !isPinned(storage));
    this.outside = fixed.map((o) => o.storage);
    this.addresses = fixed.map((o) => o.address);
    this.savedPinned = outside.flatMap(({ storage, backward: used }) =>
      used && isPinned(storage) ? [pinned.findIndex((p) => p?.storage.deref() === storage)] : [],
    );
    this.tensors = fixed.flatMap(({ tensors, storage }) => {
      const tensor = programOf(tensors);
      return tensor === null ? [] : [{ tensor, storage }];
    });
    this.savedOutside = fixed.flatMap(({ tensors, backward: used }) => {
      const tensor = used ? programOf(tensors) : null;
      return tensor === null ? [] : [tensor];
    });
    this.owners = backward?.owners ?? [];
    const differentiable = this.results.flatMap((made, i) => (isNew(made) && made.given.grad ? [i] : []));
    const tangents = backward?.tangents ?? [];
    this.roots = differentiable.map((result, k) => {
      const given = tangents[k] ?? run.results[result];
      return { result, buffer: this.spent ? -1 : bufferAt(given), given: { ...given, storage: null, same: null } };
    });
    this.forward = new Program(first);
    this.backward = backward === null || backward.spent ? null : new Program(second);
    this.bases = new Float64Array(made.length + moving.length);
    const forwardHomes = [...this.owned, ...this.saved.places, ...homesOf(this.temporary), ...this.moving];
    const backwardHomes = [
      ...this.saved.places,
      ...this.savedOwned.map((buffer) => ({ buffer })),
      ...this.savedArgs,
      ...this.gradOwned,
      ...homesOf(this.gradTemporary),
      ...this.roots,
    ];
    this.complete = haveHomes(inFirst, forwardHomes) && haveHomes(inSecond, backwardHomes);
  }

  /** Whether a call with these arguments (whose kind is known to fit) may use this. */
  fits(args: readonly Tensor[]): boolean {
    const { pinnedArgs, tensors, gradients, outside, addresses } = this;
    for (let i = 0; i < pinnedArgs.length; i++) {
      const pinned = pinnedArgs[i];
      if (pinned !== null && (args[i].storage !== pinned.storage.deref() || args[i].offset !== pinned.offset))
        return false;
    }
    for (let i = 0; i < tensors.length; i++) if (tensors[i].tensor.storage !== tensors[i].storage) return false;
    for (let i = 0; i < outside.length; i++) if (outside[i].address !== addresses[i]) return false;
    for (let i = 0; i < gradients.length; i++) {
      const { leaf, before, at } = gradients[i];
      const now = leaf.gradient;
      if ((now === null) !== (before === null) || (at !== null && now!.storage !== at)) return false;
      if (
        now !== null &&
        before !== null &&
        !(sameSizes(now.strides, before.strides) && now.offset === before.offset)
      ) {
        return false;
      }
    }
    return true;
  }

  run(args: readonly Tensor[]): unknown {
    const { backend, bases, moving, owned, outside } = this;
    clock.operation = 'compiled function';
    for (let i = 0; i < moving.length; i++) {
      const { buffer, arg, leaf } = moving[i];
      const x = arg >= 0 ? args[arg] : leaf!.gradient!;
      bases[buffer] = firstOf(x);
    }
    for (const { leaf, early } of this.gradients) if (early) setGradient(leaf, null);
    const storages: Storage[] = new Array(owned.length);
    for (let i = 0; i < owned.length; i++) {
      storages[i] = allocateStorage(backend, owned[i].bytes);
      bases[owned[i].buffer] = storages[i].address;
    }
    const recordsGrad = mode.grad && this.roots.length > 0;
    const saved = recordsGrad && this.saved.bytes > 0 ? place(backend, this.saved, bases) : null;
    runIn(this.temporary, this.forward, backend, bases);
    // After the last allocation: all of these are used together with what was allocated then.
    for (let i = 0; i < moving.length; i++) if (moving[i].leaf !== null) touch(moving[i].leaf!.gradient!.storage);
    for (let i = 0; i < outside.length; i++) touch(outside[i]);
    for (let i = 0; i < args.length; i++) touch(args[i].storage);
    for (let i = 0; i < storages.length; i++) touch(storages[i]);
    if (saved !== null) touch(saved);
    for (const { tensor, arg, by } of this.bumps) {
      const x = tensor ?? args[arg];
      if ((x.flags & FLAG_INFERENCE) === 0) versionCounter(x).value += by;
    }
    for (const { leaf, after, kept } of this.gradients) {
      if (!kept) setGradient(leaf, after === null ? null : this.tensor(after, storages));
    }
    const results = this.results.map((made) =>
      isNew(made) ? this.tensor(made, storages) : (made.same ?? args[made.arg]),
    );
    if (recordsGrad) this.record(results, args, storages, saved);
    return unflatten(this.shape, results);
  }

  private tensor({ buffer, given }: Made, storages: readonly Storage[]): Tensor {
    const storage = buffer < 0 ? allocateStorage(this.backend, 0) : storages[this.ownedSlot.get(buffer)!];
    return tensorOf(storage, given);
  }

  private record(
    results: Tensor[],
    args: readonly Tensor[],
    storages: readonly Storage[],
    saved: Storage | null,
  ): void {
    const node = new CompiledNode(this);
    reserveEdges(node, this.owners.length);
    this.owners.forEach(({ arg, leaf }, i) => {
      if (arg >= 0) setEdge(node, i, args[arg]);
      else node.nextNodes[i] = accumulatorOf(leaf!);
    });
    this.roots.forEach(({ result }, k) => {
      setHistory(results[result], node, k);
    });
    node.save(
      args,
      storages,
      this.savedOwned.map((b) => this.ownedSlot.get(b)!),
      saved,
    );
  }
}

/** Whether a tensor is made anew in every call. */
function isNew({ arg, same }: Made): boolean {
  return arg < 0 && same === null;
}

/** Which of the tensors over a storage the program is likeliest to know: aliases are made on the way. */
function programOf(tensors: ReadonlyMap<Tensor, number>): Tensor | null {
  const all = [...tensors.keys()];
  return all.find((x) => (x.flags & FLAG_PARAMETER) !== 0) ?? all.find((x) => x.version !== null) ?? all[0] ?? null;
}

/** The byte address of a tensor's first element. */
export function firstOf({ storage, offset, dtype }: Tensor): number {
  return storage.address + offset * dtype.itemsize;
}

/** The tensor over a storage that was made for it. */
export function tensorOf(storage: Storage, given: Given): Tensor {
  const { offset, sizes, strides, dtype, length, contiguous } = given;
  const x = new Tensor(storage, offset, sizes, strides, dtype, length, contiguous);
  x.flags |= given.flags & (FLAG_INFERENCE | FLAG_OWN);
  return x;
}

export function place(backend: Backend, { bytes, places }: Block, bases: Float64Array): Storage {
  const storage = allocateStorage(backend, bytes);
  for (let i = 0; i < places.length; i++) bases[places[i].buffer] = storage.address + places[i].offset;
  return storage;
}

/** Runs a part of a program with the memory that it needs besides. */
export function runIn({ storages, scratch }: Workspace, program: Program, backend: Backend, bases: Float64Array): void {
  const temporary = storages.bytes > 0 ? place(backend, storages, bases) : null;
  const at = backend.allocate(scratch.bytes);
  for (const { buffer, offset } of scratch.places) bases[buffer] = at + offset;
  try {
    program.run(backend, bases);
  } finally {
    backend.free(at, scratch.bytes);
    temporary?.freeNow();
  }
}

function homesOf({ storages, scratch }: Workspace): readonly { readonly buffer: number }[] {
  return [...storages.places, ...scratch.places];
}

function haveHomes(used: ReadonlySet<number>, homes: readonly { readonly buffer: number }[]): boolean {
  const known = new Set(homes.map((h) => h.buffer));
  return [...used].every((buffer) => known.has(buffer));
}

function buffersOf(steps: readonly Step[]): Set<number> {
  const found = new Set<number>();
  for (const { relocs } of steps) for (const { buffer } of relocs) found.add(buffer);
  return found;
}
