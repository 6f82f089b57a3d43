/**
 * Calls under torch.autocast against PyTorch: on cpu results and gradients, on mtia the dtypes of the results, which PyTorch
 * gives for a device that it has not.
 */
import { describe, test } from 'vitest';
import torch from '../../src/index.ts';
import { device } from '../device.ts';
import { coarser, compareError, compareResult } from './compare.ts';
import { type CaseData, type ErrorData, loadFamily } from './fixtures.ts';
import { checkGradients, runAll } from './replay.ts';
import { build, decode, dtypeOf, MissingError, resolve, type Tensor, tensorsIn } from './values.ts';

interface AutocastCase extends CaseData {
  /** The dtype of the region. */
  autocast: string;
  /** On mtia: dtypes of the results, or the error. */
  mtia?: string[] | { error: ErrorData };
}

type Autocast = (device: string, options: object, fn: () => unknown) => unknown;

function runCase(group: string, c: AutocastCase): string | null {
  const leaves: Tensor[] = [];
  const args = [...c.args, { dict: c.kwargs ?? {} }].map((arg) =>
    decode(arg, (data) => {
      const { x } = build(data);
      if (data.grad) leaves.push(x);
      return x;
    }),
  );
  if (c.kwargs === undefined) args.pop();
  const call = resolve(c.call);
  const run = () =>
    (torch.autocast as unknown as Autocast)(device, { dtype: dtypeOf(c.autocast) }, () => call(...args));
  const expected = device === 'cpu' ? c.error : Array.isArray(c.mtia) ? undefined : c.mtia?.error;
  let result: unknown;
  try {
    result = run();
  } catch (error) {
    if (error instanceof MissingError || expected === undefined) throw error;
    return compareError(error, expected);
  }
  if (expected !== undefined) return `gave ${String(result)}\n      expected ${expected.type}: ${expected.text}`;
  if (device === 'mtia') {
    const dtypes = tensorsIn(result).map((x) => x.dtype.name);
    const wanted = c.mtia as string[];
    return dtypes.join() === wanted.join() ? null : `gave ${dtypes}, expected ${wanted}`;
  }
  const coarsest = [...tensorsIn(args), ...tensorsIn(result)].map((x) => x.dtype.name).reduce(coarser);
  const forward = compareResult(result, c.result ?? null, { group, backward: false, coarsest });
  if (forward !== null || c.grads === undefined) return forward;
  return checkGradients(c, result, leaves, { group, backward: true, coarsest });
}

const { groups } = loadFamily<AutocastCase>('autocast');
const filter = process.env['ORACLE_CASE'];

describe(`autocast on ${device}`, () => {
  for (const [group, cases] of Object.entries(groups)) {
    const chosen = cases.filter(
      (c) => (!filter || c.name.includes(filter)) && (device === 'cpu' || c.mtia !== undefined),
    );
    if (chosen.length > 0) test(group, () => runAll(group, chosen, (c) => runCase(group, c)));
  }
});
