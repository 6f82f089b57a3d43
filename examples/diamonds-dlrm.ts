/**
 * A deep learning recommendation model (DLRM), the kind of model that MTIA was built for, on a real table: what is a diamond
 * worth, by its measures and its grades?
 *
 *     npx mtia run examples/diamonds-dlrm.ts [epochs]
 *
 * As in every DLRM, numbers go through an MLP (the bottom), categories through embedding bags, the vectors of both are
 * multiplied pairwise (the interaction), and a second MLP (the top) makes the answer of it.
 */
import torch, { type Tensor } from 'torch-mtia';
import { GRADES, loadDiamonds } from './diamonds.ts';

const { nn, optim } = torch;
const { DataLoader, TensorDataset } = torch.utils.data;

const EPOCHS = Number(process.argv[2] ?? 12);
const BATCH = 256;
const TEST_STONES = 5394;
const WIDTH = 16;

const device = torch.device(torch.mtia.is_available() ? 'mtia' : 'cpu');
torch.manual_seed(0);

class DLRM extends nn.Module {
  bottom = new nn.Sequential(new nn.Linear(6, 64), new nn.ReLU(), new nn.Linear(64, WIDTH), new nn.ReLU());
  tables = new nn.ModuleList(
    Object.values(GRADES).map((grades) => new nn.EmbeddingBag(grades.length, WIDTH, { mode: 'sum' })),
  );
  top = new nn.Sequential(
    new nn.Linear(WIDTH + 6, 128),
    new nn.ReLU(),
    new nn.Linear(128, 64),
    new nn.ReLU(),
    new nn.Linear(64, 1),
  );

  /**
   * @param measures float32 [N, 6]
   * @param bags of every table, the indices of all bags one after the other, and where each of the N bags starts
   * @returns float32 [N], the logarithm of the price, of mean 0 and deviation 1 over the training set
   */
  override forward(measures: Tensor, bags: [indices: Tensor, offsets: Tensor][]): Tensor {
    const dense = this.bottom(measures);
    const looked = bags.map(([indices, offsets], i) => this.tables.at(i)(indices, offsets) as Tensor);
    const vectors = torch.stack([dense, ...looked], 1);
    const products = vectors.bmm(vectors.transpose(1, 2)).flatten(1);
    return this.top(torch.cat([dense, products.index_select(1, this.pairs)], 1)).squeeze(1);
  }

  constructor() {
    super();
    const count = this.tables.length + 1;
    const pairs = [];
    for (let i = 1; i < count; i++) for (let j = 0; j < i; j++) pairs.push(i * count + j);
    this.register_buffer('pairs', torch.tensor(pairs, { dtype: torch.int64 }));
  }
  declare pairs: Tensor;
}

/**
 * Grades are ordered, so the bag of a stone holds every step up to its grade: what a better grade adds is learnt from all
 * stones that have it. Such bags are of different lengths, as those of clicked items are in a recommendation model.
 *
 * @param grades int64 [N], on the cpu
 */
function bagsOf(grades: Tensor): [indices: Tensor, offsets: Tensor] {
  const lengths = grades.add(1);
  const ends = lengths.cumsum(0);
  const offsets = ends.sub(lengths);
  const places = torch.arange(ends.index([-1]).item());
  return [places.sub(offsets.repeat_interleave(lengths)).to(device), offsets.to(device)];
}

const { measures, grades, price } = loadDiamonds();
const order = torch.randperm(price.size(0));
const trainCount = price.size(0) - TEST_STONES;
const shuffled = [measures, grades, price.log()].map((column) => column.index_select(0, order));
const parts = (start: number, count: number) => shuffled.map((column) => column.narrow(0, start, count));
const [trainMeasures, trainGrades, trainPrice] = parts(0, trainCount);
const [testMeasures, testGrades, testPrice] = parts(trainCount, TEST_STONES);
const [mean, deviation] = [trainPrice.mean().item(), trainPrice.std().item()];

const allBags = (batch: Tensor) => batch.unbind(1).map(bagsOf);

const model = new DLRM().to(device);
const optimizer = new optim.Adam(model.parameters(), { lr: 2e-3 });
const loader = new DataLoader(new TensorDataset(trainMeasures, trainGrades, trainPrice.sub(mean).div(deviation)), {
  batch_size: BATCH,
  shuffle: true,
  drop_last: true,
});
const scheduler = new optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS * loader.length);

console.log(`${trainCount} diamonds to train with, ${TEST_STONES} to test with, on ${device}.`);
console.log(String(model));

function trainStep(numbers: Tensor, categories: Tensor, target: Tensor): Tensor {
  optimizer.zero_grad();
  const loss = nn.functional.mse_loss(model(numbers.to(device), allBags(categories)), target.to(device));
  loss.backward();
  optimizer.step();
  scheduler.step();
  return loss.detach();
}

/** How much of the variance of the logarithm of the price is explained, and the median error of the price, in percent. */
function evaluate(): { r2: number; error: number } {
  return torch.no_grad(() => {
    const guess = model(testMeasures.to(device), allBags(testGrades)).cpu().mul(deviation).add(mean);
    const residual = guess.sub(testPrice);
    const variance = testPrice.sub(testPrice.mean());
    const r2 = 1 - residual.square().sum().item() / variance.square().sum().item();
    return { r2, error: 100 * residual.exp().sub(1).abs().median().item() };
  });
}

let milliseconds = 0;
for (let epoch = 1; epoch <= EPOCHS; epoch++) {
  const start = performance.now();
  let total = torch.zeros([], { device });
  for (const [numbers, categories, target] of loader) total = total.add(trainStep(numbers, categories, target));
  const loss = total.item() / loader.length;
  milliseconds += performance.now() - start;
  const { r2, error } = evaluate();
  console.log(
    `epoch ${epoch}: loss ${loss.toFixed(5)}, test R² ${r2.toFixed(4)}, median error of the price ${error.toFixed(2)} %`,
  );
}

const { r2, error } = evaluate();
const steps = EPOCHS * loader.length;
console.log();
console.log(`Test R²        ${r2.toFixed(4)}`);
console.log(`Median error   ${error.toFixed(2)} % of the price`);
console.log(
  `Steps          ${steps} in ${(milliseconds / 1000).toFixed(2)} s: ${Math.round((1000 * steps) / milliseconds)} steps/s`,
);
if (device.type === 'mtia') console.log(`MTIA memory    peak ${torch.mtia.memory.max_memory_allocated()} bytes`);
