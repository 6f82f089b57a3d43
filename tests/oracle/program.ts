/**
 * Replays recorded programs: several calls in a row on named variables, with what is to be seen of them on the way. One
 * test per group.
 */
import { inspect } from 'node:util';
import { describe, test } from 'vitest';
import torch from '../../src/index.ts';
import { device } from '../device.ts';
import { compareError, compareResult, compareTensor, type Kind } from './compare.ts';
import { loadFamily, type ProgramData, type StepData, type TensorData } from './fixtures.ts';
import { runAll, waitFor } from './replay.ts';
import { build, decode, MissingError, type Names, resolve, type Tensor } from './values.ts';

/** Defines the tests of a family of programs. `on` as for `replay`. */
export function replayPrograms(family: string, on: string): void {
  const { groups } = loadFamily<ProgramData>(family);
  const filter = process.env['ORACLE_CASE'];
  describe(`${family} on ${on}`, () => {
    for (const [group, programs] of Object.entries(groups)) {
      const chosen = filter ? programs.filter((p) => p.name.includes(filter)) : programs;
      if (chosen.length > 0) test(group, () => runAll(group, chosen, runProgram));
    }
  });
}

type Variables = Map<string, unknown>;

export function runProgram(program: ProgramData): string | null {
  const variables: Variables = new Map();
  const setDefault = torch.set_default_device as unknown as (device: string | null) => void;
  setDefault(device);
  try {
    const wrongs: string[] = [];
    for (const [i, step] of program.steps.entries()) {
      let wrong: string | null;
      try {
        wrong = runStep(step, variables);
      } catch (error) {
        wrong = `threw ${process.env['ORACLE_CASE'] ? (error as Error).stack : String(error)}`;
      }
      if (wrong) wrongs.push(`step ${i} (${show(step)}): ${wrong}`);
      // Without its result nothing sensible follows.
      if (wrong && !step.look && !step.error) break;
    }
    return wrongs.length === 0 ? null : wrongs.join('\n      ');
  } finally {
    setDefault(null);
  }
}

function show(step: StepData): string {
  if (step.look) return `look at ${step.look}`;
  const args = (step.args ?? []).map((a) =>
    typeof a === 'object' && a !== null && 'var' in a ? String(a.var) : JSON.stringify(a).slice(0, 40),
  );
  const left = step.let ? `${[step.let].flat().join(', ')} = ` : '';
  return step.call ? `${left}${step.call}(${args.join(', ')})` : `${left}tensor`;
}

function runStep(step: StepData, variables: Variables): string | null {
  const variable = (name: string) => {
    if (!variables.has(name)) throw new Error(`no variable ${name}`);
    return variables.get(name);
  };
  if (step.look) return look(variable(step.look), step, variables);
  if (step.tensor) {
    variables.set(step.let as string, build(step.tensor).x);
    return null;
  }
  const tensor = (data: TensorData) => build(data).x;
  const args = step.args!.map((a) => decode(a, tensor, variable));
  const options = Object.entries(step.kwargs ?? {}).map(([k, v]) => [k, decode(v, tensor, variable)]);
  if (options.length > 0) args.push(Object.fromEntries(options));
  const run = () => callOf(step.call!)(...args);
  let result: unknown;
  try {
    result = step.mode ? (torch[step.mode] as unknown as (f: () => unknown) => unknown)(run) : run();
    if (step.error) waitFor(args, result);
  } catch (error) {
    if (error instanceof MissingError || !step.error) throw error;
    return compareError(error, step.error);
  }
  if (step.error) return `gave ${String(result)}\n      expected ${step.error.type}: ${step.error.text}`;
  if (Array.isArray(step.let)) {
    const parts = Array.from(result as Iterable<unknown>);
    for (const [i, name] of step.let.entries()) variables.set(name, parts[i]);
  } else if (step.let) variables.set(step.let, result);
  return null;
}

function callOf(call: string): (...args: unknown[]) => unknown {
  if (call.startsWith('get:')) return (self) => (self as Names)[call.slice(4)];
  if (call.startsWith('set:')) {
    return (self, value) => {
      (self as Names)[call.slice(4)] = value;
    };
  }
  if (call === 'call') return (callee, ...args) => Reflect.apply(callee as () => unknown, undefined, args);
  if (call.startsWith('new ')) {
    let at: unknown = torch;
    for (const part of call.slice(4).split('.')) if (part !== 'torch') at = (at as Names | undefined)?.[part];
    if (typeof at !== 'function') throw new MissingError(`${call} is missing`);
    const type = at as new (...args: unknown[]) => unknown;
    return (...args) => new type(...args);
  }
  return resolve(call);
}

interface Seen {
  grad: Tensor | null;
  grad_fn: { name: string | (() => string) } | null;
  _version: number;
  _base: unknown;
  _is_view(): boolean;
  is_leaf: boolean;
  requires_grad: boolean;
}

const KIND: Kind = { group: 'programs', backward: true };

function look(value: unknown, step: StepData, variables: Variables): string | null {
  const seen = value as Seen;
  if (step.value !== undefined) {
    const wrong = compareResult(value, step.value, KIND);
    if (wrong) return `value: ${wrong}`;
  }
  if (step.strides) {
    const x = value as Tensor;
    const strides = x.strides.filter((_, d) => x.sizes[d] !== 1);
    if (strides.join() !== step.strides.join()) return `strides [${strides}], expected [${step.strides}]`;
  }
  if (step.grad !== undefined) {
    if (step.grad === null) {
      if (seen.grad !== null) return 'grad should be None';
    } else {
      const wrong = compareTensor(seen.grad, step.grad, KIND);
      if (wrong) return `grad: ${wrong}`;
    }
  }
  const differ = (what: string, actual: unknown, expected: unknown) =>
    expected === undefined || actual === expected ? null : `${what} is ${String(actual)}, expected ${String(expected)}`;
  const { grad_fn: node } = step.grad_fn === undefined ? { grad_fn: undefined } : seen;
  const name = typeof node?.name === 'function' ? node.name() : node?.name;
  return (
    differ('grad_fn', node === null ? null : name, step.grad_fn) ??
    (step.version === undefined ? null : differ('_version', seen._version, step.version)) ??
    (step.is_view === undefined ? null : differ('_is_view()', seen._is_view(), step.is_view)) ??
    (step.base === undefined ? null : differ('_base', nameOf(seen._base, variables), step.base)) ??
    (step.is_leaf === undefined ? null : differ('is_leaf', seen.is_leaf, step.is_leaf)) ??
    differ('requires_grad', seen.requires_grad, step.requires_grad) ??
    lookAtText(value, step)
  );
}

/** console.log prints the repr, and so does String (but of devices, whose `str` is another, as in Python). */
function lookAtText(value: unknown, step: StepData): string | null {
  if (step.repr === undefined) return null;
  const expected = (device === 'mtia' ? step.repr_mtia : undefined) ?? step.repr;
  for (const [how, text, wanted] of [
    ['console.log', inspect(value), expected],
    ['String', String(value), step.str ?? expected],
  ]) {
    if (text !== wanted) return `${how} gives\n${text}\n      expected\n${wanted}`;
  }
  return null;
}

function nameOf(value: unknown, variables: Variables): string | null {
  for (const [name, other] of variables) if (other === value) return name;
  return null;
}
