/** Rows of single operations. P is the faster PyTorch. */
import type { Target } from '../results.ts';
import type { CaseRow } from './row.ts';

const plain = ['plain'] as const;
const MILLION = 1_000_000;

function matmul(n: number, gflops: number): CaseRow {
  const targets: Target[] = [
    { of: ['blas'], against: 'pytorch', bound: 0.95 },
    { of: plain, bound: gflops },
    { of: plain, against: 'javascript', bound: 1.8 },
  ];
  const row: CaseRow = {
    kind: 'case',
    name: `matmul f32 ${n}`,
    case: 'matmul',
    args: { n, dtype: 'float32' },
    unit: 'GFLOP/s',
    flops: 2 * n ** 3,
    variants: ['blas'],
    targets,
  };
  if (n < 1024) return row;
  targets.push({ of: plain, against: '1thread', bound: 1.8 });
  return { ...row, variants: ['blas', '1thread'] };
}

const matmulOf = (name: string, dtype: string, gflops: number): CaseRow => ({
  ...matmul(1024, gflops),
  name: `matmul ${name} 1024`,
  args: { n: 1024, dtype },
  variants: dtype === 'float64' ? ['blas'] : [],
  targets: [{ of: plain, bound: gflops }],
});

const pointwise = (op: string, bound: number): CaseRow => ({
  kind: 'case',
  name: `${op} of 1M`,
  case: 'pointwise',
  args: { op, n: MILLION },
  unit: 'µs',
  targets: [{ against: 'pytorch', bound }],
});

export const kernelRows: CaseRow[] = [
  matmul(64, 25),
  matmul(256, 70),
  matmul(1024, 85),
  matmulOf('f64', 'float64', 40),
  matmulOf('bf16', 'bfloat16', 60),
  {
    kind: 'case',
    name: 'add of 10 (on mtia enqueued)',
    case: 'add',
    args: { n: 10, enqueued: 1 },
    unit: 'µs',
    targets: [{ bound: 0.7 }],
  },
  pointwise('add', 0.9),
  pointwise('mul', 0.9),
  pointwise('exp', 1.3),
  pointwise('gelu', 1),
  pointwise('sigmoid', 0.9),
  {
    kind: 'case',
    name: 'sum of 1M',
    case: 'sum',
    args: { n: MILLION },
    unit: 'µs',
    targets: [{ against: 'pytorch', bound: 0.9 }],
  },
  {
    kind: 'case',
    name: 'softmax 1024x1024, forward + backward',
    case: 'softmax',
    args: { n: 1024 },
    unit: 'ms',
    targets: [{ bound: 0.8 }],
  },
  {
    kind: 'case',
    name: 'layer_norm 1024x1024, forward + backward',
    case: 'layer_norm',
    args: { n: 1024 },
    unit: 'ms',
    targets: [{ bound: 0.8 }],
  },
  {
    kind: 'case',
    name: 'conv2d 16x64x56x56, 64 filters 3x3, forward + backward',
    case: 'conv2d',
    args: { batch: 16, channels: 64, size: 56 },
    unit: 'ms',
    variants: ['blas'],
    targets: [{ against: 'pytorch', bound: 0.7 }],
  },
  {
    kind: 'case',
    name: 'embedding_bag 1M x 64, batch 2048, pooling 20, forward + backward',
    case: 'embedding_bag',
    args: { rows: MILLION, width: 64, batch: 2048, pooling: 20 },
    unit: 'ms',
    targets: [{ against: 'pytorch', bound: 1 }],
  },
  {
    kind: 'case',
    name: 'Adam step, 10M parameters in 10 tensors',
    case: 'adam',
    args: { tensors: 10, elements: MILLION, fused: 1 },
    unit: 'ms',
    targets: [{ bound: 6 }],
  },
  {
    kind: 'case',
    name: 'attention 8 heads, 1024 x 64, forward + backward',
    case: 'attention',
    args: { heads: 8, length: 1024, width: 64 },
    unit: 'ms',
    variants: ['blas'],
    targets: [{ against: 'pytorch', bound: 1 }],
  },
];
