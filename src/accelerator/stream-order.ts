/**
 * What the host knows of the work on streams: what each was given, what comes before what, and what has run. Streams share
 * a device's one queue, which runs in order, so no wait between them ever has to be carried out; but what is known to have
 * run (`query`, memory used on several streams) must not depend on how far a worker happens to be. It follows from what the
 * host has waited for, and from that alone: programs do the same in every run.
 */
import { setCopyOrder } from '../devices/copy.ts';
import { setStreamWatch } from '../devices/pinned.ts';
import { createdBackend, mtiaBackend } from '../devices/registry.ts';
import type { MtiaBackend } from '../devices/mtia.ts';
import { lifetimesOf } from '../devices/storage.ts';
import { clock } from '../memory/clock.ts';
import type { Event, Stream } from './stream.ts';

/**
 * Sees what orders work. Every method is called before anything happens, so that it may refuse by throwing. A stream check
 * and graph captures are such observers.
 */
export interface StreamObserver {
  /** `event` is recorded on `stream`. */
  recorded?(event: Event, stream: Stream): void;
  /** What `stream` is given from now on comes after `event`. */
  waited?(event: Event, stream: Stream): void;
  /** The host waits for all that `stream` was given. */
  streamSynchronized?(stream: Stream): void;
  /** The host asks whether a stream, or an event that was recorded, is done. */
  queried?(subject: Stream | Event): void;
  /** The host waits for all streams of device `index`. */
  deviceSynchronized?(index: number): void;
  /** The host waits for `event`. */
  eventSynchronized?(event: Event): void;
  /** The host reads memory of device `index`: it waits for that device's current stream. */
  hostRead?(index: number): void;
  /** Launches on the stream's device go to `stream` from now on. */
  currentChanged?(stream: Stream): void;
}

export const streamObservers: StreamObserver[] = [];

/** A point of a stream's work: everything that it was given before. */
export interface Point {
  readonly queue: StreamQueue;
  /** Its number; see `StreamQueue.given`. */
  readonly at: number;
  /** Where it lies between allocations, as lifetimes are dated. */
  readonly date: number;
}

const NOTHING: readonly Point[] = [];
/** Streams that wait for points of others. */
const waiting = new Set<StreamQueue>();
/** Numbers what streams are given, over all devices. */
let count = 0;

/** What one stream was given. */
export class StreamQueue {
  /** Number of the last thing that it was given, 0 for nothing. Launches between two looks are one thing. */
  given = 0;
  /** The host knows that everything up to this number has run. */
  done = 0;
  /** Points of other streams that come before all that it is given from now on. */
  after: readonly Point[] = NOTHING;

  constructor(
    readonly device: DeviceQueues,
    readonly id: number,
  ) {}

  /** Whether all that it was given is known to have run, and all that it waits for. */
  get isDone(): boolean {
    this.device.look();
    return this.given <= this.done && this.after.every(isDone);
  }

  /** The point that it has reached now. What is used from here on is dated later. */
  point(): Point {
    this.device.look();
    return { queue: this, at: this.given, date: clock.now++ };
  }

  /** What it is given from now on comes after a point, and after what that comes after. */
  waitFor(point: Point, after: readonly Point[]): void {
    if (arePassed(point, after)) return;
    this.device.look();
    const latest = new Map<StreamQueue, Point>();
    for (const other of [...this.after, ...after, point]) {
      if (other.queue === this || isDone(other)) continue;
      const known = latest.get(other.queue);
      if (known === undefined || known.at < other.at) latest.set(other.queue, other);
    }
    if (latest.size === 0) return;
    this.after = [...latest.values()];
    waiting.add(this);
    const lifetimes = lifetimesOf(this.device.backend)!;
    if (lifetimes.followsStreams) lifetimes.streamGiven(this.id, clock.now, clock.now);
  }

  /**
   * The host waits for all that it was given.
   * @throws the first fault that a launch has met
   */
  wait(): void {
    const { backend } = this.device;
    backend.synchronize();
    this.passed();
  }

  /** The host has waited for all that it was given. */
  passed(): void {
    this.device.look();
    const after = this.settle();
    passedAll(after, this.device);
    this.device.look();
  }

  /** All that it was given, and all that it waits for, has run. Returns what it has waited for. */
  settle(): readonly Point[] {
    const { after } = this;
    this.done = this.given;
    this.after = NOTHING;
    waiting.delete(this);
    lifetimesOf(this.device.backend)!.hostWaited(this.id);
    return after;
  }
}

/** Whether a point is known to have been reached: always, when its device has been closed since. */
export function isDone({ queue, at }: Point): boolean {
  return at <= queue.done || queue.device.isClosed;
}

