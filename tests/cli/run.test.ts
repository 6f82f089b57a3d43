/** `mtia run`: programs run as they are, and end as they end; the report keeps out of the way. */
import { describe, expect, test } from 'vitest';
import { folderWith, mtia, NODES } from './mtia.ts';

const cwd = folderWith({
  'sum.ts': `import torch from 'torch-mtia';
const x: InstanceType<typeof torch.Tensor> = torch.ones([3, 4], { device: 'mtia' });
console.log(x.sum().item());
`,
  'named.ts': `import torch, { ones } from 'torch-mtia';
console.log(ones === torch.ones);
`,
  'using.ts': `class Open { [Symbol.dispose]() { console.log('closed'); } }
{ using open: Open = new Open(); console.log('open', open instanceof Open); }
`,
  'using.js': `{ using open = { [Symbol.dispose]() { console.log('closed'); } }; console.log('open'); }
`,
  'main.ts': `import { a } from './lib/a.js';
import { b } from './lib/b.ts';
import { c } from './lib';
console.log(a + b + c);
`,
  'lib/a.ts': 'export const a: number = 1;\n',
  'lib/b.ts': 'export const b: number = 2;\n',
  'lib/index.ts': 'export const c: number = 4;\n',
  'common.js':
    "const { basename } = require('node:path');\nmodule.exports = basename(__filename);\nconsole.log(module.exports);\n",
  'argv.ts': 'console.log(JSON.stringify(process.argv.slice(2)), import.meta.url.endsWith(process.argv[1]!));\n',
  'exit.ts': "import torch from 'torch-mtia';\ntorch.ones(3, { device: 'mtia' });\nprocess.exit(3);\n",
  'exitcode.ts': 'process.exitCode = 5;\n',
  'late.ts':
    "setTimeout(() => console.log('later'), 20);\nawait new Promise((done) => setTimeout(done, 5));\nconsole.log('sooner');\n",
  'throws.ts': `interface Nothing {
  here: string;
}

function fails(value: Nothing | null): string {
  return value!.here;
}
fails(null);
`,
  'syntax.ts': 'const = 3;\n',
  'fault.ts': `import torch from 'torch-mtia';
const table = torch.ones([3, 2], { device: 'mtia' });
table.index_select(0, torch.tensor([7n], { device: 'mtia' }));
console.log('went on');
`,
  'quiet.ts': "console.log('out');\n",
  // An installed package of the old kind, whose files ask for each other without extensions.
  'installed.ts':
    "import old from 'old';\nimport { three } from './required.cjs';\nconsole.log(old, three as number);\n",
  'required.cjs': "exports.three = require('./required/three').three;\n",
  'required/three.js': 'exports.three = 3;\n',
  'node_modules/old/package.json': '{ "main": "index.js" }',
  'node_modules/old/index.js': "module.exports = [require('./lib/one'), require('./lib')].join(' ');\n",
  'node_modules/old/lib/one.js': "module.exports = 'one';\n",
  'node_modules/old/lib/index.js': "module.exports = 'two';\n",
  'decorated.ts': `function twice(method: (n: number) => number, _: ClassMethodDecoratorContext) {
  return (n: number) => 2 * method(n);
}
enum Start { At = 20 }
abstract class Base { constructor(protected readonly start: Start) {} }
class Sum extends Base { accessor more = 1; @twice add(n: number) { return n; } run() { return this.start + this.more + this.add(5); } }
console.log(new Sum(Start.At).run());
`,
  'lib/throws.ts': `import { ones } from 'torch-mtia';
type Rows = number;

export const fails = (rows: Rows) => ones(2, 3).matmul(ones(rows, 3));
`,
  'throws-there.ts': "import { fails } from './lib/throws.ts';\n\nfails(4);\n",
  'rejects.ts': "setTimeout(async () => {\n  throw new RangeError('late');\n}, 5);\n",
});
const run = (args: string[], env?: Record<string, string>) => mtia(['run', ...args], { cwd, env });

describe.each(NODES)('programs on %s', (node) => {
  const run = (args: string[]) => mtia(['run', ...args], { cwd, node });

  test.concurrent.each([
    ['sum.ts', '12\n'],
    ['named.ts', 'true\n'],
    ['using.ts', 'open true\nclosed\n'],
    ['using.js', 'open\nclosed\n'],
    ['main.ts', '7\n'],
    ['common.js', 'common.js\n'],
    ['late.ts', 'sooner\nlater\n'],
    ['decorated.ts', '31\n'],
    ['installed.ts', 'one two 3\n'],
  ])('%s', async (file, expected) => {
    const { code, stdout, stderr } = await run(['--quiet', file]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: expected, stderr: '' });
  });

  test.concurrent('arguments after the file are the program’s', async () => {
    const { stdout } = await run(['--quiet', 'argv.ts', '--json', '-x', 'a b']);
    expect(stdout).toBe('["--json","-x","a b"] true\n');
  });
});

