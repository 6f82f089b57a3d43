import { describe, expect, test } from 'vitest';
import { SnapshotError } from './budget.ts';
import { bytesOf, fixture, fixtureJson, plainDict, text } from './bytes.testing.ts';
import { parseSnapshot, readSnapshot } from './read.ts';
import type { SnapshotDict } from './types.ts';

const theirs = fixtureJson<SnapshotDict>('theirs.json');

describe("PyTorch's own files", () => {
  for (const name of ['protocol-2', 'protocol-3', 'protocol-4', 'protocol-5', 'ordered'])
    test(`${name}.pickle`, () => {
      expect(plainDict(parseSnapshot(fixture(`${name}.pickle`)))).toEqual(theirs);
    });

  test('JSON', () => {
    expect(plainDict(parseSnapshot(fixture('theirs.json')))).toEqual(theirs);
  });

  test('stacks and frames that come again are kept once', () => {
    const { frames } = parseSnapshot(fixture('protocol-4.pickle'));
    expect(frames.frameCount).toBe(6);
    // Four stacks, and the empty one.
    expect(frames.stackCount).toBe(5);
  });

  test('the segments alone, as memory_snapshot() returns them', () => {
    const snapshot = parseSnapshot(fixture('segments.pickle'));
    expect(plainDict(snapshot).segments).toEqual(theirs.segments);
    expect(snapshot.device_traces).toEqual([]);
  });

  test('the layout of 1.13: frames and sizes come from the history', () => {
    for (const name of ['old.pickle', 'old.json']) {
      const snapshot = parseSnapshot(fixture(name));
      const { segments, device_traces } = plainDict(snapshot);
      const [first, rest] = segments[0].blocks;
      expect(first).toMatchObject({ address: 139887084830720, requested_size: 3_000_000, size: 3_000_320 });
      expect(first.frames).toEqual(theirs.segments[0].blocks[0].frames);
      expect(rest).toMatchObject({ address: 139887084830720 + 3_000_320, state: 'inactive', frames: [] });
      expect(segments[0]).toMatchObject({ active_size: 3_000_320, requested_size: 3_000_000, is_expandable: false });
      expect(device_traces[0][1]).toEqual({
        action: 'alloc',
        addr: 139887084830720,
        size: 3_000_000,
        stream: 0,
        frames: theirs.device_traces[0][1].frames,
      });
      expect(snapshot.allocator_settings).toBeNull();
      expect(snapshot.external_annotations).toBeNull();
    }
  });

  test('addresses of Intel GPUs, which lie above 2^53: unsigned, and as signed numbers', () => {
    const base = 0xff00_0000_0020_0000n;
    const file = (address: bigint) =>
      new TextEncoder().encode(`{"segments": [{"address": ${address}, "total_size": 1024, "blocks": [
        {"address": ${address}, "size": 512, "state": "active_allocated"},
        {"address": ${address + 512n}, "size": 512, "state": "inactive"}]}],
        "device_traces": [[{"action": "alloc", "addr": ${address}, "size": 512, "stream": 0}]]}`);
    for (const address of [base, BigInt.asIntN(64, base)]) {
      const { segments, device_traces } = plainDict(parseSnapshot(file(address)));
      expect(segments[0].address).toBe(0x20_0000);
      expect(segments[0].blocks.map((block) => block.address)).toEqual([0x20_0000, 0x20_0200]);
      expect(device_traces[0][0].addr).toBe(0x20_0000);
    }
  });

  test('T50 what the pickler of C++ writes', () => {
    const snapshot = parseSnapshot(fixture('pickler.pickle'));
    const trace = snapshot.device_traces[0];
    expect(trace.entry(trace.length - 1)).toMatchObject({ action: 'alloc', size: 511284, compile_context: 'N/A' });
    expect(snapshot.segments[0].blocks[1]).toMatchObject({ state: 'active_allocated', requested_size: 511284 });
    expect(snapshot.frames.frames(snapshot.segments[0].blocks[1].stack)).toHaveLength(2);
    expect(snapshot.allocator_settings).toEqual({ garbage_collection_threshold: 0.5 });
  });

  test('in chunks of any size', async () => {
    for (const name of ['protocol-2.pickle', 'protocol-5.pickle', 'theirs.json']) {
      const bytes = fixture(name);
      for (const size of [1, 2, 7, 64, 1000, 4096]) {
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
          bytes.subarray(i * size, (i + 1) * size),
        );
        expect(plainDict(await readSnapshot(chunks))).toEqual(theirs);
      }
    }
  });

  test('a stream', async () => {
    const { Blob } = globalThis;
    const stream = new Blob([fixture('protocol-4.pickle') as BlobPart]).stream();
    expect(plainDict(await readSnapshot(stream as unknown as AsyncIterable<Uint8Array>))).toEqual(theirs);
  });
});