/** Whether a point, and what it comes after, is known to have been reached. */
export function arePassed(point: Point, after: readonly Point[]): boolean {
  return isDone(point) && after.every(isDone);
}

/** The host waits for a point, and so for what that comes after. @throws the first fault that a launch has met */
export function waitForPoint(point: Point, after: readonly Point[]): void {
  if (!arePassed(point, after)) passedAll([point, ...after], null);
}

/** The host has waited for points of `here`; what lies on another device is still to be waited for. */
function passedAll(points: readonly Point[], here: DeviceQueues | null): void {
  for (const point of points) {
    if (isDone(point)) continue;
    const { queue, at, date } = point;
    if (queue.device !== here) queue.device.backend.synchronize();
    queue.done = Math.max(queue.done, at);
    lifetimesOf(queue.device.backend)!.hostWaited(queue.id, date);
  }
  // Streams that had nothing else to do are done with it.
  for (const queue of waiting) if (queue.isDone) queue.settle();
}

/** Streams of one priority that `new torch.Stream` hands out in turn, as PyTorch does on CUDA: side streams don't multiply. */
const POOL_SIZE = 32;

/** The streams of one device, from its first use to its end. */
export class DeviceQueues {
  private readonly queues = new Map<number, StreamQueue>();
  private readonly handedOut: [number, number] = [0, 0];
  current: StreamQueue;
  /** What was submitted to the device and has been accounted for, and the date of that. */
  private seen: number;
  private lookedAt = 0;

  constructor(readonly backend: MtiaBackend) {
    this.current = this.queue(0);
    this.seen = backend.readUpTo;
    const lifetimes = lifetimesOf(backend)!;
    lifetimes.streams = {
      look: () => this.look(),
      busy: () => [...this.queues.values()].filter((queue) => !queue.isDone).map(({ id }) => id),
    };
    backend.onRead = () => {
      const index = backend.device.index!;
      for (const observer of streamObservers) observer.hostRead?.(index);
      this.current.passed();
    };
  }

  get isClosed(): boolean {
    return createdBackend(this.backend.device.index!) !== this.backend;
  }

  /** The stream with an id; it need not be one that was handed out. */
  queue(id: number): StreamQueue {
    let queue = this.queues.get(id);
    if (queue === undefined) this.queues.set(id, (queue = new StreamQueue(this, id)));
    return queue;
  }

  /** The id of a new stream. A negative priority has a pool of its own. */
  newId(priority: number): number {
    const pool = priority < 0 ? 1 : 0;
    return 1 + pool * POOL_SIZE + (this.handedOut[pool]++ % POOL_SIZE);
  }

  /** Launches since the last look were given to the current stream. */
  look(): void {
    const { submitted } = this.backend;
    if (submitted !== this.seen) {
      this.seen = submitted;
      this.current.given = ++count;
      const lifetimes = lifetimesOf(this.backend)!;
      if (lifetimes.followsStreams) lifetimes.streamGiven(this.current.id, this.lookedAt, clock.now);
    }
    this.lookedAt = clock.now;
  }

  setCurrent(id: number): void {
    this.look();
    this.current = this.queue(id);
    lifetimesOf(this.backend)!.stream = id;
  }

  /** The host waits for all streams. @throws the first fault that a launch has met */
  wait(): void {
    this.backend.synchronize();
    this.look();
    lifetimesOf(this.backend)!.hostWaited(null);
    for (const queue of this.queues.values()) queue.done = queue.given;
    for (const queue of this.queues.values()) if (queue.after.length > 0) passedAll(queue.settle(), this);
    this.look();
  }
}

const devices: DeviceQueues[] = [];

/** The streams of a device, which counts as a use of it. A device that was configured anew begins anew. */
export function queuesOf(index: number): DeviceQueues {
  const backend = mtiaBackend(index);
  const known = devices[index];
  return known?.backend === backend ? known : (devices[index] = new DeviceQueues(backend));
}

// A copy between devices runs on the source's current stream, after what the destination's was given; that waits for it.
setCopyOrder((source, destination) => {
  const from = queuesOf(source.device.index!).current;
  const to = queuesOf(destination.device.index!).current;
  if (from !== to) from.waitFor(to.point(), to.after);
  source.copies++;
  if (from !== to) to.waitFor(from.point(), from.after);
});

setStreamWatch((index) => void queuesOf(index));

/**
 * The host waits for all that a device was given. @throws the first fault that a launch has met; RuntimeError where there is
 * no such device
 */
export function synchronizeDevice(index: number): void {
  const queues = queuesOf(index);
  for (const observer of streamObservers) observer.deviceSynchronized?.(index);
  queues.wait();
}