describe('how a program ends', () => {
  test.concurrent('its exit code is kept', async () => {
    expect((await run(['exit.ts'])).code).toBe(3);
    expect((await run(['exitcode.ts'])).code).toBe(5);
  });

  test.concurrent('an error names the line that was written', async () => {
    const { code, stderr } = await run(['--quiet', 'throws.ts']);
    expect(code).toBe(1);
    expect(stderr).toContain('TypeError');
    expect(stderr).toMatch(/at fails .*throws\.ts:6:/);
    expect(stderr).toMatch(/throws\.ts:8:1/);
  });

  test.concurrent('so does one of the library, in a module of the program', async () => {
    const { code, stderr } = await run(['--quiet', 'throws-there.ts']);
    expect(code).toBe(1);
    expect(stderr).toContain('RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x3)');
    expect(stderr).toMatch(/lib\/throws\.ts:4:/);
    expect(stderr).toMatch(/throws-there\.ts:3:1/);
  });

  test.concurrent('a rejection that nobody handles', async () => {
    const { code, stderr } = await run(['--quiet', 'rejects.ts']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/RangeError: late\n +at .*rejects\.ts:2:9/);
  });

  test.concurrent('a syntax error names its line', async () => {
    const { code, stderr } = await run(['--quiet', 'syntax.ts']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/syntax\.ts:1:7\nconst = 3;\n {6}\^\n\nSyntaxError: Expected identifier but found "="\n/);
    expect(stderr.match(/^ +at .*/gm)).toEqual([expect.stringMatching(/^ +at \S*syntax\.ts:1:7$/)]);
  });

  test.concurrent.each(['worker', 'inline'])('a fault still queued is printed and fails, %s', async (executor) => {
    const { code, stdout, stderr } = await run(['fault.ts'], { MTIA_EXECUTOR: executor });
    expect(stdout).toBe('went on\n');
    expect(stderr).toContain('IndexError');
    expect(code).toBe(1);
  });
});

describe('the report', () => {
  test.concurrent('is on stderr, without colours in a pipe', async () => {
    const { stdout, stderr } = await run(['sum.ts']);
    expect(stdout).toBe('12\n');
    expect(stderr).toMatch(/time +\d/);
    expect(stderr).toMatch(/launches +[1-9]\d* on mtia, \d+ on cpu/);
    expect(stderr).toMatch(/memory +mtia:0 +before 0 B, peak [1-9]/);
    expect(stderr).toMatch(/executor +(?:worker|inline)/);
    expect(stderr).not.toContain('\u001b');
  });

  test.concurrent('--json is one line', async () => {
    const { stderr } = await run(['--json', 'sum.ts'], { MTIA_EXECUTOR: 'inline', MTIA_DEVICE_COUNT: '2' });
    const report = JSON.parse(stderr);
    expect(report).toMatchObject({ program: 'sum.ts', executor: 'inline' });
    expect(report.launches.mtia).toBeGreaterThanOrEqual(2);
    expect(report.milliseconds).toBeGreaterThan(0);
    expect(report.devices.map((entry: { device: string }) => entry.device)).toEqual(['mtia:0', 'mtia:1']);
    expect(report.devices[0].memory.before).toBe(0);
    expect(report.devices[0].memory.peak).toBeGreaterThanOrEqual(512);
    expect(report.devices[1].memory.peak).toBe(0);
  });

  test.concurrent('a program that never touches the device has one too', async () => {
    const { code, stdout, stderr } = await run(['quiet.ts'], { MTIA_DEVICE_COUNT: '0' });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'out\n' });
    expect(stderr).toMatch(/launches +0 on mtia/);
  });
});

describe('an environment that makes no sense', () => {
  test.concurrent.each([
    ['MTIA_DEVICE_COUNT', 'many', /MTIA_DEVICE_COUNT: expected a whole number from 0 to \d+, got 'many'/],
    ['MTIA_CHIP', 'mtia-7', /MTIA_CHIP: expected one of mtia-100, mtia-200, .*, got 'mtia-7'/],
    ['MTIA_MEMORY', 'lots', /MTIA_MEMORY: expected bytes like '2GiB', .*, got 'lots'/],
    ['MTIA_EXECUTOR', 'fast', /MTIA_EXECUTOR: expected one of auto, worker, inline, got 'fast'/],
    ['MTIA_MODE', 'dream', /MTIA_MODE: .*, got 'dream'/],
    ['MTIA_DISABLE', 'thread', /MTIA_DISABLE: expected one or more of threads,relaxed-simd, got 'thread'/],
  ])('%s=%s', async (name, value, message) => {
    for (const args of [['run', 'sum.ts'], ['smi'], ['doctor']]) {
      const { code, stdout, stderr } = await mtia(args, { cwd, env: { [name]: value } });
      expect(stderr).toMatch(message);
      expect(stderr).not.toMatch(/^\s+at /m);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    }
  });
});

describe('mistakes', () => {
  test.concurrent.each([
    [['run', 'som.ts'], /cannot find the program som\.ts\. Did you mean sum\.ts\?/],
    [['run', 'sum.js'], /Did you mean sum\.ts\?/],
    [['run', 'sum'], /Did you mean sum\.ts\?/],
    [['run', 'nothing-like-it.ts'], /cannot find the program nothing-like-it\.ts\.\n/],
    [['run'], /missing required argument 'file'/],
    [['sum.ts', '3'], /Did you mean: mtia run sum\.ts 3\?/],
    [['smy'], /unknown command 'smy'\n\(Did you mean smi\?\)/],
    [['run', '--jsn', 'sum.ts'], /unknown option '--jsn'\n\(Did you mean --json\?\)/],
  ])('mtia %j', async (args, message) => {
    const { code, stdout, stderr } = await mtia(args, { cwd });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stdout).toBe('');
    expect(code).toBeGreaterThan(0);
  });
});
