/** Files of the package safetensors: the same bytes, the same values, the same words. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import torch from '../index.ts';
import { asInJavaScript, describe as described } from './described.testing.ts';

const recorded = JSON.parse(
  readFileSync(fileURLToPath(new URL('../../tests/fixtures/checkpoints/safetensors.json', import.meta.url)), 'utf8'),
);
const temporary = mkdtempSync(join(tmpdir(), 'torch-mtia-'));
afterAll(() => rmSync(temporary, { recursive: true }));

const { safetensors, nn } = torch;
const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'));

interface Said {
  type: string;
  text: string;
}

function expectSaid(run: () => unknown, { type, text }: Said, exact = true): void {
  let error: unknown;
  try {
    run();
  } catch (caught) {
    error = caught;
  }
  const { name, message } = error as Error;
  expect(name).toBe(type);
  if (exact) expect(message).toBe(text);
  // The words of a JSON parser in Rust.
  else expect(message.slice(0, 30)).toBe(text.slice(0, 30));
}

describe('files', () => {
  for (const { name, file, loaded, metadata } of recorded.files) {
    test(name, () => {
      const tensors = safetensors.load(bytesOf(file));
      const sorted = Object.fromEntries(Object.entries(tensors).sort(([a], [b]) => (a < b ? -1 : 1)));
      // Each has a storage of its own, numbered by the order in which they are met.
      const plain = (value: unknown) =>
        JSON.parse(JSON.stringify(asInJavaScript(value)).replaceAll(/"storage":\d+/g, '"storage":0'));
      expect(plain(described(sorted))).toEqual(plain(loaded));
      expect(new Set(Object.values(tensors).map(({ storage }) => storage)).size).toBe(Object.keys(tensors).length);
      expect(Buffer.from(safetensors.save(tensors, metadata)).toString('base64')).toBe(file);
    });
  }

  test('metadata in the order of its keys', () => {
    const file = safetensors.save({}, { z: '1', format: 'pt', 10: 'x', 2: 'y' });
    expect(new TextDecoder().decode(file.slice(8)).trimEnd()).toBe(
      '{"__metadata__":{"10":"x","2":"y","format":"pt","z":"1"}}',
    );
  });

  test('parts of one storage are saved as parts', () => {
    const x = torch.arange(8, { dtype: torch.float32 });
    const [first, second] = x.split(4);
    const { file } = recorded.files.find(({ name }: { name: string }) => name === 'parts of one storage');
    expect(Buffer.from(safetensors.save({ first, second })).toString('base64')).toBe(file);
  });

  test('by path; torch.load knows the ending; on other devices', async () => {
    const path = join(temporary, 'x.safetensors');
    const x = torch.arange(6).reshape(2, 3);
    safetensors.save_file({ x }, path);
    expect(safetensors.load_file(path)['x'].tolist()).toEqual(x.tolist());
    expect((torch.load(path) as { x: typeof x }).x.tolist()).toEqual(x.tolist());
    expect(safetensors.load_file(path, 'mtia')['x'].device.type).toBe('mtia');
    expect(safetensors.load_file(path, 'mtia')['x'].tolist()).toEqual(x.tolist());
    expect((torch.load(path, { map_location: 'mtia' }) as { x: typeof x }).x.device.type).toBe('mtia');
    const meta = safetensors.load_file(path, { device: 'meta' })['x'];
    expect(String(meta)).toBe("tensor(..., device='meta', size=(2, 3), dtype=torch.int64)");
    expect((await safetensors.load(new Blob([readFileSync(path)])))['x'].tolist()).toEqual(x.tolist());
    expect(() => torch.load(path, { map_location: () => null })).toThrow(
      'Loading safetensors file with callable map_location is not supported.',
    );
    expect(() => safetensors.load_file(join(temporary, 'none'))).toThrow("[Errno 2] No such file or directory: '");
  });

  test('from mtia', () => {
    const x = torch.arange(4, { device: 'mtia' });
    expect(safetensors.load(safetensors.save({ x }))['x'].tolist()).toEqual([0, 1, 2, 3]);
  });
});

describe('damaged', () => {
  for (const { name, file, ...said } of recorded.damaged) {
    test(name, () => {
      const exact = !/in header/.test(said.text);
      // Of two that overlap the package names either.
      if (name === 'overlap') said.text = said.text.replace(/`[ab]`/, '`b`');
      expectSaid(() => safetensors.load(bytesOf(file)), said, exact);
    });
  }

  test('dtypes that are not there', () => {
    const header = '{"a":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}}';
    const file = Buffer.concat([
      Buffer.from([header.length, 0, 0, 0, 0, 0, 0, 0]),
      Buffer.from(header),
      Buffer.alloc(8),
    ]);
    expect(() => safetensors.load(file)).toThrow(torch.NotImplementedError);
    expect(() => safetensors.load(file)).toThrow('tensor `a` is of the dtype F8_E4M3');
  });
});

test('what cannot be saved', () => {
  const { refused } = recorded;
  const x = torch.ones(4);
  const save = safetensors.save as (...args: unknown[]) => unknown;
  expectSaid(() => save({ a: x, b: x }), refused.shared);
  expectSaid(() => save({ a: torch.ones(2, 3).t() }), refused['not contiguous']);
  expectSaid(() => save([x]), refused['a list']);
  expectSaid(() => save({ a: 1 }), refused['a number']);
  expectSaid(() => save({ a: torch.ones(2, { device: 'meta' }) }), refused.meta);
  expectSaid(() => save({ a: x }, { k: 1 }), refused.metadata);
});

describe('models', () => {
  const { tied, untied, another } = recorded.models;
  const path = join(temporary, 'tied.safetensors');
  const make = () => {
    const [first, second] = [new nn.Linear(2, 2), new nn.Linear(2, 2)];
    second.weight = first.weight;
    return new nn.Sequential(first, second);
  };

  test('shared parameters are saved once', () => {
    writeFileSync(path, bytesOf(tied.file));
    const model = make();
    const [missing, unexpected] = safetensors.load_model(model, path);
    expect([missing.sort(), unexpected.sort()]).toEqual([tied.missing, tied.unexpected]);
    expect(described(model.state_dict())).toEqual(asInJavaScript(tied.state));
    const again = join(temporary, 'again.safetensors');
    safetensors.save_model(model, again);
    expect(readFileSync(again).toString('base64')).toBe(tied.file);
    safetensors.save_model(model, again, { metadata: { by: 'test' } });
    expect(readFileSync(again, 'utf8')).toContain('{"__metadata__":{"1.weight":"0.weight","by":"test"}');
  });

  test('what does not fit', () => {
    writeFileSync(path, bytesOf(tied.file));
    const other = new nn.Sequential(new nn.Linear(2, 2), new nn.Linear(2, 2));
    expectSaid(() => safetensors.load_model(other, path), untied);
    expectSaid(() => safetensors.load_model(new nn.Linear(2, 2), path), another);
    expect(safetensors.load_model(new nn.Linear(2, 2), path, { strict: false })[0].sort()).toEqual(['bias', 'weight']);
  });
});
