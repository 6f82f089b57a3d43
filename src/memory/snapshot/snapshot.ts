/**
 * A snapshot in memory: segments and blocks as objects, traces as columns, and every stack once, known by its number.
 * `toDict` and `fromDict` turn it into PyTorch's dictionaries and back.
 */
import { actionNumber, OOM } from './actions.ts';
import { FrameTable, NO_FRAMES } from './frames.ts';
import { ABSENT, packPool, SnapshotTrace } from './trace.ts';
import type {
  AllocatorSettingsDict,
  BlockDict,
  BlockState,
  ExternalAnnotation,
  PlainValue,
  SegmentDict,
  SnapshotDict,
  TraceEntryDict,
} from './types.ts';

type Extras = { [key: string]: PlainValue };

export interface Block {
  address: number;
  size: number;
  requested_size: number;
  state: BlockState | (string & {});
  /** The stack of its allocation in the snapshot's frame table. */
  stack: number;
  /** Whatever else the file says of it. */
  extras: Extras | null;
}

export interface Segment {
  device: number;
  address: number;
  total_size: number;
  allocated_size: number;
  active_size: number;
  requested_size: number;
  stream: number;
  segment_type: 'small' | 'large' | (string & {});
  segment_pool_id: [number, number];
  is_expandable: boolean;
  stack: number;
  blocks: Block[];
  extras: Extras | null;
}

export interface Snapshot {
  /** Every stack that a segment, a block or an event names. */
  frames: FrameTable;
  segments: Segment[];
  /** One for each device. */
  device_traces: SnapshotTrace[];
  /** Null where the file has none, as old ones. */
  allocator_settings: AllocatorSettingsDict | null;
  external_annotations: ExternalAnnotation[] | null;
  host_segments: Segment[] | null;
  host_traces: SnapshotTrace[] | null;
  /** Top-level entries that PyTorch does not have. */
  extras: Extras | null;
}

/** A snapshot of nothing, to be filled. */
export function emptySnapshot(frames = new FrameTable()): Snapshot {
  return {
    frames,
    segments: [],
    device_traces: [],
    allocator_settings: null,
    external_annotations: null,
    host_segments: null,
    host_traces: null,
    extras: null,
  };
}

/** Whether a block is in use, or freed by its owner and waiting for another stream. */
export function isActive(block: Block): boolean {
  return block.state !== 'inactive';
}

/** PyTorch's dictionaries. Stacks that are the same are the same array, frames the same object: leave them as they are. */
export function toDict(snapshot: Snapshot): SnapshotDict {
  const { frames } = snapshot;
  const dict: SnapshotDict = {
    segments: snapshot.segments.map((segment) => segmentDict(segment, frames)),
    device_traces: snapshot.device_traces.map((trace) => [...trace]),
  };
  if (snapshot.allocator_settings !== null) dict.allocator_settings = snapshot.allocator_settings;
  if (snapshot.external_annotations !== null) dict.external_annotations = snapshot.external_annotations;
  if (snapshot.host_segments !== null)
    dict.host_segments = snapshot.host_segments.map((segment) => segmentDict(segment, frames));
  if (snapshot.host_traces !== null) dict.host_traces = snapshot.host_traces.map((trace) => [...trace]);
  return Object.assign(dict, snapshot.extras);
}

export function segmentDict(segment: Segment, frames: FrameTable): SegmentDict {
  const { stack, blocks, extras, ...rest } = segment;
  return {
    ...rest,
    frames: frames.frames(stack),
    blocks: blocks.map((block) => blockDict(block, frames)),
    ...extras,
  };
}

export function blockDict(block: Block, frames: FrameTable): BlockDict {
  const { stack, extras, ...rest } = block;
  return { ...rest, frames: frames.frames(stack), ...extras };
}

