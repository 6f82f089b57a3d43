/** einsum and tensordot: sums of products over named dimensions, as batches of matrix products. */

import { RuntimeError, ValueError } from '../core/errors.ts';
import { wrapDim } from '../core/shape.ts';
import { Tensor } from '../tensor/tensor.ts';
import { typeName } from '../tensor/type-name.ts';
import { define } from './registry.ts';
import { diagonal } from './views-more.ts';

/** Product of the sizes of some dimensions. */
const sizeOf = (x: Tensor, dims: readonly number[]) => dims.reduce((n, d) => n * x.sizes[d], 1);

/**
 * Both have the same number of dimensions, each of equal size or 1. Sums of products over `summed`; the result has these
 * as dimensions of size 1.
 */
function sumProduct(left: Tensor, right: Tensor, summed: ReadonlySet<number>): Tensor {
  if (summed.size === 0) return left.mul(right);
  // What both have and keep, what one alone has, what is summed over.
  const [both, mine, yours, inner]: number[][] = [[], [], [], []];
  let [a, b] = [left, right];
  const sizes: number[] = [];
  for (let d = 0; d < a.sizes.length; d++) {
    const [inA, inB] = [a.sizes[d] !== 1, b.sizes[d] !== 1];
    if (summed.has(d)) {
      sizes.push(1);
      if (inA && inB) inner.push(d);
      else if (inA) a = a.sum(d, true);
      else if (inB) b = b.sum(d, true);
    } else {
      sizes.push(inA ? a.sizes[d] : b.sizes[d]);
      if (inA && inB) both.push(d);
      else if (inA) mine.push(d);
      else yours.push(d);
    }
  }
  // Nothing is summed over that both have.
  if (inner.length === 0) return a.mul(b);
  const [batch, n, m, k] = [sizeOf(a, both), sizeOf(a, mine), sizeOf(b, yours), sizeOf(a, inner)];
  const x = a.permute([...both, ...mine, ...rest(a, both, mine, inner), ...inner]).reshape(batch, n, k);
  const y = b.permute([...both, ...rest(b, both, inner, yours), ...inner, ...yours]).reshape(batch, k, m);
  const product = x.bmm(y);
  // Dimensions in the order in which they came out, then back in theirs.
  const ordered = [...both, ...mine, ...yours, ...[...summed]];
  const back = sizes.map((_, d) => ordered.indexOf(d));
  return product.view(ordered.map((d) => sizes[d])).permute(back);
}

/** Dimensions of x in none of the lists: of size 1. */
function rest(x: Tensor, ...lists: number[][]): number[] {
  return x.sizes.map((_, d) => d).filter((d) => !lists.some((list) => list.includes(d)));
}

export function tensordot(a: Tensor, b: Tensor, dimsA: readonly number[], dimsB: readonly number[]): Tensor {
  if (dimsA.length !== dimsB.length) throw new RuntimeError('both dimension lists should have same length');
  if (a.dtype !== b.dtype) throw new RuntimeError('both inputs should have same dtype');
  let [x, y] = [a, b];
  const left = dimsA.map((d) => wrapDim(d, a.sizes.length));
  const right = dimsB.map((d) => wrapDim(d, b.sizes.length));
  left.forEach((d, i) => {
    const e = right[i];
    const [s1, s2] = [a.sizes[d], b.sizes[e]];
    // A size of 1 is broadcast: the other is summed up beforehand.
    if (s2 === 1) x = x.sum(d, true, { dtype: x.dtype });
    else if (s1 === 1) y = y.sum(e, true, { dtype: y.dtype });
    else if (s1 !== s2) {
      throw new RuntimeError(
        `contracted dimensions need to match, but first has size ${s1} in dim ${dimsA[i]} and second has size ${s2} in dim ${dimsB[i]}`,
      );
    }
  });
  for (const list of [left, right]) {
    for (const d of list) {
      if (list.indexOf(d) !== list.lastIndexOf(d)) {
        throw new RuntimeError(`dim ${d} appears multiple times in the list of dims`);
      }
    }
  }
  const freeA = rest(x, left);
  const freeB = rest(y, right);
  const sizes = [...freeA.map((d) => x.sizes[d]), ...freeB.map((d) => y.sizes[d])];
  const k = sizeOf(x, left);
  const rows = x.permute([...freeA, ...left]).reshape(sizeOf(x, freeA), k);
  const columns = y.permute([...right, ...freeB]).reshape(k, sizeOf(y, freeB));
  if (sizes.length === 0) return rows.view(k).dot(columns.view(k)).view(sizes);
  return rows.mm(columns).view(sizes);
}

