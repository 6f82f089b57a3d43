/**
 * Whether a recording follows from the allocator's rules: it is run again from the segments that it began with, under its
 * own settings, and the segments at its end are compared with those that the file has.
 */
import { Allocator } from '../allocator/allocator.ts';
import { MIN_BLOCK_SIZE } from '../allocator/constants.ts';
import { VirtualDevice } from '../allocator/device.ts';
import { retainPool } from '../allocator/private.ts';
import { replayInto } from '../allocator/replay.ts';
import type { SegmentInfo } from '../allocator/segments.ts';
import type { AllocatorSettings } from '../allocator/settings.ts';
import type { ImportedTrace } from '../allocator/trace.ts';
import { SEGMENT_ALLOC } from './actions.ts';
import { type InitialSegment, initialSegments } from './initial.ts';
import type { Segment, Snapshot } from './snapshot.ts';
import { checkSnapshot } from './stats.ts';
import type { SnapshotTrace } from './trace.ts';

export interface Reproduction {
  /** Segments that the file has. */
  readonly recorded: number;
  /** Segments at the end of the replay. */
  readonly replayed: number;
  /** Of those: with the same size, stream and pool, and with blocks of the same sizes and states. */
  readonly same: number;
  /** Whether the replay began from the very segments that the recording began with. */
  readonly exactStart: boolean;
}

export interface ReproduceOptions {
  readonly settings: AllocatorSettings;
  /** Bytes; null: unknown, and plenty. */
  readonly capacity: number | null;
}

const PLENTY = 1024 ** 4;

/**
 * Runs a device's recording again under its own conditions.
 * @param imported the device's trace, with the requests that found no room
 * @returns null if there is nothing to compare with, or if what there is does not fit together
 */
export function reproduceRecording(
  snapshot: Snapshot,
  device: number,
  imported: ImportedTrace,
  { settings, capacity }: ReproduceOptions,
): Reproduction | null {
  const segments = snapshot.segments.filter((segment) => segment.device === device);
  const rows = snapshot.device_traces[device];
  if (rows === undefined || rows.length === 0 || segments.length === 0 || !sound(snapshot, segments)) return null;
  const start = restored(initialSegments(rows, segments, imported), imported, settings, capacity ?? PLENTY);
  const memory = start?.memory ?? new RecordedPlaces(capacity ?? PLENTY);
  const allocator = start?.allocator ?? new Allocator({ device: memory, settings });
  memory.follow(rows);
  const { segments: final } = replayInto(allocator, imported.trace, { keepGoing: true, held: start?.held });
  const recorded = new Map<string, number>();
  for (const segment of segments) count(recorded, recordedShape(segment, imported.streams), 1);
  let same = 0;
  for (const segment of final) if (count(recorded, replayedShape(segment), -1) >= 0) same++;
  return { recorded: segments.length, replayed: final.length, same, exactStart: start !== null };
}

/** Whether an allocator can have made these segments. */
function sound(snapshot: Snapshot, segments: readonly Segment[]): boolean {
  if (checkSnapshot({ ...snapshot, segments: [...segments] }).length > 0) return false;
  return segments.every(
    ({ total_size, blocks }) =>
      total_size <= PLENTY && blocks.every(({ size }) => size > 0 && size % MIN_BLOCK_SIZE === 0),
  );
}

function count(shapes: Map<string, number>, shape: string, change: number): number {
  const number = (shapes.get(shape) ?? 0) + change;
  shapes.set(shape, number);
  return number;
}

const shape = (stream: number, type: string, expandable: boolean, pool: readonly number[], blocks: string[]): string =>
  `${stream} ${type} ${expandable} ${pool.join()} ${blocks.join()}`;

function recordedShape(segment: Segment, streams: readonly number[]): string {
  const { segment_type, is_expandable, segment_pool_id, blocks } = segment;
  const told = blocks.map(({ size, state }) => `${size} ${state}`);
  return shape(streams.indexOf(segment.stream), segment_type, is_expandable, segment_pool_id, told);
}

function replayedShape({ stream, segment_type, is_expandable, segment_pool_id, blocks }: SegmentInfo): string {
  const told = blocks.map(({ size, state }) => `${size} ${state}`);
  return shape(stream, segment_type, is_expandable, segment_pool_id, told);
}

/** Puts segments where the recording had them. */
class RecordedPlaces extends VirtualDevice {
  #addresses: number[] = [];
  #sizes: number[] = [];
  #next = 0;

  /** The next segment goes here. */
  place(address: number, size: number): void {
    this.#addresses.push(address);
    this.#sizes.push(size);
  }

  /** All segments that the rows tell go where they tell. */
  follow({ actions, addresses, sizes, length }: SnapshotTrace): void {
    for (let at = 0; at < length; at++)
      if (actions.get(at) === SEGMENT_ALLOC) this.place(addresses.get(at), sizes.get(at));
  }

  override malloc(size: number): number {
    if (size > this.free) return -1;
    if (this.#next === this.#sizes.length || this.#sizes[this.#next] !== size) return super.malloc(size);
    this.used += size;
    return this.#addresses[this.#next++];
  }
}

interface Start {
  memory: RecordedPlaces;
  allocator: Allocator;
  /** Blocks of the initial allocations. */
  held: Int32Array;
}

/** An allocator with the segments that a recording began with; null if these are not known, or of no use to it. */
function restored(
  segments: readonly InitialSegment[] | null,
  imported: ImportedTrace,
  settings: AllocatorSettings,
  capacity: number,
): Start | null {
  if (segments === null || (segments.length > 0 && settings.expandableSegments)) return null;
  const memory = new RecordedPlaces(capacity);
  const allocator = new Allocator({ device: memory, settings });
  const held = new Int32Array(imported.trace.initial);
  for (const segment of segments) {
    const { address, size, small, pool: id } = segment;
    const stream = Math.max(0, imported.streams.indexOf(segment.stream));
    const owner = id[0] === 0 && id[1] === 0 ? allocator : retainPool(allocator, id);
    const pool = small ? owner.small : owner.large;
    memory.place(address, size);
    let rest = allocator.allocateSegment(pool, size, size, stream);
    if (rest === 0) return null;
    allocator.insertCached(rest, pool);
    const cut = (bytes: number, requested: number): number => {
      const piece = allocator.cutOff(rest, bytes, requested);
      rest = allocator.nextOf(piece);
      return piece;
    };
    const gaps: number[] = [];
    let at = address;
    for (const block of segment.held) {
      if (block.address > at) gaps.push(cut(block.address - at, 0));
      held[block.id] = cut(block.end - block.address, imported.initial[block.id].requested);
      at = block.end;
    }
    for (const gap of gaps) allocator.free(gap);
  }
  return held.includes(0) ? null : { memory, allocator, held };
}
