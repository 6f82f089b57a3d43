/** Whole programs under `MTIA_SANITIZER`. Each is bundled and run by itself. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'torch-mtia-sanitizer-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
function run(program: string, setting: string | undefined) {
  const outfile = join(folder, `${count++}.mjs`);
  buildSync({
    stdin: { contents: `import torch from '../index.ts';\n${program}`, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
  });
  const env = { ...process.env, MTIA_SANITIZER: setting, MTIA_EXECUTOR: 'inline' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [outfile], { encoding: 'utf8', env, timeout: 20_000 });
  return { status, stdout, stderr };
}

const RACE = `
const x = torch.zeros(4, { device: 'mtia' });
torch.mtia.stream(new torch.Stream('mtia'), () => x.mul_(2));
console.log('done');
`;

test('a race is printed and ends the program with code 1', () => {
  const { status, stdout, stderr } = run(RACE, '1');
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^=+\nMTIASAN detected a possible data race on tensor with data pointer \d+\n/);
  expect(stderr).toContain('MTIASanitizerErrors: detected 1 errors');
  expect(stderr.match(/detected a possible data race/g)).toHaveLength(1);
});

test.each([undefined, '', '0'])('off (%s), the same program ends well', (setting) => {
  expect(run(RACE, setting)).toEqual({ status: 0, stdout: 'done\n', stderr: '' });
});

test('memory given back too early, and nothing after it: code 1 all the same', () => {
  const program = `
    const x = torch.zeros(4, { device: 'mtia' });
    const s = new torch.Stream('mtia');
    s.wait_stream(torch.mtia.current_stream());
    torch.mtia.stream(s, () => x.add(2));
    x.dispose();
    console.log('done');
  `;
  const { status, stdout, stderr } = run(program, '1');
  expect([status, stdout]).toEqual([1, 'done\n']);
  expect(stderr).toMatch(/is given back to stream 0 while stream \d+ may still use it\n/);
});
