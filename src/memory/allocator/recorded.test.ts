/** Recordings of real CUDA training runs: every address and every segment follows from our rules. */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { compareRecording, replay } from './index.ts';
import { importTrace, type SnapshotSegment, type TraceRow } from './trace.ts';

interface Recording {
  devices: {
    trace: [string, number, number, number][];
    final_segments: {
      address: number;
      total_size: number;
      stream: number;
      segment_type: string;
      blocks: [number, number, string][];
    }[];
  }[];
}

const folder = new URL('../../../tests/fixtures/traces/', import.meta.url);

function read(name: string): { rows: TraceRow[]; segments: SnapshotSegment[] } {
  const file = gunzipSync(readFileSync(new URL(name, folder)));
  const [device] = (JSON.parse(file.toString()) as Recording).devices;
  return {
    rows: device.trace.map(([action, address, size, stream]) => ({ action, address, size, stream })),
    segments: device.final_segments.map((segment) => ({
      address: segment.address,
      size: segment.total_size,
      stream: segment.stream,
      small: segment.segment_type === 'small',
      blocks: segment.blocks.map(([size, requested, state]) => ({ size, requested, state })),
    })),
  };
}

const names = readdirSync(folder).filter((name) => name.endsWith('.json.gz'));

test('there are recordings', () => expect(names.length).toBe(3));

describe.each(names)('%s', (name) => {
  const { rows, segments } = read(name);

  test('every recorded address, every segment and the final segments', () => {
    const { final, misplaced, unexpected, missing, allocations, segments: made } = compareRecording(rows, segments);
    expect(misplaced).toEqual([]);
    expect({ unexpected, missing }).toEqual({ unexpected: 0, missing: 0 });
    expect(allocations).toBe(rows.filter(({ action }) => action === 'alloc').length);
    expect(made).toBe(rows.filter(({ action }) => action === 'segment_alloc').length);
    const told = (blocks: { size: number; state: string }[]) => blocks.map(({ size, state }) => [size, state]);
    expect(final.map((s) => [s.address, s.total_size, s.segment_type === 'small', told([...s.blocks])])).toEqual(
      [...segments].sort((a, b) => a.address - b.address).map((s) => [s.address, s.size, s.small, told([...s.blocks])]),
    );
  });

  test('runs under other conditions', () => {
    const { trace, ignored } = importTrace(rows, segments);
    expect(ignored).toBe(0);
    const plain = replay(trace);
    expect(plain.failures).toEqual([]);
    expect(plain.peakReserved).toBeGreaterThanOrEqual(plain.peakAllocated);
    const small = replay(trace, { device: plain.peakAllocated - 512 });
    expect(small.failures.length).toBe(1);
  });
});
