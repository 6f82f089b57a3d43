/** Compiled functions compute what the same calls compute eagerly, and give up with a reason where they can't. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { device } from '../../tests/device.ts';
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';

const { nn, optim } = torch;
const F = nn.functional;
const { explain } = torch.compiler;

const rand = (...sizes: number[]) => torch.randn(sizes, { device });
const programs = (fn: (...args: never[]) => unknown) => explain(fn).graph_count;
const reasons = (fn: (...args: never[]) => unknown) => explain(fn).break_reasons;

afterEach(() => {
  vi.restoreAllMocks();
});

describe('fusion', () => {
  test('a chain of expressions is one launch, whose intermediate values nobody stores', () => {
    const fn = (x: Tensor, y: Tensor) => x.mul(y).add(1).relu().sub(y).tanh();
    const compiled = torch.compile(fn);
    for (let i = 0; i < 4; i++) {
      const [x, y] = [rand(7, 9), rand(7, 9)];
      expect(compiled(x, y).equal(fn(x, y))).toBe(true);
    }
    expect(explain(compiled).launches).toEqual([{ traced: 5, compiled: 1 }]);
  });

  test.each<[string, (x: Tensor, y: Tensor) => Tensor | Tensor[], number]>([
    ['several results', (x, y) => [x.mul(y), x.mul(y).exp()], 1],
    [
      'broadcast operands',
      (x, y) =>
        x
          .add(y.narrow(0, 0, 1))
          .sigmoid()
          .mul(x),
      1,
    ],
    [
      'a scalar tensor',
      (x, y) =>
        x
          .mul(y.index([0, 0]))
          .exp()
          .add(y),
      1,
    ],
    ['comparisons', (x, y) => torch.where(x.gt(y), x.neg(), y.mul(2)), 1],
    ['truth values in between', (x, y) => x.gt(0).logical_and(y.lt(0.5)).logical_not(), 3],
    ['in place', (x, y) => x.clone().mul_(y).add_(x).relu_(), 2],
    ['a transposed operand', (x, y) => x.mul(2).add(y.t().contiguous().t()).exp(), 2],
    ['other computation types in between', (x, y) => x.mul(y).round().to(torch.int64).add(3).mul(2), 3],
    ['half types, whose rounding stays', (x, y) => x.to(torch.bfloat16).mul(y.to(torch.bfloat16)).add(1), 4],
    ['a reduction in between', (x, y) => x.mul(y).exp().sum(1, true).log().neg().add(x), 4],
    [
      'dead values',
      (x, y) => {
        x.exp().mul(3);
        return y.add(1);
      },
      1,
    ],
    ['float64', (x, y) => x.double().mul(y).sin().cos(), 3],
  ])('%s', (_name, fn, most) => {
    const compiled = torch.compile(fn);
    for (let i = 0; i < 4; i++) {
      const [x, y] = [rand(8, 8), rand(8, 8)];
      const [found, expected] = [compiled(x, y), fn(x, y)].map((r) => (Array.isArray(r) ? r : [r]));
      expect(found.map((r) => [r.tolist(), r.dtype, r.stride()])).toEqual(
        expected.map((r) => [r.tolist(), r.dtype, r.stride()]),
      );
    }
    const [{ traced, compiled: left }] = explain(compiled).launches;
    expect(left).toBeLessThanOrEqual(Math.min(most, traced));
  });

  test('aot_eager makes the launches that were traced', () => {
    const fn = (x: Tensor) => x.mul(2).add(1).relu();
    const compiled = torch.compile(fn, { backend: 'aot_eager' });
    for (let i = 0; i < 3; i++) {
      const x = rand(5);
      expect(compiled(x).equal(fn(x))).toBe(true);
    }
    expect(explain(compiled).launches).toEqual([{ traced: 3, compiled: 3 }]);
  });

  test('launches of one code over several tensors are one, unless these overlap', () => {
    const apart = torch.compile((...all: Tensor[]) => all.map((x, k) => x.mul(k < 3 ? 2 : 3)));
    const over = torch.compile((x: Tensor) => {
      const all = x.clone();
      for (const [from, length] of [
        [0, 100],
        [50, 100],
        [150, 40],
      ])
        all.narrow(0, from, length).mul_(2);
      return all;
    });
    for (let i = 0; i < 4; i++) {
      const [w, ...all] = [rand(200), rand(5), rand(7000), rand(64), rand(3)];
      const found = apart(...all);
      expect(found.map((r, k) => r.equal(all[k].mul(k < 3 ? 2 : 3)))).toEqual([true, true, true, true]);
      const factors = [
        [1, 50],
        [2, 50],
        [1, 90],
        [0, 10],
      ].flatMap(([power, n]) => new Array(n).fill(2 ** power));
      expect(over(w).equal(w.mul(torch.tensor(factors, { device })))).toBe(true);
    }
    expect(explain(apart).launches).toEqual([{ traced: 4, compiled: 2 }]);
    expect(explain(over).launches).toEqual([{ traced: 4, compiled: 3 }]);
  });

  test('what is written in place is not read too late', () => {
    const fn = (x: Tensor, y: Tensor) => {
      const before = x.mul(2);
      x.add_(y);
      return before.add(x).add(x.narrow(0, 0, 4).sum());
    };
    const compiled = torch.compile(fn);
    for (let i = 0; i < 4; i++) {
      const [x, y] = [rand(8), rand(8)];
      const copy = x.clone();
      const version = x._version;
      expect(compiled(x, y).equal(fn(copy, y))).toBe(true);
      expect([x.equal(copy), x._version - version]).toEqual([true, 1]);
    }
    expect(programs(compiled)).toBe(1);
  });
});

const network = () => {
  torch.manual_seed(1);
  const { Linear, GELU, Dropout, LayerNorm, BatchNorm1d, Sequential } = nn;
  return new Sequential(
    new Linear(10, 20),
    new GELU(),
    new Dropout(0.2),
    new LayerNorm(20),
    new Linear(20, 12),
    new BatchNorm1d(12),
    new Linear(12, 5),
  ).to(device);
};

type Step = (x: Tensor, target: Tensor) => Tensor;
type Optimizer = InstanceType<typeof optim.Optimizer>;
const OPTIMIZERS: Record<string, (params: Tensor[]) => Optimizer> = {
  SGD: (params) => new optim.SGD(params, { lr: 0.1 }),
  'SGD with momentum': (params) =>
    new optim.SGD(params, { lr: 0.1, momentum: 0.9, nesterov: true, weight_decay: 0.01 }),
  AdamW: (params) => new optim.AdamW(params, { lr: 0.01, amsgrad: true }),
  RMSprop: (params) => new optim.RMSprop(params, { lr: 0.01, momentum: 0.5 }),
  NAdam: (params) => new optim.NAdam(params, { lr: 0.01 }),
};

/** Losses and final tensors of a training; `form` says what is compiled. */
function training(form: 'eager' | 'model' | 'loss' | 'step', make: (params: Tensor[]) => Optimizer): unknown[] {
  const model = network();
  const params = [...model.parameters()];
  const optimizer = make(params);
  const scheduler = new optim.lr_scheduler.ExponentialLR(optimizer, 0.9);
  const called = form === 'model' ? torch.compile(model, { fullgraph: true }) : model;
  const lossOf = (x: Tensor, target: Tensor) => F.mse_loss(called(x) as Tensor, target);
  const loss = form === 'loss' ? torch.compile(lossOf, { fullgraph: true }) : lossOf;
  const update: Step = (x, target) => {
    optimizer.zero_grad();
    const value = loss(x, target);
    value.backward();
    nn.utils.clip_grad_norm_(params, 1);
    optimizer.step();
    return value.detach();
  };
  const step = form === 'step' ? torch.compile(update, { fullgraph: true }) : update;
  torch.manual_seed(5);
  const losses: unknown[] = [];
  for (let i = 0; i < 10; i++) {
    losses.push(step(rand(6, 10), rand(6, 5)).item());
    scheduler.step();
  }
  const compiled = { model: called, loss, step, eager: null }[form];
  if (compiled !== null) expect(explain(compiled as never)).toMatchObject({ graph_count: 1, break_reasons: [] });
  const state = Object.values(optimizer.state_dict().state).flatMap((kept) => Object.values(kept));
  const tensors = [...params, ...model.buffers(), ...state, ...params.map((x) => x.grad)] as (Tensor | null)[];
  return [losses, tensors.map((x) => x?.tolist() ?? null), params.map((x) => x._version)];
}

