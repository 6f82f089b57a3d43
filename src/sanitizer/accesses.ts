/** The accesses to one storage that later ones can still be in conflict with. */
import type { DType } from '../core/dtype.ts';
import { HOST, type StreamOrder } from './order.ts';
import { covers, overlap, type Region } from './region.ts';

export interface Access {
  readonly region: Region;
  readonly writes: boolean;
  /** Number in the order. */
  readonly stream: number;
  /** Number of the access; see `StreamOrder.access`. */
  readonly number: number;
  /** Number of the launch on its device. */
  readonly launch: number;
  readonly operation: string;
  /** Number of the stack. */
  readonly stack: number;
  readonly sizes: readonly number[];
  readonly dtype: DType;
}

export class Accesses {
  private list: Access[] = [];

  /** @param stack where the storage was allocated; null: nobody saw it */
  constructor(readonly allocation: number | null) {}

  /**
   * Adds an access. Returns those before it on other streams that touch the same bytes, one of the two writing, without an
   * order between them.
   */
  add(access: Access, order: StreamOrder): Access[] {
    // A launch that changes a tensor in place reads it, too: that is one access, which writes.
    if (!access.writes && this.list.some((before) => isOneWrite(before, access))) return [];
    const conflicts: Access[] = [];
    const kept: Access[] = [];
    for (const before of this.list) {
      const together = (before.writes || access.writes) && overlap(before.region, access.region);
      // Each conflict is reported once.
      if (together && !order.isBefore(before.number, before.stream, access.stream)) conflicts.push(before);
      else if (!replaces(access, before, order)) kept.push(before);
    }
    kept.push(access);
    this.list = kept;
    return conflicts;
  }

  /** What streams other than `stream` do with it that does not come before what that one does next. */
  unfinished(stream: number, order: StreamOrder): Access[] {
    return this.list.filter(
      (access) => access.stream !== HOST && !order.isBefore(access.number, access.stream, stream),
    );
  }
}

function isOneWrite(before: Access, access: Access): boolean {
  const { writes, stream, launch, region } = before;
  return writes && stream === access.stream && launch === access.launch && covers(region, access.region);
}

/** Whether everything in conflict with `before` from now on is so with `access`, too. */
function replaces(access: Access, before: Access, order: StreamOrder): boolean {
  if (!covers(access.region, before.region)) return false;
  if (!access.writes && before.writes) return false;
  return order.isBefore(before.number, before.stream, access.stream);
}
