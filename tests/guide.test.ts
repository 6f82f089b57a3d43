/**
 * The memory guide's programs and commands print what the page shows. `UPDATE_GUIDE=1` writes what they print into the page.
 * Normalised: times of day, and the folder. A line `…` on the page stands for any lines.
 */
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const file = join(root, 'docs', 'memory-guide.md');
const page = readFileSync(file, 'utf8');

const folder = mkdtempSync(join(tmpdir(), 'mtia-guide-'));
const bin = join(folder, 'bin');
beforeAll(() => {
  mkdirSync(bin);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules', 'torch-mtia'), 'junction');
  const command = join(bin, 'mtia');
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'dist', 'cli', 'main.js')}" "$@"\n`);
  chmodSync(command, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a command prints, both streams in one. */
function run(command: string): Promise<string> {
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH']}`, NO_COLOR: '1' };
  return new Promise((resolve) => {
    execFile('sh', ['-c', `${command} 2>&1`], { cwd: folder, env }, (_error, stdout) => resolve(normalised(stdout)));
  });
}

function normalised(text: string): string {
  return text
    .replaceAll(`${folder}/`, '')
    .replace(/\d\d:\d\d:\d\d\.\d+/g, 'hh:mm:ss.mmm')
    .replace(/[ \t]+$/gm, '')
    .trim();
}

/** An uncaught error: of the lines around it only its own is for readers. */
function forReaders(text: string): string {
  const error = text.split('\n').findIndex((line) => line.startsWith('OutOfMemoryError: '));
  if (error < 0) return text;
  const before = text
    .split('\n')
    .slice(0, error)
    .filter((line) => / bytes after training$/.test(line));
  return [...before, '…', text.split('\n')[error], '…'].join('\n');
}

function matches(printed: string, shown: string): void {
  const parts = shown.split(/^…$/m).map((part) => part.trim());
  let at = 0;
  for (const part of parts) {
    const found = printed.indexOf(part, at);
    if (found < 0) expect(printed).toBe(shown);
    at = found + part.length;
  }
  if (parts.length === 1) expect(printed).toBe(shown);
}

test('the page', { timeout: 120_000 }, async () => {
  let updated = page;
  for (const [block, info, body] of page.matchAll(/```(\S+[^\n]*)\n([\s\S]*?)```/g)) {
    const program = /^ts file=(\S+)(?: replaces=(.*))?$/.exec(info);
    if (program) {
      const [, name, replaces] = program;
      const path = join(folder, name);
      if (replaces === undefined) writeFileSync(path, body);
      else {
        const before = readFileSync(path, 'utf8');
        expect(before).toContain(`${replaces}\n`);
        writeFileSync(path, before.replace(`${replaces}\n`, body));
      }
      continue;
    }
    expect(info).toBe('console');
    const result: string[] = [];
    for (const [, command, shown] of body.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)) {
      const printed = await run(command);
      if (process.env['UPDATE_GUIDE']) result.push(`$ ${command}\n${forReaders(printed)}\n`);
      else matches(printed, shown.trim());
    }
    if (process.env['UPDATE_GUIDE']) updated = updated.replace(block, () => `\`\`\`${info}\n${result.join('')}\`\`\``);
  }
  if (process.env['UPDATE_GUIDE']) writeFileSync(file, updated);
});
