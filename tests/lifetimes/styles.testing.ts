/**
 * A program for `styles.test.ts`: training steps of three models, written in one style, whose figures are compared with those of
 * the other styles and with the arithmetic of the tensors that they hold. One function a stage. Prints, for each stage, the
 * most that was allocated during it and what was allocated after it.
 *
 * Argument: style. 'plain': nothing is disposed of; 'dispose': everything is right after its last use; 'using': at the end of
 * its function, as `using` does; 'scope': each stage is a torch.scope.
 */
import torch from '../../src/index.ts';
import type { Tensor } from '../../src/tensor/tensor.ts';
import { figures } from './figures.testing.ts';

const style = process.argv[2] as 'plain' | 'dispose' | 'using' | 'scope';
const device = 'mtia';
const F = torch.nn.functional;

/** What `using` would dispose of when the function under way returns. */
let used: Tensor[] = [];

/** `using x = …` in that style. */
function local(x: Tensor): Tensor {
  if (style === 'using') used.push(x);
  return x;
}

/** After the last use of each. */
function done(...tensors: Tensor[]): void {
  if (style === 'dispose') for (const x of tensors) x.dispose();
}

/** A function of its own, in the style's manner. */
function stage<T>(run: () => T): T {
  if (style === 'scope') return torch.scope(run);
  if (style !== 'using') return run();
  const outer = used;
  used = [];
  try {
    return run();
  } finally {
    for (const x of used.reverse()) x[Symbol.dispose]();
    used = outer;
  }
}

interface Model {
  parameters: Tensor[];
  /** What a step is given: held throughout. */
  batch: Tensor[];
  forward(batch: Tensor[]): Tensor;
}

const randn = (...sizes: number[]): Tensor => torch.randn(sizes, { device });
const parameter = (...sizes: number[]): Tensor => torch.randn(sizes, { device }).mul_(0.1).requires_grad_();

function mlp(): Model {
  const [first, second] = [parameter(256, 512), parameter(512, 128)];
  return {
    parameters: [first, second],
    batch: [randn(64, 256), randn(64, 128)],
    forward([x, wanted]) {
      const z = local(x.matmul(first));
      const h = local(z.relu());
      done(z);
      const y = local(h.matmul(second));
      done(h);
      const loss = F.mse_loss(y, wanted);
      done(y);
      return loss;
    },
  };
}

function bags(): Model {
  const [table, weight] = [parameter(200, 64), parameter(80, 128)];
  const ids = torch.randint(0, 200, [480], { device });
  const offsets = torch.arange(0, 480, 5, { device });
  return {
    parameters: [table, weight],
    batch: [ids, offsets, randn(96, 16), randn(96, 128)],
    forward([ids, offsets, dense, wanted]) {
      const bag = local(F.embedding_bag(ids, table, offsets, { mode: 'sum' }) as Tensor);
      const joined = local(torch.cat([bag, dense], 1));
      done(bag);
      const y = local(joined.matmul(weight));
      done(joined);
      const loss = F.mse_loss(y, wanted);
      done(y);
      return loss;
    },
  };
}

/** Attention of one head, and a layer of its own after it. */
function transformer(): Model {
  const [length, width] = [96, 64];
  const [query, key, value, out] = [0, 1, 2, 3].map(() => parameter(width, width));
  const [scale, shift] = [parameter(width), parameter(width)];
  return {
    parameters: [query, key, value, out, scale, shift],
    batch: [randn(length, width), randn(length, width)],
    forward([x, wanted]) {
      const normal = local(F.layer_norm(x, [width], scale, shift));
      const [q, k, v] = [query, key, value].map((weight) => local(normal.matmul(weight)));
      done(normal);
      const turned = local(k.t());
      done(k);
      const scores = local(q.matmul(turned));
      done(q, turned);
      const weights = local(scores.softmax(-1));
      done(scores);
      const mixed = local(weights.matmul(v));
      done(weights, v);
      const y = local(mixed.matmul(out));
      done(mixed);
      const sum = local(x.add(y));
      done(y);
      const loss = F.mse_loss(sum, wanted);
      done(sum);
      return loss;
    },
  };
}

/** [most during it, allocated after it] of each stage of the second step: the first makes gradients and the optimizer's state. */
function measure(make: () => Model): Record<string, [number, number]> {
  const model = make();
  const optimizer = new torch.optim.SGD(model.parameters, { lr: 0.1, momentum: 0.9 });
  const read: Record<string, [number, number]> = {};
  for (let i = 0; i < 2; i++) {
    figures();
    const state: { loss: Tensor | null } = { loss: null };
    stage(() => optimizer.zero_grad());
    read['clear'] = swap(figures());
    state.loss = stage(() => model.forward(model.batch));
    read['forward'] = swap(figures());
    stage(() => state.loss!.backward());
    read['backward'] = swap(figures());
    stage(() => optimizer.step());
    read['step'] = swap(figures());
    stage(() => {
      if (style !== 'plain') state.loss!.dispose();
      state.loss = null;
    });
    read['end'] = swap(figures());
  }
  return read;
}

const swap = ([allocated, peak]: [number, number]): [number, number] => [peak, allocated];

torch.manual_seed(5);
torch.mtia.init();
const result: Record<string, Record<string, [number, number]>> = {};
for (const [name, make] of Object.entries({ mlp, bags, transformer })) {
  const [before] = figures();
  const read = measure(make);
  for (const stage of Object.keys(read)) read[stage] = [read[stage][0] - before, read[stage][1] - before];
  result[name] = read;
}
console.log(JSON.stringify(result));
