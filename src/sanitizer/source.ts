/** Stacks as Python prints them: innermost last, each frame with its line of the source where that can be read. */
import type { Frame } from '../memory/snapshot/types.ts';

type ReadFile = (path: string, encoding: 'utf8') => string;
type GetBuiltin = (name: string) => unknown;

const lines = new Map<string, readonly string[]>();

function linesOf(filename: string): readonly string[] {
  let list = lines.get(filename);
  if (list === undefined) {
    const { process } = globalThis as { process?: { getBuiltinModule?: GetBuiltin } };
    const fs = process?.getBuiltinModule?.('node:fs') as { readFileSync: ReadFile } | undefined;
    try {
      list = fs === undefined ? [] : fs.readFileSync(filename, 'utf8').split('\n');
    } catch {
      // Not a file, or not one that is there any more.
      list = [];
    }
    lines.set(filename, list);
  }
  return list;
}

/** @param frames innermost first */
export function formatStack(frames: readonly Frame[]): string {
  let text = '';
  for (let i = frames.length - 1; i >= 0; i--) {
    const { filename, line, name } = frames[i];
    text += `  File "${filename}", line ${line}, in ${name}\n`;
    const source = linesOf(filename)[line - 1]?.trim();
    if (source) text += `    ${source}\n`;
  }
  return text;
}
