import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync, transformSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { FrameTable } from './snapshot/frames.ts';
import { ABSENT } from './snapshot/trace.ts';
import { parseStack } from './call-sites.ts';
import { Stacks } from './stacks.ts';

const FILE = import.meta.filename;

function inner(stacks: Stacks): number {
  return stacks.capture();
}

function outer(stacks: Stacks): number {
  return inner(stacks);
}

describe('captured stacks', () => {
  test('name the functions innermost first, with file and line, and none of the library', () => {
    const stacks = new Stacks();
    const table = new FrameTable();
    const frames = table.frames(stacks.resolve(outer(stacks), table));
    expect(frames.slice(0, 2).map((frame) => frame.name)).toEqual(['inner', 'outer']);
    expect(frames[0].filename).toBe(FILE);
    expect(frames[0].line).toBeGreaterThan(0);
    expect(frames[1].line).toBeGreaterThan(frames[0].line);
    expect(
      frames.filter((frame) => frame.filename.endsWith('stacks.ts') || frame.filename.startsWith('node:')),
    ).toEqual([]);
  });

  test('the same place has the same number, another place another', () => {
    const stacks = new Stacks();
    const numbers = new Set<number>();
    for (let i = 0; i < 10; i++) numbers.add(outer(stacks));
    numbers.add(outer(stacks));
    expect(numbers.size).toBe(2);
  });

  test('methods and constructors are named with their class, the top of a module as Python does', () => {
    class Model {
      stack: number;
      constructor(stacks: Stacks) {
        this.stack = stacks.capture();
      }
      forward(stacks: Stacks): number {
        return stacks.capture();
      }
    }
    const stacks = new Stacks();
    const table = new FrameTable();
    const model = new Model(stacks);
    const name = (stack: number) => table.frames(stacks.resolve(stack, table))[0].name;
    expect(name(model.stack)).toBe('new Model');
    expect(name(model.forward(stacks))).toBe('Model.forward');
    expect(name([0].map(() => stacks.capture())[0])).toMatch(/anonymous|module/);
  });

  test('the innermost `limit` frames of the program, however many lie between them', () => {
    const stacks = new Stacks();
    stacks.limit = 5;
    const table = new FrameTable();
    const deep = (n: number): number => (n === 0 ? stacks.capture() : deep(n - 1));
    const frames = (stack: number) => table.frames(stacks.resolve(stack, table));
    expect(frames(deep(20))).toHaveLength(5);
    expect(frames(deep(20)).map(({ name }) => name)).toEqual(Array(5).fill('deep'));
    // Frames of the engine count for nothing, also where there are many more of them than were looked at so far.
    const hidden = (n: number): number => (n === 0 ? inner(stacks) : [n - 1].map(hidden)[0]);
    const through = (n: number): number => (n === 0 ? hidden(1) : Reflect.apply(through, null, [n - 1]));
    for (const depth of [1, 3, 60, 3]) {
      expect(frames(through(depth))[0].name).toBe('inner');
      expect(frames(through(depth))).toHaveLength(5);
    }
    stacks.limit = 100;
    expect(
      frames(deep(80))
        .slice(0, 81)
        .map(({ name }) => name),
    ).toEqual(Array(81).fill('deep'));
  });

  test('frames above a function alone', () => {
    const stacks = new Stacks();
    const table = new FrameTable();
    const api = (): number => stacks.capture(api);
    const user = (): number => api();
    expect(table.frames(stacks.resolve(user(), table))[0].name).toBe('user');
    expect(table.frames(stacks.resolve(stacks.capture(parseStack), table)).length).toBeGreaterThan(0);
  });

  test('settings of Error are left as they were', () => {
    const stacks = new Stacks();
    const { stackTraceLimit, prepareStackTrace } = Error;
    stacks.capture();
    expect(Error.stackTraceLimit).toBe(stackTraceLimit);
    expect(Error.prepareStackTrace).toBe(prepareStackTrace);
    expect(new Error('x').stack).toContain('stacks.test.ts');
  });

  test('no stack resolves to none', () => {
    expect(new Stacks().resolve(ABSENT, new FrameTable())).toBe(ABSENT);
  });

  test('nothing that the functions hold is kept alive', () => {
    const stacks = new Stacks();
    const references: WeakRef<object>[] = [];
    class Holder {
      big = new Uint8Array(1000);
      run(): void {
        stacks.capture();
        references.push(new WeakRef(this));
      }
    }
    for (let i = 0; i < 100; i++) new Holder().run();
    const v8 = process.getBuiltinModule('node:v8');
    const vm = process.getBuiltinModule('node:vm');
    v8.setFlagsFromString('--expose-gc');
    const collect = vm.runInNewContext('gc') as () => void;
    vm.runInContext('0', vm.createContext({}, { microtaskMode: 'afterEvaluate' }));
    collect();
    // The last one may still be in a register of this function.
    expect(references.filter((reference) => reference.deref() !== undefined).length).toBeLessThan(3);
  });
});

