/** Traces run again under other settings, and traces read from snapshots. */
import { describe, expect, test } from 'vitest';
import {
  capacityRange,
  checkTrace,
  importTrace,
  initialSegments,
  leastCapacity,
  parseAllocatorConfig,
  replay,
  Trace,
  type TraceRow,
} from './index.ts';

const MIB = 1024 * 1024;

/** Ten pieces of 20 MiB of which every other goes: then 60 MiB in one piece, and a rest that stays. */
function fragmented(): Trace {
  const trace = new Trace();
  const pieces = Array.from({ length: 10 }, (_, at) => trace.malloc((at % 2 === 0 ? 14 : 6) * MIB));
  pieces.forEach((id, at) => {
    if (at % 2 === 0) trace.free(id);
  });
  const kept = trace.malloc(9 * MIB);
  trace.malloc(60 * MIB);
  trace.free(kept);
  return trace;
}

describe('replay', () => {
  test('tells peaks, fragmentation and statistics', () => {
    const trace = fragmented();
    const result = replay(trace);
    expect(result).toMatchObject({
      peakAllocated: 100 * MIB,
      peakRequested: 100 * MIB,
      events: trace.length,
      failures: [],
    });
    expect(result.peakReserved).toBe(result.statistics.reserved_bytes.all.peak);
    expect(result.fragmentation).toBeCloseTo((result.peakReserved - 99 * MIB) / result.peakReserved, 10);
    expect(result.segments.reduce((sum, { total_size }) => sum + total_size, 0)).toBe(result.peakReserved);
  });

  test('a fragmented trace runs out of memory, and does not with expandable segments', () => {
    const trace = new Trace();
    trace.free(trace.malloc(100 * MIB));
    // Splits the cached segment, which cannot be given back from then on.
    trace.malloc(2 * MIB);
    trace.malloc(110 * MIB);
    const device = 120 * MIB;
    const plain = replay(trace, { device });
    expect(plain.failures.map(({ allocation }) => allocation)).toEqual([2]);
    expect(plain.failures[0].failure).toMatchObject({ largestCached: 98 * MIB, free: 20 * MIB });
    const expandable = replay(trace, { device, settings: parseAllocatorConfig('expandable_segments:True') });
    expect(expandable.failures).toEqual([]);
    expect(expandable.peakReserved).toBe(device);
  });

  test('stops where memory runs out, or goes on', () => {
    const trace = new Trace();
    const first = trace.malloc(30 * MIB);
    const second = trace.malloc(30 * MIB);
    trace.free(first);
    trace.malloc(20 * MIB);
    trace.free(second);
    const stopped = replay(trace, { device: 50 * MIB });
    expect(stopped.failures.map(({ event, allocation }) => [event, allocation])).toEqual([[1, 1]]);
    expect(stopped.failures[0].failure).toMatchObject({ requested: 30 * MIB, free: 20 * MIB });
    expect(stopped.events).toBe(2);
    const gone = replay(trace, { device: 50 * MIB, keepGoing: true });
    expect([gone.failures.length, gone.events, gone.peakAllocated]).toEqual([1, 5, 30 * MIB]);
  });

  test('a fraction counts', () => {
    const trace = new Trace();
    trace.malloc(30 * MIB);
    expect(replay(trace, { device: 50 * MIB, fraction: 0.5 }).failures.length).toBe(1);
  });

  test('the least capacity', () => {
    const trace = fragmented();
    const least = leastCapacity(trace, 1024 * MIB)!;
    expect(replay(trace, { device: least }).failures).toEqual([]);
    expect(replay(trace, { device: least - 2 * MIB }).failures.length).toBe(1);
    const settings = parseAllocatorConfig('expandable_segments:True');
    expect(leastCapacity(trace, 1024 * MIB, { settings })!).toBeLessThanOrEqual(least);
    expect(leastCapacity(trace, 50 * MIB)).toBe(null);
  });

  test('all capacities, also where more memory is worse', () => {
    let state = 3;
    const random = (below: number) => ((state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 8) % below;
    let worse = 0;
    for (let run = 0; run < 40; run++) {
      const trace = new Trace();
      const live: number[] = [];
      for (let i = 0; i < 60; i++) {
        if (live.length > 4 || (live.length > 0 && random(2) === 0)) trace.free(live.splice(random(live.length), 1)[0]);
        else live.push(trace.malloc((1 + random(20 + i)) * MIB));
      }
      const { peakReserved, peakRequested } = replay(trace);
      const capacities = Array.from({ length: peakReserved / (2 * MIB) }, (_, at) => 2 * MIB * (at + 1));
      const runs = capacities.map((device) => replay(trace, { device }).failures.length === 0);
      const least = capacities[runs.indexOf(true)];
      const always = capacities[runs.lastIndexOf(false) + 1];
      expect(capacityRange(trace, peakReserved, {}, 2 * MIB, peakRequested)).toEqual({ least, always });
      if (always > least) worse++;
    }
    expect(worse).toBeGreaterThan(3);
    expect(capacityRange(fragmented(), 50 * MIB)).toBe(null);
  });

  test('grows to any length', () => {
    const trace = new Trace();
    for (let at = 0; at < 1000; at++) trace.free(trace.malloc(100 + at));
    checkTrace(trace);
    expect(replay(trace).statistics.allocation.all.allocated).toBe(1000);
  });

  test('a trace that does not fit together is found', () => {
    const twice = new Trace();
    const id = twice.malloc(1);
    twice.free(id);
    twice.free(id);
    expect(() => checkTrace(twice)).toThrow('event 2 of the trace frees what is not allocated');
    const early = new Trace();
    early.freeNow(early.malloc(1));
    expect(() => checkTrace(early)).toThrow('event 1');
  });
});

const row = (action: string, address: number, size: number, stream = 0): TraceRow => ({
  action,
  address,
  size,
  stream,
});

describe('reading rows', () => {
  test('frees that were told in one and in two, and those that waited', () => {
    const rows = [
      row('alloc', 1000, 10, 7),
      row('alloc', 2000, 20, 9),
      row('free_requested', 1000, 10, 7),
      row('free_requested', 2000, 20, 9),
      row('free_completed', 2000, 20, 9),
      row('alloc', 3000, 30),
      row('free_completed', 1000, 10, 7),
      row('free', 3000, 30),
    ];
    const { trace, streams, ignored, initial } = importTrace(rows);
    checkTrace(trace);
    expect([...trace.kinds.slice(0, trace.length)]).toEqual([0, 0, 2, 1, 0, 3, 1]);
    expect([...trace.ids.slice(0, trace.length)]).toEqual([0, 1, 0, 1, 2, 0, 2]);
    expect([...trace.streams.slice(0, 2)]).toEqual([1, 2]);
    expect(streams).toEqual([0, 7, 9]);
    expect([ignored, initial.length]).toEqual([0, 0]);
    const result = replay(trace);
    expect(result.statistics.active.all).toMatchObject({ current: 0, peak: 2 });
  });

  test('what was there before', () => {
    const rows = [row('free_requested', 1000, 10), row('free_completed', 1000, 10), row('alloc', 1000, 99)];
    const segments = [
      {
        address: 1000,
        size: 3 * 512,
        stream: 0,
        small: true,
        blocks: [
          { size: 512, requested: 99, state: 'active_allocated' },
          { size: 512, requested: 500, state: 'active_allocated' },
          { size: 512, requested: 0, state: 'inactive' },
        ],
      },
    ];
    const { trace, initial, rows: from } = importTrace(rows, segments);
    expect(initial).toEqual([
      { address: 1000, requested: 10, stream: 0 },
      { address: 1512, requested: 500, stream: 0 },
    ]);
    expect(trace.initial).toBe(2);
    expect(from).toEqual([-1, -1, 0, 2]);
    expect(initialSegments(rows, segments)[0].blocks).toEqual([
      { size: 512, requested: 10, state: 'active_allocated' },
      { size: 512, requested: 500, state: 'active_allocated' },
      { size: 512, requested: 0, state: 'inactive' },
    ]);
  });

  test('segments given back by a request that found no room say nothing, others are an emptied cache', () => {
    const rows = [
      row('alloc', 1000, 10),
      row('segment_free', 5000, 100),
      row('segment_free', 6000, 100),
      row('segment_alloc', 7000, 100),
      row('alloc', 7000, 10),
      row('segment_free', 8000, 100),
      row('snapshot', 0, 0),
      row('alloc', 9000, 10),
    ];
    const { trace } = importTrace(rows);
    expect([...trace.kinds.slice(0, trace.length)]).toEqual([0, 0, 4, 0]);
  });

  test('frees of what nobody knows are counted', () => {
    const rows = [row('alloc', 1000, 10), row('free', 1000, 10), row('free_requested', 1000, 10)];
    expect(importTrace(rows).ignored).toBe(1);
  });
});
