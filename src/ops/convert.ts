/** Copies and conversions: dtype, device, layout; and the way to the host. */

import { changeInplace, checkChange } from '../autograd/inplace.ts';
import { mode } from '../autograd/mode.ts';
import { type BackwardFunction, record } from '../autograd/record.ts';
import { type Device, type DeviceLike, parseDevice } from '../core/device.ts';
import * as dtypes from '../core/dtype.ts';
import { type DType, int64 } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { broadcastSizes, contiguousStrides, isContiguous, sameSizes, showSizes } from '../core/shape.ts';
import type { Backend } from '../devices/backend.ts';
import { capturing } from '../devices/capture.ts';
import { copyBetween } from '../devices/copy.ts';
import { backendFor } from '../devices/registry.ts';
import { isPinned, usePinned } from '../devices/pinned.ts';
import { type Storage, touch } from '../devices/storage.ts';
import { copy, zero } from '../kernels/copy.ts';
import { copies } from '../kernels/touch.ts';
import { emptyStrided, emptyTensor } from '../tensor/empty.ts';
import { FLAG_INFERENCE, Tensor } from '../tensor/tensor.ts';
import { emptyLike } from './creation.ts';
import { decode, fill, type HostValue, toHost } from './host.ts';
import { checkOverlap, preservedStrides } from './layout.ts';
import { define } from './registry.ts';

type Maybe<T> = T | null;

/**
 * A dense copy of x with this dtype on this device, not recorded.
 *
 * @param nonBlocking for copies between devices: nobody waits for them, so what lies on the host is pinned
 */
function convert(x: Tensor, backend: Backend, dtype: DType, strides: readonly number[], nonBlocking = false): Tensor {
  const here = x.storage.backend;
  const contiguous = isContiguous(x.sizes, strides);
  if (backend === here) {
    const out = emptyStrided(backend, x.sizes, strides, dtype, contiguous);
    copy(out, x);
    return out;
  }
  // Convert where x is, then move the bytes.
  const temporary = x.dtype !== dtype || !sameSizes(x.strides, strides);
  const source = temporary ? convert(x, here, dtype, strides) : x;
  const pinned = nonBlocking && backend.device.type === 'cpu' && here.device.type === 'mtia';
  const out = emptyStrided(backend, x.sizes, strides, dtype, contiguous, pinned);
  moveBytes(out, source, nonBlocking);
  if (temporary) source.storage.freeNow();
  return out;
}

/** Copies all bytes of a dense tensor to one of the same layout on another device. */
function moveBytes(out: Tensor, source: Tensor, nonBlocking: boolean): void {
  if (out.length === 0) return;
  const size = source.dtype.itemsize;
  touch(source.storage);
  touch(out.storage);
  const from = source.storage.address + source.offset * size;
  const to = out.storage.address + out.offset * size;
  const bytes = out.length * size;
  if (capturing !== null && capturesCopy(out.storage, to, source.storage, from, bytes, nonBlocking)) return;
  // The host can go on before the bytes are there only if the device reaches its memory by itself.
  const unwaited = nonBlocking && (out.storage.backend.device.type !== 'cpu' || isPinned(out.storage));
  copies(out, source, unwaited);
  copyBetween(source.storage.backend, from, out.storage.backend, to, bytes, unwaited);
  if (unwaited) usePinnedOf(out.storage, source.storage);
}

/**
 * Has a graph that is being captured make the copy at each replay, with what pinned memory holds then; false where none is.
 * @throws RuntimeError if the capture can't have it
 */
function capturesCopy(
  out: Storage,
  to: number,
  source: Storage,
  from: number,
  bytes: number,
  nonBlocking: boolean,
): boolean {
  const capture = capturing!;
  const toDevice = capture.takes(out);
  if (!toDevice && !capture.takes(source)) return false;
  const host = toDevice ? source : out;
  if (!isPinned(host)) capture.refuseCopy();
  if (!nonBlocking) capture.refuse('A copy in a graph capture cannot wait: pass { non_blocking: true }.');
  const [hostAddress, address] = toDevice ? [from, to] : [to, from];
  capture.use(toDevice ? out : source);
  capture.copy({ host, hostAddress, address, bytes, toDevice });
  return true;
}

