/**
 * Snapshots as JSON, which the current viewer reads too: the same dictionaries as the pickle's, tuples as lists. JSON cannot refer
 * to what was said before, so every event repeats its stack: with deep stacks the file is many times the pickle's.
 */
import { OOM } from './actions.ts';
import { ByteSink } from './bytes.ts';
import type { FrameTable } from './frames.ts';
import { type Layout, newExtras, oldBlock, segmentHead } from './layout.ts';
import type { Block, Segment, Snapshot } from './snapshot.ts';
import { ABSENT, type SnapshotTrace, unpackPool } from './trace.ts';
import type { PlainValue } from './types.ts';

/** Items between two looks at whether a chunk is full. */
const BATCH = 256;

/** Text of any value. BigInts are numbers; NaN and infinities are as Python's `json` has them. */
export function jsonText(value: PlainValue | undefined): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : nonFinite(value);
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`;
  if (typeof value === 'object' && value !== null) return `{${entries(value)}}`;
  return JSON.stringify(value ?? null);
}

function nonFinite(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}

function entries(values: { [key: string]: PlainValue | undefined }): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${JSON.stringify(key)}: ${jsonText(value)}`)
    .join(', ');
}

/** Texts that come again and again. */
class Texts {
  readonly #frames: FrameTable;
  readonly #stacks: string[] = [];
  readonly #strings: string[] = [];
  /** Characters of stacks that are kept: many deep stacks would fill the memory. */
  #kept = 0;

  constructor(frames: FrameTable) {
    this.#frames = frames;
  }

  stack(number: number): string {
    let text = this.#stacks[number];
    if (text === undefined) {
      text = jsonText(this.#frames.frames(number));
      this.#kept += text.length;
      if (this.#kept < 2 ** 26) this.#stacks[number] = text;
    }
    return text;
  }

  string(number: number): string {
    return (this.#strings[number] ??= JSON.stringify(this.#frames.strings.get(number)));
  }
}

/** The snapshot as JSON in UTF-8, in chunks. */
export function* jsonChunks(snapshot: Snapshot, layout: Layout = 'new'): Generator<Uint8Array> {
  const sink = new ByteSink();
  const texts = new Texts(snapshot.frames);
  const { frames } = snapshot;
  const traces = function* (all: readonly SnapshotTrace[]): Generator<Uint8Array> {
    for (const [index, trace] of all.entries()) {
      sink.text(index === 0 ? '[' : ', [');
      yield* list(sink, trace.length, (index) => event(trace, index, texts, layout));
      sink.text(']');
    }
  };
  const segments = function* (all: readonly Segment[]): Generator<Uint8Array> {
    for (const [index, segment] of all.entries()) {
      sink.text(`${index === 0 ? '' : ', '}{${entries(segmentHead(segment, layout))}, `);
      if (layout === 'new') sink.text(`"frames": ${texts.stack(segment.stack)}, `);
      sink.text('"blocks": [');
      yield* list(sink, segment.blocks.length, (at) => blockText(segment.blocks[at], frames, texts, layout));
      sink.text(']}');
    }
  };
  sink.text('{"segments": [');
  yield* segments(snapshot.segments);
  sink.text('], "device_traces": [');
  yield* traces(snapshot.device_traces);
  sink.text(']');
  if (layout === 'new') {
    if (snapshot.allocator_settings !== null)
      sink.text(`, "allocator_settings": ${jsonText(snapshot.allocator_settings)}`);
    if (snapshot.external_annotations !== null)
      sink.text(`, "external_annotations": ${jsonText(snapshot.external_annotations)}`);
    if (snapshot.host_segments !== null) {
      sink.text(', "host_segments": [');
      yield* segments(snapshot.host_segments);
      sink.text(']');
    }
    if (snapshot.host_traces !== null) {
      sink.text(', "host_traces": [');
      yield* traces(snapshot.host_traces);
      sink.text(']');
    }
    if (snapshot.extras !== null) sink.text(`, ${entries(snapshot.extras)}`);
  }
  sink.text('}\n');
  yield* sink.take(true);
}

function* list(sink: ByteSink, count: number, text: (index: number) => string): Generator<Uint8Array> {
  for (let from = 0; from < count; from += BATCH) {
    let batch = '';
    for (let i = from; i < Math.min(count, from + BATCH); i++) batch += (i === 0 ? '\n' : ',\n') + text(i);
    sink.text(batch);
    yield* sink.take();
  }
}

function blockText(block: Block, frames: FrameTable, texts: Texts, layout: Layout): string {
  if (layout === 'old') return jsonText(oldBlock(block, frames));
  const { address, size, requested_size, state, stack } = block;
  const rest = newExtras(block);
  return `{${entries({ address, size, requested_size, state })}, "frames": ${texts.stack(stack)}${
    rest === null ? '' : `, ${entries(rest)}`
  }}`;
}

function event(trace: SnapshotTrace, index: number, texts: Texts, layout: Layout): string {
  const action = trace.actions.get(index);
  let text = `{"action": ${JSON.stringify(trace.actionName(action))}`;
  const number = (key: string, value: number) => {
    if (value !== ABSENT) text += `, "${key}": ${jsonText(value)}`;
  };
  const string = (key: string, value: number) => {
    if (value !== ABSENT) text += `, "${key}": ${texts.string(value)}`;
  };
  number(action === OOM ? 'device_free' : 'addr', trace.addresses.get(index));
  number('size', trace.sizes.get(index));
  number('stream', trace.streams.get(index));
  if (layout === 'new') {
    number('time_us', trace.times.get(index));
    string('compile_context', trace.contexts.get(index));
    string('user_metadata', trace.metadata.get(index));
    const pool = trace.pools.get(index);
    if (pool !== ABSENT) text += `, "pool_id": [${unpackPool(pool).join(', ')}]`;
    string('category', trace.categories.get(index));
    const extras = trace.extras.get(index);
    if (extras !== undefined) text += `, ${entries(extras)}`;
  }
  const stack = trace.stacks.get(index);
  if (stack !== ABSENT) text += `, "frames": ${texts.stack(stack)}`;
  return `${text}}`;
}
