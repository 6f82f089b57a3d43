/** The README's program prints what the README says, run as the README says; links and commands of all pages exist. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const readme = read('README.md');
const program = /```ts\n([\s\S]*?)```/.exec(readme)![1];
const printed = /\nprints\n\n```\n([\s\S]*?)```/.exec(readme)![1];

const folder = mkdtempSync(join(tmpdir(), 'mtia-readme-'));
const file = join(folder, 'first.ts');
beforeAll(() => writeFileSync(file, program));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(node: string, env: Record<string, string> = {}): Promise<string> {
  const args = [join(root, 'dist', 'cli', 'main.js'), 'run', '--quiet', file];
  const { stdout } = await promisify(execFile)(node, args, { cwd: folder, env: { ...process.env, ...env } });
  return stdout;
}

describe('the twenty lines', () => {
  test('are no more than that', () => {
    expect(program.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(20);
  });

  test.each([
    {},
    { MTIA_EXECUTOR: 'worker' },
    { MTIA_EXECUTOR: 'inline' },
    { MTIA_DISABLE: 'relaxed-simd' },
    { MTIA_DISABLE: 'threads' },
  ])('print what the page shows, %j', async (env) => {
    expect(await run(process.execPath, env as Record<string, string>)).toBe(printed);
  });

  test('print the same numbers on the cpu', async () => {
    const expected = printed.replaceAll(", device='mtia:0'", '').replace(/^\d+ bytes/m, '0 bytes');
    expect(await run(process.execPath, { MTIA_DEVICE_COUNT: '0' })).toBe(expected);
  });

  // What V8 compiles in the background, and when, differs from run to run; the figures must not.
  const newer = process.env['NODE_NEWER'];
  if (newer) {
    test('print it on a newer Node.js, every time', { timeout: 60_000 }, async () => {
      for (let i = 0; i < 10; i++) expect(await run(newer)).toBe(printed);
    });
  }
});

describe('will it fit', () => {
  const [, source] = /`fits\.ts`:\n\n```ts\n([\s\S]*?)```/.exec(readme)!;
  const [, peak, error] = /mtia run --quiet fits\.ts\n(.*)\n\$ MTIA_MEMORY=768MiB .*\n(.*), …\n/.exec(readme)!;
  const path = join(folder, 'fits.ts');
  const command = [join(root, 'dist', 'cli', 'main.js'), 'run', '--quiet', path];
  beforeAll(() => writeFileSync(path, source));

  test('on the whole device it does, and the peak is what the page says', async () => {
    expect((await promisify(execFile)(process.execPath, command, { cwd: folder })).stdout).toBe(`${peak}\n`);
  });

  test('on 768 MiB it does not, with the text of the page', async () => {
    const env = { ...process.env, MTIA_MEMORY: '768MiB' };
    const failed = promisify(execFile)(process.execPath, command, { cwd: folder, env });
    await expect(failed).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(error) });
  });
});

describe('pages', () => {
  const pages = [
    'README.md',
    ...readdirSync(join(root, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ];
  const scripts = Object.keys(JSON.parse(read('package.json')).scripts);

  test.each(pages)('%s: links lead somewhere, commands exist', (page) => {
    const text = read(page);
    const missing: string[] = [];
    for (const [, target] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      if (!/^https?:/.test(target) && !existsSync(join(root, dirname(page), target))) missing.push(target);
    }
    for (const [, name] of text.matchAll(/\bnpm run ([a-z:]+)/g)) if (!scripts.includes(name)) missing.push(name);
    for (const [path] of text.matchAll(/(?<![\w./-])(?:src|tests|scripts|examples|bench)\/[\w./-]*\w/g)) {
      if (!existsSync(join(root, path))) missing.push(path);
    }
    expect(missing).toEqual([]);
  });
});
