/** `torch.Generator` and the default generator of every device. */
import { type Device, type DeviceLike, internDevice, parseDevice } from '../core/device.ts';
import { uint8 } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import type { Backend } from '../devices/backend.ts';
import { outsideCapture } from '../devices/capture.ts';
import { backendFor, checkIndex, createdBackend, withIndex } from '../devices/registry.ts';
import { Tensor } from '../tensor/tensor.ts';
import { typeName } from '../tensor/type-name.ts';
import { fromHost, toHost } from './host.ts';
import { checkState, DEFAULT_SEED, GeneratorState } from '../kernels/random-state.ts';

/**
 * A stream of random numbers, PyTorch's CPU numbers on every device. Its state lies in the device's memory and is made
 * at first use.
 */
export class Generator {
  readonly #device: Device;
  #state: GeneratorState | null = null;
  #seed: bigint = DEFAULT_SEED;
  /** A saved state to continue from, kept until the device is used. */
  #saved: Uint8Array | null = null;

  /**
   * `torch.Generator(device)`: a stream of random numbers with a seed of its own.
   * @throws PyTorch's errors for devices that are not there
   */
  constructor(device: DeviceLike = 'cpu') {
    const parsed = withIndex(parseDevice(device));
    if (parsed.type === 'meta') {
      throw new RuntimeError('Device type meta is not supported for torch.Generator() api.');
    }
    if (parsed.type === 'mtia') checkIndex(parsed.index!);
    this.#device = parsed.type === 'mtia' ? parsed : backendFor(parsed).device;
  }

  get device(): Device {
    return this.#device;
  }

  /** For launches: a use of the device. A reconfigured device starts again from the last seed. */
  get state(): GeneratorState {
    const backend = backendFor(this.#device);
    if (this.#state === null || this.#state.backend !== backend) this.#state = this.#newState(backend);
    return this.#state;
  }

  /** Seeded at once even while a graph is captured, whose replays then go on with the sequence. */
  #newState(backend: Backend): GeneratorState {
    return outsideCapture(() => {
      const state = new GeneratorState(backend, this.#seed);
      if (this.#saved !== null) state.setState(this.#saved);
      this.#saved = null;
      return state;
    });
  }

  /** The state in the memory of the device as it is now; null before its use. */
  #existing(): GeneratorState | null {
    const state = this.#state;
    if (state === null || this.#device.type === 'cpu') return state;
    return createdBackend(this.#device.index!) === state.backend ? state : null;
  }

  /** Starts the sequence of this seed. */
  manual_seed(seed: number | bigint): this {
    this.#seed = seedOf(seed);
    this.#saved = null;
    this.#existing()?.seed(this.#seed);
    return this;
  }

  initial_seed(): bigint {
    const state = this.#saved === null ? this.#existing() : this.state;
    return state?.initialSeed ?? BigInt.asUintN(64, this.#seed);
  }

  /** Starts the sequence of a random seed; returns the seed. */
  seed(): bigint {
    const words = crypto.getRandomValues(new Uint32Array(2));
    const seed = (BigInt(words[0] & 0x1fffff) << 32n) | BigInt(words[1]);
    this.manual_seed(seed);
    return seed;
  }

  /** Where the sequence is: a uint8 tensor on the cpu, for `set_state`. */
  get_state(): Tensor {
    const bytes = this.saveState();
    return fromHost(backendFor(parseDevice('cpu')), [bytes.length], uint8, bytes);
  }

  /** Goes on from there. Returns nothing, as in PyTorch. */
  set_state(new_state: Tensor): void {
    if (!(new_state instanceof Tensor))
      throw new TypeError(`expected a torch.ByteTensor, but got ${typeName(new_state)}`);
    if (new_state.dtype !== uint8 || new_state.storage.backend.device.type !== 'cpu') {
      throw new TypeError('RNG state must be a torch.ByteTensor');
    }
    this.loadState(toHost(new_state) as Uint8Array);
  }

  /** PyTorch's 5056 bytes. */
  saveState(): Uint8Array {
    return this.state.getState();
  }

  /** Continues from a saved state, from the device's first use on. */
  loadState(bytes: Uint8Array): void {
    checkState(bytes);
    const state = this.#existing();
    if (state !== null) state.setState(bytes);
    else this.#saved = bytes.slice();
  }
}

/** @throws RuntimeError for what is no 64-bit whole number */
export function seedOf(seed: number | bigint): bigint {
  if (typeof seed !== 'bigint' && !Number.isInteger(seed)) {
    throw new RuntimeError(`manual_seed expected a whole number, got ${seed}`);
  }
  const value = BigInt(seed);
  if (value < -(2n ** 63n) || value >= 2n ** 64n) {
    throw new RuntimeError('Overflow when unpacking long');
  }
  return value;
}

let defaultSeed: bigint = DEFAULT_SEED;
const defaults = new Map<Device, Generator>();

/** The generator that random ops on this device use by default. Asking for it is no use of the device. */
export function generatorOf(device: Device): Generator {
  let generator = defaults.get(device);
  if (generator === undefined) {
    generator = new Generator(device).manual_seed(defaultSeed);
    defaults.set(device, generator);
  }
  return generator;
}

/** As `generatorOf`, for the device of a backend. */
export function defaultGenerator(backend: Backend): Generator {
  return generatorOf(backend.device);
}

/** `torch.manual_seed`: seeds the default generators of all devices, those to come included. */
export function manual_seed(seed: number | bigint): Generator {
  defaultSeed = seedOf(seed);
  for (const generator of defaults.values()) generator.manual_seed(defaultSeed);
  return generatorOf(internDevice('cpu', null));
}
