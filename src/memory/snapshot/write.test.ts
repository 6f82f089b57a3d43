import { describe, expect, test } from 'vitest';
import { concatenate } from './bytes.ts';
import { fixture, fixtureJson, plainDict } from './bytes.testing.ts';
import { jsonChunks } from './json-write.ts';
import { pickleChunks } from './pickle-write.ts';
import { parseSnapshot } from './read.ts';
import { sampleSnapshots } from './sample.testing.ts';
import { emptySnapshot, fromDict, type Snapshot, toDict } from './snapshot.ts';
import { SnapshotTrace } from './trace.ts';

/** What the viewer at pytorch.org/memory_viz understands. */
const VIEWER = new Set(
  `PROTO FRAME STOP MARK EMPTY_DICT DICT SETITEM SETITEMS EMPTY_LIST LIST APPEND APPENDS EMPTY_TUPLE TUPLE TUPLE1 TUPLE2
   TUPLE3 NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 LONG1 BINFLOAT SHORT_BINUNICODE BINUNICODE MEMOIZE BINPUT
   LONG_BINPUT BINGET LONG_BINGET`.split(/\s+/),
);

interface Answers {
  before: { opcodes: string[]; trace: string; segments: string; memory: string; stats: string; plots: boolean };
  after: Answers['before'];
  expandable: Answers['before'];
  compare: { printed: string; flames: string };
  old: { memory: string; stats: string };
}
const viewer = fixtureJson<Answers>('viewer.json');

const [before, after] = sampleSnapshots();
const [, expandable] = sampleSnapshots('expandable_segments:True');
const pickle = (snapshot: Snapshot, layout?: 'old') => concatenate(pickleChunks(snapshot, layout));
const json = (snapshot: Snapshot) => concatenate(jsonChunks(snapshot));

describe("PyTorch's viewer (torch.cuda._memory_viz of 2.13)", () => {
  test('its answers are about what is written today', () => {
    // After a change of the writer: scripts/oracle/snapshots.py.
    expect(pickle(before)).toEqual(fixture('before.pickle'));
    expect(pickle(after)).toEqual(fixture('after.pickle'));
    expect(pickle(expandable)).toEqual(fixture('expandable.pickle'));
    expect(pickle(after, 'old')).toEqual(fixture('after-old.pickle'));
    expect(json(after)).toEqual(fixture('after.json'));
  });

  test('only opcodes that the viewer in the browser knows', () => {
    for (const { opcodes } of [viewer.before, viewer.after, viewer.expandable])
      expect(opcodes.filter((name) => !VIEWER.has(name))).toEqual([]);
  });

  test('trace', () => {
    expect(viewer.after.trace).toContain('b = a[0:499.3KiB]\n');
    expect(viewer.after.trace).toContain('raise OutOfMemoryError # 200.0MiB requested, 104.0MiB free in CUDA');
    expect(viewer.after.trace).toContain('cudaFree(h) # 24.0MiB');
    expect(viewer.after.trace).toContain('Device 1 ----------------\n5 entries');
    expect(viewer.expandable.trace).toContain("'action': 'segment_map'");
  });

  test('flame graphs of segments and memory', () => {
    expect(viewer.before.memory).toContain(
      'stream_0;active_allocated;train – résumé.ts:36:step2;train – résumé.ts:26:step1;layers.ts:16:weight 511284\n',
    );
    expect(viewer.after.segments).toContain(';active_pending_free;');
    expect(viewer.compare.printed).toBe('only_before = [140187722055680]\nonly_after = []\n');
    expect(viewer.compare.flames).toContain('only_before;stream_0;seg_140187722055680;');
    expect(viewer.old.memory).toContain('layers.ts:16:weight 511284');
  });

  test('stats: free and allocated bytes of each segment add up (T68)', () => {
    // Its assertions raise where they do not.
    expect(viewer.after.stats).toContain('total_reserved: 24.0MiB');
    expect(viewer.before.stats).toContain('[a] 20.0MiB allocated, 17.0MiB (0.0% internal) free');
    for (const snapshot of [before, after, expandable]) {
      for (const segment of snapshot.segments)
        expect(segment.blocks.reduce((sum, block) => sum + block.size, 0)).toBe(segment.total_size);
    }
  });

  test('plots hold the snapshot as it was', () => {
    expect([viewer.before.plots, viewer.after.plots, viewer.expandable.plots]).toEqual([true, true, true]);
  });
});

