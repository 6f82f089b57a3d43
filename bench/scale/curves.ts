/** What grows with what: the curves of docs/scale.md. */
import type { Arguments } from '../cases/case.ts';

export interface Curve {
  title: string;
  /** What the horizontal axis counts. */
  of: string;
  case: string;
  sizes: readonly number[];
  args(size: number): Arguments;
  /** The power of the size that the time need not exceed, and the memory; without one it is not measured. */
  time: number;
  memory?: number;
}

/** Powers of two. */
const doubling = (from: number, to: number): number[] => {
  const sizes = [from];
  while (sizes.at(-1)! * 2 <= to) sizes.push(sizes.at(-1)! * 2);
  return sizes;
};
const tens = [1, 10, 100, 1000];

export const curves: readonly Curve[] = [
  {
    title: 'Matrix product',
    of: 'rows and columns',
    case: 'matmul',
    sizes: doubling(32, 2048),
    args: (n) => ({ n, dtype: 'float32' }),
    time: 3,
    memory: 2,
  },
  {
    title: 'Training step, by width',
    of: 'width of an MLP of three layers, batch 64',
    case: 'mlp',
    sizes: doubling(32, 2048),
    args: (width) => ({ batch: 64, width, layers: 2 }),
    time: 2,
    memory: 2,
  },
  {
    title: 'Training step, by batch',
    of: 'batch of an MLP 256 wide',
    case: 'mlp',
    sizes: doubling(16, 4096),
    args: (batch) => ({ batch, width: 256, layers: 2 }),
    time: 1,
    memory: 1,
  },
  {
    title: 'Training step, by depth',
    of: 'layers of an MLP 64 wide, batch 64',
    case: 'mlp',
    sizes: doubling(2, 256),
    args: (layers) => ({ batch: 64, width: 64, layers }),
    time: 1,
    memory: 1,
  },
  {
    title: 'Adam step, by number of parameters',
    of: 'parameters of 1000 elements each',
    case: 'adam',
    sizes: tens,
    args: (tensors) => ({ tensors, elements: 1000, fused: 1 }),
    time: 1,
    memory: 1,
  },
  {
    title: 'Adam step, by size of a parameter',
    of: 'elements of one parameter',
    case: 'adam',
    sizes: [1e3, 1e4, 1e5, 1e6, 1e7],
    args: (elements) => ({ tensors: 1, elements, fused: 1 }),
    time: 1,
    memory: 1,
  },
  {
    title: 'Attention, by sequence length',
    of: 'length of the sequence; 8 heads of 64, forward and backward',
    case: 'attention',
    sizes: doubling(64, 2048),
    args: (length) => ({ heads: 8, length, width: 64 }),
    time: 2,
    memory: 1,
  },
  {
    title: 'GPT training step, by sequence length',
    of: 'length of the sequence; 2 layers 64 wide, batch 4',
    case: 'gpt',
    sizes: doubling(16, 512),
    args: (context) => ({ batch: 4, context, width: 64, heads: 4, layers: 2 }),
    time: 2,
    memory: 1,
  },
];
