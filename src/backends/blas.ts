/**
 * `torch.backends.blas`: the native BLAS that matrix products and convolutions of float32 and float64 use where one is found.
 * PyTorch is built with one; here it is optional. Its switches are those of `torch.backends.mkldnn`.
 */
import { context, type ContextGuard } from '../core/context.ts';
import { blasEnabled, lookForBlas, setBlasEnabled } from '../kernels/native/blas.ts';
import '../kernels/native/library.ts';

/** A library in use. */
export interface BlasInfo {
  readonly name: string;
  /** What the library says of itself; empty: nothing. */
  readonly version: string;
  /** A path, or a name that the system's loader finds. */
  readonly path: string;
}

/** Whether a library has been found; looks for one (and loads it) if nobody has yet, whether it is enabled or not. */
function is_available(): boolean {
  return !('missing' in lookForBlas());
}

/** The library; null: there is none. */
function library(): BlasInfo | null {
  const found = lookForBlas();
  return 'missing' in found ? null : { name: found.name, version: found.version, path: found.path };
}

/** Why there is no library, and how to get one; null: there is one. */
function missing(): { readonly missing: string; readonly fix: string } | null {
  const found = lookForBlas();
  return 'missing' in found ? found : null;
}

/** Turns it on or off; the setting before, as `torch.backends.mkldnn.set_flags` gives it. */
function set_flags(enabled: boolean): [boolean] {
  if (typeof enabled !== 'boolean') throw new TypeError(`set_flags(): expected a bool, but got ${typeof enabled}`);
  const before = blasEnabled();
  setBlasEnabled(enabled);
  return [before];
}

interface Flags {
  /** Whether products may use the library. Default: false, as in PyTorch. */
  enabled?: boolean;
}

/** Turns it on or off inside `fn`, or until the end of a `using`. */
function flags(options?: Flags): ContextGuard;
function flags<T>(options: Flags, fn: () => T): T;
function flags<T>({ enabled = false }: Flags = {}, fn?: () => T): T | ContextGuard {
  const enter = () => {
    const [before] = set_flags(enabled);
    return () => setBlasEnabled(before);
  };
  return fn === undefined
    ? context('torch.backends.blas.flags', enter)
    : context('torch.backends.blas.flags', enter, fn);
}

export const blas = {
  is_available,
  library,
  missing,
  set_flags,
  flags,
  /** Whether products may use it. Off with `MTIA_BLAS=0`. */
  get enabled(): boolean {
    return blasEnabled();
  },
  set enabled(value: boolean) {
    set_flags(value);
  },
};
