/**
 * Whole training steps: forward, backward, optimizer. Weights and data are waves, so that every peer starts from the same and
 * must come to the same loss. The models are those of examples/, at their sizes.
 */
import torch, { type Tensor } from 'torch-mtia';
import { type Case, type Context, maybeCompiled, number, wave, whole } from './case.ts';

const { nn, optim } = torch;
const F = nn.functional;
type Module = InstanceType<typeof nn.Module>;
type Optimizer = { zero_grad(): void; step(): unknown };

/** Matrices become waves, vectors what a new layer without luck would have: biases zero, scales as they are. */
export function setWeights(model: Module): void {
  let seed = 0;
  torch.no_grad(() => {
    for (const [name, parameter] of model.named_parameters()) {
      seed++;
      if (parameter.dim() > 1) {
        const fan = parameter.numel() / parameter.size(0);
        parameter.copy_(wave(parameter.shape as unknown as number[], seed, 1 / Math.sqrt(fan)));
      } else if (name.endsWith('bias')) parameter.zero_();
    }
  });
}

function training(compile: boolean, optimizer: Optimizer, lossOf: () => Tensor, clipped?: Tensor[]) {
  const eager = () => {
    optimizer.zero_grad();
    const loss = lossOf();
    loss.backward();
    if (clipped !== undefined) nn.utils.clip_grad_norm_(clipped, 1);
    optimizer.step();
    return loss;
  };
  const step = maybeCompiled(eager, compile);
  return { step, loss: () => step().item() as number };
}

/** The articles' step: one layer, a mean squared error, SGD. */
const linear: Case = ({ device, compile }) => {
  const model = new nn.Linear(10, 5);
  setWeights(model);
  model.to(device);
  const [x, target] = [wave([3, 10], 101).to(device), wave([3, 5], 102).to(device)];
  const criterion = new nn.MSELoss();
  return training(compile, new optim.SGD(model.parameters(), { lr: 0.01 }), () => criterion(model(x), target));
};

const mlp: Case = ({ device, args, compile }) => {
  const [batch, width, layers] = ['batch', 'width', 'layers'].map((name) => number(args, name));
  const hidden = Array.from({ length: layers }, () => [new nn.Linear(width, width), new nn.ReLU()]).flat();
  const model = new nn.Sequential(...hidden, new nn.Linear(width, 10));
  setWeights(model);
  model.to(device);
  const [x, target] = [wave([batch, width], 101).to(device), whole([batch], 10).to(device)];
  return training(compile, new optim.Adam(model.parameters(), { lr: 1e-3 }), () => F.cross_entropy(model(x), target));
};

/** examples/train-digits.ts */
const digits: Case = ({ device, args, compile }) => {
  const batch = number(args, 'batch');
  const block = (from: number, to: number) => [
    new nn.Conv2d(from, to, 3, { padding: 1, bias: false }),
    new nn.BatchNorm2d(to),
    new nn.ReLU(),
  ];
  const model = new nn.Sequential(
    ...block(1, 32),
    ...block(32, 32),
    new nn.MaxPool2d(2),
    ...block(32, 64),
    new nn.MaxPool2d(2),
    new nn.Flatten(),
    new nn.Linear(256, 10),
  );
  setWeights(model);
  model.to(device);
  const [x, target] = [wave([batch, 1, 8, 8], 101).to(device), whole([batch], 10).to(device)];
  return training(compile, new optim.Adam(model.parameters(), { lr: 2e-3 }), () => F.cross_entropy(model(x), target));
};

const TABLES = [5, 7, 8];

/** examples/diamonds-dlrm.ts */
class DLRM extends nn.Module {
  bottom = new nn.Sequential(new nn.Linear(6, 64), new nn.ReLU(), new nn.Linear(64, 16), new nn.ReLU());
  tables = new nn.ModuleList(TABLES.map((rows) => new nn.EmbeddingBag(rows, 16, { mode: 'sum' })));
  top = new nn.Sequential(
    new nn.Linear(22, 128),
    new nn.ReLU(),
    new nn.Linear(128, 64),
    new nn.ReLU(),
    new nn.Linear(64, 1),
  );
  declare pairs: Tensor;

  constructor() {
    super();
    const pairs = [];
    for (let i = 1; i <= TABLES.length; i++) for (let j = 0; j < i; j++) pairs.push(i * (TABLES.length + 1) + j);
    this.register_buffer('pairs', torch.tensor(pairs, { dtype: torch.int64 }));
  }

  override forward(measures: Tensor, bags: [indices: Tensor, offsets: Tensor][]): Tensor {
    const dense = this.bottom(measures);
    const looked = bags.map(([indices, offsets], i) => this.tables.at(i)(indices, offsets) as Tensor);
    const vectors = torch.stack([dense, ...looked], 1);
    const products = vectors.bmm(vectors.transpose(1, 2)).flatten(1);
    return this.top(torch.cat([dense, products.index_select(1, this.pairs)], 1)).squeeze(1);
  }
}

