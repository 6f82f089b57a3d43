/** Indexing with everything PyTorch's `x[…]` takes, and the gather and scatter family. */

import { changeInplace, checkChange } from '../autograd/inplace.ts';
import { mode } from '../autograd/mode.ts';
import { type BackwardFunction, record, touchGraphOf } from '../autograd/record.ts';
import { bool, type DType, FLOAT_CATEGORY, int32, int64, uint8 } from '../core/dtype.ts';
import { IndexError, RuntimeError, ValueError } from '../core/errors.ts';
import { broadcastSizes, isContiguous, sameSizes, showSizes } from '../core/shape.ts';
import { SliceValue } from '../core/slice.ts';
import { countNonzero, indexGet, nonzero as nonzeroKernel } from '../kernels/gather.ts';
import { indexedSizesOf, indexedStridesOf } from '../kernels/indexing.ts';
import { indexPut } from '../kernels/scatter.ts';
import { emptyStrided, emptyTensor } from '../tensor/empty.ts';
import { FLAG_INFERENCE, Tensor } from '../tensor/tensor.ts';
import { pythonTypeOf } from '../tensor/type-name.ts';
import { sameBackend } from './device.ts';
import { type TensorData, tensorFromData } from './from-data.ts';
import { checkOverlap, checkShared, outputStrides } from './layout.ts';
import { define } from './registry.ts';
import { checkScalar } from './scalar-range.ts';
import { aliasOf, slice } from './views.ts';

/** One entry of an index: a position, a Slice, ':' (everything), '...', null (a new dimension), a mask or positions. */
export type IndexEntry = number | bigint | boolean | SliceValue | ':' | '...' | null | Tensor | TensorData;
/** What `x.index(…)` takes: a list of entries, one for each dimension, or a single one. */
export type IndexArgument = IndexEntry | readonly IndexEntry[];

function finish(out: Tensor, inputs: readonly Tensor[]): Tensor {
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  if (!mode.grad) for (const x of inputs) touchGraphOf(x);
  return out;
}

/** How many dimensions of x an entry uses up. */
function dimsOf(entry: IndexEntry): number {
  if (entry === null || entry === undefined || entry === '...' || typeof entry === 'boolean') return 0;
  if (entry instanceof Tensor) return isMask(entry) ? entry.sizes.length : 1;
  return 1;
}

const notAnIndex = (entry: unknown) =>
  new IndexError(
    `only integers, slices (\`:\`), ellipsis (\`...\`), None and long or byte Variables are valid indices (got ${typeof entry === 'string' ? `'${entry}'` : pythonTypeOf(entry)}); here slices are torch.Slice(start, stop, step) or ':', and the ellipsis is '...'`,
  );

/** Views for the simple entries, and the tensors that remain, by dimension of the view. */
function resolve(self: Tensor, argument: IndexArgument): { view: Tensor; tensors: (Tensor | null)[] } {
  const entries = (Array.isArray(argument) ? argument : [argument]).map((entry: IndexEntry) =>
    Array.isArray(entry) || ArrayBuffer.isView(entry) ? listToTensor(self, entry) : entry,
  );
  const used = entries.reduce((n: number, entry) => n + dimsOf(entry), 0);
  if (self.sizes.length === 0 && isPosition(argument)) {
    throw new IndexError('invalid index of a 0-dim tensor. Use `tensor.item()` to convert a 0-dim tensor to a number');
  }
  if (used > self.sizes.length) {
    throw new IndexError(`too many indices for tensor of dimension ${self.sizes.length}`);
  }
  let view = self;
  const tensors: (Tensor | null)[] = [];
  let dim = 0;
  for (const [at, entry] of entries.entries()) {
    if (entry === '...') {
      dim += self.sizes.length - used;
    } else if (entry === null || entry === undefined) {
      view = view.unsqueeze(dim++);
    } else if (typeof entry === 'boolean') {
      view = view.unsqueeze(dim);
      setAt(tensors, dim++, tensorFromData([entry], bool, self.storage.backend));
    } else if (typeof entry === 'number' || typeof entry === 'bigint') {
      view = selectEntry(view, dim, Number(entry), at);
    } else if (entry === ':') {
      dim++;
    } else if (entry instanceof SliceValue) {
      if (entry.step !== null && entry.step <= 0)
        throw new ValueError(entry.step === 0 ? 'slice step cannot be zero' : 'step must be greater than zero');
      const stop = entry.stop ?? Infinity;
      const whole = (entry.start ?? 0) === 0 && stop >= view.sizes[dim] && (entry.step ?? 1) === 1;
      if (!whole) view = slice(view, dim, entry.start, entry.stop, entry.step ?? 1);
      dim++;
    } else if (entry instanceof Tensor) {
      if (entry.dtype.category === FLOAT_CATEGORY) {
        throw new IndexError('tensors used as indices must be long, int, byte or bool tensors');
      }
      if (entry.sizes.length === 0 && !isMask(entry)) {
        // A 0-dim position selects, as a number does.
        view = selectEntry(view, dim, Number(entry.item()), at);
        continue;
      }
      if (entry.sizes.length === 0) {
        view = view.unsqueeze(dim);
        setAt(tensors, dim++, entry.unsqueeze(0));
        continue;
      }
      setAt(tensors, dim, entry);
      dim += dimsOf(entry);
    } else {
      throw notAnIndex(entry);
    }
  }
  return { view, tensors };
}

