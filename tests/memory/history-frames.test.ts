/** Where the stacks of the memory history point: at the program's own lines, innermost first, through whatever of the library lies between. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import torch, { type FunctionCtx, type Tensor } from 'torch-mtia';
import type { HistoryOptions } from '../../src/memory/history.ts';
import type { Frame, TraceEntryDict } from '../../src/memory/snapshot/types.ts';

const { nn, optim } = torch;
const { memory } = torch.mtia;
const device = 'mtia';
const FILE = import.meta.filename;
const LIBRARY = join(import.meta.dirname, '../../src/');

/** Numbers of the lines that end with `// @mark`. */
const marks = new Map<string, number>();
readFileSync(FILE, 'utf8')
  .split('\n')
  .forEach((line, i) => {
    const mark = /\/\/ @(\w+)$/.exec(line);
    if (mark !== null) marks.set(mark[1], i + 1);
  });
const at = (mark: string): number => {
  expect(marks.has(mark), mark).toBe(true);
  return marks.get(mark)!;
};

/** Newer versions of V8 do not tell the class of a method of what is a function, as modules are. */
const plain = (name: string): string => name.replace(/^\w+\.forward$/, 'forward');

/** `[name, line]` of the frames in this file. */
const own = ({ frames }: { frames?: Frame[] }): [string, number][] =>
  (frames ?? []).filter(({ filename }) => filename === FILE).map(({ name, line }) => [plain(name), line]);

/** The events of a program, without those of segments. */
function record(program: () => unknown, options: HistoryOptions = {}): TraceEntryDict[] {
  memory._record_memory_history('all', { clear_history: true, ...options });
  const kept = program();
  const entries = torch.mtia.snapshot().device_traces[0].filter(({ action }) => !action.startsWith('segment'));
  expect(kept).toBe(kept);
  for (const { frames } of entries) {
    for (const { filename } of frames ?? []) expect(filename.startsWith(LIBRARY), filename).toBe(false);
  }
  return entries;
}

class Inner extends nn.Module {
  linear = new nn.Linear(4, 4);
  override forward(x: Tensor): Tensor {
    return this.linear(x).relu(); // @inner
  }
}

class Outer extends nn.Module {
  inner = new nn.Sequential(new Inner());
  override forward(x: Tensor): Tensor {
    const hidden = this.inner(x); // @outer
    return hidden.mul(2); // @mul
  }
}

beforeEach(() => torch.mtia.init());
afterEach(() => memory._record_memory_history(null));