describe('training', () => {
  test.each(Object.keys(OPTIMIZERS))('%s: model, loss or whole step compiled, bit for bit', (name) => {
    const expected = training('eager', OPTIMIZERS[name]);
    for (const form of ['model', 'loss', 'step'] as const) {
      expect({ form, found: training(form, OPTIMIZERS[name]) }).toEqual({ form, found: expected });
    }
  });

  test('parameters that have made other numbers of steps than the rest', () => {
    const run = (compile: boolean) => {
      const params = [rand(3), rand(70), rand(2, 2)].map((x) => x.requires_grad_());
      const optimizer = new optim.Adam(params, { lr: 0.1 });
      const eager = (x: Tensor) => {
        optimizer.zero_grad();
        params.reduce((sum, p) => sum.add(p.square().sum().mul(x)), x).backward();
        optimizer.step();
      };
      const step = compile ? torch.compile(eager, { fullgraph: true }) : eager;
      for (let i = 0; i < 6; i++) {
        // As if it had been left out: no other object, so no other program.
        if (i === 4) (optimizer.state.get(params[1]) as unknown as { counts: number[] }).counts[0] += 5;
        step(torch.ones([], { device }));
      }
      if (compile) {
        const [{ traced, compiled }] = explain(step).launches;
        expect({ programs: programs(step), fewer: traced - compiled >= 2 }).toEqual({ programs: 1, fewer: true });
      }
      return params.map((p) => p.tolist());
    };
    torch.manual_seed(3);
    const expected = run(false);
    torch.manual_seed(3);
    expect(run(true)).toEqual(expected);
  });

  test('gradients add up over calls, and graphs wait side by side', () => {
    const model = network().eval();
    const compiled = torch.compile(model);
    const run = (m: typeof model) => {
      torch.manual_seed(2);
      model.zero_grad();
      const outs: Tensor[] = [];
      for (let i = 0; i < 6; i++) outs.push((m(rand(3, 10)) as Tensor).square().mean());
      outs[5].backward();
      outs[2].add(outs[3]).backward();
      outs[4].backward({ retain_graph: true });
      outs[4].backward();
      return [...model.parameters()].map((x) => x.grad!.tolist());
    };
    expect(run(compiled)).toEqual(run(model));
    expect(programs(compiled)).toBe(1);
  });

  test('gradients of arguments, leaves or not, and of none of them', () => {
    const w = rand(4, 4).requires_grad_();
    const fn = (x: Tensor, y: Tensor) => [x.matmul(w).mul(y).tanh(), y.exp()];
    const compiled = torch.compile(fn);
    for (let i = 0; i < 4; i++) {
      const x = rand(3, 4).requires_grad_();
      const y = rand(3, 4).requires_grad_();
      const [found, expected] = [compiled, fn].map((f) => {
        const [a, b] = f(x.mul(2), y);
        // The second result has no part in the loss in every other call.
        const loss = i % 2 === 0 ? a.sum() : a.mul(b.detach()).sum();
        return torch.autograd.grad(loss, [x, y, w], { allow_unused: true }).map((g) => g?.tolist() ?? null);
      });
      expect(found).toEqual(expected);
    }
    expect(programs(compiled)).toBe(1);
  });

  test('a gradient that was added to in place, then replaced', () => {
    const w = torch.ones([8], { device, requires_grad: true });
    const step = torch.compile((x: Tensor) => w.mul(x).sum().backward());
    w.grad = torch.zeros([8], { device });
    const seen: number[] = [];
    for (let i = 1; i <= 6; i++) {
      if (i === 5) w.grad = torch.zeros([8], { device });
      step(torch.full([8], i, { device }));
      seen.push(w.grad!.index([0]).item() as number);
    }
    expect(seen).toEqual([1, 3, 6, 10, 5, 11]);
    expect(programs(step)).toBe(2);
  });

  test('what was saved is released by backward, and checked for changes', () => {
    const compiled = torch.compile((x: Tensor, y: Tensor) => x.mul(y).exp());
    const y = rand(3).requires_grad_();
    const call = (x: Tensor) => compiled(x, y);
    for (let i = 0; i < 2; i++) call(rand(3)).sum().backward();
    const twice = call(rand(3)).sum();
    twice.backward();
    expect(() => twice.backward()).toThrow('Trying to backward through the graph a second time');
    const x = rand(3);
    const changed = call(x);
    x.add_(1);
    expect(() => changed.sum().backward()).toThrow('modified by an inplace operation');
    const out = call(rand(3));
    expect(String(out.grad_fn)).toContain('CompiledFunctionBackward');
    expect(() => torch.autograd.grad(out.sum(), y, { create_graph: true })).toThrow(
      'torch.compile with aot_autograd does not currently support double backward',
    );
  });
});

