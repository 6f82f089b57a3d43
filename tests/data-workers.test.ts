/**
 * DataLoader with workers, in programs run as a person runs them: by `mtia run` from TypeScript, and by Node.js alone. What
 * comes, in which order and with which random numbers, is what PyTorch gives (scripts/oracle/data.py).
 */
import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { folderWith, mtia, NODES } from './cli/mtia.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const recorded = JSON.parse(readFileSync(new URL('fixtures/data.json', import.meta.url), 'utf8')).cases as Record<
  string,
  unknown
>;

const NOISE = `
import torch from 'torch-mtia';
export class Noise extends torch.utils.data.Dataset<[number, number]> {
  readonly length = 11;
  at(index: number): [number, number] {
    return [torch.rand([]).item(), index];
  }
}
export default Noise;
`;

const STREAM = `
import torch from 'torch-mtia';
export default class Stream extends torch.utils.data.IterableDataset<number> {
  *[Symbol.iterator]() {
    const { id } = torch.utils.data.get_worker_info()!;
    for (let i = 100 * id; i < 100 * id + 3 + 4 * id; i++) yield i;
  }
}
`;

/** Datasets of the cases below, by what the argument says. */
const CASES = `
import torch from 'torch-mtia';
export const worker_init_fn = (id: number) => { globalThis.started = id; };
export const collate_fn = (samples: unknown[]) => samples;
export default async function make(what: string, flag?: Int32Array) {
  const at = {
    asks: (i: number) => [i, globalThis.started, torch.get_num_threads(), String(torch.utils.data.get_worker_info()!.num_workers)],
    throws: (i: number) => { if (i === 1) throw new torch.KeyError('boo'); return i; },
    slow: (i: number) => { const until = Date.now() + 30_000; while (Date.now() < until); return i; },
    ends: (i: number) => process.exit(3),
    // The first waits for the second, which the other worker has.
    uneven: (i: number) => { if (i === 0) Atomics.wait(flag!, 0, 0); else if (i === 1) { Atomics.store(flag!, 0, 1); Atomics.notify(flag!, 0); } return i; },
  }[what]!;
  return { length: 4, at };
}
`;

const PROGRAM = `
import torch from 'torch-mtia';
import Noise from './noise.ts';
import Stream from './stream.ts';
const { DataLoader } = torch.utils.data;
const out: Record<string, unknown> = {};
const url = (name: string) => new URL(name, import.meta.url);

torch.manual_seed(8);
const noise = new DataLoader(new Noise(), { batch_size: 3, shuffle: true, num_workers: 2, persistent_workers: true, workerModule: url('./noise.ts') });
out['two workers'] = [0, 1].map(() => Array.from(noise, (batch) => batch.map((x) => x.to(torch.float32).tolist())));
out['two workers, afterwards'] = torch.rand(2, { dtype: torch.float64 }).tolist();
for (const [name, drop_last] of [['iterable, three workers', false], ['iterable, drop_last', true]] as const) {
  const loader = new DataLoader(new Stream(), { batch_size: 2, num_workers: 3, drop_last, workerModule: url('./stream.ts') });
  out[name] = Array.from(loader, (x) => x.tolist());
}

const four = [0, 1, 2, 3];
const cases = (what: string, options: object = {}) =>
  new DataLoader(four, { num_workers: 2, workerModule: url('./cases.ts'), workerArgs: [what], ...options }) as unknown as Iterable<unknown>;
out.asks = [...cases('asks', { batch_size: 2 })];
const failure = (run: () => unknown) => { try { run(); return 'no error'; } catch (error) { return error.name + ': ' + error.message.split('\\n').slice(0, 2).join(' | '); } };
out.throws = failure(() => [...cases('throws')]);
out.slow = failure(() => [...cases('slow', { timeout: 1.5 })]);
out.ends = failure(() => [...cases('ends')]).replace(/\\d+(, \\d+)*/, 'N');
out.missing = failure(() => [...new DataLoader(four, { num_workers: 1, workerModule: url('./nowhere.ts') })]).includes('Cannot find module');
const flag = () => new Int32Array(new SharedArrayBuffer(4));
out.inOrder = [...cases('uneven', { workerArgs: ['uneven', flag()] })].flat();
const unordered = [...cases('uneven', { in_order: false, prefetch_factor: 1, workerArgs: ['uneven', flag()] })].flat() as number[];
out.unordered = unordered.sort().join();
// A part of a run.
const kept = cases('asks', { persistent_workers: true, prefetch_factor: 3 });
for (const batch of kept) { out.first = batch; break; }
out.whole = [...kept].length;
// Functions stay here: the samples come, and are put together by this thread. And what is no tensor.
const own = new DataLoader(new Noise(), { batch_size: 4, num_workers: 1, workerModule: url('./noise.ts'), collate_fn: (samples: [number, number][]) => samples.map((s) => s[1]).join() });
out.own = [...own];
const pinned = new DataLoader(new Noise(), { batch_size: 11, num_workers: 1, workerModule: url('./noise.ts'), pin_memory: true });
out.pinned = Array.from(pinned, (batch) => batch.map((x) => x.is_pinned()));
console.log(JSON.stringify(out));
`;

