/** Wrong arguments to everything of nn, optim, data and amp that has an optional parameter: what PyTorch says of them. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import torch from '../src/index.ts';

interface Case {
  path: string;
  /** How many arguments must be given. */
  required: number;
  /** What PyTorch says of an option `bogus`. */
  unknown: string;
  /** What it says of a call without arguments. */
  missing: string | null;
}

const cases = JSON.parse(readFileSync(new URL('./fixtures/signatures.json', import.meta.url), 'utf8')) as Case[];

/** They take a mapping. */
const MAPPINGS = /^nn\.(ModuleDict|ModuleList|ParameterDict|ParameterList)$/;
/** Here a subclass has it from its base. */
const NAMED: Record<string, string> = { 'Optimizer.step': 'SGD.step' };

/** PyTorch's text, under the name that people know where PyTorch has that of a base or of the function within. */
function expected(path: string, text: string): string {
  const named = NAMED[path] ?? (/^_(Loss|WeightedLoss|clip_grads|get_total)/.test(text) ? publicName(path) : null);
  return named === null ? text : text.replace(/^[\w.]+(?=\(\))/, named);
}

function publicName(path: string): string {
  const name = path.slice(path.lastIndexOf('.') + 1);
  return /^[A-Z]/.test(name) ? `${name}.__init__` : name;
}

const optimizer = new torch.optim.SGD([torch.ones([1])], { lr: 1 });
const owners: Record<string, object> = {
  Module: new torch.nn.Linear(1, 1),
  Optimizer: optimizer,
  LRScheduler: new torch.optim.lr_scheduler.StepLR(optimizer, 1),
  GradScaler: new torch.amp.GradScaler('cpu'),
};

type Callee = ((...args: unknown[]) => unknown) & (new (...args: unknown[]) => unknown);

/** What is called, or null where it is not here. */
function find(path: string): { self: object; callee: Callee } | null {
  const parts = path.split('.');
  let self: object = owners[parts[0]] ?? torch;
  if (self !== torch) parts.shift();
  try {
    for (const part of parts.slice(0, -1)) self = (self as Record<string, object>)[part];
    const callee = (self as Record<string, Callee | undefined>)[parts[parts.length - 1]];
    return callee === undefined ? null : { self, callee };
  } catch (error) {
    if (error instanceof torch.NotImplementedError) return null;
    throw error;
  }
}

function said({ self, callee }: { self: object; callee: Callee }, args: unknown[]): string {
  const isClass = /^class\b/.test(Function.prototype.toString.call(callee));
  try {
    const result = isClass ? new callee(...args) : Reflect.apply(callee, self, args);
    // A generator begins with its first value.
    if (typeof (result as Partial<Iterator<unknown>> | null)?.next === 'function') (result as Iterator<unknown>).next();
  } catch (error) {
    return error instanceof TypeError ? error.message : `${(error as Error).name}: ${(error as Error).message}`;
  }
  return 'no error';
}

test('an option that is not there', () => {
  const wrong: string[] = [];
  let looked = 0;
  for (const { path, required, unknown } of cases) {
    const found = find(path);
    if (found === null || MAPPINGS.test(path)) continue;
    looked++;
    const text = said(found, [...new Array(required).fill(null), { bogus: 1 }]);
    if (text !== expected(path, unknown)) wrong.push(`${path}: ${text} | ${unknown}`);
  }
  expect(wrong).toEqual([]);
  expect(looked).toBeGreaterThan(180);
});

test('an argument that is missing', () => {
  const wrong: string[] = [];
  for (const { path, missing } of cases) {
    const found = find(path);
    if (found === null || missing === null) continue;
    const text = said(found, []);
    if (text !== expected(path, missing)) wrong.push(`${path}: ${text} | ${missing}`);
  }
  expect(wrong).toEqual([]);
});
