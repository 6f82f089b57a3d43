/**
 * Training runs equal PyTorch's: the same seed gives the same weights, thirty steps give the same losses (1e-5) and
 * parameters (1e-4 relative). Recorded by scripts/oracle/trajectories.py.
 */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import torch from '../src/index.ts';
import { device } from './device.ts';
import { compareNumbers } from './oracle/compare.ts';
import type { TensorData } from './oracle/fixtures.ts';
import { arrayOf, build, bytesOf, numbersOf, type Tensor } from './oracle/values.ts';

const { nn, optim } = torch;

interface ModelRun {
  name: 'mlp' | 'embedding_bag' | 'layer_norm';
  initial: Record<string, TensorData>;
  batches: { inputs: TensorData[]; target: TensorData }[];
  losses: number[];
  final: Record<string, TensorData>;
}

interface OptimizerRun {
  name: string;
  optimizer: 'SGD' | 'Adam' | 'AdamW';
  options: Record<string, unknown>;
  x: TensorData;
  y: TensorData;
  c: TensorData;
  t: TensorData;
  losses: number[];
  final: Record<string, TensorData>;
  state: Record<string, TensorData>;
}

const { models, optimizers } = JSON.parse(
  readFileSync(new URL('fixtures/trajectories.json', import.meta.url), 'utf8'),
) as { models: ModelRun[]; optimizers: OptimizerRun[] };

class BagModel extends nn.Module {
  bag = new nn.EmbeddingBag(40, 8, { mode: 'mean' });
  out = new nn.Linear(8, 1);

  override forward(ids: Tensor, offsets: Tensor): Tensor {
    return this.out(this.bag(ids, offsets));
  }
}

function make(name: ModelRun['name']) {
  if (name === 'mlp') {
    torch.manual_seed(1);
    const model = new nn.Sequential(new nn.Linear(10, 32), new nn.ReLU(), new nn.Linear(32, 4));
    const optimizer = new optim.SGD(model.parameters(), { lr: 0.1, momentum: 0.9, weight_decay: 1e-4 });
    return { model, optimizer, criterion: new nn.CrossEntropyLoss() };
  }
  if (name === 'embedding_bag') {
    torch.manual_seed(2);
    const model = new BagModel();
    return { model, optimizer: new optim.Adam(model.parameters(), { lr: 0.01 }), criterion: new nn.MSELoss() };
  }
  torch.manual_seed(3);
  const model = new nn.Sequential(
    new nn.Linear(12, 24),
    new nn.LayerNorm(24),
    new nn.GELU(),
    new nn.Dropout(0.2),
    new nn.Linear(24, 12),
    new nn.LayerNorm(12),
    new nn.GELU(),
    new nn.Dropout(0.1),
    new nn.Linear(12, 3),
  );
  const optimizer = new optim.AdamW(model.parameters(), { lr: 0.01, weight_decay: 0.05 });
  return { model, optimizer, criterion: new nn.CrossEntropyLoss({ label_smoothing: 0.1 }) };
}

function expectClose(what: string, actual: Tensor, expected: TensorData, relative: number): void {
  expect([...actual.sizes], `${what}: shape`).toEqual(expected.shape);
  const raw = (actual as unknown as { toTypedArray(): ArrayLike<number> }).toTypedArray();
  const wanted = arrayOf(expected.dtype, bytesOf(expected.data)) as ArrayLike<number>;
  // Parameters that cross zero are judged by the size of their tensor.
  const tolerance = { relative, absolute: 0, scaled: relative / 10 };
  const wrong = compareNumbers(numbersOf(expected.dtype, raw), numbersOf(expected.dtype, wanted), tolerance);
  expect(wrong, what).toBeNull();
}

function expectLosses(actual: number[], expected: number[]): void {
  for (const [i, loss] of expected.entries()) {
    const margin = 1e-5 * Math.max(1, Math.abs(loss));
    expect(Math.abs(actual[i] - loss), `loss of step ${i}: ${actual[i]}, expected ${loss}`).toBeLessThan(margin);
  }
}

beforeEach(() => torch.set_default_device(device));
afterEach(() => torch.set_default_device(null));

describe(`training on ${device}`, () => {
  test.each(models)('$name', (run) => {
    const { model, optimizer, criterion } = make(run.name);
    const forward = model as unknown as (...inputs: Tensor[]) => Tensor;
    const loss = criterion as unknown as (a: Tensor, b: Tensor) => Tensor & { backward(): void; item(): number };
    const parameters = () => model.state_dict() as Record<string, Tensor>;
    expect(Object.keys(parameters())).toEqual(Object.keys(run.initial));
    for (const [name, value] of Object.entries(run.initial)) {
      expectClose(`initial ${name}`, parameters()[name], value, 1e-7);
    }
    const losses = run.batches.map(({ inputs, target }) => {
      optimizer.zero_grad();
      const l = loss(forward(...inputs.map((data) => build(data).x)), build(target).x);
      l.backward();
      optimizer.step();
      return l.item();
    });
    expectLosses(losses, run.losses);
    for (const [name, value] of Object.entries(run.final))
      expectClose(`final ${name}`, parameters()[name], value, 1e-4);
  });
});

interface Arithmetic {
  sub(x: Tensor): Arithmetic & Tensor;
  mul(x: Tensor): Arithmetic & Tensor;
  add(x: Tensor): Arithmetic & Tensor;
  sum(): Arithmetic & Tensor;
  backward(): void;
  item(): number;
}

describe(`optimizers on ${device}`, () => {
  test.each(optimizers)('$name', (run) => {
    const [x, y, c, t] = [run.x, run.y, run.c, run.t].map((data) => build(data).x as Tensor & Arithmetic);
    const Optimizer = optim[run.optimizer] as unknown as new (
      p: Tensor[],
      o: object,
    ) => { zero_grad(): void; step(): void; state_dict(): { state: Record<string, Record<string, unknown>> } };
    const optimizer = new Optimizer([x, y], run.options);
    const losses = run.losses.map((_, i) => {
      optimizer.zero_grad();
      const d = x.sub(t);
      let loss = c.mul(d).mul(d).sum();
      if (i % 3) loss = loss.add(y.mul(y).sum());
      loss.backward();
      optimizer.step();
      return loss.item();
    });
    expectLosses(losses, run.losses);
    expectClose('x', x, run.final.x, 1e-5);
    expectClose('y', y, run.final.y, 1e-5);
    const state = optimizer.state_dict().state[0] ?? {};
    expect(Object.keys(state).sort()).toEqual(expect.arrayContaining(Object.keys(run.state).sort()));
    for (const [name, value] of Object.entries(run.state))
      expectClose(`state ${name}`, state[name] as Tensor, value, 1e-4);
  });
});