/** Nobody waits for a copy: its pinned side is in use until its device's current stream has passed this point. */
function usePinnedOf(out: Storage, source: Storage): void {
  if (isPinned(source) && out.backend.device.type === 'mtia') usePinned(source, out.backend);
  if (isPinned(out) && source.backend.device.type === 'mtia') usePinned(out, source.backend);
}

/** `x.to(…)`, differentiable. Returns x itself where nothing changes. */
export function toTensor(x: Tensor, backend: Backend, dtype: DType, forceCopy: boolean, nonBlocking = false): Tensor {
  if (!forceCopy && backend === x.storage.backend && dtype === x.dtype) return x;
  const out = convert(x, backend, dtype, preservedStrides(x), nonBlocking);
  if (mode.inference) out.flags |= FLAG_INFERENCE;
  const from = { device: x.storage.backend.device, dtype: x.dtype };
  return record('ToCopyBackward0', out, [x], [], ([grad]) => grad!.to(from));
}

const isDType = (value: unknown): value is DType => value instanceof dtypes.DType;

define(
  { doc: 'self with another dtype or on another device; self itself where nothing changes.', function: false },
  {
    'to(Tensor self, device? device=None, dtype? dtype=None, bool non_blocking=False, bool copy=False, *, str? memory_format=None) -> Tensor':
      (self: Tensor, device: Maybe<DeviceLike>, dtype: Maybe<DType>, non_blocking: boolean, force: boolean) =>
        toTensor(
          self,
          device === null ? self.storage.backend : backendFor(parseDevice(device)),
          isDType(dtype) ? dtype : self.dtype,
          force,
          non_blocking,
        ),
    'to(Tensor self, dtype dtype, bool non_blocking=False, bool copy=False, *, str? memory_format=None) -> Tensor': (
      self: Tensor,
      dtype: DType,
      non_blocking: boolean,
      force: boolean,
    ) => toTensor(self, self.storage.backend, dtype, force, non_blocking),
    'to(Tensor self, Tensor other, bool non_blocking=False, bool copy=False, *, str? memory_format=None) -> Tensor': (
      self: Tensor,
      other: Tensor,
      non_blocking: boolean,
      force: boolean,
    ) => toTensor(self, other.storage.backend, other.dtype, force, non_blocking),
  },
);

for (const [name, dtype] of [
  ['double', dtypes.float64],
  ['float', dtypes.float32],
  ['half', dtypes.float16],
  ['bfloat16', dtypes.bfloat16],
  ['long', dtypes.int64],
  ['int', dtypes.int32],
  ['short', dtypes.int16],
  ['char', dtypes.int8],
  ['byte', dtypes.uint8],
  ['bool', dtypes.bool],
] as const) {
  define(
    { doc: `self.to(torch.${dtype.name}).`, method: true, function: false },
    {
      [`${name}(Tensor self, *, str? memory_format=None) -> Tensor`]: (self: Tensor) =>
        toTensor(self, self.storage.backend, dtype, false),
    },
  );
}

define(
  { doc: 'self on the cpu.', function: false },
  {
    'cpu(Tensor self, *, str? memory_format=None) -> Tensor': (self: Tensor) =>
      toTensor(self, backendFor(parseDevice('cpu')), self.dtype, false),
  },
);

define(
  { doc: 'self on an mtia device, by default the current one.', function: false },
  {
    'mtia(Tensor self, device? device=None, bool non_blocking=False, *, str? memory_format=None) -> Tensor': (
      self: Tensor,
      device: Maybe<DeviceLike>,
      non_blocking: boolean,
    ) => {
      const target = parseDevice(typeof device === 'number' ? `mtia:${device}` : (device ?? 'mtia'));
      if (target.type !== 'mtia') throw new RuntimeError('Invalid device, must be MTIA device');
      return toTensor(self, backendFor(target), self.dtype, false, non_blocking);
    },
  },
);

