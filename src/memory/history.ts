/**
 * The memory history (`record_memory_history`): what a device's allocator did, in a ring of the last `max_entries` events, and
 * the stacks of what is alive. It observes the allocator and changes nothing: figures are the same with it on or off.
 *
 * Two moments matter. When the program allocates or frees, `site()` captures where that is; when the allocator gets to it,
 * maybe much later, the observer is told the site (`at`) and records the event.
 */
import { RuntimeError } from '../core/errors.ts';
import type { Settler } from './entry.ts';
import { EventRing } from './history-ring.ts';
import {
  ACTION_NAMES,
  ALLOC,
  ANNOTATE,
  actionNumber,
  FREE_COMPLETED,
  FREE_REQUESTED,
  OOM,
  SEGMENT_ALLOC,
  SEGMENT_FREE,
  SEGMENT_MAP,
  SEGMENT_UNMAP,
  SNAPSHOT,
  USER_DEFINED,
} from './snapshot/actions.ts';
import type { FrameTable } from './snapshot/frames.ts';
import { Strings } from './snapshot/strings.ts';
import { ABSENT, packPool, SnapshotTrace } from './snapshot/trace.ts';
import type { ExternalAnnotation } from './snapshot/types.ts';
import { type Boundary, DEFAULT_FRAMES, Stacks } from './stacks.ts';
import { PENDING, Trail } from './trail.ts';

/** Whose stacks are kept: nobody's, those of live blocks, also those of allocation events, also those of frees. */
const NEVER = 0;
const STATE = 1;
const ALLOCATIONS = 2;
const ALL = 3;
const CONTEXTS: Record<string, number> = { state: STATE, alloc: ALLOCATIONS, all: ALL };

/** `torch.cuda.memory._record_memory_history`'s keyword arguments. */
export interface HistoryOptions {
  /** null: off, and the trace is forgotten. 'state': stacks of what is alive. 'all': the trace as well. Default 'all'. */
  enabled?: 'state' | 'all' | null;
  /** Which stacks: none, of live blocks, also of allocation events, also of frees. Default 'all'. */
  context?: 'state' | 'alloc' | 'all' | null;
  /** There are no frames but JavaScript's; accepted as in PyTorch. */
  stacks?: 'python' | 'all';
  /** The newest so many events are kept. Default: all. */
  max_entries?: number;
  clear_history?: boolean;
  /** Names of actions that are not recorded. */
  skip_actions?: readonly string[] | null;
  /** How many frames of the program a stack has at most, the innermost. Default: 16. Not in PyTorch. */
  maxFrames?: number | null;
}

const origin = performance.timeOrigin;

/** Now, in microseconds since 1970. */
export function nowMicroseconds(): number {
  return Math.floor((origin + performance.now()) * 1000);
}

/** The settings and stacks that all devices share. */
export class History implements Settler {
  /** The clock: microseconds since 1970. */
  now = nowMicroseconds;
  readonly stacks = new Stacks();
  readonly strings = new Strings();
  readonly devices: DeviceHistory[] = [];
  enabled = false;
  /** NEVER … ALL. */
  level = NEVER;
  maxEntries = Number.MAX_SAFE_INTEGER;
  /** By number of the action: 1 where it is not recorded. */
  readonly skipped = new Uint8Array(ACTION_NAMES.length);
  /** Number in `strings` of the label put on events. */
  metadata = this.strings.intern('');
  /** What allocations and frees come in by: what these call is passed over in stacks, which is cheaper than looking at it. */
  allocating: Boundary | undefined = undefined;
  freeing: Boundary | undefined = undefined;
  /** `external_annotations`: marks that a profiler sets. The newest so many as the ring keeps events. */
  readonly annotations: ExternalAnnotation[] = [];

  /** The history of a device. */
  device(index: number): DeviceHistory {
    while (this.devices.length <= index) this.devices.push(new DeviceHistory(this));
    return this.devices[index];
  }

