/** Optimizers beyond the trajectories: groups, state, texts, halves, schedules. */
import { describe, expect, test, vi } from 'vitest';
import { inspect } from 'node:util';
import { device } from '../../tests/device.ts';
import { build } from '../../tests/oracle/values.ts';
import torch from '../index.ts';
import { errorOf, expectTensor, fixtures } from '../nn/fixtures.testing.ts';
import type { Tensor } from '../tensor/tensor.ts';

const { nn, optim } = torch;
type AnyOptimizer = new (params: unknown, options?: object) => InstanceType<typeof optim.SGD>;
const { SGD, Adam, AdamW } = optim as unknown as Record<string, AnyOptimizer>;

const leaf = (values: number[]) => torch.tensor(values, { device, requires_grad: true });
const withGrad = (values: number[], grad: number[]) => {
  const x = leaf(values);
  x.grad = torch.tensor(grad, { device });
  return x;
};

describe(`steps on ${device}`, () => {
  test.each(fixtures.half)('$optimizer in $x.dtype', ({ optimizer, options, x: data, grads, final }) => {
    const { x } = build(data);
    const opt = new { SGD, Adam, AdamW }[optimizer]([x], options);
    for (const grad of grads) {
      x.grad = build(grad).x;
      opt.step();
    }
    // PyTorch rounds after every operation of a step, we once.
    expectTensor(optimizer, x, final, data.dtype === 'float16' ? 2e-3 : 2e-2);
  });

  test('a step counts as a change, and is not recorded', () => {
    const x = withGrad([1, 2], [1, 1]);
    const y = x.mul(x);
    new SGD([x], { lr: 0.5 }).step();
    expect(x.tolist()).toEqual([0.5, 1.5]);
    expect([x.grad_fn, x.is_leaf]).toEqual([null, true]);
    expect(errorOf(() => y.sum().backward())).toContain('modified by an inplace operation');
  });

  test('parameters without gradient stay as they are and get no state', () => {
    const [x, y] = [withGrad([1], [1]), leaf([1])];
    const opt = new Adam([x, y]);
    opt.step();
    expect(y.tolist()).toEqual([1]);
    expect(Object.keys(opt.state_dict().state)).toEqual(['0']);
  });

  test('strided parameters and gradients', () => {
    const x = torch.arange(6, { dtype: torch.float32, device }).reshape(2, 3).t().detach().requires_grad_();
    x.grad = torch.ones(3, 2, { device });
    const opt = new SGD([x], { lr: 1, momentum: 0.5 });
    opt.step();
    opt.step();
    expect(x.tolist()).toEqual([
      [-2.5, 0.5],
      [-1.5, 1.5],
      [-0.5, 2.5],
    ]);
  });

  test('a parameter that was moved or converted after its state was made', () => {
    for (const Optimizer of [SGD, Adam]) {
      const linear = new nn.Linear(1, 1);
      const opt = new Optimizer(linear.parameters(), { lr: 0.1, ...(Optimizer === SGD ? { momentum: 0.9 } : {}) });
      const step = () => {
        const { device: on, dtype } = linear.weight;
        linear(torch.ones(1, 1, { device: on, dtype }))
          .sum()
          .backward();
        opt.step();
      };
      step();
      linear.to('mtia');
      expect(errorOf(step)).toContain(
        'RuntimeError: Expected all tensors to be on the same device, but found at least two devices, mtia:0 and cpu!',
      );
      linear.to({ device: 'cpu', dtype: torch.float64 });
      expect(errorOf(step)).toContain('is torch.float32 of shape [1, 1], but its parameter is torch.float64');
      opt.load_state_dict(opt.state_dict());
      step();
    }
  });

  test('a closure runs with gradients on and its result is returned', () => {
    const x = leaf([3]);
    const opt = new SGD([x], { lr: 0.1 });
    const loss = torch.no_grad(() =>
      opt.step(() => {
        opt.zero_grad();
        const l = x.mul(x).sum();
        l.backward();
        return l;
      }),
    ) as Tensor;
    expect(loss.item()).toBe(9);
    expect(x.item()).toBeCloseTo(2.4, 6);
    expect(opt.step()).toBeNull();
  });

  test('zero_grad', () => {
    const x = withGrad([1], [1]);
    const opt = new SGD([x]);
    opt.zero_grad({ set_to_none: false });
    expect(x.grad!.tolist()).toEqual([0]);
    opt.zero_grad();
    expect(x.grad).toBeNull();
  });

  test('state survives the scope that it is made in', () => {
    const x = leaf([1, 2]);
    const opt = new Adam([x], { lr: 0.1 });
    for (let i = 0; i < 3; i++) {
      torch.scope(() => {
        opt.zero_grad();
        x.mul(x).sum().backward();
        opt.step();
      });
    }
    expect(x.tolist()).toEqual([expect.closeTo(0.7016, 3), expect.closeTo(1.7006, 3)]);
  });
});

