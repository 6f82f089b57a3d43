/**
 * `torch.accelerator.random`: random state of the current accelerator's devices. Seeding, and setting a state, is no use of a
 * device.
 */
import type { Tensor } from '../tensor/tensor.ts';
import * as mtia from '../mtia/random.ts';
import { type AcceleratorDevice, indexOf, needAccelerator } from './device.ts';

function checked(device: AcceleratorDevice): number {
  const index = indexOf(device);
  needAccelerator();
  return index;
}

/** `torch.accelerator.random.initial_seed(device)`: a device's seed. */
export function initial_seed(device?: AcceleratorDevice): bigint {
  return mtia.generator(checked(device)).initial_seed();
}

/** `torch.accelerator.random.get_rng_state(device)`: a uint8 tensor on the cpu. */
export function get_rng_state(device?: AcceleratorDevice): Tensor {
  return mtia.get_rng_state(checked(device));
}

/** `torch.accelerator.random.get_rng_state_all()`: one state a device. */
export function get_rng_state_all(): Tensor[] {
  needAccelerator();
  return mtia.get_rng_state_all();
}

/** `torch.accelerator.random.set_rng_state(state, device)`. @throws RuntimeError if it is no state */
export function set_rng_state(new_state: Tensor, device?: AcceleratorDevice): void {
  mtia.set_rng_state(new_state, checked(device));
}

/** `torch.accelerator.random.set_rng_state_all(states)`: one state a device. */
export function set_rng_state_all(new_states: Iterable<Tensor>): void {
  needAccelerator();
  mtia.set_rng_state_all(new_states);
}

/** `torch.accelerator.random.manual_seed(seed, device)`: of one device, by default the current one. */
export function manual_seed(seed: number | bigint, device?: AcceleratorDevice): void {
  mtia.generator(checked(device)).manual_seed(mtia.toInt(seed));
}

/** `torch.accelerator.random.manual_seed_all(seed)`: of every device. */
export function manual_seed_all(seed: number | bigint): void {
  needAccelerator();
  mtia.manual_seed_all(seed);
}

/** `torch.accelerator.random.seed(device)`: a random seed for one device; returns it. */
export function seed(device?: AcceleratorDevice): bigint {
  return mtia.generator(checked(device)).seed();
}

/** `torch.accelerator.random.seed_all()`: one random seed for every device; returns it. */
export function seed_all(): bigint {
  needAccelerator();
  return mtia.seed_all()!;
}
