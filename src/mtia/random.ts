/**
 * Random state of mtia devices. Seeding, and setting a state, does not use a device: it waits for the first use, in the order
 * in which the program did it.
 */
import { uint8 } from '../core/dtype.ts';
import { internDevice } from '../core/device.ts';
import { checkIndex, cpuBackend, currentDevice, deviceCount } from '../devices/registry.ts';
import { ValueError } from '../core/errors.ts';
import { type Generator, generatorOf } from '../ops/generator.ts';
import { fromHost } from '../ops/host.ts';
import { needTensor } from '../tensor/arguments.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { typeName } from '../tensor/type-name.ts';
import { indexOf, type MtiaDevice } from './device.ts';
import { init } from './lazy.ts';

/** The default generator of a device. Asking for it is no use of the device. */
export function generator(device: MtiaDevice): Generator {
  const index = indexOf(device);
  checkIndex(index);
  return generatorOf(internDevice('mtia', index));
}

const all = (): number[] => Array.from({ length: deviceCount() }, (_, index) => index);

/** Python's `int(value)`, which seeds go through. */
export function toInt(value: unknown): number | bigint {
  switch (typeof value) {
    case 'bigint':
      return value;
    case 'boolean':
      return value ? 1 : 0;
    case 'number':
      if (Number.isFinite(value)) return Math.trunc(value);
      throw new ValueError(`cannot convert float ${Number.isNaN(value) ? 'NaN' : 'infinity'} to integer`);
    case 'string':
      if (/^\s*[-+]?\d+\s*$/.test(value)) return BigInt(value.trim().replace('+', ''));
      throw new ValueError(`invalid literal for int() with base 10: '${value}'`);
  }
  throw new TypeError(
    `int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`,
  );
}

/** `torch.mtia.manual_seed(seed)`: of the current device. Ignored where there is none. */
export function manual_seed(seed: number | bigint): void {
  const value = toInt(seed);
  if (deviceCount() > 0) generator(currentDevice()).manual_seed(value);
}

/** `torch.mtia.manual_seed_all(seed)`: of every device. */
export function manual_seed_all(seed: number | bigint): void {
  const value = toInt(seed);
  for (const index of all()) generator(index).manual_seed(value);
}

/** `torch.mtia.seed()`: a random seed for the current device; returns it. null where there is no device. */
export function seed(): bigint | null {
  return deviceCount() > 0 ? generator(currentDevice()).seed() : null;
}

/** `torch.mtia.seed_all()`: one random seed for every device; returns it. null where there is no device. */
export function seed_all(): bigint | null {
  if (deviceCount() === 0) return null;
  const value = generator(0).seed();
  manual_seed_all(value);
  return value;
}

/** `torch.mtia.initial_seed()`: the current device's seed. */
export function initial_seed(): bigint {
  init();
  return generator(currentDevice()).initial_seed();
}

/** `torch.mtia.get_rng_state(device)`: a uint8 tensor on the cpu. */
export function get_rng_state(device: MtiaDevice = 'mtia'): Tensor {
  const bytes = generator(device).saveState();
  return fromHost(cpuBackend(), [bytes.length], uint8, bytes);
}

/** `torch.mtia.get_rng_state_all()`: one state a device. */
export function get_rng_state_all(): Tensor[] {
  return all().map(get_rng_state);
}

/**
 * `torch.mtia.set_rng_state(state, device)`.
 * @throws RuntimeError if it is no state
 */
export function set_rng_state(new_state: Tensor, device: MtiaDevice = 'mtia'): void {
  needTensor(new_state, 'set_rng_state', 'new_state');
  if (new_state.dtype !== uint8) throw new TypeError('RNG state must be a torch.ByteTensor');
  generator(device).loadState(new_state.toTypedArray() as Uint8Array);
}

/** `torch.mtia.set_rng_state_all(states)`. */
export function set_rng_state_all(new_states: Iterable<Tensor>): void {
  let index = 0;
  for (const state of new_states) set_rng_state(state, index++);
}
