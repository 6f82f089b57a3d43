/**
 * A small GPT that learns to write, character by character, from "Pride and Prejudice", and then writes some.
 *
 *     npx mtia run examples/prose-gpt.ts [steps]
 *
 * The last tenth of the book is for testing. Fewer bits per character there than gzip needs for the book are a good sign.
 */
import torch, { type Tensor } from 'torch-mtia';
import { loadProse } from './prose.ts';

const { nn, optim } = torch;
const F = nn.functional;

const STEPS = Number(process.argv[2] ?? 1000);
const BATCH = 16;
const CONTEXT = 64;
const WIDTH = 96;
const HEADS = 4;
const LAYERS = 3;
const WRITTEN = 400;

const device = torch.device(torch.mtia.is_available() ? 'mtia' : 'cpu');
torch.manual_seed(0);

class Attention extends nn.Module {
  qkv = new nn.Linear(WIDTH, 3 * WIDTH);
  projection = new nn.Linear(WIDTH, WIDTH);

  /** @param x float32 [N, T, WIDTH], as is the result: every position sees itself and those before it */
  override forward(x: Tensor): Tensor {
    const [n, t] = x.shape;
    const [q, k, v] = this.qkv(x)
      .view(n, t, 3, HEADS, WIDTH / HEADS)
      .permute(2, 0, 3, 1, 4)
      .unbind(0);
    const seen = F.scaled_dot_product_attention(q, k, v, { is_causal: true });
    return this.projection(seen.transpose(1, 2).reshape(n, t, WIDTH));
  }
}

class Block extends nn.Module {
  norm1 = new nn.LayerNorm(WIDTH);
  attention = new Attention();
  norm2 = new nn.LayerNorm(WIDTH);
  mlp = new nn.Sequential(new nn.Linear(WIDTH, 4 * WIDTH), new nn.GELU(), new nn.Linear(4 * WIDTH, WIDTH));

  override forward(x: Tensor): Tensor {
    const y = x.add(this.attention(this.norm1(x)));
    return y.add(this.mlp(this.norm2(y)));
  }
}

class GPT extends nn.Module {
  tokens: InstanceType<typeof nn.Embedding>;
  positions = new nn.Embedding(CONTEXT, WIDTH);
  blocks = new nn.Sequential(...Array.from({ length: LAYERS }, () => new Block()));
  norm = new nn.LayerNorm(WIDTH);

  constructor(vocabulary: number) {
    super();
    this.tokens = new nn.Embedding(vocabulary, WIDTH);
    for (const [name, parameter] of this.named_parameters()) {
      if (name.endsWith('weight') && !name.includes('norm')) nn.init.normal_(parameter, 0, 0.02);
      if (name.endsWith('bias')) nn.init.zeros_(parameter);
    }
  }

  /** @param codes int64 [N, T], T at most CONTEXT; @returns float32 [N, T, vocabulary], scores of what comes next */
  override forward(codes: Tensor): Tensor {
    const places = torch.arange(codes.size(1), { device: codes.device });
    const x = this.tokens(codes).add(this.positions(places));
    // What a character means on the way in and on the way out is one table.
    return F.linear(this.norm(this.blocks(x)), this.tokens.weight);
  }
}

const { characters, codes, compressed } = loadProse();
const trainLength = Math.floor(0.9 * codes.size(0));
const train = codes.narrow(0, 0, trainLength);
const test = codes.narrow(0, trainLength, codes.size(0) - trainLength);

const model = new GPT(characters.length).to(device);
const decayed = [...model.parameters()].filter((parameter) => parameter.dim() > 1);
const others = [...model.parameters()].filter((parameter) => parameter.dim() <= 1);
const optimizer = new optim.AdamW(
  [
    { params: decayed, weight_decay: 0.1 },
    { params: others, weight_decay: 0 },
  ],
  { lr: 2e-3, betas: [0.9, 0.99] },
);
const scheduler = new optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, {
  total_steps: STEPS,
  pct_start: 0.1,
  cycle_momentum: false,
});

const size = [...model.parameters()].reduce((sum, parameter) => sum + parameter.numel(), 0);
console.log(`${codes.size(0)} characters of ${characters.length} kinds; a model of ${size} parameters on ${device}.`);

const steps = torch.arange(CONTEXT + 1);

/** @returns the loss of guessing every next character in windows that begin at `starts`, int64 [N] on the cpu */
function lossAt(text: Tensor, starts: Tensor): Tensor {
  const windows = text.index([starts.unsqueeze(1).add(steps)]).to(device);
  const scores = model(windows.narrow(1, 0, CONTEXT));
  return F.cross_entropy(scores.flatten(0, 1), windows.narrow(1, 1, CONTEXT).flatten());
}

function trainStep(): Tensor {
  optimizer.zero_grad();
  const loss = lossAt(train, torch.randint(0, trainLength - CONTEXT, [BATCH]));
  loss.backward();
  nn.utils.clip_grad_norm_(model.parameters(), 1);
  optimizer.step();
  scheduler.step();
  return loss.detach();
}

/** Bits per character over the windows of the test part, one after the other; over the first `most` of them. */
function testBits(most = Number.POSITIVE_INFINITY): number {
  return torch.no_grad(() => {
    const starts = torch.arange(0, test.size(0) - CONTEXT, CONTEXT);
    const chunks = starts.narrow(0, 0, Math.min(most, starts.size(0))).split(128);
    const total = chunks.reduce((sum, chunk) => sum + lossAt(test, chunk).item() * chunk.size(0), 0);
    return total / Math.min(most, starts.size(0)) / Math.LN2;
  });
}

/** Writes on from a beginning, drawing each character from what the model thinks of it. */
function write(beginning: string, length: number, temperature = 0.7): string {
  return torch.no_grad(() => {
    let text = beginning;
    for (let i = 0; i < length; i++) {
      const seen = Array.from(text.slice(-CONTEXT), (character) => BigInt(characters.indexOf(character)));
      const scores = model(torch.tensor([seen], { device })).index([0, -1]);
      text += characters[torch.multinomial(scores.div(temperature).softmax(0), 1).item()];
    }
    return text;
  });
}

let milliseconds = 0;
let total = torch.zeros([], { device });
const every = Math.max(1, Math.floor(STEPS / 10));
for (let step = 1; step <= STEPS; step++) {
  const start = performance.now();
  total = total.add(trainStep());
  const shown = step % every === 0 || step === STEPS;
  const loss = shown ? total.item() / (((step - 1) % every) + 1) : 0;
  milliseconds += performance.now() - start;
  if (!shown) continue;
  total = torch.zeros([], { device });
  console.log(`step ${step}: loss ${loss.toFixed(4)}, ${testBits(128).toFixed(3)} bits per character in the test`);
}

console.log();
console.log(
  `Test           ${testBits().toFixed(3)} bits per character (gzip: ${((8 * compressed) / codes.size(0)).toFixed(3)})`,
);
console.log(
  `Steps          ${STEPS} in ${(milliseconds / 1000).toFixed(2)} s: ${((1000 * STEPS) / milliseconds).toFixed(1)} steps/s`,
);
if (device.type === 'mtia') console.log(`MTIA memory    peak ${torch.mtia.memory.max_memory_allocated()} bytes`);
console.log(`\n${write('"My dear Mr. Bennet,"', WRITTEN)}`);