define(
  { doc: "self with another tensor's dtype and device.", function: false },
  {
    'type_as(Tensor self, Tensor other) -> Tensor': (self: Tensor, other: Tensor) =>
      toTensor(self, other.storage.backend, other.dtype, false),
  },
);

define(
  { doc: 'A copy with its own storage; gradients flow through.' },
  {
    'clone(Tensor self, *, str? memory_format=None) -> Tensor': (self: Tensor, memory_format: Maybe<string>) => {
      const strides = memory_format === 'contiguous_format' ? contiguousStrides(self.sizes) : preservedStrides(self);
      const out = convert(self, self.storage.backend, self.dtype, strides);
      if (mode.inference) out.flags |= FLAG_INFERENCE;
      return record('CloneBackward0', out, [self], [], ([grad]) => grad);
    },
  },
);

define(
  { doc: 'self itself if it is contiguous (row-major), otherwise a contiguous copy.', function: false },
  {
    'contiguous(Tensor self, *, str? memory_format=None) -> Tensor': (self: Tensor) =>
      self.contiguousNow ? self : self.clone({ memory_format: 'contiguous_format' }),
  },
);

define(
  { doc: "Undefined contents in self's shape and, where it is dense, layout.", method: true, function: false },
  { 'new_empty_like_strides(Tensor self) -> Tensor': (self: Tensor) => emptyLike(self, null, null) },
);

define(
  { doc: 'Copies src into self, with broadcasting, conversion and across devices.', function: false },
  {
    'copy_(Tensor(a!) self, Tensor|Scalar other, bool non_blocking=False) -> Tensor(a!)': (
      self: Tensor,
      src: Tensor | HostValue,
      non_blocking: boolean,
    ) => {
      if (!(src instanceof Tensor)) {
        checkChange(self, [self]);
        checkOverlap(self, []);
        return changeInplace('CopyBackwards', self, [self], [], () => fill(self, src), zerosLike);
      }
      checkChange(self, [self, src]);
      const same = self === src || sameMemory(self, src);
      if (!same) checkOverlap(self, [self, src]);
      if (!sameSizes(broadcastSizes(self.sizes, src.sizes), self.sizes)) {
        throw new RuntimeError(
          `output with shape ${showSizes(self.sizes)} doesn't match the broadcast shape ${showSizes(broadcastSizes(self.sizes, src.sizes))}`,
        );
      }
      const backward = copyBackward(src.sizes, { dtype: src.dtype, device: src.storage.backend.device });
      return changeInplace(
        'CopyBackwards',
        self,
        [self, src],
        [],
        () => {
          if (!same) copyInto(self, src, non_blocking);
        },
        backward,
      );
    },
  },
);

/** Whether both are the very same elements. */
function sameMemory(a: Tensor, b: Tensor): boolean {
  return (
    a.storage === b.storage &&
    a.offset === b.offset &&
    a.dtype === b.dtype &&
    sameSizes(a.sizes, b.sizes) &&
    sameSizes(a.strides, b.strides)
  );
}

function copyBackward(sizes: readonly number[], from: { dtype: DType; device: Device }): BackwardFunction {
  return ([grad], _saved, node) => [
    node.needs(0) ? grad!.new_zeros(grad!.sizes as number[]) : null,
    node.needs(1) ? grad!.sum_to_size(sizes as number[]).to(from) : null,
  ];
}

/** Copies without recording. */
export function copyInto(out: Tensor, source: Tensor, nonBlocking = false): void {
  const backend = out.storage.backend;
  if (source.storage.backend === backend) {
    copy(out, source);
    return;
  }
  const here = source.storage.backend;
  const converted =
    source.dtype === out.dtype && source.contiguousNow
      ? source
      : convert(source, here, out.dtype, contiguousStrides(source.sizes));
  if (out.contiguousNow && sameSizes(out.sizes, source.sizes)) moveBytes(out, converted, nonBlocking);
  else {
    const there = emptyTensor(backend, source.sizes, out.dtype);
    moveBytes(there, converted, nonBlocking);
    copy(out, there);
    there.storage.freeNow();
  }
  if (converted !== source) converted.storage.freeNow();
}

