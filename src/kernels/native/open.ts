/**
 * Opens a BLAS library on the calling thread: a part of the programs of native kernels (`registerProgram`), so its text uses
 * nothing from outside it.
 *
 * The library works on the calling thread alone; the device's threads share a product among them, so that one number of
 * threads holds for everything and no second pool competes with the device's.
 */

/** Where a library is and how one of its products is called. */
export interface GemmData {
  /** Paths: of koffi's main file and of the library. */
  readonly koffi: string;
  readonly library: string;
  /** The function, such as `cblas_sgemm`. */
  readonly symbol: string;
  readonly double: boolean;
  /** The library's integers: `int` or `int64`. */
  readonly int: string;
  /** The function that takes a number of threads, which may hold for the calling thread alone; null: there is none. */
  readonly setThreads: string | null;
}

export interface OpenBlas {
  /** `cblas_?gemm`: order, whether a and b are turned, M, N, K, alpha, a, lda, b, ldb, beta, c, ldc. Addresses are numbers. */
  readonly multiply: (...args: number[]) => unknown;
  /** Where a memory lies in the process. */
  base(buffer: ArrayBufferLike): number;
}

export type OpenBlasFunction = (data: GemmData) => OpenBlas;

/** What the text uses of koffi and of Node.js. */
interface Koffi {
  load(path: string): { func(name: string, result: string, parameters: string[]): (...args: number[]) => unknown };
  address(value: Uint8Array): bigint;
}
interface Modules {
  createRequire(path: string): (path: string) => unknown;
}

export function openBlas(data: GemmData): OpenBlas {
  const host = (globalThis as unknown as { process: { getBuiltinModule(id: string): Modules } }).process;
  const koffi = host.getBuiltinModule('node:module').createRequire(data.koffi)(data.koffi) as Koffi;
  const library = koffi.load(data.library);
  const { int } = data;
  if (data.setThreads !== null) library.func(data.setThreads, 'void', ['int64'])(1);
  const real = data.double ? 'double' : 'float';
  // Addresses travel as whole numbers: neither a typed array nor a BigInt has to be made for a call.
  const at = 'uintptr_t';
  const types = [int, int, int, int, int, int, real, at, int, at, int, real, at, int];
  return {
    multiply: library.func(data.symbol, 'void', types),
    base: (buffer) => Number(koffi.address(new Uint8Array(buffer))),
  };
}
