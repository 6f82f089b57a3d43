/**
 * `torch.Stream` and `torch.Event`. Every stream of a device shares its one queue, which runs in order: work on one stream
 * never overtakes that of another, and waiting for a stream or an event is always right. What is known to have run follows
 * from what the host has waited for (`stream-order.ts`).
 */
import { type StreamSwitch, useStreams } from '../autograd/streams.ts';
import { type ContextGuard, context } from '../core/context.ts';
import { type Device, type DeviceLike, internDevice } from '../core/device.ts';
import { NotImplementedError, RuntimeError, ValueError } from '../core/errors.ts';
import { isCapturing } from '../devices/graph.ts';
import { checkIndex, createdBackend, currentDevice, setCurrentDevice } from '../devices/registry.ts';
import { typeName } from '../tensor/type-name.ts';
import {
  type EventOptions,
  eventArguments,
  MTIA,
  NO_INDEX,
  type StreamIdentity,
  type StreamOptions,
  streamArguments,
  TYPE_NUMBERS,
} from './stream-arguments.ts';
import { arePassed, type Point, queuesOf, type StreamQueue, streamObservers, waitForPoint } from './stream-order.ts';

export { type StreamObserver, streamObservers, synchronizeDevice } from './stream-order.ts';
export type { EventOptions, StreamIdentity, StreamOptions } from './stream-arguments.ts';

/** One Stream object per device and id, so that `===` is PyTorch's `==`. */
const streams = new Map<string, Stream>();

export class Stream {
  /** 0 is a device's default stream. */
  readonly stream_id: number;
  /** -1 for the cpu. */
  readonly device_index: number;
  /** PyTorch's number of the type: 19 is mtia. */
  readonly device_type: number;
  readonly device: Device;

  /**
   * `new torch.Stream(device)`: a stream of the device, or of the current accelerator. A device has 32 of each priority and
   * hands them out in turn. `new torch.Stream({ stream_id, device_index, device_type })`, or with these numbers by position, is
   * the stream of the numbers.
   */
  constructor(device?: DeviceLike | StreamOptions | StreamIdentity | null, options?: StreamOptions);
  constructor(stream_id: number, device_index: number, device_type: number, options?: { priority?: number });
  constructor(...args: unknown[]) {
    const given = streamArguments(...args);
    this.device = given.device;
    this.device_index = given.device.index ?? NO_INDEX;
    this.device_type = TYPE_NUMBERS[given.device.type];
    if (given.id !== null) this.stream_id = given.id;
    // A new stream is a use of the device.
    else this.stream_id = given.device.type === 'cpu' ? 0 : queuesOf(this.device_index).newId(given.priority);
    const key = `${this.device}/${this.stream_id}`;
    const known = streams.get(key);
    // biome-ignore lint/correctness/noConstructorReturn: equal streams are one object
    if (known !== undefined) return known;
    streams.set(key, this);
  }

  /**
   * Whether everything given to the stream so far has run, for all that the host has waited for. If it can't know, it says
   * false, and waits: the next answer is true.
   */
  query(): boolean {
    const queue = queueOf(this);
    if (queue === null) return true;
    for (const observer of streamObservers) observer.queried?.(this);
    if (queue.isDone) return true;
    for (const observer of streamObservers) observer.streamSynchronized?.(this);
    queue.wait();
    return false;
  }

  /** Waits until everything given to the stream has run. @throws the first fault that a launch has met */
  synchronize(): void {
    const queue = queueOf(this);
    if (queue === null) return;
    for (const observer of streamObservers) observer.streamSynchronized?.(this);
    queue.wait();
  }

  /** Records an event (a new one, if none is given) and returns it. */
  record_event(event?: Event | null): Event {
    const recorded = event ?? new Event(this.device);
    needEvent(recorded, 'record_event');
    recorded.record(this);
    return recorded;
  }

  /** What is given to this stream from now on runs after the event. */
  wait_event(event: Event): void {
    needEvent(event, 'wait_event');
    event.wait(this);
  }

  /** What is given to this stream from now on runs after all that `stream` was given. */
  wait_stream(stream: Stream): void {
    needStream(stream, 'wait_stream', 'stream');
    this.wait_event(stream.record_event());
  }

  /** Whether a graph is being captured on this stream. */
  is_capturing(): boolean {
    return isCapturing(this.device_index, this.stream_id);
  }

  /** @throws RuntimeError, as on every device without such a handle */
  get native_handle(): number {
    throw new RuntimeError("Backend doesn't support getting stream native handle.");
  }

