/** `mtia memory …` on snapshots of the fixtures, as programs and people use it. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CAPACITY, fragmentedSnapshot } from '../../src/cli/memory/fragmented.testing.ts';
import { concatenate, parseSnapshot, snapshotChunks, toDict } from '../../src/memory/snapshot/index.ts';
import { folderWith, mtia } from './mtia.ts';

const MIB = 2 ** 20;
const fixtures = fileURLToPath(new URL('../fixtures/', import.meta.url));
const fragmented = join(fixtures, 'memory', 'fragmented.pickle');
const snapshots = join(fixtures, 'snapshots');
const memory = (...args: string[]) => mtia(['memory', ...args], { cwd: snapshots });

/** What a command says with --json. */
async function json(...args: string[]) {
  const { code, stdout, stderr } = await memory(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const replays = async (...args: string[]) => (await json('replay', ...args)).devices[0].replays;

test.each([
  ['fragmented.pickle', undefined],
  ['earlier.pickle', 12],
])('the fixture %s is what its program makes', (name, requests) => {
  const made = concatenate(snapshotChunks(fragmentedSnapshot(requests)));
  expect(readFileSync(join(fixtures, 'memory', name)).equals(made)).toBe(true);
});

describe('replay', () => {
  test.concurrent('a fragmented trace runs out of memory, and does not with expandable segments', async () => {
    const [plain] = await replays(fragmented);
    expect(plain).toMatchObject({ settings: '', capacity: CAPACITY, runs: false });
    const { outOfMemory } = plain;
    // By the rules: enough is free, but no piece is large enough, nor what can be given back.
    expect(outOfMemory.allocated + outOfMemory.rounded).toBeLessThan(CAPACITY);
    expect(outOfMemory.free + outOfMemory.reserved).toBe(CAPACITY);
    expect(outOfMemory.largestCached).toBeLessThan(outOfMemory.rounded);
    expect(outOfMemory.free).toBeLessThan(outOfMemory.segment);
    expect(outOfMemory).toMatchObject({ event: 283, requested: 62 * MIB });
    expect(outOfMemory.frames[0]).toEqual({ filename: '/home/user/server/model.ts', line: 51, name: 'mlp' });
    expect(
      outOfMemory.holders.map(({ bytes, frames }: { bytes: number; frames: { name: string }[] }) => [
        bytes,
        frames[0].name,
      ]),
    )
      // The scores of 1984 tokens, the caches of 512, 576 … 1984 tokens less that of the request under way, and the weights.
      .toEqual([
        [16 * 1984 ** 2, 'attention'],
        [2048 * Array.from({ length: 23 }, (_, i) => 512 + 64 * i).reduce((sum, tokens) => sum + tokens, 0), 'append'],
        [48 * MIB, 'load'],
      ]);
    const [expandable] = await replays(fragmented, '--conf', 'expandable_segments:True');
    expect(expandable).toMatchObject({ capacity: CAPACITY, runs: true, outOfMemory: null, events: 289 });
    expect(expandable.peak.reserved).toBeLessThanOrEqual(CAPACITY);
    expect(expandable.leastCapacity.bytes).toBeLessThan(CAPACITY);
    expect(plain.leastCapacity.always).toBeGreaterThan(CAPACITY);
  });

  test.concurrent('with the least capacity it runs, with less it does not, and with somewhat more it may not', async () => {
    const [{ leastCapacity }] = await replays(fragmented);
    const { bytes, within, always } = leastCapacity;
    const runs = async (capacity: number) => (await replays(fragmented, '--capacity', String(capacity)))[0].runs;
    expect([await runs(bytes), await runs(bytes - within)]).toEqual([true, false]);
    expect([await runs(always), await runs(always - within)]).toEqual([true, false]);
    expect(always).toBeGreaterThan(bytes);
    const { stdout } = await memory('replay', fragmented);
    expect(stdout).toContain('268.0 MiB, to within 2.0 MiB; fails with some above it, runs from 296.0 MiB on');
  });

  test.concurrent('a recording follows from its own settings', async () => {
    const { devices } = await json('replay', 'after.pickle');
    expect(devices.map(({ recording }: { recording: object }) => recording)).toMatchObject([
      {
        events: 30,
        allocations: 9,
        settings: '',
        capacity: { bytes: 128 * MIB, kind: 'device' },
        outOfMemory: 1,
        overflowed: false,
        reproduction: { recorded: 2, replayed: 2, same: 2, exactStart: true },
      },
      { events: 5, capacity: null, reproduction: { recorded: 1, same: 1 } },
    ]);
    const [{ recording, replays }] = (await json('replay', 'expandable.pickle')).devices;
    expect(recording).toMatchObject({ settings: 'expandable_segments:True', reproduction: { recorded: 2, same: 2 } });
    expect(replays[0].settings).toBe('expandable_segments:True');
  });

  test.concurrent('settings side by side', async () => {
    const chosen = await replays(fragmented, '--conf', 'expandable_segments:True', '--conf', 'max_split_size_mb:32');
    expect(chosen.map(({ settings }: { settings: string }) => settings)).toEqual([
      'expandable_segments:True',
      'max_split_size_mb:32',
    ]);
    const { code, stdout } = await memory('replay', fragmented, '--compare');
    expect(code).toBe(0);
    expect(stdout).toMatch(/default settings +│ +fails at event 283/);
    expect(stdout).toMatch(/expandable_segments:True +│ +runs/);
  });

  test.concurrent('capacity, fraction, device', async () => {
    const [tiny] = await replays(fragmented, '--capacity', '40MiB');
    expect(tiny).toMatchObject({ capacity: 40 * MIB, runs: false, outOfMemory: { requested: 12 * MIB } });
    const [half] = await replays(fragmented, '--capacity', '1GiB', '--fraction', '0.1');
    expect(half).toMatchObject({ fraction: 0.1, runs: false });
    expect(half.outOfMemory.allowed).toBe(Math.floor(0.1 * 1024 * MIB));
    const { devices } = await json('replay', 'after.pickle', '--device', '1');
    expect(devices.map(({ device }: { device: number }) => device)).toEqual([1]);
  });

  test.concurrent('for people: every part of the answer', async () => {
    const { stdout } = await memory('replay', fragmented);
    for (const part of [
      '289 events, 99 allocations, with default settings',
      'it ran out of memory once, with 280.0 MiB to be had',
      'replayed as recorded, it ends with the 11 segments of the file, block by block',
      'It runs out of memory at event 283: 62.0 MiB were asked for.',
      'mlp (/home/user/server/model.ts:51)',
      'the largest piece 42.5 MiB',
      'least capacity',
    ])
      expect(stdout).toContain(part);
  });

  test.concurrent('a trace that lost its beginning says so', async () => {
    const cwd = folderWith({});
    const dict = toDict(fragmentedSnapshot());
    dict.device_traces[0].splice(0, 100);
    dict.allocator_settings!['trace_alloc_overflowed'] = true;
    writeFileSync(join(cwd, 'late.json'), JSON.stringify(dict));
    const { code, stdout } = await mtia(['memory', 'replay', 'late.json'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('the beginning is missing');
    expect(stdout).toMatch(/note: \d+ blocks were held when the recording began/);
    expect((await mtia(['memory', 'stats', 'late.json'], { cwd })).stdout).toContain('the beginning is missing');
  });
});

describe('stats', () => {
  test.concurrent('totals, holders, pins, peak', async () => {
    const { devices } = await json('stats', fragmented);
    expect(devices).toHaveLength(1);
    const { totals, holders, pins, trace } = devices[0];
    expect(totals).toMatchObject({ segments: 11, reserved: 268 * MIB });
    expect(totals.active + totals.releasable + totals.unreleasable).toBe(totals.reserved);
    expect(holders[0].frames[0].name).toBe('append');
    expect(pins).toMatchObject({ count: 4, free: totals.unreleasable });
    for (const { free, used, size, sites, blocks } of pins.largest) {
      expect(free + used).toBe(size);
      expect(blocks.length).toBeGreaterThan(0);
      expect(sites[0].frames[0].name).toMatch(/^(?:append|load)$/);
    }
    expect(trace.peakRequested.holders.reduce((sum: number, { bytes }: { bytes: number }) => sum + bytes, 0)).toBe(
      trace.peakRequested.bytes,
    );
    expect(trace.outOfMemory).toMatchObject([
      { event: 283, size: 62 * MIB, deviceFree: 12 * MIB, reserved: 268 * MIB },
    ]);
  });

  test.concurrent('streams, private pools, several devices', async () => {
    const { devices } = await json('stats', 'before.pickle');
    expect(devices.map(({ device }: { device: number }) => device)).toEqual([0, 1]);
    expect(devices[0].pools).toMatchObject([{ pool: [0, 7], segments: 1 }]);
    expect(devices[0].streams).toMatchObject([{ stream: 0 }]);
    const { stdout } = await memory('stats', 'before.pickle', '--device', '0');
    expect(stdout).toContain('pool (0, 7)');
    expect(stdout).not.toContain('device 1');
    expect(await json('stats', 'segments.pickle')).toMatchObject({ devices: [{ trace: null }] });
  });

  test.concurrent('all files that PyTorch wrote', async () => {
    const names = readdirSync(snapshots).filter((name) => name.endsWith('.pickle'));
    expect(names.length).toBeGreaterThan(8);
    for (const name of names) {
      const { code, stdout, stderr } = await memory('stats', name);
      expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: '' });
      expect(stdout).toContain(`${name}, device 0`);
    }
  });
});

describe('diff', () => {
  test.concurrent('what grew, by creation site', async () => {
    const { totals, sites, onlyBefore } = await json('diff', 'before.pickle', 'after.pickle');
    expect(totals.after.reserved - totals.before.reserved).toBe(-2 * MIB);
    expect(sites.map(({ name, bytes }: { name: string; bytes: number }) => [name, bytes])).toEqual([
      ['forward (layers.ts:17)', 4 * MIB - 1024],
      ['capture (layers.ts:17)', -600064],
    ]);
    expect(onlyBefore).toHaveLength(1);
    const { stdout } = await memory('diff', 'before.pickle', 'after.pickle');
    expect(stdout).toMatch(/\+4\.0 MiB .* forward \(layers\.ts:17\)/);
    expect(stdout).toMatch(/-586\.0 KiB .* capture/);
  });

  test.concurrent('nothing, one device, few rows', async () => {
    expect((await memory('diff', 'after.pickle', 'after.json')).stdout).toContain('No place holds more or less');
    const { sites } = await json('diff', 'before.pickle', 'after.pickle', '--device', '1');
    expect(sites).toMatchObject([{ bytes: -1024 }]);
    const { stdout } = await memory('diff', 'before.pickle', 'after.pickle', '--top', '1');
    expect(stdout).toContain('1 more place changed less');
  });
});

describe('convert', () => {
  test.concurrent('there and back, by extension, by --to, through pipes', async () => {
    const cwd = folderWith({});
    const original = readFileSync(fragmented);
    const run = async (...args: string[]) => {
      const { code, stderr } = await mtia(['memory', 'convert', ...args], { cwd });
      expect(code).toBe(0);
      return stderr;
    };
    expect(await run(fragmented, 'a.json')).toMatch(/a\.json: 11 segments, 289 events, .* of json/);
    expect(JSON.parse(readFileSync(join(cwd, 'a.json'), 'utf8'))).toEqual(toDict(parseSnapshot(original)));
    await run('a.json', 'b.pickle');
    expect(readFileSync(join(cwd, 'b.pickle')).equals(original)).toBe(true);
    await run('a.json', 'a.json', '--to', 'pickle');
    expect(readFileSync(join(cwd, 'a.json')).equals(original)).toBe(true);
    await run(fragmented, 'old.pickle', '--layout', 'old');
    expect(parseSnapshot(readFileSync(join(cwd, 'old.pickle'))).allocator_settings).toBe(null);
    expect(readdirSync(cwd).sort()).toEqual(['a.json', 'b.pickle', 'old.pickle']);
  });
});

describe('bad input is one line, and exit code 2', () => {
  const cwd = folderWith({
    'empty.pickle': '',
    'text.json': 'Dear reader,',
    'other.json': '{"a": 1}',
    'lines.json': '{"segments": [], "device_traces": [[{"action": "alloc"}, 5]]}',
    // os.system, which nothing here ever calls.
    'hostile.pickle': 'cos\nsystem\n(S"echo no"\ntR.',
  });
  writeFileSync(join(cwd, 'cut.pickle'), readFileSync(fragmented).subarray(0, 9000));
  writeFileSync(
    join(cwd, 'hostile4.pickle'),
    Buffer.from('8004636f730a73797374656d0a580700000065' + '63686f206e6f85522e', 'hex'),
  );
  mkdirSync(join(cwd, 'folder.json'));

  test.concurrent.each([
    [['stats', 'nothing.pickle'], /cannot find the snapshot nothing\.pickle\./],
    [['stats', 'emty.pickle'], /Did you mean empty\.pickle\?/],
    [['stats', '.'], /is a directory/],
    [['stats', 'folder.json'], /is a directory/],
    [['stats', 'empty.pickle'], /the file is empty/],
    [['stats', 'text.json'], /neither a pickle nor JSON/],
    [['stats', 'other.json'], /without 'segments': not a snapshot/],
    [['replay', 'lines.json'], /device_traces\[0\]/],
    [['replay', 'cut.pickle'], /cannot read cut\.pickle: the file ends before the pickle does/],
    [['diff', fragmented, 'cut.pickle'], /cannot read cut\.pickle/],
    [['stats', 'hostile.pickle'], /cannot read hostile\.pickle/],
    [['stats', 'hostile4.pickle'], /cannot read hostile4\.pickle: .*system/],
    [
      ['replay', join(snapshots, 'segments.pickle')],
      /has no trace to replay: it was taken without record_memory_history/,
    ],
    [['replay', fragmented, '--device', '3'], /has no trace of device 3, only of 0\./],
    [['stats', fragmented, '--device', '3'], /says nothing of device 3, only of 0\./],
    [['replay', fragmented, '--conf', 'frobnicate:1'], /Unrecognized key 'frobnicate' in MTIA allocator config\./],
    [
      ['replay', fragmented, '--conf', 'max_split_size_mb:1'],
      /CachingAllocator option max_split_size_mb too small, must be >= 20/,
    ],
    [['replay', fragmented, '--conf', 'expandable_segments:yes'], /Expected 'True' or 'False'/],
    [['replay', fragmented, '--capacity', 'much'], /--capacity: expected bytes like '2GiB'.* got 'much'/],
    [['replay', fragmented, '--capacity', '0'], /--capacity: expected bytes/],
    [['replay', fragmented, '--fraction', '1.5'], /invalid fraction:1\.5\. Please set within \[0, 1\]\./],
    [['replay', fragmented, '--fraction', 'half'], /--fraction: expected a number from 0 to 1, got 'half'/],
    [['convert', fragmented, 'out.txt'], /does not tell the format/],
    [['convert', fragmented, 'out.json', '--to', 'yaml'], /--to: expected pickle or json, got 'yaml'/],
    [['convert', fragmented, 'out.json', '--layout', 'odd'], /--layout: expected new or old/],
    [['convert', fragmented, 'folder.json'], /is a directory/],
    [
      ['convert', fragmented, 'nowhere/out.json'],
      /cannot write nowhere\/out\.json: ENOENT: no such file or directory\.$/,
    ],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await mtia(['memory', ...args], { cwd });
    expect(stderr).toMatch(/^mtia: [^\n]*\n$/);
    expect(stderr.trim()).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
});

test.concurrent.each([
  [['memory', 'stats', fragmented, '--top', '0'], /expected 1 or more/],
  [['memory', 'stats'], /missing required argument 'file'/],
  [['memory', 'frobnicate'], /unknown command 'frobnicate'/],
  [['memory', 'stats', fragmented, '--frobnicate'], /unknown option '--frobnicate'/],
  [['memory', 'stats', ''], /the name of the snapshot is empty/],
  [['memory', 'diff', '-', '-'], /both snapshots cannot come from the standard input/],
])('wrong arguments are exit code 2: %j', async (args, message) => {
  const { code, stdout, stderr } = await mtia(args);
  expect(stderr).toMatch(message);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});

describe.skipIf(process.platform === 'win32')('the standard output', () => {
  const sh = (line: string) => {
    const command = `"${process.execPath}" "${fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))}"`;
    return spawnSync('sh', ['-c', line.replace('mtia', command)], { encoding: 'utf8' });
  };

  test.each(['stats', 'replay'])('a reader that goes away is no failure: %s', (name) => {
    expect(sh(`mtia memory ${name} '${fragmented}' | head -n 1 >&2`).stderr).toMatch(
      /^\S+fragmented\.pickle, device 0\n$/,
    );
  });

  test('nor while a snapshot is written', () => {
    const { stderr } = sh(`mtia memory convert '${fragmented}' - --to json | head -c 1`);
    expect(stderr).toMatch(/^[^\n]*→ the standard output: [^\n]*\n$/);
  });

  test.skipIf(!existsSync('/dev/full'))('a full disk is one line', () => {
    for (const args of [`stats '${fragmented}'`, `convert '${fragmented}' - --to json`]) {
      const { status, stderr } = sh(`mtia memory ${args} > /dev/full`);
      expect({ status, stderr }).toEqual({
        status: 2,
        stderr: 'mtia: cannot write the standard output: ENOSPC: no space left on device.\n',
      });
    }
  });
});

test('names in a file cannot steer the terminal, and nothing is wider than 100 columns', async () => {
  const dict = toDict(fragmentedSnapshot());
  const frames = [{ filename: `/evil/${'long/'.repeat(50)}\u001b[31m\u202e.ts`, line: 3, name: 'a\u0007b\nc' }];
  for (const segment of dict.segments) for (const block of segment.blocks) block.frames = frames;
  for (const entry of dict.device_traces[0]) entry.frames = frames;
  const cwd = folderWith({ 'evil.json': JSON.stringify(dict) });
  for (const args of [
    ['stats', 'evil.json'],
    ['replay', 'evil.json', '--compare'],
    ['diff', fragmented, 'evil.json'],
    ['stats', fragmented],
    ['replay', fragmented, '--compare'],
  ]) {
    const { stdout, code } = await mtia(['memory', ...args], { cwd });
    expect(code).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    for (const line of stdout.split('\n'))
      if (!/\(\/evil/.test(line)) expect([...line].length).toBeLessThanOrEqual(100);
  }
});
