/** Factories: tensors from data, constants, ranges. */
import { defaultDType } from '../core/defaults.ts';
import type { DeviceLike } from '../core/device.ts';
import { bool, type DType, int64 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError, ValueError } from '../core/errors.ts';
import type { Scalar } from '../core/promote.ts';
import { isContiguous } from '../core/shape.ts';
import type { Backend } from '../devices/backend.ts';
import { zero } from '../kernels/copy.ts';
import { emptyStrided, emptyTensor } from '../tensor/empty.ts';
import { Tensor } from '../tensor/tensor.ts';
import { type TensorData, tensorFromData } from './from-data.ts';
import { copyFrom, encode, fill } from './host.ts';
import { preservedStrides } from './layout.ts';
import { backendOf, dtypeOr, finishLeaf } from './options.ts';
import { wantsPinned } from './pinned.ts';
import { define } from './registry.ts';
import { checkScalar } from './scalar-range.ts';

const OPTIONS = '*, dtype? dtype=None, device? device=None, bool requires_grad=False, bool pin_memory=False';
const METHOD = { method: true, function: false };

type Maybe<T> = T | null;

/** @throws RuntimeError with PyTorch's text for a negative size */
export function checkSizes(sizes: readonly number[], name?: string): readonly number[] {
  for (const size of sizes) {
    if (size < 0) {
      if (name !== undefined) throw new RuntimeError(`${name}: Dimension size must be non-negative.`);
      throw new RuntimeError(`Trying to create tensor with negative dimension ${size}: [${sizes.join(', ')}]`);
    }
  }
  return sizes.slice();
}

function filled(
  backend: Backend,
  sizes: readonly number[],
  dtype: DType,
  value: Scalar,
  pin_memory: boolean,
  name?: string,
): Tensor {
  const out = emptyTensor(backend, checkSizes(sizes, name), dtype, wantsPinned(backend, pin_memory));
  if (value === 0 || value === false) zero(out);
  else fill(out, value);
  return out;
}

/** dtype of `torch.full` where none is given: that of the value. A JavaScript number counts as a float. */
function dtypeOfValue(value: Scalar): DType {
  return typeof value === 'boolean' ? bool : typeof value === 'bigint' ? int64 : defaultDType();
}

define(
  { doc: 'A new leaf with a copy of the data: numbers make the default dtype, bigints int64, booleans bool.' },
  {
    'tensor(Data data, *, dtype? dtype=None, device? device=None, bool requires_grad=False, bool pin_memory=False) -> Tensor':
      (
        data: TensorData,
        dtype: Maybe<DType>,
        device: Maybe<DeviceLike>,
        requires_grad: boolean,
        pin_memory: boolean,
      ) => {
        if (data instanceof Tensor) {
          const copy = data.detach().clone();
          const moved = copy.to({ dtype: dtype ?? copy.dtype, device: device ?? copy.device });
          const pinned = wantsPinned(moved.storage.backend, pin_memory);
          return finishLeaf(pinned ? moved.pin_memory() : moved, requires_grad);
        }
        const backend = backendOf(device);
        return finishLeaf(tensorFromData(data, dtype, backend, wantsPinned(backend, pin_memory)), requires_grad);
      },
  },
);

define(
  { doc: 'As `tensor`, but a tensor that fits already is returned as it is.' },
  {
    'as_tensor(Data data, *, dtype? dtype=None, device? device=None) -> Tensor': (
      data: TensorData,
      dtype: Maybe<DType>,
      device: Maybe<DeviceLike>,
    ) => {
      if (data instanceof Tensor) return data.to({ dtype: dtype ?? data.dtype, device: device ?? data.device });
      return finishLeaf(tensorFromData(data, dtype, backendOf(device)), false);
    },
  },
);