test('lines are those of the TypeScript source', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stacks-'));
  try {
    const source = `interface Options {
  depth: number;
}

export function forward(capture: () => number, options: Options): number {
  return options.depth === 0
    ? capture()
    : forward(capture, { depth: options.depth - 1 });
}
`;
    const code = transformSync(source, {
      loader: 'ts',
      sourcemap: 'inline',
      sourcefile: 'model.ts',
      minifyWhitespace: true,
    });
    writeFileSync(join(folder, 'model.mjs'), code.code);
    const library = join(folder, 'lib/memory');
    const stdin = {
      contents: "export { Stacks } from './stacks.ts'; export { FrameTable } from './snapshot/frames.ts';",
      resolveDir: import.meta.dirname,
    };
    buildSync({ stdin, bundle: true, format: 'esm', outfile: join(library, 'stacks.js'), logLevel: 'error' });
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    writeFileSync(
      join(folder, 'main.mjs'),
      `process.setSourceMapsEnabled(true);
const { Stacks, FrameTable } = await import('./lib/memory/stacks.js');
const { forward } = await import('./model.mjs');
const stacks = new Stacks();
const table = new FrameTable();
const frames = table.frames(stacks.resolve(forward(() => stacks.capture(), { depth: 1 }), table));
console.log(JSON.stringify(frames));`,
    );
    const frames = JSON.parse(execFileSync(process.execPath, [join(folder, 'main.mjs')], { encoding: 'utf8' }));
    expect(frames.slice(1)).toMatchObject([
      { name: 'forward', line: 7, filename: join(folder, 'model.ts') },
      { name: 'forward', line: 8, filename: join(folder, 'model.ts') },
      { name: '<module>', line: 6, filename: join(folder, 'main.mjs') },
    ]);
    // Of a plain script there is no map; of the library there is no frame.
    expect(frames[0]).toMatchObject({ line: 6, filename: join(folder, 'main.mjs') });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('stacks as text', () => {
  test('V8', () => {
    const text = `Error: at work (x:1:2)
    at Model.forward (file:///a/model.ts:10:5)
    at async train (file:///a/b c/train.ts:7:11)
    at /a/main.js:3:1
    at new Foo (/a/foo.js:1:1)
    at Array.map (<anonymous>)`;
    expect(parseStack(text)).toEqual([
      { script: 'file:///a/model.ts', line: 10, column: 5, name: 'Model.forward' },
      { script: 'file:///a/b c/train.ts', line: 7, column: 11, name: 'train' },
      { script: '/a/main.js', line: 3, column: 1, name: '<anonymous>' },
      { script: '/a/foo.js', line: 1, column: 1, name: 'new Foo' },
    ]);
  });

  test('Firefox and Safari', () => {
    expect(parseStack('forward@http://localhost:80/model.js:10:5\n@http://localhost:80/main.js:1:2\n')).toEqual([
      { script: 'http://localhost:80/model.js', line: 10, column: 5, name: 'forward' },
      { script: 'http://localhost:80/main.js', line: 1, column: 2, name: '<anonymous>' },
    ]);
  });

  test('an engine that gives nothing but text', () => {
    const { captureStackTrace } = Error;
    try {
      Error.captureStackTrace = undefined as unknown as typeof captureStackTrace;
      const stacks = new Stacks();
      const table = new FrameTable();
      const frames = table.frames(stacks.resolve(outer(stacks), table));
      expect(frames.slice(0, 2).map((frame) => frame.name)).toEqual(['inner', 'outer']);
      expect(frames[0].filename).toBe(FILE);
      expect(outer(stacks)).not.toBe(inner(stacks));
    } finally {
      Error.captureStackTrace = captureStackTrace;
    }
  });
});
