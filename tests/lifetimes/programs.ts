/**
 * Small programs, stage by stage, for `programs.test.ts`: the same as in scripts/oracle/memory_programs.py, with the same
 * names. What a program keeps is in `v`; each stage is a function of its own, so that between stages nothing else is
 * referred to.
 */
import torch from '../../src/index.ts';
import type { Tensor } from '../../src/tensor/tensor.ts';

const { nn, optim } = torch;
const device = 'mtia';

interface Optimizer {
  step(): unknown;
}

/** What a program keeps. */
export interface Kept {
  model?: InstanceType<typeof nn.Module>;
  call?: (x: Tensor) => Tensor;
  criterion?: (output: Tensor, target: Tensor) => Tensor;
  optimizer?: Optimizer | null;
  bag?: InstanceType<typeof nn.EmbeddingBag>;
  head?: InstanceType<typeof nn.Linear>;
  ws?: Tensor[];
  [name: string]: unknown;
}
type Stage = (v: Kept) => void;
/** Stages by name, in their order. */
export type Program = [name: string, stage: Stage][];

/** A tensor that the program keeps. */
const t = (v: Kept, name: string): Tensor => v[name] as Tensor;
const drop =
  (...names: string[]): Stage =>
  (v) => {
    for (const name of names) delete v[name];
  };
const randn = (...sizes: number[]): Tensor => torch.randn(...sizes, { device });
const leaf = (...sizes: number[]): Tensor => torch.randn(...sizes, { device, requires_grad: true });

type Layer = ConstructorParameters<typeof nn.Sequential>[0];
const mlp = (...middle: unknown[]) =>
  new nn.Sequential(
    new nn.Linear(20, 64),
    ...(middle as (Layer & InstanceType<typeof nn.Module>)[]),
    new nn.Linear(64, 10),
  ).to(device);

type Loss = () => [target: Tensor, criterion: (output: Tensor, target: Tensor) => Tensor];
const mse: Loss = () => [randn(48, 10), new nn.MSELoss()];
const classes: Loss = () => [torch.randint(0, 10, [48], { device }), new nn.CrossEntropyLoss()];

function training(
  model: () => ReturnType<typeof mlp>,
  loss: Loss,
  optimizer?: (parameters: Iterable<Tensor>) => Optimizer,
): Program {
  const make: Stage = (v) => {
    const made = model();
    v.model = made;
    v.call = made as unknown as (x: Tensor) => Tensor;
    v['x'] = randn(48, 20);
    [v['y'], v.criterion] = loss();
    v.optimizer = optimizer?.(made.parameters()) ?? null;
  };
  const forward: Stage = (v) => {
    v['loss'] = v.criterion!(v.call!(t(v, 'x')), t(v, 'y'));
  };
  const backward: Stage = (v) => t(v, 'loss').backward();
  const step: Stage = (v) => void v.optimizer?.step();
  return [
    ['make', make],
    ['forward', forward],
    ['backward', backward],
    ['drop', drop('loss')],
    ['step', step],
    ['zero_grad', (v) => v.model!.zero_grad()],
    ['forward', forward],
    ['backward', backward],
    ['step', step],
  ];
}

function chain(v: Kept): Tensor {
  let x = t(v, 'x');
  for (const w of v.ws!) x = x.matmul(w).tanh();
  return x;
}

const once: Stage = (v) => t(v, 'x').matmul(t(v, 'w')).sum().backward();
const thrice: Stage = (v) => {
  for (let i = 0; i < 3; i++) chain(v).sum();
};

