/**
 * Lazy initialisation. Nothing here uses a device before the program does; what has to wait for that can be queued. There is
 * no flag: mtia is initialised as soon as one of its devices has been made, and no longer after `configure`.
 */
import { internDevice } from '../core/device.ts';
import { createdBackends, deviceCount, mtiaBackend, setBeforeFirstUse } from '../devices/registry.ts';
import { type Generator, generatorOf } from '../ops/generator.ts';

/** A queued call failed when mtia was initialised; `cause` is its error. */
export class DeferredMtiaCallError extends Error {
  override name = 'DeferredMtiaCallError';
}

interface QueuedCall {
  readonly callable: () => unknown;
  /** Where it was queued. */
  readonly stack: string;
}

let queued: QueuedCall[] = [];
/** Seeding forgets what was seeded before: of each kind the latest call counts, in the order of these. */
let queuedSeeds = new Map<'seed' | 'seed_all', QueuedCall>();
let initializing = false;

/** `torch.mtia.is_initialized()`: whether a device has been used. */
export function is_initialized(): boolean {
  return createdBackends().length > 0 && !initializing;
}

/**
 * `torch.mtia.init()`: what the first use of a device does anyway.
 * @throws RuntimeError where there is no device; DeferredMtiaCallError if a queued call fails
 */
export function init(): void {
  _lazy_init();
}

/** `torch.mtia._lazy_init()`: as `init`. */
export function _lazy_init(): void {
  if (!initializing && createdBackends().length === 0) mtiaBackend();
}

/**
 * `torch.mtia._lazy_call(callable)`: calls it now if mtia is initialised, and gives what it returns; otherwise at
 * initialisation, in the order of the calls, and gives null now. With `seed` or `seed_all` it comes after those, and the
 * latest takes the place of earlier ones of its kind.
 */
export function _lazy_call<T>(
  callable: () => T,
  { seed = false, seed_all = false }: { seed?: boolean; seed_all?: boolean } = {},
): T | null {
  if (typeof callable !== 'function') throw new TypeError(`'${typeof callable}' object is not callable`);
  if (is_initialized()) return callable();
  const stack = (new Error().stack ?? '').split('\n').slice(2).join('\n');
  const call = { callable, stack };
  if (!seed && !seed_all) {
    queued.push(call);
    return null;
  }
  const kind = seed_all ? 'seed_all' : 'seed';
  queuedSeeds.delete(kind);
  queuedSeeds.set(kind, call);
  return null;
}

/** `torch.mtia._is_in_bad_fork()`: never, since JavaScript has no fork. */
export function _is_in_bad_fork(): boolean {
  return false;
}

/** `torch.mtia._is_compiled()`: whether there is a backend. `MTIA_DEVICE_COUNT=0` takes it away. */
export function _is_compiled(): boolean {
  return deviceCount() > 0;
}

/** `torch.mtia.default_generators`: one a device, from the first use on. */
export const default_generators: Generator[] = [];

/**
 * Queued calls use the devices, and may queue further ones. All are made, once; then the first that failed is reported, and
 * the device can be used nevertheless.
 */
function runQueued(): void {
  if (initializing) return;
  let failure: DeferredMtiaCallError | null = null;
  default_generators.length = 0;
  for (let index = 0; index < deviceCount(); index++) default_generators.push(generatorOf(internDevice('mtia', index)));
  initializing = true;
  try {
    while (queued.length > 0 || queuedSeeds.size > 0) {
      if (queued.length === 0) {
        queued = [...queuedSeeds.values()];
        queuedSeeds = new Map();
      }
      const { callable, stack } = queued.shift()!;
      try {
        callable();
      } catch (error) {
        failure ??= deferred(error, stack);
      }
    }
  } finally {
    initializing = false;
  }
  if (failure !== null) throw failure;
}

function deferred(error: unknown, stack: string): DeferredMtiaCallError {
  const { message = String(error) } = error as { message?: string };
  return new DeferredMtiaCallError(
    `MTIA call failed lazily at initialization with error: ${message}\n\nMTIA call was originally invoked at:\n\n${stack}`,
    { cause: error },
  );
}

setBeforeFirstUse(runQueued);
