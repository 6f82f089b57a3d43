/**
 * A list of launches that can be made again with its memory elsewhere: words as they were, and where addresses belong in
 * them.
 */
import type { Backend } from '../devices/backend.ts';
import type { Step } from './agree.ts';
import { mapVariant } from '../kernels/map.ts';
import { COPY_IN } from './trace.ts';

/** Words before a launch's own: kernel, grain, number of words, number of relocations, which numbers it needs (-1: none). */
const HEADER = 5;

/** Numbers that are computed before a launch, and where they go: two words for each. */
interface Numbers {
  readonly source: () => readonly number[];
  readonly at: number;
}

const bits = new DataView(new ArrayBuffer(8));

export class Program {
  /** Launch after launch: the header, the words, and three numbers for each relocation. */
  private readonly code: Int32Array;
  private readonly copies: Uint8Array[] = [];
  private readonly numbers: Numbers[] = [];

  constructor(steps: readonly Step[]) {
    const code: number[] = [];
    for (const { kernel, grain, words, relocs, bytes, numbers } of steps) {
      const live =
        numbers === null ? -1 : this.numbers.push({ source: numbers, at: mapVariant(kernel)!.words.scalars }) - 1;
      code.push(
        kernel,
        bytes === null ? grain : this.copies.push(bytes) - 1,
        words.length,
        relocs.length,
        live,
        ...words,
      );
      for (const { at, buffer, offset } of relocs) code.push(at, buffer, offset);
    }
    this.code = Int32Array.from(code);
    this.launches = steps.length;
  }

  readonly launches: number;

  /** @param bases byte addresses of the buffers */
  run(backend: Backend, bases: Float64Array): void {
    const { code } = this;
    for (let p = 0; p < code.length; ) {
      const count = code[p + 2];
      const words = p + HEADER;
      const relocs = words + count;
      const end = relocs + 3 * code[p + 3];
      if (code[p] === COPY_IN) {
        backend.copyIn(bases[code[relocs + 1]] + code[relocs + 2], this.copies[code[p + 1]]);
        p = end;
        continue;
      }
      const live = code[p + 4];
      const scalars = live < 0 ? NONE : this.numbers[live].source();
      const at = backend.begin(code[p], count, code[p + 1]);
      const to = backend.words;
      for (let i = 0; i < count; i++) to[at + i] = code[words + i];
      for (let r = relocs; r < end; r += 3) to[at + code[r]] = bases[code[r + 1]] + code[r + 2];
      if (live >= 0) write(to, at + this.numbers[live].at, scalars);
      backend.submit();
      p = end;
    }
  }
}

const NONE: readonly number[] = [];

function write(words: Int32Array, at: number, scalars: readonly number[]): void {
  for (let i = 0; i < scalars.length; i++) {
    bits.setFloat64(0, scalars[i], true);
    words[at + 2 * i] = bits.getInt32(0, true);
    words[at + 2 * i + 1] = bits.getInt32(4, true);
  }
}