const isPosition = (entry: unknown) => typeof entry === 'number' || typeof entry === 'bigint';

/** `at`: the entry's place in the index, which PyTorch names. */
function selectEntry(view: Tensor, dim: number, index: number, at: number): Tensor {
  const size = view.sizes[dim];
  if (!Number.isInteger(index)) throw notAnIndex(index);
  if (index < -size || index >= size) {
    throw new IndexError(`index ${index} is out of bounds for dimension ${at} with size ${size}`);
  }
  return view.select(dim, index);
}

function setAt(list: (Tensor | null)[], at: number, value: Tensor): void {
  while (list.length < at) list.push(null);
  list[at] = value;
}

/** Whether nested lists hold nothing but numbers. What is too deep is left to `tensorFromData`. */
function onlyNumbers(list: unknown, depth: number): boolean {
  if (!Array.isArray(list)) return depth > 0 && typeof list === 'number';
  return depth < 100 && list.every((entry) => onlyNumbers(entry, depth + 1));
}

/** A list of positions: numbers here are int64, as they are in Python. */
function listToTensor(self: Tensor, list: unknown): Tensor {
  const dtype: DType | null = onlyNumbers(list, 0) ? int64 : null;
  return tensorFromData(list, ArrayBuffer.isView(list) ? null : dtype, self.storage.backend);
}

/** Masks become positions (which waits for the device); all positions one dtype, on x's device. */
function positions(view: Tensor, tensors: readonly (Tensor | null)[]): (Tensor | null)[] {
  const out: (Tensor | null)[] = [];
  // The further dimensions of a mask have their places in the list already, or are behind its end.
  let taken = 0;
  for (const index of tensors) {
    if (taken > 0) {
      taken--;
      continue;
    }
    if (index === null) {
      out.push(null);
      continue;
    }
    const { backend } = view.storage;
    if (index.storage.backend !== backend && index.storage.backend.device.type !== 'cpu') {
      throw new RuntimeError(
        `indices should be either on cpu or on the same device as the indexed tensor (${backend.device})`,
      );
    }
    const here = index.storage.backend === backend ? index : index.to(backend.device);
    if (!isMask(here)) {
      out.push(here);
      continue;
    }
    here.sizes.forEach((size, d) => {
      const at = out.length + d;
      if (size !== view.sizes[at]) {
        throw new IndexError(
          `The shape of the mask ${showSizes(here.sizes)} at index ${d} does not match the shape of the indexed tensor ${showSizes(view.sizes)} at index ${at}`,
        );
      }
    });
    const found = nonzero(here);
    for (let d = 0; d < here.sizes.length; d++) out.push(found.select(1, d));
    taken = here.sizes.length - 1;
  }
  const wide = out.some((x) => x !== null && x.dtype !== int32);
  return out.map((x) => (x === null || x.dtype === (wide ? int64 : int32) ? x : x.to(wide ? int64 : int32)));
}

