/** `torch.Generator` and the default generator of every device. */
import { type DeviceLike, parseDevice } from '../core/device.ts';
import { RuntimeError } from '../core/errors.ts';
import type { Backend } from '../devices/backend.ts';
import { backendFor } from '../devices/registry.ts';
import { DEFAULT_SEED, GeneratorState } from '../kernels/random.ts';

/**
 * A stream of random numbers, PyTorch's CPU numbers on every device. Its state lies in the device's memory and is made
 * at first use.
 */
export class Generator {
  readonly #backend: () => Backend;
  #state: GeneratorState | null = null;
  #stateBackend: Backend | null = null;
  #seed: bigint = DEFAULT_SEED;

  constructor(device: DeviceLike | (() => Backend) = 'cpu') {
    if (typeof device === 'function') this.#backend = device;
    else {
      const parsed = parseDevice(device);
      this.#backend = () => backendFor(parsed);
    }
  }

  get device() {
    return this.#backend().device;
  }

  /** For launches. A reconfigured device starts again from the last seed. */
  get state(): GeneratorState {
    const backend = this.#backend();
    if (this.#state === null || this.#stateBackend !== backend) {
      this.#state = new GeneratorState(backend, this.#seed);
      this.#stateBackend = backend;
    }
    return this.#state;
  }

  /** Starts the sequence of this seed. */
  manual_seed(seed: number | bigint): this {
    this.#seed = seedOf(seed);
    if (this.#state !== null && this.#stateBackend === this.#backend()) this.#state.seed(this.#seed);
    return this;
  }

  initial_seed(): bigint {
    return this.#state?.initialSeed ?? BigInt.asUintN(64, this.#seed);
  }

  /** Starts the sequence of a random seed; returns the seed. */
  seed(): bigint {
    const words = crypto.getRandomValues(new Uint32Array(2));
    const seed = (BigInt(words[0] & 0x1fffff) << 32n) | BigInt(words[1]);
    this.manual_seed(seed);
    return seed;
  }

  /** PyTorch's 5056 bytes. */
  saveState(): Uint8Array {
    return this.state.getState();
  }

  loadState(bytes: Uint8Array): void {
    this.state.setState(bytes);
  }
}

/** @throws RuntimeError for what is no 64-bit whole number */
export function seedOf(seed: number | bigint): bigint {
  if (typeof seed === 'number' && !Number.isInteger(seed)) {
    throw new RuntimeError(`manual_seed expected a whole number, got ${seed}`);
  }
  const value = BigInt(seed);
  if (value < -(2n ** 63n) || value >= 2n ** 64n) {
    throw new RuntimeError('Overflow when unpacking long');
  }
  return value;
}

let defaultSeed: bigint = DEFAULT_SEED;
const defaults = new Map<string, Generator>();

/** The generator that random ops on this device use by default. */
export function defaultGenerator(backend: Backend): Generator {
  const key = backend.device.toString();
  let generator = defaults.get(key);
  if (generator === undefined) {
    const { device } = backend;
    generator = new Generator(() => backendFor(device)).manual_seed(defaultSeed);
    defaults.set(key, generator);
  }
  return generator;
}

/** `torch.manual_seed`: seeds the default generators of all devices, those to come included. */
export function manual_seed(seed: number | bigint): Generator {
  defaultSeed = seedOf(seed);
  for (const generator of defaults.values()) generator.manual_seed(defaultSeed);
  return defaultGenerator(backendFor(parseDevice('cpu')));
}
