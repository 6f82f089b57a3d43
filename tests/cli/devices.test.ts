/** `mtia smi` and `mtia doctor`. */
import { expect, test } from 'vitest';
import { folderWith, mtia } from './mtia.ts';

interface Check {
  name: string;
  state: string;
  found: string;
  changes: string;
  fix: string;
}

async function doctor(env: Record<string, string>): Promise<{ healthy: boolean; checks: Check[] }> {
  const { code, stdout } = await mtia(['doctor', '--json'], { env });
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

test.concurrent('smi shows the configured devices', async () => {
  const env = { MTIA_DEVICE_COUNT: '2', MTIA_MEMORY: '2GiB' };
  const { devices } = JSON.parse((await mtia(['smi', '--json'], { env })).stdout);
  expect(devices).toHaveLength(2);
  expect(devices[1]).toMatchObject({
    name: 'mtia:1',
    chip: 'mtia-200',
    capacity: 2 * 1024 ** 3,
    allocated: 0,
    peak: 0,
  });
  const { stdout } = await mtia(['smi'], { env });
  expect(stdout).toContain('mtia:1');
  expect(stdout).toContain('2.0 GiB');
  expect(stdout).not.toContain('\u001b');
});

test.concurrent('smi without a device says why', async () => {
  const { code, stdout } = await mtia(['smi'], { env: { MTIA_DEVICE_COUNT: '0' } });
  expect(code).toBe(0);
  expect(stdout).toMatch(/MTIA_DEVICE_COUNT is 0/);
});

test.concurrent('doctor: every check says what it changes, and how to get what is missing', async () => {
  const { healthy, checks } = await doctor({});
  expect(healthy).toBe(true);
  const names = [
    'Node.js',
    'WebAssembly SIMD',
    'relaxed SIMD',
    'threads',
    'native BLAS',
    'garbage sweep',
    'virtual MTIA',
  ];
  expect(checks.map(({ name }) => name)).toEqual(names);
  for (const { changes, fix, state } of checks) {
    expect(changes).not.toBe('');
    expect(fix === '').toBe(state === 'ok');
  }
  expect(checks[0].found).toBe(process.version);
  expect(checks.find(({ name }) => name === 'garbage sweep')!.state).toBe('ok');
});

test.concurrent('doctor sees what is turned off', async () => {
  const { checks } = await doctor({ MTIA_DISABLE: 'threads,relaxed-simd', MTIA_DEVICE_COUNT: '0', MTIA_BLAS: '0' });
  const limited = checks.filter(({ state }) => state === 'limited').map(({ name }) => name);
  expect(limited).toEqual(['relaxed SIMD', 'threads', 'native BLAS', 'virtual MTIA']);
  const missing = await doctor({ MTIA_BLAS: 'no-such-library.so' });
  expect(missing.checks.find(({ name }) => name === 'native BLAS')).toMatchObject({ state: 'limited' });
  const { stdout } = await mtia(['doctor'], { env: { MTIA_DISABLE: 'threads' } });
  expect(stdout).toContain('take threads out of MTIA_DISABLE');
});

test.concurrent('without WebAssembly the doctor says what is missing, and so does the library', async () => {
  const { code, stdout } = await mtia(['doctor', '--json'], { flags: ['--jitless'] });
  expect(code).toBe(1);
  const { healthy, checks } = JSON.parse(stdout) as { healthy: boolean; checks: Check[] };
  expect(healthy).toBe(false);
  const missing = checks.filter(({ state }) => state === 'missing');
  expect(missing.map(({ name }) => name)).toEqual(['WebAssembly SIMD', 'virtual MTIA']);
  expect(missing[0].fix).toContain('no --jitless');
  const folder = folderWith({ 'one.ts': "import { ones } from 'torch-mtia';\nones(1);\n" });
  const run = await mtia(['run', '--quiet', 'one.ts'], { cwd: folder, flags: ['--jitless'] });
  expect(run.code).toBe(1);
  expect(run.stderr).toMatch(
    /RuntimeError: No WebAssembly memory can be had: .*`npx mtia doctor` says what is missing/,
  );
});

test.concurrent('--help and --version', async () => {
  const { stdout } = await mtia(['--help']);
  for (const command of ['run', 'smi', 'doctor']) expect(stdout).toMatch(new RegExp(`^ +${command}\\b`, 'm'));
  expect((await mtia(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
