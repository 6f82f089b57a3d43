/** The small entry point: what it has works without the rest, its size, and what the other entry points add to it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { entrySize } from '../bench/bundle.ts';
import { allOps } from '../src/ops/core.ts';
import type * as whole from '../src/torch/namespace.ts';

type Torch = typeof whole;
type Tensor = whole.Tensor;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const load = (name: string) =>
  import(/* @vite-ignore */ pathToFileURL(join(root, exports[name].default)).href) as Promise<Record<string, unknown>>;

// These tests are one story: nothing but the small entry point is loaded until the last of them.
const torch = (await load('./core')).default as Torch;
const { nn, optim } = torch;

test('it comes to no more than 200 KB', async () => {
  const size = await entrySize('./core');
  expect(size).toBeLessThan(200);
  expect(size).toBeGreaterThan(100);
});

test.each(['cpu', 'mtia'])('alone, it trains on %s and tells how much memory that takes', (device) => {
  torch.manual_seed(1);
  const model = new nn.Sequential(
    new nn.Embedding(10, 16),
    new nn.Flatten(),
    new nn.Linear(48, 32),
    new nn.LayerNorm(32),
    new nn.GELU(),
    new nn.Dropout(0.1),
    new nn.Linear(32, 10),
  ).to(device);
  const optimizer = new optim.AdamW(model.parameters(), { lr: 0.01 });
  const scheduler = new optim.lr_scheduler.StepLR(optimizer, 10);
  const x = torch.randint(0, 10, [64, 3], { device });
  const y = x.sum(1).clamp(0, 9);
  const losses = Array.from({ length: 20 }, () => {
    optimizer.zero_grad();
    const loss = nn.functional.cross_entropy(model(x), y);
    loss.backward();
    optimizer.step();
    scheduler.step();
    return loss.item() as number;
  });
  expect(losses[19]).toBeLessThan(losses[0] / 2);
  expect(scheduler.get_last_lr()[0]).toBeCloseTo(0.0001);
  if (device === 'mtia') {
    expect(torch.mtia.memory_allocated()).toBeGreaterThan(0);
    expect(torch.mtia.max_memory_allocated()).toBeGreaterThan(torch.mtia.memory_allocated());
  }
});

/** Whether the library looked for something that it does not have. */
const isMissing = (error: unknown) =>
  /is not a function|is not in torch-mtia|Cannot read properties/.test(String(error));

test('no operation of it, nor its gradient, needs what is not there', () => {
  const a = () => torch.rand(3, 3).requires_grad_();
  const index = torch.zeros(3, 3, { dtype: torch.int64 });
  const tries: [string, () => unknown][] = [];
  const offer = (name: string, f: (...args: unknown[]) => unknown) => {
    const lists: unknown[][] = [[a()], [a(), a()], [a(), 1], [a(), a(), a()], [a(), 1, index], [a(), 1, index, a()]];
    for (const args of [...lists, [[a(), a()]], [a(), [0]], [a(), { dim: 0 }]]) tries.push([name, () => f(...args)]);
  };
  type Functions = Record<string, (...args: unknown[]) => unknown>;
  const spaces = { torch, functional: nn.functional } as unknown as Record<string, Functions>;
  for (const op of allOps().values()) {
    if (op.function) offer(`torch.${op.name}`, spaces['torch'][op.name]);
    // Some are there under other names only.
    if (op.name in spaces['functional']) offer(`functional.${op.name}`, spaces['functional'][op.name]);
    const method = (x: unknown, ...args: unknown[]) =>
      x instanceof torch.Tensor ? (x.clone() as unknown as Functions)[op.name](...args) : null;
    if (op.method) offer(`Tensor.${op.name}`, method);
  }
  const missing = new Set<string>();
  let differentiated = 0;
  for (const [name, attempt] of tries) {
    try {
      const result = attempt();
      const first = (Array.isArray(result) ? result[0] : result) as Tensor;
      if (!(first instanceof torch.Tensor) || !first.requires_grad) continue;
      const x = first.sum();
      const leaf = torch.ones([]).requires_grad_();
      x.mul(leaf).mul(leaf).backward(null, { create_graph: true });
      differentiated++;
    } catch (error) {
      if (isMissing(error)) missing.add(`${name}: ${error}`);
    }
  }
  expect([...missing]).toEqual([]);
  expect(differentiated).toBeGreaterThan(300);
});

