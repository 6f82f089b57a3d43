/** A generator's state as a tensor. */
import { expect, test } from 'vitest';
import torch from '../index.ts';

test('goes on from where it was', () => {
  for (const device of ['cpu', 'mtia']) {
    const generator = new torch.Generator(device).manual_seed(3);
    torch.rand([5], { generator, device });
    const state = generator.get_state();
    expect([state.dtype, state.device.type, state.numel()]).toEqual([torch.uint8, 'cpu', 5056]);
    const next = torch.rand([4], { generator, device }).tolist();
    generator.set_state(state);
    expect(torch.rand([4], { generator, device }).tolist()).toEqual(next);
    const other = new torch.Generator(device);
    other.set_state(state);
    expect(torch.rand([4], { generator: other, device }).tolist()).toEqual(next);
  }
});

test('what is no state', () => {
  const generator = new torch.Generator();
  expect(() => generator.set_state(torch.ones(5056))).toThrow(new TypeError('RNG state must be a torch.ByteTensor'));
  expect(() => generator.set_state(3 as never)).toThrow(new TypeError('expected a torch.ByteTensor, but got int'));
  expect(() => generator.set_state(torch.ones([3], { dtype: torch.uint8 }))).toThrow(
    'Expected a CPUGeneratorImplState of size 5056 but found the input RNG state size to be 3',
  );
});
