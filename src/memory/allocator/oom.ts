/**
 * A request that found no room: what was asked, what was there, and PyTorch's text of it.
 */
import type { Allocator } from './allocator.ts';
import { ONE_EXBIBYTE } from './constants.ts';
import { formatSize } from './format.ts';
import type { BlockPool, PoolId } from './pools.ts';
import { ACTIVE_BYTES, ALLOCATED_BYTES } from './statistics.ts';

/** Everything is bytes unless it says otherwise. */
export interface OutOfMemory {
  /** Number of the device. */
  readonly device: number;
  /** As asked for. */
  readonly requested: number;
  /** As rounded. */
  readonly rounded: number;
  /** Of the segment that was asked of the device. PyTorch's text speaks of this alone. */
  readonly segment: number;
  readonly stream: number;
  readonly pool: PoolId;
  /** Of the device. */
  readonly capacity: number;
  /** Not taken by anybody. */
  readonly free: number;
  /** What may be reserved, if less than the device has. */
  readonly allowed: number | null;
  /** Handed out, rounding included. */
  readonly allocated: number;
  /** Handed out, or freed and waiting for other streams. */
  readonly active: number;
  /** Held from the device. */
  readonly reserved: number;
  /** Cached in private pools, where others cannot use it. */
  readonly cachedInPrivatePools: number;
  /** The largest cached block that the request could have come from, had it been large enough. */
  readonly largestCached: number;
  /** Whether expandable segments are on. */
  readonly expandable: boolean;
  /** Turned away by throw_on_cudamalloc_oom, without trying to make room. */
  readonly rejected: boolean;
}

export function describeFailure(
  allocator: Allocator,
  pool: BlockPool,
  requested: number,
  rounded: number,
  stream: number,
  rejected: boolean,
): OutOfMemory {
  const { device, statistics } = allocator;
  const sum = (from: BlockPool) => from.blocks().reduce((bytes, block) => bytes + allocator.sizeOf(block), 0);
  let cachedInPrivatePools = 0;
  for (const { small, large } of allocator.privatePools.values()) cachedInPrivatePools += sum(small) + sum(large);
  const cached = pool.free[stream]?.sorted() ?? [];
  return {
    device: allocator.index,
    requested,
    rounded,
    segment: allocator.segmentSize(rounded),
    stream,
    pool: pool.id,
    capacity: device.capacity,
    free: device.free,
    allowed: allocator.limited ? allocator.allowed : null,
    allocated: statistics.current(ALLOCATED_BYTES),
    active: statistics.current(ACTIVE_BYTES),
    reserved: allocator.reserved,
    cachedInPrivatePools,
    largestCached: cached.length === 0 ? 0 : allocator.sizeOf(cached[cached.length - 1]),
    expandable: allocator.settings.expandableSegments,
    rejected,
  };
}

/**
 * Whether expandable segments could have made room: they are off, and what lies in unusable pieces would do. Only a
 * replay can tell for sure.
 */
export function expandableMayHelp(failure: OutOfMemory): boolean {
  if (failure.expandable || failure.rejected) return false;
  const limit = failure.allowed ?? failure.capacity;
  return failure.active + failure.cachedInPrivatePools + failure.rounded <= limit;
}

export interface TextOptions {
  /** How the text calls the device: 'MTIA'. */
  readonly name: string;
  /** Whether to advise expandable segments; where it is not known, `expandableMayHelp`. */
  readonly advise?: boolean;
  /** Said of a capacity that is not the chip's own: 'set by MTIA_MEMORY; …'. */
  readonly capacityNote?: string;
  /** What the request was for: 'float32 [512, 1024]'. */
  readonly what?: string;
}

/** PyTorch's text, part by part, then what it leaves out: what was asked for, as against what was asked of the device. */
export function outOfMemoryText(failure: OutOfMemory, options: TextOptions): string {
  const { name } = options;
  if (failure.requested >= ONE_EXBIBYTE) return `${name} out of memory. Tried to allocate more than 1EB memory.`;
  const { allocated, cachedInPrivatePools, reserved, segment } = failure;
  const unused = Math.max(0, reserved - allocated - cachedInPrivatePools);
  // PyTorch's text stays in one piece: there are tools that read it.
  const note = options.capacityNote === undefined ? '' : ` The capacity is ${options.capacityNote}.`;
  let text =
    `${name} out of memory. Tried to allocate ${formatSize(segment)}. ${name} ${failure.device} has a total capacity of ` +
    `${formatSize(failure.capacity)} of which ${formatSize(failure.free)} is free. `;
  if (failure.allowed !== null) text += `${formatSize(failure.allowed)} allowed; `;
  text += `Of the allocated memory ${formatSize(allocated + cachedInPrivatePools)} is allocated by PyTorch, `;
  if (cachedInPrivatePools > 0) {
    text += `with ${formatSize(cachedInPrivatePools)} allocated in private pools (e.g., CUDA Graphs), `;
  }
  text += `and ${formatSize(unused)} is reserved by PyTorch but unallocated.`;
  if (options.advise ?? expandableMayHelp(failure)) {
    text +=
      ' If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid' +
      ' fragmentation.  See documentation for Memory Management  ' +
      '(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)';
  }
  return `${text}${requestText(failure, options.what ?? '')}${note}`;
}

function requestText({ requested, rounded, segment }: OutOfMemory, what: string): string {
  const [asked, taken, opened] = [requested, rounded, segment].map(formatSize);
  let text = ` The request was for ${asked}`;
  if (what !== '') text += ` (${what})`;
  if (taken !== asked) text += `, rounded to ${taken}`;
  if (opened !== taken) text += `, which takes a segment of ${opened}`;
  return `${text}.`;
}
