/**
 * Thirty training steps of a CNN with batch norm, an LSTM, a transformer encoder block and a DLRM equal PyTorch's: losses
 * within 1e-5, parameters within 1e-4. Under autocast the DLRM is as equal; the others begin so, and go apart by the last places of bfloat16
 * where PyTorch rounds between the parts of one operation (sums of a convolution, gates of an LSTM). Recorded by scripts/oracle/training.py.
 */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import torch from '../src/index.ts';
import type { Tensor } from '../src/tensor/tensor.ts';
import { device } from './device.ts';
import { compareNumbers } from './oracle/compare.ts';
import type { TensorData } from './oracle/fixtures.ts';
import { arrayOf, build, bytesOf, numbersOf } from './oracle/values.ts';

const { nn, optim } = torch;

type ModelName = 'cnn' | 'lstm' | 'encoder' | 'dlrm';

interface Run {
  model: ModelName;
  optimizer: string;
  options: object;
  autocast: boolean;
  losses: number[];
  final?: Record<string, TensorData>;
}

const { models, runs } = JSON.parse(readFileSync(new URL('fixtures/training.json', import.meta.url), 'utf8')) as {
  models: { name: ModelName; batches: { inputs: TensorData[]; target: TensorData }[] }[];
  runs: Run[];
};

class Cnn extends nn.Module {
  features = new nn.Sequential(
    new nn.Conv2d(1, 6, 3, { padding: 1, bias: false }),
    new nn.BatchNorm2d(6),
    new nn.ReLU(),
    new nn.MaxPool2d(2),
    new nn.Conv2d(6, 8, 3, { padding: 1, bias: false }),
    new nn.BatchNorm2d(8),
    new nn.ReLU(),
    new nn.AdaptiveAvgPool2d(1),
  );
  out = new nn.Linear(8, 4);

  override forward(x: Tensor): Tensor {
    return this.out(this.features(x).flatten(1));
  }
}

class Lstm extends nn.Module {
  embed = new nn.Embedding(12, 6);
  lstm = new nn.LSTM(6, 8, { num_layers: 2, batch_first: true, bidirectional: true, dropout: 0.1 });
  out = new nn.Linear(16, 3);

  override forward(ids: Tensor): Tensor {
    const [hidden] = this.lstm(this.embed(ids));
    return this.out(hidden.index([':', -1]));
  }
}

class Encoder extends nn.Module {
  block = new nn.TransformerEncoderLayer(12, 3, 24, { dropout: 0.1, batch_first: true });
  out = new nn.Linear(12, 3);

  override forward(x: Tensor): Tensor {
    return this.out(this.block(x).mean(1));
  }
}

class Dlrm extends nn.Module {
  tables = new nn.ModuleList([7, 11, 5].map((n) => new nn.EmbeddingBag(n, 4, { mode: 'sum' })));
  bottom = new nn.Sequential(new nn.Linear(5, 8), new nn.ReLU(), new nn.Linear(8, 4), new nn.ReLU());
  top = new nn.Sequential(new nn.Linear(4 + 6, 8), new nn.ReLU(), new nn.Linear(8, 1));

  override forward(dense: Tensor, ...ids: Tensor[]): Tensor {
    const x = this.bottom(dense);
    const features = torch.stack([x, ...ids.map((each, i) => this.tables.at(i)(each))], 1);
    const products = torch.bmm(features, features.transpose(1, 2));
    const [row, column] = torch.tril_indices(4, 4, -1, { device: dense.device });
    return this.top(torch.cat([x, products.index([':', row, column])], 1)).squeeze(1);
  }
}

const MODELS = { cnn: Cnn, lstm: Lstm, encoder: Encoder, dlrm: Dlrm };

/** How far losses may be off under autocast: at the first step, and at any. About twice what is measured. */
const AUTOCAST: Record<ModelName, readonly [first: number, any: number]> = {
  cnn: [1e-5, 1.5e-2],
  lstm: [4e-4, 1e-2],
  encoder: [1e-5, 2e-3],
  dlrm: [1e-5, 1e-5],
};