/** The bag of stone i has all grades up to its own, (i * 11) % rows. */
function bagsOf(batch: number, rows: number, device: string): [Tensor, Tensor] {
  const indices: bigint[] = [];
  const offsets: bigint[] = [];
  for (let i = 0; i < batch; i++) {
    offsets.push(BigInt(indices.length));
    for (let grade = 0; grade <= (11 * i) % rows; grade++) indices.push(BigInt(grade));
  }
  return [torch.tensor(indices).to(device), torch.tensor(offsets).to(device)];
}

const dlrm: Case = ({ device, args, compile }) => {
  const batch = number(args, 'batch');
  const model = new DLRM();
  setWeights(model);
  model.to(device);
  const [measures, target] = [wave([batch, 6], 101).to(device), wave([batch], 102).to(device)];
  const bags = TABLES.map((rows) => bagsOf(batch, rows, device));
  return training(compile, new optim.Adam(model.parameters(), { lr: 2e-3 }), () =>
    F.mse_loss(model(measures, bags), target),
  );
};

interface Shape {
  width: number;
  heads: number;
  layers: number;
  context: number;
}

class Attention extends nn.Module {
  qkv: InstanceType<typeof nn.Linear>;
  projection: InstanceType<typeof nn.Linear>;
  constructor(readonly sizes: Shape) {
    super();
    this.qkv = new nn.Linear(sizes.width, 3 * sizes.width);
    this.projection = new nn.Linear(sizes.width, sizes.width);
  }

  override forward(x: Tensor): Tensor {
    const { width, heads } = this.sizes;
    const [n, t] = x.shape;
    const [q, k, v] = this.qkv(x)
      .view(n, t, 3, heads, width / heads)
      .permute(2, 0, 3, 1, 4)
      .unbind(0);
    const seen = F.scaled_dot_product_attention(q, k, v, { is_causal: true });
    return this.projection(seen.transpose(1, 2).reshape(n, t, width));
  }
}

class Block extends nn.Module {
  norm1: InstanceType<typeof nn.LayerNorm>;
  attention: Attention;
  norm2: InstanceType<typeof nn.LayerNorm>;
  mlp: InstanceType<typeof nn.Sequential>;
  constructor(sizes: Shape) {
    super();
    const { width } = sizes;
    this.norm1 = new nn.LayerNorm(width);
    this.attention = new Attention(sizes);
    this.norm2 = new nn.LayerNorm(width);
    this.mlp = new nn.Sequential(new nn.Linear(width, 4 * width), new nn.GELU(), new nn.Linear(4 * width, width));
  }

  override forward(x: Tensor): Tensor {
    const y = x.add(this.attention(this.norm1(x)));
    return y.add(this.mlp(this.norm2(y)));
  }
}

/** examples/prose-gpt.ts */
class GPT extends nn.Module {
  tokens: InstanceType<typeof nn.Embedding>;
  positions: InstanceType<typeof nn.Embedding>;
  blocks: InstanceType<typeof nn.Sequential>;
  norm: InstanceType<typeof nn.LayerNorm>;

  constructor(vocabulary: number, sizes: Shape) {
    super();
    this.tokens = new nn.Embedding(vocabulary, sizes.width);
    this.positions = new nn.Embedding(sizes.context, sizes.width);
    this.blocks = new nn.Sequential(...Array.from({ length: sizes.layers }, () => new Block(sizes)));
    this.norm = new nn.LayerNorm(sizes.width);
  }

  override forward(codes: Tensor): Tensor {
    const places = torch.arange(codes.size(1), { device: codes.device });
    const x = this.tokens(codes).add(this.positions(places));
    return F.linear(this.norm(this.blocks(x)), this.tokens.weight);
  }
}

/** Characters in the book of examples/prose-gpt.ts. */
const VOCABULARY = 75;

const gpt: Case = ({ device, args, compile }) => {
  const [batch, context, width, heads, layers] = ['batch', 'context', 'width', 'heads', 'layers'].map((name) =>
    number(args, name),
  );
  const model = new GPT(VOCABULARY, { width, heads, layers, context });
  setWeights(model);
  model.to(device);
  const parameters = [...model.parameters()];
  const optimizer = new optim.AdamW(
    [
      { params: parameters.filter((parameter) => parameter.dim() > 1), weight_decay: 0.1 },
      { params: parameters.filter((parameter) => parameter.dim() <= 1), weight_decay: 0 },
    ],
    { lr: 2e-3, betas: [0.9, 0.99] },
  );
  const windows = whole([batch, context + 1], VOCABULARY, 31).to(device);
  const [seen, next] = [windows.narrow(1, 0, context), windows.narrow(1, 1, context).flatten()];
  return training(compile, optimizer, () => F.cross_entropy(model(seen).flatten(0, 1), next), parameters);
};

export const trainings: Record<string, (context: Context) => ReturnType<Case>> = { linear, mlp, digits, dlrm, gpt };
