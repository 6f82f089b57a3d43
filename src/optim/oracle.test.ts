/** Optimizers and schedulers against PyTorch: thirty steps, steps in half precision, state dicts, what is refused. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { device } from '../../tests/device.ts';
import { compareError } from '../../tests/oracle/compare.ts';
import type { ErrorData, TensorData } from '../../tests/oracle/fixtures.ts';
import { runAll } from '../../tests/oracle/replay.ts';
import { build } from '../../tests/oracle/values.ts';
import torch from '../index.ts';
import { expectTensor } from '../nn/fixtures.testing.ts';
import type { Tensor } from '../tensor/tensor.ts';

type Spec = [name: string, args: unknown[], options: Record<string, unknown>];

interface Run {
  name: string;
  optimizer: string;
  options: Record<string, unknown>;
  x: TensorData;
  y: TensorData;
  c: TensorData;
  t: TensorData;
  losses: number[];
  final: Record<'x' | 'y', TensorData>;
  state: Record<string, TensorData>;
}

interface Schedule {
  scheduler: Spec;
  beta: boolean;
  x: TensorData;
  y: TensorData;
  rates: number[][];
  momenta?: number[][];
  losses: number[];
  x_final: TensorData;
  y_final: TensorData;
  state: Record<string, unknown>;
}

interface Fixtures {
  optimizers: Run[];
  half: { optimizer: string; options: object; x: TensorData; grads: TensorData[]; final: TensorData }[];
  schedules: Schedule[];
  jumps: { scheduler: Spec; epochs: number[]; rates: number[][] }[];
  layouts: { name: string; state: Record<string, Record<string, string>>; groups: object[]; repr: string }[];
  refused: { name: string; options: object; error: ErrorData }[];
  refusedSchedules: { scheduler: Spec; error: ErrorData }[];
}

const fixtures = JSON.parse(
  readFileSync(new URL('../../tests/fixtures/optimizers.json', import.meta.url), 'utf8'),
) as Fixtures;

const { optim } = torch;
type AnyOptimizer = InstanceType<typeof optim.Optimizer>;
type AnyScheduler = InstanceType<typeof optim.lr_scheduler.LRScheduler>;
const optimizers = optim as unknown as Record<string, new (params: unknown, options?: object) => AnyOptimizer>;
const schedulers = optim.lr_scheduler as unknown as Record<string, new (...args: unknown[]) => AnyScheduler>;

const leaf = (data: TensorData) => build(data).x as unknown as Tensor;

function expectLosses(actual: number[], expected: number[]): void {
  for (const [i, loss] of expected.entries()) {
    const margin = 1e-5 * Math.max(1, Math.abs(loss));
    expect(Math.abs(actual[i] - loss), `loss of step ${i}: ${actual[i]}, expected ${loss}`).toBeLessThan(margin);
  }
}

const FUNCTIONS: Record<string, (x: number) => number> = {
  '(epoch) => 1 / (epoch + 1)': (epoch) => 1 / (epoch + 1),
  '(epoch) => 0.9 ** epoch': (epoch) => 0.9 ** epoch,
  '(x) => 1 / x': (x) => (x === 0 ? 1 : 1 / x),
};

function decode(value: unknown, optimizer: AnyOptimizer): unknown {
  if (typeof value === 'string') return FUNCTIONS[value] ?? value;
  if (!Array.isArray(value)) return value;
  if (typeof value[0] === 'string' && value[0] in schedulers) return make(value as Spec, optimizer);
  return value.map((each) => decode(each, optimizer));
}

function make([name, args, options]: Spec, optimizer: AnyOptimizer): AnyScheduler {
  const values = args.map((each) => decode(each, optimizer));
  const named = Object.fromEntries(Object.entries(options).map(([key, each]) => [key, decode(each, optimizer)]));
  const all = name === 'ChainedScheduler' ? values : [optimizer, ...values];
  return new schedulers[name](...all, ...(Object.keys(named).length > 0 ? [named] : []));
}

const twoGroups = (x: Tensor, y: Tensor, beta = false): AnyOptimizer => {
  const groups = [{ params: [x] }, { params: [y], lr: 0.5 }];
  return beta ? new optimizers['Adam'](groups, { lr: 0.1 }) : new optimizers['SGD'](groups, { lr: 0.1, momentum: 0.9 });
};

let warnings: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
});
afterEach(() => {
  warnings.mockRestore();
});

describe(`optimizers on ${device}`, () => {
  test.each(fixtures.optimizers)('$name', (run) => {
    const [x, y, c, t] = [run.x, run.y, run.c, run.t].map(leaf);
    const optimizer = new optimizers[run.optimizer]([x, y], run.options);
    const losses = run.losses.map((_, i) => {
      optimizer.zero_grad();
      const d = x.sub(t);
      let loss = c.mul(d).mul(d).sum();
      if (i % 3) loss = loss.add(y.mul(y).sum());
      loss.backward();
      optimizer.step();
      return loss.item() as number;
    });
    expectLosses(losses, run.losses);
    expectTensor('x', x, run.final.x, 1e-4);
    expectTensor('y', y, run.final.y, 1e-4);
    const state = optimizer.state_dict().state[0] ?? {};
    expect(Object.keys(state).sort()).toEqual(Object.keys(run.state).sort());
    for (const [name, value] of Object.entries(run.state)) expectTensor(name, state[name] as Tensor, value, 1e-4);

    // What is saved goes on where it was.
    const other = [x, y].map((each) => each.detach().clone().requires_grad_());
    const copy = new optimizers[run.optimizer](other);
    copy.load_state_dict(optimizer.state_dict());
    for (const [pair, opt] of [[[x, y], optimizer] as const, [other, copy] as const]) {
      for (const each of pair) each.grad = each.detach().mul(0.5);
      opt.step();
    }
    expect(other.map((each) => each.tolist())).toEqual([x.tolist(), y.tolist()]);
  });

  test.each(fixtures.half)('$optimizer in $x.dtype', ({ optimizer, options, x: data, grads, final }) => {
    const x = leaf(data);
    const opt = new optimizers[optimizer]([x], options);
    for (const grad of grads) {
      x.grad = leaf(grad);
      opt.step();
    }
    // PyTorch rounds after every operation of a step, we once.
    expectTensor(optimizer, x, final, data.dtype === 'float16' ? 4e-3 : 3e-2);
  });
});

describe.runIf(device === 'cpu')('state', () => {
  test.each(fixtures.layouts)('of $name', ({ name, state, groups, repr }) => {
    const x = torch.ones(2, { requires_grad: true });
    const y = torch.ones(2, { requires_grad: true });
    const optimizer = new optimizers[name]([x, y]);
    x.grad = torch.ones(2);
    optimizer.step();
    const dict = optimizer.state_dict();
    const text = Object.entries(dict.state).map(([number, kept]) => [
      number,
      Object.fromEntries(Object.entries(kept).map(([key, value]) => [key, String(value)])),
    ]);
    expect(Object.fromEntries(text)).toEqual(state);
    expect(dict.param_groups).toEqual(groups);
    expect(dict.param_groups.map((group) => Object.keys(group).join())).toEqual(
      groups.map((group) => Object.keys(group).join()),
    );
    expect(floats(String(optimizer))).toBe(floats(repr));
  });

  test('what is refused', () => {
    const one = () => [torch.ones(1, { requires_grad: true })];
    runAll('refused', fixtures.refused as never[], (each) => {
      const { name, options, error } = each as Fixtures['refused'][0];
      return refusal(() => new optimizers[name](one(), options), error);
    });
    runAll('refused schedules', fixtures.refusedSchedules as never[], (each) => {
      const { scheduler, error } = each as Fixtures['refusedSchedules'][0];
      const groups = [{ params: one() }, { params: one() }];
      return refusal(() => make(scheduler, new optimizers['SGD'](groups, { lr: 0.1 })), error);
    });
  });
});

/** Whole floats and ints are one here. */
const floats = (text: string) =>
  text.replaceAll(/(\d)\.0\b/g, '$1').replaceAll(/: 0\.0*1(?=\n)/g, (x) => `: ${Number(x.slice(2))}`);

