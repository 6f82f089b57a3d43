/**
 * The memory history and snapshots as files: what an event costs, what a million events take to write, what a gigabyte takes to
 * read. To be run by itself, on a machine that does nothing else: `node dist/cli/main.js run bench/snapshots.ts [GB]`.
 */
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { History } from '../src/memory/history.ts';
import {
  emptySnapshot,
  readSnapshot,
  type Snapshot,
  SnapshotTrace,
  snapshotChunks,
} from '../src/memory/snapshot/index.ts';

const GIGABYTES = Number(process.argv[2] ?? 1);
const POOL = [0, 0] as const;

/** Microseconds per repetition, the best of many short rounds. */
function best(rounds: number, repeat: number, run: () => void): number {
  let least = Infinity;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    for (let i = 0; i < repeat; i++) run();
    least = Math.min(least, performance.now() - start);
  }
  return (least * 1000) / repeat;
}

function report(name: string, value: number, unit: string, target: number): void {
  console.log(`${name}: ${value.toFixed(2)} ${unit}${value > target ? ` (target ${target})` : ''}`);
}

function historyCosts(): void {
  const history = new History();
  const device = history.device(0);
  const record = () => {
    device.at(history.allocationSite());
    device.trace(0, 512, 100, 0, POOL, 1);
  };
  history.configure({ context: null, max_entries: 100_000 });
  report('an event without stacks', best(50, 20_000, record), 'µs', 0.5);
  // Eight frames in all, the two of the history itself and one of Node.js included.
  const deep = (depth: number): void => (depth === 0 ? record() : deep(depth - 1));
  history.configure({ max_entries: 100_000 });
  history.stacks.limit = 8;
  const target = Number(process.versions.node.split('.')[0]) > 20 ? 6 : 9;
  report(
    'an event with a stack of 8 frames',
    best(300, 300, () => deep(8)),
    'µs',
    target,
  );
}

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

async function files(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'snapshots-'));
  try {
    const file = join(folder, 'snapshot.pickle');
    const million = manyEvents(1e6);
    const start = performance.now();
    const bytes = write(million, file);
    report('a million events written', (performance.now() - start) / 1000, 's', 3);
    report('their file', bytes / 1e6, 'MB', 80);
    const events = Math.round((GIGABYTES * 1e9) / (bytes / 1e6));
    const large = write(manyEvents(events), file);
    const before = performance.now();
    const snapshot = await readSnapshot(createReadStream(file, { highWaterMark: 1 << 20 }));
    report(`${(large / 1e9).toFixed(2)} GB read`, (performance.now() - before) / 1000, 's', 60 * GIGABYTES);
    report(
      'the most memory of this process',
      process.resourceUsage().maxRSS / 1000,
      'MB',
      Math.max(200, 1000 * GIGABYTES),
    );
    if (snapshot.device_traces[0].length !== events) throw new Error('not all events came back');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

historyCosts();
await files();
