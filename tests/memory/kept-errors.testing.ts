/**
 * A program for `kept-errors.test.ts`: out-of-memory errors from many places are kept, and what is allocated beside them is read in
 * each handler. Prints that, by place, in bytes beyond what was allocated before.
 */
import torch from '../../src/index.ts';
import type { Tensor } from '../../src/tensor/tensor.ts';

const { nn, optim } = torch;
const device = 'mtia';
const MIB = 1024 ** 2;
torch.mtia.configure({ memory: '100MiB' });

const model = new nn.Sequential(new nn.Linear(1024, 1024), new nn.GELU(), new nn.Linear(1024, 1024)).to(device);
const large = (mib: number): Tensor => torch.ones(mib / 4, 1024, 1024, { device });

const places: Record<string, () => unknown> = {
  'an operation': () => large(40).add(large(24).sum(0)).mul(large(24).sum()).exp(),
  'an operation of tensors in arrays': () => torch.cat([large(24), large(24), large(4)]),
  'a model': () => model(torch.ones(8192, 1024, { device })),
  backward: () => {
    const x = large(20).requires_grad_();
    x.exp().mul(x.tanh()).sum().backward();
  },
  'a hook': () => {
    const x = large(20).requires_grad_();
    x.register_hook((grad) => grad.add(large(40)));
    x.mul(2).sum().backward();
  },
  'an optimizer': () => {
    const x = large(24).requires_grad_();
    x.sum().backward();
    new optim.Adam([x]).step();
  },
  'a nested function': () => {
    const inner = (x: Tensor, depth: number): Tensor => (depth === 0 ? x.add(large(60)) : inner(x.mul(1), depth - 1));
    return inner(large(20), 3);
  },
};

const kept: unknown[] = [];
const result: Record<string, number> = {};
let before = 0;

function attempt(name: string): void {
  try {
    places[name]();
    result[name] = Number.NaN;
  } catch (error) {
    kept.push(error);
    result[name] = torch.mtia.memory_allocated() - before;
  }
}

before = torch.mtia.memory_allocated();
for (const name of Object.keys(places)) attempt(name);
const errors = kept.filter((error) => error instanceof torch.OutOfMemoryError).length;
const works =
  torch
    .ones(20 * MIB, { device, dtype: torch.uint8 })
    .sum()
    .item() ===
  20 * MIB;
console.log(JSON.stringify({ result, errors, works }));
