/**
 * What this engine can do: relaxed SIMD (fused multiply-add), shared memory, threads. Detected once, never assumed.
 * `MTIA_DISABLE=threads,relaxed-simd` turns features off, for tests and for finding a fault.
 */

import { ValueError } from './errors.ts';

interface ProcessLike {
  readonly env?: Record<string, string | undefined>;
  getBuiltinModule?(id: string): unknown;
}
const host = (globalThis as { process?: ProcessLike }).process;

const NAMES = ['threads', 'relaxed-simd'];

function disabled(): ReadonlySet<string> {
  const list = host?.env?.['MTIA_DISABLE'] ?? '';
  const names = list.split(',').map((name) => name.trim());
  return new Set(names.filter((name) => name !== ''));
}

/** A module with one function: f32x4.relaxed_madd of three zero vectors, dropped. */
// biome-ignore format: bytes of a module, one section a line
const RELAXED_MODULE = new Uint8Array([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
  1, 4, 1, 0x60, 0, 0,
  3, 2, 1, 0,
  10, 20, 1, 18, 0,
  0x41, 0, 0xfd, 0x11, 0x41, 0, 0xfd, 0x11, 0x41, 0, 0xfd, 0x11, 0xfd, 0x85, 0x02, 0x1a, 0x0b,
]);

function detectRelaxedSimd(): boolean {
  if (typeof WebAssembly !== 'object') return false;
  if (WebAssembly.validate(RELAXED_MODULE)) return true;
  // Node 20 has it behind a flag, which works as long as no module that uses it has been compiled, and reaches workers
  // started later. Newer engines have answered above already.
  const v8 = host?.getBuiltinModule?.('node:v8') as { setFlagsFromString(flag: string): void } | undefined;
  if (!v8) return false;
  v8.setFlagsFromString('--experimental-wasm-relaxed-simd');
  return WebAssembly.validate(RELAXED_MODULE);
}

function detectSharedMemory(): boolean {
  if (typeof SharedArrayBuffer === 'undefined') return false;
  try {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
    return memory.buffer instanceof SharedArrayBuffer;
  } catch {
    return false; // the engine has no shared memories
  }
}

class Features {
  private readonly off = disabled();
  private relaxed: boolean | undefined;
  private shared: boolean | undefined;

  /** Relaxed SIMD: `relaxed_madd` and its kin. */
  get relaxedSimd(): boolean {
    return (this.relaxed ??= !this.off.has('relaxed-simd') && detectRelaxedSimd());
  }

  /** Whether device memories are shared; every kernel's memory import says the same. False when threads are off. */
  get sharedMemory(): boolean {
    return (this.shared ??= !this.off.has('threads') && detectSharedMemory());
  }

  /** Whether worker threads over shared memory can be used. */
  get threads(): boolean {
    if (!this.sharedMemory) return false;
    return typeof Worker !== 'undefined' || host?.getBuiltinModule?.('node:worker_threads') !== undefined;
  }

  /** @throws ValueError if MTIA_DISABLE names something that is no feature */
  checkDisabled(): void {
    for (const name of this.off) {
      if (!NAMES.includes(name)) {
        throw new ValueError(`MTIA_DISABLE: expected one or more of ${NAMES.join(',')}, got '${name}'`);
      }
    }
  }

  /** Whether a feature was turned off by MTIA_DISABLE. */
  isDisabled(name: 'threads' | 'relaxed-simd'): boolean {
    return this.off.has(name);
  }
}

export const features = new Features();
