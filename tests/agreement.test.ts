/**
 * Random programs on two virtual devices, in a worker and inline, against the same programs on the cpu: equal bit for
 * bit, however tensors are disposed of, scoped, changed in place, copied between devices and read in between. A failure
 * tells its seed and the last steps.
 */
import torch, { type dtype as DType, type Tensor } from 'torch-mtia';
import { beforeAll, describe, expect, test } from 'vitest';

const DEVICES = ['mtia:0', 'mtia:1'];
const SHAPES = [[4], [3, 4], [1, 4], [3, 1], [], [0, 4], [40, 50], [2, 3, 4], [150, 200]];
const { float32, float64, float16, bfloat16, int64, int32, uint8, bool } = torch;
const DTYPES = [float32, float32, float64, float16, bfloat16, int64, int32, uint8, bool];

/** One tensor twice. */
interface Twin {
  cpu: Tensor;
  mtia: Tensor;
}
type Step = (a: Tensor, b: Tensor, number: number) => Tensor;

const positions = (a: Tensor) => torch.tensor([0n, -1n], { device: a.device });
const last = (a: Tensor) => a.transpose(-1, -2);
const gradientOf = (f: (x: Tensor) => Tensor) => (a: Tensor) => {
  const x = a.float().detach().requires_grad_();
  f(x).sum().backward();
  return x.grad!;
};
const seeded =
  (f: (a: Tensor) => Tensor): Step =>
  (a, _, number) => {
    torch.manual_seed(number);
    return f(a);
  };

const NEW: Record<string, Step> = {
  add: (a, b) => a.add(b),
  sub: (a, b) => a.sub(b),
  mul: (a, b) => a.mul(b),
  div: (a, b) => a.div(b),
  maximum: (a, b) => torch.maximum(a, b),
  lt: (a, b) => a.lt(b),
  where: (a, b) => torch.where(a.gt(0), a, b),
  cat: (a, b) => torch.cat([a, b]),
  matmul: (a, b) => a.float().matmul(b.float()),
  exp: (a) => a.exp(),
  sin: (a) => a.sin(),
  tanh: (a) => a.tanh(),
  log: (a) => a.log(),
  erf: (a) => a.erf(),
  relu: (a) => a.relu(),
  neg: (a) => a.neg(),
  isnan: (a) => a.isnan(),
  sum: (a) => a.sum(),
  'sum(0)': (a) => a.sum(0),
  'sum(-1)': (a) => a.sum(-1, { keepdim: true }),
  mean: (a) => a.float().mean(),
  amax: (a) => a.amax(-1),
  argmax: (a) => a.argmax(0),
  cumsum: (a) => a.cumsum(0),
  softmax: (a) => a.float().softmax(-1),
  logsumexp: (a) => a.float().logsumexp(0),
  layer_norm: (a) => torch.nn.functional.layer_norm(a.float(), [a.size(-1)]),
  transpose: (a) => a.transpose(0, -1),
  flatten: (a) => a.flatten(),
  unsqueeze: (a) => a.unsqueeze(0),
  narrow: (a) => a.narrow(0, 1, a.size(0) - 1),
  select: (a) => a.select(-1, 0),
  expand: (a) => a.unsqueeze(0).expand(2, ...a.shape),
  contiguous: (a) => a.contiguous(),
  stack: (a) => torch.stack([a, a]),
  'index(positions)': (a) => a.index([positions(a)]),
  'index(mask)': (a) => a.index([a.gt(0)]),
  half: (a) => a.half(),
  int: (a) => a.clamp(-100, 100).to(int32),
  'product with itself': (a) => a.float().matmul(last(a.float())),
  'gradient of sin': gradientOf((x) => x.mul(x).sin()),
  'gradient of softmax': gradientOf((x) => x.matmul(last(x)).softmax(-1)),
  dropout: seeded((a) => torch.nn.functional.dropout(a.float(), 0.5)),
  randn: seeded((a) => torch.randn(a.shape, { device: a.device })),
  randperm: seeded((a) => torch.randperm(37, { device: a.device })),
};
const CHANGES: Record<string, Step> = {
  add_: (a, b) => a.add_(b),
  mul_: (a, b) => a.mul_(b),
  copy_: (a, b) => a.copy_(b),
  zero_: (a) => a.zero_(),
  fill_: (a, _, number) => a.fill_(number % 5),
  relu_: (a) => a.relu_(),
  uniform_: seeded((a) => a.uniform_()),
  'narrow().mul_': (a) => {
    a.narrow(0, 0, 1).mul_(2);
    return a;
  },
  index_put_: (a, _, number) =>
    a.index_put_([positions(a)], torch.tensor(number % 3, { device: a.device, dtype: a.dtype })),
};