function refusal(run: () => unknown, expected: ErrorData): string | null {
  try {
    run();
  } catch (error) {
    return compareError(error, expected);
  }
  return `is not refused: ${expected.text}`;
}

describe('lr_scheduler', () => {
  const named = fixtures.schedules.map(
    (each) => [`${JSON.stringify(each.scheduler)}${each.beta ? ' of Adam' : ''}`, each] as const,
  );

  test.each(named)('%s', (_, run) => {
    const [x, y] = [leaf(run.x), leaf(run.y)];
    let optimizer = twoGroups(x, y, run.beta);
    let scheduler = make(run.scheduler, optimizer);
    const rates = (i: number) => {
      scheduler.get_last_lr().forEach((rate, group) => {
        expect(Math.abs(rate - run.rates[i][group]), `rate ${group} of epoch ${i}: ${rate}`).toBeLessThan(1e-12);
      });
      expect(optimizer.param_groups.map((group) => group['lr'])).toEqual(scheduler.get_last_lr());
      run.momenta?.[i].forEach((momentum, group) => {
        const options = optimizer.param_groups[group];
        const actual = run.beta ? (options['betas'] as number[])[0] : (options['momentum'] as number);
        expect(Math.abs(actual - momentum), `momentum ${group} of epoch ${i}: ${actual}`).toBeLessThan(1e-12);
      });
    };
    rates(0);
    const losses = run.losses.map((_loss, i) => {
      optimizer.zero_grad();
      const loss = x.mul(x).sum().add(y.mul(y).sum());
      loss.backward();
      optimizer.step();
      (scheduler.step as (metrics?: number) => void)(
        ...((run.scheduler[0] === 'ReduceLROnPlateau' ? [METRICS[i]] : []) as []),
      );
      rates(i + 1);
      if (i === 12) {
        // Both go on from what they save.
        const [saved, dict] = [scheduler.state_dict(), optimizer.state_dict()];
        optimizer = twoGroups(x, y, run.beta);
        scheduler = make(run.scheduler, optimizer);
        optimizer.load_state_dict(dict);
        scheduler.load_state_dict(saved);
      }
      return loss.item() as number;
    });
    expectLosses(losses, run.losses);
    expectTensor('x', x, run.x_final, 1e-4);
    expectTensor('y', y, run.y_final, 1e-4);
    expectState(scheduler.state_dict(), run.state);
  });

  test.each(fixtures.jumps.map((each) => [JSON.stringify(each.scheduler), each] as const))('%s by epochs', (_, run) => {
    const zero = () => torch.zeros(1, { requires_grad: true });
    const optimizer = twoGroups(zero(), zero());
    const scheduler = make(run.scheduler, optimizer);
    optimizer.step();
    run.epochs.forEach((epoch, i) => {
      scheduler.step(epoch);
      scheduler.get_last_lr().forEach((rate, group) => {
        expect(Math.abs(rate - run.rates[i][group]), `rate ${group} of epoch ${epoch}: ${rate}`).toBeLessThan(1e-12);
      });
    });
  });
});

