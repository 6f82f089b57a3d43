/**
 * Stacks of the running program, for the memory history: captured in a few microseconds, known by a number, innermost
 * frame first, without the frames of this library and of the engine. A stack is reduced to numbers where it is captured, so nothing
 * that its functions hold is kept alive; names and lines of the source (through source maps) are looked up when it is read.
 */
import {
  type CallSite,
  functionName,
  isModule,
  isOwnPlace,
  isOwnScript,
  isShared,
  type Place,
  parseStack,
  type Prepare,
  type V8Error,
} from './call-sites.ts';
import { FrameTable } from './snapshot/frames.ts';
import { ABSENT } from './snapshot/trace.ts';
import { original, pathOf } from './source-maps.ts';

/** Frames of the program that are kept, the innermost. */
export const DEFAULT_FRAMES = 16;
/** So many captures in a row must have done with fewer frames before one frame less is asked for. */
const PATIENCE = 64;
/** No stack has more. */
const MOST = 1 << 16;
/** In place of a frame: not shown. */
const HIDDEN = -2;
/** Added to twice the number of a frame in a module's own code, outside of all functions. */
const TOP = 1;

const v8 = Error as unknown as V8Error;

/** A function on the stack: it and what it called are passed over. */
export type Boundary = (...args: never[]) => unknown;

/** A script and the frames seen in it by their position in its text: twice the number, and TOP; or HIDDEN. */
interface Script {
  /** Not shown: the library's or the engine's. */
  hidden: boolean;
  /** The library's frames are among the program's. */
  shared: boolean;
  frames: Map<number, number>;
}

/** A place, and where a tool that maps stacks by itself (test runners do) says that it is. */
interface KnownPlace extends Place {
  mapped: Place | null;
}

export class Stacks {
  /** Frames of the program that a stack has at most: the innermost. Each takes some 0.4 µs. */
  limit = DEFAULT_FRAMES;
  /** Stacks as lists of places; only its lists are used. */
  readonly #lists = new FrameTable();
  readonly #places: KnownPlace[] = [];
  readonly #scripts = new Map<string, Script>();
  /** By text: what other engines give, and frames without a script. */
  readonly #texts = new Map<string, number>();
  #scratch = new Int32Array(64);
  #lastName: string | null = null;
  #last: Script | null = null;
  /** Numbers in the table that stacks were last read into, by number here; -1: not yet. */
  #table: WeakRef<FrameTable> | null = null;
  #resolved: number[] = [];
  #mode: 'unknown' | 'sites' | 'text' = 'unknown';
  /** Frames that V8 is asked for: the library's are among them, so their number is a guess from the captures before. */
  #asked = DEFAULT_FRAMES;
  #easy = 0;
  /** Of the last capture: the stack, the frames that V8 gave, how many of them were needed, and whether more were. */
  #result = ABSENT;
  #given = 0;
  #needed = 0;
  #cut = false;
  /** What formatted stacks before us. */
  #formatter: Prepare | undefined;

