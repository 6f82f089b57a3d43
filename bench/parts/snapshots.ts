/**
 * Snapshots as files: what a million events take to write and to read; with BENCH_LARGE=1 a gigabyte is read
 * instead. A part of `npm run bench`, or `node dist/cli/main.js run bench/parts/snapshots.ts`.
 */
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  emptySnapshot,
  readSnapshot,
  type Snapshot,
  SnapshotTrace,
  snapshotChunks,
} from '../../src/memory/snapshot/index.ts';
import { type Figures, large, runScript, tell } from './script.ts';

const GIGABYTE = 1e9;

function manyEvents(count: number): Snapshot {
  const snapshot = emptySnapshot();
  const { frames } = snapshot;
  const trace = new SnapshotTrace(frames);
  const stacks = Array.from({ length: 2000 }, (_, i) =>
    frames.stackOf(
      Array.from({ length: 8 }, (_, j) => ({
        filename: `/home/user/project/src/model${(i * 7 + j) % 50}.ts`,
        line: (i * 31 + j) % 900,
        name: `forward${(i + j) % 99}`,
      })),
    ),
  );
  const [none, empty] = [frames.strings.intern('N/A'), frames.strings.intern('')];
  for (let i = 0; i < count; i++) {
    const at = Math.floor(i / 3);
    const address = 0x7f0000000000 + 512 * ((at * 7919) % 4_000_000);
    trace.push(i % 3, address, 512 + ((at * 977) % 5e6), 0, 1.8e15 + 13 * i, stacks[at % 2000], empty, none, 0);
  }
  snapshot.device_traces.push(trace);
  return snapshot;
}

function write(snapshot: Snapshot, file: string): number {
  const descriptor = openSync(file, 'w');
  let bytes = 0;
  for (const chunk of snapshotChunks(snapshot)) {
    writeSync(descriptor, chunk);
    bytes += chunk.length;
  }
  closeSync(descriptor);
  return bytes;
}

/** Writes, then reads in a process that has not written: its memory counts. */
function files(): Figures {
  const folder = mkdtempSync(join(tmpdir(), 'snapshots-'));
  try {
    const file = join(folder, 'snapshot.pickle');
    const million = manyEvents(1e6);
    const start = performance.now();
    const bytes = write(million, file);
    const writeSeconds = (performance.now() - start) / 1000;
    const events = large ? Math.ceil(GIGABYTE / (bytes / 1e6)) : 1e6;
    const size = large ? write(manyEvents(events), file) : bytes;
    const { seconds, megabytes, read } = runScript('snapshots.ts', ['read', file]);
    if (read !== events) throw new Error('not all events came back');
    return {
      writeSeconds,
      megabytes: bytes / 1e6,
      secondsPerGigabyte: (seconds * GIGABYTE) / size,
      readMegabytes: megabytes,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function reading(file: string): Promise<Figures> {
  const before = performance.now();
  const snapshot = await readSnapshot(createReadStream(file, { highWaterMark: 1 << 20 }));
  const seconds = (performance.now() - before) / 1000;
  const megabytes = process.resourceUsage().maxRSS / 1000;
  return { seconds, megabytes, read: snapshot.device_traces[0].length };
}

const at = process.argv.indexOf('read');
tell(at < 0 ? files() : await reading(process.argv[at + 1]));
