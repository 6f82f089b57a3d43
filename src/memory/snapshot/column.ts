/**
 * A column of numbers that grows at its end: the storage of traces with millions of events. Numbers are kept in chunks,
 * and each full chunk in as few bytes as its values need: none when they are all the same, otherwise 1, 2 or 4 bytes
 * above the smallest in a common power of two, 8 when that does not fit. A typical event takes some 17 bytes in all its columns.
 */

const BITS = 14;
const MASK = (1 << BITS) - 1;
/** Numbers of a chunk. */
export const CHUNK = 1 << BITS;
/** Addresses are multiples of 512, segments of 2 MiB. */
const MAX_SHIFT = 21;

type Packed = Uint8Array | Uint16Array | Uint32Array | Float64Array;

const NOTHING = new Float64Array(0);

interface Chunk {
  base: number;
  scale: number;
  /** Null: every value is `base`. */
  data: Packed | null;
}

export class Column {
  /** How many numbers there are. */
  length = 0;
  /** Bytes taken by full chunks. */
  bytes = 0;
  #full: Chunk[] = [];
  /** The last chunk, as it came. Small until it needs to be large: most traces are short. */
  #last = NOTHING;

  push(value: number): void {
    const at = this.length & MASK;
    if (at === this.#last.length) {
      const larger = new Float64Array(Math.max(16, at * 4));
      larger.set(this.#last);
      this.#last = larger;
    }
    this.#last[at] = value;
    this.length++;
    if (at === MASK) {
      const chunk = pack(this.#last);
      this.bytes += 64 + (chunk.data?.byteLength ?? 0);
      this.#full.push(chunk);
    }
  }

  get(index: number): number {
    const at = index >>> BITS;
    if (at >= this.#full.length) return this.#last[index & MASK];
    const { base, scale, data } = this.#full[at];
    return data === null ? base : base + data[index & MASK] * scale;
  }

  /** Chunks, the last, unfinished one included. */
  get chunks(): number {
    return Math.ceil(this.length / CHUNK);
  }

  /** Unpacks a chunk: the fast way to go through a column. @returns how many numbers were written */
  read(chunk: number, out: Float64Array): number {
    const count = Math.min(CHUNK, this.length - chunk * CHUNK);
    if (chunk >= this.#full.length) {
      out.set(this.#last.subarray(0, count));
      return count;
    }
    const { base, scale, data } = this.#full[chunk];
    if (data === null) out.fill(base, 0, count);
    else unpack(data, base, scale, out);
    return count;
  }
}

function unpack(data: Packed, base: number, scale: number, out: Float64Array): void {
  // One loop for each type keeps each of them fast.
  if (data instanceof Uint8Array) for (let i = 0; i < CHUNK; i++) out[i] = base + data[i] * scale;
  else if (data instanceof Uint16Array) for (let i = 0; i < CHUNK; i++) out[i] = base + data[i] * scale;
  else if (data instanceof Uint32Array) for (let i = 0; i < CHUNK; i++) out[i] = base + data[i] * scale;
  else out.set(data);
}

function pack(values: Float64Array): Chunk {
  let min = values[0];
  let max = min;
  let whole = true;
  for (let i = 0; i < CHUNK; i++) {
    const value = values[i];
    if (value < min) min = value;
    else if (value > max) max = value;
    if (!Number.isSafeInteger(value)) whole = false;
  }
  if (whole && min === max) return { base: min, scale: 1, data: null };
  if (!whole || max - min > 2 ** 53) return { base: 0, scale: 1, data: values.slice(0, CHUNK) };
  let bits = 0;
  for (let i = 0; i < CHUNK; i++) bits |= values[i] - min;
  const shift = bits === 0 ? MAX_SHIFT : Math.min(MAX_SHIFT, 31 - Math.clz32(bits & -bits));
  const scale = 2 ** shift;
  const range = (max - min) / scale;
  const data =
    range < 2 ** 8
      ? new Uint8Array(CHUNK)
      : range < 2 ** 16
        ? new Uint16Array(CHUNK)
        : range < 2 ** 32
          ? new Uint32Array(CHUNK)
          : null;
  if (data === null) return { base: 0, scale: 1, data: values.slice(0, CHUNK) };
  for (let i = 0; i < CHUNK; i++) data[i] = (values[i] - min) / scale;
  return { base: min, scale, data };
}
