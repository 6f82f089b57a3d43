/**
 * A graph capture under way: launches on its streams are written down instead of run, what they allocate belongs to the
 * graph, and whatever would need their results is refused. `graph.ts` begins and ends captures and replays them.
 */
import { RuntimeError } from '../core/errors.ts';
import type { Allocator } from '../memory/allocator/allocator.ts';
import type { PoolId } from '../memory/allocator/pools.ts';
import { retainPool } from '../memory/allocator/private.ts';
import type { Lifetimes } from '../memory/lifetimes.ts';
import type { Backend } from './backend.ts';
import type { GraphMemory, GraphStore } from './graph-memory.ts';
import type { Storage } from './storage.ts';

/** Words before a launch's own: kernel, number of words, grain. */
export const LAUNCH_HEADER = 3;

/** Launches one after the other in one array. */
export class Recording {
  words = new Int32Array(1024);
  /** Words in use. */
  length = 0;
  launches = 0;
  /** Words of the launch being written. */
  private open = 0;

  /** As `Backend.begin`: where the launch's words go in `words`. */
  begin(kernel: number, count: number, grain: number): number {
    const { length } = this;
    this.open = LAUNCH_HEADER + count;
    if (length + this.open > this.words.length) this.grow(length + this.open);
    const { words } = this;
    words[length] = kernel;
    words[length + 1] = count;
    words[length + 2] = grain;
    return length + LAUNCH_HEADER;
  }

  submit(): void {
    this.length += this.open;
    this.launches++;
  }

  /** No launches will follow: gives back what is too much. */
  close(): void {
    this.words = this.words.slice(0, this.length);
  }

  /** Gives all launches to a device, in order. */
  replay(backend: Backend): void {
    const { words, length } = this;
    for (let at = 0; at < length; ) {
      const count = words[at + 1];
      const to = backend.begin(words[at], count, words[at + 2]);
      const target = backend.words;
      at += LAUNCH_HEADER;
      for (let i = 0; i < count; i++) target[to + i] = words[at + i];
      backend.submit();
      at += count;
    }
  }

  /** Kernel of each launch. */
  kernels(): number[] {
    const list: number[] = [];
    for (let at = 0; at < this.length; at += LAUNCH_HEADER + this.words[at + 1]) list.push(this.words[at]);
    return list;
  }

  private grow(least: number): void {
    const words = new Int32Array(Math.max(least, 2 * this.words.length));
    words.set(this.words);
    this.words = words;
  }
}

/** Memory that a graph uses: backing store, and the pool of the allocator. */
export interface Lease {
  readonly store: GraphStore;
  readonly allocator: Allocator;
  readonly pool: PoolId;
}

/** The capture under way in this process; there is one at most. */
export let capturing: Capture | null = null;

export function setCapturing(capture: Capture | null): void {
  capturing = capture;
}

/** Runs `fn` as if no graph were being captured: for state that a device makes at first use and keeps. */
export function outsideCapture<T>(fn: () => T): T {
  const capture = capturing;
  if (capture === null) return fn();
  capture.suspended++;
  try {
    return fn();
  } finally {
    capture.suspended--;
  }
}

export class Capture {
  readonly recording = new Recording();
  /** Storages that launches use and that were not allocated here. They are held. */
  readonly inputs = new Set<Storage>();
  /** Its own memory, and that of graphs that were replayed into it. */
  readonly leases: Lease[];
  suspended = 0;
  /** Why it can't become a graph any more; null: all is well. */
  failure: string | null = null;
  private readonly streams: Set<number>;

  constructor(
    readonly backend: Backend,
    readonly lifetimes: Lifetimes,
    private readonly memory: GraphMemory,
    lease: Lease,
    /** The stream it began on. */
    readonly stream: number,
  ) {
    this.leases = [lease];
    this.streams = new Set([stream]);
  }

  /** Whether what is given to the device's current stream goes into the capture. */
  get active(): boolean {
    return this.suspended === 0 && this.streams.has(this.lifetimes.stream);
  }

  /** Whether work of this stream is captured. */
  has(stream: number): boolean {
    return this.streams.has(stream);
  }

  /** Room for a launch in `recording.words`. */
  begin(kernel: number, count: number, grain: number): number {
    if (this.failure !== null) throw this.invalid();
    return this.recording.begin(kernel, count, grain);
  }

  allocate(bytes: number): number {
    return this.leases[0].store.allocate(bytes, this);
  }

  /** A launch uses this storage. What was there before is held, since nobody sees that replays need it. */
  use(storage: Storage): void {
    if (storage.backend !== this.backend || storage.nbytes === 0 || !this.active) return;
    if (this.inputs.has(storage) || this.memory.isOf(storage.address, this)) return;
    this.inputs.add(storage);
    storage.hold();
  }

  /**
   * The host asks for something that only a device can give that runs what it is given. The capture is lost with that, as
   * in CUDA.
   */
  refuse(advice: string): never {
    const text = `MTIA error: operation not permitted when stream is capturing. ${advice}`;
    this.failure ??= text;
    throw new RuntimeError(text);
  }

  /** A copy from or to the host, or another device. Nothing has been done, and the capture goes on. */
  refuseCopy(): never {
    throw new RuntimeError(
      'Cannot copy between CPU and MTIA tensors during MTIA graph capture unless the CPU tensor is pinned. Please use tensor.pin_memory() or allocate the tensor with pin_memory=True.',
    );
  }

  /** A graph is replayed into this one: what it needs is needed here, too. */
  include(inputs: readonly Storage[], leases: readonly Lease[]): void {
    for (const storage of inputs) this.use(storage);
    for (const lease of leases) {
      if (this.leases.some(({ store }) => store === lease.store)) continue;
      lease.store.retain();
      retainPool(lease.allocator, lease.pool);
      this.leases.push(lease);
    }
  }

  /** Why no graph can be made of it; null: all is well. */
  problem(): RuntimeError | null {
    return this.failure === null ? null : this.invalid();
  }

  /** The error of whatever comes after a failure. */
  private invalid(): RuntimeError {
    return new RuntimeError(
      `MTIA error: operation failed due to a previous error during capture. That was: ${this.failure}`,
    );
  }
}