function expectClose(what: string, actual: Tensor, expected: TensorData): void {
  expect([...actual.shape], `${what}: shape`).toEqual(expected.shape);
  let wanted = numbersOf(expected.dtype, arrayOf(expected.dtype, bytesOf(expected.data)) as ArrayLike<number>);
  let values = numbersOf(expected.dtype, actual.toTypedArray() as ArrayLike<number>);
  // The bias of keys changes nothing, so its gradient is rounding errors, which Adam makes large.
  if (what.endsWith('in_proj_bias')) [wanted, values] = [wanted, values].map(withoutKeys);
  // Parameters that cross zero are judged by the size of their tensor.
  const wrong = compareNumbers(values, wanted, { relative: 1e-4, absolute: 1e-7, scaled: 1e-4 });
  expect(wrong, what).toBeNull();
}

function withoutKeys(bias: ArrayLike<number | bigint>): (number | bigint)[] {
  const all = Array.from(bias);
  return [...all.slice(0, all.length / 3), ...all.slice((2 * all.length) / 3)];
}

beforeEach(() => torch.set_default_device(device));
afterEach(() => torch.set_default_device(null));

describe(`training on ${device}`, () => {
  test('four models, four optimizers, with and without autocast, thirty steps', () => {
    const names = (key: 'model' | 'optimizer' | 'autocast') => [...new Set(runs.map((run) => String(run[key])))].sort();
    expect(names('model')).toEqual(['cnn', 'dlrm', 'encoder', 'lstm']);
    expect(names('optimizer')).toEqual(['Adam', 'AdamW', 'RMSprop', 'SGD']);
    expect(new Set(runs.map((run) => `${run.model} ${run.optimizer} ${run.autocast}`)).size).toBe(32);
    expect(runs.every(({ losses }) => losses.length === 30)).toBe(true);
    expect(runs.filter(({ optimizer }) => optimizer === 'SGD').every(({ options }) => 'momentum' in options)).toBe(
      true,
    );
  });

  test.each(runs.map((run) => [`${run.model} ${run.optimizer}${run.autocast ? ' autocast' : ''}`, run] as const))(
    '%s',
    (_, run) => {
      const { batches } = models.find(({ name }) => name === run.model)!;
      torch.manual_seed(1);
      const model = new MODELS[run.model]();
      const Optimizer = (optim as unknown as Record<string, new (p: unknown, o: object) => typeof optimizer>)[
        run.optimizer
      ];
      const optimizer: InstanceType<typeof optim.Optimizer> = new Optimizer(model.parameters(), run.options);
      const criterion = run.model === 'dlrm' ? new nn.BCEWithLogitsLoss() : new nn.CrossEntropyLoss();
      const data = batches.map(({ inputs, target }) => ({
        inputs: inputs.map((x) => build(x).x as unknown as Tensor),
        target: build(target).x as unknown as Tensor,
      }));
      const forward = model as unknown as (...inputs: Tensor[]) => Tensor;
      const losses = run.losses.map((_loss, i) => {
        const { inputs, target } = data[i % data.length];
        optimizer.zero_grad();
        // The cpu's dtype, so that the numbers are those that were recorded.
        const options = { dtype: torch.bfloat16, enabled: run.autocast };
        const loss = torch.autocast(device, options, () => criterion(forward(...inputs), target));
        loss.backward();
        optimizer.step();
        return loss.item() as number;
      });
      const [first, any] = run.autocast ? AUTOCAST[run.model] : [1e-5, 1e-5];
      for (const [i, loss] of run.losses.entries()) {
        const off = Math.abs(losses[i] - loss) / Math.max(1, Math.abs(loss));
        expect(off, `loss of step ${i}: ${losses[i]}, expected ${loss}`).toBeLessThan(i === 0 ? first : any);
      }
      const state = model.state_dict();
      for (const [name, value] of Object.entries(run.final ?? {})) expectClose(name, state[name], value);
    },
  );
});
