/**
 * Random snapshots, with everything that a file may say, written and read in all forms.
 */
import { describe, expect, test } from 'vitest';
import { ACTION_NAMES } from './actions.ts';
import { concatenate } from './bytes.ts';
import { plainDict } from './bytes.testing.ts';
import { Column } from './column.ts';
import { parseSnapshot, SnapshotReader } from './read.ts';
import { fromDict, toDict } from './snapshot.ts';
import type { BlockDict, Frame, PlainValue, SegmentDict, SnapshotDict, TraceEntryDict } from './types.ts';
import { snapshotChunks } from './write.ts';

class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed, 2654435761) >>> 0;
  }

  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }

  chance(one: number): boolean {
    return this.below(one) === 0;
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)];
  }

  /** Small and large numbers alike. */
  size(): number {
    return Math.floor(2 ** (this.below(47) + this.below(1000) / 1000));
  }

  list<T>(limit: number, item: () => T): T[] {
    return Array.from({ length: this.below(limit) }, item);
  }

  text(): string {
    const letters = ['a', 'Z', '/', ' ', '"', '\\', '\n', 'é', '漢', '🙂', '\u0000', '\u007f'];
    return this.list(this.chance(20) ? 400 : 12, () => this.of(letters)).join('');
  }

  value(depth = 3): PlainValue {
    const kind = this.below(depth > 0 ? 9 : 7);
    if (kind < 2) return this.of([null, true, false, 0, -1]);
    if (kind === 2) return this.size();
    if (kind === 3) return -this.size();
    if (kind === 4) return this.below(1000) / 7 + 0.001;
    if (kind < 7) return this.text();
    if (kind === 7) return this.list(5, () => this.value(depth - 1));
    return this.extras(depth - 1);
  }

  extras(depth = 2): { [key: string]: PlainValue } {
    return Object.fromEntries(this.list(4, () => [`x${this.text()}`, this.value(depth)]));
  }
}

function snapshotOf(random: Random): SnapshotDict {
  const frames: Frame[] = Array.from({ length: 8 }, () => ({
    filename: random.text(),
    line: random.below(5000),
    name: random.text(),
    ...(random.chance(4) ? { fx_node_op: random.text() } : {}),
  }));
  const stack = (): Frame[] => random.list(random.chance(50) ? 1500 : 6, () => random.of(frames));
  const stacks = [[], ...Array.from({ length: 5 }, stack)];
  const block = (address: number): BlockDict => ({
    address,
    size: random.size(),
    requested_size: random.size(),
    state: random.of(['active_allocated', 'active_pending_free', 'inactive']),
    frames: random.of(stacks),
    ...(random.chance(5) ? random.extras() : {}),
  });
  const segment = (): SegmentDict => ({
    device: random.below(3),
    address: random.size(),
    total_size: random.size(),
    allocated_size: random.size(),
    active_size: random.size(),
    requested_size: random.size(),
    stream: random.of([0, 7, 2 ** 46 + 5]),
    segment_type: random.of(['small', 'large']),
    segment_pool_id: random.of([
      [0, 0],
      [0, 3],
      [5, 0],
    ]),
    is_expandable: random.chance(2),
    frames: random.of(stacks),
    blocks: random.list(6, () => block(random.size())),
    ...(random.chance(5) ? random.extras() : {}),
  });
  const entry = (): TraceEntryDict => {
    const action = random.chance(30) ? `act${random.text()}` : random.of(ACTION_NAMES);
    return {
      action,
      [action === 'oom' ? 'device_free' : 'addr']: random.size(),
      size: random.size(),
      stream: random.of([0, 7, 2 ** 46 + 5]),
      ...(random.chance(3) ? {} : { time_us: random.chance(20) ? 0.5 : random.size() }),
      ...(random.chance(3) ? {} : { compile_context: random.text() }),
      ...(random.chance(3) ? {} : { user_metadata: random.chance(5) ? random.value() : random.text() }),
      ...(random.chance(3)
        ? {}
        : {
            pool_id: random.of([
              [0, 0],
              [2, 0],
            ] as [number, number][]),
          }),
      ...(random.chance(3) ? {} : { frames: random.of(stacks) }),
      ...(random.chance(9) ? { category: random.of(['unknown', 'gradient']) } : {}),
      ...(random.chance(30) ? random.extras() : {}),
    };
  };
  return {
    segments: random.list(5, segment),
    device_traces: random.list(4, () => random.list(60, entry)),
    ...(random.chance(3) ? {} : { allocator_settings: random.extras() }),
    ...(random.chance(3)
      ? {}
      : {
          external_annotations: random.list(3, () => ({ name: random.text(), stage: 'START', device: 0, time_us: 5 })),
        }),
    ...(random.chance(3) ? { host_segments: random.list(3, segment), host_traces: [random.list(9, entry)] } : {}),
    ...(random.chance(4) ? random.extras() : {}),
  };
}