  /** Called by V8 in place of formatting the text. */
  readonly #prepare: Prepare = (_error, sites) => {
    this.#result = this.#reduce(sites);
    return '';
  };

  /**
   * The number of the stack of the caller. The same place gives the same number.
   * @param above it and what it called are passed over, which is cheaper than looking at them; ignored if it is not there
   */
  capture(above?: Boundary): number {
    if (this.#mode !== 'sites' && !this.#canReduce()) return this.#fromText(new Error().stack ?? '');
    const limit = v8.stackTraceLimit;
    this.#formatter = v8.prepareStackTrace;
    v8.prepareStackTrace = this.#prepare;
    for (;;) {
      v8.stackTraceLimit = this.#asked;
      this.#given = 0;
      const target: { stack?: unknown } = {};
      v8.captureStackTrace!(target, above);
      // Reading it is what calls #prepare.
      void target.stack;
      if (this.#given === 0 && above !== undefined) above = undefined;
      else if (this.#cut && this.#asked < MOST) this.#asked *= 2;
      else break;
    }
    v8.prepareStackTrace = this.#formatter;
    v8.stackTraceLimit = limit;
    if (this.#needed >= this.#asked) this.#easy = 0;
    else if (++this.#easy === PATIENCE) {
      this.#asked--;
      this.#easy = 0;
    }
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
        const place = written(this.#places[this.#lists.frameAt(stack, i)]);
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
    const { limit } = this;
    if (limit > this.#scratch.length) this.#scratch = new Int32Array(limit);
    const scratch = this.#scratch;
    let count = 0;
    let i = 0;
    for (; i < sites.length && count < limit; i++) {
      const site = sites[i];
      const name = site.getScriptNameOrSourceURL();
      // No script: a function of the engine, such as Array.prototype.map.
      if (name === null || name === undefined) continue;
      const script = name === this.#lastName ? this.#last! : this.#script(name);
      if (script.hidden) continue;
      const position = site.getPosition();
      const found = script.frames.get(position) ?? this.#meet(site, name, script, position);
      if (found === HIDDEN) continue;
      scratch[count++] = found >> 1;
      // Below a module's own code there is only its loader.
      if ((found & TOP) !== 0) break;
    }
    this.#given = sites.length;
    const done = i < sites.length;
    this.#needed = done ? i + 1 : i;
    this.#cut = count < limit && !done && i >= this.#asked;
    return this.#lists.internStack(scratch, count);
  }

  #script(name: string): Script {
    let script = this.#scripts.get(name);
    if (script === undefined) {
      script = { hidden: isOwnScript(name), shared: isShared(name), frames: new Map() };
      this.#scripts.set(name, script);
    }
    this.#lastName = name;
    this.#last = script;
    return script;
  }

  /** A place that was not seen before. */
  #meet(site: CallSite, name: string, script: Script, position: number): number {
    const [line, column] = [site.getLineNumber() ?? 0, site.getColumnNumber() ?? 0];
    const place = { script: name, line, column, name: functionName(site) };
    const hidden = script.shared && isOwnPlace(place);
    let found = HIDDEN;
    if (!hidden) {
      const frame = this.#add(place, mappedBy(this.#formatter, site));
      found = (frame << 1) | (isModule(site) ? TOP : 0);
    }
    script.frames.set(position, found);
    return found;
  }

  #add(place: Place, mapped: Place | null): number {
    return this.#places.push({ ...place, mapped }) - 1;
  }

  #fromText(text: string): number {
    let stack = this.#texts.get(text);
    if (stack === undefined) {
      const places = parseStack(text).filter((place) => !isOwnScript(place.script) && !isOwnPlace(place));
      const frames = Int32Array.from(places.slice(0, this.limit), (place) => {
        const key = `\0${place.script}:${place.line}:${place.column}:${place.name}`;
        let frame = this.#texts.get(key);
        if (frame === undefined) this.#texts.set(key, (frame = this.#add(place, null)));
        return frame;
      });
      stack = this.#lists.internStack(frames, frames.length);
      this.#texts.set(text, stack);
    }
    return stack;
  }
}

/** Where a formatter of stacks says that a call site is; null if it says nothing new. */
function mappedBy(formatter: Prepare | undefined, site: CallSite): Place | null {
  if (typeof formatter !== 'function') return null;
  try {
    const text = formatter(new Error(), [site]);
    const place = typeof text === 'string' ? parseStack(text).at(-1) : undefined;
    const same = place?.line === site.getLineNumber() && place?.script === site.getScriptNameOrSourceURL();
    return place === undefined || same ? null : place;
  } catch {
    // Not made for sites that others have captured.
    return null;
  }
}

function written(place: KnownPlace): Place {
  const { mapped } = place;
  return mapped === null ? original(place) : { ...mapped, script: pathOf(mapped.script), name: place.name };
}
