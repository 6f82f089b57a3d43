/**
 * The conditions under which a snapshot was recorded, as far as the file tells: the allocator's settings, and how much
 * memory the device had.
 */
import { MIN_LARGE_ALLOC, ROUND_LARGE, SMALL_BUFFER, SMALL_SIZE } from '../allocator/constants.ts';
import { type AllocatorSettings, DEFAULT_SETTINGS, parseAllocatorConfig } from '../allocator/settings.ts';
import type { ImportedSnapshot } from './import-trace.ts';
import type { OutOfMemoryEvent } from './oom-events.ts';
import type { AllocatorSettingsDict, PlainValue } from './types.ts';

export interface RecordedSettings {
  readonly settings: AllocatorSettings;
  /** What is not known or could not be taken over, in words. */
  readonly notes: readonly string[];
}

type Draft = { -readonly [key in keyof AllocatorSettings]: AllocatorSettings[key] };

/** Names of the settings string, newest first. */
const SOURCES = ['PYTORCH_ALLOC_CONF', 'PYTORCH_CUDA_ALLOC_CONF', 'PYTORCH_HIP_ALLOC_CONF'];

/**
 * The settings of a snapshot's `allocator_settings`: its settings string, and over that the values in force.
 * @param dict null: the file has none
 */
export function recordedSettings(dict: AllocatorSettingsDict | null): RecordedSettings {
  if (dict === null || Object.keys(dict).length === 0) {
    return {
      settings: DEFAULT_SETTINGS,
      notes: ['The file does not tell the settings: the default ones are assumed.'],
    };
  }
  const notes: string[] = [];
  let settings: Draft = DEFAULT_SETTINGS;
  const source = SOURCES.map((name) => dict[name]).find((value) => typeof value === 'string' && value !== '');
  if (typeof source === 'string') {
    try {
      settings = parseAllocatorConfig(source);
    } catch (error) {
      notes.push(`Of the recorded settings '${source}' only the values in force are taken over: ${messageOf(error)}`);
    }
  }
  settings = { ...settings };
  inForce(dict, settings);
  if (settings.backend !== 'native')
    notes.push(`Recorded with the ${settings.backend} allocator, replayed with PyTorch's own.`);
  return { settings, notes };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Values in force may have been set by a call, later than the string. */
function inForce(dict: AllocatorSettingsDict, settings: Draft): void {
  const split = dict['max_split_size'];
  if (typeof split === 'number') settings.maxSplitSize = split < 0 ? Infinity : split;
  const threshold = dict['garbage_collection_threshold'];
  if (typeof threshold === 'number' && threshold >= 0 && threshold < 1) settings.garbageCollectionThreshold = threshold;
  const expandable = dict['expandable_segments'];
  if (typeof expandable === 'boolean') settings.expandableSegments = expandable;
  const divisions = divisionsOf(dict['roundup_power2_divisions']);
  if (divisions !== null) settings.roundupPower2Divisions = divisions;
}

/** { "1": n, "2": n, "4": n … }: divisions by the interval's beginning in MiB. */
function divisionsOf(value: PlainValue | undefined): number[] | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  const divisions = DEFAULT_SETTINGS.roundupPower2Divisions.map((_, interval) => value[String(2 ** interval)] ?? 0);
  const valid = divisions.every(
    (count) => typeof count === 'number' && (count === 0 || Number.isInteger(Math.log2(count))),
  );
  return valid ? (divisions as number[]) : null;
}

/** How much memory could be reserved when a snapshot was recorded, bytes. */
export interface RecordedCapacity {
  readonly bytes: number;
  /**
   * What tells. 'device': a request found no room, and the device had so much for this process. 'limit': a request found no
   * room although the device had some, so that a memory fraction forbade it; the limit is this at most. 'pressure': cached
   * memory had to be given back for a request; the device had this at most.
   */
  readonly kind: 'device' | 'limit' | 'pressure';
  /** The device had this at least. */
  readonly atLeast: number;
}

/**
 * The capacity of the recording device; null if it was never felt: a file does not tell it otherwise.
 * @param outOfMemory the requests that found no room
 * @param imported the device's trace
 * @param settings in force then
 */
export function recordedCapacity(
  outOfMemory: readonly OutOfMemoryEvent[],
  { pressure }: ImportedSnapshot,
  settings: AllocatorSettings,
): RecordedCapacity | null {
  const first = outOfMemory.at(0);
  if (first !== undefined) {
    const { reserved, deviceFree, size } = first;
    const segment = segmentOf(size, settings);
    if (deviceFree < segment) return { bytes: reserved + deviceFree, kind: 'device', atLeast: reserved + deviceFree };
    return { bytes: reserved + segment - 1, kind: 'limit', atLeast: reserved };
  }
  // Otherwise segments were given back for another reason, such as garbage collection.
  if (pressure === null || pressure.below <= pressure.atLeast) return null;
  return { bytes: pressure.below - 1, kind: 'pressure', atLeast: pressure.atLeast };
}

/** What a request of so many rounded bytes asks of the device. */
function segmentOf(size: number, { largeSegmentSize, expandableSegments }: AllocatorSettings): number {
  if (size <= SMALL_SIZE) return SMALL_BUFFER;
  if (size < MIN_LARGE_ALLOC) return largeSegmentSize;
  const unit = expandableSegments ? largeSegmentSize : ROUND_LARGE;
  return Math.ceil(size / unit) * unit;
}
