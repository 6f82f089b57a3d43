/** What PyTorch 2.13 does under no_grad, inference_mode and their kin. */
import { describe, expect, test } from 'vitest';
import { device } from '../../tests/device.ts';
import torch from '../index.ts';

const leaf = () => torch.tensor([1, 2], { device, requires_grad: true });
const ones = () => torch.ones(2, { device });

const NO_GRAD = 'A view was created in no_grad mode and is being modified inplace with grad mode enabled.';
const NO_GRAD_BASE =
  'A view was created in no_grad mode and its base or another view of its base has been modified inplace with grad mode enabled.';

describe('no_grad', () => {
  test('nothing is recorded, in any of its forms', () => {
    const x = leaf();
    expect(torch.no_grad(() => x.mul(2).requires_grad)).toBe(false);
    const guard = torch.no_grad();
    expect([x.mul(2).requires_grad, torch.is_grad_enabled()]).toEqual([false, false]);
    expect(torch.enable_grad(() => x.mul(2).requires_grad)).toBe(true);
    guard.exit();
    expect(x.mul(2).requires_grad).toBe(true);
    torch.set_grad_enabled(false);
    expect(x.mul(2).requires_grad).toBe(false);
    torch.set_grad_enabled(true);
    expect(torch.set_grad_enabled(false, () => x.mul(2).requires_grad)).toBe(false);
  });

  test('a view made there requires grad, has no node, and may not be changed outside', () => {
    const x = leaf();
    const w = torch.no_grad(() => x.view(-1));
    expect([w.requires_grad, w._is_view(), w.grad_fn]).toEqual([true, true, null]);
    expect(() => w.mul_(2)).toThrow(NO_GRAD);
    const v = torch.no_grad(() => x.mul(1).requires_grad_().view(-1));
    expect(() => v.mul_(2)).toThrow(NO_GRAD);
  });

  test('a view of a computed tensor', () => {
    const y = leaf().mul(1);
    const w = torch.no_grad(() => y.view(-1));
    expect([w.requires_grad, w.grad_fn]).toEqual([true, null]);
    torch.no_grad(() => w.mul_(2));
    expect(() => w.grad_fn).toThrow(NO_GRAD_BASE);
    const plain = ones();
    const p = torch.no_grad(() => plain.view(-1));
    expect(() => p.mul_(leaf())).toThrow(NO_GRAD);
  });

  test('a leaf may be changed there', () => {
    const x = leaf();
    torch.no_grad(() => x.mul_(3));
    expect([x.tolist(), x._version, x.is_leaf]).toEqual([[3, 6], 1, true]);
  });
});

describe('inference_mode', () => {
  test('what is made there is an inference tensor, views of others are not', () => {
    const x = leaf();
    torch.inference_mode(() => {
      const i = ones();
      expect([i.is_inference(), i.mul(2).is_inference(), x.mul(2).requires_grad]).toEqual([true, true, false]);
      const v = x.view(-1);
      expect([v.is_inference(), v.requires_grad, v._is_view()]).toEqual([false, true, true]);
      expect(torch.ones(2, { device, requires_grad: true }).requires_grad).toBe(true);
      expect([torch.is_grad_enabled(), torch.is_inference_mode_enabled()]).toEqual([false, true]);
      expect(torch.enable_grad(() => x.mul(2).requires_grad)).toBe(false);
      expect(torch.inference_mode(false, () => [x.mul(2).requires_grad, torch.is_grad_enabled()])).toEqual([
        true,
        true,
      ]);
    });
    expect([torch.is_grad_enabled(), torch.is_inference_mode_enabled()]).toEqual([true, false]);
  });

  test('its tensors outside', () => {
    const x = leaf();
    const i = torch.inference_mode(() => ones());
    expect([i.add(1).requires_grad, i.add(x).requires_grad]).toEqual([false, true]);
    expect(() => i.mul(x)).toThrow('Inference tensors cannot be saved for backward.');
    expect(() => i.add_(1)).toThrow('Inplace update to inference tensor outside InferenceMode is not allowed.');
    expect(() => i.requires_grad_()).toThrow(
      'Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.',
    );
    expect(() => i._version).toThrow('Inference tensors do not track version counter.');
    expect([i.view(-1).is_inference(), i.detach().is_inference(), i.clone().is_inference()]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('normal tensors inside', () => {
    const n = ones();
    const v = torch.inference_mode(() => {
      n.add_(1);
      return n.view(-1);
    });
    expect([n._version, v.is_inference(), v._is_view()]).toEqual([1, false, true]);
    expect(v.add_(1).tolist()).toEqual([3, 3]);
    expect(n.tolist()).toEqual([3, 3]);
  });
});

test('contexts: a promise is refused, and so is leaving out of order', () => {
  expect(() => torch.no_grad(async () => 1)).toThrow(/using _ = torch\.no_grad\(\)/);
  expect(torch.is_grad_enabled()).toBe(true);
  const a = torch.no_grad();
  const b = torch.enable_grad();
  expect(() => a.exit()).toThrow(torch.RuntimeError);
  b.exit();
  a.exit();
  expect(torch.is_grad_enabled()).toBe(true);
});
