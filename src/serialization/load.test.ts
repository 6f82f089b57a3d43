/** Reading PyTorch's files, and refusing what PyTorch refuses, in its words. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import torch, { type Tensor } from '../index.ts';
import { asInJavaScript, describe as described } from './described.testing.ts';

const folder = fileURLToPath(new URL('../../tests/fixtures/checkpoints/', import.meta.url));
const read = (name: string) => readFileSync(folder + name);
const json = (name: string) => JSON.parse(read(name).toString());

interface FileCase {
  options: Record<string, unknown>;
  value: unknown;
}
interface ErrorCase {
  name: string;
  file: string;
  options: Record<string, unknown>;
  type: string;
  text: string;
}

describe("PyTorch's files", () => {
  for (const [name, { options, value }] of Object.entries<FileCase>(json('expected.json').files)) {
    test(name, () => {
      const loaded = torch.load(read(`${name}.pt`), options);
      expect(described(loaded)).toEqual(asInJavaScript(value));
    });
    test(`${name}, from a path`, () => {
      expect(described(torch.load(`${folder}${name}.pt`, options))).toEqual(asInJavaScript(value));
    });
  }
});

describe('what is in PyTorch and not here', () => {
  for (const { name, names, file } of json('unsupported.json') as { name: string; names: string; file: string }[]) {
    test(name, () => {
      const load = () => torch.load(new Uint8Array(Buffer.from(file, 'base64')));
      expect(load).toThrow(torch.NotImplementedError);
      expect(load).toThrow(names);
    });
  }
});

describe('weights_only=False', () => {
  const { file } = (json('errors.json') as ErrorCase[]).find(({ name }) => name === 'a class of a program')!;
  const bytes = new Uint8Array(Buffer.from(file, 'base64'));

  test('executes nothing either, and says what to do', () => {
    const load = () => torch.load(bytes, { weights_only: false });
    expect(load).toThrow(torch.UnpicklingError);
    expect(load).toThrow('GLOBAL __main__.Net was not an allowed global');
    expect(load).toThrow('Here nothing in a file is executed');
    expect(() => torch.load(bytes)).toThrow('save tensors and plain containers instead');
  });

  test('other protocols are read with it, and refused without', () => {
    expect(() => torch.load(read('protocol-4.pt'))).toThrow('Unsupported operand 149');
    expect(torch.load(read('protocol-4.pt'), { weights_only: false })).toHaveProperty('b');
  });
});

describe('the format before 1.6', () => {
  const start = '\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}.';
  const bytes = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));
  const text = (value: string) => `X${String.fromCharCode(value.length)}\0\0\0${value}`;
  const storage = (view: string) => `(${text('storage')}ctorch\nFloatStorage\n${text('7')}${text('cpu')}K\x04${view}tQ`;
  const tensor = (over: string, size: string) => `ctorch._utils\n_rebuild_tensor\n(${over}K\0K${size}\x85K\x01\x85tR`;
  const values = `\x04${'\0'.repeat(7)}\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40`;
  const whole = (object: string) => bytes(`${start}\x80\x02${object}.\x80\x02]${text('7')}a.${values}`);

  test('storages that are parts of others, as before 0.4', () => {
    const view = `(${text('v')}K\x01K\x02t`;
    const file = whole(`(${tensor(storage('N'), '\x04')}${tensor(storage(view), '\x02')}t`);
    const [all, part] = torch.load<Tensor[]>(file);
    expect(all.tolist()).toEqual([1, 2, 3, 4]);
    expect(part.tolist()).toEqual([2, 3]);
    expect(part.storage_offset()).toBe(1);
    all.mul_(2);
    expect(part.tolist()).toEqual([4, 6]);
    expect(() => torch.load(whole(`(${tensor(storage('N'), '\x04')}${tensor(storage(view), '\x03')}t`))).toThrow(
      'are out of bounds for storage of size 8',
    );
  });

  test('tar archives', () => {
    const file = new Uint8Array(1024);
    file.set(bytes('ustar'), 257);
    expect(() => torch.load(file)).toThrow(
      'Cannot use ``weights_only=True`` with files saved in the legacy .tar format.',
    );
  });

  test('a tensor as PyTorch saves those of an mtia', () => {
    const file = new Uint8Array(torch.save(torch.ones(3)));
    const made = torch.load<Tensor>(file);
    expect(made.device.type).toBe('cpu');
    const moved = whole(
      `ctorch._utils\n_rebuild_device_tensor_from_cpu_tensor\n(${tensor(storage('N'), '\x04')}ctorch\nfloat32\n${text('mtia:0')}\x89tR`,
    );
    expect(() => torch.load(moved)).toThrow('in the format before PyTorch 1.6 is not implemented');
  });
});

describe('what PyTorch refuses', () => {
  for (const { name, file, options, type, text } of json('errors.json') as ErrorCase[]) {
    test(name, () => {
      const bytes = new Uint8Array(Buffer.from(file, 'base64'));
      let error: unknown;
      try {
        torch.load(bytes, options);
      } catch (caught) {
        error = caught;
      }
      expect(error).toBeInstanceOf(Error);
      const { name: gotType, message } = error as Error;
      // Where a line of PyTorch's own source is named.
      const plain = text.replace(/^\[enforce fail at [^\]]*\] \. /, '');
      expect(`${gotType}: ${message.slice(0, plain.length)}`).toBe(`${type}: ${plain}`);
    });
  }
});
