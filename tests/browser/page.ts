/** What the page of the browser tests can do; bundled by server.ts and called from browser.test.ts. */
import torch from 'torch-mtia';
import { programs } from '../../examples/articles/all.ts';

/** Runs one of the articles' programs; the lines it logs. */
export function runProgram(name: string): string[] {
  const lines: string[] = [];
  const { log } = console;
  console.log = (...values: unknown[]) => void lines.push(values.map(String).join(' '));
  try {
    programs[name]();
  } finally {
    console.log = log;
  }
  return lines;
}

/** Lets the browser run what waits, finalizers among it, without the 4 ms of a nested timer. */
const channel = new MessageChannel();
function nextTask(): Promise<void> {
  return new Promise((done) => {
    channel.port1.onmessage = () => done();
    channel.port2.postMessage(0);
  });
}

export interface LoopFigures {
  milliseconds: number;
  /** Bytes, the largest seen. */
  largestAllocated: number;
  loss: number;
}

/** A training loop that disposes of nothing, with an `await` between its steps. Each step leaves 1 MiB and more behind. */
export async function longLoop(steps: number): Promise<LoopFigures> {
  const { nn, optim } = torch;
  const device = torch.device('mtia');
  const model = new nn.Linear(16, 4).to(device);
  const optimizer = new optim.SGD(model.parameters(), { lr: 0.01 });
  const input = torch.ones([8, 16], { device });
  const step = () => {
    const left = torch.zeros([512, 512], { device });
    optimizer.zero_grad();
    const loss = model(input).pow(2).mean();
    loss.backward();
    optimizer.step();
    return { loss, left };
  };
  const start = performance.now();
  let largest = 0;
  let loss = 0;
  for (let i = 0; i < steps; i++) {
    const result = step();
    if (i % 500 === 499) {
      loss = result.loss.item();
      largest = Math.max(largest, torch.mtia.memory.allocated());
    }
    await nextTask();
  }
  return { milliseconds: performance.now() - start, largestAllocated: largest, loss };
}