function checkIndices(x: Tensor, indices: readonly (Tensor | null)[]): void {
  let sizes: readonly number[] | null = null;
  const shapes: string[] = [];
  for (const index of indices) if (index !== null) shapes.push(showSizes(index.sizes));
  for (const index of indices) {
    if (index === null) continue;
    try {
      sizes = sizes === null ? index.sizes : broadcastSizes(sizes, index.sizes);
    } catch {
      throw new IndexError(
        `shape mismatch: indexing tensors could not be broadcast together with shapes ${shapes.join(', ')}`,
      );
    }
  }
  if (sizes !== null && !sizes.includes(0) && indices.some((index, d) => index !== null && x.sizes[d] === 0)) {
    throw new IndexError('index is out of bounds for dimension with size 0');
  }
}

/** Positions of the elements that are not zero, [count, rank]. Waits for the device. */
export function nonzero(self: Tensor): Tensor {
  const { backend } = self.storage;
  const count = emptyTensor(backend, [], int64);
  countNonzero(count, self);
  const n = Number(count.item());
  count.storage.freeNow();
  const out = emptyTensor(backend, [n, self.sizes.length], int64);
  nonzeroKernel(out, self);
  return finish(out, [self]);
}

define(
  {
    doc: 'Positions of the elements that are not zero, one row each, or with as_tuple a list with one tensor per dimension. Waits for the device.',
  },
  {
    'nonzero(Tensor self, *, bool as_tuple=False) -> Tensor': (self: Tensor, as_tuple: boolean) => {
      if (!as_tuple) return nonzero(self);
      return nonzero(self.sizes.length === 0 ? self.unsqueeze(0) : self).unbind(1);
    },
  },
);
define({ doc: 'As `nonzero`.' }, { 'argwhere(Tensor self) -> Tensor': nonzero });

/** `x.index([...])` with tensors: always a copy. */
function indexTensors(self: Tensor, tensors: readonly (Tensor | null)[]): Tensor {
  const indices = positions(self, tensors);
  checkIndices(self, indices);
  const taken = indexedSizesOf(self, indices);
  const layout = { sizes: taken, strides: indexedStridesOf(self, indices), contiguousNow: self.contiguousNow };
  const strides = outputStrides(taken, [layout]);
  const out = emptyStrided(self.storage.backend, taken, strides, self.dtype, isContiguous(taken, strides));
  indexGet(out, self, indices);
  finish(out, [self]);
  const sizes = self.sizes;
  const save = indices.filter((x) => x !== null);
  const given = indices.map((x) => x !== null);
  return record('IndexBackward0', out, [self], save, ([grad], saved) => {
    let next = 0;
    const again = given.map((is) => (is ? saved[next++] : null));
    return putTensors(grad!.new_zeros(sizes as number[]), again, grad!, true);
  });
}

define(
  {
    doc: "Python's x[…]: a list with one entry per dimension (number, ':', torch.Slice, '...', null, mask, positions).",
    function: false,
  },
  {
    'index(Tensor(a) self, Index? indices) -> Tensor(a)': (self: Tensor, argument: IndexArgument) => {
      const { view, tensors } = resolve(self, argument);
      if (tensors.length > 0) return indexTensors(view, tensors);
      // x[...] is a new view, never x itself.
      return view === self ? aliasOf(self) : view;
    },
  },
);

/** self[indices] = values for an index that has tensors. */
function putTensors(self: Tensor, tensors: readonly (Tensor | null)[], values: Tensor, accumulate: boolean): Tensor {
  checkChange(self, [self, values]);
  sameBackend('index_put_', [self, values], ['self', 'values']);
  const indices = positions(self, tensors);
  checkIndices(self, indices);
  // In assignments leading dimensions of size 1 go.
  if (!accumulate) while (values.sizes.length > 0 && values.sizes[0] === 1) values = values.squeeze(0);
  if (self.dtype !== values.dtype) {
    throw new RuntimeError(
      `Index put requires the source and destination dtypes match, got ${self.dtype.scalarTypeName} for the destination and ${values.dtype.scalarTypeName} for the source.`,
    );
  }
  const wanted = indexedSizesOf(self, indices);
  let fits = false;
  try {
    fits = sameSizes(broadcastSizes(wanted, values.sizes), wanted);
  } catch {
    fits = false;
  }
  if (!fits) {
    throw new RuntimeError(
      `shape mismatch: value tensor of shape ${showSizes(values.sizes)} cannot be broadcast to indexing result of shape ${showSizes(wanted)}`,
    );
  }
  checkShared(self, [values, ...indices]);
  const save = indices.filter((x) => x !== null);
  const layout = indices.map((x) => x !== null);
  const write = () => indexPut(self, indices, values, accumulate);
  const backward = putBackward(layout, values.sizes, accumulate);
  return changeInplace('IndexPutBackward0', self, [self, values], save, write, backward);
}