describe('groups', () => {
  test('have options of their own', () => {
    const [x, y] = [withGrad([0], [1]), withGrad([0], [1])];
    const opt = new SGD([{ params: [x] }, { params: y, lr: 2 }], { lr: 0.5 });
    opt.step();
    expect([x.item(), y.item()]).toEqual([-0.5, -2]);
    opt.param_groups[0]['lr'] = 1;
    opt.step();
    expect(x.item()).toBe(-1.5);
    const z = withGrad([0], [1]);
    opt.add_param_group({ params: [z], lr: 3 });
    opt.step();
    expect(z.item()).toBe(-3);
  });

  test('of named parameters keep the names', () => {
    const opt = new SGD(new nn.Linear(1, 1).named_parameters());
    expect(opt.param_groups[0].param_names).toEqual(['weight', 'bias']);
    expect(String(opt)).toContain("param_names: ['weight', 'bias']\n");
  });

  test('that cannot be', () => {
    const x = leaf([1]);
    expect(errorOf(() => new SGD([]))).toBe('ValueError: optimizer got an empty parameter list');
    expect(errorOf(() => new SGD(3))).toBe("TypeError: 'int' object is not iterable");
    expect(errorOf(() => new SGD([x.mul(2)]))).toBe("ValueError: can't optimize a non-leaf Tensor");
    expect(errorOf(() => new SGD([3]))).toBe(
      'TypeError: optimizer can only optimize Tensors, but one of the params is int',
    );
    expect(errorOf(() => new SGD([{ params: new Set([x]) }]))).toContain(
      'optimizer parameters need to be organized in ordered collections',
    );
    expect(errorOf(() => new SGD([{ params: [x] }, { params: [x] }]))).toBe(
      'ValueError: some parameters appear in more than one parameter group',
    );
    expect(errorOf(() => new SGD([x], { foo: 1 }))).toBe(
      "TypeError: SGD.__init__() got an unexpected keyword argument 'foo'",
    );
    expect(errorOf(() => new (SGD as unknown as new () => unknown)())).toBe(
      "TypeError: SGD.__init__() missing 1 required positional argument: 'params'",
    );
    expect(errorOf(() => new SGD([x], { lr: -1 }))).toBe('ValueError: Invalid learning rate: -1');
    expect(errorOf(() => new AdamW([x], { betas: [0.5, 1.5] }))).toBe(
      'ValueError: Invalid beta parameter at index 1: 1.5',
    );
  });

  test('differentiable steps are refused', () => {
    expect(errorOf(() => new SGD([leaf([1])], { differentiable: true }))).toContain('NotImplementedError');
  });

  test('with a parameter twice are warned about', () => {
    const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    try {
      const x = leaf([1]);
      new SGD([x, x]);
      expect(String(emit.mock.calls[0][0])).toContain('duplicate parameters');
    } finally {
      emit.mockRestore();
    }
  });
});

describe('state dicts', () => {
  test('have PyTorch’s layout', () => {
    const x = withGrad([1], [1]);
    const opt = new Adam([{ params: [x] }, { params: [leaf([2])], lr: 0.5 }]);
    opt.step();
    const { state, param_groups } = opt.state_dict();
    expect(Object.keys(state)).toEqual(['0']);
    expect(Object.keys(state[0])).toEqual(['step', 'exp_avg', 'exp_avg_sq']);
    expect(String(state[0]['step'])).toBe('tensor(1.)');
    expect(param_groups).toEqual([
      {
        lr: 0.001,
        betas: [0.9, 0.999],
        eps: 1e-8,
        weight_decay: 0,
        amsgrad: false,
        maximize: false,
        foreach: null,
        capturable: false,
        differentiable: false,
        fused: null,
        decoupled_weight_decay: false,
        params: [0],
      },
      expect.objectContaining({ lr: 0.5, params: [1] }),
    ]);
  });

  test.each([
    ['SGD', SGD, { lr: 0.1, momentum: 0.9 }],
    ['Adam', Adam, { lr: 0.1, amsgrad: true }],
    ['AdamW', AdamW, { lr: 0.1 }],
  ] as const)('of %s go on where they were', (_, Optimizer, options) => {
    const run = (opt: InstanceType<AnyOptimizer>, x: Tensor, steps: number) => {
      for (let i = 0; i < steps; i++) {
        opt.zero_grad();
        x.mul(x).sum().backward();
        opt.step();
      }
    };
    const x = leaf([1, 2]);
    const opt = new Optimizer([x], options);
    run(opt, x, 3);
    const y = x.detach().clone().requires_grad_();
    const other = new Optimizer([y]);
    other.load_state_dict(opt.state_dict());
    expect(other.param_groups[0]['lr']).toBe(0.1);
    run(opt, x, 3);
    run(other, y, 3);
    expect(y.tolist()).toEqual(x.tolist());
  });

  test('of other groups', () => {
    const opt = new SGD([leaf([1])]);
    expect(errorOf(() => opt.load_state_dict({ state: {}, param_groups: [] }))).toBe(
      'ValueError: loaded state dict has a different number of parameter groups',
    );
    expect(errorOf(() => opt.load_state_dict({ state: {}, param_groups: [{ params: [0, 1] }] }))).toBe(
      "ValueError: loaded state dict contains a parameter group that doesn't match the size of optimizer's group",
    );
  });
});

