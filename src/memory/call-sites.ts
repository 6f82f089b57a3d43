/**
 * Places in the code that runs: of V8 as call sites, of other engines as text. Also which of them are the library's own, also in a
 * bundle with a program: bundlers leave its modules in one piece, in the order in which they are loaded. So the package's entry
 * points load this file before any other and say when they are done.
 */
const BEGIN = here(1);
/** Where code of the library begins and ends; null: not yet. */
const pieces: { from: Point | null; to: Point | null }[] = [{ from: BEGIN, to: null }];

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

/** Where the caller is, or with 2 the caller's caller; null where the engine does not say. */
function here(above: number): Point | null {
  const v8 = Error as unknown as V8Error;
  let site: CallSite | undefined;
  try {
    const { prepareStackTrace, stackTraceLimit } = v8;
    v8.stackTraceLimit = 10;
    v8.prepareStackTrace = (_error, sites) => {
      site = sites[above];
      return '';
    };
    void new Error().stack;
    v8.prepareStackTrace = prepareStackTrace;
    v8.stackTraceLimit = stackTraceLimit;
  } catch {
    // An Error that nobody may change. The text of its stack may have gone through a source map already, and serves as well.
  }
  if (site === undefined) return parseStack(new Error().stack ?? '')[above] ?? null;
  const script = site.getScriptNameOrSourceURL();
  return script ? { script, line: site.getLineNumber() ?? 0, column: site.getColumnNumber() ?? 0 } : null;
}

/** An entry point begins. If another has ended before, what lies between them is the program's. */
export function entryPointBegins(): void {
  if (pieces.at(-1)!.to !== null) pieces.push({ from: here(2), to: null });
}

/** An entry point has been loaded, and all that it needs. */
export function entryPointEnds(): void {
  const last = pieces.at(-1)!;
  if (last.to === null) last.to = here(2);
  folder = folderOf();
}

/** Where the library lies in files of its own; null in a bundle. */
let folder = folderOf();

function folderOf(): string | null {
  if (BEGIN === null) return null;
  const source = /^(.*\/)memory\/call-sites\.[jt]s(?:\?.*)?$/.exec(BEGIN.script);
  if (source !== null) return source[1];
  // As it is published: dist/index.js, dist/memory/index.js, dist/entries and dist/chunks.
  for (const { to } of pieces) {
    const published = to === null ? null : /^(.*?\/)(?:index|memory\/index|entries\/[a-z]+)\.js$/.exec(to.script);
    if (published !== null && BEGIN.script.startsWith(`${published[1]}chunks/`)) return published[1];
  }
  return null;
}

/** Whether all of a script is the library's or the engine's own. The library's own tests are users of it. */
export function isOwnScript(script: string): boolean {
  if (script.startsWith('node:')) return true;
  if (folder === null || /\.test\.[jt]s$/.test(script)) return false;
  return script.startsWith(folder) || `file://${script}`.startsWith(folder);
}

/** Whether a script has the library and the program in it: a bundle. */
export function isShared(script: string): boolean {
  return folder === null && pieces.some(({ from, to }) => script === from?.script || script === to?.script);
}

/** Whether a place of a shared script is the library's. */
export function isOwnPlace(place: Point): boolean {
  return folder === null && pieces.some((piece) => isIn(piece, place));
}

function isIn({ from, to }: { from: Point | null; to: Point | null }, { script, line, column }: Point): boolean {
  if (from === null || (script !== from.script && script !== to?.script)) return false;
  if (script === from.script && isBefore(line, column, from)) return false;
  return to === null || script !== to.script || isBefore(line, column, to);
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