/** `layout`: for each dimension of the index, whether a tensor was saved for it. */
function putBackward(layout: readonly boolean[], valueSizes: readonly number[], accumulate: boolean): BackwardFunction {
  return ([grad], saved, node) => {
    let next = 0;
    const again = layout.map((is) => (is ? saved[next++] : null));
    const through = () => {
      if (accumulate) return grad!;
      const zero = grad!.new_zeros([]);
      return putTensors(grad!.clone(), again, zero, false);
    };
    return [
      node.needs(0) ? through() : null,
      node.needs(1) ? indexTensors(grad!, again).sum_to_size(valueSizes as number[]) : null,
    ];
  };
}

/** The value of an assignment as a tensor like self. `masks`: whether it goes to where masks are true. */
function valueLike(self: Tensor, value: unknown, masks = false): Tensor {
  if (!(value instanceof Tensor)) {
    return tensorFromData(value, self.dtype, self.storage.backend);
  }
  // A 0-dim value comes from wherever it is. Where a mask is true, one value is a number. Any other must fit as it is.
  const { backend } = self.storage;
  const here = value.sizes.length === 0 && value.storage.backend !== backend ? value.to(backend.device) : value;
  return masks && here.length === 1 && here.dtype !== self.dtype ? here.to(self.dtype) : here;
}

const isMask = (x: Tensor) => x.dtype === bool || x.dtype === uint8;

const isScalar = (value: unknown) =>
  typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';

define(
  { doc: "Python's x[…] = value, or += with accumulate: true. Indices as in `index`.", function: false },
  {
    'index_put_(Tensor(a!) self, Index? indices, Data value, bool accumulate=False) -> Tensor(a!)': (
      self: Tensor,
      argument: IndexArgument,
      value: TensorData,
      accumulate: boolean,
    ) => {
      if (isScalar(value)) checkScalar(self.dtype, value);
      const { view, tensors } = resolve(self, argument);
      if (tensors.length > 0) {
        const masks = !accumulate && tensors.every((x) => x === null || (isMask(x) && x.sizes.length > 0));
        const one = value instanceof Tensor ? value.length === 1 : isScalar(value);
        if (masks && one && tensors.some((x) => x?.dtype === uint8)) {
          throw new RuntimeError('masked_fill_ only supports boolean masks, but got mask with dtype unsigned char');
        }
        putTensors(view, tensors, valueLike(self, value, masks), accumulate);
        return self;
      }
      if (accumulate) view.add_(value instanceof Tensor ? value : valueLike(self, value));
      else if (value instanceof Tensor) copyBroadcast(view, value);
      else if (isScalar(value) && view.sizes.length > 0) {
        checkChange(view, [view]);
        checkOverlap(view, []);
        renameFill(view.fill_(value as number));
      } else copyBroadcast(view, valueLike(self, value));
      return self;
    },
  },
);

/** Python's assignment makes a tensor of the number, so it is the other overload of fill_. */
function renameFill(view: Tensor): void {
  if (view.node?.name === 'FillBackward2') (view.node as { name: string }).name = 'FillBackward3';
}

/** Assignment lets leading dimensions of size 1 go. */
function copyBroadcast(view: Tensor, value: Tensor): void {
  let source = value;
  while (source.sizes.length > view.sizes.length && source.sizes[0] === 1) source = source.squeeze(0);
  if (source.sizes.length === 0 && view.sizes.length > 0) {
    view.fill_(source);
    return;
  }
  if (!sameSizes(source.sizes, view.sizes)) source = source.expand(view.sizes as number[]);
  view.copy_(source);
}

define(
  { doc: 'As `index_put_`, on a copy.' },
  {
    'index_put(Tensor self, Index? indices, Data value, bool accumulate=False) -> Tensor': (
      self: Tensor,
      argument: IndexArgument,
      value: TensorData,
      accumulate: boolean,
    ) => self.clone().index_put_(argument, value, accumulate),
  },
);