define(
  {
    doc: 'Sums of products over dimensions of both: over the last `dims` of a and first of b, or over two lists of them.',
    method: false,
  },
  {
    'tensordot(Tensor a, Tensor b, int dims=2) -> Tensor': (a: Tensor, b: Tensor, dims: number) => {
      if (dims < 0) throw new RuntimeError(`tensordot expects dims >= 0, but got dims=${dims}`);
      if (dims > Math.min(a.sizes.length, b.sizes.length)) {
        throw new RuntimeError(`tensordot expects dims < ndim_a or ndim_b, but got dims=${dims}`);
      }
      const numbers = Array.from({ length: dims }, (_, i) => i);
      return tensordot(
        a,
        b,
        numbers.map((i) => i - dims),
        numbers,
      );
    },
    'tensordot(Tensor a, Tensor b, ints[] dims) -> Tensor': (a: Tensor, b: Tensor, dims: number[][]) => {
      if (dims.length !== 2) throw new RuntimeError('tensordot expects dims to be a pair of lists');
      return tensordot(a, b, dims[0].map(Number), dims[1].map(Number));
    },
  },
);

/** Stands for the dimensions of an ellipsis among the labels. */
const ELLIPSIS = '...';

/** The labels of one term of an equation. `where`: how errors name the term. */
function parseTerm(term: string, from: number, where: string): string[] {
  const labels: string[] = [];
  for (let i = 0; i < term.length; i++) {
    const c = term[i];
    if (c === ' ') continue;
    if (c === '.') {
      if (labels.includes(ELLIPSIS)) {
        throw new RuntimeError(`einsum(): found '.' for ${where} for which an ellipsis was already found`);
      }
      if (term.slice(i, i + 3) !== '...') {
        throw new RuntimeError(`einsum(): found '.' for ${where} that is not part of any ellipsis`);
      }
      labels.push(ELLIPSIS);
      i += 2;
      continue;
    }
    if (!/[a-zA-Z]/.test(c)) {
      throw new RuntimeError(
        `einsum(): invalid subscript given at index ${from + i} in the equation string, subscripts must be in [a-zA-Z]`,
      );
    }
    labels.push(c);
  }
  return labels;
}

interface Equation {
  readonly inputs: string[][];
  /** null: it is left to the labels. */
  readonly output: string[] | null;
}

function parse(equation: string): Equation {
  const arrow = equation.indexOf('->');
  const left = arrow < 0 ? equation : equation.slice(0, arrow);
  let from = 0;
  const inputs = left.split(',').map((term, i) => {
    const labels = parseTerm(term, from, `operand ${i}`);
    from += term.length + 1;
    return labels;
  });
  const output = arrow < 0 ? null : parseTerm(equation.slice(arrow + 2), arrow + 2, 'the output');
  return { inputs, output };
}

/** The dimensions of an ellipsis of `count` under names of their own, the last one `…0`. */
const ellipsisLabels = (count: number) => Array.from({ length: count }, (_, i) => `…${count - 1 - i}`);

/** x's labels with those of its ellipsis, checked against its dimensions. */
function labelsOf(x: Tensor, term: readonly string[], i: number): string[] {
  const rank = x.sizes.length;
  const named = term.filter((label) => label !== ELLIPSIS).length;
  const open = named < term.length;
  if (open ? named > rank : named !== rank) {
    throw new RuntimeError(
      `einsum(): the number of subscripts in the equation (${named}) ${open ? 'is more than the number of dimensions' : 'does not match the number of dimensions'} (${rank}) for operand ${i}${open ? '' : ' and no ellipsis was given'}`,
    );
  }
  return term.flatMap((label) => (label === ELLIPSIS ? ellipsisLabels(rank - named) : [label]));
}

/** x with every label once (the diagonal where it was there twice), and these labels. */
function withoutRepeats(x: Tensor, labels: readonly string[], i: number): [Tensor, string[]] {
  let out = x;
  const list = labels.slice();
  for (let d = 0; d < list.length; d++) {
    const first = list.indexOf(list[d]);
    if (first === d) continue;
    if (out.sizes[first] !== out.sizes[d]) {
      throw new RuntimeError(
        `einsum(): subscript ${list[d]} is repeated for operand ${i} but the sizes don't match, ${out.sizes[d]} != ${out.sizes[first]}`,
      );
    }
    out = diagonal(out, 0, first, d);
    const [label] = list.splice(d, 1);
    list.splice(first, 1);
    list.push(label);
    d = -1;
  }
  return [out, list];
}