class Program {
  private readonly twins: Twin[] = [];
  readonly history: string[] = [];
  constructor(private state: number) {}

  private random(): number {
    this.state = (Math.imul(this.state, 1103515245) + 12345) & 0x7fffffff;
    return (this.state >>> 8) / 2 ** 23;
  }
  private below(n: number): number {
    return Math.floor(this.random() * n);
  }
  private pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)];
  }

  private fresh(): void {
    const [shape, dtype, device]: [number[], DType, string] = [
      this.pick(SHAPES),
      this.pick(DTYPES),
      this.pick(DEVICES),
    ];
    const source = new Float32Array(shape.reduce((a, b) => a * b, 1)).map(() => (this.below(129) - 64) / 16);
    const cpu = torch.tensor(source).view(shape).to(dtype);
    const there = this.random() < 0.5 ? torch.tensor(source, { device }) : torch.tensor(source).to(device);
    source.fill(777);
    this.twins.push({ cpu, mtia: there.view(shape).to(dtype) });
    this.history.push(`fresh ${shape} ${dtype} ${device}`);
  }

  private remove(twin: Twin): void {
    this.twins.splice(this.twins.indexOf(twin), 1);
  }

  step(): void {
    if (this.twins.length < 4 || this.random() < 0.1) this.fresh();
    const a = this.pick(this.twins);
    const kind = this.random();
    if (kind < 0.04) this.compare(a);
    else if (kind < 0.12) {
      this.history.push('dispose');
      a.cpu.dispose();
      a.mtia.dispose();
      this.remove(a);
    } else if (kind < 0.18) {
      const to = this.pick([...DEVICES, 'cpu']);
      const mtia = to === 'cpu' ? a.mtia.to('cpu').to(this.pick(DEVICES)) : a.mtia.to(to);
      this.history.push(`to ${to}`);
      this.twins.push({ cpu: a.cpu.clone(), mtia: mtia === a.mtia ? mtia.clone() : mtia });
    } else this.operation(a, kind < 0.82 ? NEW : CHANGES);
  }

  private operation(a: Twin, operations: Record<string, Step>): void {
    const b = this.pick(this.twins);
    if (a.mtia.device !== b.mtia.device) return;
    const [name, step] = this.pick(Object.entries(operations));
    const number = this.below(1000);
    const scoped = this.random() < 0.3;
    this.history.push(
      `${name} ${a.cpu.shape} ${a.cpu.dtype}, ${b.cpu.shape} ${b.cpu.dtype}${scoped ? ', scoped' : ''}`,
    );
    const run = (x: Tensor, y: Tensor) => {
      try {
        const result = step(x, y, number);
        // Faults come with the next synchronisation, and must not be taken for another step's.
        if (name.startsWith('index')) torch.mtia.synchronize(a.mtia.device);
        return result;
      } catch (error) {
        return String(error).replaceAll(/, device='mtia:\d'|torch\.(?:mtia\.)?|mtia:\d|cpu/g, '');
      }
    };
    const mtia = scoped ? torch.scope(() => run(a.mtia, b.mtia)) : run(a.mtia, b.mtia);
    const cpu = run(a.cpu, b.cpu);
    if (typeof mtia === 'string' || typeof cpu === 'string') expect(mtia).toBe(cpu);
    else if (mtia !== a.mtia && mtia.numel() < 300_000) this.twins.push({ cpu, mtia });
    if (this.twins.length > 30) this.remove(this.pick(this.twins));
  }

  private compare({ cpu, mtia }: Twin): void {
    expect(mtia.dtype).toBe(cpu.dtype);
    expect(mtia.shape).toEqual(cpu.shape);
    const [want, got] = [cpu, mtia].map((x) => x.detach().toTypedArray());
    const bits = (array: typeof want) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);
    if (bits(want).equals(bits(got))) return;
    // Which of two NaNs an operation passes on is nobody's promise.
    const at = want.findIndex((value: number | bigint, i: number) => !Object.is(value, got[i]));
    if (at >= 0) expect(`${got[at]} at ${at} of ${mtia.shape} ${mtia.dtype}`).toBe(`${want[at]}`);
  }

  compareAll(): void {
    for (const twin of this.twins) this.compare(twin);
  }
}

describe.each(['worker', 'inline'] as const)('%s', (executor) => {
  beforeAll(() => {
    torch.mtia.configure({ devices: 2, executor });
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('program %i', (seed) => {
    const program = new Program(seed);
    try {
      for (let i = 0; i < 400; i++) program.step();
      program.compareAll();
    } catch (error) {
      (error as Error).message += `\nafter ${program.history.slice(-25).join('\n      ')}`;
      throw error;
    }
  });
});
