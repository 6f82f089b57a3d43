/**
 * A device's trace: what its allocator did, oldest first, as columns of numbers. Millions of events fit; dictionaries
 * are made only for the event that somebody looks at.
 */
import { ACTION_NAMES, actionNumber, OOM } from './actions.ts';
import { Column } from './column.ts';
import { FrameTable } from './frames.ts';
import type { Frame, PlainValue, TraceEntryDict } from './types.ts';

/** Stands for what an event does not say. */
export const ABSENT = -1;
const POOL_BASE = 2 ** 32;
const MAX_POOL_OWNER = 2 ** 20;

/** A pool's id as one number; the default pool is 0. `ABSENT` when it does not fit, as no pool of PyTorch's does. */
export function packPool(owner: number, id: number): number {
  const fits =
    Number.isInteger(owner) &&
    Number.isInteger(id) &&
    owner >= 0 &&
    owner < MAX_POOL_OWNER &&
    id >= 0 &&
    id < POOL_BASE;
  return fits ? owner * POOL_BASE + id : ABSENT;
}

export function unpackPool(pool: number): [number, number] {
  return [Math.floor(pool / POOL_BASE), pool % POOL_BASE];
}

export class SnapshotTrace {
  /** Where the numbers of stacks and strings lead. */
  readonly frames: FrameTable;
  /** Numbers of actions; `otherActions` has the names of those from `ACTION_NAMES.length` on. */
  readonly actions = new Column();
  /** Byte addresses; of an out-of-memory event, the bytes that were free on the device. */
  readonly addresses = new Column();
  readonly sizes = new Column();
  readonly streams = new Column();
  /** Microseconds since 1970, or ABSENT. */
  readonly times = new Column();
  /** Numbers of stacks in `frames`, or ABSENT. */
  readonly stacks = new Column();
  /** user_metadata, compile_context, category: numbers of strings, or ABSENT. */
  readonly metadata = new Column();
  readonly contexts = new Column();
  readonly categories = new Column();
  /** Pools as `packPool` makes them, or ABSENT. */
  readonly pools = new Column();
  /** Whatever else an event says, or says in another type. */
  readonly extras = new Map<number, { [key: string]: PlainValue }>();
  readonly otherActions: string[] = [];
  readonly #others = new Map<string, number>();

  constructor(frames = new FrameTable()) {
    this.frames = frames;
  }

  get length(): number {
    return this.actions.length;
  }

  /** Adds an event at the end. */
  push(
    action: number,
    address: number,
    size: number,
    stream: number,
    time = ABSENT,
    stack = ABSENT,
    metadata = ABSENT,
    context = ABSENT,
    pool = ABSENT,
    category = ABSENT,
  ): void {
    this.actions.push(action);
    this.addresses.push(address);
    this.sizes.push(size);
    this.streams.push(stream);
    this.times.push(time);
    this.stacks.push(stack);
    this.metadata.push(metadata);
    this.contexts.push(context);
    this.pools.push(pool);
    this.categories.push(category);
  }

  /** Adds an event of another trace with the same frames. */
  pushFrom(other: SnapshotTrace, index: number): void {
    const action = other.actions.get(index);
    this.push(
      action < ACTION_NAMES.length ? action : this.actionNumber(other.actionName(action)),
      other.addresses.get(index),
      other.sizes.get(index),
      other.streams.get(index),
      other.times.get(index),
      other.stacks.get(index),
      other.metadata.get(index),
      other.contexts.get(index),
      other.pools.get(index),
      other.categories.get(index),
    );
    const extras = other.extras.get(index);
    if (extras !== undefined) this.extras.set(this.length - 1, extras);
  }

  /** The number of an action, also of one that PyTorch does not have. */
  actionNumber(name: string): number {
    const known = actionNumber(name);
    if (known >= 0) return known;
    let other = this.#others.get(name);
    if (other === undefined) {
      other = this.otherActions.push(name) - 1;
      this.#others.set(name, other);
    }
    return ACTION_NAMES.length + other;
  }

  /** The number of an action that PyTorch does not have; -1 if it does not occur here. */
  otherActionNumber(name: string): number {
    const other = this.#others.get(name);
    return other === undefined ? -1 : ACTION_NAMES.length + other;
  }

  actionName(action: number): string {
    return action < ACTION_NAMES.length ? ACTION_NAMES[action] : this.otherActions[action - ACTION_NAMES.length];
  }

  /** An event as PyTorch's dictionary. */
  entry(index: number): TraceEntryDict {
    const action = this.actions.get(index);
    const entry = { action: this.actionName(action) } as TraceEntryDict;
    const address = this.addresses.get(index);
    if (address !== ABSENT) entry[action === OOM ? 'device_free' : 'addr'] = address;
    const size = this.sizes.get(index);
    if (size !== ABSENT) entry.size = size;
    const stream = this.streams.get(index);
    if (stream !== ABSENT) entry.stream = stream;
    const strings = this.frames.strings;
    const time = this.times.get(index);
    if (time !== ABSENT) entry.time_us = time;
    const context = this.contexts.get(index);
    if (context !== ABSENT) entry.compile_context = strings.get(context);
    const metadata = this.metadata.get(index);
    if (metadata !== ABSENT) entry.user_metadata = strings.get(metadata);
    const pool = this.pools.get(index);
    if (pool !== ABSENT) entry.pool_id = unpackPool(pool);
    const category = this.categories.get(index);
    if (category !== ABSENT) entry.category = strings.get(category);
    const stack = this.stacks.get(index);
    if (stack !== ABSENT) entry.frames = this.frames.frames(stack);
    const extras = this.extras.get(index);
    if (extras !== undefined) Object.assign(entry, extras);
    return entry;
  }

  *[Symbol.iterator](): IterableIterator<TraceEntryDict> {
    for (let i = 0; i < this.length; i++) yield this.entry(i);
  }
}

/** Microseconds since 1970 of an event; null if it has none. */
export function timeOf(trace: SnapshotTrace, index: number): number | null {
  const time = trace.times.get(index);
  return time === ABSENT ? null : time;
}

/** The stack of an event, innermost first. */
export function framesOf(trace: SnapshotTrace, index: number): readonly Frame[] {
  const stack = trace.stacks.get(index);
  return stack === ABSENT ? [] : trace.frames.frames(stack);
}
