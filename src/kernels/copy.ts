/**
 * The `copy` kernel kind: casts and copies between any dtypes and layouts, and fills.
 */
import { bool, type DType, float32, float64, int16, int32, int64, int8 } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import { isContiguous } from '../core/shape.ts';
import type { Storage } from '../devices/storage.ts';
import { input, scalar } from './expr.ts';
import { type LaunchScalar, MapKernel } from './map.ts';
import { registerKernel } from './registry.ts';
import { address, outAddress } from './touch.ts';
import { i32, memory, WasmModule } from './wasm/emitter.ts';

/** What a conversion computes in: wide enough for both, so that every value is converted once. */
function between(from: DType, to: DType): DType {
  if (from === float64 || (to === float64 && from !== int64)) return float64;
  if (from.is_floating_point) return float32;
  return from === int64 || to === int64 ? int64 : int32;
}

const casts: (MapKernel | undefined)[] = new Array(100).fill(undefined);

function cast(from: DType, to: DType): MapKernel {
  const key = from.index * 10 + to.index;
  return (casts[key] ??= new MapKernel({
    outputs: [{ expr: input(0), dtype: to }],
    inputs: [from],
    compute: between(from, to),
    name: `copy ${from.name} to ${to.name}`,
  }));
}

/** One dtype: copied as the integers of its size, which keeps every bit of a NaN. */
function copyBits(dtype: DType): MapKernel {
  const bits = { 1: int8, 2: int16, 4: int32, 8: int64 }[dtype.itemsize]!;
  return (casts[dtype.index * 11] ??= new MapKernel({
    outputs: [{ expr: input(0), dtype: bits }],
    inputs: [bits],
    compute: bits,
    name: 'copy',
  }));
}

/** Bytes per piece that a large copy is split into. */
const COPY_GRAIN = 1 << 18;

const copyBytes = registerKernel(() => {
  const m = new WasmModule();
  m.kernel((f, args) => {
    const [begin, end, out, source] = f.words(args, 4);
    f.do(memory.copy(i32.add(out, begin), i32.add(source, begin), i32.sub(end, begin)));
    return undefined;
  });
  return m.toBytes();
}, 'copy');

/** Words: begin, end (bytes), address. */
const zeroBytes = registerKernel(() => {
  const m = new WasmModule();
  m.kernel((f, args) => {
    const [begin, end, out] = f.words(args, 3);
    f.do(memory.fill(i32.add(out, begin), 0, i32.sub(end, begin)));
    return undefined;
  });
  return m.toBytes();
}, 'zero');

/**
 * Copies `source`, broadcast to the shape of `out` and converted to its dtype (`Tensor.copy_`, `to`, `contiguous`). Both
 * on one device. Floats that an integer dtype cannot hold give PyTorch's values on x86.
 */
export function copy(out: Operand, source: Operand): void {
  if (out.length === 0) return;
  if (out.dtype !== source.dtype) {
    cast(source.dtype, out.dtype).launch1(out, source);
    return;
  }
  if (
    out.length !== source.length ||
    !isContiguous(out.sizes, out.strides) ||
    !isContiguous(source.sizes, source.strides)
  ) {
    copyBits(out.dtype).launch1(out, source);
    return;
  }
  const backend = (out.storage as Storage).backend;
  const bytes = out.length * out.dtype.itemsize;
  const at = backend.begin(copyBytes, 4, bytes > COPY_GRAIN ? COPY_GRAIN : 0);
  const words = backend.words;
  words[at] = 0;
  words[at + 1] = bytes;
  words[at + 2] = outAddress(out, backend);
  words[at + 3] = address(source, backend);
  backend.submit();
}

const fills: (MapKernel | undefined)[] = new Array(10).fill(undefined);
const NO_INPUTS: readonly Operand[] = [];
const argument: LaunchScalar[] = [0];

/**
 * Fills with a scalar converted to the dtype (`Tensor.fill_`). A bigint keeps all its 64 bits; for an integer dtype a
 * number is truncated.
 */
export function fill(out: Operand, value: LaunchScalar): void {
  if (out.length === 0) return;
  const { dtype } = out;
  if ((value === 0n || Object.is(value, 0)) && isContiguous(out.sizes, out.strides)) {
    zeroRun(out);
    return;
  }
  const kernel = (fills[dtype.index] ??= new MapKernel({
    outputs: [{ expr: scalar(0), dtype }],
    inputs: [],
    compute: dtype,
    scalars: 1,
    name: 'fill',
  }));
  argument[0] = dtype === bool ? (value ? 1 : 0) : value;
  kernel.launch(out, NO_INPUTS, argument);
}

/** Fills with 0 (`Tensor.zero_`). */
export function zero(out: Operand): void {
  fill(out, 0);
}

function zeroRun(out: Operand): void {
  const backend = (out.storage as Storage).backend;
  const bytes = out.length * out.dtype.itemsize;
  const at = backend.begin(zeroBytes, 3, bytes > COPY_GRAIN ? COPY_GRAIN : 0);
  const words = backend.words;
  words[at] = 0;
  words[at + 1] = bytes;
  words[at + 2] = outAddress(out, backend);
  backend.submit();
}