test('texts of several groups', () => {
  const opt = new SGD([{ params: [leaf([1])] }, { params: [leaf([1])], lr: 0.25 }], { lr: 0.5 });
  const group = (i: number, lr: number) =>
    `Parameter Group ${i}\n    dampening: 0\n    differentiable: False\n    foreach: None\n    fused: None\n    lr: ${lr}\n    maximize: False\n    momentum: 0\n    nesterov: False\n    weight_decay: 0\n`;
  expect(String(opt)).toBe(`SGD (\n${group(0, 0.5)}\n${group(1, 0.25)})`);
  expect(inspect(opt)).toBe(String(opt));
  expect(String(new Adam([leaf([1])]))).toContain('    betas: (0.9, 0.999)\n');
});

describe('lr_scheduler', () => {
  const { StepLR, MultiStepLR, ExponentialLR, LambdaLR, CosineAnnealingLR, LRScheduler } = optim.lr_scheduler;
  type Optimizer = InstanceType<typeof optim.Optimizer>;
  const make: Record<string, (opt: Optimizer) => InstanceType<typeof StepLR> | InstanceType<typeof LambdaLR>> = {
    StepLR: (opt) => new StepLR(opt, { step_size: 3, gamma: 0.5 }),
    MultiStepLR: (opt) => new MultiStepLR(opt, [2, 5, 5]) as unknown as InstanceType<typeof StepLR>,
    ExponentialLR: (opt) => new ExponentialLR(opt, 0.9) as unknown as InstanceType<typeof StepLR>,
    LambdaLR: (opt) => new LambdaLR(opt, (epoch) => 1 / (epoch + 1)),
    CosineAnnealingLR: (opt) =>
      new CosineAnnealingLR(opt, { T_max: 5, eta_min: 0.01 }) as unknown as InstanceType<typeof StepLR>,
  };

  test.each(Object.entries(fixtures.schedules))('%s', (name, rates) => {
    const opt = new SGD([{ params: [leaf([0])] }, { params: [leaf([0])], lr: 0.5 }], { lr: 0.1 });
    let scheduler = make[name](opt);
    rates.forEach((expected, epoch) => {
      if (epoch > 0) {
        opt.step();
        scheduler.step();
      }
      if (epoch === 4) {
        const saved = scheduler.state_dict();
        const rate = opt.param_groups.map((group) => group['lr']);
        scheduler = make[name](opt);
        scheduler.load_state_dict(saved);
        opt.param_groups.forEach((group, i) => {
          group['lr'] = rate[i];
        });
      }
      expect(scheduler).toBeInstanceOf(LRScheduler);
      for (const [i, rate] of scheduler.get_last_lr().entries()) expect(rate).toBeCloseTo(expected[i], 14);
      expect(opt.param_groups.map((group) => group['lr'])).toEqual(scheduler.get_last_lr());
    });
  });

  test('a step before the optimizer’s is warned about', () => {
    const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    try {
      new StepLR(new SGD([leaf([1])]), 2).step();
      expect(String(emit.mock.calls[0][0])).toContain('before `optimizer.step()`');
    } finally {
      emit.mockRestore();
    }
    expect(errorOf(() => new StepLR(3 as never, 2))).toBe('TypeError: int is not an Optimizer');
  });
});

describe('rates that are tensors', () => {
  test.each(['SGD', 'Adam', 'RMSprop'])('%s reads them at every step, schedulers write into them', (name) => {
    const lr = torch.tensor(0.5);
    const [x, y] = [withGrad([1, 2], [1, -1]), withGrad([1, 2], [1, -1])];
    const Optimizer = (optim as unknown as Record<string, AnyOptimizer>)[name];
    const [a, b] = [new Optimizer([x], { lr }), new Optimizer([y], { lr: 0.5 })];
    const schedule = [a, b].map((opt) => new optim.lr_scheduler.StepLR(opt, 1, 0.5));
    for (let i = 0; i < 2; i++) {
      for (const opt of [a, b]) opt.step();
      for (const each of schedule) each.step();
    }
    expect(a.param_groups[0]['lr']).toBe(lr);
    expect(lr.item()).toBe(0.125);
    expect(x.tolist()).toEqual(y.tolist());
    expect(errorOf(() => new Optimizer([x], { lr: torch.ones(2) }))).toBe('ValueError: Tensor lr must be 1-element');
    expect(errorOf(() => new Optimizer([x], { lr: torch.tensor(-0.5) }))).toBe(
      'ValueError: Invalid learning rate: -0.5',
    );
  });
});