  /**
   * PyTorch's `_record_memory_history`.
   * @throws RuntimeError for words that PyTorch does not know
   */
  configure(options: HistoryOptions = {}): void {
    const { enabled = 'all', context = 'all', stacks = 'all' } = options;
    if (enabled !== null && enabled !== 'state' && enabled !== 'all')
      throw new RuntimeError("expected state to be 'state', 'all', or None");
    if (context !== null && !Object.hasOwn(CONTEXTS, context))
      throw new RuntimeError("expected context to be 'state', 'alloc', 'all', or None");
    if (stacks !== 'python' && stacks !== 'all') throw new RuntimeError("expected stacks to be 'python', or 'all'");
    const { maxFrames } = options;
    if (maxFrames !== undefined && maxFrames !== null && !(Number.isInteger(maxFrames) && maxFrames > 0)) {
      throw new TypeError(`maxFrames must be a whole number of 1 or more, not ${String(maxFrames)}`);
    }
    this.stacks.limit = maxFrames ?? DEFAULT_FRAMES;
    this.#set(
      enabled !== null,
      context === null ? NEVER : CONTEXTS[context],
      enabled === 'all' ? (options.max_entries ?? Number.MAX_SAFE_INTEGER) : 1,
      options.clear_history ?? false,
      options.skip_actions ?? [],
    );
  }

  /** The signature from before PyTorch 2.1, with a boolean first. */
  configureLegacy(
    enabled: boolean,
    record_context = true,
    trace_alloc_max_entries = 1,
    trace_alloc_record_context = false,
    clear_history = false,
    skip_actions: readonly string[] = [],
  ): void {
    const level = trace_alloc_record_context ? ALLOCATIONS : record_context ? STATE : NEVER;
    this.#set(enabled, level, trace_alloc_max_entries, clear_history, skip_actions);
  }

  #set(enabled: boolean, level: number, maxEntries: number, clear: boolean, skip: readonly string[]): void {
    const skipped = skip.map((name) => {
      const action = actionNumber(name);
      if (action < 0) throw new RuntimeError(`Unknown TraceEntry action: ${name}`);
      return action;
    });
    this.enabled = enabled;
    this.level = enabled ? level : NEVER;
    this.maxEntries = Math.max(1, Math.floor(maxEntries));
    this.skipped.fill(0);
    for (const action of skipped) this.skipped[action] = 1;
    for (const device of this.devices) {
      if (!enabled || clear) device.clear();
      device.resize(this.maxEntries);
    }
    if (!enabled || clear) this.annotations.length = 0;
  }

  /** Whether any stacks are kept. */
  get keepsStacks(): boolean {
    return this.level >= STATE;
  }

  /** Where the program is, if that is to be known of an allocation; otherwise ABSENT. For `DeviceHistory.at`. */
  allocationSite(above?: Boundary): number {
    return this.level >= STATE ? this.stacks.capture(above) : ABSENT;
  }

  /** The same of a free, and of `empty_cache`. */
  freeSite(above?: Boundary): number {
    return this.level >= ALL ? this.stacks.capture(above) : ABSENT;
  }

  /** The program allocates: what the allocator needs to know when it gets to it. */
  allocated(): Trail {
    const trail = new Trail(ABSENT, this.metadata, this.now());
    if (this.level >= STATE) {
      if (this.deferring) {
        trail.site = PENDING;
        this.#pending.push(trail);
      } else trail.site = this.stacks.capture(this.allocating);
    }
    return trail;
  }

  /** The program frees. */
  freed(trail: Trail): void {
    trail.freeLabel = this.metadata;
    trail.freeTime = this.now();
    if (this.level < ALL) return;
    if (this.deferring) {
      trail.freeSite = PENDING;
      this.#pending.push(trail);
    } else trail.freeSite = this.stacks.capture(this.freeing);
  }

  /** See Settler. */
  deferring = false;
  readonly #pending: Trail[] = [];

  get pending(): number {
    return this.#pending.length;
  }

  settle(from: number, above?: Boundary): void {
    const pending = this.#pending;
    if (pending.length <= from) return;
    const site = this.stacks.capture(above);
    for (let i = from; i < pending.length; i++) {
      const trail = pending[i];
      if (trail.site === PENDING) trail.site = site;
      if (trail.freeSite === PENDING) trail.freeSite = site;
    }
    pending.length = from;
  }

  /** Sets the label of the events to come (`_set_memory_metadata`); '' takes it away. */
  setMetadata(text: string): void {
    this.metadata = this.strings.intern(text);
  }

  getMetadata(): string {
    return this.strings.get(this.metadata);
  }

  /** A label by its number; '' for ABSENT. */
  labelText(label: number): string {
    return label === ABSENT ? '' : this.strings.get(label);
  }

  /** A profiler's mark: a step or a region starts or ends. */
  annotateRegion(name: string, stage: 'START' | 'END', device: number, time = this.now()): void {
    if (!this.enabled) return;
    if (this.annotations.length >= this.maxEntries) this.annotations.shift();
    this.annotations.push({ name, stage, device, time_us: time });
  }
}

/** One device's ring, and the stacks of its blocks and segments: the observer of its allocator. */
export class DeviceHistory {
  readonly #history: History;
  readonly #ring: EventRing;
  /** What the events to come are caused by: a stack of `Stacks`, a label, and when that was. */
  #stack = ABSENT;
  #metadata = ABSENT;
  #time = 0;
  /** By number of the block. */
  #blockStacks = new Int32Array(256).fill(ABSENT);
  #blockMetadata = new Int32Array(256).fill(ABSENT);
  /** By address. */
  #segmentStacks = new Map<number, number>();

  constructor(history: History) {
    this.#history = history;
    this.#ring = new EventRing(history.maxEntries);
  }

  /** Events held. */
  get length(): number {
    return this.#ring.length;
  }

  /** Whether events have been overwritten since the trace was last cleared. */
  get overflowed(): boolean {
    return this.#ring.overflowed;
  }

