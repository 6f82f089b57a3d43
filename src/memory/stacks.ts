/**
 * Stacks of the running program, for the memory history: captured in a few microseconds, known by a number, innermost
 * frame first, without the frames of this library and of the engine. A stack is reduced to numbers where it is captured, so nothing
 * that its functions hold is kept alive; names and lines of the source (through source maps) are looked up when it is read.
 */
import { ABSENT } from './snapshot/trace.ts';
import { FrameTable, NO_FRAMES } from './snapshot/frames.ts';

/** Frames looked at, those of the library included. */
const DEFAULT_LIMIT = 16;

/** Where the library lies: frames of scripts that start with it are its own. Null in a bundle, where nobody can tell. */
const library = libraryFolder(import.meta.url);

function libraryFolder(url: string): string | null {
  const match = /^(.*\/)memory\/stacks\.[jt]s(?:\?.*)?$/.exec(url);
  return match === null ? null : match[1];
}

/** The parts of V8's call sites that are used. */
interface CallSite {
  getScriptNameOrSourceURL(): string | null;
  getPosition(): number;
  getLineNumber(): number | null;
  getColumnNumber(): number | null;
  getFunctionName(): string | null;
  getTypeName?(): string | null;
  getMethodName?(): string | null;
  isToplevel?(): boolean;
  isConstructor?(): boolean;
}

type Prepare = (error: Error, sites: CallSite[]) => unknown;
interface V8Error {
  captureStackTrace?: (target: object, above?: (...args: never[]) => unknown) => void;
  prepareStackTrace?: Prepare;
  stackTraceLimit?: number;
}
const v8 = Error as unknown as V8Error;

/** A script and the frames seen in it, by their position in its text. */
interface Script {
  name: string;
  /** Not shown: the library's or the engine's. */
  hidden: boolean;
  frames: Map<number, number>;
}

/** A place in the code that runs, before source maps. Lines and columns count from 1. */
interface Place {
  script: string;
  line: number;
  column: number;
  name: string;
}

export class Stacks {
  /** Frames looked at by a capture, those of the library included. More take longer: some 0.5 µs each. */
  limit = DEFAULT_LIMIT;
  /** Stacks as lists of places; only its lists are used. */
  readonly #lists = new FrameTable();
  readonly #places: Place[] = [];
  readonly #scripts = new Map<string, Script>();
  /** By text: what other engines give, and frames without a script. */
  readonly #texts = new Map<string, number>();
  readonly #scratch = new Int32Array(256);
  #lastName: string | null = null;
  #last: Script | null = null;
  /** Numbers in the table that stacks were last read into, by number here; -1: not yet. */
  #table: WeakRef<FrameTable> | null = null;
  #resolved: number[] = [];
  #result = ABSENT;
  #mode: 'unknown' | 'sites' | 'text' = 'unknown';

