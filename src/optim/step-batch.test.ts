/** One launch for many parameters: bit-equal to a launch for each, whatever the parameters are. */
import { afterEach, describe, expect, test } from 'vitest';
import { device } from '../../tests/device.ts';
import { numbers } from '../kernels/operands.testing.ts';
import torch from '../index.ts';
import { setNumThreads, getNumThreads } from '../devices/threads.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { stepTuning } from './step-batch.ts';

type Options = Record<string, unknown>;
interface Stepping {
  step(): unknown;
  state_dict(): { state: Record<string, Record<string, unknown>> };
}
const optimizers = torch.optim as unknown as Record<string, new (params: Tensor[], options: Options) => Stepping>;

const SIZES = [[3], [1], [0], [4, 5], [257], [64, 64], [2, 3, 2], [130], [5, 1]];
const { parameters: unlimited } = stepTuning;
const threads = getNumThreads();

afterEach(() => {
  stepTuning.parameters = unlimited;
  setNumThreads(threads);
});

const values = (sizes: readonly number[], seed: number, dtype = torch.float32): Tensor => {
  const count = sizes.reduce((a, b) => a * b, 1);
  const data = Float32Array.from(numbers(count, 1000, seed), (x) => x / 300);
  return torch
    .tensor(data, { device })
    .to(dtype)
    .reshape([...sizes]);
};

/** Parameters of many sizes, some transposed, some of other dtypes. */
function parameters(): Tensor[] {
  const list = SIZES.map((sizes, i) => values(sizes, i + 1));
  list.push(values([6, 7], 20).t(), values([33], 21, torch.float64), values([9], 22, torch.bfloat16), values([40], 23));
  return list.map((x) => x.detach().requires_grad_());
}

/** All parameters and states after some steps, in which not every parameter has a gradient. */
function run(name: string, options: Options, steps = 3): unknown[] {
  const params = parameters();
  const optimizer = new optimizers[name](params, options);
  for (let s = 0; s < steps; s++) {
    params.forEach((p, i) => {
      const grad = values(p.sizes, 100 * s + i, p.dtype);
      // The last but one comes late, so its count differs; one gradient lies otherwise than its parameter.
      if (i === 7 && s === 0) p.grad = null;
      else p.grad = i === 5 ? grad.t().contiguous().t() : grad;
    });
    optimizer.step();
  }
  const { state } = optimizer.state_dict();
  const states = Object.values(state).flatMap((kept) => Object.entries(kept).map(([key, x]) => [key, show(x)]));
  return [...params.map(show), ...states];
}

const show = (x: unknown): unknown =>
  x instanceof torch.Tensor ? Array.from(x.detach().cpu().toTypedArray() as Float32Array) : x;

/** Launches on the device that a function makes. */
function launches(fn: () => void): number {
  const { backend } = torch.zeros(1, { device }).storage;
  const before = backend.sequence;
  fn();
  return backend.sequence - before;
}

const CASES: [string, Options][] = [
  ['Adam', { lr: 0.1 }],
  ['Adam', { lr: 0.1, amsgrad: true, weight_decay: 0.1, maximize: true }],
  ['Adam', { lr: 0.1, fused: true }],
  ['AdamW', { lr: 0.1, foreach: true }],
  ['AdamW', { lr: 0.1, foreach: false, amsgrad: true }],
  ['SGD', { lr: 0.1 }],
  ['SGD', { lr: 0.1, momentum: 0.9, weight_decay: 0.1, nesterov: true }],
  ['SGD', { lr: 0.1, momentum: 0.9, dampening: 0.5, maximize: true, fused: true }],
  ['RMSprop', { lr: 0.1, momentum: 0.9, centered: true }],
  ['Adagrad', { lr: 0.1 }],
  ['NAdam', { lr: 0.1 }],
];

describe(`steps together on ${device}`, () => {
  test.each(CASES)('%s %o', (name, options) => {
    stepTuning.parameters = 1;
    const apart = run(name, options);
    for (const parameters of [2, 3, unlimited]) {
      stepTuning.parameters = parameters;
      expect(run(name, options), `${parameters} at a time`).toEqual(apart);
    }
  });

  test('pieces of a launch that is split over threads', () => {
    const result = [1, unlimited].flatMap((parameters) =>
      [1, 2].map((count) => {
        stepTuning.parameters = parameters;
        setNumThreads(count);
        const params = [70_001, 3, 50_003, 64].map((n, i) => values([n], i).requires_grad_());
        params.forEach((p, i) => {
          p.grad = values(p.sizes, 50 + i);
        });
        const optimizer = new torch.optim.Adam(params, { lr: 0.1 });
        optimizer.step();
        optimizer.step();
        return params.map((p) => new Uint8Array((p.detach().cpu().toTypedArray() as Float32Array).buffer));
      }),
    );
    for (const other of result.slice(1)) {
      expect(other.map((bytes, i) => Buffer.compare(bytes, result[0][i]))).toEqual([0, 0, 0, 0]);
    }
  });

  test('more parameters than the words of a launch can name', () => {
    const count = 300;
    const make = () => {
      const params = Array.from({ length: count }, (_, i) => values([1 + (i % 7)], i).requires_grad_());
      params.forEach((p, i) => {
        p.grad = values(p.sizes, i + 1);
      });
      return { params, optimizer: new torch.optim.Adam(params) };
    };
    const [together, apart] = [make(), make()];
    together.optimizer.step();
    const few = launches(() => together.optimizer.step());
    stepTuning.parameters = 1;
    apart.optimizer.step();
    expect(launches(() => apart.optimizer.step())).toBe(count);
    expect(few).toBeLessThan(5);
    expect(together.params.map(show)).toEqual(apart.params.map(show));
  });

  test('a parameter named twice, and gradients that are parameters', () => {
    const results = [1, unlimited].map((parameters) => {
      stepTuning.parameters = parameters;
      const [a, b, c] = [1, 2, 3].map((seed) => values([30_000], seed).requires_grad_());
      a.grad = values([30_000], 4);
      b.grad = a.detach();
      c.grad = values([30_000], 5);
      const halves = [a.detach().narrow(0, 0, 10), a.detach().narrow(0, 5, 10)].map((x) => x.requires_grad_());
      halves.forEach((half, i) => {
        half.grad = values([10], 6 + i);
      });
      new torch.optim.SGD([a, b, c, ...halves], { lr: 0.5 }).step();
      return [a, b, c].map(show);
    });
    expect(results[1]).toEqual(results[0]);
  });

  test('an error in the middle: those before are updated, and counted', () => {
    const [a, b] = [values([3], 1), values([3], 2)].map((x) => x.requires_grad_());
    const optimizer = new torch.optim.Adam([a, b]);
    for (const x of [a, b]) x.grad = torch.ones(3, { device });
    optimizer.step();
    const before = show(a);
    Object.assign(b, { grad: torch.ones(3, { device }) });
    (optimizer.state.get(b) as Record<string, unknown>)['exp_avg'] = torch.ones(2, { device });
    expect(() => optimizer.step()).toThrow('exp_avg is torch.float32 of shape [2]');
    expect(show(a)).not.toEqual(before);
    expect(show((optimizer.state.get(a) as { step: Tensor }).step)).toEqual([2]);
  });
});
