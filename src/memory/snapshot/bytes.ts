/**
 * Bytes on their way out: written one after the other, handed over in chunks of about a mebibyte.
 */

const CHUNK = 1 << 20;
/** Most snapshots are small. */
const FIRST_CHUNK = 1 << 14;
/** Room that is always there for what is written without asking. */
const SLACK = 64;

const encoder = new TextEncoder();

export class ByteSink {
  /** The current chunk, with at least SLACK bytes of room after `at`. Whoever writes through it advances `at`. */
  buffer = new Uint8Array(FIRST_CHUNK + SLACK);
  at = 0;
  /** Bytes of the current chunk that are filled before the next is begun. */
  #chunk = FIRST_CHUNK;
  readonly #full: Uint8Array[] = [];

  /** Makes room: called before at most SLACK bytes are written. */
  ready(): void {
    if (this.at >= this.#chunk) this.#flush();
  }

  byte(value: number): void {
    if (this.at >= this.#chunk) this.#flush();
    this.buffer[this.at++] = value;
  }

  write(bytes: Uint8Array): void {
    let from = 0;
    while (from < bytes.length) {
      if (this.at >= this.#chunk) this.#flush();
      const count = Math.min(bytes.length - from, this.#chunk - this.at);
      this.buffer.set(bytes.subarray(from, from + count), this.at);
      this.at += count;
      from += count;
    }
  }

  text(text: string): void {
    this.write(encoder.encode(text));
  }

  #flush(): void {
    this.#full.push(this.buffer.subarray(0, this.at));
    this.#chunk = CHUNK;
    this.buffer = new Uint8Array(CHUNK + SLACK);
    this.at = 0;
  }

  /** Chunks that are full. @param all also the last one */
  *take(all = false): Generator<Uint8Array> {
    if (all && this.at > 0) this.#flush();
    for (const chunk of this.#full.splice(0)) yield chunk;
  }
}

/** All chunks in one. */
export function concatenate(chunks: Iterable<Uint8Array>): Uint8Array {
  const list = [...chunks];
  const whole = new Uint8Array(list.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of list) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