const expected = {
  'two workers': recorded['two workers'],
  'two workers, afterwards': recorded['two workers, afterwards'],
  'iterable, three workers': recorded['iterable, three workers'],
  'iterable, drop_last': recorded['iterable, drop_last'],
  asks: [
    [
      [0, 0, 1, '2'],
      [1, 0, 1, '2'],
    ],
    [
      [2, 1, 1, '2'],
      [3, 1, 1, '2'],
    ],
  ],
  throws: 'KeyError: Caught KeyError in DataLoader worker process 1. | Original KeyError: boo',
  slow: 'RuntimeError: DataLoader timed out after 1.5 seconds',
  ends: 'RuntimeError: DataLoader worker (pid(s) N) exited unexpectedly',
  missing: true,
  inOrder: [0, 1, 2, 3],
  unordered: '0,1,2,3',
  first: [[0, 0, 1, '2']],
  whole: 4,
  own: ['0,1,2,3', '4,5,6,7', '8,9,10'],
  pinned: [[true, true]],
};

describe.each(NODES)('on %s', (node) => {
  // Workers race each other here: on a busy machine one may be late.
  test('a program in TypeScript under mtia run', { retry: 2 }, async () => {
    const folder = folderWith({
      'noise.ts': NOISE,
      'stream.ts': STREAM,
      'cases.ts': CASES,
      'main.ts': PROGRAM,
    });
    const { stdout, stderr, code } = await mtia(['run', '--quiet', join(folder, 'main.ts')], { node });
    expect(stderr.replaceAll(/^.*(?:create 3 worker|trace-warnings).*\n/gm, '')).toBe('');
    expect(code).toBe(0);
    const lines = JSON.parse(stdout) as Record<string, unknown>;
    expect(Object.keys(lines)).toEqual(Object.keys(expected));
    for (const [name, value] of Object.entries(expected)) expect(lines[name], name).toEqual(value);
  });

  test('a JavaScript program, whose dataset does not even import the library', async () => {
    const folder = folderWith({
      'package.json': '{"type": "module"}',
      'dataset.js': 'export default { length: 5, at: (i) => ({ x: i, y: new Float64Array([i, i]) }) };',
      'main.js': `
        import torch from 'torch-mtia';
        import dataset from './dataset.js';
        const options = { batch_size: 2, num_workers: 2, workerModule: new URL('./dataset.js', import.meta.url) };
        const loader = new torch.utils.data.DataLoader(dataset, options);
        console.log(JSON.stringify(Array.from(loader, ({ x, y }) => [x.tolist(), y.dtype.name])));
      `,
    });
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(root, join(folder, 'node_modules', 'torch-mtia'), 'junction');
    const stdout = await new Promise<string>((done, fail) =>
      execFile(node as string, [join(folder, 'main.js')], (error, out) => (error ? fail(error) : done(out))),
    );
    expect(JSON.parse(stdout)).toEqual([
      [[0, 1], 'float64'],
      [[2, 3], 'float64'],
      [[4], 'float64'],
    ]);
  });
});
