/**
 * A training program with something of everything that a snapshot tells: parameters, activations, Adam, a second stream, labels,
 * a private pool, an allocation that finds no room, an emptied cache. What it does with memory is the same in every run.
 * tests/fixtures/snapshots/program*.pickle are its snapshots, which scripts/oracle/snapshots.py has shown to PyTorch's viewer.
 */
import type { Frame, SnapshotDict } from '../../src/memory/snapshot/types.ts';
import type { Tensor } from '../../src/tensor/tensor.ts';

type Torch = typeof import('../../src/index.ts').default;

/** Runs it on a device that nobody has used. Gives snapshots from its middle and of its end. */
export function runProgram(torch: Torch, settings = ''): [middle: SnapshotDict, end: SnapshotDict] {
  const { nn, optim } = torch;
  const { memory } = torch.mtia;
  const device = 'mtia';
  torch.mtia.configure({ memory: '64MiB', executor: 'inline' });
  torch.mtia.init();
  if (settings !== '') memory.setAllocatorSettings(settings);
  memory._set_memory_metadata('setup');
  torch.mtia.record_memory_history();
  torch.manual_seed(0);

  class Perceptron extends nn.Module {
    hidden = new nn.Sequential(new nn.Linear(64, 700), new nn.ReLU());
    head = new nn.Linear(700, 10);
    override forward(x: Tensor): Tensor {
      return this.head(this.hidden(x));
    }
  }

  const model = new Perceptron().to(device);
  const criterion = new nn.CrossEntropyLoss();
  const optimizer = new optim.Adam(model.parameters(), { lr: 1e-3 });
  const side = new torch.mtia.Stream();

  function prefetch(rows: number): [Tensor, Tensor] {
    return torch.mtia.stream(side, () => {
      const inputs = torch.randn(rows, 64, { device });
      const targets = torch.randint(0, 10, [rows], { device });
      for (const part of [inputs, targets]) part.record_stream(torch.mtia.default_stream());
      return [inputs, targets];
    });
  }

  function forwardPass(inputs: Tensor, targets: Tensor): Tensor {
    return criterion(model(inputs), targets);
  }

  function trainStep(i: number): void {
    memory._set_memory_metadata(`step ${i}`);
    const [inputs, targets] = prefetch(500 + 300 * i);
    optimizer.zero_grad();
    const loss = forwardPass(inputs, targets);
    loss.backward();
    optimizer.step();
    inputs.dispose();
    targets.dispose();
  }

  function tooLarge(): boolean {
    try {
      const wide = torch.ones(30_000, 700, { device });
      return wide.numel() === 0;
    } catch (error) {
      return error instanceof torch.OutOfMemoryError;
    }
  }

  for (let i = 0; i < 2; i++) trainStep(i);
  torch.mtia.synchronize();
  memory._annotate_tensor(model.head.weight, 'the head');
  const middle = torch.mtia.snapshot();
  trainStep(2);
  if (!tooLarge()) throw new Error('the allocation has found room');
  torch.mtia.synchronize();
  memory._set_memory_metadata('');
  memory.empty_cache();
  const kept = model(torch.ones(3, 64, { device })).detach();
  const end = torch.mtia.snapshot();
  if (kept.numel() !== 30) throw new Error('lost');
  torch.mtia.record_memory_history(null);
  return [middle, end];
}

/**
 * The part of a snapshot that is the same in every run: events of a device are a quarter of a millisecond apart, and stacks have
 * only frames of this file, by its path in the repository and without the class of a method, which not every version of Node.js tells.
 */
export function normalised(dict: SnapshotDict): SnapshotDict {
  const FILE = 'tests/memory/program.testing.ts';
  const frames = (list: Frame[]): Frame[] =>
    list
      .filter(({ filename }) => filename.replaceAll('\\', '/').endsWith(FILE))
      .map((frame) => ({ ...frame, filename: FILE, name: frame.name.replace(/^\w+\./, '') }));
  return {
    ...dict,
    segments: dict.segments.map((segment) => ({
      ...segment,
      frames: frames(segment.frames ?? []),
      blocks: segment.blocks.map((block) => ({ ...block, frames: frames(block.frames ?? []) })),
    })),
    device_traces: dict.device_traces.map((trace) =>
      trace.map((entry, i) => {
        const plain = { ...entry, time_us: 1_800_000_000_000_000 + 250 * i };
        if (entry.frames !== undefined) plain.frames = frames(entry.frames);
        return plain;
      }),
    ),
  };
}
