/** Which bytes of a storage an access is about, exactly enough to tell apart the usual views: slices of rows and of columns. */
import type { Operand } from '../core/operand.ts';

/** Runs of `width` bytes, every `step` bytes from `begin` on, before `end`. One run: step 0. */
export interface Region {
  readonly begin: number;
  readonly end: number;
  readonly step: number;
  readonly width: number;
  /** Every byte from begin to end belongs to it. */
  readonly dense: boolean;
}

export function regionOf({ offset, sizes, strides, dtype, length }: Operand): Region {
  const size = dtype.itemsize;
  let low = offset;
  let high = offset;
  let outer = -1;
  for (let d = 0; d < sizes.length; d++) {
    const reach = (sizes[d] - 1) * strides[d];
    if (reach > 0) high += reach;
    else low += reach;
    if (sizes[d] > 1 && (outer < 0 || Math.abs(strides[d]) > Math.abs(strides[outer]))) outer = d;
  }
  const begin = low * size;
  const end = (high + 1) * size;
  const dense = end - begin === length * size;
  if (dense || outer < 0) return { begin, end, step: 0, width: end - begin, dense };
  const step = Math.abs(strides[outer]) * size;
  const width = end - begin - (sizes[outer] - 1) * step;
  return width > step ? { begin, end, step: 0, width: end - begin, dense } : { begin, end, step, width, dense };
}

/** Whether two accesses may have a byte in common. */
export function overlap(a: Region, b: Region): boolean {
  if (a.end <= b.begin || b.end <= a.begin) return false;
  if (a.step === 0 || a.step !== b.step) return true;
  // Both repeat alike: how far into one's period the other begins.
  const ahead = (((b.begin - a.begin) % a.step) + a.step) % a.step;
  return ahead < a.width || ahead + b.width > a.step;
}

/** Whether all bytes of `b` surely belong to `a`. */
export function covers(a: Region, b: Region): boolean {
  if (a.begin > b.begin || a.end < b.end) return false;
  return a.dense || (a.begin === b.begin && a.end === b.end && a.step === b.step && a.width === b.width);
}
