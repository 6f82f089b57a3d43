/** Without Node.js' modules, as in a browser: bytes in, bytes out. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import torch, { type Tensor } from '../index.ts';

const host = process as unknown as { getBuiltinModule?: unknown };
const { getBuiltinModule } = host;
beforeAll(() => {
  // What was made with them stays: threads, for example.
  torch.ones(1).add(1);
  host.getBuiltinModule = undefined;
});
afterAll(() => {
  host.getBuiltinModule = getBuiltinModule;
});

test('saving gives bytes, loading takes them', async () => {
  const x = torch.arange(6).reshape(2, 3);
  const bytes = torch.save({ x, y: x.t() });
  const { y } = torch.load<Record<string, Tensor>>(bytes);
  expect(y.tolist()).toEqual([[0, 3], [1, 4], [2, 5]]); // biome-ignore format: a matrix
  const blob = new Blob([bytes as BlobPart]);
  expect((await torch.load<Record<string, Tensor>>(blob)).x.tolist()).toEqual(x.tolist());
  // Within the pickle.
  bytes[100] ^= 1;
  expect(() => torch.load(bytes)).toThrow('CRC-32 check failed');
});

test('a path says what to do instead', () => {
  expect(() => torch.load('x.pt')).toThrow(
    'torch.load of a path needs Node.js: here there are no files. Give the bytes instead',
  );
  expect(() => torch.save(1, 'x.pt')).toThrow('torch.save of a path needs Node.js');
  expect(() => torch.safetensors.load_file('x')).toThrow('safetensors.load_file of a path needs Node.js');
});

test('safetensors', () => {
  const bytes = torch.safetensors.save({ x: torch.ones(2) });
  expect(torch.safetensors.load(bytes)['x'].tolist()).toEqual([1, 1]);
});
