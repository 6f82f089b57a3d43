/**
 * Pinned host memory: storages of the cpu whose bytes the caching host allocator counts (`src/memory/host`). The bytes
 * themselves lie where all of the cpu's do.
 */
import { clock } from '../memory/clock.ts';
import { deviceKey, HostConsumer, streamKey } from '../memory/host/consumer.ts';
import { Lifetimes, type StreamWatch } from '../memory/lifetimes.ts';
import type { Backend } from './backend.ts';
import { allocatorSettings, settingsListeners } from './figures.ts';
import { cpuBackend } from './registry.ts';
import { allocateTracked, lifetimesOf, type Storage } from './storage.ts';

interface Pinned {
  readonly lifetimes: Lifetimes;
  readonly consumer: HostConsumer;
}
/** Made at the first use. */
let pinned: Pinned | null = null;

/** Devices whose copies have used pinned memory, as they are now. */
const watched = new Map<number, Lifetimes>();
const pinnedWatch: StreamWatch = {
  look() {
    for (const { streams } of watched.values()) streams?.look();
  },
  *busy() {
    for (const [index, { streams }] of watched)
      for (const stream of streams?.busy() ?? []) yield streamKey(index, stream);
  },
};

/** Has the streams of a device followed, which live above. */
let watchStreams: ((index: number) => void) | null = null;

export function setStreamWatch(watch: (index: number) => void): void {
  watchStreams = watch;
}

/** Records of pinned storages say that they were allocated for this stream, so that every real one is another. */
const NO_STREAM = -1;

function create(): Pinned {
  const cpu = cpuBackend();
  const consumer = new HostConsumer(allocatorSettings());
  const lifetimes = new Lifetimes(consumer, (record) => cpu.free(record.address, record.nbytes));
  lifetimes.stream = NO_STREAM;
  // Has the cpu ask for a sweep, which finds dead pinned storages too, when its memory is full.
  lifetimesOf(cpu);
  settingsListeners.push((settings) => {
    lifetimes.commit();
    consumer.allocator.settings = settings;
  });
  return { lifetimes, consumer };
}

/** A new pinned storage of the cpu; otherwise as `allocateStorage`. */
export function allocatePinned(nbytes: number): Storage {
  pinned ??= create();
  const begin = performance.now();
  const storage = allocateTracked(cpuBackend(), nbytes, pinned.lifetimes);
  if (nbytes > 0) storage.record.block = Math.round((performance.now() - begin) * 1000);
  return storage;
}

/** Whether a storage lies in pinned memory. One without bytes never does. */
export function isPinned(storage: Storage): boolean {
  return pinned !== null && storage.record.lifetimes === pinned.lifetimes;
}

/** A copy that nobody has waited for uses a pinned storage on a stream of another device: its block is not used again before. */
export function usePinned(storage: Storage, backend: Backend): void {
  const index = backend.device.index!;
  const { lifetimes } = pinned!;
  const other = lifetimesOf(backend)!;
  if (other.streamListener === null) listen(lifetimes, other, index);
  lifetimes.recordStream(storage.record, streamKey(index, other.stream));
}

/** Pinned memory hears of what the streams of a device are given, and of waits for them. */
function listen(lifetimes: Lifetimes, other: Lifetimes, index: number): void {
  watchStreams?.(index);
  other.streamListener = {
    waited: (stream, upTo) => lifetimes.hostWaited(stream === null ? deviceKey(index) : streamKey(index, stream), upTo),
    given: (stream, from, to) => lifetimes.streamGiven(streamKey(index, stream), from, to),
  };
  watched.set(index, other);
  lifetimes.streams = pinnedWatch;
  for (const stream of other.streams?.busy() ?? []) {
    lifetimes.streamGiven(streamKey(index, stream), clock.now, clock.now);
  }
}

/** The allocator of pinned memory after a commit point; null before the first use. */
export function committedHostAllocator(): HostConsumer['allocator'] | null {
  if (pinned === null) return null;
  pinned.lifetimes.commit();
  return pinned.consumer.allocator;
}
