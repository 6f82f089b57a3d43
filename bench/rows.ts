/** What is measured: each row's work on our side, the peer's row it is held against, and its target. */
import torch from 'torch-mtia';

const { nn, optim } = torch;

export interface Row {
  name: string;
  /** Row of peer.py. */
  peer: string;
  unit: 'GFLOP/s' | 'µs';
  /** At least (GFLOP/s) or at most (µs). */
  target: number;
  /** Repetitions per sample. */
  repeat: number;
  /** Floating point operations of one repetition, where the unit needs them. */
  flops?: number;
  /** Prepares the work; gives a function that does it `repeat` times and returns the seconds that count. */
  prepare(): (repeat: number) => number;
}

const elapsed = (start: number) => (performance.now() - start) / 1000;

function matmul(device: string): Row {
  return {
    name: `matmul 1024, ${device}`,
    peer: 'matmul 1024',
    unit: 'GFLOP/s',
    target: 60,
    repeat: 4,
    flops: 2 * 1024 ** 3,
    prepare() {
      const a = torch.randn([1024, 1024], { device });
      const b = torch.randn([1024, 1024], { device });
      return (repeat) => {
        const start = performance.now();
        for (let i = 0; i < repeat; i++) torch.matmul(a, b);
        torch.mtia.synchronize();
        return elapsed(start);
      };
    },
  };
}

function add(device: string): Row {
  return {
    name: device === 'cpu' ? 'add of 10, cpu' : 'add of 10, enqueued on mtia',
    peer: 'add of 10',
    unit: 'µs',
    target: 1.5,
    repeat: 20_000,
    prepare() {
      const a = torch.randn([10], { device });
      const b = torch.randn([10], { device });
      return (repeat) => {
        const start = performance.now();
        for (let i = 0; i < repeat; i++) torch.add(a, b);
        const seconds = elapsed(start);
        torch.mtia.synchronize();
        return seconds;
      };
    },
  };
}

function trainingStep(device: string): Row {
  return {
    name: `training step, ${device}`,
    peer: 'training step',
    unit: 'µs',
    target: 50,
    repeat: 1000,
    prepare() {
      const model = new nn.Linear(10, 5).to(device);
      const input = torch.randn(3, 10).to(device);
      const target = torch.randn(3, 5).to(device);
      const criterion = new nn.MSELoss();
      const optimizer = new optim.SGD(model.parameters(), { lr: 0.01 });
      const step = () => {
        optimizer.zero_grad();
        const loss = criterion(model(input), target);
        loss.backward();
        optimizer.step();
      };
      return (repeat) => {
        const start = performance.now();
        for (let i = 0; i < repeat; i++) step();
        torch.mtia.synchronize();
        return elapsed(start);
      };
    },
  };
}

export const rows: Row[] = ['cpu', 'mtia'].flatMap((device) => [matmul(device), add(device), trainingStep(device)]);
