/** LBFGS against PyTorch: steps, evaluations, resumption, what is refused. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { device } from '../../tests/device.ts';
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';

interface Row {
  loss: number;
  x: number[];
  y: number[];
  func_evals: number;
  n_iter: number;
  kept: number;
}

const cases = JSON.parse(readFileSync(new URL('../../tests/fixtures/lbfgs.json', import.meta.url), 'utf8')) as {
  kind: 'valley' | 'bowl';
  options: object;
  rows: Row[];
}[];

const { LBFGS } = torch.optim;
type Optimizer = InstanceType<typeof LBFGS>;

function problem(kind: 'valley' | 'bowl', options: object) {
  const size = kind === 'valley' ? 1 : 2;
  const make = (value: number) =>
    torch.full([size], value, { dtype: torch.float64, device, requires_grad: true }) as Tensor;
  const [x, y] = [make(-1.2), make(1)];
  const lossOf = () =>
    kind === 'valley'
      ? x.sub(1).square().add(y.sub(x.square()).square().mul(100)).sum()
      : x.square().mul(10).sum().add(y.sub(3).square().mul(0.1).sum()).add(x.sum().mul(y.sum()).mul(0.1));
  const optimizer = new LBFGS([x, y], options);
  const closure = (of: Optimizer) => () => {
    of.zero_grad();
    const loss = lossOf();
    loss.backward();
    return loss;
  };
  return { x, y, optimizer, closure };
}

const close = (got: unknown, wanted: number[]) => {
  (got as number[]).forEach((value, i) => {
    expect(value).toBeCloseTo(wanted[i], 6);
  });
};

describe.each(cases)('$kind $options', ({ kind, options, rows }) => {
  test('steps', () => {
    const { x, y, optimizer, closure } = problem(kind, options);
    for (const row of rows) {
      const loss = optimizer.step(closure(optimizer)).item() as number;
      expect(Math.abs(loss - row.loss)).toBeLessThan(1e-6 * Math.max(1, row.loss));
      close(x.tolist(), row.x);
      close(y.tolist(), row.y);
      const state = optimizer.state.get(x)!;
      expect([state['func_evals'], state['n_iter']]).toEqual([row.func_evals, row.n_iter]);
      expect((state['old_dirs'] as unknown[] | undefined)?.length ?? 0).toBe(row.kept);
    }
  });
});

test('goes on from a state dict, which torch.save keeps', () => {
  const { x, y, optimizer, closure } = problem('valley', { max_iter: 3, line_search_fn: 'strong_wolfe' });
  for (let i = 0; i < 3; i++) optimizer.step(closure(optimizer));
  const saved = torch.load(torch.save(optimizer.state_dict())) as never;
  const before = [x.clone().detach(), y.clone().detach()];
  const once = optimizer.step(closure(optimizer)).item();
  const wanted = [x.tolist(), y.tolist()];
  torch.no_grad(() => {
    x.copy_(before[0]);
    y.copy_(before[1]);
  });
  const other = new LBFGS([x, y]);
  other.load_state_dict(saved);
  expect(other.step(closure(other)).item()).toBe(once);
  expect([x.tolist(), y.tolist()]).toEqual(wanted);
});

test('parameters without a gradient, and the end of a scope', () => {
  const { x, y, optimizer } = problem('valley', { max_iter: 2 });
  const idle = torch.ones([3], { dtype: torch.float64, device, requires_grad: true });
  const all = new LBFGS([x, idle, y], { max_iter: 2 });
  for (let i = 0; i < 3; i++) {
    torch.scope(() => {
      all.step(() => {
        optimizer.zero_grad();
        const loss = x.square().add(y.square()).sum();
        loss.backward();
        return loss;
      });
    });
  }
  expect(idle.tolist()).toEqual([1, 1, 1]);
  expect((all.state.get(x)!['d'] as Tensor).numel()).toBe(5);
});

test('what is refused', () => {
  const x = torch.ones([1], { requires_grad: true, device });
  expect(() => new LBFGS([{ params: [x] }, { params: [torch.ones([1], { requires_grad: true, device })] }])).toThrow(
    new torch.ValueError("LBFGS doesn't support per-parameter options (parameter groups)"),
  );
  expect(() => new LBFGS([x], { lr: -1 })).toThrow(new torch.ValueError('Invalid learning rate: -1'));
  expect(() => new LBFGS([x]).step()).toThrow(
    new TypeError("LBFGS.step() missing 1 required positional argument: 'closure'"),
  );
  expect(() => new LBFGS([x], { line_search_fn: 'armijo' as never }).step(() => x.sum())).toThrow(
    new torch.RuntimeError("only 'strong_wolfe' is supported"),
  );
  expect(String(new LBFGS([x]))).toBe(
    'LBFGS (\nParameter Group 0\n    history_size: 100\n    line_search_fn: None\n    lr: 1\n    max_eval: 25\n    max_iter: 20\n    tolerance_change: 1e-09\n    tolerance_grad: 1e-07\n)',
  );
});
