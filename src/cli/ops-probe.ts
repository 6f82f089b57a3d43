/**
 * What an operation takes, asked of its declaration: every overload is called with small arguments made from its schema, for every
 * dtype. On the meta device, where shapes and dtypes are looked at and nothing is computed; with data where that is needed.
 */
import { type DType, DTYPES, bool, float32, float64, int64 } from '../core/dtype.ts';
import type { Device } from '../core/device.ts';
import { internDevice } from '../core/device.ts';
import type { Torch } from './figures.ts';
import type { Op } from '../ops/registry.ts';
import type { Param, Schema } from '../ops/schema.ts';
import { Tensor } from '../tensor/tensor.ts';

export interface Probed {
  /** Dtypes of the tensors it is given (of the result, where it is given none). */
  readonly dtypes: readonly DType[];
  /** Whether it runs without data, on the meta device. */
  readonly meta: boolean;
  /** Whether a gradient flows through it. */
  readonly grad: boolean;
}

/** Tensors of this many dimensions are tried, each dimension of this size. */
const RANKS = [1, 2, 3, 4, 5, 0];
const SIZE = 2;

/** Of whatever dtype the others are. */
const INDICES =
  /^(index|indices|target|targets|labels|offsets|repeats|input_lengths|target_lengths|sorter|tensor_indices_or_sections)$/;
const MASKS = /^(mask|condition|attn_mask)$/;
/** Vectors beside matrices, and what is one value per channel. */
const VECTORS = /^(vec|vec1|vec2|bias|running_mean|running_var|weights|boundaries|sorted_sequence)$/;
const TRUE = /^(training|train|use_input_stats)$/;
const STRINGS: Readonly<Record<string, readonly string[]>> = {
  equation: ['...,...->...'],
  reduce: ['sum'],
  mode: ['constant', 'nearest'],
  indexing: ['ij'],
  rounding_mode: ['floor'],
};

/** How values are chosen: rank of tensors, and which of the ways to fill lists of integers. */
interface Attempt {
  readonly dtype: DType;
  readonly device: Device;
  readonly rank: number;
  readonly lists: 'zero' | 'one' | 'axes' | 'sizes' | 'ones';
  readonly vectors: boolean;
  readonly indices: boolean;
  readonly grad: boolean;
}

const tensor = (torch: Torch, a: Attempt, dtype: DType, rank: number): Tensor =>
  sized(torch, a, dtype, new Array(rank).fill(SIZE));

function sized(torch: Torch, a: Attempt, dtype: DType, sizes: number[]): Tensor {
  const make = dtype.is_floating_point || dtype === bool ? torch.ones : torch.zeros;
  const x = make(sizes, { dtype, device: a.device });
  // No leaf: those cannot be changed in place.
  return a.grad && dtype.is_floating_point ? x.requires_grad_().clone() : x;
}

/** Of a recurrent network or cell with 2 units over 2 inputs. */
const recurrent = (gates: number, states: unknown) => ({
  input: [SIZE, SIZE, SIZE],
  hx: states,
  params: [
    [gates * SIZE, SIZE],
    [gates * SIZE, SIZE],
  ],
});
const cell = (gates: number, states: unknown) => ({
  input: [SIZE, SIZE],
  hx: states,
  w_ih: [gates * SIZE, SIZE],
  w_hh: [gates * SIZE, SIZE],
});
const STATE = [1, SIZE, SIZE];
const CELL_STATE = [SIZE, SIZE];
const NO_STATISTICS = { weight: null, bias: null, running_mean: null, running_var: null };

