/** Files that are cut off, damaged or hostile: an error that says so, and no more memory than the file is worth. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import torch from '../index.ts';
import { cpuBackend } from '../devices/registry.ts';
import { lifetimesOf } from '../devices/storage.ts';

const folder = fileURLToPath(new URL('../../tests/fixtures/checkpoints/', import.meta.url));
const read = (name: string) => new Uint8Array(readFileSync(folder + name));

// Thousands of errors, whose stacks nobody reads.
const { stackTraceLimit } = Error;
beforeAll(() => {
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

/** Types that tell the file's fault from ours. */
const OURS = /^(RuntimeError|EOFError|UnpicklingError|ValueError|NotImplementedError|SafetensorError)$/;

/** Fails for errors that JavaScript makes by itself. */
function expectClear(error: unknown): void {
  const { name, message } = error as Error;
  const python = name === 'TypeError' && /unhashable type|takes an iterable of|object is not iterable/.test(message);
  if (!OURS.test(name) && !python) throw error;
  expect(message).not.toMatch(/undefined|NaN|\[object/);
}

const x = torch.arange(6, { dtype: torch.float32 }).reshape(2, 3);
const object = {
  a: x,
  b: [x.t(), 'text', 1.5, 2n ** 70n, null],
  c: new Uint8Array([1, 2, 255]),
  d: new torch.nn.Parameter(torch.ones(2)),
};

const FILES: Record<string, Uint8Array> = {
  zip: torch.save(object),
  'zip of PyTorch': read('keys.pt'),
  'older format': read('views-legacy.pt'),
  'older format with values': read('gradients-legacy.pt'),
};

describe.each(Object.entries(FILES))('%s', (name, file) => {
  test('cut off at every byte', () => {
    for (let length = 0; length < file.length; length++) {
      let error: unknown = null;
      try {
        torch.load(file.slice(0, length));
      } catch (caught) {
        error = caught;
      }
      if (error === null) throw new Error(`${name} is loaded from its first ${length} bytes`);
      expectClear(error);
    }
  });

  test('every byte another one', () => {
    const changes = [1, 0x80, 0xff];
    for (let at = 0; at < file.length; at++) {
      const bytes = file.slice();
      bytes[at] ^= changes[at % 3];
      try {
        torch.load(bytes);
      } catch (error) {
        expectClear(error);
      }
    }
  });

  test('a failure leaves nothing behind', () => {
    const lifetimes = lifetimesOf(cpuBackend())!;
    for (let length = 0; length < file.length; length += 50) {
      try {
        torch.load(file.slice(0, length));
      } catch {}
    }
    lifetimes.sweep();
    const before = lifetimes.liveCount;
    for (let length = 0; length < file.length; length += 50) {
      try {
        torch.load(file.slice(0, length));
      } catch {}
    }
    lifetimes.sweep();
    expect(lifetimes.liveCount).toBe(before);
  });
});

const safe = torch.safetensors.save({ a: x, b: torch.ones(2, { dtype: torch.bool }) }, { k: 'v' });

describe('safetensors', () => {
  test('cut off at every byte', () => {
    for (let length = 0; length < safe.length; length++) {
      expect(() => torch.safetensors.load(safe.slice(0, length))).toThrow(torch.safetensors.SafetensorError);
    }
  });

  test('every byte another one', () => {
    for (const change of [1, 0x80, 0xff]) {
      for (let at = 0; at < safe.length; at++) {
        const bytes = safe.slice();
        bytes[at] ^= change;
        try {
          torch.safetensors.load(bytes);
        } catch (error) {
          expectClear(error);
        }
      }
    }
  });
});

/** A file in the older format with this object, and what follows it. */
function legacy(object: Uint8Array): Uint8Array {
  // The magic number, the version, and no word about the system.
  return Buffer.concat([bytes('\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}.'), object]);
}

const bytes = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));

describe('pickles that ask for much', () => {
  const peak = (run: () => void) => {
    const before = process.memoryUsage().rss;
    run();
    return process.memoryUsage().rss - before;
  };

  test('the older format starts where it is said to', () => {
    expect(() => torch.load(legacy(bytes('\x80\x02K\x01.\x80\x02].')))).not.toThrow();
    expect(torch.load(legacy(bytes('\x80\x02K\x01.\x80\x02].')))).toBe(1);
  });

  test('a string of gigabytes that is not there', () => {
    const file = legacy(bytes('\x80\x02X\xff\xff\xff\x7fabc'));
    expect(peak(() => expect(() => torch.load(file)).toThrow(/Ran out of input/))).toBeLessThan(1 << 26);
  });

  test('a storage of gigabytes that is not there', () => {
    const storage = '(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpuJ\xff\xff\xff\x1fNtQ';
    const tensor = `\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(${storage}K\0K\x01\x85K\x01\x85\x89ccollections\nOrderedDict\n)RtR.`;
    expect(() => torch.load(legacy(bytes(tensor)))).toThrow(/a storage of 2147483644 bytes in a file of/);
  });

  test('one string encoded again and again', () => {
    const text = 'a'.repeat(1 << 16);
    const again = 'h\x01h\x02h\x03\x86R';
    const file = legacy(
      bytes(`\x80\x02(c_codecs\nencode\nq\x01X\0\0\x01\0${text}q\x02X\x06\0\0\0latin1q\x03${again.repeat(20000)}t.`),
    );
    expect(() => torch.load(file)).toThrow(/MiB of objects out of far fewer bytes/);
  });

  test('one list made sets of again and again', () => {
    const file = legacy(
      bytes(`\x80\x02(cbuiltins\nset\nq\x01]q\x02(${'K\x01'.repeat(1000)}e${'h\x01h\x02\x85R'.repeat(20000)}t.`),
    );
    expect(() => torch.load(file)).toThrow(/MiB of objects out of far fewer bytes/);
  });

  test('lists within lists, as deep as the file is long', () => {
    const depth = 200_000;
    const file = legacy(bytes(`\x80\x02${']'.repeat(depth)}${'a'.repeat(depth - 1)}.\x80\x02].`));
    let list = torch.load(file) as unknown[];
    let found = 0;
    while (list.length > 0) {
      list = list[0] as unknown[];
      found++;
    }
    expect(found).toBe(depth - 1);
  });

  test('doubled and doubled again, each is the one before', () => {
    const file = legacy(bytes(`\x80\x02]${'q\x01h\x01\x86'.repeat(60)}.\x80\x02].`));
    expect(torch.load(file)).toHaveLength(2);
  });

  test('names of keys that JavaScript has already', () => {
    const key = (name: string) => `X${String.fromCharCode(name.length)}\0\0\0${name}`;
    const file = legacy(bytes(`\x80\x02}(${key('__proto__')}}${key('constructor')}K\x01u.\x80\x02].`));
    const loaded = torch.load(file) as Record<string, unknown>;
    expect(Object.keys(loaded)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(loaded)).toBe(Object.prototype);
  });
});
