/**
 * The ordering rules of a device's queue, seen through tensors: whatever the program does while launches are still
 * waiting, every launch sees what it would have seen if each had run at once. Two devices, launches in a worker and
 * inline.
 */
import torch, { type Tensor } from 'torch-mtia';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseDevice } from '../src/core/device.ts';
import { backendFor } from '../src/devices/registry.ts';

const SMALL = 1000;
/** More than travels in the ring. */
const LARGE = 300_000;

describe.each(['worker', 'inline'] as const)('%s', (executor) => {
  beforeAll(() => {
    torch.mtia.configure({ devices: 2, executor });
  });

  /** Some 30 ms of work, or a multiple, that everything later has to wait for. */
  function busy(device: string, factor = 1): Tensor {
    let x = torch.eye(384, { device });
    const y = torch.eye(384, { device });
    for (let i = 0; i < 30 * factor; i++) x = x.matmul(y);
    return x;
  }
  const isBusy = (device: string) => !(backendFor(parseDevice(device)) as unknown as { isIdle: boolean }).isIdle;
  /** Does something with a queue before it; in a worker that must still be there afterwards, so it may take a longer one. */
  function behind<T>(device: string, action: () => T): T {
    for (let factor = 1; ; factor *= 2) {
      const work = busy(device, factor);
      const result = action();
      const stillBusy = executor === 'inline' || isBusy(device);
      expect(work.sum().item()).toBe(384);
      if (stillBusy) return result;
      if (factor === 16) throw new Error('the queue was never deep');
    }
  }
  const filled = (n: number, value: number) => new Float32Array(n).fill(value);
  const all = (x: Tensor, value: number) => expect(x.eq(value).all().item()).toBe(true);

  test.each([1, SMALL])('an array of %i that changes right after it was given', (n) => {
    const x = behind('mtia', () => {
      const source = filled(n, 1);
      const x = torch.tensor(source, { device: 'mtia' });
      source.fill(2);
      return x;
    });
    all(x, 1);
  });

  test('a large array, and a tensor of the cpu, that change right after', () => {
    busy('mtia');
    const source = filled(LARGE, 1);
    const x = torch.tensor(source, { device: 'mtia' });
    source.fill(2);
    const host = torch.full([LARGE], 3);
    const y = host.to('mtia');
    host.fill_(4);
    const z = torch.zeros(LARGE, { device: 'mtia' });
    host.fill_(5);
    z.copy_(host);
    host.fill_(6);
    all(x, 1);
    all(y, 3);
    all(z, 5);
  });

  test.each([SMALL, LARGE])('what is disposed of while launches wait to read it, %i', (n) => {
    const sums: Tensor[] = [];
    const work = busy('mtia');
    for (let i = 0; i < 50; i++) {
      const x = torch.full([n], i, { device: 'mtia' });
      const twice = x.add(x);
      x.dispose();
      // Takes the place of x, and must come after the launch that reads x.
      const other = torch.full([n], -1, { device: 'mtia' });
      sums.push(twice.mean());
      twice.dispose();
      other.dispose();
    }
    expect(sums.map((sum) => sum.item())).toEqual(sums.map((_, i) => 2 * i));
    expect(work.sum().item()).toBe(384);
  });

  test('the end of a scope, and of `using`, with launches waiting', () => {
    const results = behind('mtia', () =>
      Array.from({ length: 50 }, (_, i) =>
        torch.scope(() => {
          const x = torch.full([SMALL], i, { device: 'mtia' });
          const y = x.mul(3);
          const guard = torch.full([SMALL], 9, { device: 'mtia' });
          const z = y.add(guard);
          guard[Symbol.dispose]();
          torch.full([SMALL], 7, { device: 'mtia' });
          return z;
        }),
      ),
    );
    for (const [i, z] of results.entries()) all(z, 3 * i + 9);
  });

  test('what is dropped and found by a sweep with launches waiting', () => {
    const work = busy('mtia');
    const make = (i: number) => torch.full([LARGE], i, { device: 'mtia' }).add(1).mean();
    const means: Tensor[] = [];
    for (let i = 0; i < 40; i++) {
      means.push(make(i));
      if (i % 10 === 9) torch.mtia.memory.allocated();
    }
    expect(means.map((mean) => mean.item())).toEqual(means.map((_, i) => i + 1));
    expect(work.sum().item()).toBe(384);
  });

  test.each([
    ['mtia:0', 'mtia:1'],
    ['mtia:1', 'mtia:0'],
    ['mtia:0', 'cpu'],
    ['cpu', 'mtia:1'],
  ])('copies from %s to %s between waiting launches of both', (from, to) => {
    for (const n of [SMALL, LARGE]) {
      const held = [from, to].filter((device) => device !== 'cpu').map(busy);
      const x = torch.full([n], 1, { device: from });
      const y = torch.full([n], 10, { device: to });
      const old = y.add(0);
      for (let i = 0; i < 5; i++) {
        x.add_(1);
        y.copy_(x);
        x.mul_(100);
        y.add_(1);
        x.div_(100);
      }
      const z = x.to(to);
      x.fill_(-5);
      all(old, 10);
      all(y, 7);
      all(z, 6);
      all(x, -5);
      for (const work of held) expect(work.sum().item()).toBe(384);
    }
  });

  test('a ring of copies between devices, while both work', () => {
    let x = torch.arange(LARGE);
    const held: Tensor[] = [];
    for (let i = 0; i < 12; i++) {
      const device = ['mtia:0', 'mtia:1', 'cpu'][i % 3];
      if (device !== 'cpu') held.push(busy(device));
      const here = x.to(device);
      x = here.add(1);
      here.dispose();
    }
    expect(x.sub(torch.arange(LARGE)).eq(12).all().item()).toBe(true);
    expect(held.every((work) => work.sum().item() === 384)).toBe(true);
  });

  test('reads in every form wait for what was asked before', () => {
    const reads: ((x: Tensor) => number)[] = [
      (x) => x.select(0, 0).item() as number,
      (x) => (x.tolist() as number[])[0],
      (x) => x.toTypedArray()[0] as number,
      (x) => x.to('cpu').select(0, 0).item() as number,
      (x) => torch.zeros(SMALL).copy_(x).select(0, 0).item() as number,
      (x) => (JSON.parse(JSON.stringify(x)) as number[])[0],
      (x) => Number(/\[\s*([\d.]+)/.exec(String(x))![1]),
    ];
    const x = torch.zeros(SMALL, { device: 'mtia' });
    reads.forEach((read, i) => {
      const work = busy('mtia');
      x.add_(work.select(0, 0).select(0, 0));
      expect(read(x)).toBe(i + 1);
    });
  });

  test('in-place changes, views and gradients of what waits', () => {
    const w = torch.ones(SMALL, { device: 'mtia', requires_grad: true });
    const gradient = behind('mtia', () => {
      const y = w.mul(2);
      const view = y.narrow(0, 0, 10);
      view.mul_(3);
      const loss = y.mul(y).sum();
      loss.backward();
      y.dispose();
      loss.dispose();
      torch.no_grad(() => w.fill_(5));
      return w.grad!.clone();
    });
    const expected = Array.from({ length: SMALL }, (_, i) => (i < 10 ? 2 * 6 * 6 : 2 * 2 * 2));
    expect(gradient.tolist()).toEqual(expected);
    all(w.detach(), 5);
  });

  test('a fault in the middle: what came before and after it has run', () => {
    const x = torch.zeros(SMALL, { device: 'mtia' });
    const index = torch.tensor([5000n], { device: 'mtia' });
    busy('mtia');
    x.add_(1);
    const nothing = x.index_select(0, index);
    x.add_(1);
    expect(nothing.shape).toEqual([1]);
    expect(() => torch.mtia.synchronize()).toThrow(new torch.IndexError('index out of range in self'));
    all(x, 2);
  });
});
