/** Modules that a program makes, printed as PyTorch prints them: scripts/oracle/printing.py has the same in Python. */
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import torch from '../../src/index.ts';

const { nn } = torch;

interface Layer {
  name: string;
  args: unknown[];
  options: Record<string, unknown>;
  text: string;
}

const { programs: texts, layers }: { programs: Record<string, string>; layers: Layer[] } = JSON.parse(
  readFileSync(new URL('../fixtures/module-reprs.json', import.meta.url), 'utf8'),
);

class Block extends nn.Module {
  first = new nn.Linear(2, 3);
  rest = new nn.Sequential(new nn.ReLU(), new nn.Dropout(0.1));
  inner: InstanceType<typeof nn.Module> | null;
  scale = new nn.Parameter(torch.ones(1));
  constructor(inner: InstanceType<typeof nn.Module> | null = null) {
    super();
    this.inner = inner;
  }
  override extra_repr() {
    return "scale=1, mode='x'";
  }
}
class Lines extends nn.Module {
  override extra_repr() {
    return 'first=1,\nsecond=2';
  }
}
class LinesAndChildren extends Lines {
  child = new nn.Linear(1, 1);
}
class Plain extends nn.Module {}
class OwnRepr extends nn.Module {
  override toString() {
    return '<own\nrepr>';
  }
}

const loop = new nn.Sequential(new nn.Linear(2, 2), new nn.ReLU(), new nn.Linear(2, 2), new nn.ReLU());
const linears = (n: number) => Array.from({ length: n }, () => new nn.Linear(4, 4));

const modules: Record<string, () => unknown> = {
  plain: () => new Plain(),
  'extra_repr and children': () => new Block(),
  nested: () => new Block(new Block(new Plain())),
  lines: () => new Lines(),
  'lines and children': () => new LinesAndChildren(),
  'own repr inside': () => new nn.Sequential(new OwnRepr(), new nn.Linear(1, 1)),
  'list of equals': () => new nn.ModuleList(linears(6)),
  'list of runs': () => new nn.ModuleList([...linears(2), new nn.ReLU(), ...linears(2)]),
  'list of blocks': () => new nn.ModuleList([new Block(), new Block()]),
  'empty list': () => new nn.ModuleList([]),
  dict: () => new nn.ModuleDict({ a: new nn.Linear(1, 2), b: new Block() }),
  'empty dict': () => new nn.ModuleDict(),
  'sequential of sequentials': () => new nn.Sequential(loop, new nn.Sequential(), new nn.Sequential(loop)),
  'named sequential': () => new nn.Sequential({ conv: new nn.Conv2d(1, 2, 3), act: new nn.GELU() }),
  'parameter list': () =>
    new nn.ParameterList([
      new nn.Parameter(torch.ones(2)),
      new nn.Parameter(torch.ones(1, 2, { dtype: torch.float64 })),
    ]),
  'parameter dict': () =>
    new nn.ParameterDict({ a: new nn.Parameter(torch.ones(2)), b: new nn.Parameter(torch.ones([])) }),
};

test('every recorded module is made here', () => {
  expect(Object.keys(modules).sort()).toEqual(Object.keys(texts).sort());
});

test.each(Object.entries(modules))('%s', (name, make) => {
  const module = make();
  expect(String(module)).toBe(texts[name]);
  expect(inspect(module)).toBe(texts[name]);
});

describe('layers', () => {
  for (const { name, args, options, text } of layers) {
    // What is not there yet has no repr; src/absent makes it an error.
    test.skipIf(!(name in nn))(`${name} ${JSON.stringify(args)} ${JSON.stringify(options)}`, () => {
      const Layer = (nn as unknown as Record<string, new (...args: unknown[]) => unknown>)[name];
      expect(String(new Layer(...args, options))).toBe(text);
    });
  }
});
