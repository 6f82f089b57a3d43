/**
 * `mtia memory replay FILE`: the recorded allocations run again with other settings or on another device. What is found
 * is plain data (`--json`); replay-text.ts puts it in words.
 */
import {
  type AllocatorSettings,
  capacityRange,
  type ImportedTrace,
  leastCapacity,
  type ReplayFailure,
  type ReplayResult,
  replay as run,
} from '../../memory/allocator/index.ts';
import {
  type Frame,
  framesOf,
  holdersBefore,
  importSnapshot,
  outOfMemoryEvents,
  type RecordedCapacity,
  recordedCapacity,
  recordedSettings,
  type Reproduction,
  reproduceRecording,
  type Site,
  type Snapshot,
} from '../../memory/snapshot/index.ts';
import { UsageError } from '../style.ts';
import { capacityOf, fractionOf, settingsOf, settingsText } from './conditions.ts';
import { openSnapshot, shown } from './files.ts';
import { print, printJson, sitesData } from './output.ts';

export interface ReplayOptions {
  conf?: string[];
  compare?: boolean;
  capacity?: string;
  fraction?: string;
  device?: number;
  json?: boolean;
}

/** Where memory ran out. Bytes, unless it says otherwise. */
export interface OutOfMemoryReport {
  /** Row of the recorded trace; -1: what was there before its first does not fit. */
  event: number;
  requested: number;
  rounded: number;
  /** What was asked of the device. */
  segment: number;
  /** As recorded. */
  stream: number;
  /** Not taken of the device. */
  free: number;
  /** What a fraction allows; null: all. */
  allowed: number | null;
  reserved: number;
  allocated: number;
  active: number;
  /** The largest cached block that could have served. */
  largestCached: number;
  /** Of the request, innermost first. */
  frames: readonly Frame[];
  /** The three that hold most then. */
  holders: Site[];
}

export interface ReplayReport {
  settings: string;
  /** Null: unlimited. */
  capacity: number | null;
  fraction: number | null;
  runs: boolean;
  /** Events run: all, or up to the request that found no room. */
  events: number;
  /** `segments`: as PyTorch counts them, without expandable ones. `event`: row at which the most was reserved. */
  peak: { requested: number; allocated: number; active: number; reserved: number; segments: number; event: number };
  /** Segments at the end; of expandable ones, each contiguous part. */
  segments: number;
  /** Share of the reserved bytes that was not in use when the most was reserved, 0 to 1. */
  fragmentation: number;
  /**
   * With `bytes` it runs, with `within` bytes less it does not. `always`: from here on it runs with any; null where the trace is
   * too long to try them all. Null: it does not run with any.
   */
  leastCapacity: { bytes: number; within: number; always: number | null } | null;
  outOfMemory: OutOfMemoryReport | null;
}

export interface DeviceReport {
  device: number;
  recording: {
    events: number;
    allocations: number;
    /** Of those, held when the recording began. */
    initial: { blocks: number; bytes: number };
    settings: string;
    /** What the file lets conclude about the device's memory; null: it was never felt. */
    capacity: RecordedCapacity | null;
    /** Requests that found no room. */
    outOfMemory: number;
    overflowed: boolean;
    /** Whether its own settings lead to the segments that the file has; null: there is nothing to compare. */
    reproduction: Reproduction | null;
  };
  notes: string[];
  replays: ReplayReport[];
}

/** Settings that often help, for `--compare`. */
const OFTEN = ['', 'expandable_segments:True', 'max_split_size_mb:128', 'roundup_power2_divisions:8'];
const MIB = 1024 * 1024;
/** Multiples of which a capacity is found. */
const STEP = 2 * MIB;
/** Events that may be run to find a capacity. */
const EFFORT = 30_000_000;
/** Capacities that are tried one by one: if so many can be, and at the most. */
const ALL = 100;
const MOST = 2000;
/** The largest holders that are named. */
const NAMED = 3;

export async function replay(file: string, options: ReplayOptions): Promise<void> {
  // What is wrong with the command is said before a large file is read.
  const settings = (options.conf ?? []).map(settingsOf);
  const capacity = options.capacity === undefined ? null : capacityOf(options.capacity);
  const fraction = options.fraction === undefined ? null : fractionOf(options.fraction);
  const snapshot = await openSnapshot(file);
  const devices = devicesOf(snapshot, file, options.device);
  const reports: DeviceReport[] = [];
  for (const device of devices) {
    const report = examine(snapshot, device, { settings, compare: options.compare === true, capacity, fraction });
    if (options.json) reports.push(report);
    else {
      const { replayText } = await import('./replay-text.ts');
      print(replayText(file, report));
    }
  }
  if (options.json) printJson({ file, devices: reports.map(reportData) });
}

/** Frames and holders are the same objects wherever they occur: JSON wants them plain. */
function reportData(report: DeviceReport) {
  return {
    ...report,
    replays: report.replays.map((each) => ({
      ...each,
      outOfMemory: each.outOfMemory && { ...each.outOfMemory, holders: sitesData(each.outOfMemory.holders) },
    })),
  };
}

/** Devices with a trace, or the one that is wanted. */
function devicesOf(snapshot: Snapshot, file: string, wanted: number | undefined): number[] {
  const devices = snapshot.device_traces.flatMap((trace, device) => (trace.length > 0 ? [device] : []));
  if (devices.length === 0) {
    throw new UsageError(
      `${shown(file)} has no trace to replay: it was taken without record_memory_history, or with max_entries of 0. \`mtia memory stats\` shows its segments.`,
    );
  }
  if (wanted === undefined) return devices;
  if (!devices.includes(wanted))
    throw new UsageError(`${shown(file)} has no trace of device ${wanted}, only of ${devices.join(', ')}.`);
  return [wanted];
}

