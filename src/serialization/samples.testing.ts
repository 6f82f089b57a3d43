/** Objects that are saved here and shown to PyTorch: scripts/oracle/checkpoints.mjs writes the files. */
import torch from '../index.ts';
import { tuple } from './python.ts';

const floats = (n: number) => torch.arange(n, { dtype: torch.float32 });

const names = [
  'float64',
  'float32',
  'float16',
  'bfloat16',
  'int64',
  'int32',
  'int16',
  'int8',
  'uint8',
  'bool',
] as const;

function trained() {
  torch.manual_seed(3);
  const model = new torch.nn.Sequential(new torch.nn.Linear(3, 4), new torch.nn.ReLU(), new torch.nn.Linear(4, 2));
  const optimizer = new torch.optim.Adam(model.parameters(), { lr: 0.01 });
  for (let i = 0; i < 2; i++) {
    optimizer.zero_grad();
    model(torch.ones(5, 3)).pow(2).sum().backward();
    optimizer.step();
  }
  return { epoch: 2, model: model.state_dict(), optimizer: optimizer.state_dict() };
}

interface Sample {
  readonly value: unknown;
  /** For PyTorch's load, which has no mtia. */
  readonly options?: Record<string, unknown>;
}

/** By name; made anew each time, in the same way. */
export function samples(): Record<string, Sample> {
  const x = floats(24).reshape(4, 6);
  const shared = [1, 2];
  return {
    dtypes: {
      value: Object.fromEntries(names.map((name) => [name, torch.tensor([0, 1, 3, 100], { dtype: torch[name] })])),
    },
    views: {
      value: { base: x, row: x.select(0, 1), transposed: x.t(), twice: [x, x.narrow(0, 2, 2)], other: x.clone() },
    },
    shapes: { value: [torch.tensor(2.5), torch.zeros(0), torch.zeros(2, 0, 3), torch.tensor(true)] },
    values: {
      value: {
        none: null,
        truth: [true, false],
        ints: [0, 255, 256, 65535, 65536, -1, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 2 ** 53 - 1, 2n ** 64n, -(2n ** 100n)],
        floats: [0.5, -0, Infinity, 1e300, 2 ** 60],
        text: ['', 'ü中😀', 'a'.repeat(300)],
        bytes: [new Uint8Array(0), new Uint8Array([97, 255, 0])],
        tuple: tuple([1, tuple([]), tuple([1, 2, 3, 4])]),
        empty: [[], {}, new Map()],
        size: x.shape,
        dtypes: [torch.float32, torch.bool],
        devices: [torch.device('cpu'), torch.device('mtia', 1)],
        set: new Set([1, 2]),
        keys: new Map<unknown, unknown>([
          [1, 'a'],
          [0.5, 'b'],
          ['c', null],
        ]),
        shared: [shared, shared],
      },
    },
    many: {
      value: [
        Array.from({ length: 2500 }, (_, i) => i),
        Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`key${i}`, i])),
      ],
    },
    gradients: {
      value: {
        leaf: torch.ones(2, { requires_grad: true }),
        parameter: new torch.nn.Parameter(torch.ones(2, 2)),
        frozen: new torch.nn.Parameter(torch.zeros(1), false),
      },
    },
    meta: { value: torch.empty(2, 3, { device: 'meta' }) },
    mtia: {
      value: { a: torch.ones(3, { device: 'mtia' }), b: [torch.zeros(2, { device: 'mtia' })] },
      options: { map_location: 'cpu' },
    },
    training: { value: trained() },
  };
}
