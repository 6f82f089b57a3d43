/**
 * Damaged files: cut off anywhere, any byte changed, pieces moved. The answer is a snapshot or a SnapshotError, soon; a
 * snapshot can then be written and looked at.
 */
import { describe, expect, test } from 'vitest';
import { SnapshotError } from './budget.ts';
import { concatenate } from './bytes.ts';
import { fixture } from './bytes.testing.ts';
import { diffSnapshots } from './diff.ts';
import { jsonChunks } from './json-write.ts';
import { pickleChunks } from './pickle-write.ts';
import { parseSnapshot } from './read.ts';
import type { Snapshot } from './snapshot.ts';
import { snapshotStatistics } from './stats.ts';

const FILES = ['protocol-2.pickle', 'protocol-5.pickle', 'after.pickle', 'old.pickle', 'pickler.pickle', 'theirs.json'];
const LIMIT = 2 ** 24;

/** The snapshot, or null if the file is refused. */
function attempt(bytes: Uint8Array): Snapshot | null {
  try {
    return parseSnapshot(bytes, { memoryLimit: LIMIT });
  } catch (error) {
    // Anything else is a crash.
    if (!(error instanceof SnapshotError)) throw error;
    expect(error.message.length).toBeLessThan(500);
    if (error.offset !== null) expect(error.offset).toBeLessThanOrEqual(bytes.length);
    return null;
  }
}

/** What is accepted can be used. */
function use(snapshot: Snapshot): void {
  const written = concatenate(pickleChunks(snapshot));
  expect(parseSnapshot(written, { memoryLimit: LIMIT }).segments.length).toBe(snapshot.segments.length);
  concatenate(pickleChunks(snapshot, 'old'));
  concatenate(jsonChunks(snapshot));
  snapshotStatistics(snapshot);
  diffSnapshots(snapshot, snapshot);
}

/** Numbers that look random and are the same in every run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe.each(FILES)('%s', (name) => {
  const whole = fixture(name);

  test('cut off at every byte', () => {
    const text = name.endsWith('.json');
    for (let length = 0; length < whole.length; length++) {
      const snapshot = attempt(whole.subarray(0, length));
      // Space at the end of JSON may go.
      if (snapshot !== null) expect(text && whole[length] === 0x0a).toBe(true);
    }
  });

  test('every byte changed', () => {
    const bytes = whole.slice();
    let accepted = 0;
    for (let at = 0; at < bytes.length; at++) {
      const original = bytes[at];
      // Larger files: one bit of each byte, in turn.
      for (const change of bytes.length > 2000 ? [1 << (at % 8)] : [1, 0x80, original]) {
        bytes[at] = original ^ change;
        const snapshot = attempt(bytes);
        if (snapshot !== null && accepted++ % 32 === 0) use(snapshot);
      }
      bytes[at] = original;
    }
    // Most changes are of a number or a name, and nobody can tell.
    expect(accepted).toBeGreaterThan(bytes.length / 4);
  });

  test('pieces moved, repeated and taken out', () => {
    const next = random(7);
    for (let i = 0; i < 400; i++) {
      const from = next(whole.length);
      const to = from + next(Math.min(200, whole.length - from));
      const at = next(whole.length);
      const bytes = [
        () => concatenate([whole.subarray(0, at), whole.subarray(from, to), whole.subarray(at)]),
        () => concatenate([whole.subarray(0, from), whole.subarray(to)]),
        () =>
          concatenate([
            whole.subarray(0, at),
            whole.subarray(from, to),
            whole.subarray(Math.min(whole.length, at + to - from)),
          ]),
      ][i % 3]();
      const snapshot = attempt(bytes);
      if (snapshot !== null) use(snapshot);
    }
  });
});

test('random opcodes', () => {
  const next = random(3);
  const codes = [...'(}]u)e.aslt0012NKMJGhqjrX']
    .map((letter) => letter.charCodeAt(0))
    .concat([0x85, 0x86, 0x87, 0x88, 0x94]);
  for (let i = 0; i < 6000; i++) {
    const bytes = new Uint8Array(2 + next(60));
    bytes[0] = 0x80;
    bytes[1] = 4;
    for (let at = 2; at < bytes.length; at++) bytes[at] = next(4) === 0 ? next(3) : codes[next(codes.length)];
    attempt(bytes);
  }
});