export const programs: Record<string, Program> = {
  article_forward: [
    [
      'before',
      (v) => {
        v.call = new nn.Linear(512, 256).to(device);
        v['input'] = randn(32, 512);
      },
    ],
    [
      'forward',
      (v) => {
        v['output'] = v.call!(t(v, 'input'));
      },
    ],
  ],
  mse: training(() => mlp(new nn.ReLU()), mse),
  cross_entropy: training(() => mlp(new nn.ReLU()), classes),
  layer_norm: training(() => mlp(new nn.LayerNorm(64), new nn.GELU()), classes),
  dropout: training(() => mlp(new nn.Dropout(0.5), new nn.Tanh()), classes),
  sgd: training(
    () => mlp(new nn.ReLU()),
    classes,
    (p) => new optim.SGD(p, { lr: 0.1 }),
  ),
  momentum: training(
    () => mlp(new nn.ReLU()),
    classes,
    (p) => new optim.SGD(p, { lr: 0.1, momentum: 0.9 }),
  ),
  adam: training(
    () => mlp(new nn.ReLU()),
    classes,
    (p) => new optim.Adam(p, { lr: 0.1 }),
  ),
  adamw: training(
    () => mlp(new nn.ReLU()),
    classes,
    (p) => new optim.AdamW(p, { lr: 0.1 }),
  ),
  embedding_bag: [
    [
      'make',
      (v) => {
        v.bag = new nn.EmbeddingBag(100, 16, { mode: 'sum' }).to(device);
        v.head = new nn.Linear(16, 1).to(device);
        v['ids'] = torch.randint(0, 100, [200], { device });
        v['offsets'] = torch.arange(0, 200, 5, { device });
        v['wanted'] = randn(40, 1);
      },
    ],
    [
      'forward',
      (v) => {
        const output = v.head!(v.bag!(t(v, 'ids'), t(v, 'offsets')));
        v['loss'] = output.sub(t(v, 'wanted')).pow(2).sum();
      },
    ],
    ['backward', (v) => t(v, 'loss').backward()],
    ['drop', drop('loss')],
  ],
  inplace_chain: [
    [
      'make',
      (v) => {
        v['x'] = leaf(48, 64);
        v['w'] = randn(48, 64);
      },
    ],
    [
      'forward',
      (v) => {
        v['y'] = t(v, 'x').neg().mul_(t(v, 'w')).add_(t(v, 'w')).sigmoid_();
      },
    ],
    [
      'end',
      (v) => {
        v['y'] = t(v, 'y').sum();
      },
    ],
    ['backward', (v) => t(v, 'y').backward()],
  ],
  views: [
    [
      'make',
      (v) => {
        v['base'] = randn(48, 64);
      },
    ],
    [
      'view',
      (v) => {
        v['row'] = t(v, 'base').select(0, 3);
        v['turned'] = t(v, 'base').t();
      },
    ],
    ['base', drop('base')],
    ['one', drop('turned')],
    ['other', drop('row')],
  ],
  detached: [
    [
      'make',
      (v) => {
        v['x'] = leaf(48, 64);
      },
    ],
    [
      'forward',
      (v) => {
        v['y'] = t(v, 'x').exp().log();
        v['detached'] = t(v, 'y').detach();
        v['data'] = t(v, 'y').data;
      },
    ],
    ['graph', drop('y')],
    ['handle', drop('detached')],
    ['last', drop('data')],
  ],
  retained_graph: [
    [
      'make',
      (v) => {
        v['x'] = leaf(48, 64);
        v['w'] = leaf(64, 80);
      },
    ],
    [
      'forward',
      (v) => {
        v['loss'] = t(v, 'x').exp().matmul(t(v, 'w')).tanh().sum();
      },
    ],
    ['first', (v) => t(v, 'loss').backward({ retain_graph: true })],
    ['second', (v) => t(v, 'loss').backward({ retain_graph: true })],
    ['last', (v) => t(v, 'loss').backward()],
    ['drop', drop('loss')],
  ],
  double_backward: [
    [
      'make',
      (v) => {
        v['x'] = leaf(48, 64);
      },
    ],
    [
      'forward',
      (v) => {
        v['loss'] = t(v, 'x').sigmoid().sum();
      },
    ],
    [
      'first',
      (v) => {
        [v['grad']] = torch.autograd.grad(t(v, 'loss'), t(v, 'x'), null, { create_graph: true });
      },
    ],
    [
      'penalty',
      (v) => {
        v['penalty'] = t(v, 'grad').exp().sum();
      },
    ],
    ['second', (v) => t(v, 'penalty').backward()],
    ['drop', drop('loss', 'penalty', 'grad')],
  ],
  accumulation: [
    [
      'make',
      (v) => {
        v['x'] = randn(48, 64);
        v['w'] = leaf(64, 80);
      },
    ],
    ['once', once],
    ['once', once],
    [
      'none',
      (v) => {
        t(v, 'w').grad = null;
      },
    ],
    ['once', once],
  ],
  recorded: [
    [
      'make',
      (v) => {
        v['x'] = randn(48, 64);
        v.ws = Array.from({ length: 4 }, () => leaf(64, 64));
      },
    ],
    [
      'forward',
      (v) => {
        v['y'] = chain(v);
      },
    ],
    ['drop', drop('y')],
    ['forgotten', thrice],
    ['no_grad', (v) => torch.no_grad(() => thrice(v))],
  ],
  fan_out: [
    [
      'make',
      (v) => {
        v['x'] = leaf(48, 64);
      },
    ],
    [
      'forward',
      (v) => {
        const h = t(v, 'x').exp();
        v['loss'] = h.sin().add(h.cos()).add(h.tanh()).sum();
      },
    ],
    ['backward', (v) => t(v, 'loss').backward()],
  ],
};
