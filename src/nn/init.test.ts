/** Default weights and nn.init draw PyTorch's numbers, on every device. */
import { describe, expect, test } from 'vitest';
import { device } from '../../tests/device.ts';
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { errorOf, expectTensor, fixtures } from './fixtures.testing.ts';
import type { Module } from './module.ts';

const { nn } = torch;
type Anything = Record<string, (...args: unknown[]) => unknown>;

describe(`default weights on ${device}`, () => {
  test.each(fixtures.layers)('$name $args $kwargs', ({ name, args, kwargs, state }) => {
    const Layer = nn[name as 'Linear'] as unknown as new (...args: unknown[]) => Module;
    torch.manual_seed(0);
    const layer = new Layer(...args, { ...kwargs, device });
    expect(Object.keys(layer.state_dict())).toEqual(Object.keys(state));
    for (const [key, value] of Object.entries(layer.state_dict())) {
      expect(value.device.type).toBe(device);
      expectTensor(key, value, state[key], 1e-7);
    }
  });
});

describe(`nn.init on ${device}`, () => {
  test.each(fixtures.init)('$name $args $kwargs $shape', ({ name, args, kwargs, shape, result }) => {
    torch.manual_seed(0);
    const x = torch.empty(shape, { device, requires_grad: true });
    const filled = (nn.init as unknown as Anything)[name](x, ...args, kwargs) as Tensor;
    expect(filled).toBe(x);
    expect(x.grad_fn).toBeNull();
    expectTensor(name, x, result, 1e-6);
  });

  test('eye_', () => {
    const x = nn.init.eye_(torch.empty(3, 5, { device }));
    expect(x.equal(torch.eye(3, 5, { device }))).toBe(true);
    const turned = torch.empty(3, 5, { device }).t();
    expect(nn.init.eye_(turned).equal(torch.eye(5, 3, { device }))).toBe(true);
  });

  test('another generator', () => {
    const draw = () =>
      nn.init.uniform_(torch.empty(4, { device }), { generator: new torch.Generator(device).manual_seed(5) }).tolist();
    const first = draw();
    torch.manual_seed(9);
    expect(draw()).toEqual(first);
  });
});

describe('calculate_gain', () => {
  test('values', () => {
    expect(nn.init.calculate_gain('relu')).toBe(Math.sqrt(2));
    expect(nn.init.calculate_gain('tanh')).toBe(5 / 3);
    expect(nn.init.calculate_gain('leaky_relu', 0.2)).toBeCloseTo(1.3867504905630728, 15);
  });

  test('what is not known', () => {
    expect(errorOf(() => nn.init.calculate_gain('swish' as 'relu'))).toBe('ValueError: Unsupported nonlinearity swish');
    expect(errorOf(() => nn.init.kaiming_uniform_(torch.empty(2, 2), { mode: 'fan' as 'fan_in' }))).toBe(
      "ValueError: Mode fan not supported, please use one of ['fan_in', 'fan_out']",
    );
    expect(errorOf(() => nn.init.xavier_uniform_(torch.empty(2)))).toBe(
      'ValueError: Fan in and fan out can not be computed for tensor with fewer than 2 dimensions',
    );
  });
});