describe('hooks', () => {
  test('around steps', () => {
    const x = withGrad([1], [1]);
    const opt = new SGD([x], { lr: 0.5 });
    const seen: string[] = [];
    const pre = opt.register_step_pre_hook((self, args, kwargs) => {
      seen.push(`pre ${self === (opt as unknown)} ${args.length} ${Object.keys(kwargs).length} ${x.item()}`);
    });
    opt.register_step_post_hook(() => seen.push(`post ${x.item()}`) as unknown as undefined);
    opt.step();
    pre.remove();
    pre.remove();
    opt.step();
    expect(seen).toEqual(['pre true 0 0 1', 'post 0.5', 'post 0']);
    const replace = opt.register_step_pre_hook(() => [[() => 7], {}]);
    expect((opt as unknown as { step(): unknown }).step()).toBe(7);
    replace.remove();
    opt.register_step_pre_hook((() => 3) as never);
    expect(errorOf(() => opt.step())).toBe(
      'RuntimeError: SGD.step must return None or a tuple of (new_args, new_kwargs), but got 3.',
    );
  });

  test('around state dicts', () => {
    const opt = new SGD([leaf([1])], { lr: 0.5 });
    const seen: string[] = [];
    opt.register_state_dict_pre_hook(() => void seen.push('second'));
    opt.register_state_dict_pre_hook(() => void seen.push('first'), { prepend: true });
    opt.register_state_dict_post_hook((_, dict) => ({ ...dict, extra: 1 }));
    opt.register_load_state_dict_pre_hook((_, dict) => {
      seen.push(`load ${'extra' in dict}`);
      return { ...dict, param_groups: [{ ...dict.param_groups[0], lr: 0.25 }] };
    });
    opt.register_load_state_dict_post_hook((self) => void seen.push(`loaded ${self.param_groups[0]['lr']}`));
    opt.load_state_dict(opt.state_dict());
    expect(seen).toEqual(['first', 'second', 'load true', 'loaded 0.25']);
  });

  test('run around the step of an optimizer of your own', () => {
    class Halving extends optim.Optimizer {
      override step(): null {
        torch.no_grad(() => {
          for (const { params } of this.param_groups) for (const x of params) x.mul_(0.5);
        });
        return null;
      }
    }
    const x = leaf([4]);
    const opt = new Halving([x], { lr: 1 });
    let steps = 0;
    opt.register_step_post_hook(() => void steps++);
    const schedule = new optim.lr_scheduler.ExponentialLR(opt, 0.5);
    opt.step();
    schedule.step();
    new Halving([x], {}).step();
    expect([x.item(), steps, opt.param_groups[0]['lr']]).toEqual([1, 1, 0.5]);
    expect(errorOf(() => new optim.Optimizer([x], {}).step())).toContain('NotImplementedError: Optimizer [Optimizer]');
  });
});

test('steps on the device compute what steps on the host do, for every optimizer', () => {
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const options = {
    NAdam: {},
    RAdam: { betas: [0.9, 0.6] },
    Adamax: {},
    Adadelta: {},
    RMSprop: { centered: true },
    ASGD: { t0: 2 },
    Rprop: {},
  };
  try {
    for (const [name, extra] of Object.entries(options)) {
      const Optimizer = (optim as unknown as Record<string, AnyOptimizer>)[name];
      const run = (more: object) => {
        const x = torch.tensor([1, -2, 3], { device: 'mtia', requires_grad: true });
        const opt = new Optimizer([x], { lr: 0.1, ...extra, ...more });
        for (let i = 0; i < 8; i++) {
          opt.zero_grad();
          x.mul(x).sum().backward();
          opt.step();
        }
        return { x: x.tolist() as number[], state: opt.state_dict().state[0] };
      };
      const [host, there, rate] = [
        run({}),
        run({ capturable: true }),
        run({ capturable: true, lr: torch.tensor(0.1, { device: 'mtia' }) }),
      ];
      for (const { x, state } of [there, rate]) {
        for (const [i, value] of x.entries()) expect(value, name).toBeCloseTo(host.x[i], 5);
        expect(String((state['step'] as Tensor).device)).toBe('mtia:0');
        expect(Object.keys(state)).toEqual(Object.keys(host.state));
      }
    }
  } finally {
    emit.mockRestore();
  }
});