  /** Called by V8 in place of formatting the text. */
  readonly #prepare: Prepare = (_error, sites) => {
    this.#result = this.#reduce(sites);
    return '';
  };

  /**
   * The number of the stack of the caller. The same place gives the same number.
   * @param above a function on the stack: it and what it called are passed over, which is cheaper than looking at
   *   them; ignored if it is not there
   */
  capture(above?: (...args: never[]) => unknown): number {
    if (this.#mode !== 'sites' && !this.#canReduce()) return this.#fromText(new Error().stack ?? '');
    const limit = v8.stackTraceLimit;
    const prepare = v8.prepareStackTrace;
    v8.stackTraceLimit = this.limit;
    v8.prepareStackTrace = this.#prepare;
    this.#result = ABSENT;
    const target: { stack?: unknown } = {};
    v8.captureStackTrace!(target, above);
    // Reading it is what calls #prepare.
    void target.stack;
    v8.prepareStackTrace = prepare;
    v8.stackTraceLimit = limit;
    if (above !== undefined && this.#result === NO_FRAMES) return this.capture();
    return this.#result;
  }

  /** The number in `table` of a captured stack, in terms of the source as it was written. */
  resolve(stack: number, table: FrameTable): number {
    if (stack === ABSENT) return ABSENT;
    if (this.#table?.deref() !== table) {
      this.#table = new WeakRef(table);
      this.#resolved = [];
    }
    let resolved = this.#resolved[stack];
    if (resolved === undefined) {
      const depth = this.#lists.depth(stack);
      const frames = new Int32Array(depth);
      const { strings } = table;
      for (let i = 0; i < depth; i++) {
        const place = original(this.#places[this.#lists.frameAt(stack, i)]);
        frames[i] = table.internFrame(strings.intern(place.script), place.line, strings.intern(place.name));
      }
      resolved = this.#resolved[stack] = table.internStack(frames, depth);
    }
    return resolved;
  }

  /** Whether call sites can be had: V8 with an Error that may be changed. Found out once. */
  #canReduce(): boolean {
    if (this.#mode === 'text') return false;
    this.#mode = 'text';
    if (typeof v8.captureStackTrace !== 'function') return false;
    const prepare = v8.prepareStackTrace;
    let called = false;
    try {
      v8.prepareStackTrace = () => {
        called = true;
        return '';
      };
      const target: { stack?: unknown } = {};
      v8.captureStackTrace(target);
      void target.stack;
      v8.prepareStackTrace = prepare;
    } catch {
      called = false;
    }
    if (called) this.#mode = 'sites';
    return called;
  }

  #reduce(sites: CallSite[]): number {
    const scratch = this.#scratch;
    let count = 0;
    for (let i = 0; i < sites.length; i++) {
      const site = sites[i];
      const name = site.getScriptNameOrSourceURL();
      // No script: a function of the engine, such as Array.prototype.map.
      if (name === null || name === undefined) continue;
      const script = name === this.#lastName ? this.#last! : this.#script(name);
      if (script.hidden) continue;
      const position = site.getPosition();
      let frame = script.frames.get(position);
      if (frame === undefined) {
        frame = this.#add({
          script: name,
          line: site.getLineNumber() ?? 0,
          column: site.getColumnNumber() ?? 0,
          name: functionName(site),
        });
        script.frames.set(position, frame);
      }
      if (count < scratch.length) scratch[count++] = frame;
    }
    return this.#lists.internStack(scratch, count);
  }

  #script(name: string): Script {
    let script = this.#scripts.get(name);
    if (script === undefined) {
      script = { name, hidden: isHidden(name), frames: new Map() };
      this.#scripts.set(name, script);
    }
    this.#lastName = name;
    this.#last = script;
    return script;
  }

  #add(place: Place): number {
    return this.#places.push(place) - 1;
  }

  #fromText(text: string): number {
    let stack = this.#texts.get(text);
    if (stack === undefined) {
      const places = parseStack(text).filter((place) => !isHidden(place.script));
      const frames = Int32Array.from(places, (place) => {
        const key = `\0${place.script}:${place.line}:${place.column}:${place.name}`;
        let frame = this.#texts.get(key);
        if (frame === undefined) this.#texts.set(key, (frame = this.#add(place)));
        return frame;
      });
      stack = this.#lists.internStack(frames, frames.length);
      this.#texts.set(text, stack);
    }
    return stack;
  }
}

/** The library's own tests are users of it. */
function isHidden(script: string): boolean {
  if (script.startsWith('node:')) return true;
  if (library === null || /\.test\.[jt]s$/.test(script)) return false;
  return script.startsWith(library) || `file://${script}`.startsWith(library);
}

function functionName(site: CallSite): string {
  const name = site.getFunctionName();
  if (name === null || name === '') return site.isToplevel?.() === true ? '<module>' : '<anonymous>';
  if (site.isConstructor?.() === true) return `new ${name}`;
  const type = site.isToplevel?.() === false ? site.getTypeName?.() : null;
  const method = type !== null && type !== undefined && type !== 'Object' && type !== 'Function';
  return method && !name.includes('.') ? `${type}.${name}` : name;
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

interface SourceMapEntry {
  originalSource?: string;
  originalLine?: number;
}
interface NodeModule {
  findSourceMap?(path: string): { findEntry(line: number, column: number): SourceMapEntry } | undefined;
}
type GetBuiltin = (name: string) => unknown;

/** The place in the source as it was written, as a path rather than a URL. */
function original(place: Place): Place {
  const { process } = globalThis as { process?: { getBuiltinModule?: GetBuiltin } };
  let { script, line } = place;
  const module = process?.getBuiltinModule?.('node:module') as NodeModule | undefined;
  // Node.js has maps of what it loaded while source maps were on; otherwise what runs is what is shown.
  const entry = module?.findSourceMap?.(script)?.findEntry(line - 1, place.column - 1);
  if (entry?.originalSource !== undefined && entry.originalLine !== undefined) {
    script = entry.originalSource;
    line = entry.originalLine + 1;
  }
  return { ...place, script: pathOf(script), line };
}

function pathOf(script: string): string {
  if (!script.startsWith('file:')) return script;
  const path = decodeURIComponent(new URL(script).pathname);
  return /^\/[A-Za-z]:\//.test(path) ? path.slice(1) : path;
}
