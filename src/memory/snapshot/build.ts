/**
 * Makes a snapshot of what a reader has read: checks that the parts are where they belong and of the right types, fills in what
 * old files lack, and gives each device its trace.
 */
import { SnapshotError } from './budget.ts';
import { NO_FRAMES } from './frames.ts';
import { type Block, emptySnapshot, isActive, type Segment, type Snapshot } from './snapshot.ts';
import { ABSENT, SnapshotTrace, unpackPool } from './trace.ts';
import type { AllocatorSettingsDict, ExternalAnnotation } from './types.ts';
import {
  BIG,
  DICT,
  define,
  FALSE,
  FLOAT,
  INT,
  kindName,
  LIST,
  NONE,
  STRING,
  TRUE,
  TUPLE,
  type Values,
} from './values.ts';

/** The snapshot that a value is. @param kind and number: the value, of what has been read */
export function buildSnapshot(values: Values, kind: number, number: number): Snapshot {
  const snapshot = emptySnapshot(values.frames);
  const builder = new Builder(values);
  if (kind === LIST) {
    // `memory_snapshot()` returns the segments alone.
    snapshot.segments = builder.segments(kind, number, 'segments');
    return snapshot;
  }
  if (kind !== DICT) throw new SnapshotError(`the file holds a ${kindName(kind)}, not a snapshot`);
  let found = false;
  values.eachEntry(number, (key, kind, number) => {
    switch (key) {
      case 'segments':
        found = true;
        snapshot.segments = builder.segments(kind, number, key);
        return;
      case 'device_traces':
        snapshot.device_traces = builder.traces(kind, number, key);
        return;
      case 'host_segments':
        snapshot.host_segments = kind === NONE ? null : builder.segments(kind, number, key);
        return;
      case 'host_traces':
        snapshot.host_traces = kind === NONE ? null : builder.traces(kind, number, key);
        return;
      case 'allocator_settings':
        if (kind === DICT) snapshot.allocator_settings = values.plain(kind, number) as AllocatorSettingsDict;
        else if (kind !== NONE) throw builder.wrong(key, kind, 'dict');
        return;
      case 'external_annotations':
        if (kind === LIST) snapshot.external_annotations = values.plain(kind, number) as ExternalAnnotation[];
        else if (kind !== NONE) throw builder.wrong(key, kind, 'list');
        return;
      default:
        define((snapshot.extras ??= {}), key, values.plain(kind, number));
    }
  });
  if (!found) throw new SnapshotError("the file holds a dict without 'segments': not a snapshot");
  return snapshot;
}

class Builder {
  readonly #values: Values;
  /** Lists of events that are a device's trace already. */
  readonly #taken = new Set<number>();

  constructor(values: Values) {
    this.#values = values;
  }

  wrong(path: string, kind: number, expected: string): SnapshotError {
    return new SnapshotError(`${path} is a ${kindName(kind)}, not ${expected === 'int' ? 'an' : 'a'} ${expected}`);
  }

