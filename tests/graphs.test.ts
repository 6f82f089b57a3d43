/**
 * What is captured computes what the same calls compute: whole training steps, bit for bit over many of them, inference with
 * inputs copied in, and every op with its backward.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import torch from '../src/index.ts';
import type { Tensor } from '../src/tensor/tensor.ts';
import { callWith, type OpCase, type OpInput, randomInput } from './op-cases.testing.ts';

const { mtia, nn, optim } = torch;
const device = 'mtia';
const F = nn.functional;
const STEPS = 20;
const WARM = 2;

const mlp = () =>
  new nn.Sequential(
    new nn.Linear(12, 32),
    new nn.ReLU(),
    new nn.Dropout(0.25),
    new nn.LayerNorm(32),
    new nn.Linear(32, 5),
  );

interface Program {
  model: InstanceType<typeof nn.Module>;
  params: Tensor[];
  optimizer: InstanceType<typeof optim.Optimizer>;
  /** Forward, loss, backward, step: on the inputs. */
  step(): Tensor;
  /** New inputs. */
  feed(i: number): void;
}

const optimizers: Record<string, (params: Tensor[]) => InstanceType<typeof optim.Optimizer>> = {
  SGD: (params) => new optim.SGD(params, { lr: 0.1 }),
  'SGD with momentum': (params) =>
    new optim.SGD(params, { lr: 0.1, momentum: 0.9, weight_decay: 1e-3, nesterov: true }),
  Adam: (params) => new optim.Adam(params, { lr: 0.01, capturable: true }),
  AdamW: (params) => new optim.AdamW(params, { lr: 0.01, capturable: true, amsgrad: true, maximize: true }),
};

function classifier(optimizer: string): Program {
  torch.manual_seed(3);
  const model = mlp().to(device);
  const params = [...model.parameters()];
  const opt = optimizers[optimizer](params);
  const x = torch.zeros([16, 12], { device });
  const target = torch.zeros(16, { dtype: torch.int64, device });
  const data = torch.randn(8, 16, 12);
  return {
    model,
    params,
    optimizer: opt,
    feed(i) {
      x.copy_(data.index([i % 8]));
      target.copy_(torch.tensor(Array.from({ length: 16 }, (_, k) => BigInt((i + k) % 5))));
    },
    step() {
      opt.zero_grad();
      const loss = F.cross_entropy(model(x) as Tensor, target);
      loss.backward();
      opt.step();
      return loss;
    },
  };
}

/** Losses of the steps, and what is in the parameters and the optimizer's state in the end. */
function outcome(program: Program, losses: number[]): unknown[] {
  const state = Object.values(program.optimizer.state_dict().state).flatMap((kept) => Object.values(kept));
  return [losses, [...program.params, ...state].map((x) => (x as Tensor | null)?.tolist() ?? null)];
}

function eager(program: Program): unknown[] {
  const losses: number[] = [];
  for (let i = 0; i < WARM + STEPS; i++) {
    program.feed(i);
    losses.push(program.step().item() as number);
  }
  return outcome(program, losses);
}

function replayed(program: Program): unknown[] {
  const losses: number[] = [];
  for (let i = 0; i < WARM; i++) {
    program.feed(i);
    losses.push(program.step().item() as number);
  }
  program.optimizer.zero_grad();
  const g = new mtia.MTIAGraph();
  const loss = mtia.graph(g, () => program.step());
  for (let i = WARM; i < WARM + STEPS; i++) {
    program.feed(i);
    g.replay();
    losses.push(loss.item() as number);
  }
  return outcome(program, losses);
}

describe.each(['inline', 'worker'] as const)('%s', (executor) => {
  test('is set up', () => {
    mtia.configure({ executor });
  });

  test.each(Object.keys(optimizers))('a training step with %s', (name) => {
    const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const expected = eager(classifier(name));
    expect(replayed(classifier(name))).toEqual(expected);
    expect((expected[0] as number[]).at(-1)).not.toBe((expected[0] as number[])[0]);
    emit.mockRestore();
  });

  test('inference with inputs copied in', () => {
    torch.manual_seed(1);
    const model = mlp().to(device).eval();
    const x = torch.zeros([4, 12], { device });
    const g = new mtia.MTIAGraph();
    torch.no_grad(() => {
      const y = mtia.graph(g, () => torch.softmax(model(x) as Tensor, 1));
      for (let i = 0; i < 4; i++) {
        const batch = torch.randn(4, 12, { device });
        x.copy_(batch);
        g.replay();
        expect(y.equal(torch.softmax(model(batch) as Tensor, 1))).toBe(true);
      }
    });
  });
});