describe('innermost first, with names and lines as they are written', () => {
  test('functions, methods, constructors, anonymous functions', () => {
    class Loader {
      batch: Tensor;
      constructor() {
        this.batch = this.load(); // @constructor
      }
      load(): Tensor {
        return torch.ones(3, { device }); // @load
      }
    }
    const [entry] = record(() => new Loader()); // @callback
    expect(own(entry).slice(0, 3)).toEqual([
      ['Loader.load', at('load')],
      ['new Loader', at('constructor')],
      ['<anonymous>', at('callback')],
    ]);
  });

  test('every way to allocate', () => {
    const x = torch.ones(4, 4, { device });
    const ways: Record<string, () => unknown> = {
      factory: () => torch.zeros(4, { device }), // @factory
      data: () => torch.tensor([1, 2, 3], { device }), // @data
      move: () => torch.ones(4).to(device), // @move
      unary: () => x.exp(), // @unary
      binary: () => torch.add(x, x), // @binary
      number: () => x.add(1), // @number
      general: () => x.add(x, { alpha: 2 }), // @general
      reduction: () => x.sum(0), // @reduction
      matmul: () => torch.matmul(x, x), // @matmul
      functional: () => nn.functional.softmax(x, 1), // @functional
      module: () => new nn.LayerNorm(4, { device }), // @module
      indexing: () => x.index([0, torch.tensor([1n, 2n]).to(device)]), // @indexing
      pairs: () => x.max(1), // @pairs
      random: () => torch.randn(4, { device }), // @random
      kept: () => x.clone(), // @kept
    };
    for (const [name, run] of Object.entries(ways)) {
      const allocations = record(run).filter(({ action }) => action === 'alloc');
      expect(allocations.length, name).toBeGreaterThan(0);
      for (const entry of allocations) expect(own(entry)[0], name).toEqual([name, at(name)]);
    }
  });

  test('forward methods of modules in modules', () => {
    const model = new Outer().to(device);
    const x = torch.ones(2, 4, { device });
    const train = (): Tensor => model(x); // @train
    const [linear, relu, mul] = record(train).filter(({ action }) => action === 'alloc');
    for (const entry of [linear, relu]) {
      expect(own(entry).slice(0, 3)).toEqual([
        ['forward', at('inner')],
        ['forward', at('outer')],
        ['train', at('train')],
      ]);
    }
    expect(own(mul).slice(0, 2)).toEqual([
      ['forward', at('mul')],
      ['train', at('train')],
    ]);
  });

  test('fifty modules in one another: many more frames of the library than of the program', () => {
    let model: InstanceType<typeof nn.Module> = new Inner();
    for (let i = 0; i < 50; i++) model = new nn.Sequential(model);
    model.to(device);
    const x = torch.ones(2, 4, { device });
    const deep = (): unknown => (model as unknown as (x: Tensor) => Tensor)(x); // @deep
    const [linear] = record(deep);
    expect(own(linear).slice(0, 2)).toEqual([
      ['forward', at('inner')],
      ['deep', at('deep')],
    ]);
  });

  test('a deep stack is cut at its outer end', () => {
    const recurse = (depth: number): Tensor => (depth === 0 ? torch.ones(2, { device }) : recurse(depth - 1));
    const [entry] = record(() => recurse(100));
    expect(entry.frames!.map(({ name }) => name)).toEqual(Array(16).fill('recurse'));
    const [long] = record(() => recurse(100), { maxFrames: 90 });
    expect(long.frames!.map(({ name }) => name)).toEqual(Array(90).fill('recurse'));
    const [whole] = record(() => recurse(100), { maxFrames: 1000 });
    const found = own(whole).map(([name]) => name);
    expect(found.slice(0, 101)).toEqual(Array(101).fill('recurse'));
    expect(found[101]).not.toBe('recurse');
  });
});

describe('what is freed', () => {
  const frees = (entries: TraceEntryDict[]) => entries.filter(({ action }) => action === 'free_completed');

  test('by dispose, by the end of a scope, by a gradient that is set to null', () => {
    const x = torch.ones(3, { device, requires_grad: true });
    const optimizer = new optim.SGD([x], { lr: 0.1 });
    const letGo = (y: Tensor): void => y.dispose(); // @dispose
    const inScope = (): void => torch.scope(() => void x.detach().exp().exp()); // @scope
    const clear = (): void => optimizer.zero_grad(); // @clear
    const [disposed] = frees(record(() => letGo(x.detach().add(1))));
    expect(own(disposed)[0]).toEqual(['letGo', at('dispose')]);
    const scoped = frees(record(inScope));
    expect(scoped).toHaveLength(2);
    for (const entry of scoped) expect(own(entry)[0]).toEqual(['inScope', at('scope')]);
    x.mul(2).sum().backward();
    const [cleared] = frees(record(clear));
    expect(own(cleared)[0]).toEqual(['clear', at('clear')]);
  });

  test('what was only dropped shows where it was allocated', () => {
    const make = (): void => void torch.ones(3, { device }); // @dropped
    const [entry] = frees(record(make));
    expect(own(entry)[0]).toEqual(['make', at('dropped')]);
  });
});

