/** Whose memory it is: the module path of activations, parameters, gradients and optimizer state, wherever memory is listed. */
import { beforeEach, expect, test } from 'vitest';
import torch, { type Tensor } from 'torch-mtia';

const { nn, optim } = torch;
const { memory } = torch.mtia;

class Attention extends nn.Module {
  query = new nn.Linear(64, 64);
  override forward(x: Tensor): Tensor {
    const query = this.query(x);
    return query.mul(query);
  }
}

class Block extends nn.Module {
  attention = new Attention();
  feed = new nn.Sequential(new nn.Linear(64, 64), new nn.ReLU());
  override forward(x: Tensor): Tensor {
    return this.feed(this.attention(x)).add(x);
  }
}

class Model extends nn.Module {
  layers = new nn.ModuleList([new Block(), new Block()]);
  head = new nn.Linear(64, 3);
  constructor() {
    super();
    this.register_buffer('scale', torch.ones(64));
  }
  override forward(x: Tensor): Tensor {
    for (const layer of this.layers) x = (layer as Block)(x);
    return this.head(x.mul((this as unknown as { scale: Tensor }).scale));
  }
}

/** `what` of all live blocks, by the snapshot's labels. */
function labels(): string[] {
  return torch.mtia
    .snapshot()
    .segments.flatMap(({ blocks }) => blocks)
    .filter(({ state }) => state === 'active_allocated')
    .map(({ user_metadata }) => String(user_metadata));
}

beforeEach(() => {
  torch.mtia.init();
});

test('activations go by the module whose forward was running', () => {
  const model = new Model().to('mtia');
  const x = torch.ones(2, 64, { device: 'mtia' });
  const y = model(x);
  const found = labels();
  for (const line of [
    'float32 [2, 64], layers.0.attention.query, made by linear',
    'float32 [2, 64], layers.0.attention, made by mul',
    'float32 [2, 64], layers.1.feed.1, made by relu',
    'float32 [2, 64], layers.0, made by add',
    // In the model's own forward, and outside of it.
    'float32 [2, 64], made by mul',
    'float32 [2, 64], made by ones',
    'float32 [2, 3], head, made by linear',
  ]) {
    expect(found, found.join('\n')).toContain(line);
  }
  expect(y.size()).toEqual([2, 3]);
});

test('parameters and buffers get their names when a module moves, gradients and optimizer state go by them', () => {
  const model = new Model().to('mtia');
  expect(labels()).toEqual(
    expect.arrayContaining([
      'float32 [64, 64], layers.0.attention.query.weight, made by to',
      'float32 [3], head.bias, made by to',
      'float32 [64], scale, made by to',
    ]),
  );
  const optimizer = new optim.Adam(model.parameters());
  model(torch.ones(2, 64, { device: 'mtia' }))
    .sum()
    .backward();
  optimizer.step();
  const held = labels().filter((label) => label.includes('layers.1.feed.0.weight'));
  expect(held).toHaveLength(4);
  expect(held.filter((label) => label.endsWith('made by Adam.step, a gradient or state of an optimizer'))).toHaveLength(
    2,
  );
  expect(held.filter((label) => /made by \w+Backward\d, a gradient/.test(label))).toHaveLength(1);
});

test('made on the device, they get them at the first call of the outermost module', () => {
  const layer = new nn.Linear(8, 8, { device: 'mtia' });
  expect(labels()).toContain('float32 [8, 8], made by empty');
  const model = new nn.Sequential(new nn.Sequential(layer));
  const x = torch.ones(1, 8, { device: 'mtia' });
  layer(x);
  expect(labels()).toContain('float32 [8, 8], weight, made by empty');
  model(x);
  expect(labels()).toContain('float32 [8, 8], 0.0.weight, made by empty');
  // A call of the part alone takes nothing back.
  model.to(torch.float64);
  layer(x.double());
  model.at(0)!.to(torch.float32);
  expect(labels()).toContain('float32 [8, 8], 0.0.weight, made by to');
});

test('a module that is called from two places, by the one or the other', () => {
  const shared = new nn.Linear(8, 8, { device: 'mtia' });
  class Twice extends nn.Module {
    first = new nn.Sequential(shared);
    second = new nn.Sequential(shared);
    override forward(x: Tensor): Tensor[] {
      return [this.first(x), this.second(x), this.first(x)];
    }
  }
  const outputs = new Twice()(torch.ones(5, 8, { device: 'mtia' }));
  expect(outputs).toHaveLength(3);
  const paths = labels().filter((label) => label.startsWith('float32 [5, 8], ') && label.endsWith('made by linear'));
  expect(paths.sort()).toEqual([
    'float32 [5, 8], first.0, made by linear',
    'float32 [5, 8], first.0, made by linear',
    'float32 [5, 8], second.0, made by linear',
  ]);
});

test('an error in forward leaves nothing behind', () => {
  class Failing extends nn.Module {
    inner = new nn.Linear(3, 3);
    override forward(x: Tensor): Tensor {
      return this.inner(x);
    }
  }
  const model = new Failing().to('mtia');
  expect(() => model(torch.ones(2, 4, { device: 'mtia' }))).toThrow();
  const x = torch.ones(7, 7, { device: 'mtia' });
  expect(labels()).toContain('float32 [7, 7], made by ones');
  expect(x.size()).toEqual([7, 7]);
});

test('in the list of what pins a segment, and in the text of an out-of-memory error', () => {
  const model = new Model().to('mtia');
  const pinned = memory.pinnedMemory().flatMap(({ pinned_by }) => pinned_by);
  expect(pinned.find(({ module }) => module === 'layers.0.feed.0.weight')).toMatchObject({
    shape: [64, 64],
    dtype: 'float32',
    operation: 'to',
    description: 'float32 [64, 64], layers.0.feed.0.weight, made by to',
  });
  const total = memory.mem_get_info()[1];
  class Greedy extends nn.Module {
    inner = new Attention();
    override forward(x: Tensor): Tensor {
      return this.inner(x.expand(Math.ceil((total * 1.5) / 256), 64));
    }
  }
  const greedy = new Greedy().to('mtia');
  expect(() => greedy(torch.ones(1, 64, { device: 'mtia' }))).toThrow(
    /The allocation was made by linear \(inner\.query\)\./,
  );
  expect(() => greedy(torch.ones(1, 64, { device: 'mtia' }))).toThrow(
    /The largest holders: .*float32 \[64, 64\], [\w.]+\.weight/,
  );
  expect(model.training).toBe(true);
});
