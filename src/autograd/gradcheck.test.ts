import { describe, expect, test, vi } from 'vitest';
import { device } from '../../tests/device.ts';
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { FunctionCtx } from '../torch/namespace.ts';

const { gradcheck, gradgradcheck, GradcheckError } = torch.autograd;
const input = (values: number[] = [0.5, 1.5]) =>
  torch.tensor(values, { dtype: torch.float64, device, requires_grad: true });
const end = device === 'cpu' ? ', dtype=torch.float64' : ", device='mtia:0', dtype=torch.float64";

function twice(backward: (g: Tensor) => unknown) {
  class Twice extends torch.autograd.Function {
    static override forward(_ctx: FunctionCtx, x: Tensor): Tensor {
      return x.mul(2);
    }
    static override backward(_ctx: FunctionCtx, g: Tensor): unknown {
      return backward(g);
    }
  }
  return (x: Tensor) => Twice.apply(x);
}
const wrong = twice((g) => g.mul(3));

describe('gradcheck', () => {
  test('right gradients', () => {
    expect(gradcheck((x: Tensor) => x.mul(x), [input()])).toBe(true);
    expect(gradcheck((x: Tensor) => x.mul(x), input())).toBe(true);
    expect(gradcheck((x: Tensor, k: number) => x.pow(k), [input(), 3])).toBe(true);
    expect(gradcheck((x: Tensor) => [x.mul(2), x.exp(), x.gt(1)], [input()])).toBe(true);
    const strided = torch.rand(3, 2, { dtype: torch.float64, device }).t().requires_grad_();
    expect(gradcheck((x: Tensor) => x.mul(x).sum(0), [strided])).toBe(true);
    expect(strided._version).toBe(0);
  });

  test('wrong ones, with both Jacobians', () => {
    expect(() => gradcheck(wrong, [input()])).toThrow(GradcheckError);
    expect(() => gradcheck(wrong, [input()])).toThrow(
      `Jacobian mismatch for output 0 with respect to input 0,\nnumerical:tensor([[2.0000, 0.0000],\n        [0.0000, 2.0000]]${end})\nanalytical:tensor([[3., 0.],\n        [0., 3.]]${end})\n`,
    );
    expect(() => gradcheck((x: Tensor) => [x.mul(2), wrong(x)], [input()])).toThrow(
      'Jacobian mismatch for output 1 with respect to input 0,',
    );
    expect(gradcheck(wrong, [input()], { raise_exception: false })).toBe(false);
    expect(() => gradcheck((x: Tensor) => x.detach(), [input()])).toThrow(
      'Numerical gradient for function expected to be zero',
    );
    expect(gradcheck((x: Tensor) => x.gt(1), [input()])).toBe(true);
  });

  test('eps and tolerances', () => {
    const off = twice((g) => g.mul(2.01));
    expect(gradcheck(off, [input()], { raise_exception: false })).toBe(false);
    expect(gradcheck(off, [input()], { rtol: 0.01 })).toBe(true);
    expect(gradcheck(off, [input()], { rtol: 0, atol: 0.011 })).toBe(true);
    const cube = (x: Tensor) => x.pow(3);
    expect(gradcheck(cube, [input()], { eps: 0.1, raise_exception: false })).toBe(false);
  });

  test('backward that adds, or differs between runs', () => {
    const affine = twice((g) => g.mul(2).add(1e-9));
    expect(() => gradcheck(affine, [input()])).toThrow('backward not multiplied by grad_output');
    let noise = 0;
    const noisy = twice((g) => g.mul(2 + (noise += 1e-9)));
    expect(() => gradcheck(noisy, [input()])).toThrow(
      'Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different values',
    );
    expect(gradcheck(noisy, [input()], { nondet_tol: 1e-6 })).toBe(true);
  });

  test('gradients of another dtype', () => {
    // The engine converts them, as PyTorch's does.
    expect(
      gradcheck(
        twice((g) => g.mul(2).float()),
        [input()],
        { check_grad_dtypes: true },
      ),
    ).toBe(true);
  });

  test('missing gradients', () => {
    class Needy extends torch.autograd.Function {
      static override forward(ctx: FunctionCtx, x: Tensor): [Tensor, Tensor] {
        ctx.set_materialize_grads(false);
        return [x.mul(2), x.mul(3)];
      }
      static override backward(_ctx: FunctionCtx, a: Tensor, b: Tensor): Tensor {
        return a.mul(2).add(b.mul(3));
      }
    }
    // Even the first step asks for one output at a time.
    expect(() => gradcheck((x: Tensor) => Needy.apply(x), [input()])).toThrow(TypeError);
    expect(() => gradcheck((x: Tensor) => Needy.apply(x)[0].add(Needy.apply(x)[1]), [input()])).toThrow(TypeError);
  });

  test('inputs that make no sense', () => {
    expect(() => gradcheck((x: Tensor) => x, [input().detach()])).toThrow(
      'gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True.',
    );
    const expanded = torch.ones(1, { dtype: torch.float64, device, requires_grad: true }).expand(3);
    expect(() => gradcheck((x: Tensor) => x.mul(2), [expanded])).toThrow(
      'The 0th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping',
    );
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const single = torch.ones(2, { device, requires_grad: true });
    expect(gradcheck((x: Tensor) => x.mul(x), [single], { raise_exception: false })).toBe(false);
    expect(String(warning.mock.calls[0][0])).toMatch(
      /^UserWarning: Input #0 requires gradient and is not a double precision/,
    );
    warning.mockRestore();
    expect(() => gradcheck(wrong, [input()], { tol: 1 } as object)).toThrow(
      "gradcheck() got an unexpected keyword argument 'tol'",
    );
  });
});

describe('gradgradcheck', () => {
  test('right and wrong', () => {
    expect(gradgradcheck((x: Tensor) => x.pow(3), [input()])).toBe(true);
    expect(gradgradcheck((x: Tensor) => x.pow(3), [input()], null, { gen_non_contig_grad_outputs: true })).toBe(true);
    expect(gradgradcheck((x: Tensor) => x.pow(3), [input()], input([1, 2]))).toBe(true);
    class Square extends torch.autograd.Function {
      static override forward(ctx: FunctionCtx, x: Tensor): Tensor {
        ctx.save_for_backward(x);
        return x.mul(x);
      }
      static override backward(ctx: FunctionCtx, g: Tensor): Tensor {
        return g.mul(ctx.saved_tensors[0].detach()).mul(2);
      }
    }
    const square = (x: Tensor) => Square.apply(x);
    expect(gradcheck(square, [input()])).toBe(true);
    expect(() => gradgradcheck(square, [input()])).toThrow('Jacobian mismatch for output 0 with respect to input 0,');
    expect(gradgradcheck(square, [input()], null, { raise_exception: false })).toBe(false);
  });
});
