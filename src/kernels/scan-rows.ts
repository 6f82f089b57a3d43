/**
 * Scans that a row goes through on its own (PyTorch's cummax, cummin, logcumsumexp). Operands may lie as they like.
 */
import { DTYPES } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import { DimList, grainFor, MAX_INPUTS } from './reduce-plan.ts';
import { registerKernel } from './registry.ts';
import { reads, writes } from './touch.ts';
import { extremeScan, logSumExpScan, ROW_SCAN_DIM, ROW_SCAN_HEAD, RowScanWord } from './wasm/scan-rows.ts';

const KERNELS = {
  max: DTYPES.map((d) => registerKernel(() => extremeScan(d, 'max'), 'cummax')),
  min: DTYPES.map((d) => registerKernel(() => extremeScan(d, 'min'), 'cummin')),
  logsumexp: DTYPES.map((d) => registerKernel(() => logSumExpScan(d), 'logcumsumexp')),
};

const rows = new DimList();

/**
 * @param what `max` and `min` also write int64 `positions`; `logsumexp` takes float dtypes and none
 * @param values of the dtype and the sizes of `x`
 * @param reversed from the last element to the first; positions then count from there
 */
export function scanRows(
  what: keyof typeof KERNELS,
  values: Operand<Storage>,
  positions: Operand<Storage> | null,
  x: Operand<Storage>,
  dim: number,
  reversed = false,
): void {
  const rank = x.sizes.length;
  const { itemsize } = x.dtype;
  rows.clear();
  for (let d = 0; d < rank; d++) {
    if (d === dim || x.sizes[d] === 1) continue;
    rows.out[rows.count] = values.strides[d] * itemsize;
    rows.indices[rows.count] = positions === null ? 0 : positions.strides[d] * 8;
    rows.inputs[rows.count * MAX_INPUTS] = x.strides[d] * itemsize;
    rows.add(x.sizes[d], 1);
  }
  const length = rank === 0 ? 1 : x.sizes[dim];
  const units = rows.total();
  if (length === 0 || units === 0) return;

  reads(x);
  writes(values);
  if (positions !== null) writes(positions);
  const { backend } = x.storage;
  const dims = rows.count;
  const at = backend.begin(
    KERNELS[what][x.dtype.index],
    ROW_SCAN_HEAD + dims * ROW_SCAN_DIM,
    grainFor(units, (what === 'logsumexp' ? 16 : 2) * length),
  );
  const { words } = backend;
  words[at] = 0;
  words[at + 1] = units;
  words[at + RowScanWord.length] = length;
  words[at + RowScanWord.dims] = dims;
  const operands = [x, values, positions];
  for (let i = 0; i < 3; i++) {
    const o = operands[i];
    const stride = o === null || rank === 0 ? 0 : o.strides[dim] * o.dtype.itemsize;
    const start = o === null ? 0 : o.storage.address + o.offset * o.dtype.itemsize;
    words[at + RowScanWord.addresses + i] = reversed ? start + (length - 1) * stride : start;
    words[at + RowScanWord.strides + i] = reversed ? -stride : stride;
  }
  rows.write(words, at + ROW_SCAN_HEAD);
  backend.submit();
}
