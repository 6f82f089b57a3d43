/** Snapshots that can be read and make no sense: everything that looks into them answers, and in time. */
import { expect, test } from 'vitest';
import { checkTrace, replay } from '../allocator/index.ts';
import { SnapshotError } from './budget.ts';
import { diffSnapshots } from './diff.ts';
import { holdersBefore } from './holders.ts';
import { importSnapshot } from './import-trace.ts';
import { outOfMemoryEvents } from './oom-events.ts';
import { segmentPins } from './pins.ts';
import { parseSnapshot } from './read.ts';
import { reproduceRecording } from './reproduce.ts';
import { sampleSnapshots } from './sample.testing.ts';
import { recordedCapacity, recordedSettings } from './settings.ts';
import { type Snapshot, toDict } from './snapshot.ts';
import { snapshotStatistics } from './stats.ts';

function lookInto(snapshot: Snapshot, other: Snapshot): void {
  diffSnapshots(other, snapshot);
  for (const { device, reserved } of snapshotStatistics(snapshot)) {
    expect(reserved).toBeGreaterThanOrEqual(0);
    segmentPins(snapshot, device);
    if (snapshot.device_traces[device] === undefined) continue;
    const imported = importSnapshot(snapshot, device, { failed: true });
    checkTrace(imported.trace);
    expect(imported.rows.length).toBe(imported.trace.length);
    const segments = snapshot.segments.filter((segment) => segment.device === device);
    const { settings } = recordedSettings(snapshot.allocator_settings);
    const events = outOfMemoryEvents(snapshot.device_traces[device], segments);
    const capacity = recordedCapacity(events, imported, settings);
    const { failures } = replay(imported.trace, { settings, device: capacity?.bytes });
    if (failures.length > 0) holdersBefore(snapshot, device, imported, failures[0].event);
    reproduceRecording(snapshot, device, imported, { settings, capacity: capacity?.bytes ?? null });
  }
}

let state = 11;
const random = (below: number) => ((state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 8) % below;
const pick = <T>(list: readonly T[]): T => list[random(list.length)];

const NUMBERS = [0, 1, 511, 513, 1000, 2 ** 20, 2 ** 31, 2 ** 32 + 512, 2 ** 47, 2 ** 53 - 1, -1, 0.5, 1e300];
const WORDS = [
  'alloc',
  'free',
  'free_completed',
  'free_requested',
  'segment_free',
  'segment_map',
  'segment_unmap',
].concat(['oom', 'snapshot', 'active_allocated', 'active_pending_free', 'inactive', 'small', 'large', '', 'other']);

/** Changes some value, takes something out of a list, or says it twice. */
function spoil(value: unknown): void {
  let at = value as Record<string, unknown> | unknown[];
  for (;;) {
    const keys = Object.keys(at).filter((key) => key !== 'frames');
    if (keys.length === 0) return;
    const key = pick(keys);
    const child = (at as Record<string, unknown>)[key];
    if (Array.isArray(at) && random(6) === 0) {
      if (random(2) === 0) at.splice(Number(key), 1);
      else at.splice(random(at.length), 0, child);
      return;
    }
    if (typeof child === 'object' && child !== null) {
      at = child as Record<string, unknown>;
      continue;
    }
    if (typeof child === 'number') (at as Record<string, unknown>)[key] = pick(NUMBERS);
    else if (typeof child === 'string') (at as Record<string, unknown>)[key] = pick(WORDS);
    else if (typeof child === 'boolean') (at as Record<string, unknown>)[key] = !child;
    return;
  }
}

test('snapshots with random changes', () => {
  const samples = [...sampleSnapshots(), ...sampleSnapshots('expandable_segments:True')];
  const texts = samples.map((sample) => JSON.stringify(toDict(sample)));
  let understood = 0;
  for (let run = 0; run < Number(process.env['HOSTILE_RUNS'] ?? 600); run++) {
    const dict = JSON.parse(pick(texts));
    for (let changes = 1 + random(4); changes > 0; changes--) spoil(dict);
    let snapshot: Snapshot;
    try {
      snapshot = parseSnapshot(new TextEncoder().encode(JSON.stringify(dict)));
    } catch (error) {
      expect(error).toBeInstanceOf(SnapshotError);
      continue;
    }
    understood++;
    try {
      lookInto(snapshot, samples[0]);
    } catch (error) {
      throw new Error(`run ${run}: ${JSON.stringify(dict)}`, { cause: error });
    }
  }
  expect(understood).toBeGreaterThan(200);
});