// biome-ignore format: a table
const METRICS = [3, 2, 2, 1.9999, 2.5, 2, 1.5, 1.5, 1.5, 1.5, 1.4, 1.5, 1.5, 1.2, 1.2, 1.2, 1.3, 1.3, 1.0, 1.1, 1.2, 1.3, 1.0, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9];

/** The same names, and numbers up to rounding. */
function expectState(actual: unknown, expected: unknown, path = 'state'): void {
  if (typeof expected === 'number') {
    expect(actual, path).toBeTypeOf('number');
    expect(Math.abs((actual as number) - expected), path).toBeLessThan(1e-12);
  } else if (expected === 'inf' || expected === '-inf') {
    expect(actual, path).toBe(Number(expected.replace('inf', 'Infinity')));
  } else if (Array.isArray(expected)) {
    expect(actual, path).toHaveLength(expected.length);
    expected.forEach((each, i) => {
      expectState((actual as unknown[])[i], each, `${path}.${i}`);
    });
  } else if (typeof expected === 'object' && expected !== null) {
    const fields = actual instanceof Map ? Object.fromEntries(actual) : (actual as Record<string, unknown>);
    expect(Object.keys(fields).sort(), path).toEqual(Object.keys(expected).sort());
    for (const [key, each] of Object.entries(expected)) expectState(fields[key], each, `${path}.${key}`);
  } else expect(actual, path).toBe(expected);
}