describe('backward and optimizers', () => {
  test('whatever they allocate and free is at their caller', () => {
    const model = new Outer().to(device);
    const optimizer = new optim.Adam(model.parameters());
    const x = torch.ones(2, 4, { device });
    const back = (): void => model(x).sum().backward(); // @back
    const step = (): unknown => optimizer.step(); // @step
    const grads = (): unknown =>
      torch.autograd.grad(model(torch.ones(2, 4, { device })).sum(), [...model.parameters()]); // @grads
    const backward = record(back);
    const all = backward.filter((entry) => own(entry)[0]?.[0] === 'back');
    // The sum, then gradients: more than the two that stay.
    expect(all.filter(({ action }) => action === 'alloc').length).toBeGreaterThan(4);
    expect(all.filter(({ action }) => action === 'free_completed').length).toBeGreaterThan(2);
    for (const entry of all) expect(own(entry)[0]).toEqual(['back', at('back')]);
    const update = record(step);
    expect(update.filter(({ action }) => action === 'alloc')).toHaveLength(4);
    for (const entry of update) expect(own(entry)[0]).toEqual(['step', at('step')]);
    expect(
      own(
        record(grads)
          .filter(({ action }) => action === 'alloc')
          .at(-1)!,
      )[0],
    ).toEqual(['grads', at('grads')]);
  });

  test('code of the program that they run is at its own lines, what they go on with is not', () => {
    const x = torch.ones(3, { device, requires_grad: true });
    class Double extends torch.autograd.Function {
      static override forward(_: FunctionCtx, y: Tensor): Tensor {
        return y.mul(2); // @forward
      }
      static override backward(_: FunctionCtx, grad: Tensor): Tensor {
        return grad.mul(2); // @backward
      }
    }
    const y = Double.apply(x.exp()) as Tensor;
    y.register_hook((grad) => grad.add(1)); // @hook
    const loss = y.exp().sum();
    const run = (): void => loss.backward(); // @run
    const found = record(run)
      .filter(({ action }) => action === 'alloc')
      .map((entry) => own(entry).map(([, line]) => line));
    const first = found.map((lines) => lines[0]);
    expect(first).toContain(at('hook'));
    expect(first).toContain(at('backward'));
    expect(first.filter((line) => line === at('run')).length).toBeGreaterThanOrEqual(2);
    for (const lines of found) expect(lines).toContain(at('run'));
  });

  test('an error in between: what follows is at its own lines', () => {
    const x = torch.ones(3, { device, requires_grad: true });
    const broken = (): void => {
      const y = x.exp();
      y.register_hook(() => {
        throw new Error('in a hook');
      });
      y.sum().backward();
    };
    const after = (): Tensor => torch.ones(7, { device }); // @after
    const entries = record(() => {
      expect(broken).toThrow('in a hook');
      expect(() => torch.matmul(x, torch.ones(5, { device }))).toThrow();
      return after();
    });
    const last = entries.filter(({ action, size }) => action === 'alloc' && size === 28).at(-1)!;
    expect(own(last)[0]).toEqual(['after', at('after')]);
  });
});

test('figures are the same with the history on and off', () => {
  const figures = [null, 'all', 'none', 'state'].map((how) => {
    memory._record_memory_history(null);
    memory.empty_cache();
    if (how !== null)
      memory._record_memory_history('all', { context: how === 'none' ? null : (how as 'all'), max_entries: 50 });
    torch.manual_seed(0);
    memory.reset_peak_memory_stats();
    memory.reset_accumulated_memory_stats();
    const taken: unknown[] = [];
    torch.scope(() => {
      const model = new Outer().to(device);
      const optimizer = new optim.Adam(model.parameters());
      for (let i = 0; i < 5; i++) {
        optimizer.zero_grad();
        model(torch.randn(8 + i, 4, { device }))
          .sum()
          .backward();
        optimizer.step();
        const stats = memory.memory_stats_as_nested_dict();
        taken.push(stats);
      }
    });
    memory.empty_cache();
    return JSON.stringify([taken, memory.memory_stats_as_nested_dict()]);
  });
  expect(new Set(figures).size).toBe(1);
});

