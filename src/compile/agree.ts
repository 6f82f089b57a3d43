/**
 * From two traces to a program. A function is compiled when two runs in a row, with the memory at other addresses, have made
 * the same launches: what differs by where memory lies is an address, what differs otherwise is a number that the program
 * does not own, and a reason not to compile.
 */
import type { Storage } from '../devices/storage.ts';
import { mapVariant } from '../kernels/map.ts';
import { kernelName } from '../kernels/registry.ts';
import type { SetWords } from '../kernels/wasm/map-layout.ts';
import { Break, COPY_IN, type Launch, type NumberSource, type Trace } from './trace.ts';

/** A word of a launch that is an address: `offset` bytes into a buffer. */
export interface Reloc {
  readonly at: number;
  readonly buffer: number;
  readonly offset: number;
}

export interface Step {
  readonly kernel: number;
  readonly grain: number;
  readonly words: Int32Array;
  readonly relocs: readonly Reloc[];
  readonly bytes: Uint8Array | null;
  /** Compute its numbers anew: for each set of operands one, which agree as a rule. None: they are what they are. */
  readonly numbers: readonly NumberSource[];
  /** Where its sets of operands are; null: it goes over none. */
  readonly sets: SetWords | null;
}

/** Memory that may be elsewhere in every run and comes from outside. */
export interface Moving {
  readonly storage: Storage;
  /** The byte address that it is known by: of an argument's first element. */
  readonly base: number;
  /** What it is: equal keys are the same in both traces. */
  readonly key: string;
}

/** The launches of both traces. Buffers are numbered: what was made in the trace, then what moves. */
export interface Agreement {
  readonly steps: Step[];
  /** Bytes of what was made in the trace. */
  readonly made: readonly number[];
  /** Which of these are no storages. */
  readonly scratch: ReadonlySet<number>;
  /** Keys of what moves. */
  readonly moving: readonly string[];
}

/** @param movingA, movingB storages from outside that may be others in every run, in the same order */
export function agree(a: Trace, b: Trace, movingA: readonly Moving[], movingB: readonly Moving[]): Agreement | Break {
  if (a.launches.length !== b.launches.length || a.backwardAt !== b.backwardAt) {
    return new Break(`two runs made ${a.launches.length} and ${b.launches.length} launches`);
  }
  if (a.made.length !== b.made.length) return new Break('two runs allocated differently');
  for (let i = 0; i < a.made.length; i++) {
    if (a.made[i].bytes !== b.made[i].bytes) return new Break('two runs allocated differently');
  }
  if (movingA.length !== movingB.length) return new Break('two runs used different inputs');
  for (let i = 0; i < movingA.length; i++) {
    if (movingA[i].key !== movingB[i].key) return new Break('two runs used different inputs');
  }
  const moved = new Set(movingA.map((m) => m.storage));
  for (const { storage, tensors } of a.outside.values()) {
    if (moved.has(storage) || b.outside.has(storage)) continue;
    const [tensor = null] = tensors.keys();
    const what = tensor === null ? `${storage.nbytes} bytes` : `${tensor.dtype} [${tensor.sizes.join(', ')}]`;
    return new Break(
      `the function reaches another tensor in every run without being given it (${what}): give it as an argument`,
    );
  }
  const solver = new Solver(a, b, movingA, movingB);
  const steps: Step[] = [];
  for (let i = 0; i < a.launches.length; i++) {
    const step = solver.step(i);
    if (step instanceof Break) return step;
    steps.push(step);
  }
  const scratch = new Set(a.made.flatMap((m, id) => (m.counted || b.made[id].counted ? [] : [id])));
  return { steps, made: a.made.map((m) => m.bytes), scratch, moving: movingA.map((m) => m.key) };
}

class Solver {
  constructor(
    private readonly a: Trace,
    private readonly b: Trace,
    private readonly movingA: readonly Moving[],
    private readonly movingB: readonly Moving[],
  ) {}

  step(i: number): Step | Break {
    const one = this.a.launches[i];
    const two = this.b.launches[i];
    if (one.kernel !== two.kernel || one.grain !== two.grain || one.words.length !== two.words.length) {
      return new Break(`launch ${i} is ${name(one)} in one run and ${name(two)} in another`);
    }
    if (one.bytes !== null && !sameBytes(one.bytes, two.bytes!)) {
      return new Break('a tensor is made of values of the host, and they are others in every run');
    }
    const relocs: Reloc[] = [];
    const { words } = one;
    for (let at = 0; at < words.length; at++) {
      if (words[at] === two.words[at]) continue;
      if (one.numbers !== null && two.numbers !== null && isNumber(one.kernel, at)) continue;
      const found = this.find(i, words[at] >>> 0, two.words[at] >>> 0);
      if (found === null) {
        return new Break(
          `launch ${i} (${name(one)}) was given another number in every run: a number that the function computes on the host or closes over`,
        );
      }
      relocs.push({ at, buffer: found.buffer, offset: found.offset });
    }
    const numbers = one.numbers === null ? [] : [one.numbers];
    return { kernel: one.kernel, grain: one.grain, words, relocs, bytes: one.bytes, numbers, sets: null };
  }

  private find(launch: number, x: number, y: number): { buffer: number; offset: number } | null {
    const { a, b, movingA, movingB } = this;
    // One past the end is an address, too, if it is nothing else.
    for (let past = 0; past <= 1; past++) {
      for (let id = 0; id < a.made.length; id++) {
        const made = a.made[id];
        if (made.born > launch || made.died <= launch) continue;
        const offset = x - made.address;
        if (offset >= 0 && offset < made.bytes + past && y - b.made[id].address === offset)
          return { buffer: id, offset };
      }
      for (let k = 0; k < movingA.length; k++) {
        const { storage, base } = movingA[k];
        const outside = a.outside.get(storage);
        if (outside === undefined) continue;
        const inside = x - outside.address;
        if (inside >= 0 && inside < storage.nbytes + past && x - base === y - movingB[k].base) {
          return { buffer: a.made.length + k, offset: x - base };
        }
      }
    }
    return null;
  }
}

/** Whether a word is one of the scalars of a launch of expressions. */
function isNumber(kernel: number, at: number): boolean {
  const variant = mapVariant(kernel);
  return variant !== undefined && at >= variant.words.scalars && at < variant.words.innerStrides;
}

function name({ kernel }: Launch): string {
  return kernel === COPY_IN ? 'a copy from the host' : kernelName(kernel);
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((x, i) => x === b[i]);
}