function einsum(equation: string, operands: readonly Tensor[]): Tensor {
  const { inputs, output } = parse(equation);
  if (inputs.length > operands.length) {
    throw new RuntimeError('einsum(): fewer operands were provided than specified in the equation');
  }
  if (inputs.length < operands.length) {
    throw new RuntimeError('einsum(): more operands were provided than specified in the equation');
  }
  const all = operands.map((x, i) => labelsOf(x, inputs[i], i));
  const wide = Math.max(...all.map((labels) => labels.filter((label) => label.length > 1).length));
  const once = (label: string) => all.flat().filter((other) => other === label).length === 1;
  // Without an output term: the ellipsis, then what is there once, in the alphabet's order, capitals first.
  const out =
    output === null
      ? [...ellipsisLabels(wide), ...[...new Set(all.flat())].filter((l) => l.length === 1 && once(l)).sort()]
      : output.flatMap((label) => (label === ELLIPSIS ? ellipsisLabels(wide) : [label]));
  out.forEach((label, i) => {
    if (out.indexOf(label) !== i) {
      throw new RuntimeError(`einsum(): output subscript ${label} appears more than once in the output`);
    }
    if (!all.some((labels) => labels.includes(label))) {
      throw new RuntimeError(
        `einsum(): output subscript ${label} does not appear in the equation for any input operand`,
      );
    }
  });
  const order = [...out, ...new Set(all.flat().filter((label) => !out.includes(label)))];
  const sizes = new Map<string, number>();
  const ready = operands.map((x, i) => {
    const [single, labels] = withoutRepeats(x, all[i], i);
    labels.forEach((label, d) => {
      const size = single.sizes[d];
      const seen = sizes.get(label) ?? 1;
      if (size !== 1 && seen !== 1 && size !== seen) {
        throw new RuntimeError(
          `einsum(): subscript ${label} has size ${size} for operand ${i} which does not broadcast with previously seen size ${seen}`,
        );
      }
      if (size !== 1 || !sizes.has(label)) sizes.set(label, size);
    });
    // In the common order, missing dimensions of size 1.
    const present = order.filter((label) => labels.includes(label));
    const moved = single.permute(present.map((label) => labels.indexOf(label)));
    let full = moved;
    order.forEach((label, d) => {
      if (!labels.includes(label)) full = full.unsqueeze(d);
    });
    return full;
  });
  const { length } = out;
  if (ready.length === 1) {
    const summed = order.slice(length).map((_, d) => length + d);
    return summed.length > 0 ? ready[0].sum(summed) : ready[0];
  }
  const lastUse = (label: string) => all.reduce((last, labels, i) => (labels.includes(label) ? i : last), 0);
  let result = ready[0];
  for (let i = 1; i < ready.length; i++) {
    const summed = new Set<number>();
    for (let d = length; d < order.length; d++) {
      const last = lastUse(order[d]);
      // Only in the first operand: summed up with the second one.
      if (last === i || (i === 1 && last === 0)) summed.add(d);
    }
    result = summed.size === 0 ? result.mul(ready[i]) : sumProduct(result, ready[i], summed);
  }
  return order.length > length ? result.reshape(result.sizes.slice(0, length) as number[]) : result;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The term of a list of numbers, in which '...' is the ellipsis. */
function termOf(list: Operand): string {
  if (list instanceof Tensor) throw new RuntimeError('Boolean value of Tensor with more than one value is ambiguous');
  return list
    .map((label) => {
      if (label === ELLIPSIS) return ELLIPSIS;
      const letter = LETTERS[Number(label)];
      if (letter === undefined) {
        throw new ValueError('einsum(): subscript in subscript list is not within the valid range [0, 52)');
      }
      return letter;
    })
    .join('');
}

type Operand = Tensor | readonly (number | bigint | string)[];

const TOO_FEW =
  'einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts list';

/** Operands with their labels after each, then perhaps those of the result. */
function einsumOfLists(args: readonly Operand[]): Tensor {
  if (args.length < 2) throw new ValueError(TOO_FEW);
  const pairs = args.length >> 1;
  const operands: Tensor[] = [];
  const terms: string[] = [];
  for (let i = 0; i < pairs; i++) {
    const x = args[2 * i];
    if (!(x instanceof Tensor)) {
      throw new TypeError(`expected Tensor as element ${i} in argument 1, but got ${typeName(x)}`);
    }
    operands.push(x);
    terms.push(termOf(args[2 * i + 1]));
  }
  const output = args.length % 2 === 1 ? `->${termOf(args[args.length - 1])}` : '';
  return einsum(terms.join(',') + output, operands);
}

define(
  {
    doc: "Sums of products in Einstein's notation: einsum('bij,bjk->bik', a, b), or einsum(a, [0, 1, 2], b, [0, 2, 3], [0, 1, 3]).",
  },
  {
    'einsum(str equation, Tensor... operands=[]) -> Tensor': (equation: string, operands: readonly Tensor[]) => {
      if (operands.length === 0) throw new ValueError(TOO_FEW);
      return einsum(equation, operands);
    },
    'einsum(Operand... operands) -> Tensor': einsumOfLists,
  },
);