describe('in a bundle of the program and the library', () => {
  const PROGRAM = `import torch, { type Tensor } from 'torch-mtia';
interface Options {
  width: number;
}
class Model extends torch.nn.Module {
  linear = new torch.nn.Linear(4, 4);

  override forward(x: Tensor): Tensor {
    return this.linear(x).relu();
  }
}

function train({ width }: Options): Tensor {
  const model = new Model().to('mtia');
  return model(torch.ones(2, width, { device: 'mtia' }));
}

torch.mtia.init();
torch.mtia.record_memory_history();
const y = train({ width: 4 });
y.sum().backward();
const frames = torch.mtia.snapshot().device_traces[0].filter(({ action }) => action === 'alloc').map(({ frames }) => frames);
console.log(JSON.stringify(frames));
`;
  /** A module of the program that a bundler puts between parts of the library: loaded after some of it, before the rest. */
  const FIRST = `import { formatSize } from 'torch-mtia/memory';

export function made(torch: typeof import('torch-mtia').default) {
  return torch.ones(3, { device: formatSize(0) === '' ? 'cpu' : 'mtia' });
}
`;
  const SECOND = `import { made } from './first.ts';
import torch from 'torch-mtia';

torch.mtia.init();
torch.mtia.record_memory_history();
const x = made(torch);
const [{ frames }] = torch.mtia.snapshot().device_traces[0].filter(({ action }) => action === 'alloc');
console.log(JSON.stringify(x.numel() === 3 ? [frames] : []));
`;
  type Names = [name: string, line: number, file: string][];

  async function run(
    options: { minify?: boolean; sourcemap?: boolean },
    flags: string[] = [],
    main = "import './train.ts';",
  ): Promise<Names[]> {
    const folder = mkdtempSync(join(tmpdir(), 'history-'));
    try {
      writeFileSync(join(folder, 'train.ts'), PROGRAM);
      writeFileSync(join(folder, 'main.ts'), main);
      writeFileSync(join(folder, 'first.ts'), FIRST);
      await build({
        entryPoints: [join(folder, 'main.ts')],
        bundle: true,
        format: 'esm',
        platform: 'node',
        outfile: join(folder, 'out/bundle.mjs'),
        alias: { 'torch-mtia/memory': join(LIBRARY, 'memory/index.ts'), 'torch-mtia': join(LIBRARY, 'index.ts') },
        logLevel: 'error',
        ...options,
      });
      const env = { ...process.env, MTIA_EXECUTOR: 'inline' };
      const output = execFileSync(process.execPath, [...flags, join(folder, 'out/bundle.mjs')], {
        encoding: 'utf8',
        env,
      });
      return (JSON.parse(output) as Frame[][]).map((list) =>
        list.map(({ name, line, filename }) => [plain(name), line, filename.replace(folder, '')]),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  const file = '/train.ts';
  const EXPECTED: Names[] = [
    // The weight and the bias, which move; the input; linear and relu; then backward.
    ...Array<Names>(2).fill([
      ['train', 14, file],
      ['<module>', 20, file],
    ]),
    [
      ['train', 15, file],
      ['<module>', 20, file],
    ],
    ...Array<Names>(2).fill([
      ['forward', 9, file],
      ['train', 15, file],
      ['<module>', 20, file],
    ]),
  ];

  test("none of the frames is the library's, with source maps on in Node.js", async () => {
    const frames = await run({ sourcemap: true }, ['--enable-source-maps']);
    expect(frames.slice(0, 5)).toEqual(EXPECTED);
    expect(frames.length).toBeGreaterThan(5);
    for (const list of frames.slice(5)) expect(list).toEqual([['<module>', 21, file]]);
  });

  test('with a map that Node.js was not told of', async () => {
    expect((await run({ sourcemap: true })).slice(0, 5)).toEqual(EXPECTED);
  });

  test('where the program has loaded a part of the library first', async () => {
    const [frames] = await run({ sourcemap: true }, [], SECOND);
    expect(frames).toEqual([
      ['made', 4, '/first.ts'],
      ['<module>', 6, '/main.ts'],
    ]);
  });

  test('without a map, in one line', async () => {
    const frames = await run({ minify: true });
    expect(frames.map((list) => list.length).slice(0, 5)).toEqual([2, 2, 2, 3, 3]);
    for (const list of frames) {
      expect(list.at(-1)![0]).toBe('<module>');
      for (const [, , name] of list) expect(name).toBe('/out/bundle.mjs');
    }
  });
});
