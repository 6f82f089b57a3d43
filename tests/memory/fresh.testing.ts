/** What the tests of this folder share: `torch` as in a new process, and programs in functions of their own. */
import { vi } from 'vitest';

export type Torch = typeof import('../../src/index.ts').default;
/** A tensor of one of these. */
export type Tensor = ReturnType<Torch['empty']>;

export const KIB = 1024;
export const MIB = 1024 ** 2;
export const GIB = 1024 ** 3;

/** `torch` as in a new process with these variables; `vi.unstubAllEnvs()` afterwards. */
export async function fresh(env: Record<string, string> = {}): Promise<Torch> {
  for (const name of ['MTIA_DEVICE_COUNT', 'MTIA_CHIP', 'MTIA_MEMORY', 'PYTORCH_ALLOC_CONF']) {
    vi.stubEnv(name, undefined);
  }
  for (const [name, value] of Object.entries({ MTIA_EXECUTOR: 'inline', ...env })) vi.stubEnv(name, value);
  vi.resetModules();
  return (await import('../../src/index.ts')).default;
}

/** In a function of its own, so that nothing of it is left when it has returned. */
export function stage<T>(run: () => T): T {
  return run();
}

/** The error that a program throws. */
export function errorOf(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error('Nothing was thrown.');
}
