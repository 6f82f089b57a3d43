/**
 * What makes figures of the mtia devices' allocations: one caching allocator a device, with the settings, limits and observers
 * that all of them share and that outlast a reconfiguration; and the memory history, once there is one.
 */
import type { Chip } from '../chip/chips.ts';
import { warn } from '../core/warn.ts';
import { DEFAULT_SETTINGS, parseAllocatorConfig, type AllocatorSettings } from '../memory/allocator/settings.ts';
import type { OutOfMemoryObserver } from '../memory/allocator/allocator.ts';
import { AllocatorConsumer } from '../memory/allocator-consumer.ts';
import { formatSize } from '../memory/allocator/format.ts';
import type { History } from '../memory/history.ts';
import { Lifetimes } from '../memory/lifetimes.ts';
import { allocateTracked, what } from './storage.ts';

/** Where the capacity comes from, if it is not the chip's own. */
export type CapacitySource = 'MTIA_MEMORY' | 'torch.mtia.configure' | null;

type Environment = Record<string, string | undefined>;
const environment = (): Environment => (globalThis as { process?: { env?: Environment } }).process?.env ?? {};

/** The memory history of all devices, once it has been recorded (`history.ts`): the small entry point has none. */
export const recording: { history: History | null } = { history: null };

/** Called with `(device, size, limit, free)` when an allocation finds no room. */
export const outOfMemoryObservers = new Set<OutOfMemoryObserver>();

let settings: AllocatorSettings | null = null;

/**
 * The allocator's settings in force: read from `PYTORCH_ALLOC_CONF` (or its older name `PYTORCH_CUDA_ALLOC_CONF`) when first
 * asked for.
 * @throws ValueError if that makes no sense
 */
export function allocatorSettings(): AllocatorSettings {
  if (settings === null) {
    const env = environment();
    const source = env['PYTORCH_ALLOC_CONF'] || env['PYTORCH_CUDA_ALLOC_CONF'] || '';
    settings = source === '' ? DEFAULT_SETTINGS : parsed(source, DEFAULT_SETTINGS);
  }
  return settings;
}

/** Settings for all devices from now on; those that are in use have committed before. */
export function setAllocatorSettings(source: string, consumers: readonly AllocatorConsumer[]): void {
  settings = parsed(source, allocatorSettings());
  for (const { allocator } of consumers) allocator.settings = settings;
  for (const listener of settingsListeners) listener(settings);
}

/** Allocators elsewhere that the settings are for, too. */
export const settingsListeners: ((settings: AllocatorSettings) => void)[] = [];

function parsed(source: string, before: AllocatorSettings): AllocatorSettings {
  const result = parseAllocatorConfig(source, before);
  for (const warning of result.warnings) warn(warning);
  return result;
}

/** Shares of the capacity that were asked for; they outlast a reconfiguration. */
export const fractions = new Map<number, number>();

/** The allocator of a device that is used for the first time. */
export function newConsumer(index: number, capacity: number, chip: Chip, source: CapacitySource): AllocatorConsumer {
  const settings = allocatorSettings();
  const own = capacity === chip.dram || source === null;
  const consumer = new AllocatorConsumer({
    device: capacity,
    index,
    settings,
    name: 'MTIA',
    capacityNote: own ? undefined : `set by ${source}; ${chip.title} has ${formatSize(chip.dram)}`,
    describe: what,
    onOutOfMemory: (...args) => {
      for (const observer of [...outOfMemoryObservers]) observer(...args);
    },
  });
  const fraction = fractions.get(index);
  if (fraction !== undefined) consumer.fraction = fraction;
  consumer.allocator.caching = (environment()['PYTORCH_NO_CUDA_MEMORY_CACHING'] ?? '') === '';
  return consumer;
}

/** The history sees a device from its first allocation on, once recording has begun; until then it costs nothing. */
export function watchDevice(lifetimes: Lifetimes, consumer: AllocatorConsumer): void {
  const { history } = recording;
  if (history === null) return;
  history.allocating = allocateTracked;
  history.freeing = Lifetimes.prototype.drop;
  consumer.observe(history.device(consumer.index));
  lifetimes.witness = history.enabled ? history : null;
}