describe.runIf(device === 'mtia')('memory', () => {
  test('peaks: what kernels need is in none; results count from the beginning, arguments to the end', () => {
    type Fn = (a: Tensor, b: Tensor) => Tensor;
    const fns: Fn[] = [(a, b) => a.matmul(b), (a, b) => a.matmul(b).softmax(1).matmul(b)];
    const [a, b] = [rand(256, 256), rand(256, 256)];
    const peak = (f: Fn) => {
      const before = torch.mtia.memory_allocated();
      torch.mtia.reset_peak_memory_stats();
      f(a.clone(), b);
      return (torch.mtia.max_memory_allocated() - before) / a.nbytes;
    };
    const peaks = fns.map((fn) => {
      const compiled = torch.compile(fn);
      for (let i = 0; i < 2; i++) compiled(a.clone(), b);
      expect(programs(compiled)).toBe(1);
      return [peak(fn), peak(compiled)];
    });
    expect(peaks).toEqual([
      [2, 2],
      [2, 4],
    ]);
  });

  test('a collection while a call is traced', () => {
    const fn = (x: Tensor) => x.mul(0.9).add(0.05).mul(0.5).tanh();
    const compiled = torch.compile(fn);
    // The gradients that the backward is traced with then lie where intermediate values of forward did.
    const { new_zeros } = torch.Tensor.prototype;
    const collecting = vi.spyOn(torch.Tensor.prototype, 'new_zeros').mockImplementation(function (
      this: Tensor,
      ...args
    ) {
      torch.mtia.memory_allocated();
      return Reflect.apply(new_zeros, this, args);
    });
    const results = [fn, compiled].map((f) => {
      torch.manual_seed(4);
      return [1, 2, 3].map(() => {
        const x = rand(48, 64).requires_grad_();
        const y = f(x);
        y.backward(torch.rand_like(y));
        return x.grad!.tolist();
      });
    });
    expect(results[1]).toEqual(results[0]);
    expect(collecting).toHaveBeenCalledTimes(2);
    expect(programs(compiled)).toBe(1);
  });

  test.each(['loss', 'step'] as const)(
    'a compiled %s holds nothing from call to call, and goes with its function',
    (form) => {
      const held = () => torch.mtia.memory_allocated();
      const first = held();
      const run = () => {
        const model = network();
        const optimizer = new optim.Adam(model.parameters());
        const lossOf = (x: Tensor, target: Tensor) => F.mse_loss(model(x) as Tensor, target);
        const loss = form === 'loss' ? torch.compile(lossOf) : lossOf;
        const update: Step = (x, target) => {
          optimizer.zero_grad();
          const value = loss(x, target);
          value.backward();
          optimizer.step();
          return value.detach();
        };
        const step = form === 'step' ? torch.compile(update) : update;
        const once = () => {
          step(rand(6, 10), rand(6, 5));
          return held();
        };
        const warm = once();
        const figures = Array.from({ length: 6 }, once);
        expect(programs((form === 'step' ? step : loss) as never)).toBe(1);
        // The first two that are traced are held against each other.
        expect(figures.slice(1)).toEqual(figures.slice(1).map(() => figures[1]));
        expect(figures[1]).toBeLessThanOrEqual(warm);
      };
      run();
      expect(held()).toBe(first);
    },
  );
});

