/**
 * The native BLAS as a provider of matrix products: whether it is used, which library it is, and the numbers of its kernels.
 * `gemm.ts` makes launches of them; everything else asks here and knows nothing of libraries.
 *
 * `MTIA_BLAS`: unset, a library is used if one is found; `0` turns it off; `1` or a library's path (or name) insists, so
 * that it is an error if it cannot be used. A library is looked for at the first product that is large enough for it.
 */
import { RuntimeError } from '../../core/errors.ts';
import type { Backend } from '../../devices/backend.ts';
import type { BlasLibrary, Missing } from './find.ts';

/** Kernels that multiply matrices natively. */
export interface NativeGemm {
  readonly f32: number;
  readonly f64: number;
  readonly library: BlasLibrary;
  /** Does the product that `matmul-plan.ts` describes, unless it cannot: then nothing has been done. */
  multiply(gemm: NativeGemm, backend: Backend, bytes: number, alpha: number, beta: number): boolean;
}

/** Tests move these. */
export const blasTuning = {
  /**
   * Products of fewer multiplications than this (each matrix of a batch) are done by our own kernels. Calling a library pays
   * from 20³ to 24³ on; a program that does no larger products is spared loading one. By shape alone, so that the same
   * product gives the same bits every time.
   */
  least: 32 * 1024,
  /**
   * So few rows do not pay for packing the other matrix, which libraries do for products of more multiplications than
   * `packed`; our own kernels read it where it lies.
   */
  fewRows: 8,
  packed: 1_000_000,
  /** Multiplications worth handing to a thread. */
  grain: 768 * 1024,
};

/** Finds libraries and makes kernels of them: `library.ts`, which the package's small entry point does without. */
export interface BlasProvider {
  find(path: string | null): BlasLibrary | Missing;
  register(library: BlasLibrary): NativeGemm;
}

let provider: BlasProvider | null = null;

export function provideBlas(given: BlasProvider): void {
  provider = given;
  active = enabled ? undefined : null;
}

type Environment = Record<string, string | undefined>;

interface Setting {
  readonly enabled: boolean;
  /** It is an error if there is none. */
  readonly wanted: boolean;
  readonly path: string | null;
}

function fromEnvironment(): Setting {
  const env = (globalThis as { process?: { env?: Environment } }).process?.env ?? {};
  const value = (env['MTIA_BLAS'] ?? '').trim();
  if (value === '') return { enabled: true, wanted: false, path: null };
  if (/^(0|off|false|no)$/i.test(value)) return { enabled: false, wanted: false, path: null };
  if (/^(1|on|true|yes)$/i.test(value)) return { enabled: true, wanted: true, path: null };
  return { enabled: true, wanted: true, path: value };
}

const setting = fromEnvironment();
let enabled = setting.enabled;
let found: BlasLibrary | Missing | undefined;
let kernels: NativeGemm | null = null;
/** What products use; undefined: it has to be looked for. */
let active: NativeGemm | null | undefined = enabled ? undefined : null;

/** The kernels for a product of so many multiplications (in each matrix of a batch); null: our own are better. */
export function nativeGemm(work: number): NativeGemm | null {
  if (work < blasTuning.least) return null;
  return active !== undefined ? active : begin();
}

function begin(): NativeGemm | null {
  const library = lookForBlas();
  if ('missing' in library) {
    if (setting.wanted)
      throw new RuntimeError(
        `MTIA_BLAS asks for a BLAS library, and there is none: ${library.missing}. ${library.fix}`,
      );
    return (active = null);
  }
  return (active = kernels ??= provider!.register(library));
}

/** The library, or what is missing. Looks once; loads it. */
export function lookForBlas(): BlasLibrary | Missing {
  if (provider === null) return { missing: 'torch-mtia/core has none', fix: "import 'torch-mtia'" };
  return (found ??= provider.find(setting.path));
}

/** Whether it has been looked for, which `describeBlas` and the first large product do. */
export function blasIsLoaded(): boolean {
  return found !== undefined && !('missing' in found);
}

/** Whether products may use it: `torch.backends.blas.enabled`. */
export function blasEnabled(): boolean {
  return enabled;
}

export function setBlasEnabled(value: boolean): void {
  enabled = value;
  active = value ? undefined : null;
}
