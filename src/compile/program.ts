/**
 * A list of launches that can be made again with its memory elsewhere: words as they were, and where addresses belong in
 * them.
 */
import type { Backend } from '../devices/backend.ts';
import { mapVariant } from '../kernels/map.ts';
import type { SetWords } from '../kernels/wasm/map-layout.ts';
import type { Step } from './agree.ts';
import { COPY_IN, type NumberSource } from './trace.ts';

/** Words before a launch's own: kernel, grain, number of words, number of relocations, which numbers it needs (-1: none). */
const HEADER = 5;

/** Numbers that are computed before a launch. */
interface Numbers {
  /** For each of its sets of operands one; one for all of it, if it goes over none. */
  readonly sources: readonly NumberSource[];
  /** Where the numbers go: two words for each. */
  readonly at: number;
  /** Where the launch's sets are; null: it goes over none. */
  readonly sets: SetWords | null;
}

const bits = new DataView(new ArrayBuffer(8));

export class Program {
  /** Launch after launch: the header, the words, and three numbers for each relocation. */
  private readonly code: Int32Array;
  private readonly copies: Uint8Array[] = [];
  private readonly numbers: Numbers[] = [];

  constructor(steps: readonly Step[]) {
    const code: number[] = [];
    for (const step of steps) {
      const { kernel, grain, words, relocs, bytes, numbers } = step;
      const live = numbers.length === 0 ? -1 : this.numbers.push(numbersOf(step)) - 1;
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
      const scalars = live < 0 ? NONE : this.numbers[live].sources[0]();
      if (live >= 0 && this.numbers[live].sources.length > 1 && !this.agree(live, scalars)) {
        this.runApart(backend, bases, p);
        p = end;
        continue;
      }
      const at = backend.begin(code[p], count, code[p + 1]);
      const to = backend.words;
      for (let i = 0; i < count; i++) to[at + i] = code[words + i];
      for (let r = relocs; r < end; r += 3) to[at + code[r]] = bases[code[r + 1]] + code[r + 2];
      if (live >= 0) write(to, at + this.numbers[live].at, scalars);
      backend.submit();
      p = end;
    }
  }

  /** Calls the other sources. Whether all gave what the first did; `all` is what each gave. */
  private agree(live: number, first: readonly number[]): boolean {
    const { sources } = this.numbers[live];
    const count = first.length;
    all.length = 0;
    for (let i = 0; i < count; i++) all.push(first[i]);
    let same = true;
    for (let s = 1; s < sources.length; s++) {
      const next = sources[s]();
      for (let i = 0; i < count; i++) {
        same &&= next[i] === all[i];
        all.push(next[i]);
      }
    }
    return same;
  }

  /** Each set of the launch at `p` on its own, with the numbers in `all`. */
  private runApart(backend: Backend, bases: Float64Array, p: number): void {
    const { code } = this;
    const { sources, at: scalars, sets } = this.numbers[code[p + 4]];
    const { count, sets: first, size } = sets!;
    const words = p + HEADER;
    const relocs = words + code[p + 2];
    const each = all.length / sources.length;
    for (let s = 0; s < sources.length; s++) {
      const set = first + s * size;
      const at = backend.begin(code[p], first + size, 0);
      const to = backend.words;
      to[at] = 0;
      to[at + 1] = code[words + set + 1];
      to[at + count] = 1;
      write(to, at + scalars, all.slice(s * each, (s + 1) * each));
      for (let i = 0; i < size; i++) to[at + first + i] = i === 0 ? 0 : code[words + set + i];
      for (let r = relocs; r < relocs + 3 * code[p + 3]; r += 3) {
        const place = code[r] - set;
        if (place >= 0 && place < size) to[at + first + place] = bases[code[r + 1]] + code[r + 2];
      }
      backend.submit();
    }
  }
}

/** What the sources of a launch gave, one after the other. */
const all: number[] = [];

function numbersOf({ kernel, numbers: sources, sets }: Step): Numbers {
  return { sources, at: sets === null ? mapVariant(kernel)!.words.scalars : sets.scalars, sets };
}

const NONE: readonly number[] = [];

function write(words: Int32Array, at: number, scalars: readonly number[]): void {
  for (let i = 0; i < scalars.length; i++) {
    bits.setFloat64(0, scalars[i], true);
    words[at + 2 * i] = bits.getInt32(0, true);
    words[at + 2 * i + 1] = bits.getInt32(4, true);
  }
}