interface Wanted {
  settings: readonly AllocatorSettings[];
  compare: boolean;
  capacity: number | null;
  fraction: number | null;
}

function examine(snapshot: Snapshot, device: number, wanted: Wanted): DeviceReport {
  const imported = importSnapshot(snapshot, device, { failed: true });
  const own = recordedSettings(snapshot.allocator_settings);
  const segments = snapshot.segments.filter((segment) => segment.device === device);
  const outOfMemory = outOfMemoryEvents(snapshot.device_traces[device], segments);
  const known = recordedCapacity(outOfMemory, imported, own.settings);
  const capacity = wanted.capacity ?? known?.bytes ?? null;
  const { trace, initial } = imported;
  const list = settingsFor(own.settings, wanted);
  return {
    device,
    recording: {
      events: snapshot.device_traces[device].length,
      allocations: trace.allocations - outOfMemory.length,
      initial: { blocks: initial.length, bytes: initial.reduce((sum, { requested }) => sum + requested, 0) },
      settings: settingsText(own.settings),
      capacity: known,
      outOfMemory: outOfMemory.length,
      overflowed: snapshot.allocator_settings?.['trace_alloc_overflowed'] === true,
      reproduction: reproduceRecording(snapshot, device, imported, {
        settings: own.settings,
        capacity: known?.bytes ?? null,
      }),
    },
    notes: [...own.notes, ...list.flatMap(({ warnings }) => warnings), ...notesOn(imported)],
    replays: list.map((settings) => report(snapshot, device, imported, settings, capacity, wanted.fraction)),
  };
}

/** The settings to be tried, each once. */
function settingsFor(own: AllocatorSettings, { settings, compare }: Wanted): AllocatorSettings[] {
  if (!compare) return settings.length > 0 ? [...settings] : [own];
  const all = [own, ...settings, ...(settings.length > 0 ? [] : OFTEN.map(settingsOf))];
  const texts = all.map(settingsText);
  return all.filter((_, at) => texts.indexOf(texts[at]) === at);
}

function notesOn({ ignored, trace }: ImportedTrace): string[] {
  const notes: string[] = [];
  if (ignored > 0) notes.push(`${ignored} frees of blocks that the recording does not know are left out.`);
  if (trace.initial > 0)
    notes.push(
      `${trace.initial} blocks were held when the recording began. They are allocated first, by address: without the gaps that were between them.`,
    );
  return notes;
}

function report(
  snapshot: Snapshot,
  device: number,
  imported: ImportedTrace,
  settings: AllocatorSettings,
  capacity: number | null,
  fraction: number | null,
): ReplayReport {
  const { trace } = imported;
  const share = fraction ?? undefined;
  const result = run(trace, { settings, device: capacity ?? undefined, fraction: share });
  const unlimited = capacity === null && fraction === null ? result : run(trace, { settings });
  const failure = result.failures.at(0);
  return {
    settings: settingsText(settings),
    capacity,
    fraction,
    runs: failure === undefined,
    events: failure === undefined ? snapshot.device_traces[device].length : Math.max(0, imported.rows[failure.event]),
    peak: {
      requested: result.peakRequested,
      allocated: result.peakAllocated,
      active: result.peakActive,
      reserved: result.peakReserved,
      segments: result.peakSegments,
      event: trace.length === 0 ? -1 : imported.rows[result.peakEvent],
    },
    segments: result.segments.length,
    fragmentation: result.fragmentation,
    leastCapacity: least(imported, settings, fraction, unlimited),
    outOfMemory: failure === undefined ? null : outOfMemoryOf(snapshot, device, imported, failure),
  };
}

/** The least capacity, the coarser the longer the trace; and where that is affordable, by trying all. */
function least(
  { trace }: ImportedTrace,
  settings: AllocatorSettings,
  fraction: number | null,
  unlimited: ReplayResult,
): ReplayReport['leastCapacity'] {
  if (unlimited.failures.length > 0 || fraction === 0) return null;
  const share = fraction ?? 1;
  const from = unlimited.peakRequested / share;
  const to = Math.max(STEP, unlimited.peakReserved / share);
  const options = { settings, fraction: fraction ?? undefined };
  const replays = Math.floor(EFFORT / Math.max(1, trace.length));
  const steps = (count: number) => Math.max(STEP, Math.ceil((to - from) / count / STEP) * STEP);
  // A smaller device has other expandable ranges, which may take somewhat more than on a larger one.
  for (const more of [1, 1.25, 2]) {
    if (replays >= ALL) {
      const within = steps(Math.min(replays, MOST));
      const range = capacityRange(trace, to * more, options, within, from);
      if (range !== null) return { bytes: range.least, within, always: range.always };
    } else {
      const within = steps(2 ** Math.max(4, replays));
      const bytes = leastCapacity(trace, to * more, options, within, from);
      if (bytes !== null) return { bytes, within, always: null };
    }
  }
  return null;
}

function outOfMemoryOf(
  snapshot: Snapshot,
  device: number,
  imported: ImportedTrace,
  { event, failure }: ReplayFailure,
): OutOfMemoryReport {
  const row = imported.rows[event];
  return {
    event: row,
    requested: failure.requested,
    rounded: failure.rounded,
    segment: failure.segment,
    stream: imported.streams[failure.stream],
    free: failure.free,
    allowed: failure.allowed,
    reserved: failure.reserved,
    allocated: failure.allocated,
    active: failure.active,
    largestCached: failure.largestCached,
    frames: row < 0 ? [] : framesOf(snapshot.device_traces[device], row),
    holders: holdersBefore(snapshot, device, imported, event).slice(0, NAMED),
  };
}
