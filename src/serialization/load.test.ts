/** Reading PyTorch's files, and refusing what PyTorch refuses, in its words. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import torch from '../index.ts';
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
