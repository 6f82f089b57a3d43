/**
 * Launches of one code with the same numbers, one behind the other, that have nothing to do with each other: one launch over
 * sets of operands. Of optimizers, which launch every parameter on its own while a call is traced.
 */
import { alignSet, mapVariant, setsKernelFor } from '../kernels/map.ts';
import { CONTIGUOUS, SetWords } from '../kernels/wasm/map-layout.ts';
import type { Reloc, Step } from './agree.ts';
import { placeOf, type Range } from './map-step.ts';

/** Bytes of a buffer, or of memory outside, as `View` names it. */
interface Run {
  readonly memory: number;
  readonly from: number;
  readonly to: number;
}

/** Launches that may become one, and what memory they use. */
interface Stack {
  readonly steps: Step[];
  readonly reads: Run[];
  readonly writes: Run[];
  /** How many sets a launch takes. */
  readonly most: number;
}

export function stack(steps: readonly Step[], ranges: readonly Range[]): Step[] {
  const found: Step[] = [];
  let open: Stack | null = null;
  const close = () => {
    if (open !== null) found.push(open.steps.length === 1 ? open.steps[0] : together(open.steps));
    open = null;
  };
  for (const step of steps) {
    const own = stackOf(step, ranges);
    if (own === null) {
      close();
      found.push(step);
    } else if (open === null || !joined(open, own)) {
      close();
      open = own;
    }
  }
  close();
  return found;
}

/** A stack of one; null: the step can be in none. */
function stackOf(step: Step, ranges: readonly Range[]): Stack | null {
  const variant = mapVariant(step.kernel);
  if (variant === undefined || step.words[0] !== 0) return null;
  const { layout, code, words, name } = variant;
  if (layout.depth > 0 || layout.tiled || layout.walks.some((walk) => walk !== CONTIGUOUS)) return null;
  const reads: Run[] = [];
  const writes: Run[] = [];
  for (let k = 0; k < layout.walks.length; k++) {
    const place = placeOf(words.addresses + k, step.words, step.relocs, ranges);
    if (place === null) return null;
    const out = k < code.outputs.length;
    const { itemsize } = out ? code.outputs[k].dtype : code.inputs[k - code.outputs.length];
    const { memory, offset } = place;
    (out ? writes : reads).push({ memory, from: offset, to: offset + step.words[1] * itemsize });
  }
  return { steps: [step], reads, writes, most: setsKernelFor(code, name).most };
}

/** Puts a step onto a stack; whether it may be there. */
function joined(to: Stack, { steps: [step], reads, writes }: Stack): boolean {
  const [first] = to.steps;
  if (first.kernel !== step.kernel || to.steps.length >= to.most) return false;
  if (first.numbers.length !== step.numbers.length) return false;
  const { scalars, innerStrides } = mapVariant(step.kernel)!.words;
  for (let at = scalars; at < innerStrides; at++) if (first.words[at] !== step.words[at]) return false;
  if (meet(writes, to.reads) || meet(writes, to.writes) || meet(reads, to.writes)) return false;
  to.steps.push(step);
  to.writes.push(...writes);
  to.reads.push(...reads);
  return true;
}

function meet(a: readonly Run[], b: readonly Run[]): boolean {
  return a.some((x) => b.some((y) => x.memory === y.memory && x.from < y.to && y.from < x.to));
}

function together(steps: readonly Step[]): Step {
  const { code, name, words: from, grain } = mapVariant(steps[0].kernel)!;
  const operands = code.outputs.length + code.inputs.length;
  const at = new SetWords(operands, code.scalars);
  const words = new Int32Array(at.sets + steps.length * at.size);
  words[at.count] = steps.length;
  words.set(steps[0].words.subarray(from.scalars, from.innerStrides), at.scalars);
  const relocs: Reloc[] = [];
  let range = 0;
  steps.forEach((step, s) => {
    const set = at.sets + s * at.size;
    const start = alignSet(range);
    range = start + step.words[1];
    words[set] = start;
    words[set + 1] = step.words[1];
    for (let k = 0; k < operands; k++) words[set + 2 + k] = step.words[from.addresses + k];
    for (const reloc of step.relocs) relocs.push({ ...reloc, at: set + 2 + reloc.at - from.addresses });
  });
  words[1] = range;
  const { kernel } = setsKernelFor(code, name);
  const numbers = steps.flatMap((step) => step.numbers);
  return { kernel, grain: range > grain ? grain : 0, words, relocs, bytes: null, numbers, sets: at };
}
