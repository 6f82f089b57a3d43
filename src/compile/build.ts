/** From two traced runs to a compiled function: what must be the same in both, and what may lie elsewhere in every call. */
import { sameSizes } from '../core/shape.ts';
import type { Storage } from '../devices/storage.ts';
import { type Agreement, agree, type Moving } from './agree.ts';
import { Compiled, type Optimise, type Pinned } from './compiled.ts';
import type { Given, Run } from './run.ts';
import { Break } from './trace.ts';
import { sameShape } from './tree.ts';

/** A compiled function of two runs, or why there is none. */
export function build(a: Run, b: Run, optimise: Optimise): Compiled | Break {
  const problem = differences(a, b);
  if (problem !== null) return new Break(problem);
  if (a.trace.backend === null) return new Break('the function gives a device nothing to do');
  const movingA = movingOf(a);
  const movingB = movingOf(b);
  // What is at one address in both runs can't be told from a number: it is what it is, or the program does not fit.
  const pinned: (Pinned | null)[] = b.args.map(() => null);
  const pinnedGradients: (Storage | null)[] = b.gradients.map(() => null);
  const free: [Moving[], Moving[]] = [[], []];
  for (const m of movingB) {
    const other = movingA.find(({ key }) => key === m.key);
    if (other === undefined) return new Break('two runs used different inputs');
    if (other.base !== m.base) {
      free[0].push(other);
      free[1].push(m);
      continue;
    }
    const at = Number(m.key.slice(m.key.indexOf(' ')));
    if (m.key.startsWith('arg ')) pinned[at] = { storage: new WeakRef(m.storage), offset: b.args[at].offset };
    // Other memory at the same address, which may be elsewhere the next time.
    else if (other.storage !== m.storage) return new Break('two runs had different memory in the same place');
    else pinnedGradients[at] = m.storage;
  }
  const agreement = agree(a.trace, b.trace, free[0], free[1]);
  if (agreement instanceof Break) return agreement;
  const known = (given: Given) =>
    given.id >= 0 || given.length === 0 || free[1].some(({ storage }) => storage === given.storage);
  if (!(b.backward?.grads ?? []).every((g) => g === null || known(g))) {
    return new Break('a gradient is a tensor from outside');
  }
  if (!b.gradients.every(({ after }) => after === null || after.same !== null || known(after))) {
    return new Break('a tensor from outside becomes a gradient');
  }
  const second: Agreement = {
    ...agreement,
    steps: agreement.steps.map((s, i) => ({ ...s, words: b.trace.launches[i].words })),
  };
  const compiled = new Compiled(b, second, free[1], pinned, pinnedGradients, optimise);
  return compiled.complete ? compiled : new Break('launches use memory whose place in other calls is not known');
}

function movingOf(run: Run): Moving[] {
  const { outside } = run.trace;
  const found: Moving[] = [];
  const add = (storage: Storage, key: string, first: number) => {
    const known = outside.get(storage);
    if (known === undefined || found.some((m) => m.storage === storage)) return;
    found.push({ storage, key, base: known.address + first });
  };
  run.args.forEach((x, i) => {
    add(x.storage, `arg ${i}`, x.offset * x.dtype.itemsize);
  });
  run.gradients.forEach(({ before }, i) => {
    if (before !== null) add(before.storage, `grad ${i}`, before.offset * before.dtype.itemsize);
  });
  // A gradient may be passed on without any launch.
  run.backward?.held.forEach(({ storage }, i) => {
    if (storage.nbytes > 0) found.push({ storage, key: `tangent ${i}`, base: storage.address });
  });
  return found;
}

/** What two runs gave in different ways; null: nothing. */
function differences(a: Run, b: Run): string | null {
  if (!sameShape(a.shape, b.shape)) return 'two runs returned values that are not the same and no tensors';
  if (!sameList(a.results, b.results, (x, y) => sameGiven(a, b, x, y))) return 'two runs returned different tensors';
  const gradients = sameList(a.gradients, b.gradients, (x, y) => {
    if (x.leaf !== y.leaf || (x.before === null) !== (y.before === null)) return false;
    return sameGiven(a, b, x.after, y.after);
  });
  if (!gradients) return 'two runs left different gradients';
  if (
    !sameList(a.bumps, b.bumps, (x, y) => x.by === y.by && x.arg === y.arg && (x.arg >= 0 || x.tensor === y.tensor))
  ) {
    return 'two runs changed different tensors in place';
  }
  const [one, two] = [a.backward, b.backward];
  if (one === null || two === null) return one === two ? null : 'only one of two runs can be gone back from';
  const owners = sameList(one.owners, two.owners, (x, y) => x.arg === y.arg && x.leaf === y.leaf);
  if (!owners || one.spent !== two.spent || !sameList(one.grads, two.grads, (x, y) => sameGiven(a, b, x, y))) {
    return 'the backward of two runs is different';
  }
  return null;
}

function sameList<T>(a: readonly T[], b: readonly T[], same: (x: T, y: T) => boolean): boolean {
  return a.length === b.length && a.every((x, i) => same(x, b[i]));
}

function sameGiven(a: Run, b: Run, x: Given | null, y: Given | null): boolean {
  if (x === null || y === null) return x === y;
  if (x.same !== null || y.same !== null) {
    if (x.same === null || y.same === null) return false;
    return x.same === y.same || (a.args.includes(x.same) && a.args.indexOf(x.same) === b.args.indexOf(y.same));
  }
  return (
    x.id === y.id &&
    x.dtype === y.dtype &&
    x.grad === y.grad &&
    x.offset === y.offset &&
    sameSizes(x.sizes, y.sizes) &&
    sameSizes(x.strides, y.strides)
  );
}
