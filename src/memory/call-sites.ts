/**
 * Places in the code that runs: of V8 as call sites, of other engines as text. `src/index.ts` loads this file before any other
 * and `libraryEnds` after all of them, so that a stack tells the library's own frames from the program's in a bundle of both.
 */
const BEGIN = here(1);
let end: Point | null = null;

interface Point {
  script: string;
  line: number;
  column: number;
}

/** A place in the code that runs, before source maps. Lines and columns count from 1. */
export interface Place extends Point {
  name: string;
}

/** The parts of V8's call sites that are used. */
export interface CallSite {
  getScriptNameOrSourceURL(): string | null;
  getPosition(): number;
  getLineNumber(): number | null;
  getColumnNumber(): number | null;
  getFunctionName(): string | null;
  getEnclosingLineNumber?(): number | null;
  getEnclosingColumnNumber?(): number | null;
  getTypeName?(): string | null;
  isToplevel?(): boolean;
  isConstructor?(): boolean;
}

export type Prepare = (error: Error, sites: CallSite[]) => unknown;

/** What V8 adds to Error. */
export interface V8Error {
  captureStackTrace?: (target: object, above?: (...args: never[]) => unknown) => void;
  prepareStackTrace?: Prepare;
  stackTraceLimit?: number;
}

/** Where the caller is, or with 2 the caller's caller; null where the engine does not say. The text of a stack may have gone through a source map already. */
function here(above: number): Point | null {
  const v8 = Error as unknown as V8Error;
  const { prepareStackTrace, stackTraceLimit } = v8;
  let site: CallSite | undefined;
  let text: string | undefined;
  try {
    v8.stackTraceLimit = 10;
    v8.prepareStackTrace = (_error, sites) => {
      site = sites[above];
      return '';
    };
    text = new Error().stack;
  } finally {
    v8.prepareStackTrace = prepareStackTrace;
    v8.stackTraceLimit = stackTraceLimit;
  }
  if (site === undefined) return parseStack(text ?? '')[above] ?? null;
  const script = site.getScriptNameOrSourceURL();
  return script ? { script, line: site.getLineNumber() ?? 0, column: site.getColumnNumber() ?? 0 } : null;
}

/** The last module of the library has been loaded. */
export function libraryEnds(): void {
  end = here(2);
  folder = folderOf();
}

/** Where the library lies in files of its own; null in a bundle. */
let folder = folderOf();

function folderOf(): string | null {
  if (BEGIN === null) return null;
  const source = /^(.*\/)memory\/call-sites\.[jt]s(?:\?.*)?$/.exec(BEGIN.script);
  if (source !== null) return source[1];
  // As it is published: dist/index.js and dist/chunks.
  const published = end === null ? null : /^(.*\/)index\.js$/.exec(end.script);
  return published !== null && BEGIN.script.startsWith(`${published[1]}chunks/`) ? published[1] : null;
}

/** Whether all of a script is the library's or the engine's own. The library's own tests are users of it. */
export function isOwnScript(script: string): boolean {
  if (script.startsWith('node:')) return true;
  if (folder === null || /\.test\.[jt]s$/.test(script)) return false;
  return script.startsWith(folder) || `file://${script}`.startsWith(folder);
}

/** Whether a script has the library and the program in it: a bundle. */
export function isShared(script: string): boolean {
  return folder === null && (script === BEGIN?.script || script === end?.script);
}

/** Whether a place of a shared script is the library's: bundlers leave its modules in one piece, in the order of loading. */
export function isOwnPlace({ script, line, column }: Point): boolean {
  if (BEGIN === null || (script !== BEGIN.script && script !== end?.script)) return false;
  if (script === BEGIN.script && isBefore(line, column, BEGIN)) return false;
  return end === null || script !== end.script || isBefore(line, column, end);
}

function isBefore(line: number, column: number, point: Point): boolean {
  return line < point.line || (line === point.line && column < point.column);
}

/**
 * The places of a formatted stack, of V8 (`at f (file:1:2)`) and of other engines (`f@file:1:2`). Lines of other forms,
 * the message among them, are left out.
 */
export function parseStack(text: string): Place[] {
  const places: Place[] = [];
  for (const line of text.split('\n')) {
    const match =
      /^\s*at (?:async )?(?:(.*?) \()?(\S.*?):(\d+):(\d+)\)?$/.exec(line) ?? /^(.*?)@(\S.*?):(\d+):(\d+)$/.exec(line);
    if (match === null) continue;
    const [, name, script, row, column] = match;
    if (name?.startsWith('eval ')) continue;
    places.push({ script, line: Number(row), column: Number(column), name: name || '<anonymous>' });
  }
  return places;
}

/** As people call the function: with its class, `new` before a constructor, `<module>` for the top of a module as in Python. */
export function functionName(site: CallSite): string {
  const name = site.getFunctionName();
  if (name === null || name === '') return isModule(site) ? '<module>' : '<anonymous>';
  if (site.isConstructor?.() === true) return `new ${name}`;
  const type = site.isToplevel?.() === false ? site.getTypeName?.() : null;
  // Newer V8 names no class for what is a function, such as our modules (`self` in src/nn/callable.ts).
  const method = type !== null && type !== undefined && !['Object', 'Function', 'self'].includes(type);
  return method && !name.includes('.') ? `${type}.${name}` : name;
}

/** A module's own code begins where its text does. */
export function isModule(site: CallSite): boolean {
  if (site.getFunctionName()) return false;
  const line = site.getEnclosingLineNumber?.();
  if (line === undefined || line === null) return false;
  return line <= 1 && (site.getEnclosingColumnNumber?.() ?? 1) <= 1;
}
