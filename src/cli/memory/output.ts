/**
 * How the memory commands write: tables of at most 100 columns, places in the program, lists cut to what people read.
 */
import Table from 'cli-table3';
import type { Frame, Site } from '../../memory/snapshot/index.ts';
import { type Colors, colorsFor, formatBytes, formatCount } from '../style.ts';

/** Columns of the widest table. */
const WIDTH = 100;

export const colors = (): Colors => colorsFor(process.stdout);

let heard = false;
let failed = false;

/** A reader of the standard output that went away (`… | head`) is no failure. A disk that is full is: one line, as for any file. */
export function hearPipe(): void {
  if (heard) return;
  heard = true;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || failed) return;
    failed = true;
    const reason = error.message.replace(new RegExp(`, ${error.syscall}\\b.*$`, 's'), '');
    process.stderr.write(`mtia: cannot write the standard output: ${reason}.\n`);
    process.exitCode = 2;
  });
}

export function print(text: string): void {
  hearPipe();
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** A column: its title, and its width, borders aside. Without a width it takes what the others leave. */
export type ColumnOf = readonly [title: string, width: number | null];

/** A table, the first column and those without a width to the left, others to the right. */
export function table(columns: readonly ColumnOf[], rows: readonly (readonly string[])[]): string {
  const fixed = columns.reduce((sum, [, width]) => sum + (width ?? 0), 0);
  const rest = WIDTH - 1 - columns.length - fixed;
  const paint = colors();
  const result = new Table({
    head: columns.map(([title]) => paint.bold(title)),
    colWidths: columns.map(([, width]) => width ?? rest),
    colAligns: columns.map(([, width], at) => (at === 0 || width === null ? 'left' : 'right')),
    style: { head: [], border: [] },
    chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
  });
  const cell = (text: string, width: number) =>
    text
      .split('\n')
      .map((line) => cut(line, width))
      .join('\n');
  for (const row of rows) result.push(row.map((text, at) => cell(text, (columns[at][1] ?? rest) - 2)));
  return result.toString();
}

/** Cuts what is too long. */
export function cut(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join('')}…`;
}

/** Breaks a text between words; all lines but the first are indented. */
export function wrap(text: string, indent: number): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.length - 1;
    if (lines[last] === '') lines[last] = word;
    else if (lines[last].length + 1 + word.length <= WIDTH - indent) lines[last] += ` ${word}`;
    else lines.push(word);
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}

/** Lines of `label   text`. A label may begin with spaces, to stand below another. */
export function lines(rows: readonly (readonly [string, string])[]): string {
  const paint = colors();
  const width = Math.max(...rows.map(([label]) => label.length)) + 2;
  return rows
    .map(([label, text]) => `  ${paint.dim(label.padEnd(width))}${wrap(text, width + 2)}`.trimEnd())
    .join('\n');
}

/** `3.0 GiB`; never more than eight or nine characters: `1023 MiB`. */
export const bytes = (value: number): string => formatBytes(value).replace(/^(\d{4,})\.\d/, '$1');
/** `+3.0 GiB`. */
export const change = (value: number): string => (value < 0 ? `-${bytes(-value)}` : `+${bytes(value)}`);
export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
export const number = formatCount;

export function plural(count: number, word: string): string {
  return `${formatCount(count)} ${word}${count === 1 ? '' : 's'}`;
}

// ---- places in the program ---------------------------------------------------------------------------------------

/** Files names may hold anything; a terminal must not obey it. */
export function harmless(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** What PyTorch's viewer hides, and compiled code. */
const NATIVE_FILE = /^(?:\?\?)?$|\.(?:c|cc|cpp|cu|h|hpp|so(?:\.\d+)*)$/;
const NATIVE_NAME = /::|^Py[A-Z]\w+_|^_start$|^__libc_start_main|^_PyEval/;
/** Python frames between a module's call and its forward. */
const WRAPPER = /^(?:_call_impl|_wrapped_call_impl)$/;

/** The frames of a stack that are the program's, innermost first; all of them if none is. */
export function programFrames(frames: readonly Frame[]): readonly Frame[] {
  const own = frames.filter(
    ({ filename, name }) => !NATIVE_FILE.test(filename) && !NATIVE_NAME.test(name) && !WRAPPER.test(name),
  );
  return own.length > 0 ? own : frames;
}

/** `forward (layers.ts:12)`. */
export function frameName({ filename, line, name }: Frame): string {
  return harmless(
    `${name} (${filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1)}:${line})`,
  );
}

/** A place as one line: `forward (layers.ts:12) < step (train.ts:30)`. */
export function place(frames: readonly Frame[]): string {
  if (frames.length === 0) return '(no stack recorded)';
  return programFrames(frames).slice(0, 6).map(frameName).join(' < ');
}

/** A stack as lines, innermost first. */
export function stack(frames: readonly Frame[], most = 8): string {
  if (frames.length === 0) return '    (no stack recorded)';
  const own = programFrames(frames);
  const shown = own
    .slice(0, most)
    .map((frame) => `    ${harmless(frame.name)} (${harmless(frame.filename)}:${frame.line})`);
  if (own.length > most) shown.push(`    … ${plural(own.length - most, 'more frame')}`);
  return shown.join('\n');
}

/** Who holds what, as a table. */
export function holders(sites: readonly Site[], top = sites.length): string {
  const rows = sites.slice(0, top).map((site) => [bytes(site.bytes), number(site.count), place(site.frames)]);
  return table(
    [
      ['Bytes', 12],
      ['Blocks', 9],
      ['Where', null],
    ],
    rows,
  );
}

/** The same for programs. */
export function sitesData(sites: readonly Site[]) {
  return sites.map(({ bytes, count, frames }) => ({ bytes, count, frames }));
}

export function notes(texts: readonly string[]): string {
  const paint = colors();
  return texts.map((text) => `${paint.yellow('note:')} ${wrap(harmless(text), 6)}`).join('\n');
}
