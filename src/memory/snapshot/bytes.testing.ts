/** Bytes by hand, for tests of readers. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { concatenate } from './bytes.ts';
import type { Snapshot } from './snapshot.ts';
import { toDict } from './snapshot.ts';
import type { SnapshotDict } from './types.ts';

const folder = join(import.meta.dirname, '../../../tests/fixtures/snapshots');

/** A recorded file. */
export function fixture(name: string): Uint8Array {
  const path = join(folder, name);
  if (!existsSync(path)) throw new Error(`${path} is missing: see scripts/oracle/snapshots.py`);
  return new Uint8Array(readFileSync(path));
}

export function fixtureJson<T>(name: string): T {
  return JSON.parse(new TextDecoder().decode(fixture(name))) as T;
}

/** Strings in UTF-8, numbers as bytes. */
export function bytesOf(...parts: (string | number | Uint8Array)[]): Uint8Array {
  return concatenate(
    parts.map((part) =>
      typeof part === 'number' ? Uint8Array.of(part) : typeof part === 'string' ? new TextEncoder().encode(part) : part,
    ),
  );
}

/** A short string of a pickle. */
export function text(value: string): Uint8Array {
  const bytes = new TextEncoder().encode(value);
  return bytesOf(0x8c, bytes.length, bytes);
}

/** What a snapshot says, as JSON has it. */
export function plainDict(snapshot: Snapshot): SnapshotDict {
  return JSON.parse(
    JSON.stringify(toDict(snapshot), (_, value) => (typeof value === 'bigint' ? `${value}n` : value)),
  ) as SnapshotDict;
}
