/**
 * `torch.cuda.caching_allocator_*`: memory of the device without a tensor, by its address; and the allocator without its cache.
 * What is allocated so has an address and counts; no bytes stand behind it.
 */
import { type ContextGuard, context } from '../../core/context.ts';
import { RuntimeError } from '../../core/errors.ts';
import { currentStream, Stream } from '../../accelerator/stream.ts';
import { checkIndex, mtiaBackend } from '../../devices/registry.ts';
import { NO_ROOM } from '../../memory/allocator/allocator.ts';
import type { AllocatorConsumer } from '../../memory/allocator-consumer.ts';
import { clock } from '../../memory/clock.ts';
import { StorageRecord } from '../../memory/record.ts';
import { typeName } from '../../tensor/type-name.ts';
import { indexOf, type MtiaDevice } from '../device.ts';
import { allCommitted, attributeHere, committed } from './figures.ts';
import { limitsChanged } from './limits.ts';

/** Blocks by address. */
const handedOut = new Map<number, { figures: AllocatorConsumer; block: number }>();
/** Whether devices that are used for the first time later have no cache either. */
let enabled = true;

/**
 * Memory for work on a stream, by default the current one.
 * @param size bytes
 * @param stream a Stream or its number
 * @returns the address; 0 for 0 bytes
 * @throws OutOfMemoryError; TypeError for what is no stream
 */
export function caching_allocator_alloc(size: number, device?: MtiaDevice, stream?: Stream | number | null): number {
  const index = indexOf(device);
  checkIndex(index);
  if (!Number.isSafeInteger(size) || size < 0) {
    throw new RuntimeError(`caching_allocator_alloc(): expected a number of bytes, got ${size}`);
  }
  mtiaBackend(index);
  const id = streamId(stream, index);
  const figures = committed(index)!;
  figures.allocator.caching = enabled;
  attributeHere(figures, true);
  const block = figures.allocator.malloc(size, id);
  limitsChanged();
  const record = new StorageRecord();
  record.nbytes = size;
  record.born = clock.now;
  record.operation = 'caching_allocator_alloc';
  if (block === NO_ROOM) {
    const error = figures.outOfMemory(record);
    figures.announceFailures();
    throw error;
  }
  if (block === 0) return 0;
  figures.own(record, block);
  const address = figures.allocator.addressOf(block);
  handedOut.set(address, { figures, block });
  return address;
}

function streamId(stream: Stream | number | null | undefined, index: number): number {
  if (stream === null || stream === undefined) return currentStream(index).stream_id;
  if (stream instanceof Stream) return stream.stream_id;
  if (typeof stream === 'number') return stream;
  throw new TypeError(
    'Invalid type for stream argument, must be `torch.mtia.Stream` or `int` representing a pointer to an existing stream',
  );
}

/**
 * Frees what `caching_allocator_alloc` has given; 0 is nothing.
 * @throws RuntimeError for any other address
 */
export function caching_allocator_delete(mem_ptr: number): void {
  if (!Number.isSafeInteger(mem_ptr)) {
    throw new TypeError(`caching_allocator_delete(): argument 'mem_ptr' must be int, not ${typeName(mem_ptr)}`);
  }
  if (mem_ptr === 0) return;
  const found = handedOut.get(mem_ptr);
  if (found === undefined) throw new RuntimeError(`invalid device pointer: 0x${mem_ptr.toString(16)}`);
  handedOut.delete(mem_ptr);
  allCommitted();
  attributeHere(found.figures);
  found.figures.disown(found.block);
  found.figures.allocator.free(found.block);
  limitsChanged();
}

/** Whether freed memory is cached. Without, every allocation is one of the device and no figure moves. */
export function caching_allocator_enable(value = true): void {
  enabled = value;
  for (const { allocator } of allCommitted()) allocator.caching = value;
}

/** `caching_allocator_enable(false)` inside a block (`using _ = …`) or while `fn` runs. */
export function caching_allocator_disabled(): ContextGuard;
export function caching_allocator_disabled<T>(fn: () => T): T;
export function caching_allocator_disabled<T>(fn?: () => T): T | ContextGuard {
  return context(
    'torch.mtia.memory.caching_allocator_disabled',
    () => {
      const before = enabled;
      caching_allocator_enable(false);
      return () => caching_allocator_enable(before);
    },
    fn,
  );
}
