/** Single operations, forward and (where the name of the case says so) backward. */
import torch, { type Tensor } from 'torch-mtia';
import { type Case, type Context, number, wave, whole } from './case.ts';

const { nn, optim } = torch;
const F = nn.functional;

const dtypes = { float32: torch.float32, float64: torch.float64, bfloat16: torch.bfloat16, float16: torch.float16 };
const dtypeOf = ({ args }: Context) => dtypes[(args['dtype'] ?? 'float32') as keyof typeof dtypes];

const matmul: Case = (context) => {
  const { device, args } = context;
  const n = number(args, 'n');
  const [a, b] = [1, 2].map((seed) => wave([n, n], seed).to({ device, dtype: dtypeOf(context) }));
  return { step: () => torch.matmul(a, b) };
};

const add: Case = ({ device, args }) => {
  const [a, b] = [1, 2].map((seed) => wave([number(args, 'n')], seed).to(device));
  return { step: () => torch.add(a, b), enqueued: args['enqueued'] === 1 };
};

const POINTWISE: Record<string, (a: Tensor, b: Tensor) => Tensor> = {
  add: (a, b) => a.add(b),
  mul: (a, b) => a.mul(b),
  exp: (a) => a.exp(),
  gelu: (a) => F.gelu(a),
  sigmoid: (a) => a.sigmoid(),
};

const pointwise: Case = ({ device, args }) => {
  const [a, b] = [1, 2].map((seed) => wave([number(args, 'n')], seed).to(device));
  const op = POINTWISE[args['op']];
  return { step: () => op(a, b) };
};

const sum: Case = ({ device, args }) => {
  const a = wave([number(args, 'n')], 1).to(device);
  return { step: () => a.sum() };
};

/** Runs forward, then backward from a given gradient; gradients of the step before are gone. */
function both(leaves: Tensor[], forward: () => Tensor): () => void {
  for (const leaf of leaves) leaf.requires_grad_();
  let gradient: Tensor | null = null;
  return () => {
    for (const leaf of leaves) leaf.grad = null;
    const result = forward();
    gradient ??= torch.ones_like(result);
    result.backward(gradient);
  };
}

const softmax: Case = ({ device, args }) => {
  const n = number(args, 'n');
  const x = wave([n, n], 1).to(device);
  return { step: both([x], () => F.softmax(x, -1)) };
};

const layerNorm: Case = ({ device, args }) => {
  const n = number(args, 'n');
  const x = wave([n, n], 1).to(device);
  const [weight, bias] = [torch.ones(n, { device }), torch.zeros(n, { device })];
  return { step: both([x, weight, bias], () => F.layer_norm(x, [n], weight, bias)) };
};

const conv2d: Case = ({ device, args }) => {
  const [n, channels, size] = ['batch', 'channels', 'size'].map((name) => number(args, name));
  const x = wave([n, channels, size, size], 1).to(device);
  const weight = wave([channels, channels, 3, 3], 2, 0.05).to(device);
  return { step: both([x, weight], () => F.conv2d(x, weight, null, 1, 1)) };
};

const embeddingBag: Case = ({ device, args }) => {
  const [rows, width, batch, pooling] = ['rows', 'width', 'batch', 'pooling'].map((name) => number(args, name));
  const weight = torch.zeros(rows, width, { device }).add_(0.5);
  // A large step, so that neighbours in a bag lie far apart in the table.
  const indices = whole([batch, pooling], rows, 104_729).to(device);
  return { step: both([weight], () => F.embedding_bag(indices, weight, null, { mode: 'sum' })) };
};

const attention: Case = ({ device, args }) => {
  const shape = [1, number(args, 'heads'), number(args, 'length'), number(args, 'width')];
  const [q, k, v] = [1, 2, 3].map((seed) => wave(shape, seed).to(device));
  return { step: both([q, k, v], () => F.scaled_dot_product_attention(q, k, v)) };
};

const adam: Case = ({ device, args }) => {
  const [count, elements] = ['tensors', 'elements'].map((name) => number(args, name));
  const parameters = Array.from({ length: count }, () => new nn.Parameter(torch.ones(elements, { device })));
  for (const parameter of parameters) parameter.grad = torch.ones(elements, { device });
  const optimizer = new optim.Adam(parameters, { fused: args['fused'] === 1 ? true : null });
  return { step: () => optimizer.step() };
};

export const kernels: Record<string, Case> = {
  matmul,
  add,
  pointwise,
  sum,
  softmax,
  layer_norm: layerNorm,
  conv2d,
  embedding_bag: embeddingBag,
  attention,
  adam,
};
