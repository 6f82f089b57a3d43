/**
 * Reads a snapshot from a file of PyTorch's (CUDA, XPU, MTIA; `_dump_snapshot`, `memory_snapshot`) or of ours, pickle or
 * JSON, in today's layout or the old one. Files may be damaged, cut off or hostile: the answer is always a snapshot or a SnapshotError.
 */
import { Budget, DEFAULT_MEMORY_LIMIT, SnapshotError } from './budget.ts';
import { buildSnapshot } from './build.ts';
import { JsonReader } from './json-read.ts';
import { PickleReader } from './pickle-read.ts';
import type { Snapshot } from './snapshot.ts';
import { Values } from './values.ts';

export interface ReadOptions {
  /** The memory that the snapshot may take, bytes. Default: 2 GiB. */
  memoryLimit?: number;
}

/** Pieces in which bytes at hand are read: small enough to be copied cheaply. */
const PIECE = 1 << 20;
const HEAD = 16;

/** Takes a file in chunks. `finish` returns the snapshot. */
export class SnapshotReader {
  readonly #values: Values;
  #reader: PickleReader | JsonReader | null = null;
  /** The first bytes, until they tell what the file is. */
  #head: Uint8Array = new Uint8Array(0);

  constructor(options: ReadOptions = {}) {
    this.#values = new Values(new Budget(options.memoryLimit ?? DEFAULT_MEMORY_LIMIT));
  }

  /** @throws SnapshotError as soon as the file turns out to be unreadable */
  feed(chunk: Uint8Array): void {
    if (this.#reader !== null) {
      this.#reader.feed(chunk);
      return;
    }
    const head = new Uint8Array(this.#head.length + chunk.length);
    head.set(this.#head);
    head.set(chunk, this.#head.length);
    this.#head = head;
    if (head.length >= HEAD) this.#start();
  }

  finish(): Snapshot {
    if (this.#reader === null) this.#start();
    const reader = this.#reader!;
    reader.finish();
    const { kind, number } = reader.result();
    return buildSnapshot(this.#values, kind, number);
  }

  #start(): void {
    const head = this.#head;
    this.#reader = readerFor(head, this.#values);
    this.#head = new Uint8Array(0);
    this.#reader.feed(head);
  }
}

function readerFor(head: Uint8Array, values: Values): PickleReader | JsonReader {
  if (head.length === 0) throw new SnapshotError('the file is empty', 0);
  const [first, second] = head;
  if (first === 0x80) return new PickleReader(values);
  let at = first === 0xef && second === 0xbb && head[2] === 0xbf ? 3 : 0;
  while (at < head.length && (head[at] === 0x20 || head[at] === 0x0a || head[at] === 0x0d || head[at] === 0x09)) at++;
  if (head[at] === 0x7b || head[at] === 0x5b || at === head.length) return new JsonReader(values);
  if (first === 0x1f && second === 0x8b)
    throw new SnapshotError('the file is compressed with gzip: unpack it first', 0);
  if (first === 0x50 && second === 0x4b)
    throw new SnapshotError('the file is a zip archive, as torch.save writes: a snapshot is a bare pickle', 0);
  if (first === 0x28 || first === 0x7d || first === 0x5d)
    throw new SnapshotError('the file is a pickle of protocol 0 or 1: 2 to 5 are read', 0);
  throw new SnapshotError('the file is neither a pickle nor JSON', 0);
}

/**
 * The snapshot in a file that is at hand as a whole.
 * @throws SnapshotError saying what is wrong and where
 */
export function parseSnapshot(bytes: Uint8Array, options: ReadOptions = {}): Snapshot {
  const reader = new SnapshotReader(options);
  for (let at = 0; at < bytes.length; at += PIECE) reader.feed(bytes.subarray(at, at + PIECE));
  return reader.finish();
}

/**
 * The snapshot in a file that comes in chunks: a Node.js stream, the body of a fetch, `blob.stream()`. Files larger than
 * memory are read as long as what they hold, which is a fraction of it, fits.
 * @throws SnapshotError saying what is wrong and where
 */
export async function readSnapshot(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: ReadOptions = {},
): Promise<Snapshot> {
  const reader = new SnapshotReader(options);
  for await (const chunk of chunks) reader.feed(chunk);
  return reader.finish();
}
