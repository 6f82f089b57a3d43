/** nll_loss beyond what the fixtures of PyTorch hold: many positions, faults on a queue, the memory of what it saves. */
import { describe, expect, test } from 'vitest';
import { device } from '../../tests/device.ts';
import torch from '../index.ts';

const F = torch.nn.functional;

describe(`nll_loss on ${device}`, () => {
  test('more positions than one thread takes', () => {
    torch.manual_seed(0);
    const [rows, classes, columns] = [300, 3, 200];
    const scores = torch.randn(rows, classes, columns, { device, requires_grad: true });
    const target = torch.randint(0, classes, [rows, columns], { device });
    const each = F.nll_loss(scores, target, { reduction: 'none' });
    const wanted = scores.gather(1, target.unsqueeze(1)).squeeze(1).neg();
    expect(each.equal(wanted)).toBe(true);
    each.sum().backward();
    const grad = scores.grad!;
    expect(grad.sum(1).eq(-1).all().item()).toBe(true);
    expect(grad.gather(1, target.unsqueeze(1)).eq(-1).all().item()).toBe(true);
    const mean = F.nll_loss(scores, target);
    expect(mean.item()).toBeCloseTo(wanted.to(torch.float64).mean().item() as number, 6);
  });

  test('a target out of range leaves the device usable', () => {
    const scores = torch.zeros(2, 3, { device });
    const wrong = torch.tensor([0n, 3n], { device });
    expect(() => F.nll_loss(scores, wrong).item()).toThrow('Target 3 is out of bounds.');
    expect(F.nll_loss(scores.add(1), torch.tensor([0n, 2n], { device })).item()).toBe(-1);
  });

  test('floats as targets are told the way out', () => {
    expect(() => F.nll_loss(torch.zeros(2, 3, { device }), torch.tensor([0, 1], { device }))).toThrow(
      'expected target dtype to be Long or Byte, but got Float (in JavaScript numbers make float tensors; write { dtype: torch.int64 }, or bigints: [0n, 2n])',
    );
  });
});
