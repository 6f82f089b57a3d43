/** Names and errors of streams, events and devices, held against PyTorch's (scripts/oracle/devices.py). */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import torch from '../index.ts';

interface Case {
  on: string;
  name: string;
  args: unknown[];
  kwargs: Record<string, unknown>;
  result?: string;
  error?: [name: string, text: string];
}
const fixture = JSON.parse(readFileSync(new URL('../../tests/fixtures/devices.json', import.meta.url), 'utf8')) as {
  names: Record<string, string[]>;
  cases: Case[];
};

const stream = new torch.Stream('cpu');
const event = new torch.Event('cpu');
const objects: Record<string, object> = {
  stream,
  event,
  timed: new torch.Event('cpu', { enable_timing: true }),
  torch,
  mtia: torch.mtia,
  accelerator: torch.accelerator,
};

const spaces: Record<string, object> = {
  mtia: torch.mtia,
  'mtia.memory': torch.mtia.memory,
  accelerator: torch.accelerator,
  'accelerator.memory': torch.accelerator.memory,
  Stream: stream,
  Event: event,
};
test.each(Object.entries(fixture.names))('every name of %s', (space, names) => {
  // One of them is a static method.
  expect(names.filter((name) => !(name in spaces[space]) && !(name in torch.Event))).toEqual([]);
});

/** Python's `repr` of a result. */
function repr(value: unknown): string {
  if (value === undefined || value === null) return 'None';
  return value === true ? 'True' : value === false ? 'False' : String(value);
}

test.each(fixture.cases)('$on.$name($args, $kwargs)', ({ on, name, args, kwargs, result, error }) => {
  const given = args.map((arg) => (typeof arg === 'string' && arg[0] === '@' ? objects[arg.slice(1)] : arg));
  if (Object.keys(kwargs).length > 0) given.push(kwargs);
  const member = Reflect.get(objects[on], name) as (...args: unknown[]) => unknown;
  const call = () =>
    /^[A-Z]/.test(name) ? Reflect.construct(member, given) : Reflect.apply(member, objects[on], given);
  if (error === undefined) {
    expect(repr(call())).toBe(result);
    return;
  }
  let thrown: Error | null = null;
  try {
    call();
  } catch (caught) {
    thrown = caught as Error;
  }
  expect([thrown?.name, thrown?.message]).toEqual(error);
});