const plain = (dict: SnapshotDict): SnapshotDict => JSON.parse(JSON.stringify(dict)) as SnapshotDict;

describe('random snapshots', () => {
  test('come back from dictionaries, pickles and JSON as they were', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const dict = snapshotOf(new Random(seed));
      const snapshot = fromDict(dict);
      expect(toDict(snapshot), `seed ${seed}`).toEqual(dict);
      const expected = plain(dict);
      for (const format of ['pickle', 'json'] as const) {
        const read = parseSnapshot(concatenate(snapshotChunks(snapshot, { format })));
        expect(plainDict(read), `seed ${seed}, ${format}`).toEqual(expected);
      }
    }
  });

  test('pickle to JSON to pickle changes no byte', () => {
    for (let seed = 1; seed <= 15; seed++) {
      const first = concatenate(snapshotChunks(fromDict(snapshotOf(new Random(seed)))));
      const json = concatenate(snapshotChunks(parseSnapshot(first), { format: 'json' }));
      const again = concatenate(snapshotChunks(parseSnapshot(json)));
      expect(Buffer.compare(again, first), `seed ${seed}`).toBe(0);
    }
  });

  test('the old layout keeps blocks, stacks and events', () => {
    for (let seed = 1; seed <= 15; seed++) {
      const snapshot = fromDict(snapshotOf(new Random(seed)));
      for (const format of ['pickle', 'json'] as const) {
        const old = parseSnapshot(concatenate(snapshotChunks(snapshot, { format, layout: 'old' })));
        const again = parseSnapshot(concatenate(snapshotChunks(old, { format, layout: 'new' })));
        expect(again.device_traces.map(({ length }) => length)).toEqual(
          snapshot.device_traces.map(({ length }) => length),
        );
        snapshot.segments.forEach((segment, i) => {
          segment.blocks.forEach((block, j) => {
            const found = again.segments[i].blocks[j];
            expect(found.size).toBe(block.size);
            expect(found.extras?.history).toBeUndefined();
            if (block.state === 'inactive') return;
            expect(found).toMatchObject({ address: block.address, requested_size: block.requested_size });
            expect(again.frames.frames(found.stack)).toEqual(snapshot.frames.frames(block.stack));
          });
        });
      }
    }
  });

  test('chunks may end anywhere', () => {
    for (let seed = 1; seed <= 10; seed++) {
      const random = new Random(seed + 1000);
      const dict = snapshotOf(random);
      for (const format of ['pickle', 'json'] as const) {
        const bytes = concatenate(snapshotChunks(fromDict(dict), { format }));
        const reader = new SnapshotReader();
        for (let at = 0; at < bytes.length; ) {
          const count = 1 + random.below(random.chance(10) ? 3000 : 30);
          reader.feed(bytes.subarray(at, at + count));
          at += count;
        }
        expect(plainDict(reader.finish()), `seed ${seed}, ${format}`).toEqual(plain(dict));
      }
    }
  });
});

test('columns give back what was put in, whatever their packing', () => {
  const random = new Random(99);
  const kinds: (() => number)[] = [
    () => 7,
    () => -1,
    () => random.below(200),
    () => 2 ** 46 + 512 * random.below(60_000),
    () => 2 ** 46 + 512 * random.below(2 ** 31),
    () => random.of([-1, 1.7e15 + random.below(1e6)]),
    () => random.of([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]),
    () => random.of([0.25, Number.NaN, Infinity, 2 ** 60]),
    () => random.below(2 ** 31) * 4 + 2 ** 31,
  ];
  for (const kind of kinds) {
    const column = new Column();
    const expected = Array.from({ length: 40_000 }, kind);
    for (const value of expected) column.push(value);
    expect(column.length).toBe(expected.length);
    expect(expected.findIndex((value, i) => !Object.is(column.get(i), value))).toBe(-1);
    const out = new Float64Array(16_384);
    let at = 0;
    for (let chunk = 0; chunk < column.chunks; chunk++) {
      const count = column.read(chunk, out);
      expect([...out.subarray(0, count)]).toEqual(expected.slice(at, at + count));
      at += count;
    }
    expect(at).toBe(expected.length);
  }
});