  segments(kind: number, number: number, path: string): Segment[] {
    if (kind !== LIST && kind !== TUPLE) throw this.wrong(path, kind, 'list');
    const segments: Segment[] = [];
    this.#values.eachItem(number, (kind, number, index) => {
      segments.push(this.#segment(kind, number, `${path}[${index}]`));
    });
    return segments;
  }

  #segment(kind: number, number: number, path: string): Segment {
    if (kind !== DICT) throw this.wrong(path, kind, 'dict');
    const values = this.#values;
    values.budget.charge(256);
    const segment: Segment = {
      device: 0,
      address: ABSENT,
      total_size: ABSENT,
      allocated_size: ABSENT,
      active_size: ABSENT,
      requested_size: ABSENT,
      stream: 0,
      segment_type: '',
      segment_pool_id: [0, 0],
      is_expandable: false,
      stack: NO_FRAMES,
      blocks: [],
      extras: null,
    };
    let blocks: [number, number] | null = null;
    values.eachEntry(number, (key, kind, number) => {
      switch (key) {
        case 'device':
        case 'address':
        case 'total_size':
        case 'allocated_size':
        case 'active_size':
        case 'requested_size':
        case 'stream':
          segment[key] = this.#count(kind, number, path, key);
          return;
        case 'segment_type':
          segment.segment_type = this.#text(kind, number, path, key);
          return;
        case 'segment_pool_id': {
          const pool = values.poolOf(kind, number);
          if (pool !== ABSENT) {
            segment.segment_pool_id = unpackPool(pool);
            return;
          }
          break;
        }
        case 'is_expandable':
          if (kind !== TRUE && kind !== FALSE) throw this.wrong(`${path}.${key}`, kind, 'bool');
          segment.is_expandable = kind === TRUE;
          return;
        case 'frames':
          segment.stack = this.#stack(kind, number, path);
          return;
        case 'blocks':
          if (kind !== LIST && kind !== TUPLE) throw this.wrong(`${path}.${key}`, kind, 'list');
          blocks = [kind, number];
          return;
      }
      define((segment.extras ??= {}), key, values.plain(kind, number));
    });
    for (const key of ['address', 'total_size'] as const)
      if (segment[key] === ABSENT) throw new SnapshotError(`${path} has no '${key}'`);
    if (blocks === null) throw new SnapshotError(`${path} has no 'blocks'`);
    this.#blocks(segment, blocks[1], `${path}.blocks`);
    complete(segment);
    return segment;
  }

  #blocks(segment: Segment, list: number, path: string): void {
    let { address } = segment;
    this.#values.eachItem(list, (kind, number, index) => {
      const block = this.#block(kind, number, `${path}[${index}]`, address);
      address = block.address + block.size;
      segment.blocks.push(block);
    });
  }

  #block(kind: number, number: number, path: string, address: number): Block {
    if (kind !== DICT) throw this.wrong(path, kind, 'dict');
    const values = this.#values;
    values.budget.charge(128);
    const block: Block = {
      address,
      size: ABSENT,
      requested_size: ABSENT,
      state: '',
      stack: ABSENT,
      extras: null,
    };
    values.eachEntry(number, (key, kind, number) => {
      switch (key) {
        case 'address':
        case 'size':
        case 'requested_size':
          block[key] = this.#count(kind, number, path, key);
          return;
        case 'state':
          block.state = this.#text(kind, number, path, key);
          return;
        case 'frames':
          block.stack = this.#stack(kind, number, path);
          return;
        case 'history':
          if (kind !== LIST) throw this.wrong(`${path}.${key}`, kind, 'list');
          this.#history(block, number, path);
          break;
      }
      define((block.extras ??= {}), key, values.plain(kind, number));
    });
    if (block.size === ABSENT) throw new SnapshotError(`${path} has no 'size'`);
    if (block.state === '') throw new SnapshotError(`${path} has no 'state'`);
    if (block.requested_size === ABSENT) block.requested_size = isActive(block) ? block.size : 0;
    if (block.stack === ABSENT) block.stack = NO_FRAMES;
    return block;
  }

  /** The old layout: what was allocated here, newest first. */
  #history(block: Block, list: number, path: string): void {
    this.#values.eachItem(list, (kind, number, index) => {
      const at = `${path}.history[${index}]`;
      if (kind !== DICT) throw this.wrong(at, kind, 'dict');
      if (index > 0) return;
      this.#values.eachEntry(number, (key, kind, number) => {
        if (key === 'real_size') block.requested_size = this.#count(kind, number, at, key);
        else if (key === 'addr') block.address = this.#count(kind, number, at, key);
        else if (key === 'frames') block.stack = this.#stack(kind, number, at);
      });
    });
  }

  #count(kind: number, number: number, path: string, key: string): number {
    if (kind === BIG) {
      if (key === 'address' || key === 'addr') return this.#values.addressOf(number);
      throw new SnapshotError(`${path}.${key} is beyond 2^53: ${abbreviated(this.#values.bigs[number])}`);
    }
    if (kind !== INT && !(kind === FLOAT && Number.isSafeInteger(number)))
      throw this.wrong(`${path}.${key}`, kind, 'int');
    if (number < 0 && key !== 'stream') throw new SnapshotError(`${path}.${key} is negative: ${number}`);
    return number;
  }

  #text(kind: number, number: number, path: string, key: string): string {
    if (kind !== STRING) throw this.wrong(`${path}.${key}`, kind, 'str');
    return this.#values.strings.get(number);
  }

  #stack(kind: number, number: number, path: string): number {
    if (kind === NONE) return NO_FRAMES;
    if (kind !== LIST) throw this.wrong(`${path}.frames`, kind, 'list');
    const stack = this.#values.stackOf(number);
    if (stack === ABSENT) throw new SnapshotError(`${path}.frames holds something that is not a stack frame`);
    return stack;
  }

  traces(kind: number, number: number, path: string): SnapshotTrace[] {
    if (kind !== LIST && kind !== TUPLE) throw this.wrong(path, kind, 'list');
    const values = this.#values;
    const traces: SnapshotTrace[] = [];
    values.eachItem(number, (kind, number, index) => {
      const at = `${path}[${index}]`;
      if (kind !== LIST) throw this.wrong(at, kind, 'list');
      values.budget.charge(1024);
      const runs = values.runsOf(number);
      if (runs === null) throw new SnapshotError(`${at} holds something that is not a trace event`);
      if (runs.length > 0) {
        if (this.#taken.has(number)) throw new SnapshotError(`${at} is the trace of another device as well`);
        this.#taken.add(number);
      }
      traces.push(this.#trace(runs));
    });
    return traces;
  }

  #trace(runs: readonly number[]): SnapshotTrace {
    const { rows, budget, frames } = this.#values;
    // The usual file has one trace: it is what was read.
    if (runs.length === 2 && runs[0] === 0 && runs[1] === rows.length) return rows;
    const trace = new SnapshotTrace(frames);
    for (let i = 0; i < runs.length; i += 2) {
      const [from, count] = [runs[i], runs[i + 1]];
      budget.charge(24 * count);
      for (let row = from; row < from + count; row++) trace.pushFrom(rows, row);
    }
    return trace;
  }
}

/** An integer, which may have hundreds of digits, for a text. */
function abbreviated(value: bigint): string {
  const digits = String(value);
  return digits.length <= 40 ? digits : `${digits.slice(0, 20)}… (${digits.length} digits)`;
}

/** Fills in what an old file does not say. */
function complete(segment: Segment): void {
  let allocated = 0;
  let active = 0;
  let requested = 0;
  for (const block of segment.blocks) {
    if (block.state === 'active_allocated') allocated += block.size;
    if (!isActive(block)) continue;
    active += block.size;
    requested += block.requested_size;
  }
  if (segment.allocated_size === ABSENT) segment.allocated_size = allocated;
  if (segment.active_size === ABSENT) segment.active_size = active;
  if (segment.requested_size === ABSENT) segment.requested_size = requested;
  if (segment.segment_type === '') segment.segment_type = segment.total_size <= 2 * 2 ** 20 ? 'small' : 'large';
}
