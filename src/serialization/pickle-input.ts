/** Bytes of a pickle, read from a source as they are wanted. */
import { EOFError } from './errors.ts';
import type { Source } from './source.ts';

const WINDOW = 1 << 16;

export class PickleInput {
  /** What has been read. `data` is over the same bytes. */
  bytes: Uint8Array = new Uint8Array(0);
  data: DataView = new DataView(new ArrayBuffer(0));
  /** Where in `bytes` the next byte is. */
  private at = 0;
  /** Where in the source `bytes` begins. */
  private offset: number;

  constructor(
    private readonly source: Source,
    offset = 0,
  ) {
    this.offset = offset;
  }

  /** Where in the source the next byte is. */
  get position(): number {
    return this.offset + this.at;
  }

  /** Takes `length` bytes; where in `bytes` they are. @throws EOFError if there are not so many */
  take(length: number): number {
    const { at } = this;
    if (at + length <= this.bytes.length) {
      this.at = at + length;
      return at;
    }
    const { position, source } = this;
    const rest = source.size - position;
    if (length > rest) {
      throw new EOFError(`Ran out of input: the pickle is cut off at byte ${source.size}`);
    }
    const bytes = source.read(position, Math.min(rest, Math.max(length, WINDOW)));
    this.bytes = bytes;
    this.data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.offset = position;
    this.at = length;
    return 0;
  }

  byte(): number {
    const at = this.take(1);
    return this.bytes[at];
  }

  uint32(): number {
    const at = this.take(4);
    return this.data.getUint32(at, true);
  }

  /** Up to a line feed, which is taken and not returned. */
  line(longest: number): string {
    let text = '';
    for (;;) {
      const c = this.byte();
      if (c === 0x0a) return text;
      if (text.length === longest) throw new EOFError('Ran out of input: a name in the pickle does not end');
      text += String.fromCharCode(c);
    }
  }
}