describe('guards', () => {
  test('shapes, dtypes, grad mode, flags and numbers have programs of their own', () => {
    const model = network();
    const compiled = torch.compile((x: Tensor, scale: number) => (model(x) as Tensor).mul(scale));
    const check = (x: Tensor, scale: number) => {
      torch.manual_seed(4);
      const found = compiled(x, scale);
      torch.manual_seed(4);
      return found.equal((model(x) as Tensor).mul(scale));
    };
    for (let round = 0; round < 4; round++) {
      model.eval();
      expect(check(rand(4, 10), 2)).toBe(true);
      expect(check(rand(5, 10), 2)).toBe(true);
      expect(check(rand(5, 10), 3)).toBe(true);
      expect(torch.no_grad(() => check(rand(4, 10), 2))).toBe(true);
      model.train();
      expect(compiled(rand(4, 10), 2).requires_grad).toBe(true);
    }
    expect(explain(compiled)).toMatchObject({ graph_count: 5, break_reasons: [] });
  });

  test('parameters and submodules that are replaced are seen', () => {
    const model = network().eval();
    const compiled = torch.compile(model);
    const check = () => {
      const x = rand(2, 10);
      expect((compiled(x) as Tensor).equal(model(x) as Tensor)).toBe(true);
    };
    for (let i = 0; i < 3; i++) check();
    const first = model.at(0) as InstanceType<typeof nn.Linear>;
    first.weight = new nn.Parameter(rand(20, 10));
    for (let i = 0; i < 3; i++) check();
    first.weight.data = rand(20, 10);
    for (let i = 0; i < 3; i++) check();
    torch.no_grad(() => first.weight.copy_(rand(20, 10)));
    check();
    model.load_state_dict(network().state_dict());
    check();
    const norm = model.at(3) as InstanceType<typeof nn.LayerNorm>;
    (norm as { eps: number }).eps = 0.5;
    for (let i = 0; i < 3; i++) check();
    const handle = model.register_forward_hook(((_m: unknown, _i: unknown, out: Tensor) => out.mul(2)) as never);
    for (let i = 0; i < 3; i++) check();
    handle.remove();
    check();
  });

  test('windows of one tensor, and tensors that share memory', () => {
    const fn = (x: Tensor, y: Tensor) => x.mul(2).add(y);
    const compiled = torch.compile(fn);
    const all = rand(10, 4);
    for (let i = 0; i < 4; i++) {
      const x = all.index([i]);
      expect(compiled(x, rand(4).mul(0).add(1)).tolist()).toEqual(x.mul(2).add(1).tolist());
    }
    for (let i = 0; i < 4; i++) {
      const x = rand(4);
      expect(compiled(x, x).equal(fn(x, x))).toBe(true);
    }
    expect(programs(compiled)).toBe(2);
  });

  test('the same tensor in every call, then others', () => {
    const compiled = torch.compile((x: Tensor) => x.mul(2).add(1));
    const x = rand(4);
    for (let i = 0; i < 4; i++) expect(compiled(x).equal(x.mul(2).add(1))).toBe(true);
    for (let i = 0; i < 4; i++) {
      const y = rand(4);
      expect(compiled(y).equal(y.mul(2).add(1))).toBe(true);
    }
    expect(programs(compiled)).toBe(2);
  });

  test('random numbers are those of the eager calls', () => {
    const fn = (x: Tensor) => F.dropout(x, 0.5).add(torch.rand_like(x)).add(torch.randn(4, { device }));
    const compiled = torch.compile(fn);
    const run = (f: typeof fn) => {
      torch.manual_seed(9);
      return Array.from({ length: 5 }, () => f(torch.ones(4, { device })).tolist());
    };
    expect(run(compiled)).toEqual(run(fn));
    expect(run(compiled)).toEqual(run(fn));
    expect(programs(compiled)).toBe(1);
  });

  test('autocast', () => {
    const model = network().eval();
    const compiled = torch.compile(model);
    for (let i = 0; i < 4; i++) {
      const x = rand(2, 10);
      const [found, expected] = [compiled, model].map((m) => torch.autocast(device, () => m(x) as Tensor));
      expect([found.equal(expected), found.dtype]).toEqual([true, expected.dtype]);
      torch.no_grad(() => (model.at(0) as InstanceType<typeof nn.Linear>).weight.mul_(1.1));
    }
    expect(explain(compiled)).toMatchObject({ graph_count: 1, break_reasons: [] });
  });
});