define(
  { doc: 'Sets every element to value.', function: false },
  {
    'fill_(Tensor(a!) self, Tensor value) -> Tensor(a!)': (self: Tensor, value: Tensor) => {
      checkChange(self, [self, value]);
      if (value.sizes.length > 0) {
        throw new RuntimeError(
          `fill_ only supports 0-dimension value tensor but got tensor with ${value.sizes.length} dimensions.`,
        );
      }
      checkOverlap(self, []);
      return changeInplace('FillBackward3', self, [self, value], [], () => copyInto(self, value), fillBackward);
    },
    'fill_(Tensor(a!) self, Scalar value) -> Tensor(a!)': (self: Tensor, value: HostValue) => {
      return changeInplace('FillBackward2', self, [self], [], () => fill(self, value), zerosLike);
    },
  },
);

define(
  { doc: 'Sets every element to 0.', function: false },
  {
    'zero_(Tensor(a!) self) -> Tensor(a!)': (self: Tensor) => {
      return changeInplace('ZeroBackward0', self, [self], [], () => zero(self), zerosLike);
    },
  },
);

const fillBackward: BackwardFunction = ([grad], _saved, node) => [
  node.needs(0) ? grad!.new_zeros(grad!.sizes as number[]) : null,
  node.needs(1) ? grad!.sum() : null,
];
const zerosLike = ([grad]: (Tensor | null)[]) => grad!.new_zeros(grad!.sizes as number[]);

/** An int64 that a JavaScript number can't hold is an error, never rounded. */
function exact(dtype: DType, value: HostValue, name: string): number | boolean {
  if (dtype === int64) {
    const number = Number(value);
    if (!Number.isSafeInteger(number)) {
      throw new RangeError(
        `${name}(): the int64 value ${value} does not fit a JavaScript number exactly; use toTypedArray(), which gives a BigInt64Array`,
      );
    }
    return number;
  }
  return value as number | boolean;
}

export type NestedValues = number | boolean | NestedValues[];

define(
  { doc: 'The value of a one-element tensor as a number (bool: a boolean). Waits for the device.', function: false },
  {
    'item(Tensor self) -> Scalar': (self: Tensor) => {
      if (self.length !== 1) {
        const wayOut = self.length > 1 ? ' (x.tolist() gives all of them, x.index([i, …]).item() one)' : '';
        throw new RuntimeError(`a Tensor with ${self.length} elements cannot be converted to Scalar${wayOut}`);
      }
      if (self.storage.backend.device.type === 'meta') {
        throw new RuntimeError('Tensor.item() cannot be called on meta tensors');
      }
      return exact(self.dtype, decode(self.dtype, toHost(self)[0]), 'item');
    },
  },
);

define(
  { doc: 'The values as nested arrays (0-dim: one value). Waits for the device.', function: false },
  {
    'tolist(Tensor self) -> Values': (self: Tensor): NestedValues => {
      if (self.storage.backend.device.type === 'meta') {
        throw new RuntimeError('Cannot copy out of meta tensor; no data!');
      }
      const array = toHost(self);
      let at = 0;
      const build = (dim: number): NestedValues => {
        if (dim === self.sizes.length) return exact(self.dtype, decode(self.dtype, array[at++]), 'tolist');
        const list: NestedValues[] = [];
        for (let i = 0; i < self.sizes[dim]; i++) list.push(build(dim + 1));
        return list;
      };
      return build(0);
    },
  },
);

define(
  {
    doc: 'A copy of the values in row-major order: bool as Uint8Array, half types as their raw bits in a Uint16Array.',
    function: false,
  },
  {
    'toTypedArray(Tensor self) -> TypedArray': (self: Tensor) => {
      if (self.storage.backend.device.type === 'meta') {
        throw new RuntimeError('Cannot copy out of meta tensor; no data!');
      }
      return toHost(self);
    },
  },
);
