/**
 * `torch.Stream` and `torch.Event`. Every stream of a device shares its one queue, which runs in order: work on one
 * stream never overtakes that of another, and waiting for a stream or an event is always right.
 */
import { type Device, type DeviceLike, type DeviceType, internDevice, parseDevice } from '../core/device.ts';
import { RuntimeError, ValueError } from '../core/errors.ts';
import {
  checkIndex,
  createdBackend,
  currentDevice,
  deviceCount,
  mtiaBackend,
  setCurrentDevice,
} from '../devices/registry.ts';

/** PyTorch's numbers of device types. */
const TYPE_NUMBERS: Readonly<Record<string, number>> = { cpu: 0, cuda: 1, xpu: 12, mps: 13, meta: 14, mtia: 19 };
const NO_INDEX = -1;

export interface StreamIdentity {
  stream_id: number;
  device_index: number;
  device_type: number;
}

export interface StreamOptions {
  device?: DeviceLike | null;
  /** Accepted and without effect: launches run in the order in which they were given. */
  priority?: number;
}

interface EventOptions {
  /** Whether `elapsed_time` can be asked. Recording such an event waits for the device. */
  enable_timing?: boolean;
  blocking?: boolean;
  interprocess?: boolean;
}

/** One Stream object per device and id, so that `===` is PyTorch's `==`. */
const streams = new Map<string, Stream>();
let created = 0;
/** Current streams by device index; absent: the default stream. */
const current = new Map<number, Stream>();

/** The device of a new stream or event: the current accelerator, or the cpu. */
function deviceOf(device: DeviceLike | null | undefined): Device {
  const found = device === null || device === undefined ? defaultDevice() : parseDevice(device);
  if (found.type === 'cpu') return internDevice('cpu', null);
  if (found.type !== 'mtia') throw new RuntimeError(`PyTorch is not linked with support for ${found.type} devices`);
  const index = found.index ?? currentDevice();
  checkIndex(index);
  return internDevice('mtia', index);
}

function defaultDevice(): Device {
  return deviceCount() > 0 ? internDevice('mtia', currentDevice()) : internDevice('cpu', null);
}

export class Stream {
  /** 0 is a device's default stream. */
  readonly stream_id: number;
  /** -1 for the cpu. */
  readonly device_index: number;
  /** PyTorch's number of the type: 19 is mtia. */
  readonly device_type: number;
  readonly device: Device;

  /** `new torch.Stream(device)`, or the stream of given numbers. */
  constructor(device?: DeviceLike | StreamOptions | StreamIdentity | null, options: StreamOptions = {}) {
    const given = isPlain(device) ? device : { ...options, device };
    if ('stream_id' in given) {
      this.device = deviceOfIdentity(given);
      this.stream_id = given.stream_id;
    } else {
      this.device = deviceOf(given.device);
      // A stream is a use of the device.
      if (this.device.type === 'mtia') mtiaBackend(this.device.index);
      this.stream_id = this.device.type === 'cpu' ? 0 : ++created;
    }
    this.device_index = this.device.index ?? NO_INDEX;
    this.device_type = TYPE_NUMBERS[this.device.type];
    const key = `${this.device}/${this.stream_id}`;
    const known = streams.get(key);
    // biome-ignore lint/correctness/noConstructorReturn: equal streams are one object
    if (known !== undefined) return known;
    streams.set(key, this);
  }

  /** Whether everything given to the stream so far has run. */
  query(): boolean {
    return createdBackend(this.device_index)?.isIdle ?? true;
  }

  /** Waits until everything given to the stream has run. */
  synchronize(): void {
    createdBackend(this.device_index)?.synchronize();
  }

  /** Records an event (a new one, if none is given) and returns it. */
  record_event(event: Event = new Event(this.device)): Event {
    event.record(this);
    return event;
  }

  /** What is given to this stream from now on runs after the event. */
  wait_event(event: Event): void {
    event.wait(this);
  }

  /** What is given to this stream from now on runs after all that `stream` was given. */
  wait_stream(stream: Stream): void {
    this.wait_event(stream.record_event());
  }

