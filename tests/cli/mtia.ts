/** Runs the built `mtia` command on programs written for a test. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const command = join(root, 'dist', 'cli', 'main.js');

/** This Node.js and, where NODE_NEWER names one, a newer: its module hooks are others. */
export const NODES = [process.execPath, process.env['NODE_NEWER']].filter((node) => node !== undefined && node !== '');

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

export interface Options {
  cwd?: string;
  env?: Record<string, string>;
  /** For Node.js itself. */
  flags?: string[];
  /** Default: this one. */
  node?: string;
}

export function mtia(args: string[], options: Options = {}): Promise<Outcome> {
  return new Promise((done) => {
    const { cwd, env, flags = [], node = process.execPath } = options;
    execFile(node, [...flags, command, ...args], { cwd, env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      done({ code, stdout, stderr });
    });
  });
}

/** A folder outside of the package with these files, gone after the tests of the file. */
export function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'mtia-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}