describe('what is written comes back', () => {
  test('pickle and JSON say the same', () => {
    for (const snapshot of [before, after, expandable]) {
      expect(plainDict(parseSnapshot(pickle(snapshot)))).toEqual(plainDict(snapshot));
      expect(plainDict(parseSnapshot(json(snapshot)))).toEqual(plainDict(snapshot));
    }
  });

  test('dictionaries too', () => {
    expect(toDict(fromDict(toDict(after)))).toEqual(toDict(after));
  });

  test('numbers of every size', () => {
    const numbers = [0, 1, 255, 256, 65535, 65536, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 39, 2 ** 40 - 1, 2 ** 47 - 1]
      .concat([-1, -128, -129, -32768, -(2 ** 31), -(2 ** 31) - 1, -(2 ** 40), Number.MAX_SAFE_INTEGER])
      .concat([Number.MIN_SAFE_INTEGER, 0.5, -1e300, 1e-300]);
    const big = [2n ** 53n, 2n ** 63n - 1n, 2n ** 64n - 1n, -(2n ** 63n), -(2n ** 200n)];
    const snapshot = emptySnapshot();
    snapshot.allocator_settings = { numbers, big, none: null, yes: true, no: false, nested: { list: [[], {}, ''] } };
    for (const write of [pickle, json])
      expect(parseSnapshot(write(snapshot)).allocator_settings).toEqual(snapshot.allocator_settings);
    const names: { [key: string]: number } = {};
    Object.defineProperty(names, '__proto__', { value: 7, enumerable: true });
    snapshot.allocator_settings = names;
    for (const write of [pickle, json]) {
      const read = parseSnapshot(write(snapshot)).allocator_settings!;
      expect(Object.keys(read)).toEqual(['__proto__']);
      expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    }
  });

  test('strings of every sort', () => {
    const texts = [
      '',
      'N/A',
      'x'.repeat(255),
      'x'.repeat(256),
      'é'.repeat(200),
      '\0\n\t"\\\u2028',
      '日本語 🎉',
      'y'.repeat(2e6),
    ];
    const snapshot = emptySnapshot();
    snapshot.allocator_settings = { texts };
    for (const write of [pickle, json]) expect(parseSnapshot(write(snapshot)).allocator_settings).toEqual({ texts });
  });

  test('long traces, stacks deeper than a batch, actions and pools that are new', () => {
    const snapshot = emptySnapshot();
    const trace = new SnapshotTrace(snapshot.frames);
    const deep = snapshot.frames.stackOf(
      Array.from({ length: 2500 }, (_, i) => ({ filename: 'a.ts', line: i, name: 'recurse' })),
    );
    for (let i = 0; i < 40_000; i++)
      trace.push(i % 3, 2 ** 46 + 512 * (i % 977), i, i % 2, 10 ** 15 + i, i % 10_000 === 0 ? deep : -1);
    trace.push(trace.actionNumber('teleport'), 1, 2, 3, -1, -1, -1, -1, 5 * 2 ** 32 + 6);
    trace.extras.set(3, { user_metadata: { step: 4, tags: ['a', 'b'] } });
    snapshot.device_traces.push(new SnapshotTrace(snapshot.frames), trace);
    for (const write of [pickle, json]) {
      const read = parseSnapshot(write(snapshot));
      expect(read.device_traces.map(({ length }) => length)).toEqual([0, 40_001]);
      const other = read.device_traces[1];
      for (const index of [0, 1, 2, 3, 16_383, 16_384, 39_999, 40_000])
        expect(other.entry(index)).toEqual(trace.entry(index));
      expect(other.entry(0).frames).toHaveLength(2500);
      expect(other.entry(3).user_metadata).toEqual({ step: 4, tags: ['a', 'b'] });
      expect(other.entry(40_000)).toMatchObject({ action: 'teleport', pool_id: [5, 6] });
    }
  });

  test('an event costs some 60 bytes, whatever its stack', () => {
    const snapshot = emptySnapshot();
    const trace = new SnapshotTrace(snapshot.frames);
    const { strings } = snapshot.frames;
    const [none, empty] = [strings.intern('N/A'), strings.intern('')];
    const stacks = Array.from({ length: 300 }, (_, i) =>
      snapshot.frames.stackOf(Array.from({ length: 8 }, (_, j) => ({ filename: `f${j}.ts`, line: i, name: 'fn' }))),
    );
    const fill = (count: number) => {
      for (let i = 0; i < count; i++)
        trace.push(i % 3, 0x7f0000000000 + 512 * i, 1e6 + i, 0, 1.8e15 + i, stacks[i % 300], empty, none, 0);
    };
    snapshot.device_traces.push(trace);
    fill(10_000);
    const some = pickle(snapshot).length;
    fill(10_000);
    expect((pickle(snapshot).length - some) / 10_000).toBeLessThan(62);
  });

  test('chunks: a large snapshot is never in memory as a whole', () => {
    const snapshot = emptySnapshot();
    const trace = new SnapshotTrace(snapshot.frames);
    for (let i = 0; i < 100_000; i++) trace.push(0, 2 ** 46 + i, i, 0);
    snapshot.device_traces.push(trace);
    for (const chunks of [pickleChunks(snapshot), jsonChunks(snapshot)]) {
      const sizes = [...chunks].map((chunk) => chunk.length);
      expect(sizes.length).toBeGreaterThan(2);
      expect(Math.max(...sizes)).toBeLessThan(2 ** 21);
    }
  });
});
