import { afterEach, describe, expect, test, vi } from 'vitest';
import torch from '../index.ts';
import { namedTuple } from '../ops/named-tuple.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { pinMemory } from './pin-memory.ts';

const { DataLoader, TensorDataset } = torch.utils.data;
const x = () => torch.arange(3);

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test('every tensor of a batch is pinned, wherever it is; the rest stays', () => {
  const other = new Date(0);
  const batch = pinMemory({ a: x(), list: [x(), 'text', 3], map: new Map([['k', x()]]), other, none: null });
  expect(batch.a.is_pinned()).toBe(true);
  expect((batch.list[0] as Tensor).is_pinned()).toBe(true);
  expect((batch.list[0] as Tensor).tolist()).toEqual([0, 1, 2]);
  expect(batch.list.slice(1)).toEqual(['text', 3]);
  expect(batch.map.get('k')!.is_pinned()).toBe(true);
  expect(batch.other).toBe(other);
  expect(batch.none).toBe(null);
});

test('named tuples keep their names; what can pin itself does', () => {
  const pair = pinMemory(namedTuple(['values', 'indices'], [x(), x()]));
  expect(pair.values).toBe(pair[0]);
  expect(pair.indices.is_pinned()).toBe(true);
  class Batch {
    constructor(readonly data: Tensor) {}
    pin_memory(): Batch {
      return new Batch(this.data.pin_memory());
    }
  }
  expect(pinMemory(new Batch(x())).data.is_pinned()).toBe(true);
});

test('a pinned tensor is itself', () => {
  const pinned = x().pin_memory();
  expect(pinMemory(pinned)).toBe(pinned);
});

describe('DataLoader', () => {
  const data = new TensorDataset(torch.arange(5), torch.ones(5, 2));

  test.each([2, null])('batches with pin_memory are pinned (batch_size %s)', (batch_size) => {
    for (const batch of new DataLoader(data, { batch_size, pin_memory: true })) {
      for (const part of batch) expect(part.is_pinned()).toBe(true);
    }
    for (const [part] of new DataLoader(data, { batch_size })) expect(part.is_pinned()).toBe(false);
  });

  test('pin_memory and pin_memory_device can be read, the latter is deprecated', () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const loader = new DataLoader(data, { pin_memory: true, pin_memory_device: 'cuda' });
    expect([loader.pin_memory, loader.pin_memory_device]).toEqual([true, 'cuda']);
    expect(warned).not.toHaveBeenCalled();
    for (const _ of loader) break;
    expect(String(warned.mock.calls[0])).toBe(
      "UserWarning: pin_memory_device is deprecated, the current accelerator will be used as the device,ignore pin_memory_device='cuda'.",
    );
  });

  test('without an accelerator it warns and does not pin', async () => {
    vi.stubEnv('MTIA_DEVICE_COUNT', '0');
    vi.resetModules();
    const torch = (await import('../index.ts')).default;
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { DataLoader, TensorDataset } = torch.utils.data;
    const [[part]] = new DataLoader(new TensorDataset(torch.ones(1)), { pin_memory: true });
    expect(part.is_pinned()).toBe(false);
    expect(String(warned.mock.calls[0])).toBe(
      "UserWarning: 'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used.",
    );
  });
});
