/**
 * Module hooks of `mtia run`: `torch-mtia` is this package, whatever the program's folder has; TypeScript and modern
 * JavaScript are turned into what this Node.js parses (`using` needs Node.js 24), with a source map so that
 * stack traces name the lines that were written. Nothing else changes: node_modules and this package run as they are.
 *
 * Both of Node.js's forms of hooks call these functions (run.ts chooses), so they never wait for a promise.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import type { LoadHookContext, ResolveHookContext } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Loader, type TransformFailure, transformSync } from 'esbuild';

const PACKAGE = 'torch-mtia';
const here = import.meta.url;
/** This package's built modules, which need no work. */
const dist = new URL('../', here).href;

type Next<Context, Result> = (specifier: string, context?: Partial<Context>) => Result;

export function resolve<Result>(
  specifier: string,
  context: ResolveHookContext,
  next: Next<ResolveHookContext, Result>,
): Result {
  // Asked for by a module of the package itself, its name goes through the `exports` of its package.json.
  if (specifier === PACKAGE || specifier.startsWith(`${PACKAGE}/`))
    return next(specifier, { ...context, parentURL: here });
  const parent = context.parentURL;
  if (parent?.startsWith('file:') && isProgram(parent) && /^(?:\.\.?(?:\/|$)|\/|file:)/.test(specifier)) {
    const found = findSource(new URL(specifier, parent));
    // These hooks are asked about `require`, too (Node.js 22.15), which knows no URLs.
    if (found !== null) return next(context.conditions?.includes('require') ? fileURLToPath(found) : found, context);
  }
  return next(specifier, context);
}

/** Neither this package nor an installed one. */
const isProgram = (url: string): boolean => !url.startsWith(dist) && !url.includes('/node_modules/');

/** TypeScript's habits: `./x`, `./x.js` and `./folder` may mean `./x.ts` and `./folder/index.ts`. */
function findSource(url: URL): string | null {
  const path = fileURLToPath(url);
  const isFile = (candidate: string) => existsSync(candidate) && statSync(candidate).isFile();
  if (isFile(path)) return null;
  const typed = /\.([cm]?)js(x?)$/.test(path) ? path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2') : path;
  for (const candidate of [
    typed,
    `${path}.ts`,
    `${path}.tsx`,
    `${path}.js`,
    `${path}.mjs`,
    join(path, 'index.ts'),
    join(path, 'index.js'),
  ]) {
    if (isFile(candidate)) return pathToFileURL(candidate).href;
  }
  return null;
}

const LOADERS: Record<string, Loader> = {
  ts: 'ts',
  mts: 'ts',
  cts: 'ts',
  tsx: 'tsx',
  js: 'js',
  mjs: 'js',
  cjs: 'js',
  jsx: 'jsx',
};

interface Loaded {
  format: string;
  source?: string | ArrayBuffer | NodeJS.TypedArray;
  shortCircuit?: boolean;
}

export function load<Result>(
  url: string,
  context: LoadHookContext,
  next: Next<LoadHookContext, Result>,
): Result | Loaded {
  if (!url.startsWith('file:') || !isProgram(url)) return next(url, context);
  const path = fileURLToPath(url);
  const extension = /\.([cm]?[jt]sx?)$/.exec(path)?.[1];
  if (extension === undefined) return next(url, context);
  const source = readFileSync(path, 'utf8');
  if (isCommonJs(path, extension, source)) return next(url, context);
  return { format: 'module', source: transpile(source, path, LOADERS[extension]), shortCircuit: true };
}

/** @throws SyntaxError that shows the place, as Node.js does for JavaScript */
function transpile(source: string, path: string, loader: Loader): string {
  try {
    return transformSync(source, {
      loader,
      format: 'esm',
      target: `node${process.versions.node}`,
      sourcefile: path,
      sourcemap: 'inline',
      sourcesContent: false,
      logLevel: 'silent',
      tsconfigRaw: { compilerOptions: { useDefineForClassFields: true } },
    }).code;
  } catch (error) {
    const [first] = (error as TransformFailure).errors ?? [];
    if (!first?.location) throw error;
    const { line, column, lineText, length } = first.location;
    const failure = new SyntaxError(first.text);
    // The places in esbuild and in this file say nothing about the program.
    const place = `${path}:${line}:${column + 1}`;
    const mark = ' '.repeat(column) + '^'.repeat(Math.max(length, 1));
    failure.stack = `${place}\n${lineText}\n${mark}\n\nSyntaxError: ${first.text}\n    at ${place}`;
    throw failure;
  }
}

/** Programs here are modules: torch-mtia is one. Only what can be nothing else is left to Node.js as CommonJS. */
function isCommonJs(path: string, extension: string, source: string): boolean {
  if (extension.startsWith('m') || extension.startsWith('ts')) return false;
  if (extension.startsWith('c')) return true;
  if (/^\s*(?:import|export)\b/m.test(source) || packageType(dirname(path)) === 'module') return false;
  return /\brequire\(|\bmodule\.exports\b|\bexports\./.test(source);
}

function packageType(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const manifest = join(at, 'package.json');
    if (existsSync(manifest)) return JSON.parse(readFileSync(manifest, 'utf8')).type;
    if (dirname(at) === at) return undefined;
  }
}
