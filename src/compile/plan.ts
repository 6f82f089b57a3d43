/** Memory of a program: which buffers lie where in a block that is allocated once for each run. */
import type { Step } from './agree.ts';

const ALIGN = 64;

export const aligned = (bytes: number): number => Math.ceil(bytes / ALIGN) * ALIGN;

export interface Block {
  readonly bytes: number;
  /** Buffers and their places in the block. */
  readonly places: readonly { readonly buffer: number; readonly offset: number }[];
}

/** What a part of a program needs while it runs. */
export interface Workspace {
  /** In place of storages, and counted as one. */
  readonly storages: Block;
  /** Of kernels, in no figure. */
  readonly scratch: Block;
}

export function workspace(
  steps: readonly Step[],
  buffers: readonly number[],
  bytesOf: readonly number[],
  scratch: ReadonlySet<number>,
): Workspace {
  const of = (wanted: boolean) => new Set(buffers.filter((b) => scratch.has(b) === wanted));
  return { storages: byLifetime(steps, of(false), bytesOf), scratch: byLifetime(steps, of(true), bytesOf) };
}

/** Buffers of which each keeps its place for good. */
export function sideBySide(buffers: readonly number[], bytesOf: readonly number[]): Block {
  let bytes = 0;
  const places = buffers.map((buffer) => {
    const offset = bytes;
    bytes += aligned(bytesOf[buffer]);
    return { buffer, offset };
  });
  return { bytes, places };
}

/**
 * Buffers that need their places from the first step that uses them to the last: the largest first, each at the lowest place
 * that is free then.
 */
function byLifetime(steps: readonly Step[], buffers: ReadonlySet<number>, bytesOf: readonly number[]): Block {
  const spans = new Map<number, { buffer: number; from: number; to: number; offset: number; bytes: number }>();
  steps.forEach(({ relocs }, i) => {
    for (const { buffer } of relocs) {
      if (!buffers.has(buffer)) continue;
      const span = spans.get(buffer);
      if (span === undefined) spans.set(buffer, { buffer, from: i, to: i, offset: 0, bytes: aligned(bytesOf[buffer]) });
      else span.to = i;
    }
  });
  const placed: { buffer: number; from: number; to: number; offset: number; bytes: number }[] = [];
  let total = 0;
  for (const span of [...spans.values()].sort((a, b) => b.bytes - a.bytes)) {
    const others = placed.filter((o) => o.from <= span.to && span.from <= o.to).sort((a, b) => a.offset - b.offset);
    let offset = 0;
    for (const o of others) {
      if (offset + span.bytes <= o.offset) break;
      offset = Math.max(offset, o.offset + o.bytes);
    }
    span.offset = offset;
    placed.push(span);
    total = Math.max(total, offset + span.bytes);
  }
  return { bytes: total, places: placed.map(({ buffer, offset }) => ({ buffer, offset })) };
}
