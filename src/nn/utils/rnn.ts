/** `nn.utils.rnn`: sequences of several lengths, padded to one tensor or packed row by row. */
import type { DeviceLike } from '../../core/device.ts';
import type { DType } from '../../core/dtype.ts';
import { float16, float32, float64, int64 } from '../../core/dtype.ts';
import { RuntimeError, ValueError } from '../../core/errors.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { arange, cat, empty_like, full, stack, tensor } from '../../torch/factories.ts';
import { Signature } from '../signature.ts';
import { pyTypeName } from '../text.ts';

/** Arguments of `Tensor.to`. */
type MoveArguments = readonly (DeviceLike | DType | Tensor | boolean | object | null | undefined)[];

interface PackedIndices {
  sorted_indices?: Tensor | null;
  unsorted_indices?: Tensor | null;
}

const PACKED = Signature.of(
  'PackedSequence.__new__(self, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None)',
);

/**
 * Sequences packed step by step: the rows of all sequences at step 0, then at step 1, and so on. An iterable of its four
 * parts. Made by `pack_padded_sequence` and `pack_sequence`.
 */
export class PackedSequence implements Iterable<Tensor | null> {
  /** [rows, …] */
  readonly data: Tensor;
  /** How many sequences there are at each step, int64 on the cpu. */
  readonly batch_sizes: Tensor;
  /** Where each packed sequence stood in the batch; null if they were sorted. */
  readonly sorted_indices: Tensor | null;
  /** Where each sequence of the batch is among the packed ones. */
  readonly unsorted_indices: Tensor | null;

  constructor(
    data: Tensor,
    batch_sizes: Tensor,
    sorted_indices?: Tensor | null | PackedIndices,
    unsorted_indices?: Tensor | null | PackedIndices,
  );
  constructor(...args: unknown[]) {
    const [data, batch_sizes, sorted_indices, unsorted_indices] = PACKED.bind(args) as [
      Tensor,
      Tensor,
      Tensor | null,
      Tensor | null,
    ];
    if (!batch_sizes.is_cpu) {
      throw new ValueError(
        'batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. They should be instantiated by functions like pack_sequence and pack_padded_sequences in nn.utils.rnn. https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence',
      );
    }
    this.data = data;
    this.batch_sizes = batch_sizes;
    this.sorted_indices = sorted_indices;
    this.unsorted_indices = unsorted_indices ?? invert_permutation(sorted_indices);
  }

  *[Symbol.iterator](): Generator<Tensor | null, void> {
    yield this.data;
    yield this.batch_sizes;
    yield this.sorted_indices;
    yield this.unsorted_indices;
  }

  /** As `Tensor.to`: data and indices move, batch sizes stay on the cpu. */
  to(...args: MoveArguments): PackedSequence {
    const data = (this.data.to as (...args: unknown[]) => Tensor)(...args);
    if (data === this.data) return this;
    const moved = (x: Tensor | null) => x?.to(data.device) ?? null;
    return new PackedSequence(data, this.batch_sizes, moved(this.sorted_indices), moved(this.unsorted_indices));
  }

