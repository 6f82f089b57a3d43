/**
 * Looks for a BLAS library on this machine, loads it through koffi (which whoever wants it installs beside this package),
 * and tries it. Node.js only; elsewhere, and where something is missing, it says what.
 */
import type { KernelFunction } from '../../devices/kernels.ts';
import { chooseCore, type Find, featuresIn, isWide } from './core.ts';
import { gemmProgram } from './gemm-program.ts';
import { GEMM } from './gemm-words.ts';
import { type GemmData, openBlas } from './open.ts';

/** A library that works. */
export interface BlasLibrary {
  readonly name: 'OpenBLAS' | 'MKL' | 'BLIS' | 'Accelerate' | 'BLAS';
  /** What the library says of itself; empty: nothing. */
  readonly version: string;
  /** As it was loaded: a path, or a name that the system's loader finds. */
  readonly path: string;
  /** Whether it is known to work in vectors of 512 bits. */
  readonly wide: boolean;
  readonly f32: GemmData;
  readonly f64: GemmData;
}

/** What keeps a library from being used, and what to do. */
export interface Missing {
  readonly missing: string;
  readonly fix: string;
}

interface Library {
  func(name: string, result: string, parameters: string[]): (...args: (number | string)[]) => unknown;
}
interface Koffi {
  load(path: string): Library;
}
interface Require {
  (id: string): unknown;
  resolve(id: string): string;
}
interface ProcessLike {
  readonly platform?: string;
  readonly arch?: string;
  readonly argv?: readonly string[];
  cwd?(): string;
  getBuiltinModule?(id: string): unknown;
}
const host = (globalThis as { process?: ProcessLike }).process;

/** Names under which libraries are installed, the fastest first. The reference BLAS is slower than our own kernels. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  linux: [
    ...['libopenblas.so.0', 'libopenblasp.so.0', 'libopenblas.so'],
    ...['libmkl_rt.so.3', 'libmkl_rt.so.2', 'libmkl_rt.so.1', 'libmkl_rt.so'],
    ...['libblis-mt.so.4', 'libblis-mt.so', 'libblis.so.4', 'libblis.so.3', 'libblis.so'],
  ],
  darwin: [
    '/System/Library/Frameworks/Accelerate.framework/Accelerate',
    '/opt/homebrew/opt/openblas/lib/libopenblas.dylib',
    '/usr/local/opt/openblas/lib/libopenblas.dylib',
    ...['libopenblas.dylib', 'libblis.dylib'],
  ],
  win32: ['libopenblas.dll', 'openblas.dll', 'mkl_rt.3.dll', 'mkl_rt.2.dll', 'mkl_rt.dll', 'libblis.dll'],
  freebsd: ['libopenblas.so.0', 'libopenblas.so', 'libblis.so'],
};

const INSTALL: Readonly<Record<string, string>> = {
  linux: 'apt install libopenblas0-pthread, dnf install openblas, or pacman -S openblas',
  darwin: 'brew install openblas',
  win32: 'put libopenblas.dll of OpenBLAS (https://www.openblas.net) on the PATH',
  freebsd: 'pkg install openblas',
};

const installKoffi = 'npm install koffi';
const installLibrary = (): string =>
  `${INSTALL[host?.platform ?? ''] ?? 'install OpenBLAS'}; MTIA_BLAS=path names a library elsewhere`;

/** koffi's main file: beside this package, else as the program would find it. */
function koffiPath(): string | null {
  const module = host?.getBuiltinModule?.('node:module') as { createRequire(path: string): Require } | undefined;
  if (module === undefined) return null;
  const program = host?.argv?.[1];
  const from = [import.meta.url, ...(program ? [program] : []), `${host?.cwd?.() ?? ''}/package.json`];
  for (const place of from) {
    try {
      return module.createRequire(place).resolve('koffi');
    } catch {
      // Not from there.
    }
  }
  return null;
}

/** Finds a library: the one at `path`, or any. */
export function findBlas(path: string | null): BlasLibrary | Missing {
  if (host?.getBuiltinModule === undefined || host.platform === undefined) {
    return { missing: 'native libraries need Node.js', fix: '' };
  }
  const koffi = koffiPath();
  if (koffi === null) return { missing: 'the package koffi is not installed', fix: installKoffi };
  let load: (path: string) => Library;
  try {
    const module = host.getBuiltinModule('node:module') as { createRequire(path: string): Require };
    const loaded = module.createRequire(koffi)(koffi) as Koffi;
    load = (name) => loaded.load(name);
  } catch (error) {
    return { missing: `koffi does not load: ${textOf(error)}`, fix: installKoffi };
  }
  const names = path !== null ? [path] : (NAMES[host.platform] ?? []);
  const refused: string[] = [];
  for (const name of names) {
    let library: Library;
    try {
      library = load(name);
    } catch (error) {
      if (path !== null) refused.push(`${name}: ${textOf(error)}`);
      continue;
    }
    try {
      return examine(library, name, koffi);
    } catch (error) {
      refused.push(`${name}: ${textOf(error)}`);
    }
  }
  const missing = refused.length > 0 ? refused.join('; ') : 'no BLAS library is installed';
  return { missing, fix: installLibrary() };
}

const textOf = (error: unknown): string => String((error as Error)?.message ?? error).split('\n')[0];

