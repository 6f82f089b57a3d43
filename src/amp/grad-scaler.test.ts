/** GradScaler and training in mixed precision, against what scripts/oracle/mixed_precision.py recorded. */
import { readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { device } from '../../tests/device.ts';
import { compareTensor } from '../../tests/oracle/compare.ts';
import type { TensorData } from '../../tests/oracle/fixtures.ts';
import { build } from '../../tests/oracle/values.ts';
import torch from '../index.ts';

type Tensor = InstanceType<typeof torch.Tensor>;
interface Recorded {
  scaled: {
    x: TensorData;
    target: TensorData;
    steps: { factor: string; x: TensorData; scale: number; tracker: number }[];
  };
  networks: {
    dtype: 'bfloat16' | 'float16';
    inputs: TensorData;
    labels: TensorData;
    losses: number[];
    dtypes: string[];
    final: Record<string, TensorData>;
  }[];
}

const recorded = JSON.parse(
  readFileSync(new URL('../../tests/fixtures/mixed_precision.json', import.meta.url), 'utf8'),
) as Recorded;
const KIND = { group: 'mixed precision', backward: true };
const { GradScaler } = torch.amp;

test('twenty steps, of which some overflow, are PyTorch’s', () => {
  const { steps, ...data } = recorded.scaled;
  const x = build(data.x).x as Tensor;
  const target = build(data.target).x as Tensor;
  const scaler = new GradScaler(device, {
    init_scale: 1024,
    growth_factor: 3,
    backoff_factor: 0.25,
    growth_interval: 4,
  });
  const optimizer = new torch.optim.SGD([x], { lr: 0.1, momentum: 0.5 });
  for (const [i, step] of steps.entries()) {
    optimizer.zero_grad();
    scaler.scale(x.sub(target).pow(2).sum()).backward();
    const factor = { inf: Infinity, nan: Number.NaN }[step.factor] ?? Number(step.factor);
    x.grad!.index([1, 1]).mul_(factor);
    if (i % 3 === 0) scaler.unscale_(optimizer);
    expect(scaler.step(optimizer)).toBeNull();
    scaler.update(i === 16 ? 7.5 : null);
    expect(scaler.get_scale(), `scale after step ${i}`).toBe(step.scale);
    expect(scaler.state_dict()._growth_tracker).toBe(step.tracker);
    expect(compareTensor(x, step.x, KIND), `x after step ${i}`).toBeNull();
  }
});

describe.each(recorded.networks)('thirty steps of a network in $dtype', (run) => {
  test('give losses close to PyTorch’s', () => {
    torch.manual_seed(4);
    const { nn } = torch;
    const model = new nn.Sequential(
      new nn.Linear(10, 32),
      new nn.LayerNorm(32),
      new nn.ReLU(),
      new nn.Linear(32, 4),
    ).to(device);
    const optimizer = new torch.optim.AdamW(model.parameters(), { lr: 0.01 });
    const scaler = new GradScaler(device, { init_scale: 256, enabled: run.dtype === 'float16' });
    const inputs = build(run.inputs).x as Tensor;
    const labels = build(run.labels).x as Tensor;
    let dtypes: string[] = [];
    for (const [i, expected] of run.losses.entries()) {
      optimizer.zero_grad();
      const [logits, loss] = torch.autocast(device, { dtype: torch[run.dtype] }, () => {
        const out = model(inputs);
        return [out, nn.functional.cross_entropy(out, labels)];
      });
      scaler.scale(loss).backward();
      scaler.step(optimizer);
      scaler.update();
      // Sums in another order, rounded to the half type, after which every step differs a little.
      const margin = (run.dtype === 'float16' ? 2e-3 : 1.5e-2) * Math.max(1, Math.abs(expected));
      expect(Math.abs((loss.item() as number) - expected), `loss of step ${i}`).toBeLessThan(margin);
      const weight = model.get_parameter('0.weight');
      dtypes = [logits.dtype.name, loss.dtype.name, weight.grad!.dtype.name];
    }
    expect(dtypes).toEqual(run.dtypes);
  });
});

describe('GradScaler', () => {
  const parameter = () => torch.ones(3, { device, requires_grad: true });
  const scaler = () => new GradScaler(device, { init_scale: 8 });
  const sgd = (x: Tensor) => new torch.optim.SGD([x], { lr: 1 });

  test('scales nested outputs, and unscales all dtypes and layouts', () => {
    const s = scaler();
    const x = torch.tensor([1, 2], { device });
    const [a, [b]] = s.scale([x, [x.to(torch.float64)]]) as [Tensor, [Tensor]];
    expect(a.tolist()).toEqual([8, 16]);
    expect([b.dtype, b.tolist()]).toEqual([torch.float64, [8, 16]]);
    const params = [torch.float64, torch.bfloat16, torch.float32].map((dtype) =>
      torch.ones(2, 3, { dtype, device, requires_grad: true }),
    );
    for (const p of params) p.grad = p.detach().mul(16);
    params[2].grad = torch.ones(3, 2, { device }).mul(16).t();
    const empty = torch.ones(0, { device, requires_grad: true });
    empty.grad = empty.detach().clone();
    const optimizer = new torch.optim.SGD([...params, empty], { lr: 0.25 });
    const version = params[0].grad!._version;
    s.unscale_(optimizer);
    for (const p of params) expect(p.grad!.index([1, 2]).item()).toBe(2);
    expect(params[0].grad!._version).toBe(version + 1);
    s.step(optimizer);
    expect(params[1].index([0, 0]).item()).toBe(0.5);
  });

  test('an overflow in any of two optimizers backs off; each is skipped by itself', () => {
    const s = scaler();
    const [x, y] = [parameter(), parameter()];
    const [first, second] = [sgd(x), sgd(y)];
    s.scale(x.sum()).backward();
    s.scale(y.mul(Infinity).sum()).backward();
    s.step(first);
    s.step(second);
    s.update();
    expect([x.tolist(), y.tolist(), s.get_scale()]).toEqual([[0, 0, 0], [1, 1, 1], 4]);
  });

  test('the scale does not grow to infinity', () => {
    const s = new GradScaler(device, { init_scale: 3e38, growth_interval: 1 });
    const x = parameter();
    const optimizer = sgd(x);
    s.scale(x.sum().mul(1e-38)).backward();
    s.step(optimizer);
    s.update();
    expect(s.get_scale()).toBe(Math.fround(3e38));
  });

  test('its state, saved and loaded', () => {
    const s = new GradScaler(device, { init_scale: 8, growth_interval: 10 });
    expect(s.state_dict()).toEqual({
      scale: 8,
      growth_factor: 2,
      backoff_factor: 0.5,
      growth_interval: 10,
      _growth_tracker: 0,
    });
    const x = parameter();
    s.scale(x.sum()).backward();
    const state = { scale: 32, growth_factor: 4, backoff_factor: 0.25, growth_interval: 3, _growth_tracker: 2 };
    s.load_state_dict(state);
    expect(s.state_dict()).toEqual(state);
    s.step(sgd(x));
    s.update();
    expect(s.get_scale()).toBe(128);
    const other = scaler();
    other.load_state_dict(state);
    expect(other.scale(parameter()).tolist()).toEqual([32, 32, 32]);
    expect(() => other.load_state_dict({})).toThrow(
      'The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler.',
    );
    s.set_growth_factor(5);
    s.set_backoff_factor(0.1);
    s.set_growth_interval(7);
    expect([s.get_growth_factor(), s.get_backoff_factor(), s.get_growth_interval()]).toEqual([5, 0.1, 7]);
  });

  test('not enabled, it is not there', () => {
    const s = new GradScaler(device, { enabled: false });
    const x = parameter();
    const loss = x.sum();
    expect(s.scale(loss)).toBe(loss);
    loss.backward();
    s.unscale_(sgd(x));
    s.step(sgd(x));
    s.update();
    expect([x.tolist(), s.get_scale(), s.state_dict(), s.is_enabled()]).toEqual([[0, 0, 0], 1, {}, false]);
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    expect(new torch.GradScaler().is_enabled()).toBe(false);
    expect((warned.mock.calls[0][0] as Error).message).toBe(
      'torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.',
    );
    vi.restoreAllMocks();
  });

  test('mistakes', () => {
    const bad = (options: object) => () => new GradScaler(device, options);
    expect(bad({ growth_factor: 1 })).toThrow('The growth factor must be > 1.0.');
    expect(bad({ backoff_factor: 1 })).toThrow('The backoff factor must be < 1.0.');
    expect(bad({ scale: 1 })).toThrow("GradScaler.__init__() got an unexpected keyword argument 'scale'");
    const s = scaler();
    const x = parameter();
    const optimizer = sgd(x);
    const hint = 'This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration.';
    expect(() => s.unscale_(optimizer)).toThrow(`Attempted unscale_ but _scale is None.  ${hint}`);
    expect(() => s.step(optimizer)).toThrow(`Attempted step but _scale is None.  ${hint}`);
    expect(() => s.update()).toThrow(`Attempted update but _scale is None.  ${hint}`);
    expect(() => s.scale(3 as never)).toThrow('outputs must be a Tensor or an iterable of Tensors');
    s.scale(x.sum());
    expect(() => s.update()).toThrow('No inf checks were recorded prior to update.');
    expect(() => s.step(optimizer)).toThrow('No inf checks were recorded for this optimizer.');
    s.update(4);
    s.scale(x.sum()).backward();
    s.unscale_(optimizer);
    expect(() => s.unscale_(optimizer)).toThrow(
      'unscale_() has already been called on this optimizer since the last update().',
    );
    expect(() => s.step(optimizer, { closure: () => 1 } as never)).toThrow(
      'Closure use is not currently supported if GradScaler is enabled.',
    );
    s.step(optimizer);
    expect(() => s.step(optimizer)).toThrow('step() has already been called since the last update().');
    expect(() => s.unscale_(optimizer)).toThrow('unscale_() is being called after step().');
    expect(() => s.update(x)).toThrow('new_scale should be a float or a 1-element');
    const half = torch.ones(2, { device, dtype: torch.float16, requires_grad: true });
    half.grad = half.detach().clone();
    expect(() => s.unscale_(sgd(half))).toThrow('Attempting to unscale FP16 gradients.');
  });
});
