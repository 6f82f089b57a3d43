/**
 * Trains a convolutional network to read handwritten digits, on the virtual MTIA where there is one: at least 98.5 % of
 * images that it has never seen.
 *
 *     npx mtia run examples/train-digits.ts [epochs]
 */
import { SingleBar } from 'cli-progress';
import torch from 'torch-mtia';
import { loadDigits } from './digits.ts';

const { nn, optim } = torch;
const { DataLoader, TensorDataset } = torch.utils.data;
const { memory } = torch.mtia;

const EPOCHS = Number(process.argv[2] ?? 10);
const BATCH = 32;
const TEST_IMAGES = 360;

const device = torch.device(torch.backends.mtia.is_available() ? 'mtia' : 'cpu');
torch.manual_seed(0);

// The last fifth of a random order is for testing; the network never sees it in training.
const { images, labels } = loadDigits();
const order = torch.randperm(images.size(0));
const shuffled = { images: images.index_select(0, order), labels: labels.index_select(0, order) };
const trainCount = images.size(0) - TEST_IMAGES;
const train = new TensorDataset(shuffled.images.narrow(0, 0, trainCount), shuffled.labels.narrow(0, 0, trainCount));
const testImages = shuffled.images.narrow(0, trainCount, TEST_IMAGES).to(device);
const testLabels = shuffled.labels.narrow(0, trainCount, TEST_IMAGES).to(device);

const model = new nn.Sequential(
  new nn.Unflatten(1, [1, 8, 8]),
  new nn.Conv2d(1, 32, 3, { padding: 1, bias: false }),
  new nn.BatchNorm2d(32),
  new nn.ReLU(),
  new nn.Conv2d(32, 32, 3, { padding: 1, bias: false }),
  new nn.BatchNorm2d(32),
  new nn.ReLU(),
  new nn.MaxPool2d(2),
  new nn.Conv2d(32, 64, 3, { padding: 1, bias: false }),
  new nn.BatchNorm2d(64),
  new nn.ReLU(),
  new nn.MaxPool2d(2),
  new nn.Flatten(),
  new nn.Linear(256, 10),
).to(device);
const criterion = new nn.CrossEntropyLoss();
const optimizer = new optim.Adam(model.parameters(), { lr: 2e-3 });
const loader = new DataLoader(train, { batch_size: BATCH, shuffle: true });
// Smaller and smaller steps: the last epochs settle, whatever the seed.
const scheduler = new optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS * loader.length);

console.log(`${trainCount} images to train with, ${TEST_IMAGES} to test with, on ${device}.`);
console.log(String(model));

function trainStep(batch: typeof images, digits: typeof labels) {
  optimizer.zero_grad();
  const loss = criterion(model(batch.to(device)), digits.to(device));
  loss.backward();
  optimizer.step();
  scheduler.step();
  return loss.detach();
}

/** The share of the test images that the network reads right. */
function testAccuracy(): number {
  model.eval();
  const right = torch.no_grad(() => model(testImages).argmax(1).eq(testLabels).sum().item());
  model.train();
  return right / TEST_IMAGES;
}

const before = memory.allocated();
memory.reset_peak_memory_stats();
const bar = new SingleBar({
  format: 'training {bar} {percentage}% | epoch {epoch} | loss {loss} | test accuracy {accuracy}',
  hideCursor: true,
  barsize: 24,
  // On a terminal the bar moves; in a file it would be noise.
  noTTYOutput: false,
});

let steps = 0;
let trainingMilliseconds = 0;
bar.start(EPOCHS, 0, { epoch: 0, loss: '-', accuracy: '-' });
for (let epoch = 1; epoch <= EPOCHS; epoch++) {
  const start = performance.now();
  let total = torch.zeros([], { device });
  let batches = 0;
  for (const [batch, digits] of loader) {
    total = total.add(trainStep(batch, digits));
    batches++;
  }
  // `item()` waits for the device: the time below is that of finished work.
  const loss = total.item() / batches;
  trainingMilliseconds += performance.now() - start;
  steps += batches;
  const accuracy = `${(100 * testAccuracy()).toFixed(1)} %`;
  bar.update(epoch, { epoch, loss: loss.toFixed(4), accuracy });
  if (!process.stderr.isTTY && (epoch % 2 === 0 || epoch === EPOCHS)) {
    console.log(`epoch ${epoch}: loss ${loss.toFixed(4)}, test accuracy ${accuracy}`);
  }
}
bar.stop();

const accuracy = testAccuracy();
console.log();
console.log(`Test accuracy  ${(100 * accuracy).toFixed(1)} %`);
console.log(
  `Steps          ${steps} in ${(trainingMilliseconds / 1000).toFixed(2)} s: ${Math.round((1000 * steps) / trainingMilliseconds)} steps/s`,
);
if (device.type === 'mtia') {
  console.log(
    `MTIA memory    before ${before}, after ${memory.allocated()}, peak ${memory.max_memory_allocated()} bytes`,
  );
}
console.log(`
Where to go next
  npx mtia smi                                      the virtual devices
  npx mtia doctor                                   what this machine offers
  npx mtia run examples/articles/training-step.ts   the smallest training step
  npm run dlrm                                      a recommendation model that learns what diamonds are worth
  npm run gpt                                       a GPT that learns to write from a novel
  npm run bench                                     speed, beside PyTorch where it is installed
  examples/, README.md, docs/                       more programs, and how it works`);
