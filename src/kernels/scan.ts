/**
 * The `scan` kernel kind: running sums and products along a dimension (PyTorch's cumsum and cumprod), from either end.
 * Operands may lie as they like. float32 accumulates in float64, half types in float32, as PyTorch's cpu kernels do.
 */
import { type DType, float32 } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import { DimList, grainFor, MAX_INPUTS } from './reduce-plan.ts';
import { registerKernel } from './registry.ts';
import { reads, writes } from './touch.ts';
import { SCAN_HEAD, ScanWord, scanKernel, STRIP } from './wasm/scan.ts';
import { computeType } from './wasm/types.ts';

export interface ScanSpec {
  /** For profilers: `cumsum`. */
  readonly name: string;
  readonly combine: 'sum' | 'prod';
  readonly input: DType;
  /** The dtype of the results; integers accumulate in int64 and wrap to it. */
  readonly output: DType;
}

const rows = new DimList();

export class ScanKernel {
  private readonly kernel: number;

  constructor(spec: ScanSpec) {
    const { output } = spec;
    const compute = output.is_floating_point ? computeType(output) : 'i64';
    const total = output === float32 ? 'f64' : compute;
    this.kernel = registerKernel(() => scanKernel({ ...spec, compute, total }), spec.name);
  }

  /** `out` and `input` have the same sizes. `reversed`: from the last element to the first. */
  launch(out: Operand<Storage>, input: Operand<Storage>, dim: number, reversed = false): void {
    const rank = input.sizes.length;
    const inBytes = input.dtype.itemsize;
    const outBytes = out.dtype.itemsize;
    rows.clear();
    for (let d = 0; d < rank; d++) {
      if (d === dim || input.sizes[d] === 1) continue;
      rows.out[rows.count] = out.strides[d] * outBytes;
      rows.indices[rows.count] = 0;
      rows.inputs[rows.count * MAX_INPUTS] = input.strides[d] * inBytes;
      rows.add(input.sizes[d], 1);
    }
    const length = rank === 0 ? 1 : input.sizes[dim];
    const height = rows.total();
    if (length === 0 || height === 0) return;

    let inStride = rank === 0 ? 0 : input.strides[dim] * inBytes;
    let outStride = rank === 0 ? 0 : out.strides[dim] * outBytes;
    let from = input.storage.address + input.offset * inBytes;
    let to = out.storage.address + out.offset * outBytes;
    if (reversed) {
      from += (length - 1) * inStride;
      to += (length - 1) * outStride;
      inStride = -inStride;
      outStride = -outStride;
    }
    const last = rows.count - 1;
    const dims = Math.max(0, last);
    const inner = last < 0 ? 1 : rows.sizes[last];
    const strips = Math.ceil(inner / STRIP);
    const units = (height / inner) * strips;

    reads(input);
    writes(out);
    const backend = out.storage.backend;
    const at = backend.begin(this.kernel, SCAN_HEAD + dims * 3, grainFor(units, (length * height) / units));
    const words = backend.words;
    words[at] = 0;
    words[at + 1] = units;
    words[at + ScanWord.length] = length;
    words[at + ScanWord.dims] = dims;
    words[at + ScanWord.addresses] = from;
    words[at + ScanWord.addresses + 1] = to;
    words[at + ScanWord.strides] = inStride;
    words[at + ScanWord.strides + 1] = outStride;
    words[at + ScanWord.rowStrides] = last < 0 ? 0 : rows.inputs[last * MAX_INPUTS];
    words[at + ScanWord.rowStrides + 1] = last < 0 ? 0 : rows.out[last];
    words[at + ScanWord.inner] = inner;
    words[at + ScanWord.strips] = strips;
    let next = at + SCAN_HEAD;
    for (let d = 0; d < dims; d++) {
      words[next++] = rows.sizes[d];
      words[next++] = rows.inputs[d * MAX_INPUTS];
      words[next++] = rows.out[d];
    }
    backend.submit();
  }
}
