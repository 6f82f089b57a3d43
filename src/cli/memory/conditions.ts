/**
 * The conditions of a replay as the command line gives them: settings, capacity, fraction.
 */
import { ValueError } from '../../core/errors.ts';
import { parseBytes } from '../../devices/registry.ts';
import { type AllocatorSettings, DEFAULT_SETTINGS, parseAllocatorConfig } from '../../memory/allocator/index.ts';
import { UsageError } from '../style.ts';

const MIB = 1024 * 1024;

/** @throws UsageError with PyTorch's text */
export function settingsOf(text: string): AllocatorSettings {
  return orUsageError(() => parseAllocatorConfig(text));
}

/** Bytes. @throws UsageError */
export function capacityOf(text: string): number {
  return orUsageError(() => parseBytes(text, '--capacity'));
}

/** @throws UsageError, for a number out of range with PyTorch's text */
export function fractionOf(text: string): number {
  const value = /^\d*\.?\d+(?:e-?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) throw new UsageError(`--fraction: expected a number from 0 to 1, got '${text}'`);
  if (!(value >= 0 && value <= 1)) throw new UsageError(`invalid fraction:${text}. Please set within [0, 1].`);
  return value;
}

function orUsageError<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ValueError) throw new UsageError(error.message);
    throw error;
  }
}

/** Settings as their string; what was set otherwise is put in words of the same kind. */
export function settingsText(settings: AllocatorSettings): string {
  const said = parseAllocatorConfig(settings.source, DEFAULT_SETTINGS);
  const parts = settings.source === '' ? [] : [settings.source];
  if (settings.expandableSegments !== said.expandableSegments)
    parts.push(`expandable_segments:${settings.expandableSegments ? 'True' : 'False'}`);
  if (settings.maxSplitSize !== said.maxSplitSize && settings.maxSplitSize !== Infinity)
    parts.push(`max_split_size_mb:${settings.maxSplitSize / MIB}`);
  if (settings.garbageCollectionThreshold !== said.garbageCollectionThreshold)
    parts.push(`garbage_collection_threshold:${settings.garbageCollectionThreshold}`);
  const [divisions, before] = [settings, said].map(({ roundupPower2Divisions }) => roundupPower2Divisions);
  if (divisions.some((count, at) => count !== before[at])) {
    const intervals = divisions.map((count, at) => `${2 ** at}:${count}`);
    parts.push(`roundup_power2_divisions:[${intervals.join(',')}]`);
  }
  return parts.join(',');
}