  toString(): string {
    return `torch.Stream device_type=${this.device.type}, device_index=${this.device_index}, stream_id=${this.stream_id}`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

function isPlain(value: unknown): value is StreamOptions | StreamIdentity {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function deviceOfIdentity({ device_index, device_type }: StreamIdentity): Device {
  const type = Object.keys(TYPE_NUMBERS).find((name) => TYPE_NUMBERS[name] === device_type);
  if (type === undefined) throw new RuntimeError(`Unknown device type: ${device_type}`);
  return deviceOf(internDevice(type as DeviceType, device_index === NO_INDEX ? null : device_index));
}

/** `torch.mtia.default_stream`: the stream with id 0. */
export function defaultStream(index: number): Stream {
  mtiaBackend(index);
  return new Stream({ stream_id: 0, device_index: index, device_type: TYPE_NUMBERS['mtia'] });
}

/** The stream that launches on device `index` go to. */
export function currentStream(index: number): Stream {
  return current.get(index) ?? defaultStream(index);
}

/** Makes a stream, and its device, the current one. */
export function setStream(stream: Stream): void {
  if (!(stream instanceof Stream)) throw new TypeError('set_stream(): argument must be torch.Stream');
  if (stream.device.type !== 'mtia') return;
  setCurrentDevice(stream.device_index);
  current.set(stream.device_index, stream);
}

export class Event {
  /** null until the first recording stream binds it. */
  #device: Device | null;
  readonly #timing: boolean;
  /** Position in the device's queue; null: never recorded. */
  #mark: number | null = null;
  #backend: ReturnType<typeof createdBackend> = null;
  /** When everything before it had run, in milliseconds. */
  #time = 0;

  constructor(device?: DeviceLike | EventOptions | null, options: EventOptions = {}) {
    if (isPlain(device)) {
      options = device as EventOptions;
      device = null;
    }
    const { enable_timing = false } = options;
    if (typeof enable_timing !== 'boolean') {
      throw new TypeError(`Event(): argument 'enable_timing' must be bool, not ${typeof enable_timing}`);
    }
    this.#device = deviceOf(device as DeviceLike | null | undefined);
    this.#timing = enable_timing;
  }

  get device(): Device {
    return this.#device!;
  }

  /**
   * Marks this point of the stream. An event for timing waits for the device, so that its time is that of the work.
   * @throws RuntimeError on the cpu, which has no events
   */
  record(stream: Stream | null = null): void {
    const target = stream ?? currentStreamOf(this.#device!);
    if (target.device.type === 'cpu') throw new RuntimeError("cpu backend doesn't support events.");
    if (this.#mark !== null && this.#device !== target.device) {
      throw new RuntimeError(
        `Event device type ${this.#device!.type} does not match recording stream's device type ${target.device.type}.`,
      );
    }
    this.#device = target.device;
    const backend = mtiaBackend(target.device_index);
    this.#backend = backend;
    this.#mark = backend.mark();
    if (!this.#timing) return;
    backend.synchronize();
    this.#time = performance.now();
  }

  /** Whether all that came before it has run. True if it was never recorded. */
  query(): boolean {
    return this.#mark === null || this.#backend!.hasPassed(this.#mark);
  }

  /** What is given to the stream from now on runs after the event; in one queue it always does. */
  wait(stream: Stream | null = null): void {
    if (stream !== null && !(stream instanceof Stream)) throw new TypeError('Event.wait(): expected a torch.Stream');
  }

  /** Waits until all that came before it has run. */
  synchronize(): void {
    if (this.#mark !== null && !this.query()) this.#backend!.synchronize();
  }

  /** Milliseconds from this event to `end`, on the host's clock. */
  elapsed_time(end: Event): number {
    if (!this.#timing || !end.#timing) {
      throw new ValueError("Both events must be created with argument 'enable_timing=True'.");
    }
    if (this.#mark === null || end.#mark === null) {
      throw new ValueError('Both events must be recorded before calculating elapsed time.');
    }
    return end.#time - this.#time;
  }

  toString(): string {
    const { type, index } = this.device;
    return `torch.Event device_type=${type}, device_index=${index ?? NO_INDEX}`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

function currentStreamOf(device: Device): Stream {
  return device.type === 'cpu' ? new Stream(device) : currentStream(device.index ?? currentDevice());
}
