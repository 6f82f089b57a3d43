/**
 * A device that is too small: the error names the operation that found no room, and whoever catches it can go on, also
 * in the handler.
 */
import torch, { type Tensor } from 'torch-mtia';
import { beforeEach, expect, test } from 'vitest';
import { device } from './device.ts';

const MIB = 1024 ** 2;
const { nn, optim } = torch;
const F = nn.functional;
const accelerator = device === 'mtia';

beforeEach(() => {
  if (accelerator) torch.mtia.configure({ memory: 40 * MIB });
});

/** From 10 MiB on each has a segment of its own, smaller ones share segments of 20 MiB or, up to 1 MiB, 2 MiB. */
const ones = (mib: number, columns = 1024) => torch.ones((mib * MIB) / 4 / columns, columns, { device });

/** Each holds up to 32 MiB and wants 10 more at least. */
const CASES: [name: string, operation: string, program: () => unknown][] = [
  ['a factory', 'zeros', () => [ones(24), torch.zeros(5 * MIB, { device })]],
  ['a unary operation', 'exp', () => ones(24).exp()],
  ['a binary operation', 'add', () => ((x) => x.add(x))(ones(24))],
  ['one with a number', 'mul', () => ones(24).mul(2)],
  ['one that broadcasts', 'add', () => ones(24).add(ones(0.25).select(0, 0))],
  ['after views, which allocate nothing', 'exp', () => ones(24).t().narrow(0, 0, 900).exp()],
  ['a reduction', 'cumsum', () => ones(24).cumsum(0)],
  ['one made of others', 'linear', () => F.linear(torch.ones(8192, 8, { device }), torch.ones(1280, 8, { device }))],
  ['a copy to the device', 'to', () => ((held) => [held, torch.ones(5 * MIB).to(device)])(ones(24))],
  [
    'a derivative',
    'ExpBackward0',
    () => {
      const x = torch.ones(2.5 * MIB, { device, requires_grad: true });
      const held = ones(10);
      x.exp().sum().backward();
      return held;
    },
  ],
  [
    'an optimizer',
    'Adam.step',
    () => {
      const model = new nn.Linear(1024, 2560, { device });
      model(torch.ones(1, 1024, { device }))
        .sum()
        .backward();
      new optim.Adam(model.parameters()).step();
    },
  ],
];

if (accelerator) {
  test.each(CASES)('%s: %s is named', (_, operation, program) => {
    const failing = () => program();
    expect(failing).toThrow(torch.OutOfMemoryError);
    expect(failing).toThrow(`The allocation was made by ${operation}.`);
    expect(torch.ones(4, { device }).sum().item()).toBe(4);
  });

  test('a model that does not fit; the device goes on', () => {
    expect(() => new nn.Linear(4096, 3072).to(device)).toThrow(torch.OutOfMemoryError);
    expect(torch.mtia.memory.allocated()).toBe(0);
    expect(new nn.Linear(256, 256).to(device)(torch.ones(1, 256, { device })).shape).toEqual([1, 256]);
  });

  test('halving the batch in the handler until it fits', () => {
    const model = new nn.Linear(64, 64, { device });
    const step = (batch: number) => {
      model.zero_grad();
      model(torch.ones(batch, 64, { device }))
        .exp()
        .sum()
        .backward();
    };
    const tried: number[] = [];
    for (let batch = 524_288; ; batch /= 2) {
      tried.push(batch);
      try {
        step(batch);
        break;
      } catch (error) {
        if (!(error instanceof torch.OutOfMemoryError)) throw error;
        expect(torch.ones(4, { device }).sum().item()).toBe(4);
      }
    }
    // 32,768 rows take three times 8 MiB and go into the segments of 16 MiB that the try before has left.
    expect(tried).toEqual([524_288, 262_144, 131_072, 65_536, 32_768]);
    expect(model.weight.grad!.shape).toEqual([64, 64]);
  });

  test('what is held cannot be used again, what is dropped can', () => {
    const held: Tensor[] = [];
    expect(() => {
      for (;;) held.push(ones(10).add(held.length));
    }).toThrow(torch.OutOfMemoryError);
    expect(held.map((x) => x.select(0, 0).select(0, 0).item())).toEqual(held.map((_, i) => 1 + i));
    const loop = () => {
      for (let i = 0; i < 100; i++) ones(10);
    };
    held.length = 1;
    loop();
    expect(held[0].sum().item()).toBe((10 * MIB) / 4);
  });
}

test('more than the backing store can ever hold', () => {
  if (accelerator) torch.mtia.configure({ memory: '128GiB' });
  const held = torch.arange(10, { device });
  const limit = /the host's backing store cannot hold 8\.00 GiB more.*at most 4\.00 GiB/;
  expect(() => torch.empty(2 ** 31, { device })).toThrow(limit);
  expect(() =>
    torch
      .ones(1, { device })
      .expand(2 ** 31)
      .add(1),
  ).toThrow(limit);
  expect(() => torch.empty([2 ** 40, 2 ** 40], { device })).toThrow(
    'Storage size calculation overflowed with sizes=[1099511627776, 1099511627776]',
  );
  expect(held.sum().item()).toBe(45);
});
