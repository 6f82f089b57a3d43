/**
 * A run of allocations and frees as plain numbers, to be run again by `replay`; and reading one from the rows of a PyTorch
 * snapshot, with what was held when the recording began.
 */
import { RuntimeError } from '../../core/errors.ts';
import { DEFAULT_POOL, type PoolId, poolKey } from './pools.ts';

/** Kinds of events. */
export const TRACE_MALLOC = 0;
/** The owner lets go. */
export const TRACE_FREE = 1;
/** The owner lets go of a block that other streams still use. */
export const TRACE_FREE_LATER = 2;
/** These have let go as well. */
export const TRACE_FREE_NOW = 3;
export const TRACE_EMPTY_CACHE = 4;
/** Nobody allocates from a private pool any more: what is cached of it may be given back. */
export const TRACE_RELEASE_POOL = 5;

/** Events in order. A block is named by the number of its allocation. */
export class Trace {
  length = 0;
  /** Allocations so far: the number of the next one. */
  allocations = 0;
  /** Of those, the first so many were there when the recording began. */
  initial = 0;
  kinds: Uint8Array;
  /** Number of the allocation; of the end of a private pool: the pool's. */
  ids: Int32Array;
  /** Of allocations: bytes asked for. */
  sizes: Float64Array;
  /** Of allocations. */
  streams: Int32Array;
  /** Of allocations: number of the pool. Null as long as all are from the default pool. */
  pools: Int32Array | null = null;
  /** Ids of the pools by number; 0 is the default pool. */
  readonly poolIds: PoolId[] = [DEFAULT_POOL];

  /** @param capacity number of events expected: room for more is made when needed */
  constructor(capacity = 64) {
    const room = Math.max(1, capacity);
    this.kinds = new Uint8Array(room);
    this.ids = new Int32Array(room);
    this.sizes = new Float64Array(room);
    this.streams = new Int32Array(room);
  }

  /**
   * Returns the allocation's number.
   * @param pool number of the pool, from `pool`
   */
  malloc(size: number, stream = 0, pool = 0): number {
    this.add(TRACE_MALLOC, this.allocations, size, stream);
    if (pool !== 0) {
      this.pools ??= new Int32Array(this.kinds.length);
      this.pools[this.length - 1] = pool;
    }
    return this.allocations++;
  }

  /** The number of a pool. */
  pool(id: PoolId): number {
    const key = poolKey(id);
    const at = this.poolIds.findIndex((known) => poolKey(known) === key);
    return at < 0 ? this.poolIds.push(id) - 1 : at;
  }

  releasePool(pool: number): void {
    this.add(TRACE_RELEASE_POOL, pool, 0, 0);
  }

  free(id: number): void {
    this.add(TRACE_FREE, id, 0, 0);
  }

  freeLater(id: number): void {
    this.add(TRACE_FREE_LATER, id, 0, 0);
  }

  freeNow(id: number): void {
    this.add(TRACE_FREE_NOW, id, 0, 0);
  }

  emptyCache(): void {
    this.add(TRACE_EMPTY_CACHE, -1, 0, 0);
  }

  private add(kind: number, id: number, size: number, stream: number): void {
    const at = this.length++;
    if (at === this.kinds.length) this.grow();
    this.kinds[at] = kind;
    this.ids[at] = id;
    this.sizes[at] = size;
    this.streams[at] = stream;
  }

  private grow(): void {
    const grown = <T extends Uint8Array | Int32Array | Float64Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    const length = 2 * this.kinds.length;
    this.kinds = grown(this.kinds, new Uint8Array(length));
    this.ids = grown(this.ids, new Int32Array(length));
    this.sizes = grown(this.sizes, new Float64Array(length));
    this.streams = grown(this.streams, new Int32Array(length));
    if (this.pools !== null) this.pools = grown(this.pools, new Int32Array(length));
  }
}

/** A row of a snapshot's device trace. */
export interface TraceRow {
  readonly action: string;
  readonly address: number;
  readonly size: number;
  readonly stream: number;
}

/** A block of a snapshot's segment. */
export interface SnapshotBlock {
  readonly size: number;
  readonly requested: number;
  readonly state: string;
}

export interface SnapshotSegment {
  readonly address: number;
  readonly size: number;
  readonly stream: number;
  readonly small: boolean;
  /** By address, without gaps. */
  readonly blocks: readonly SnapshotBlock[];
}

/** What was held before the first row: blocks that are freed without having been allocated, or still there at the end. */
export interface InitialBlock {
  readonly address: number;
  readonly requested: number;
  readonly stream: number;
}

