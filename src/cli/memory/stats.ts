/**
 * `mtia memory stats FILE`: what is held, by whom, what cannot be given back and why, and the peak. What is found is plain
 * data (`--json`); stats-text.ts puts it in words.
 */
import {
  type DeviceStatistics,
  type Pin,
  recordedSettings,
  segmentPins,
  type Snapshot,
  snapshotStatistics,
} from '../../memory/snapshot/index.ts';
import { UsageError } from '../style.ts';
import { openSnapshot, shown } from './files.ts';
import { print, printJson, sitesData } from './output.ts';

export interface StatsOptions {
  device?: number;
  top: number;
  json?: boolean;
}

export interface DeviceFacts {
  statistics: DeviceStatistics;
  pins: Pin[];
  overflowed: boolean;
}

export async function stats(file: string, options: StatsOptions): Promise<void> {
  const snapshot = await openSnapshot(file);
  const facts = factsOf(snapshot, options.top);
  const wanted = facts.filter(({ statistics }) => options.device === undefined || statistics.device === options.device);
  if (options.device !== undefined && wanted.length === 0) {
    const known = facts.map(({ statistics }) => statistics.device);
    const only = known.length === 0 ? 'of no device' : `of ${known.join(', ')}`;
    throw new UsageError(`${shown(file)} says nothing of device ${options.device}, only ${only}.`);
  }
  if (options.json) {
    printJson({ file, devices: wanted.map((each) => deviceData(each, options.top)) });
    return;
  }
  if (wanted.length === 0) print(`${shown(file)} is empty: no segments, no events.`);
  const { statsText } = await import('./stats-text.ts');
  for (const each of wanted) print(statsText(file, each, options.top));
}

function factsOf(snapshot: Snapshot, top: number): DeviceFacts[] {
  const { largeSegmentSize } = recordedSettings(snapshot.allocator_settings).settings;
  const overflowed = snapshot.allocator_settings?.['trace_alloc_overflowed'] === true;
  return snapshotStatistics(snapshot, top).map((statistics) => ({
    statistics,
    pins: segmentPins(snapshot, statistics.device, largeSegmentSize),
    overflowed,
  }));
}

function deviceData({ statistics, pins, overflowed }: DeviceFacts, top: number) {
  const { device, small, large, streams, pools, fragmentation, holders, trace, ...totals } = statistics;
  return {
    device,
    totals: { ...totals, fragmentation },
    small,
    large,
    streams,
    pools,
    holders: sitesData(holders),
    pins: {
      count: pins.length,
      free: pins.reduce((sum, { free }) => sum + free, 0),
      largest: pins.slice(0, top).map(({ address, size, free, used, blocks, sites, segment }) => ({
        address,
        size,
        free,
        used,
        stream: segment.stream,
        expandable: segment.is_expandable,
        blocks: blocks.map(({ address, size }) => ({ address, size })),
        sites: sitesData(sites),
      })),
    },
    trace:
      trace.events === 0
        ? null
        : {
            events: trace.events,
            overflowed,
            actions: trace.actions,
            from: trace.from,
            to: trace.to,
            peakRequested: { ...trace.requested, holders: sitesData(trace.holders) },
            peakReserved: trace.reserved,
            outOfMemory: trace.outOfMemory,
          },
  };
}
