/** A program of some two hundred lines as people write them: it is only type-checked, with a limit on the time that takes. */
import torch from 'torch-mtia';

type Tensor = torch.Tensor;

const { nn, optim, utils } = torch;
const { DataLoader, Dataset, TensorDataset, random_split } = utils.data;
const F = nn.functional;
const device = torch.device('mtia');

interface Config {
  vocabulary: number;
  width: number;
  heads: number;
  layers: number;
  context: number;
  dropout: number;
}

const config: Config = { vocabulary: 128, width: 64, heads: 4, layers: 2, context: 32, dropout: 0.1 };

class Characters extends Dataset<[Tensor, Tensor]> {
  readonly length: number;

  constructor(
    readonly text: Tensor,
    readonly context: number,
  ) {
    super();
    this.length = text.size(0) - context - 1;
  }

  at(index: number): [Tensor, Tensor] {
    const { text, context } = this;
    return [text.narrow(0, index, context), text.narrow(0, index + 1, context)];
  }
}

class Attention extends nn.Module {
  readonly heads: number;
  qkv: torch.nn.Linear;
  out: torch.nn.Linear;
  drop: torch.nn.Dropout;

  constructor({ width, heads, dropout }: Config) {
    super();
    this.heads = heads;
    this.qkv = new nn.Linear(width, 3 * width, { bias: false });
    this.out = new nn.Linear(width, width);
    this.drop = new nn.Dropout(dropout);
  }

  override forward(x: Tensor): Tensor {
    const [batch, time, width] = x.shape;
    const [q, k, v] = this.qkv(x)
      .chunk(3, 2)
      .map((part) => part.view(batch, time, this.heads, width / this.heads).transpose(1, 2));
    const mask = torch.ones(time, time, { dtype: torch.bool, device: x.device }).tril();
    const scores = q.matmul(k.transpose(-2, -1)).div(Math.sqrt(width / this.heads));
    const weights = F.softmax(scores.masked_fill(mask.logical_not(), -Infinity), -1);
    const y = this.drop(weights).matmul(v).transpose(1, 2).reshape(batch, time, width);
    return this.out(y);
  }
}

class Block extends nn.Module {
  attention: Attention;
  mlp: torch.nn.Sequential;
  norms = [new nn.LayerNorm(config.width), new nn.LayerNorm(config.width)] as const;

  constructor(options: Config) {
    super();
    const { width, dropout } = options;
    this.attention = new Attention(options);
    this.mlp = new nn.Sequential(
      new nn.Linear(width, 4 * width),
      new nn.GELU(),
      new nn.Linear(4 * width, width),
      new nn.Dropout({ p: dropout }),
    );
  }

  override forward(x: Tensor): Tensor {
    const y = x.add(this.attention(this.norms[0](x)));
    return y.add(this.mlp(this.norms[1](y)));
  }
}

class Model extends nn.Module {
  tokens: torch.nn.Embedding;
  positions: torch.nn.Embedding;
  blocks: torch.nn.ModuleList;
  head: torch.nn.Linear;

  constructor(readonly config: Config) {
    super();
    this.tokens = new nn.Embedding(config.vocabulary, config.width);
    this.positions = new nn.Embedding(config.context, config.width);
    this.blocks = new nn.ModuleList(Array.from({ length: config.layers }, () => new Block(config)));
    this.head = new nn.Linear(config.width, config.vocabulary, { bias: false });
  }

  override forward(ids: Tensor, targets: Tensor | null = null): { logits: Tensor; loss: Tensor | null } {
    const time = ids.size(1);
    let x = this.tokens(ids).add(this.positions(torch.arange(time, { device: ids.device })));
    for (const block of this.blocks) x = (block as Block)(x);
    const logits = this.head(x);
    if (targets === null) return { logits, loss: null };
    const loss = F.cross_entropy(logits.view(-1, this.config.vocabulary), targets.view(-1), { label_smoothing: 0.1 });
    return { logits, loss };
  }
}