for (const [name, doc, value] of [
  ['zeros', 'Zeros of the given shape.', 0],
  ['ones', 'Ones of the given shape.', 1],
  ['empty', 'Undefined contents of the given shape.', null],
] as const) {
  const make = (backend: Backend, sizes: readonly number[], dtype: DType, pin_memory: boolean) =>
    value === null
      ? emptyTensor(backend, checkSizes(sizes), dtype, wantsPinned(backend, pin_memory))
      : filled(backend, sizes, dtype, value, pin_memory, value === 0 ? name : undefined);
  define(
    { doc },
    {
      [`${name}(int... size, ${OPTIONS}) -> Tensor`]: (
        size: number[],
        dtype: Maybe<DType>,
        device: Maybe<DeviceLike>,
        requires_grad: boolean,
        pin_memory: boolean,
      ) => finishLeaf(make(backendOf(device), size, dtypeOr(dtype), pin_memory), requires_grad),
    },
  );
  define(
    { doc: `${doc.replace('the given shape', "self's shape, dtype and device")}`, method: false },
    {
      [`${name}_like(Tensor self, ${OPTIONS}) -> Tensor`]: (
        self: Tensor,
        dtype: Maybe<DType>,
        device: Maybe<DeviceLike>,
        requires_grad: boolean,
        pin_memory: boolean,
      ) => {
        const out = emptyLike(self, dtype, device, pin_memory);
        if (value === 0) zero(out);
        else if (value !== null) fill(out, value);
        return finishLeaf(out, requires_grad);
      },
    },
  );
  define(
    { doc: `${doc} dtype and device are self's unless given.`, ...METHOD },
    {
      [`new_${name}(Tensor self, int... size, ${OPTIONS}) -> Tensor`]: (
        self: Tensor,
        size: number[],
        dtype: Maybe<DType>,
        device: Maybe<DeviceLike>,
        requires_grad: boolean,
        pin_memory: boolean,
      ) =>
        finishLeaf(
          make(device === null ? self.storage.backend : backendOf(device), size, dtype ?? self.dtype, pin_memory),
          requires_grad,
        ),
    },
  );
}

/** `empty_like`: self's layout where it is dense. */
export function emptyLike(
  self: Tensor,
  dtype: Maybe<DType>,
  device: Maybe<DeviceLike>,
  pin_memory: boolean | null = false,
): Tensor {
  const strides = preservedStrides(self);
  const backend = device === null ? self.storage.backend : backendOf(device);
  const contiguous = isContiguous(self.sizes, strides);
  return emptyStrided(backend, self.sizes, strides, dtype ?? self.dtype, contiguous, wantsPinned(backend, pin_memory));
}

define(
  { doc: 'The given value in the given shape; its dtype follows the value unless given.' },
  {
    [`full(int[] size, Scalar fill_value, ${OPTIONS}) -> Tensor`]: (
      size: number[],
      fill_value: Scalar,
      dtype: Maybe<DType>,
      device: Maybe<DeviceLike>,
      requires_grad: boolean,
      pin_memory: boolean,
    ) =>
      finishLeaf(
        filled(backendOf(device), size, dtype ?? dtypeOfValue(fill_value), fill_value, pin_memory),
        requires_grad,
      ),
  },
);

define(
  { doc: "The given value in self's shape, dtype and device.", method: false },
  {
    [`full_like(Tensor self, Scalar fill_value, ${OPTIONS}) -> Tensor`]: (
      self: Tensor,
      fill_value: Scalar,
      dtype: Maybe<DType>,
      device: Maybe<DeviceLike>,
      requires_grad: boolean,
      pin_memory: boolean,
    ) => {
      const out = emptyLike(self, dtype, device, pin_memory);
      fill(out, fill_value);
      return finishLeaf(out, requires_grad);
    },
  },
);

define(
  { doc: "The given value in the given shape, with self's dtype and device unless given.", ...METHOD },
  {
    [`new_full(Tensor self, int[] size, Scalar fill_value, ${OPTIONS}) -> Tensor`]: (
      self: Tensor,
      size: number[],
      fill_value: Scalar,
      dtype: Maybe<DType>,
      device: Maybe<DeviceLike>,
      requires_grad: boolean,
      pin_memory: boolean,
    ) =>
      finishLeaf(
        filled(
          device === null ? self.storage.backend : backendOf(device),
          size,
          dtype ?? self.dtype,
          fill_value,
          pin_memory,
        ),
        requires_grad,
      ),
  },
);