test('it says where to find what it lacks', () => {
  const text = (name: string) => `${name} is not in torch-mtia/core: import 'torch-mtia/ops', too`;
  expect('einsum' in torch).toBe(false);
  expect(() => torch.einsum('ij->i', torch.ones(2, 2))).toThrow(text('torch.einsum'));
  expect(() => torch.ones(2, 2).tril()).toThrow(text('torch.Tensor.tril'));
  expect(() => new nn.Linear(1, 1).register_full_backward_hook(() => null)).toThrow("import 'torch-mtia/nn', too");
  expect((torch as unknown as Record<string, unknown>)['no_such_name']).toBe(undefined);
});

test('bundled and minified, it works and its classes have their names', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mtia-core-'));
  const outfile = join(folder, 'core.mjs');
  try {
    writeFileSync(
      join(folder, 'program.js'),
      `import torch from ${JSON.stringify(join(root, exports['./core'].default))};
const model = new torch.nn.Sequential(new torch.nn.Linear(3, 2), new torch.nn.ReLU());
export default [model, model(torch.ones(1, 3)).grad_fn, torch.ones(2, { device: 'mtia' }).add(1)].join('\\n');
`,
    );
    await build({ entryPoints: [join(folder, 'program.js')], bundle: true, format: 'esm', minify: true, outfile });
    const { default: shown } = await import(/* @vite-ignore */ pathToFileURL(outfile).href);
    expect(shown).toMatch(/Linear\(in_features=3[\s\S]*ReLU\(\)[\s\S]*ReluBackward0[\s\S]*tensor\(\[2\., 2\.\]/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the other entry points add themselves to it', async () => {
  const before = torch.ones(2, 2).matmul;
  const amp = (await load('./amp')) as unknown as Torch['amp'];
  const dtype = amp.autocast('cpu', { dtype: torch.bfloat16 }, () => torch.ones(2, 2).matmul(torch.ones(2, 2)).dtype);
  expect(String(dtype)).toBe('torch.bfloat16');
  expect(torch.ones(2, 2).matmul).toBe(before);

  const ops = (await load('./ops')) as unknown as Torch;
  expect(torch.einsum).toBe(ops.einsum);
  expect(torch.ones(2, 2).tril().sum().item()).toBe(3);
  expect(nn.functional.conv1d(torch.ones(1, 1, 3), torch.ones(1, 1, 2)).tolist()).toEqual([[[2, 2]]]);

  const layers = (await load('./nn')) as unknown as Torch['nn'];
  expect(layers.Linear).toBe(nn.Linear);
  expect(new layers.Conv2d(1, 2, 3)(torch.ones(1, 1, 4, 4)).shape).toEqual(torch.ones(1, 2, 2, 2).shape);
  const model = new nn.Linear(1, 1);
  let seen = 0;
  model.register_full_backward_hook(() => void seen++);
  model(torch.ones(1, 1, { requires_grad: true }))
    .sum()
    .backward();
  expect(seen).toBe(1);

  const all = (await load('./optim')) as unknown as Torch['optim'];
  expect(all.Adam).toBe(optim.Adam);
  expect(String(new all.RMSprop(model.parameters()))).toMatch(/^RMSprop \(/);

  const { save, load: read } = (await load('./serialization')) as unknown as Torch;
  const bytes = save(model.state_dict());
  expect(Object.keys(read(bytes as never) as object)).toEqual(['weight', 'bias']);

  const mtia = (await load('./mtia')) as unknown as Torch['mtia'];
  mtia.record_memory_history();
  const kept = torch.ones(1024, { device: 'mtia' });
  expect(mtia.snapshot().device_traces[0].length).toBeGreaterThan(0);
  expect(kept.sum().item()).toBe(1024);
  mtia.record_memory_history(null);

  const data = (await load('./data')) as unknown as Torch['utils']['data'];
  expect([...new data.DataLoader(new data.TensorDataset(torch.ones(4, 2)), { batch_size: 2 })].length).toBe(2);
  const autograd = (await load('./autograd')) as unknown as Torch['autograd'];
  const x = torch.ones(2, { dtype: torch.float64, requires_grad: true });
  expect(autograd.gradcheck((y: Tensor) => y.mul(y), [x])).toBe(true);

  const { default: everything } = (await load('.')) as { default: Torch };
  expect(everything.Tensor).toBe(torch.Tensor);
  expect(everything.einsum).toBe(torch.einsum);
  expect(() => (everything as unknown as Record<string, unknown>)['fft']).toThrow(/is in PyTorch, but not implemented/);
  expect(() => (torch.ones(1) as unknown as Record<string, unknown>)['stft']).toThrow(/not implemented/);
});
