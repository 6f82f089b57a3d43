/**
 * A list of launches that can be made again with its memory elsewhere: words as they were, and where addresses belong in
 * them.
 */
import type { Backend } from '../devices/backend.ts';
import type { Step } from './agree.ts';
import { COPY_IN } from './trace.ts';

/** Words before a launch's own: kernel, grain, number of words, number of relocations. */
const HEADER = 4;

export class Program {
  /** Launch after launch: the header, the words, and three numbers for each relocation. */
  private readonly code: Int32Array;
  private readonly copies: Uint8Array[] = [];

  constructor(steps: readonly Step[]) {
    const code: number[] = [];
    for (const { kernel, grain, words, relocs, bytes } of steps) {
      code.push(kernel, bytes === null ? grain : this.copies.push(bytes) - 1, words.length, relocs.length, ...words);
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
      const at = backend.begin(code[p], count, code[p + 1]);
      const to = backend.words;
      for (let i = 0; i < count; i++) to[at + i] = code[words + i];
      for (let r = relocs; r < end; r += 3) to[at + code[r]] = bases[code[r + 1]] + code[r + 2];
      backend.submit();
      p = end;
    }
  }
}
