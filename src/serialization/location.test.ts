/** `map_location`, and what is read. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import torch, { type Tensor } from '../index.ts';

const temporary = mkdtempSync(join(tmpdir(), 'torch-mtia-'));
afterAll(() => rmSync(temporary, { recursive: true }));

const file = torch.save({ a: torch.arange(3), b: torch.arange(2, { device: 'mtia' }) });
const load = (map_location: unknown) => {
  const loaded = torch.load(file, { map_location } as never) as Record<'a' | 'b', Tensor>;
  return [String(loaded.a.device), String(loaded.b.device)];
};

describe('map_location', () => {
  test('none, a device, a dict, a Map', () => {
    expect(load(null)).toEqual(['cpu', 'mtia:0']);
    expect(load('cpu')).toEqual(['cpu', 'cpu']);
    expect(load('mtia')).toEqual(['mtia:0', 'mtia:0']);
    expect(load(torch.device('mtia', 0))).toEqual(['mtia:0', 'mtia:0']);
    expect(load({ 'mtia:0': 'cpu' })).toEqual(['cpu', 'cpu']);
    expect(load({ cpu: torch.device('meta') })).toEqual(['meta', 'mtia:0']);
    expect(load(new Map([['cpu', 'mtia']]))).toEqual(['mtia:0', 'mtia:0']);
  });

  test('by position', () => {
    const both = (...args: unknown[]) => {
      const loaded = (torch.load as (...all: unknown[]) => unknown)(file, ...args) as Record<'a' | 'b', Tensor>;
      return [String(loaded.a.device), String(loaded.b.device)];
    };
    expect(both('cpu')).toEqual(['cpu', 'cpu']);
    expect(both({ 'mtia:0': 'cpu' })).toEqual(['cpu', 'cpu']);
    expect(both({ 'mtia:0': 'cpu' }, { weights_only: true })).toEqual(['cpu', 'cpu']);
    expect(both({}, {})).toEqual(['cpu', 'mtia:0']);
  });

  test('a function of a storage and its tag', () => {
    const seen: [number, string][] = [];
    const where = load((storage: { nbytes: number; mtia(): unknown }, location: string) => {
      seen.push([storage.nbytes, location]);
      return location === 'cpu' ? storage.mtia() : storage;
    });
    expect(where).toEqual(['mtia:0', 'cpu']);
    expect(seen).toEqual([[24, 'cpu'], [16, 'mtia:0']]); // biome-ignore format: pairs
    expect(load(() => null)).toEqual(['cpu', 'mtia:0']);
    expect(() => load(() => 5)).toThrow('map_location must return a storage or null, not int');
  });

  test('devices that are not there', () => {
    expect(() => load('cuda')).toThrow(
      'Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False.',
    );
    expect(() => load('mtia:7')).toThrow(
      'Attempting to deserialize object on MTIA device 7 but torch.mtia.device_count() is 1.',
    );
    expect(() => load(5)).toThrow("'int' object is not callable");
  });

  test('values are right on every device, and views share', () => {
    const x = torch.arange(6).reshape(2, 3);
    const [a, b] = torch.load(torch.save([x, x.t()]), { map_location: 'mtia' }) as Tensor[];
    a.mul_(2);
    expect(b.tolist()).toEqual([[0, 6], [2, 8], [4, 10]]); // biome-ignore format: a matrix
  });
});

describe('where it comes from', () => {
  const x = torch.arange(3);
  const bytes = torch.save(x);

  test('bytes of any sort, Blobs', async () => {
    const same = (y: unknown) => expect((y as Tensor).tolist()).toEqual([0, 1, 2]);
    same(torch.load(bytes));
    same(torch.load(Buffer.from(bytes)));
    same(torch.load(bytes.buffer));
    same(torch.load(new DataView(bytes.buffer)));
    same(torch.load(Uint8Array.from([9, ...bytes]).subarray(1)));
    const shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(shared).set(bytes);
    same(torch.load(shared));
    same(await torch.load(new Blob([bytes as BlobPart])));
    same(await torch.load(new File([bytes as BlobPart], 'x.pt'), 'cpu'));
    await expect(torch.load(new Blob(['garbage']))).rejects.toThrow('Weights only load failed.');
  });

  test('nothing of the sort, nothing there', () => {
    const load = torch.load as (f: unknown) => unknown;
    expect(() => load(5)).toThrow("'int' object has no attribute 'seek'.");
    expect(() => load([1])).toThrow("'list' object has no attribute 'seek'.");
    expect(() => load(join(temporary, 'none.pt'))).toThrow(torch.FileNotFoundError);
    expect(() => load(join(temporary, 'none.pt'))).toThrow(/^\[Errno 2\] No such file or directory: '.*none\.pt'$/);
    expect(() => load(temporary)).toThrow(/^\[Errno 21\] Is a directory: '/);
    expect(() => load(new URL('https://example.org/x.pt'))).toThrow('fetch it, and give the bytes');
  });

  test('a large file onto the meta device is not read', () => {
    const path = join(temporary, 'large.pt');
    torch.save({ big: torch.zeros(1 << 20), small: torch.ones(2) }, path);
    const { big } = torch.load(path, 'meta') as Record<string, Tensor>;
    expect(big.shape.toString()).toBe('torch.Size([1048576])');
    // Damaged where the large tensor lies: nobody looks.
    const damaged = readFileSync(path);
    damaged[1 << 20] ^= 1;
    expect(() => torch.load(damaged, 'meta')).not.toThrow();
    expect(() => torch.load(damaged)).toThrow('CRC-32 check failed');
  });
});

test('a graph is not saved, requires_grad is', () => {
  const x = torch.ones(2, { requires_grad: true });
  const y = torch.load(torch.save(x.mul(2))) as Tensor;
  expect([y.requires_grad, y.is_leaf]).toEqual([true, true]);
});

test('what a load holds is let go of again', () => {
  const before = torch.mtia.memory_allocated();
  const big = torch.save(torch.zeros(1 << 16));
  const x = torch.load(big, 'mtia') as Tensor;
  expect(torch.mtia.memory_allocated() - before).toBe(4 << 16);
  x.dispose();
  expect(torch.mtia.memory_allocated()).toBe(before);
});

test('the name of what was loaded is in messages about memory', () => {
  const x = torch.load(torch.save(torch.zeros(64, 32)), 'mtia') as Tensor;
  expect(() => torch.mtia.configure({ devices: 1 })).toThrow(/float32 \[64, 32\].*made by torch\.load/);
  x.dispose();
});