/** The snapshot of PyTorch's dictionaries, in today's layout. They are trusted: `readSnapshot` is for files. */
export function fromDict(dict: SnapshotDict): Snapshot {
  const { segments, device_traces, allocator_settings, external_annotations, host_segments, host_traces, ...rest } =
    dict;
  const snapshot = emptySnapshot();
  const { frames } = snapshot;
  snapshot.segments = segments.map((segment) => segmentOf(segment, frames));
  snapshot.device_traces = device_traces.map((trace) => traceOf(trace, frames));
  snapshot.allocator_settings = allocator_settings ?? null;
  snapshot.external_annotations = external_annotations ?? null;
  snapshot.host_segments = host_segments?.map((segment) => segmentOf(segment, frames)) ?? null;
  snapshot.host_traces = host_traces?.map((trace) => traceOf(trace, frames)) ?? null;
  snapshot.extras = extrasOf(rest);
  return snapshot;
}

function extrasOf(rest: object): Extras | null {
  const entries = Object.entries(rest).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? null : (Object.fromEntries(entries) as Extras);
}

function segmentOf(dict: SegmentDict, table: FrameTable): Segment {
  const { frames, blocks, ...rest } = dict;
  const segment = {} as Segment;
  const extras: Extras = {};
  for (const [key, value] of Object.entries(rest)) {
    if (SEGMENT_KEYS.has(key)) (segment as unknown as Extras)[key] = value as PlainValue;
    else if (value !== undefined) extras[key] = value as PlainValue;
  }
  segment.stack = frames.length === 0 ? NO_FRAMES : table.stackOf(frames);
  segment.blocks = blocks.map((block) => {
    const { address, size, requested_size, state, frames, ...rest } = block;
    return { address, size, requested_size, state, stack: table.stackOf(frames), extras: extrasOf(rest) };
  });
  segment.extras = extrasOf(extras);
  return segment;
}

/** What a segment has besides its stack and its blocks. */
const SEGMENT_KEYS = new Set([
  'device',
  'address',
  'total_size',
  'allocated_size',
  'active_size',
  'requested_size',
  'stream',
  'segment_type',
  'segment_pool_id',
  'is_expandable',
]);

function traceOf(entries: readonly TraceEntryDict[], frames: FrameTable): SnapshotTrace {
  const trace = new SnapshotTrace(frames);
  for (const entry of entries) appendEntry(trace, entry);
  return trace;
}

/** Adds an event given as PyTorch's dictionary. What the columns cannot hold goes to the extras. */
export function appendEntry(trace: SnapshotTrace, entry: TraceEntryDict): void {
  const { strings } = trace.frames;
  const rest: { [key: string]: PlainValue | undefined } = { ...entry };
  const take = (key: string): PlainValue | undefined => {
    const value = rest[key];
    delete rest[key];
    return value;
  };
  const text = (key: string): number => {
    if (typeof rest[key] !== 'string') return ABSENT;
    return strings.intern(take(key) as string);
  };
  const count = (key: string): number => (typeof rest[key] === 'number' ? (take(key) as number) : ABSENT);
  const action = take('action') as string;
  const number = trace.actionNumber(action);
  const address = count(actionNumber(action) === OOM ? 'device_free' : 'addr');
  let pool = ABSENT;
  if (Array.isArray(rest.pool_id) && rest.pool_id.length === 2) {
    pool = packPool(rest.pool_id[0] as number, rest.pool_id[1] as number);
    if (pool !== ABSENT) delete rest.pool_id;
  }
  let stack = ABSENT;
  if (entry.frames !== undefined) {
    stack = trace.frames.stackOf(entry.frames);
    delete rest.frames;
  }
  trace.push(
    number,
    address,
    count('size'),
    count('stream'),
    count('time_us'),
    stack,
    text('user_metadata'),
    text('compile_context'),
    pool,
    text('category'),
  );
  const extras = extrasOf(rest);
  if (extras !== null) trace.extras.set(trace.length - 1, extras);
}