describe('what is not compiled runs as ever, with a reason', () => {
  let calls = 0;
  const table: [string, (x: Tensor) => unknown, RegExp][] = [
    ['a branch on values', (x) => ((x.sum().item() as number) > 0 ? x.add(1) : x.sub(1)), /the host reads values/],
    ['shapes that depend on values', (x) => x.nonzero(), /the host reads values/],
    ['a number that changes', (x) => x.mul(++calls), /another number in every run/],
    ['values of the host', (x) => x.add(torch.tensor([++calls, 2, 3, 4], { device })), /values of the host/],
    ['another tensor each time', (x) => x.add(kept[++calls % kept.length]), /without being given it/],
    ['a view of an argument', (x) => x.view(2, 2), /a view of a tensor from outside|nothing to do/],
    ['code that is switched off', torch.compiler.disable((x: Tensor) => x.add(1)), /torch.compiler.disable/],
    ['a promise', async (x) => x.add(1), /asynchronous/],
    ['nothing', () => 3, /nothing to do/],
  ];
  const kept = [rand(4), rand(4), rand(4), rand(4), rand(4), rand(4), rand(4), rand(4), rand(4)];

  test.each(table)('%s', async (_name, fn, reason) => {
    const compiled = torch.compile(fn);
    const value = async (f: typeof fn, x: Tensor) => {
      const result = await f(x);
      return result instanceof torch.Tensor ? result.tolist() : result;
    };
    for (let i = 0; i < 8; i++) {
      const x = rand(4);
      const before = calls;
      const found = await value(compiled, x);
      calls = before;
      expect(found).toEqual(await value(fn, x));
    }
    expect(programs(compiled)).toBe(0);
    expect(reasons(compiled)).toEqual([expect.stringMatching(reason)]);
    const strict = torch.compile(fn, { fullgraph: true });
    expect(() => {
      for (let i = 0; i < 8; i++) strict(rand(4));
    }).toThrow(reason);
  });

  test('errors of the function come out, and calls after them are compiled', () => {
    let bad = true;
    const compiled = torch.compile((x: Tensor) => {
      const y = x.mul(2);
      if (bad) throw new Error('mine');
      return y;
    });
    expect(() => compiled(rand(3))).toThrow('mine');
    bad = false;
    for (let i = 0; i < 3; i++) compiled(rand(3));
    expect(programs(compiled)).toBe(1);
    expect(torch.compiler.is_compiling()).toBe(false);
  });

  test('faults come from compiled calls, too', () => {
    const table = rand(5, 2);
    const compiled = torch.compile((i: Tensor) => F.embedding(i, table).mul(2));
    const at = (...indices: number[]) => torch.tensor(indices, { dtype: torch.int64, device });
    for (let i = 0; i < 3; i++) compiled(at(0, 1));
    expect(() => compiled(at(0, 7)).tolist()).toThrow('index out of range');
    expect(compiled(at(4, 3)).equal(F.embedding(at(4, 3), table).mul(2))).toBe(true);
    expect(programs(compiled)).toBe(1);
  });

  test('a scheduler in a step', () => {
    const w = rand(3).requires_grad_();
    const opt = new optim.SGD([w], { lr: 0.1 });
    const scheduler = new optim.lr_scheduler.StepLR(opt, 2);
    const step = torch.compile((x: Tensor) => {
      x.mul(w).sum().backward();
      opt.step();
      scheduler.step();
    });
    for (let i = 0; i < 4; i++) step(rand(3));
    expect(reasons(step)).toEqual([expect.stringContaining('scheduler steps')]);
    expect(opt.param_groups[0]['lr']).toBeCloseTo(0.001);
  });
});