/** A snapshot's trace as events, streams renumbered from 0 in order of appearance, stream 0 first. */
export interface ImportedTrace {
  readonly trace: Trace;
  readonly initial: readonly InitialBlock[];
  /** For each event of the trace, the row it came from; -1 for the initial blocks. */
  readonly rows: ArrayLike<number>;
  /** The recorded streams by our number. */
  readonly streams: readonly number[];
  /** Frees of blocks that neither the rows nor the segments know: an overflowed or filtered recording. */
  readonly ignored: number;
}

const FREES = ['free_requested', 'free_completed', 'free'];

/** Blocks that were there before the first row. */
function initialBlocks(rows: readonly TraceRow[], segments: readonly SnapshotSegment[]): InitialBlock[] {
  const seen = new Set<number>();
  const initial = new Map<number, InitialBlock>();
  for (const { action, address, size, stream } of rows) {
    if (action === 'alloc') seen.add(address);
    else if (FREES.includes(action) && !seen.has(address)) {
      seen.add(address);
      initial.set(address, { address, requested: size, stream });
    }
  }
  for (const segment of segments) {
    let { address } = segment;
    for (const { size, requested, state } of segment.blocks) {
      if (state !== 'inactive' && !seen.has(address)) {
        initial.set(address, { address, requested: requested || size, stream: segment.stream });
      }
      address += size;
    }
  }
  return [...initial.values()].sort((a, b) => a.address - b.address);
}

/**
 * Reads the rows of one device's trace, oldest first.
 * @param segments the device's segments at the end of the recording
 */
export function importTrace(rows: readonly TraceRow[], segments: readonly SnapshotSegment[] = []): ImportedTrace {
  const trace = new Trace();
  const from: number[] = [];
  const streams: number[] = [0];
  const streamOf = (stream: number): number => {
    const at = streams.indexOf(stream);
    return at < 0 ? streams.push(stream) - 1 : at;
  };
  const live = new Map<number, number>();
  const parked = new Map<number, number>();
  const initial = initialBlocks(rows, segments);
  let ignored = 0;
  for (const { address, requested, stream } of initial) {
    live.set(address, trace.malloc(requested, streamOf(stream)));
    from.push(-1);
  }
  trace.initial = initial.length;
  let freesSegments = false;
  rows.forEach(({ action, address, size, stream }, at) => {
    // Segments freed by a request that found no room say nothing about other settings; otherwise the cache was emptied.
    const frees = action === 'segment_free' || action === 'segment_unmap';
    if (freesSegments && !frees && !['segment_alloc', 'segment_map', 'oom'].includes(action)) {
      trace.emptyCache();
      from.push(at - 1);
    }
    freesSegments = frees;
    const events = trace.length;
    if (action === 'alloc') live.set(address, trace.malloc(size, streamOf(stream)));
    else if (FREES.includes(action)) {
      const waiting = parked.get(address);
      const id = live.get(address);
      if (action === 'free_completed' && waiting !== undefined) {
        trace.freeNow(waiting);
        parked.delete(address);
      } else if (id === undefined) {
        // The second half of a pair that was told as one.
        if (action !== 'free_completed' || rows[at - 1]?.address !== address) ignored++;
      } else {
        const next = rows[at + 1];
        const later = action === 'free_requested' && !(next?.action === 'free_completed' && next.address === address);
        if (later) {
          trace.freeLater(id);
          parked.set(address, id);
        } else trace.free(id);
        live.delete(address);
      }
    }
    if (trace.length > events) from.push(at);
  });
  if (freesSegments) {
    trace.emptyCache();
    from.push(rows.length - 1);
  }
  return { trace, initial, rows: from, streams, ignored };
}

/** @throws RuntimeError if the events of a trace do not fit together */
export function checkTrace(trace: Trace): void {
  const live = new Uint8Array(trace.allocations);
  let allocations = 0;
  for (let at = 0; at < trace.length; at++) {
    const kind = trace.kinds[at];
    const id = trace.ids[at];
    if (kind === TRACE_MALLOC) {
      if (id !== allocations++) throw new RuntimeError(`event ${at} of the trace allocates out of order`);
      live[id] = 1;
    } else if (kind < TRACE_EMPTY_CACHE) {
      const before = kind === TRACE_FREE_NOW ? 2 : 1;
      if (live[id] !== before) throw new RuntimeError(`event ${at} of the trace frees what is not allocated`);
      live[id] = kind === TRACE_FREE_LATER ? 2 : 0;
    }
  }
}
