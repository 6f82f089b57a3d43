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
import { MAX_WORDS } from './layout.ts';
import type { Storage } from './storage.ts';

/** Words before a launch's own: kernel, number of words, grain. */
const LAUNCH_HEADER = 3;
/** In place of a kernel: a copy between the device and pinned host memory. Its one word is its place in `copies`. */
const HOST_COPY = -1;

/** A copy that runs at every replay, with what is in host memory then. */
interface HostCopy {
  readonly host: Storage;
  readonly hostAddress: number;
  readonly address: number;
  readonly bytes: number;
  readonly toDevice: boolean;
}

/** Launches one after the other in one array. */
export class Recording {
  words = new Int32Array(1024);
  /** Words in use. */
  length = 0;
  launches = 0;
  private readonly copies: HostCopy[] = [];
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

  copy(copy: HostCopy): void {
    this.words[this.begin(HOST_COPY, 1, 0)] = this.copies.push(copy) - 1;
    this.submit();
  }

  /** No launches will follow: gives back what is too much. */
  close(): void {
    this.words = this.words.slice(0, this.length);
  }

  /** Gives all launches to a device, in order. */
  replay(backend: Backend): void {
    const { words, length } = this;
    for (let at = 0; at < length; ) {
      const kernel = words[at];
      const count = words[at + 1];
      const from = at + LAUNCH_HEADER;
      if (kernel === HOST_COPY) copyAgain(this.copies[words[from]], backend);
      else {
        const to = backend.begin(kernel, count, words[at + 2]);
        const target = backend.words;
        for (let i = 0; i < count; i++) target[to + i] = words[from + i];
        backend.submit();
      }
      at = from + count;
    }
  }

  /** The kernel of each launch; null for a copy from or to the host. */
  kernels(): (number | null)[] {
    const list: (number | null)[] = [];
    for (let at = 0; at < this.length; at += LAUNCH_HEADER + this.words[at + 1]) {
      list.push(this.words[at] === HOST_COPY ? null : this.words[at]);
    }
    return list;
  }

  private grow(least: number): void {
    const words = new Int32Array(Math.max(least, 2 * this.words.length));
    words.set(this.words);
    this.words = words;
  }
}

function copyAgain(copy: HostCopy, backend: Backend): void {
  if (capturing?.active && capturing.backend === backend) {
    capturing.copy(copy);
    return;
  }
  const { host, hostAddress, address, bytes, toDevice } = copy;
  if (toDevice) backend.copyIn(address, host.backend.view(hostAddress, bytes));
  else host.backend.copyIn(hostAddress, backend.view(address, bytes));
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

let captures = 0;

export class Capture {
  readonly number = ++captures;
  readonly recording = new Recording();
  /** Storages that launches use and that were not allocated here. They are held. */
  readonly inputs = new Set<Storage>();
  /** Its own memory, and that of graphs that were replayed into it. */
  readonly leases: Lease[];
  suspended = 0;
  /** Why it can't become a graph any more; null: all is well. */
  failure: string | null = null;
  private readonly streams: Set<number>;
  /** Where each stream's last launch is in the recording, once there are several. */
  private readonly work = new Map<number, number>();
  /** What comes before what each stream is given next: up to where, by stream. */
  private readonly before = new Map<number, Map<number, number>>();
  /** The same for events that were recorded here. */
  private readonly events = new WeakMap<object, Map<number, number>>();

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

  /** Whether a copy from or to this storage belongs to the capture. */
  takes(storage: Storage): boolean {
    return storage.backend === this.backend && this.active;
  }

  /** Room for a launch in `recording.words`. */
  begin(kernel: number, count: number, grain: number): number {
    if (this.failure !== null) throw this.invalid();
    if (count > MAX_WORDS) throw new RangeError(`a launch has at most ${MAX_WORDS} words, not ${count}`);
    if (this.streams.size > 1) this.work.set(this.lifetimes.stream, this.recording.launches + 1);
    return this.recording.begin(kernel, count, grain);
  }

  allocate(bytes: number): number {
    return this.leases[0].store.allocate(bytes, this.number);
  }

  /** A launch uses this storage. What was there before is held, since nobody sees that replays need it. */
  use(storage: Storage): void {
    if (storage.backend !== this.backend || storage.nbytes === 0 || !this.active) return;
    if (!this.memory.isOf(storage.address, this.number)) this.keep(storage);
  }

  /** Holds a storage for as long as the graph is there. */
  private keep(storage: Storage): void {
    if (this.inputs.has(storage)) return;
    this.inputs.add(storage);
    storage.holdForGraph();
  }

  /** A copy between the device and pinned host memory. */
  copy(copy: HostCopy): void {
    if (this.failure !== null) throw this.invalid();
    this.keep(copy.host);
    this.recording.copy(copy);
  }

  /** An event marks this point of a stream. */
  eventRecorded(event: object, stream: number): void {
    if (!this.streams.has(stream)) {
      this.events.delete(event);
      return;
    }
    const points = new Map(this.before.get(stream));
    points.set(stream, this.work.get(stream) ?? 0);
    this.events.set(event, points);
  }

  /** Whether an event was last recorded here. */
  hasEvent(event: object): boolean {
    return this.events.has(event);
  }

  /**
   * A stream waits for an event. If the event was recorded here, the stream is captured, too, from now on.
   * @throws RuntimeError if a captured stream waits for what is not captured
   */
  eventWaited(event: object, stream: number): void {
    const points = this.events.get(event);
    if (points === undefined) {
      if (!this.streams.has(stream)) return;
      this.fail('dependency created on uncaptured work in another stream', 'Wait for it before the capture.');
    }
    if (!this.streams.has(stream)) {
      // What the stream has allocated so far is not the graph's.
      this.lifetimes.commit();
      this.streams.add(stream);
    }
    let before = this.before.get(stream);
    if (before === undefined) this.before.set(stream, (before = new Map()));
    for (const [other, at] of points) before.set(other, Math.max(at, before.get(other) ?? 0));
  }

  /** Loses the capture. */
  private fail(what: string, advice: string): never {
    const text = `MTIA error: ${what}. ${advice}`;
    this.failure ??= text;
    throw new RuntimeError(text);
  }

  /**
   * The host asks for something that only a device can give that runs what it is given. The capture is lost with that, as
   * in CUDA.
   */
  refuse(advice: string): never {
    this.fail('operation not permitted when stream is capturing', advice);
  }

  /** The host asks about an event of the capture. */
  refuseEvent(): never {
    this.fail('operation not permitted on an event last recorded in a capturing stream', 'Nothing has run yet.');
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
    if (this.failure !== null) return this.invalid();
    const joined = this.before.get(this.stream);
    for (const stream of this.streams) {
      if (stream === this.stream || (joined?.get(stream) ?? 0) >= (this.work.get(stream) ?? 0)) continue;
      return new RuntimeError(
        `MTIA error: capturing stream has unjoined work. The capture's stream must wait for stream ${stream} (wait_stream, wait_event) before it ends.`,
      );
    }
    return null;
  }

  /** The error of whatever comes after a failure. */
  private invalid(): RuntimeError {
    return new RuntimeError(
      `MTIA error: operation failed due to a previous error during capture. That was: ${this.failure}`,
    );
  }
}