describe('the surface', () => {
  test('a compiled module has the parameters, fields and methods of the original', () => {
    class Net extends nn.Module {
      layer = new nn.Linear(3, 2);
      scale = 2;
      override forward(x: Tensor): Tensor {
        return (this.layer(x) as Tensor).mul(this.scale);
      }
      twice(x: Tensor): Tensor {
        return this.forward(x).mul(2);
      }
    }
    const net = new Net().to(device);
    const compiled = torch.compile(net);
    expect(Object.keys(compiled.state_dict())).toEqual(['_orig_mod.layer.weight', '_orig_mod.layer.bias']);
    const own = [...net.parameters()];
    expect([...compiled.parameters()].every((x, i) => x === own[i])).toBe(true);
    expect(compiled.scale).toBe(2);
    compiled.scale = 3;
    const x = rand(2, 3);
    for (let i = 0; i < 3; i++) expect(compiled(x).equal(net(x))).toBe(true);
    expect(compiled.twice(x).equal(net.twice(x))).toBe(true);
    compiled.eval();
    expect(net.training).toBe(false);
  });

  test('a module that is compiled in place', () => {
    const net = new nn.Sequential(new nn.Linear(3, 4), new nn.Tanh()).to(device);
    const x = rand(2, 3);
    const expected = net(x).tolist();
    net.compile({ fullgraph: true });
    for (let i = 0; i < 4; i++) expect(net(x.clone()).tolist()).toEqual(expected);
    const outer = new nn.Sequential(net);
    expect(outer(x).tolist()).toEqual(expected);
    expect(explain(net)).toMatchObject({ graph_count: 1, break_reasons: [] });
    expect(Object.keys(net.state_dict())).toEqual(['0.weight', '0.bias']);
    net.compile({ disable: true });
    expect(net(x).tolist()).toEqual(expected);
    expect(() => explain(net)).toThrow('nor a module that was compiled');
  });

  test('nested results, options and constants', () => {
    const compiled = torch.compile((x: Tensor, { by, list }: { by: number; list: Tensor[] }) => ({
      sum: x.add(list[0]),
      rest: [list[1].mul(by), 'text', null, list[1]],
    }));
    for (let i = 0; i < 3; i++) {
      const [x, a, b] = [rand(2), rand(2), rand(2)];
      const { sum, rest } = compiled(x, { by: 3, list: [a, b] });
      expect(sum.equal(x.add(a))).toBe(true);
      expect((rest[0] as Tensor).equal(b.mul(3))).toBe(true);
      expect(rest.slice(1, 3)).toEqual(['text', null]);
      expect(rest[3] === b).toBe(true);
    }
    expect(programs(compiled)).toBe(1);
  });

  test('a compiled function in another is a part of it', () => {
    const inner = torch.compile((x: Tensor) => x.mul(2));
    const outer = torch.compile((x: Tensor) => inner(x).add(torch.compiler.is_compiling() ? 1 : 1));
    for (let i = 0; i < 4; i++) expect(outer(torch.ones(2, { device })).tolist()).toEqual([3, 3]);
    expect([programs(inner), programs(outer)]).toEqual([0, 1]);
  });

  test('reset forgets', () => {
    const compiled = torch.compile((x: Tensor) => x.mul(2));
    for (let i = 0; i < 3; i++) compiled(rand(2));
    torch.compiler.reset();
    expect(programs(compiled)).toBe(0);
    for (let i = 0; i < 3; i++) compiled(rand(2));
    expect(programs(compiled)).toBe(1);
  });

  test('arguments that PyTorch refuses', () => {
    const fn = (x: Tensor) => x;
    expect(() => torch.compile(fn, { mode: 'fast' as never })).toThrow('Unrecognized mode=fast, should be one of');
    expect(() => torch.compile(fn, { mode: 'default', options: {} })).toThrow(
      'Either mode or options can be specified',
    );
    expect(() => torch.compile(fn, { backend: 'x' as never })).toThrow("Invalid backend: 'x'");
    expect(() => torch.compile(fn, { dynamic: 'x' as never })).toThrow("be a bool, got <class 'str'>");
    expect(() => torch.compile(fn, { foo: 1 } as never)).toThrow("compile() got an unexpected keyword argument 'foo'");
    expect(() => torch.compile(3 as never)).toThrow("A callable function is expected, but <class 'int'> is provided.");
    expect(torch.compiler.list_backends()).toEqual(['inductor']);
    expect(torch.compiler.list_backends(null)).toEqual(['aot_eager', 'eager', 'inductor']);
    expect(torch.compile(fn, { disable: true })).toBe(fn);
    expect(torch.compile({ fullgraph: true })(fn)).not.toBe(fn);
  });
});
