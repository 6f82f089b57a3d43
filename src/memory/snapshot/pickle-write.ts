/**
 * Snapshots as pickles, protocol 4, in the few opcodes that the viewer at pytorch.org/memory_viz knows. Strings, frames,
 * stacks and pool ids are written once and referred to afterwards, so an event takes some 60 bytes whatever its stack.
 */
import { ACTION_NAMES, OOM } from './actions.ts';
import type { FrameTable } from './frames.ts';
import { type Layout, newExtras, oldBlock, segmentHead } from './layout.ts';
import {
  APPENDS,
  BATCH,
  EMPTY_DICT,
  EMPTY_LIST,
  MARK,
  PROTO,
  SETITEMS,
  STOP,
  TUPLE2,
  PickleWriter,
  slotOf,
} from './pickle-writer.ts';
import type { Block, Segment, Snapshot } from './snapshot.ts';
import { ABSENT, type SnapshotTrace } from './trace.ts';
import type { PlainValue } from './types.ts';

const ADDR = slotOf('addr');
const DEVICE_FREE = slotOf('device_free');
const ACTION = slotOf('action');
const SIZE = slotOf('size');
const STREAM = slotOf('stream');
const TIME = slotOf('time_us');
const CONTEXT = slotOf('compile_context');
const METADATA = slotOf('user_metadata');
const POOL = slotOf('pool_id');
const CATEGORY = slotOf('category');
const FRAMES = slotOf('frames');
const ADDRESS = slotOf('address');
const REQUESTED = slotOf('requested_size');
const STATE = slotOf('state');

/** The snapshot as a pickle, in chunks. */
export function* pickleChunks(snapshot: Snapshot, layout: Layout = 'new'): Generator<Uint8Array> {
  const writer = new PickleWriter(snapshot.frames);
  const { sink } = writer;
  writer.op(PROTO);
  writer.op(4);
  writer.op(EMPTY_DICT);
  writer.op(MARK);
  writer.string('segments');
  yield* segments(writer, snapshot.segments, snapshot.frames, layout);
  writer.string('device_traces');
  yield* traces(writer, snapshot.device_traces, layout);
  if (layout === 'new') {
    if (snapshot.allocator_settings !== null) writer.entries({ allocator_settings: snapshot.allocator_settings });
    if (snapshot.external_annotations !== null) writer.entries({ external_annotations: snapshot.external_annotations });
    if (snapshot.host_segments !== null) {
      writer.string('host_segments');
      yield* segments(writer, snapshot.host_segments, snapshot.frames, layout);
    }
    if (snapshot.host_traces !== null) {
      writer.string('host_traces');
      yield* traces(writer, snapshot.host_traces, layout);
    }
    writer.entries(snapshot.extras);
  }
  writer.op(SETITEMS);
  writer.op(STOP);
  yield* sink.take(true);
}

/** A list whose items take their time, in batches; full chunks are handed over between them. */
function* list(
  writer: PickleWriter,
  count: number,
  item: (index: number) => Generator<Uint8Array> | null,
): Generator<Uint8Array> {
  writer.op(EMPTY_LIST);
  for (let from = 0; from < count; from += BATCH) {
    writer.op(MARK);
    for (let i = from; i < Math.min(count, from + BATCH); i++) {
      const chunks = item(i);
      if (chunks !== null) yield* chunks;
    }
    writer.op(APPENDS);
    yield* writer.sink.take();
  }
}

function segments(
  writer: PickleWriter,
  all: readonly Segment[],
  frames: FrameTable,
  layout: Layout,
): Generator<Uint8Array> {
  return list(writer, all.length, (index) => segmentChunks(writer, all[index], frames, layout));
}

function* segmentChunks(
  writer: PickleWriter,
  segment: Segment,
  frames: FrameTable,
  layout: Layout,
): Generator<Uint8Array> {
  writer.op(EMPTY_DICT);
  writer.op(MARK);
  for (const [key, value] of Object.entries(segmentHead(segment, layout))) {
    writer.string(key);
    if (key === 'segment_pool_id') poolId(writer, value);
    else writer.value(value, key);
  }
  if (layout === 'new') {
    writer.known(FRAMES);
    writer.stack(segment.stack);
  }
  writer.string('blocks');
  yield* list(writer, segment.blocks.length, (index) => {
    blockEntries(writer, segment.blocks[index], frames, layout);
    return null;
  });
  writer.op(SETITEMS);
}

function blockEntries(writer: PickleWriter, block: Block, frames: FrameTable, layout: Layout): void {
  writer.op(EMPTY_DICT);
  writer.op(MARK);
  if (layout === 'old') writer.entries(oldBlock(block, frames));
  else {
    writer.known(ADDRESS);
    writer.number(block.address);
    writer.known(SIZE);
    writer.number(block.size);
    writer.known(REQUESTED);
    writer.number(block.requested_size);
    writer.known(STATE);
    writer.string(block.state);
    writer.known(FRAMES);
    writer.stack(block.stack);
    writer.entries(newExtras(block));
  }
  writer.op(SETITEMS);
}

/** A tuple of two, in PyTorch's files; other allocators have other ids. */
function poolId(writer: PickleWriter, value: PlainValue): void {
  if (!Array.isArray(value) || value.length !== 2) {
    writer.value(value);
    return;
  }
  writer.value(value[0]);
  writer.value(value[1]);
  writer.op(TUPLE2);
}

function* traces(writer: PickleWriter, all: readonly SnapshotTrace[], layout: Layout): Generator<Uint8Array> {
  writer.op(EMPTY_LIST);
  for (const trace of all) {
    // One at a time: a trace is long, devices are few.
    writer.op(MARK);
    yield* list(writer, trace.length, (index) => {
      event(writer, trace, index, layout);
      return null;
    });
    writer.op(APPENDS);
  }
}

function event(writer: PickleWriter, trace: SnapshotTrace, index: number, layout: Layout): void {
  writer.op(EMPTY_DICT);
  writer.op(MARK);
  writer.known(ACTION);
  const action = trace.actions.get(index);
  if (action < ACTION_NAMES.length) writer.known(action);
  else writer.string(trace.actionName(action));
  optional(writer, action === OOM ? DEVICE_FREE : ADDR, trace.addresses.get(index));
  optional(writer, SIZE, trace.sizes.get(index));
  optional(writer, STREAM, trace.streams.get(index));
  if (layout === 'new') {
    optional(writer, TIME, trace.times.get(index));
    text(writer, CONTEXT, trace.contexts.get(index));
    text(writer, METADATA, trace.metadata.get(index));
    const pool = trace.pools.get(index);
    if (pool !== ABSENT) {
      writer.known(POOL);
      writer.pool(pool);
    }
    text(writer, CATEGORY, trace.categories.get(index));
    if (trace.extras.size > 0) writer.entries(trace.extras.get(index) ?? null);
  }
  const stack = trace.stacks.get(index);
  if (stack !== ABSENT) {
    writer.known(FRAMES);
    writer.stack(stack);
  }
  writer.op(SETITEMS);
}

function optional(writer: PickleWriter, key: number, value: number): void {
  if (value === ABSENT) return;
  writer.known(key);
  writer.number(value);
}

function text(writer: PickleWriter, key: number, string: number): void {
  if (string === ABSENT) return;
  writer.known(key);
  writer.numberedString(string);
}