torch.manual_seed(0);
const text = torch.randint(0, config.vocabulary, [4096], { dtype: torch.int64 });
const [training, validation] = random_split(new Characters(text, config.context), [0.9, 0.1]);
const loader = new DataLoader(training, { batch_size: 16, shuffle: true, drop_last: true, pin_memory: true });
const model = new Model(config).to(device);
const decayed = [...model.parameters()].filter((p) => p.dim() > 1);
const others = [...model.parameters()].filter((p) => p.dim() <= 1);
const optimizer = new optim.AdamW(
  [
    { params: decayed, weight_decay: 0.1 },
    { params: others, weight_decay: 0 },
  ],
  {
    lr: 3e-4,
    betas: [0.9, 0.95],
  },
);
const scheduler = new optim.lr_scheduler.CosineAnnealingLR(optimizer, { T_max: 100, eta_min: 1e-5 });
const scaler = new torch.amp.GradScaler('mtia', { init_scale: 1024 });

function evaluate(): number {
  model.eval();
  const losses: number[] = [];
  torch.no_grad(() => {
    for (const [ids, targets] of new DataLoader(validation, { batch_size: 32 })) {
      const { loss } = model(ids.to(device), targets.to(device));
      losses.push(loss!.item());
    }
  });
  model.train();
  return losses.reduce((a, b) => a + b, 0) / losses.length;
}

for (let epoch = 0; epoch < 2; epoch++) {
  let total = 0;
  for (const [ids, targets] of loader) {
    optimizer.zero_grad();
    const { loss } = torch.autocast('mtia', { dtype: torch.bfloat16 }, () =>
      model(ids.to(device, { non_blocking: true }), targets.to(device, { non_blocking: true })),
    );
    scaler.scale(loss!).backward();
    scaler.unscale_(optimizer);
    nn.utils.clip_grad_norm_(model.parameters(), 1.0);
    scaler.step(optimizer);
    scaler.update();
    scheduler.step();
    total += loss!.item();
  }
  console.log(`epoch ${epoch}: ${(total / loader.length).toFixed(3)}, validation ${evaluate().toFixed(3)}`);
}

function generate(prompt: Tensor, count: number, temperature = 1): Tensor {
  let ids = prompt;
  for (let i = 0; i < count; i++) {
    const { logits } = model(
      ids.narrow(1, Math.max(0, ids.size(1) - config.context), Math.min(ids.size(1), config.context)),
    );
    const last = logits.select(1, -1).div(temperature);
    const { values, indices } = last.topk(10);
    const [best, where] = last.max(1);
    const choice = indices.gather(1, F.softmax(values, 1).multinomial(1));
    ids = torch.cat([ids, choice], 1);
    if (best.isnan().any().item() || where.lt(0).any().item()) throw new Error('the model has diverged');
  }
  return ids;
}

const prompt = torch.zeros(1, 1, { dtype: torch.int64, device });
const generated = torch.no_grad(() => generate(prompt, 20));
console.log(generated.tolist(), generated.shape, String(generated.dtype));

const images = torch.randn(8, 3, 16, 16);
const cnn = new nn.Sequential(
  new nn.Conv2d(3, 8, 3, { padding: 1 }),
  new nn.BatchNorm2d(8),
  new nn.ReLU(),
  new nn.MaxPool2d(2),
  new nn.Flatten(),
  new nn.Linear(8 * 8 * 8, 10),
);
const logits: Tensor = cnn(images);
const accuracy = logits
  .argmax(1)
  .eq(torch.zeros(8, { dtype: torch.int64 }))
  .to(torch.float32)
  .mean()
  .item();
const table = new TensorDataset(images, torch.arange(8));
const firstImage: Tensor = table.at(0)[0];
const mean = images.mean([0, 2, 3], { keepdim: true });
const normalised = images.sub(mean).div(images.std([0, 2, 3], { keepdim: true }).add(1e-6));
const selected = normalised.index([0, ':', torch.Slice(0, 8), null]);
console.log(accuracy, firstImage.shape, selected.sum({ dtype: torch.float64 }).item());
console.log(torch.mtia.memory_allocated(), torch.mtia.max_memory_allocated(), torch.mtia.memory_stats());