describe('optimizers', () => {
  const step = (options: object) => {
    torch.manual_seed(3);
    const x = torch.randn(1000, { device, requires_grad: true });
    const opt = new optim.Adam([x], options);
    for (let i = 0; i < 5; i++) {
      opt.zero_grad();
      x.mul(x).sum().backward();
      opt.step();
    }
    return { x, opt };
  };

  test('a capturable step computes what an ordinary one does, and warns once where nothing is captured', () => {
    const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    for (const options of [{ lr: 0.1 }, { lr: 0.1, amsgrad: true, weight_decay: 0.1 }]) {
      emit.mockClear();
      const { x } = step(options);
      expect(emit).not.toHaveBeenCalled();
      const other = step({ ...options, capturable: true });
      expect(x.equal(other.x)).toBe(true);
      expect(emit.mock.calls.map(([warning]) => String(warning))).toEqual([
        expect.stringMatching(
          /^UserWarning: This instance was constructed with capturable=True .* without MTIA graph capture\./,
        ),
      ]);
      const [kept] = Object.values(other.opt.state_dict().state);
      const count = kept['step'] as Tensor;
      expect([count.item(), count.dtype, String(count.device)]).toEqual([5, torch.float32, 'mtia:0']);
    }
    emit.mockRestore();
  });

  test('the count of steps goes with the state to the device and back', () => {
    const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const plain = step({ lr: 0.1 });
    const opt = new optim.Adam([plain.x], { lr: 0.1 });
    const counted = () => (Object.values(opt.state_dict().state)[0]['step'] as Tensor).item();
    opt.load_state_dict(step({ lr: 0.1, capturable: true }).opt.state_dict());
    expect(opt.param_groups[0]['capturable']).toBe(true);
    opt.step();
    expect(counted()).toBe(6);
    opt.param_groups[0]['capturable'] = false;
    opt.step();
    expect(counted()).toBe(7);
    opt.param_groups[0]['capturable'] = true;
    expect(() => opt.step()).toThrow(
      "If capturable=True, params and state_steps must be on supported devices: ['mtia'].",
    );
    const cpu = torch.ones(2, { requires_grad: true });
    cpu.sum().backward();
    expect(() => new optim.Adam([cpu], { capturable: true }).step()).toThrow('must be on supported devices');
    emit.mockRestore();
  });

  test('a step that counts on the host cannot be captured', () => {
    const { opt } = step({ lr: 0.1 });
    const g = new mtia.MTIAGraph();
    expect(() => mtia.graph(g, () => opt.step())).toThrow(
      "Attempting MTIA graph capture of step() for an instance of Adam but param_groups' capturable is False.",
    );
  });
});

describe('every op', () => {
  const fixture = fileURLToPath(new URL('./fixtures/memory.json', import.meta.url));
  const { cases } = JSON.parse(readFileSync(fixture, 'utf8')) as { cases: OpCase[] };
  const input = (x: OpInput): Tensor => randomInput(x, device);

  /** The results, and the gradients of the inputs. */
  const compute = (c: OpCase, inputs: Tensor[]): Tensor[] => {
    const tensors = inputs.map((x) => (x.dtype === torch.float32 ? x.clone() : x));
    const results = callWith(c, tensors);
    const roots = results.filter((x) => x.requires_grad);
    if (c.backward !== undefined)
      torch.autograd.backward(
        roots,
        roots.map((x) => torch.ones_like(x)),
      );
    const grads = inputs.map((x) => x.grad).filter((grad) => grad !== null);
    return [...results.map((x) => x.detach()), ...grads];
  };

  /** They, or their backward, read values: how many results there are, or whether numbers are allowed. As in PyTorch. */
  const WAITS = ['torch.masked_select', 'torch.masked_scatter', 'torch.bincount', 'torch.cumprod', 'torch.multinomial'];

  // Many to a graph, since every capture is two commit points.
  const captured = cases.filter(({ call }) => !WAITS.includes(call));
  const groups = Array.from({ length: 10 }, (_, at) => captured.filter((_, i) => i % 10 === at));

  test.each(WAITS)('%s waits, which a capture refuses', (call) => {
    const c = cases.find((other) => other.call === call)!;
    const inputs = c.inputs.map(input);
    const g = new mtia.MTIAGraph();
    expect(() => mtia.graph(g, () => compute(c, inputs))).toThrow('operation not permitted when stream is capturing');
  });

  test.each(groups.map((group) => [[...new Set(group.map(({ call }) => call))].join(', '), group] as const))(
    '%s',
    (_calls, group) => {
      torch.manual_seed(11);
      const inputs = group.map((c) => c.inputs.map(input));
      const all = () => group.map((c, i) => compute(c, inputs[i]));
      torch.manual_seed(12);
      const expected = all().map((results) => results.map((x) => x.tolist()));
      for (const x of inputs.flat()) x.grad = null;
      torch.manual_seed(12);
      const g = new mtia.MTIAGraph();
      const found = mtia.graph(g, all);
      g.replay();
      for (const [i, { name }] of group.entries()) {
        expect({ name, found: found[i].map((x) => x.tolist()) }).toEqual({ name, found: expected[i] });
      }
    },
  );
});