  /**
   * Says what the allocator's next events are caused by.
   * @param stack what `allocationSite` or `freeSite` returned; ABSENT for a free that nobody asked for: it then shows the
   *   stack of the allocation
   * @param metadata the label, as `History.metadata` was then; ABSENT: as it is now
   * @param time microseconds since 1970; 0: now
   */
  at(stack: number, metadata = ABSENT, time = 0): void {
    this.#stack = stack < 0 ? ABSENT : stack;
    this.#metadata = metadata;
    this.#time = time;
  }

  /** The allocator did something. See TraceObserver of the allocator. */
  trace(
    action: number,
    address: number,
    size: number,
    stream: number,
    pool: readonly [number, number],
    block: number,
  ): void {
    let stack = this.#stack;
    switch (action) {
      case ALLOC:
        if (block >= this.#blockStacks.length) this.#growBlocks(block);
        this.#blockStacks[block] = stack;
        this.#blockMetadata[block] = ABSENT;
        break;
      case FREE_REQUESTED:
      case FREE_COMPLETED:
        if (stack === ABSENT && block < this.#blockStacks.length) stack = this.#blockStacks[block];
        break;
      case SEGMENT_ALLOC:
        if (stack !== ABSENT) this.#segmentStacks.set(address, stack);
        break;
      case SEGMENT_FREE:
        if (stack === ABSENT) stack = this.#segmentStacks.get(address) ?? ABSENT;
        this.#segmentStacks.delete(address);
        break;
      case SEGMENT_MAP:
      case SEGMENT_UNMAP:
        break;
      case OOM:
        break;
      default:
        stack = ABSENT;
    }
    if (this.#history.enabled) this.#record(action, address, size, stream, packPool(pool[0], pool[1]), stack, ABSENT);
  }

  /** A snapshot was taken: seen in the next one. @param active bytes of active blocks */
  snapshotTaken(active: number): void {
    this.at(ABSENT);
    if (this.#history.enabled) this.#record(SNAPSHOT, 0, active, 0, 0, ABSENT, ABSENT);
  }

  /** Puts a label on a live block (`_annotate_memory`): an event of its own, and shown with the block. */
  annotate(address: number, size: number, stream: number, block: number, text: string): void {
    const label = this.#history.strings.intern(text);
    if (block >= this.#blockStacks.length) this.#growBlocks(block);
    this.#blockMetadata[block] = label;
    if (this.#history.enabled) this.#record(ANNOTATE, address, size, stream, 0, ABSENT, label);
  }

  /** A mark of the user's in the trace. */
  userDefined(text: string): void {
    this.at(ABSENT);
    const label = this.#history.strings.intern(text);
    if (this.#history.enabled) this.#record(USER_DEFINED, 0, 0, 0, 0, ABSENT, label);
  }

  /** The stack of a live block's allocation, for `Stacks.resolve`; ABSENT if it was not recorded. */
  stackOfBlock(block: number): number {
    return block < this.#blockStacks.length ? this.#blockStacks[block] : ABSENT;
  }

  /** What `annotate` put on it, or null. */
  labelOfBlock(block: number): string | null {
    const label = block < this.#blockMetadata.length ? this.#blockMetadata[block] : ABSENT;
    return label === ABSENT ? null : this.#history.strings.get(label);
  }

  /** The stack that needed the segment at this address. */
  stackOfSegment(address: number): number {
    return this.#segmentStacks.get(address) ?? ABSENT;
  }

  #record(
    action: number,
    address: number,
    size: number,
    stream: number,
    pool: number,
    stack: number,
    metadata: number,
  ): void {
    const history = this.#history;
    if (history.skipped[action] === 1) return;
    this.#ring.push(
      action,
      address,
      size,
      stream,
      this.#time === 0 ? history.now() : this.#time,
      history.level >= ALLOCATIONS ? stack : ABSENT,
      metadata !== ABSENT ? metadata : this.#metadata === ABSENT ? history.metadata : this.#metadata,
      pool,
    );
  }

  /** Forgets the events; the stacks of what is alive stay. */
  clear(): void {
    this.#ring.clear();
  }

  /** Keeps at most so many events from now on, and of those there are the newest. */
  resize(capacity: number): void {
    this.#ring.resize(capacity);
  }

  #growBlocks(block: number): void {
    const size = 2 ** Math.ceil(Math.log2(block + 1));
    const grow = (from: Int32Array) => {
      const to = new Int32Array(size).fill(ABSENT);
      to.set(from);
      return to;
    };
    this.#blockStacks = grow(this.#blockStacks);
    this.#blockMetadata = grow(this.#blockMetadata);
  }

  /**
   * The trace as snapshots have it, oldest event first.
   * @param frames the snapshot's table
   */
  toTrace(frames: FrameTable): SnapshotTrace {
    const trace = new SnapshotTrace(frames);
    const { stacks, strings } = this.#history;
    const notCompiled = frames.strings.intern('N/A');
    const labels: number[] = [];
    this.#ring.each((action, address, size, stream, time, stack, label, pool) => {
      const metadata = (labels[label] ??= frames.strings.intern(strings.get(label)));
      trace.push(action, address, size, stream, time, stacks.resolve(stack, frames), metadata, notCompiled, pool);
    });
    return trace;
  }
}