  #as(dtype: DType): PackedSequence {
    return this.to(dtype);
  }

  /** On the cpu. */
  cpu(): PackedSequence {
    return this.to('cpu');
  }

  /** As float64. */
  double(): PackedSequence {
    return this.#as(float64);
  }

  /** As float32. */
  float(): PackedSequence {
    return this.#as(float32);
  }

  /** As float16. */
  half(): PackedSequence {
    return this.#as(float16);
  }

  /** As int64. */
  long(): PackedSequence {
    return this.#as(int64);
  }

  /** Data and indices in pinned memory. */
  pin_memory(): PackedSequence {
    const pinned = (x: Tensor | null) => x?.pin_memory() ?? null;
    return new PackedSequence(
      this.data.pin_memory(),
      this.batch_sizes,
      pinned(this.sorted_indices),
      pinned(this.unsorted_indices),
    );
  }

  is_pinned(): boolean {
    return this.data.is_pinned();
  }

  /** Python's `repr`. */
  toString(): string {
    const parts = ['data', 'batch_sizes', 'sorted_indices', 'unsorted_indices'] as const;
    return `PackedSequence(${parts.map((name) => `${name}=${this[name] === null ? 'None' : String(this[name])}`).join(', ')})`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

/** The permutation that undoes another. */
export function invert_permutation(permutation: Tensor): Tensor;
export function invert_permutation(permutation: Tensor | null): Tensor | null;
export function invert_permutation(permutation: Tensor | null): Tensor | null {
  if (permutation === null) return null;
  const positions = arange(0, permutation.length, { device: permutation.device, dtype: int64 });
  return empty_like(permutation).scatter_(0, permutation, positions);
}

function numbersOf(lengths: Tensor): number[] {
  return (lengths.tolist() as (number | bigint)[]).map(Number);
}

/** Which row of [steps * batch] each packed row is, and how many rows each step has. */
function rowsOf(lengths: readonly number[], batch: number): { rows: number[]; sizes: number[] } {
  const rows: number[] = [];
  const sizes: number[] = [];
  const longest = lengths.length === 0 ? 0 : lengths[0];
  let there = lengths.length;
  for (let t = 0; t < longest; t++) {
    while (lengths[there - 1] <= t) there--;
    sizes.push(there);
    for (let i = 0; i < there; i++) rows.push(t * batch + i);
  }
  return { rows, sizes };
}

const integers = (values: readonly number[]) => tensor(BigInt64Array.from(values, BigInt));

export interface PackOptions {
  /** Whether the input is [batch, steps, …] and not [steps, batch, …]. */
  batch_first?: boolean;
  /** Whether sequences must come longest first. Default: true. */
  enforce_sorted?: boolean;
}

const PACK = Signature.of('pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True)');

/**
 * Packs sequences that were padded to one length.
 *
 * @param input [steps, batch, …]
 * @param lengths of the sequences
 */
export function pack_padded_sequence(
  input: Tensor,
  lengths: Tensor | readonly number[],
  options?: PackOptions,
): PackedSequence;
export function pack_padded_sequence(
  input: Tensor,
  lengths: Tensor | readonly number[],
  batch_first: boolean,
  enforce_sorted?: boolean | PackOptions,
): PackedSequence;
export function pack_padded_sequence(...args: unknown[]): PackedSequence {
  let [input, lengths, batchFirst, sorted] = PACK.bind(args) as [Tensor, Tensor | readonly number[], boolean, boolean];
  const given = lengths instanceof Tensor ? lengths.to(int64) : integers(lengths);
  if (!given.is_cpu || given.sizes.length !== 1) {
    throw new RuntimeError(
      `'lengths' argument should be a 1D CPU int64 tensor, but got ${given.sizes.length}D ${given.device} Long tensor`,
    );
  }
  let counts = numbersOf(given);
  let order: Tensor | null = null;
  if (!sorted) {
    const places = counts.map((_, i) => i).sort((a, b) => counts[b] - counts[a] || a - b);
    counts = places.map((i) => counts[i]);
    order = integers(places).to(input.device);
    input = input.index_select(batchFirst ? 0 : 1, order);
  }
  if (input.length === 0) throw new RuntimeError('Cannot pack empty tensors.');
  const x = batchFirst ? input.transpose(0, 1) : input;
  const batch = x.sizes[1];
  if (counts.length !== batch) {
    throw new RuntimeError(
      `Expected \`len(lengths)\` to be equal to batch_size, but got ${counts.length} (batch_size=${batch})`,
    );
  }
  if (counts.at(-1)! <= 0) {
    throw new RuntimeError(
      "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0",
    );
  }
  if (counts.some((count, i) => i > 0 && count > counts[i - 1])) {
    throw new RuntimeError(
      '`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not need ONNX exportability.',
    );
  }
  if (counts[0] > x.sizes[0]) {
    throw new RuntimeError(`a sequence of ${counts[0]} steps in an input of ${x.sizes[0]}`);
  }
  const { rows, sizes } = rowsOf(counts, batch);
  const data = x.flatten(0, 1).index_select(0, integers(rows).to(x.device));
  return new PackedSequence(data, integers(sizes), order);
}

export interface PadPackedOptions {
  /** Whether the result is [batch, steps, …] and not [steps, batch, …]. */
  batch_first?: boolean;
  /** Default: 0. */
  padding_value?: number;
  /** Steps of the result. Default: those of the longest sequence. */
  total_length?: number | null;
}

const PAD_PACKED = Signature.of(
  'pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None)',
);

/** Undoes packing: the padded sequences, [steps, batch, …], and their lengths. */
export function pad_packed_sequence(
  sequence: PackedSequence,
  options?: PadPackedOptions,
): [padded: Tensor, lengths: Tensor];
export function pad_packed_sequence(
  sequence: PackedSequence,
  batch_first: boolean,
  padding_value?: number | PadPackedOptions,
  total_length?: number | PadPackedOptions | null,
): [padded: Tensor, lengths: Tensor];
export function pad_packed_sequence(...args: unknown[]): [padded: Tensor, lengths: Tensor] {
  const [sequence, batchFirst, value, wanted] = PAD_PACKED.bind(args) as [
    PackedSequence,
    boolean,
    number,
    number | null,
  ];
  const sizes = numbersOf(sequence.batch_sizes);
  const longest = sizes.length;
  if (wanted !== null && wanted < longest) {
    throw new ValueError(
      `Expected total_length to be at least the length of the longest sequence in input, but got total_length=${wanted} and max sequence length being ${longest}`,
    );
  }
  const [batch, length] = [sizes[0], wanted ?? longest];
  const counts = Array.from({ length: batch }, (_, i) => sizes.filter((size) => size > i).length);
  const { data, unsorted_indices: order } = sequence;
  const tail = data.sizes.slice(1);
  const rows = integers(rowsOf(counts, batch).rows).to(data.device);
  const blank = full([length * batch, ...tail], value, { dtype: data.dtype, device: data.device });
  const filled = blank.index_copy(0, rows, data).view([length, batch, ...tail]);
  const padded = batchFirst ? filled.transpose(0, 1) : filled;
  if (order === null) return [padded, integers(counts)];
  const lengths = integers(counts).index_select(0, order.cpu());
  return [padded.index_select(batchFirst ? 0 : 1, order), lengths];
}

export interface PadOptions {
  /** Whether the result is [batch, steps, …] and not [steps, batch, …]. */
  batch_first?: boolean;
  /** Default: 0. */
  padding_value?: number;
  /** Where padding is. Default: right. */
  padding_side?: 'left' | 'right';
}

const PAD = Signature.of("pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side='right')");

/** One tensor of sequences [steps, …] of several lengths: [longest, batch, …], padded. */
export function pad_sequence(sequences: Iterable<Tensor>, options?: PadOptions): Tensor;
export function pad_sequence(
  sequences: Iterable<Tensor>,
  batch_first: boolean,
  padding_value?: number | PadOptions,
  padding_side?: 'left' | 'right' | PadOptions,
): Tensor;
export function pad_sequence(...args: unknown[]): Tensor {
  const [given, batchFirst, value, side] = PAD.bind(args) as [Iterable<Tensor>, boolean, number, string];
  if (typeof given?.[Symbol.iterator] !== 'function') {
    throw new RuntimeError(
      `pad_sequence: Expected iterable for input sequences, but got arg of type: <class '${pyTypeName(given)}'>`,
    );
  }
  const sequences = [...given];
  if (sequences.length === 0) throw new RuntimeError('received an empty list of sequences');
  if (side !== 'left' && side !== 'right') {
    throw new RuntimeError(`Expected padding_side to be one of left or right, but got ${side}.`);
  }
  const longest = Math.max(...sequences.map((x) => x.sizes[0]));
  const padded = sequences.map((x) => {
    const missing = longest - x.sizes[0];
    if (missing === 0) return x;
    const padding = x.new_full([missing, ...x.sizes.slice(1)], value);
    return cat(side === 'left' ? [padding, x] : [x, padding]);
  });
  return stack(padded, batchFirst ? 0 : 1);
}

const UNPAD = Signature.of('unpad_sequence(padded_sequences, lengths, batch_first=False)');
const PACK_ALL = Signature.of('pack_sequence(sequences, enforce_sorted=True)');

/** The sequences of a padded tensor, each of its own length. */
export function unpad_sequence(
  padded_sequences: Tensor,
  lengths: Tensor,
  batch_first?: boolean | { batch_first?: boolean },
): Tensor[];
export function unpad_sequence(...args: unknown[]): Tensor[] {
  const [padded_sequences, lengths, first] = UNPAD.bind(args) as [Tensor, Tensor, boolean];
  const byBatch = first ? padded_sequences : padded_sequences.transpose(0, 1);
  return numbersOf(lengths).map((length, i) => byBatch.select(0, i).narrow(0, 0, length));
}

/** Packs sequences [steps, …], longest first unless `enforce_sorted` is false. */
export function pack_sequence(
  sequences: readonly Tensor[],
  enforce_sorted?: boolean | { enforce_sorted?: boolean },
): PackedSequence;
export function pack_sequence(...args: unknown[]): PackedSequence {
  const [sequences, sorted] = PACK_ALL.bind(args) as [readonly Tensor[], boolean];
  const lengths = sequences.map((x) => x.sizes[0]);
  return pack_padded_sequence(pad_sequence(sequences), lengths, { enforce_sorted: sorted });
}

/** The sequences of a packed one, in the order in which they were given. */
export function unpack_sequence(packed_sequences: PackedSequence): Tensor[] {
  const [padded, lengths] = pad_packed_sequence(packed_sequences, { batch_first: true });
  return unpad_sequence(padded, lengths, true);
}