const error = (bytes: Uint8Array, memoryLimit = 2 ** 24): SnapshotError => {
  try {
    parseSnapshot(bytes, { memoryLimit });
  } catch (caught) {
    expect(caught).toBeInstanceOf(SnapshotError);
    return caught as SnapshotError;
  }
  throw new Error('no error');
};
const pickle = (...parts: (string | number | Uint8Array)[]) => bytesOf(0x80, 4, ...parts, '.');

describe('files that are no snapshots', () => {
  test.each([
    ['', 'the file is empty (at byte 0).'],
    ['hello', 'the file is neither a pickle nor JSON (at byte 0).'],
    ['(dp0\n.', 'the file is a pickle of protocol 0 or 1: 2 to 5 are read (at byte 0).'],
    ['PK\x03\x04', 'the file is a zip archive, as torch.save writes: a snapshot is a bare pickle (at byte 0).'],
    ['{}', "the file holds a dict without 'segments': not a snapshot."],
    ['{"segments": 3}', 'segments is a int, not a list.'],
    ['[1]', 'segments[0] is a int, not a dict.'],
    ['{"segments": [{"address": 1}]}', "segments[0] has no 'total_size'."],
    ['{"segments": [{"address": 1, "total_size": 2}]}', "segments[0] has no 'blocks'."],
    ['{"segments": [{"address": "x"}]}', 'segments[0].address is a str, not an int.'],
    ['{"segments": [{"address": -5}]}', 'segments[0].address is negative: -5.'],
    [
      '{"segments": [{"address": 1, "total_size": 2, "blocks": [{"size": 3}]}]}',
      "segments[0].blocks[0] has no 'state'.",
    ],
    ['{"segments": [], "device_traces": [[1]]}', 'device_traces[0] holds something that is not a trace event.'],
    ['{"segments": [], "device_traces": [{}]}', 'device_traces[0] is a dict, not a list.'],
    [
      '{"segments": [], "device_traces": [[{"action": "alloc", "addr": "x"}]]}',
      'the addr of a trace event is a str, not an int (at byte 67).',
    ],
    [
      '{"segments": [], "device_traces": [[{"action": "alloc", "addr": 1, "size": 9007199254740993}]]}',
      'the size of a trace event is beyond 2^53: 9007199254740993 (at byte 91).',
    ],
    [
      '{"segments": [{"address": 1, "total_size": 9007199254740993}]}',
      'segments[0].total_size is beyond 2^53: 9007199254740993.',
    ],
    [
      `{"segments": [{"address": 1, "total_size": 1${'0'.repeat(99)}}]}`,
      'segments[0].total_size is beyond 2^53: 10000000000000000000… (100 digits).',
    ],
    ['{"segments": []', 'the file ends before the JSON does (at byte 15).'],
    ['{"segments": [}', "'}' is not what JSON has here (at byte 14)."],
    ['{"segments": []} x', 'something follows the end of the JSON (at byte 17).'],
    ['{"segments": [], "a": 01}', "'01' is not what JSON has here (at byte 22)."],
    ['{"segments": [], "a": "\\q"}', 'JSON has no escape \\q (at byte 22).'],
    ['{"segments": [], "a": "x', 'the file is cut off within a string (at byte 22).'],
    ['{"segments": [], "a": "\\ud800\\u12"}', '\\u is not followed by four hexadecimal digits (at byte 22).'],
  ])('%s', (file, message) => {
    expect(error(bytesOf(file)).message).toBe(message);
  });

  test('pickles', () => {
    expect(error(pickle('N')).message).toBe('the file holds a None, not a snapshot.');
    expect(error(bytesOf(0x80, 9)).message).toBe('pickle protocol 9 is not known, only 2 to 5 are (at byte 0).');
    expect(error(pickle(0xff)).message).toBe('0xff is not an opcode of pickle protocols 2 to 5 (at byte 2).');
    expect(error(pickle('u')).message).toBe('the file closes a list or dictionary that it never opened (at byte 2).');
    expect(error(pickle('(Nu')).message).toBe('the file sets a key of nothing (at byte 4).');
    expect(error(pickle('}(Nu')).message).toBe('a dictionary has a key without a value (at byte 5).');
    expect(error(pickle('N(Ne')).message).toBe('the file appends to a None (at byte 5).');
    expect(error(pickle('s')).message).toBe('the file takes more values than it has given (at byte 2).');
    expect(error(pickle('h', 5)).message).toBe('memo number 5 is asked for and was never given (at byte 2).');
    expect(error(pickle('NN')).message).toBe('the pickle ends with parts left over.');
    expect(error(pickle('}(NNu')).message).toBe('a dictionary has a None as a key.');
    expect(error(pickle('C', 1, 'x')).message).toBe('the file holds bytes, which no snapshot does (at byte 2).');
    expect(error(bytesOf(0x80, 4, '}')).message).toBe('the file ends before the pickle does (at byte 3).');
    expect(error(bytesOf(0x80, 4, 'J', 1, 2)).message).toBe('the file is cut off within a value (at byte 2).');
  });
});

