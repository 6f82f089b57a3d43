/**
 * From the code that runs back to the source as it was written. Node.js has the source maps of what it loaded while they
 * were on; of other files in its reach the map is looked for as debuggers do, by the comment at their end.
 */
import type { Place } from './call-sites.ts';

interface SourceMapEntry {
  originalSource?: string;
  originalLine?: number;
}
interface SourceMap {
  findEntry(line: number, column: number): SourceMapEntry;
}
interface NodeModule {
  findSourceMap?(path: string): SourceMap | undefined;
  SourceMap?: new (payload: object) => SourceMap;
}
interface FileModule {
  readFileSync(path: string | URL, encoding: 'utf8'): string;
}
type GetBuiltin = (name: string) => unknown;

function builtin<T>(name: string): T | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: GetBuiltin } };
  return process?.getBuiltinModule?.(name) as T | undefined;
}

/** Maps that were looked for, and where their sources are relative to; null: there is none. */
const maps = new Map<string, { map: SourceMap; base: string } | null>();

/** The place in the source as it was written, as a path rather than a URL. */
export function original(place: Place): Place {
  const { script, line, column } = place;
  const known = builtin<NodeModule>('node:module')?.findSourceMap?.(script);
  const found = known === undefined ? mapOf(script) : { map: known, base: script };
  const entry = found?.map.findEntry(line - 1, column - 1);
  if (entry?.originalSource === undefined || entry.originalLine === undefined) {
    return { ...place, script: pathOf(script) };
  }
  return { ...place, script: pathOf(absolute(entry.originalSource, found!.base)), line: entry.originalLine + 1 };
}

function mapOf(script: string): { map: SourceMap; base: string } | null {
  let found = maps.get(script);
  if (found === undefined) {
    try {
      found = readMap(script);
    } catch {
      // No file, or no map that can be read: what runs is what is shown.
      found = null;
    }
    maps.set(script, found);
  }
  return found;
}

function readMap(script: string): { map: SourceMap; base: string } | null {
  const files = builtin<FileModule>('node:fs');
  const SourceMap = builtin<NodeModule>('node:module')?.SourceMap;
  if (files === undefined || SourceMap === undefined || /^(?!file:)[\w-]{2,}:/.test(script)) return null;
  const url = script.startsWith('file:') ? new URL(script) : urlOf(script);
  const comment = [...files.readFileSync(url, 'utf8').matchAll(/^\/\/[#@] sourceMappingURL=(\S+)\s*$/gm)].at(-1);
  if (comment === undefined) return null;
  const inline = /^data:[^,]*?(;base64)?,(.*)$/.exec(comment[1]);
  if (inline === null) {
    const at = new URL(comment[1], url);
    return { map: new SourceMap(JSON.parse(files.readFileSync(at, 'utf8')) as object), base: at.href };
  }
  const text = inline[1] === undefined ? decodeURIComponent(inline[2]) : fromBase64(inline[2]);
  return { map: new SourceMap(JSON.parse(text) as object), base: url.href };
}

function fromBase64(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
}

function urlOf(path: string): URL {
  const url = new URL('file:///');
  url.pathname = /^[A-Za-z]:[\\/]/.test(path) ? `/${path.replaceAll('\\', '/')}` : path;
  return url;
}

/** A map's source, relative to the map. */
function absolute(source: string, base: string): string {
  if (/^(?:\/|[A-Za-z]:[\\/]|[\w-]{2,}:)/.test(source)) return source;
  return new URL(source, base.startsWith('/') ? urlOf(base) : base).href;
}

export function pathOf(script: string): string {
  if (!script.startsWith('file:')) return script;
  const path = decodeURIComponent(new URL(script).pathname);
  return /^\/[A-Za-z]:\//.test(path) ? path.slice(1) : path;
}
