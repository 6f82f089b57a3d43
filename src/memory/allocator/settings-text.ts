/** The settings in force in the grammar of PYTORCH_ALLOC_CONF: those that decide on room and are not the defaults. */
import { type AllocatorSettings, DEFAULT_SETTINGS } from './settings.ts';

const MIB = 1024 * 1024;

/** `expandable_segments:True,max_split_size_mb:40`; '' for the defaults. */
export function settingsText(settings: AllocatorSettings): string {
  const parts: string[] = [];
  const differs = (name: keyof AllocatorSettings): boolean => settings[name] !== DEFAULT_SETTINGS[name];
  if (settings.expandableSegments) parts.push('expandable_segments:True');
  if (differs('maxSplitSize')) parts.push(`max_split_size_mb:${settings.maxSplitSize / MIB}`);
  if (differs('maxNonSplitRounding')) parts.push(`max_non_split_rounding_mb:${settings.maxNonSplitRounding / MIB}`);
  if (differs('largeSegmentSize')) parts.push(`large_segment_size_mb:${settings.largeSegmentSize / MIB}`);
  const divisions = settings.roundupPower2Divisions;
  if (divisions.some((value) => value > 1)) parts.push(`roundup_power2_divisions:${divisionsText(divisions)}`);
  if (differs('garbageCollectionThreshold')) {
    parts.push(`garbage_collection_threshold:${settings.garbageCollectionThreshold}`);
  }
  if (settings.throwOnDeviceMallocOom) parts.push('throw_on_cudamalloc_oom:True');
  return parts.join(',');
}

/** One number for all, or `[256:1,512:2,>:4]` by intervals in MiB: the first is for all smaller ones, too, `>` for the rest. */
function divisionsText(divisions: readonly number[]): string {
  if (divisions.every((value) => value === divisions[0])) return String(divisions[0]);
  const rest = divisions[divisions.length - 1];
  let first = 0;
  while (divisions[first + 1] === divisions[first]) first++;
  let last = divisions.length - 1;
  while (divisions[last] === rest) last--;
  const single = divisions.slice(first, last + 1).map((value, i) => `${2 ** (first + i)}:${value},`);
  return `[${single.join('')}>:${rest}]`;
}