  /** As Python's `with stream:`, makes it and its device current: `using _ = stream.within()`, or while `fn` runs. */
  within(): ContextGuard;
  within<T>(fn: () => T): T;
  within<T>(fn?: () => T): T | ContextGuard {
    // The cpu has no streams to choose from.
    if (this.device.type === 'cpu') return context('torch.Stream', () => () => {}, fn);
    return streamContext('torch.Stream', this, fn);
  }

  toString(): string {
    return `torch.Stream device_type=${this.device.type}, device_index=${this.device_index}, stream_id=${this.stream_id}`;
  }

  /** Streams are equal or not, and have no order. */
  [Symbol.toPrimitive](hint: string): string {
    if (hint === 'number') throw new TypeError("'torch.Stream' has no order: <, <=, > and >= are not supported");
    return this.toString();
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

/**
 * What a stream was given; null if nothing can have been: it is the cpu's, or its device has not been used.
 * @throws RuntimeError if there is no such device (any more)
 */
function queueOf(stream: Stream): StreamQueue | null {
  if (stream.device.type === 'cpu') return null;
  checkIndex(stream.device_index);
  return createdBackend(stream.device_index) === null ? null : queuesOf(stream.device_index).queue(stream.stream_id);
}

/** @throws TypeError unless value is a stream */
export function needStream(value: unknown, name: string, argument: string): asserts value is Stream {
  if (value instanceof Stream) return;
  throw new TypeError(`${name}(): argument '${argument}' (position 1) must be torch.Stream, not ${typeName(value)}`);
}

function needEvent(value: unknown, name: string): asserts value is Event {
  if (value instanceof Event) return;
  throw new TypeError(`${name}(): argument 'event' (position 1) must be torch.Event, not ${typeName(value)}`);
}

const streamOf = (index: number, id: number): Stream =>
  new Stream({ stream_id: id, device_index: index, device_type: MTIA });

/** `torch.mtia.default_stream`: the stream with id 0. */
export function defaultStream(index: number): Stream {
  queuesOf(index);
  return streamOf(index, 0);
}

/** The stream that launches on device `index` go to. */
export function currentStream(index: number): Stream {
  return streamOf(index, queuesOf(index).current.id);
}

/** Makes a stream the current one of its device. */
export function setCurrentStream(stream: Stream): void {
  if (stream.device.type !== 'mtia') {
    throw new RuntimeError(
      `stream's device type ${stream.device.type.toUpperCase()} doesn't match the current accelerator MTIA`,
    );
  }
  const queues = queuesOf(stream.device_index);
  for (const observer of streamObservers) observer.currentChanged?.(stream);
  if (stream.stream_id !== 0) useStreams(engineStreams);
  queues.setCurrent(stream.stream_id);
}

/** The autograd engine runs nodes on the streams of their ops. */
const engineStreams: StreamSwitch = {
  setCurrent(device, id) {
    setCurrentStream(streamOf(device, id));
  },
  order(device, from, to) {
    streamOf(device, to).wait_event(streamOf(device, from).record_event());
  },
};

/** Makes a stream, and its device, the current one. */
export function setStream(stream: Stream): void {
  needStream(stream, 'set_stream', 'stream');
  setCurrentStream(stream);
  setCurrentDevice(stream.device_index);
}

/** An mtia stream and its device are current inside; then the current device and the current streams are what they were. */
export function streamContext<T>(name: string, stream: Stream, fn?: () => T): T | ContextGuard {
  return context(
    name,
    () => {
      const device = currentDevice();
      const before = currentStream(device);
      const there = currentStream(stream.device_index);
      setStream(stream);
      return () => {
        setStream(there);
        setStream(before);
      };
    },
    fn,
  );
}

let recordedEvents = 0;

export class Event {
  readonly #type: 'cpu' | 'mtia';
  readonly #timing: boolean;
  /** The device of the first stream that it was recorded on. */
  #index = NO_INDEX;
  #id = 0;
  /** What it marks; null: never recorded. */
  #point: Point | null = null;
  /** What comes before that on other streams. */
  #after: readonly Point[] = [];
  /** When everything before it had run, in milliseconds. */
  #time = 0;

  /** `new torch.Event(device, { enable_timing })`. Its device is that of the first stream that it is recorded on. */
  constructor(device?: DeviceLike | EventOptions | null, options?: EventOptions) {
    const { type, timing } = eventArguments(device, options);
    this.#type = type;
    this.#timing = timing;
  }

  get device(): Device {
    return internDevice(this.#type, this.#index === NO_INDEX ? null : this.#index);
  }

  /** 0 until it is recorded. */
  get event_id(): number {
    return this.#id;
  }

  /**
   * Marks this point of a stream, by default the current one. An event for timing waits for the device first, so that its
   * time is that of the work.
   * @throws RuntimeError on the cpu, which has no events; for a stream of another device than before
   */
  record(stream: Stream | null = null): void {
    if (stream !== null) needStream(stream, 'record', 'stream');
    const type = stream?.device.type ?? this.#type;
    if (type !== this.#type) {
      throw new RuntimeError(
        `Event device type ${this.#type.toUpperCase()} does not match recording stream's device type ${type.toUpperCase()}.`,
      );
    }
    if (type === 'cpu') throw new RuntimeError("cpu backend doesn't support events.");
    const target = stream ?? currentStream(currentDevice());
    const index = target.device_index;
    if (this.#index !== NO_INDEX && this.#index !== index) {
      throw new RuntimeError(
        `Event device index ${this.#index} does not match recording stream's device index ${index}.`,
      );
    }
    const queues = queuesOf(index);
    for (const observer of streamObservers) observer.recorded?.(this, target);
    const queue = queues.queue(target.stream_id);
    this.#index = index;
    if (this.#id === 0) this.#id = ++recordedEvents;
    this.#point = queue.point();
    this.#after = queue.after;
    if (!this.#timing || target.is_capturing()) return;
    queues.backend.synchronize();
    this.#time = performance.now();
  }

  /**
   * Whether all that came before it has run, for all that the host has waited for; true if it was never recorded. If it
   * can't know, it says false, and waits: the next answer is true.
   */
  query(): boolean {
    if (this.#point === null) return true;
    for (const observer of streamObservers) observer.queried?.(this);
    if (this.#isDone) return true;
    this.synchronize();
    return false;
  }

  get #isDone(): boolean {
    return this.#point === null || arePassed(this.#point, this.#after);
  }

  /** What is given to a stream (by default the current one) from now on runs after the event. */
  wait(stream: Stream | null = null): void {
    if (stream !== null) needStream(stream, 'wait', 'stream');
    if (this.#point === null) return;
    const target = stream ?? currentStream(currentDevice());
    if (target.device.type !== this.#type) {
      throw new RuntimeError(
        `Event device type ${this.#type.toUpperCase()} does not match blocking stream's device type ${target.device.type.toUpperCase()}.`,
      );
    }
    const queue = queuesOf(target.device_index).queue(target.stream_id);
    for (const observer of streamObservers) observer.waited?.(this, target);
    queue.waitFor(this.#point, this.#after);
  }

  /** Waits until all that came before it has run. @throws the first fault that a launch has met */
  synchronize(): void {
    if (this.#point === null) return;
    for (const observer of streamObservers) observer.eventSynchronized?.(this);
    waitForPoint(this.#point, this.#after);
  }

  /**
   * Milliseconds from this event to `end`, on the host's clock.
   * @throws ValueError for events without timing or not recorded; RuntimeError for events that nobody has waited for
   */
  elapsed_time(end: Event): number {
    if (!(end instanceof Event)) throw new RuntimeError('expected other to be a torch.Event object');
    if (end.#type !== this.#type) {
      throw new RuntimeError(
        `Event device type ${this.#type.toUpperCase()} does not match other's device type ${end.#type.toUpperCase()}.`,
      );
    }
    if (!this.#timing || !end.#timing) {
      throw new ValueError("Both events must be created with argument 'enable_timing=True'.");
    }
    if (this.#point === null || end.#point === null) {
      throw new ValueError('Both events must be recorded before calculating elapsed time.');
    }
    if (!this.#isDone || !end.#isDone) {
      throw new RuntimeError('Both events must be completed before calculating elapsed time.');
    }
    return end.#time - this.#time;
  }

  /** @throws NotImplementedError, as in PyTorch */
  ipc_handle(): never {
    throw new NotImplementedError(NO_IPC);
  }

  /** @throws NotImplementedError, as in PyTorch */
  static from_ipc_handle(_device: DeviceLike, _ipc_handle: unknown): never {
    throw new NotImplementedError(NO_IPC);
  }

  toString(): string {
    return `torch.Event device_type=${this.#type}, device_index=${this.#index}, event_flag=${this.#timing ? 1 : 0}, event_id=${this.#id}`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

const NO_IPC = 'torch.Event ipc is not supported yet, please open an issue if you need this!';