/** The first function that the library has. */
function first(library: Library, names: readonly string[], result: string, parameters: string[]) {
  for (const name of names) {
    try {
      return { name, call: library.func(name, result, parameters) };
    } catch {
      // It has none of that name.
    }
  }
  return null;
}

const THREADS = {
  OpenBLAS: ['openblas_set_num_threads', 'openblas_set_num_threads64_'],
  MKL: ['MKL_Set_Num_Threads_Local'],
  BLIS: ['bli_thread_set_num_threads'],
} as const;

/** What Linux says that the processor can do; nothing elsewhere, and where it is not told. */
function processorFeatures(): Set<string> {
  const fs = host?.getBuiltinModule?.('node:fs') as
    | { readFileSync(path: string, encoding: string): string }
    | undefined;
  try {
    return featuresIn(fs?.readFileSync('/proc/cpuinfo', 'latin1') ?? '');
  } catch {
    return new Set();
  }
}

/** What the library is, and how to call it. Throws if it cannot be used. */
function examine(library: Library, path: string, koffi: string): BlasLibrary {
  let name: BlasLibrary['name'] = path.includes('Accelerate') ? 'Accelerate' : 'BLAS';
  let setThreads: string | null = null;
  for (const known of ['OpenBLAS', 'MKL', 'BLIS'] as const) {
    const found = first(library, THREADS[known], 'void', ['int64']);
    if (found === null) continue;
    name = known;
    setThreads = found.name;
    break;
  }
  let version = '';
  let long = false;
  let wide = false;
  if (name === 'OpenBLAS') {
    const parallel = first(library, ['openblas_get_parallel', 'openblas_get_parallel64_'], 'int', []);
    // Built without threads it has no locks either, and several threads call it here.
    if (parallel?.call() === 0) throw new Error('it is built without threads, and so not safe to call from several');
    const find: Find = (symbol, returns, parameters) => first(library, [symbol], returns, parameters)?.call ?? null;
    wide = isWide(chooseCore(find, processorFeatures));
    // It names the core in use: not before that is chosen.
    const config = first(library, ['openblas_get_config', 'openblas_get_config64_'], 'str', []);
    version = String(config?.call() ?? '')
      .replace(/^OpenBLAS /, '')
      .trim();
    long = version.includes('USE64BITINT');
  } else if (name === 'BLIS') {
    version = String(first(library, ['bli_info_get_version_str'], 'str', [])?.call() ?? '');
    long = first(library, ['bli_info_get_blas_int_type_size'], 'int64', [])?.call() === 64;
  }
  const int = long ? 'int64' : 'int';
  const describe = (letter: string): GemmData => {
    const parameters = Array<string>(14).fill('int');
    const found = first(library, [`cblas_${letter}gemm`, `cblas_${letter}gemm64_`], 'void', parameters);
    if (found === null) throw new Error(`it has no cblas_${letter}gemm`);
    return { koffi, library: path, symbol: found.name, double: letter === 'd', int, setThreads };
  };
  const result: BlasLibrary = { name, version, path, wide, f32: describe('s'), f64: describe('d') };
  attempt(result.f32);
  attempt(result.f64);
  return result;
}

/** A small product of whole numbers in every layout: what is wrong with the calls shows here. */
function attempt(data: GemmData): void {
  const memory = new WebAssembly.Memory({ initial: 17, maximum: 17 });
  const run: KernelFunction = gemmProgram(memory, { ...data, words: GEMM }, openBlas);
  const [M, N, K] = [3, 4, 5];
  const elements = data.double ? new Float64Array(memory.buffer) : new Float32Array(memory.buffer);
  const { BYTES_PER_ELEMENT: bytes } = elements;
  const words = new Int32Array(memory.buffer);
  const factors = new Float64Array(memory.buffer);
  const at = 1024;
  const place = { a: 65536, b: 131072, out: 196608 };
  for (const turned of [0, 1, 2, 3]) {
    const [aTurned, bTurned] = [turned & 1, turned >> 1];
    for (let i = 0; i < M * K; i++) elements[place.a / bytes + i] = i - 7;
    for (let i = 0; i < K * N; i++) elements[place.b / bytes + i] = (i % 7) - 3;
    elements.fill(1, place.out / bytes, place.out / bytes + M * N);
    const launch: Partial<Record<keyof typeof GEMM, number>> = {
      ...{ begin: 0, end: 1, out: place.out, outLead: N, c: 0, M, N, K, mStep: M, nStep: N, mBlocks: 1, nBlocks: 1 },
      ...{ a: place.a, aLead: aTurned ? M : K, aTurned, b: place.b, bLead: bTurned ? K : N, bTurned, batchRank: 0 },
    };
    for (const [key, value] of Object.entries(launch)) words[at + GEMM[key as keyof typeof GEMM]] = value;
    factors[(at + GEMM.alpha) / 2] = 2;
    factors[(at + GEMM.beta) / 2] = 3;
    run(at * 4);
    for (let m = 0; m < M; m++) {
      for (let n = 0; n < N; n++) {
        let sum = 0;
        for (let k = 0; k < K; k++) {
          const x = (aTurned ? k * M + m : m * K + k) - 7;
          sum += x * (((bTurned ? n * K + k : k * N + n) % 7) - 3);
        }
        const found = elements[place.out / bytes + m * N + n];
        if (found !== 2 * sum + 3) throw new Error(`${data.symbol} gives ${found} in place of ${2 * sum + 3}`);
      }
    }
  }
}
