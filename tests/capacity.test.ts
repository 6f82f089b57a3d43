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
  if (accelerator) torch.mtia.configure({ memory: 4 * MIB });
});

const ones = (mib: number, columns = 1024) => torch.ones((mib * MIB) / 4 / columns, columns, { device });

/** Each holds up to 3 MiB and wants 2 more. */
const CASES: [name: string, operation: string, program: () => unknown][] = [
  ['a factory', 'zeros', () => [ones(3), torch.zeros(MIB / 2, { device })]],
  ['a unary operation', 'exp', () => ones(2.5).exp()],
  ['a binary operation', 'add', () => ((x) => x.add(x))(ones(2.5))],
  ['one with a number', 'mul', () => ones(2.5).mul(2)],
  ['one that broadcasts', 'add', () => ones(2.5).add(ones(0.25).select(0, 0))],
  ['after views, which allocate nothing', 'exp', () => ones(2.5).t().narrow(0, 0, 900).exp()],
  ['a reduction', 'cumsum', () => ones(2.5).cumsum(0)],
  ['one made of others', 'linear', () => F.linear(torch.ones(1024, 8, { device }), torch.ones(1024, 8, { device }))],
  ['a copy to the device', 'to', () => ((held) => [held, torch.ones(MIB / 2).to(device)])(ones(3))],
  [
    'a derivative',
    'ExpBackward0',
    () => {
      const x = torch.ones(MIB / 4, { device, requires_grad: true });
      const held = ones(1);
      x.exp().sum().backward();
      return held;
    },
  ],
  [
    'an optimizer',
    'Adam.step',
    () => {
      const model = new nn.Linear(1024, 300, { device });
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
    expect(() => new nn.Linear(2048, 2048).to(device)).toThrow(torch.OutOfMemoryError);
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
    for (let batch = 65_536; ; batch /= 2) {
      tried.push(batch);
      try {
        step(batch);
        break;
      } catch (error) {
        if (!(error instanceof torch.OutOfMemoryError)) throw error;
        expect(torch.ones(4, { device }).sum().item()).toBe(4);
      }
    }
    expect(tried.length).toBeGreaterThan(3);
    expect(tried.at(-1)).toBeGreaterThanOrEqual(1024);
    expect(model.weight.grad!.shape).toEqual([64, 64]);
  });

  test('what is held cannot be used again, what is dropped can', () => {
    const held: Tensor[] = [];
    expect(() => {
      for (;;) held.push(ones(1).add(held.length));
    }).toThrow(torch.OutOfMemoryError);
    expect(held.map((x) => x.select(0, 0).select(0, 0).item())).toEqual(held.map((_, i) => 1 + i));
    const loop = () => {
      for (let i = 0; i < 100; i++) ones(1);
    };
    held.length = 1;
    loop();
    expect(held[0].sum().item()).toBe(MIB / 4);
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