/** Arguments that cannot be guessed from a schema. Of tensors: the sizes, or a list of sizes for a list of them; `'int64'` instead: [2, 2] of that. */
const HINTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  addbmm: { self: [2, 2], batch1: [2, 2, 2], batch2: [2, 2, 2] },
  addmv: { self: [2], mat: [2, 2], vec: [2] },
  clamp: { min: 0 },
  clip: { min: 0 },
  col2im: {
    input: [2, 2, 2],
    output_size: [1, 2],
    kernel_size: [1, 1],
    dilation: [1, 1],
    padding: [0, 0],
    stride: [1, 1],
  },
  im2col: { input: [2, 2, 2, 2], kernel_size: [1, 1], dilation: [1, 1], padding: [0, 0], stride: [1, 1] },
  convolution: {
    input: [2, 2, 2, 2],
    weight: [2, 2, 2, 2],
    bias: [2],
    stride: [1, 1],
    padding: [0, 0],
    dilation: [1, 1],
    output_padding: [0, 0],
    groups: 1,
  },
  cosine_embedding_loss: { input1: [2, 2], input2: [2, 2], target: [2] },
  cross: { self: [3], input: [3], other: [3] },
  linalg_cross: { self: [3], input: [3], other: [3] },
  ctc_loss: { log_probs: [2, 2, 2], targets: 'int64', input_lengths: [2n, 2n], target_lengths: [1n, 1n] },
  embedding: { input: 'int64', indices: 'int64', weight: [2, 2] },
  batch_norm: { input: [2, 2], ...NO_STATISTICS },
  instance_norm: { input: [2, 2, 2], ...NO_STATISTICS },
  einsum: { operands: [[2], [2]] },
  nll_loss: { input: [2, 2], target: [0n, 1n] },
  embedding_bag: { input: 'int64', weight: [2, 2] },
  lstm: recurrent(4, [STATE, STATE]),
  gru: recurrent(3, STATE),
  rnn_tanh: recurrent(1, STATE),
  rnn_relu: recurrent(1, STATE),
  lstm_cell: cell(4, [CELL_STATE, CELL_STATE]),
  gru_cell: cell(3, CELL_STATE),
  interpolate: { input: [2, 2, 2, 2], size: [2, 2] },
};

/** The in-place form takes what the other takes. */
const hintOf = (op: string, param: string): unknown => (HINTS[op] ?? HINTS[op.replace(/_$/, '')])?.[param];

function argument(torch: Torch, op: string, param: Param, a: Attempt): unknown {
  const hint = hintOf(op, param.name);
  if (hint !== undefined) {
    if (hint === 'int64') return torch.zeros([SIZE, SIZE], { dtype: int64, device: a.device });
    if (hint === null || typeof hint === 'number' || !param.type.startsWith('Tensor')) return hint;
    const sizes = hint as number[];
    if (typeof sizes[0] === 'bigint') return torch.tensor(hint as never, { device: a.device });
    return Array.isArray(sizes[0])
      ? (hint as number[][]).map((one) => sized(torch, a, a.dtype, one))
      : sized(torch, a, a.dtype, sizes);
  }
  if (param.hasDefault && param.type !== 'dtype') return param.default;
  const { name, type } = param;
  switch (type) {
    case 'Tensor':
    case 'Tensor|Scalar': {
      const dtype = a.indices && INDICES.test(name) ? int64 : MASKS.test(name) ? bool : a.dtype;
      const rank = a.vectors && VECTORS.test(name) ? 1 : a.rank;
      const one = () => tensor(torch, a, dtype, rank);
      return param.list !== null || param.varargs ? [one(), one()] : one();
    }
    case 'Data':
      return a.dtype.is_floating_point ? [1, 2] : a.dtype === bool ? [true, false] : [1n, 2n];
    case 'Index':
      return [0];
    case 'Scalar':
    case 'float':
      return 1;
    case 'ints':
      return [[1, 1]];
    case 'int':
      if (param.list === null && !param.varargs)
        return /^(dim|dim0|dim1|start_dim|axis|start|index|low)$/.test(name) ? 0 : 1;
      if (a.lists === 'zero') return [0];
      if (a.lists === 'one') return [1];
      if (a.lists === 'axes') return Array.from({ length: a.rank }, (_, i) => i);
      return new Array(a.rank).fill(a.lists === 'ones' ? 1 : SIZE);
    case 'bool':
      return TRUE.test(name);
    case 'str':
      return STRINGS[name]?.[0] ?? 'mean';
    case 'dtype':
      return param.optional ? (param.name === 'dtype' ? a.dtype : null) : a.dtype;
    case 'device':
      return a.device;
    default:
      return null;
  }
}