describe('hostile files', () => {
  test('functions are named and never called', () => {
    const system = /^the pickle asks for os.system, which no snapshot does; nothing was executed \(at byte \d+\)\.$/;
    expect(error(pickle('cos\nsystem\n', text('echo'), 0x85, 'R')).message).toMatch(system);
    expect(error(pickle(text('os'), text('system'), 0x93, text('echo'), 0x85, 'R')).message).toMatch(system);
    expect(error(pickle('cbuiltins\neval\n')).message).toContain('builtins.eval');
    expect(error(pickle('cos\n', 'x'.repeat(3000))).message).toContain('a name of a function does not end');
    for (const opcode of [0x81, 0x62, 0x69, 0x6f, 0x82, 0x50, 0x51])
      expect(error(pickle('N', opcode, '\n\n')).message).toContain('nothing was executed');
  });

  test('plain containers made by functions are read', () => {
    const ordered = bytesOf('ccollections\nOrderedDict\n', ')R');
    const set = bytesOf('c__builtin__\nset\n', ']', '(K', 1, 'K', 2, 'e', 0x85, 'R');
    const file = pickle(ordered, '(', text('segments'), ']', text('extra'), set, 'u');
    expect(plainDict(parseSnapshot(file))).toEqual({ segments: [], device_traces: [], extra: [1, 2] });
    const frozen = bytesOf('(K', 1, 'K', 2, 0x91);
    const mutable = bytesOf(0x8f, '(K', 3, 0x90);
    expect(
      plainDict(parseSnapshot(pickle('}(', text('segments'), ']', text('a'), frozen, text('b'), mutable, 'u'))),
    ).toMatchObject({ a: [1, 2], b: [3] });
  });

  test('lengths that the file does not have', () => {
    expect(error(pickle('X', 0xff, 0xff, 0xff, 0x7f)).message).toContain('more than 16 MiB');
    expect(error(pickle(0x8d, 0, 0, 0, 0, 0, 0, 0, 0x7f)).message).toContain('more than 16 MiB');
    expect(error(pickle('X', 0xff, 0xff, 0, 0)).message).toBe('the file is cut off within a value (at byte 2).');
    expect(error(pickle(0x8b, 0xff, 0xff, 0xff, 0x7f)).message).toContain('an integer of 2147483647 bytes');
  });

  test('memo bombs', () => {
    expect(error(pickle('N', 'r', 0xff, 0xff, 0xff, 0xff)).message).toContain('comes out of order');
    expect(error(pickle(Uint8Array.from({ length: 3e6 }, (_, i) => (i % 2 === 0 ? 0x5d : 0x94)))).message).toContain(
      'more than 16 MiB',
    );
  });

  test('millions of marks, lists and values', () => {
    for (const code of [0x28, 0x5d, 0x7d, 0x4e])
      expect(error(pickle(new Uint8Array(6e6).fill(code))).message).toContain('more than 16 MiB');
  });

  test('deep nesting', () => {
    const deep = pickle('}(', text('segments'), ']', text('x'), ']'.repeat(5000), 'a'.repeat(4999), 'u');
    expect(error(deep).message).toContain('nested deeper than 100');
    expect(error(bytesOf('{"segments": ', '['.repeat(5000))).message).toContain('nested deeper than 200');
  });

  test('lists and dictionaries that contain themselves', () => {
    expect(error(pickle('}(', text('segments'), ']', text('x'), ']', 0x94, 'h', 0, 'au')).message).toContain(
      'one contains itself',
    );
    expect(error(pickle('}', 0x94, '(', text('segments'), ']', text('x'), 'h', 0, 'u')).message).toContain(
      'one contains itself',
    );
    // A segment whose blocks are the segments.
    const looped = pickle(
      '}(',
      text('segments'),
      ']',
      0x94,
      '}(',
      text('address'),
      'K',
      1,
      text('total_size'),
      'K',
      1,
      text('blocks'),
      'h',
      0,
      'uau',
    );
    expect(error(looped).message).toContain('one contains itself');
  });

  test('a few bytes that stand for billions of values', () => {
    // Each list holds the one before it ten times.
    const laughs: (string | number)[] = [']', 0x94, '0'];
    for (let i = 0; i < 12; i++) laughs.push('](', ...Array(10).fill(['h', i]).flat(), 'e', 0x94, '0');
    const file = (depth: number) => pickle(...laughs, '}(', text('segments'), ']', text('x'), 'h', depth, 'u');
    expect(parseSnapshot(file(2)).extras).toEqual({ x: Array(10).fill(Array(10).fill([])) });
    expect(error(file(12)).message).toContain('more than 16 MiB');
    const event = bytesOf('}(', text('action'), text('alloc'), text('addr'), 'K', 1, 'u');
    const trace = bytesOf(']', 0x94, '(', ...Array(1000).fill(event), 'e');
    const many = pickle('}(', text('segments'), ']', text('device_traces'), '](', trace, 'h', 0, 'eu');
    expect(error(many).message).toContain('is the trace of another device as well');
  });

  test('a frame or an event in two pieces, and traces with other things in them', () => {
    const frame = bytesOf('}(', text('filename'), text('a'), text('name'), text('b'), text('line'), 'K', 1, 'u');
    expect(error(pickle(frame, 'NNs')).message).toContain('a stack frame is written in two pieces');
    expect(error(pickle(']', '(', frame, 'e', 'Na')).message).toContain('a list of stack frames holds something else');
    const event = bytesOf('}(', text('action'), text('b'), text('addr'), 'K', 1, 'u');
    expect(error(pickle(event, 'NNs')).message).toContain('a trace event is written in two pieces');
    expect(error(pickle('](', event, 'eNa')).message).toContain('a trace holds something that is not an event');
    expect(error(pickle('](', event, 'e')).message).toContain('a list of trace events is in a wrong place');
  });
});