define(
  { doc: "A new tensor from data, with self's dtype and device unless given.", ...METHOD },
  {
    'new_tensor(Tensor self, Data data, *, dtype? dtype=None, device? device=None, bool requires_grad=False) -> Tensor':
      (self: Tensor, data: TensorData, dtype: Maybe<DType>, device: Maybe<DeviceLike>, requires_grad: boolean) => {
        const backend = device === null ? self.storage.backend : backendOf(device);
        if (data instanceof Tensor) {
          return finishLeaf(
            data
              .detach()
              .clone()
              .to({ dtype: dtype ?? self.dtype, device: backend.device }),
            requires_grad,
          );
        }
        return finishLeaf(tensorFromData(data, dtype ?? self.dtype, backend), requires_grad);
      },
  },
);

define(
  { doc: 'Undefined contents with the given sizes and strides (in elements).' },
  {
    [`empty_strided(int[] size, int[] stride, ${OPTIONS}) -> Tensor`]: (
      size: number[],
      stride: number[],
      dtype: Maybe<DType>,
      device: Maybe<DeviceLike>,
      requires_grad: boolean,
      pin_memory: boolean,
    ) => finishLeaf(strided(backendOf(device), size, stride, dtypeOr(dtype), pin_memory), requires_grad),
  },
);

define(
  { doc: "Undefined contents with the given sizes and strides, self's dtype and device.", ...METHOD },
  {
    [`new_empty_strided(Tensor self, int[] size, int[] stride, ${OPTIONS}) -> Tensor`]: (
      self: Tensor,
      size: number[],
      stride: number[],
      dtype: Maybe<DType>,
      device: Maybe<DeviceLike>,
      requires_grad: boolean,
      pin_memory: boolean,
    ) =>
      finishLeaf(
        strided(
          device === null ? self.storage.backend : backendOf(device),
          size,
          stride,
          dtype ?? self.dtype,
          pin_memory,
        ),
        requires_grad,
      ),
  },
);

function strided(
  backend: Backend,
  size: readonly number[],
  stride: readonly number[],
  dtype: DType,
  pin_memory: boolean,
): Tensor {
  if (size.length !== stride.length) {
    throw new RuntimeError(
      `mismatch in length of strides and shape: strides has ${stride.length} elements, shape has ${size.length}`,
    );
  }
  const pinned = wantsPinned(backend, pin_memory);
  return emptyStrided(backend, checkSizes(size), stride.slice(), dtype, isContiguous(size, stride), pinned);
}

/** Values made on the host by `at(i)`, in float64 (int64: exact for whole numbers up to 2^53). */
function generated(
  backend: Backend,
  length: number,
  dtype: DType,
  pin_memory: boolean,
  at: (i: number) => number | bigint,
): Tensor {
  // First, so that what does not fit is said as everywhere.
  const out = emptyTensor(backend, [length], dtype, wantsPinned(backend, pin_memory));
  if (backend.device.type === 'meta') return out;
  const array = new dtype.array(length);
  for (let i = 0; i < length; i++) array[i] = encode(dtype, at(i));
  return copyFrom(out, array);
}

const whole = (value: Scalar) => typeof value === 'bigint' || Number.isInteger(value);

export function arange(
  start: Scalar,
  end: Scalar,
  step: Scalar,
  dtype: Maybe<DType>,
  device: Maybe<DeviceLike>,
  requires_grad: boolean,
  pin_memory: boolean,
): Tensor {
  const chosen = dtype ?? (whole(start) && whole(end) && whole(step) ? int64 : defaultDType());
  const [first, last, by] = [Number(start), Number(end), Number(step)];
  if (!Number.isFinite(first) || !Number.isFinite(last)) {
    const shown = [first, last].map((x) => String(x).replace('Infinity', 'inf').replace('NaN', 'nan'));
    throw new RuntimeError(`unsupported range: ${shown[0]} -> ${shown[1]}`);
  }
  if (by === 0) throw new RuntimeError('step must be nonzero');
  if (chosen === bool) throw new NotImplementedError('"arange_cpu" not implemented for \'Bool\'');
  if ((by > 0 && last < first) || (by < 0 && last > first)) {
    throw new RuntimeError('upper bound and lower bound inconsistent with step sign');
  }
  // Integers step in whole numbers; of int64 the length goes by these, too.
  const [from, step_] = chosen.is_floating_point ? [first, by] : [Math.trunc(first), Math.trunc(by)];
  if (chosen === int64 && step_ === 0) throw new ValueError('step must be nonzero');
  const length = Math.ceil(chosen === int64 ? (Math.trunc(last) - from) / step_ : (last - first) / by);
  if (length > 2 ** 53) throw new RuntimeError('invalid size, possible overflow?');
  return finishLeaf(
    generated(backendOf(device), length, chosen, pin_memory, (i) => from + i * step_),
    requires_grad,
  );
}