const takesTensors = ({ params }: Schema) => params.some(({ type }) => type.startsWith('Tensor'));

/** Calls the overload; whatever it throws means that it does not take these. */
function attempt(torch: Torch, op: Op, index: number, a: Attempt): unknown {
  const schema = op.schemas[index];
  const given = takesTensors(schema);
  const values = schema.params.map((param) => {
    // A dtype beside tensors is one to convert to.
    if (given && param.type === 'dtype') return param.hasDefault ? param.default : float32;
    if (!given && param.type === 'device') return a.device;
    return argument(torch, op.name, param, a);
  });
  return op.implementations[index](...values);
}

function* attempts(dtype: DType, device: Device, grad = false): Generator<Attempt> {
  for (const rank of RANKS) {
    for (const lists of ['zero', 'one', 'axes', 'sizes', 'ones'] as const) {
      for (const vectors of [true, false]) {
        for (const indices of [true, false]) yield { dtype, device, rank, lists, vectors, indices, grad };
      }
    }
  }
}

/** Attempts in which the answer can differ. */
function relevant({ params }: Schema, a: Attempt): boolean {
  const lists = params.some((p) => p.type === 'int' && (p.list !== null || p.varargs) && !p.hasDefault);
  if (!lists && a.lists !== 'zero') return false;
  if (!a.vectors && !params.some((p) => VECTORS.test(p.name) && !p.hasDefault)) return false;
  return a.indices || params.some((p) => INDICES.test(p.name) && p.type.startsWith('Tensor'));
}

/** The attempt of those that the operation takes; null if it takes none. */
function first(torch: Torch, op: Op, all: Iterable<Attempt>): [Attempt, number, unknown] | null {
  for (const a of all) {
    for (let index = 0; index < op.schemas.length; index++) {
      if (!relevant(op.schemas[index], a)) continue;
      try {
        return [a, index, torch.scope(() => attempt(torch, op, index, a))];
      } catch {
        // Not these.
      }
    }
  }
  return null;
}

const META = internDevice('meta', null);
const CPU = internDevice('cpu', null);

/** Full searches are made with these; what they find is tried with the others. */
const SEARCHED: readonly DType[] = [float32, int64, bool, float64];

/** Copies to an accelerator are not tried: looking at what there is does not use it. */
const USES_THE_DEVICE: ReadonlySet<string> = new Set(['mtia', 'pin_memory']);

/** Asks an operation. Errors are the answers, so their stacks are left out meanwhile. */
export function probe(torch: Torch, op: Op): Probed {
  if (USES_THE_DEVICE.has(op.name)) return { dtypes: DTYPES, meta: false, grad: true };
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const onMeta = search(torch, op, META);
    if (onMeta.length > 0)
      return { dtypes: dtypesOf(torch, op, onMeta), meta: true, grad: hasGradient(torch, op, META) };
    const found = search(torch, op, CPU);
    return { dtypes: dtypesOf(torch, op, found), meta: false, grad: hasGradient(torch, op, CPU) };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function search(torch: Torch, op: Op, device: Device): Attempt[] {
  const found = SEARCHED.map((dtype) => first(torch, op, attempts(dtype, device)));
  return found.filter((result) => result !== null).map(([a]) => a);
}

function dtypesOf(torch: Torch, op: Op, found: readonly Attempt[]): DType[] {
  return DTYPES.filter(
    (dtype) =>
      first(
        torch,
        op,
        found.map((a) => ({ ...a, dtype })),
      ) !== null,
  );
}

function hasGradient(torch: Torch, op: Op, device: Device): boolean {
  for (const a of attempts(float32, device, true)) {
    const found = first(torch, op, [a]);
    if (found === null) continue;
    const results = Array.isArray(found[2]) ? found[2] : [found[2]];
    if (results.some((x) => x instanceof Tensor && x.node !== null)) return true;
  }
  return false;
}
