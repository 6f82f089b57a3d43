/**
 * Replays the recorded calls of a family on the device under test: one test per operation, which names every case
 * that differs. `ORACLE_CASE=text` runs only the cases whose name contains the text.
 */
import { describe, test } from 'vitest';
import torch from '../../src/index.ts';
import { device } from '../device.ts';
import { coarser, compareError, compareResult, compareTensor, type Kind } from './compare.ts';
import { type CaseData, type Encoded, loadFamily, type TensorData } from './fixtures.ts';
import { arrayOf, build, bytesOf, decode, MissingError, resolve, type Tensor, tensorsIn } from './values.ts';

interface WithGrad {
  requires_grad: boolean;
  grad: Tensor | null;
  backward(gradient: Tensor): void;
  clone(): Tensor;
  toTypedArray(): ArrayBufferView;
}
const asGrad = (x: Tensor) => x as unknown as WithGrad;

type GradFunction = (outputs: Tensor[], inputs: Tensor[], gradOutputs: Tensor[], options: object) => (Tensor | null)[];

/** Defines the tests of a family. `on` is what the calling file imports from `tests/device.ts`, so that it runs on every one. */
export function replay(family: string, on: string): void {
  const { groups } = loadFamily(family);
  const filter = process.env['ORACLE_CASE'];
  describe(`${family} on ${on}`, () => {
    for (const [group, cases] of Object.entries(groups)) {
      const chosen = filter ? cases.filter((c) => c.name.includes(filter)) : cases;
      if (chosen.length > 0) test(group, () => runAll(group, chosen, (c) => runCase(group, c)));
    }
  });
}

/** Runs every case and reports all that fail at once. */
export function runAll<C extends { name: string }>(
  group: string,
  cases: readonly C[],
  run: (c: C) => string | null,
): void {
  const failures: string[] = [];
  const missing = new Map<string, number>();
  for (const c of cases) {
    let wrong: string | null;
    try {
      wrong = run(c);
    } catch (error) {
      if (error instanceof MissingError) {
        missing.set(error.message, (missing.get(error.message) ?? 0) + 1);
        continue;
      }
      wrong = process.env['ORACLE_CASE'] ? String((error as Error).stack) : `threw ${String(error)}`;
    }
    if (wrong !== null) failures.push(`${c.name}\n      ${wrong}`);
  }
  for (const [what, count] of missing) failures.unshift(`${what} (${count} cases)`);
  if (failures.length === 0) return;
  const most = Number(process.env['ORACLE_SHOW'] ?? 12);
  const more = failures.length > most ? `\n  … and ${failures.length - most} more` : '';
  const error = new Error(
    `${group}: ${failures.length} failures in ${cases.length} cases\n  ${failures.slice(0, most).join('\n  ')}${more}`,
  );
  error.stack = error.message;
  throw error;
}

/** Runs one case. Null when everything agrees with PyTorch. */
function runCase(group: string, c: CaseData): string | null {
  const leaves: Tensor[] = [];
  let selfBase: Tensor | null = null;
  const tensor = (data: TensorData) => {
    const { x, base } = build(data);
    selfBase ??= base;
    if (data.grad) leaves.push(x);
    return x;
  };
  const args = c.args.map((a) => decode(a, tensor));
  const options = Object.entries(c.kwargs ?? {}).map(([k, v]: [string, Encoded]) => [k, decode(v, tensor)] as const);
  const call = resolve(c.call);
  if (c.factory) options.push(['device', device]);
  if (options.length > 0) args.push(Object.fromEntries(options));

  if (c.error) {
    let result: unknown;
    try {
      if (c.clone) args[0] = asGrad(args[0] as Tensor).clone();
      result = call(...args);
      waitFor(args, result);
    } catch (error) {
      if (error instanceof MissingError) throw error;
      return compareError(error, c.error);
    }
    return `gave ${String(result)}\n      expected ${c.error.type}: ${c.error.text}`;
  }

  if (c.clone) args[0] = asGrad(args[0] as Tensor).clone();
  const result = call(...args);
  const forward = compareResult(result, c.result ?? null, { group, backward: false });
  if (forward) return forward;
  if (c.call.startsWith('Tensor.') && c.call.endsWith('_') && result !== args[0]) return 'did not return self';
  if (c.after !== undefined) {
    const { dtype } = args[0] as Tensor;
    const shape = [(selfBase! as Tensor).length];
    const wrong = compareTensor(selfBase, { dtype: dtype.name, shape, data: c.after }, { group, backward: false });
    if (wrong) return `the storage of self afterwards: ${wrong}`;
  }
  if (!c.grads) return null;
  const coarsest = [...tensorsIn(args), ...tensorsIn(result)].map((x) => x.dtype.name).reduce(coarser);
  return checkGradients(c, result, leaves, { group, backward: true, coarsest });
}

/** On mtia a fault inside a kernel surfaces when the device is waited for. */
export function waitFor(...values: unknown[]): void {
  for (const x of tensorsIn(values)) x.storage.backend.synchronize();
}

export function checkGradients(c: CaseData, result: unknown, leaves: Tensor[], kind: Kind): string | null {
  const outputs = tensorsIn(result).filter((t) => asGrad(t).requires_grad);
  if (outputs.length !== c.grad_output!.length) {
    return `${outputs.length} results require grad, expected ${c.grad_output!.length}`;
  }
  const second = c.grad2;
  const seeds = c.grad_output!.map((data) => build(second ? { ...data, grad: true } : data).x);
  let grads: (Tensor | null)[];
  const gradOf = torch.autograd.grad as unknown as GradFunction;
  if (second || outputs.length > 1) {
    grads = [...gradOf(outputs, leaves, seeds, { create_graph: second !== undefined, allow_unused: true })];
  } else {
    asGrad(outputs[0]).backward(seeds[0]);
    grads = leaves.map((x) => asGrad(x).grad);
  }
  const first = compareAll('grad', grads, c.grads!, kind);
  if (first || !second) return first;
  const used: Tensor[] = [];
  const vs: Tensor[] = [];
  for (const [i, v] of second.v.entries()) {
    if (v === null) continue;
    used.push(grads[i]!);
    vs.push(build(v).x);
  }
  const again = gradOf(used, [...leaves, ...seeds], vs, { allow_unused: true });
  return compareAll('double grad', [...again], second.grads, kind);
}

function compareAll(
  what: string,
  actual: (Tensor | null)[],
  expected: (TensorData | null)[],
  kind: Kind,
): string | null {
  for (const [i, data] of expected.entries()) {
    const got = actual[i] ?? null;
    // A gradient that is zero everywhere may be there or not.
    if (data === null) {
      if (got !== null && !isZero(got)) return `${what} ${i} should be None`;
      continue;
    }
    if (got === null) {
      // A zero may have either sign.
      if (Array.from(arrayOf(data.dtype, bytesOf(data.data)) as ArrayLike<number>).every((x) => Number(x) === 0))
        continue;
      return `${what} ${i} is None`;
    }
    const wrong = compareTensor(got, data, kind);
    if (wrong) return `${what} ${i}: ${wrong}`;
  }
  return null;
}

export function isZero(x: Tensor): boolean {
  const { buffer } = asGrad(x).toTypedArray();
  return new Uint8Array(buffer).every((byte) => byte === 0);
}