define(
  { doc: 'Values from start (0) up to, not including, end in steps of step (1). int64 when all are whole numbers.' },
  {
    [`arange(Scalar end, ${OPTIONS}) -> Tensor`]: (
      end: Scalar,
      dtype: Maybe<DType>,
      device: Maybe<DeviceLike>,
      requires_grad: boolean,
      pin_memory: boolean,
    ) => arange(0, end, 1, dtype, device, requires_grad, pin_memory),
    [`arange(Scalar start, Scalar end, Scalar step=1, ${OPTIONS}) -> Tensor`]: arange,
  },
);

define(
  { doc: '`steps` evenly spaced values from start to end, both included.' },
  {
    [`linspace(Scalar start, Scalar end, int steps, ${OPTIONS}) -> Tensor`]: (
      start: Scalar,
      end: Scalar,
      steps: number,
      dtype: Maybe<DType>,
      device: Maybe<DeviceLike>,
      requires_grad: boolean,
      pin_memory: boolean,
    ) => {
      if (steps < 0) throw new RuntimeError('number of steps must be non-negative');
      const chosen = dtypeOr(dtype);
      if (chosen === bool) throw new NotImplementedError('"linspace_cpu" not implemented for \'Bool\'');
      const single = chosen.is_floating_point && chosen.itemsize < 8;
      const round = single ? Math.fround : (x: number) => x;
      checkScalar(chosen, start);
      checkScalar(chosen, end);
      const cut = chosen.is_floating_point ? Number : (x: Scalar) => Math.trunc(Number(x));
      const [first, last] = [cut(start), cut(end)];
      const step = round((last - first) / (steps - 1));
      // From both ends towards the middle, so that both ends are exact.
      const at = (i: number) =>
        i < steps / 2 ? round(first + round(step * i)) : round(last - round(step * (steps - i - 1)));
      const values = steps === 1 ? () => first : at;
      return finishLeaf(generated(backendOf(device), steps, chosen, pin_memory, values), requires_grad);
    },
  },
);

function eye(
  n: number,
  m: number,
  dtype: Maybe<DType>,
  device: Maybe<DeviceLike>,
  requires_grad: boolean,
  pin_memory: boolean,
): Tensor {
  if (n < 0) throw new RuntimeError(`n must be greater or equal to 0, got ${n}`);
  if (m < 0) throw new RuntimeError(`m must be greater or equal to 0, got ${m}`);
  const out = filled(backendOf(device), [n, m], dtypeOr(dtype), 0, pin_memory);
  const k = Math.min(n, m);
  const diagonal = new Tensor(out.storage, 0, [k], [m + 1], out.dtype, k, k < 2 || m === 0);
  fill(diagonal, 1);
  return finishLeaf(out, requires_grad);
}

define(
  { doc: 'Ones on the diagonal, zeros elsewhere: n x n, or n x m.' },
  {
    [`eye(int n, ${OPTIONS}) -> Tensor`]: (
      n: number,
      dtype: Maybe<DType>,
      device: Maybe<DeviceLike>,
      requires_grad: boolean,
      pin_memory: boolean,
    ) => eye(n, n, dtype, device, requires_grad, pin_memory),
    [`eye(int n, int m, ${OPTIONS}) -> Tensor`]: eye,
  },
);
