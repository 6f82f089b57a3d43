/**
 * A device's random number generator: a block in the device's own memory that the random kernels read and advance in
 * launch order, so the host never waits for it. PyTorch's CPU generator (mt19937 and the second normal of a pair), on
 * every device, with the same saved form.
 */
import { RuntimeError } from '../core/errors.ts';
import type { Backend } from '../devices/backend.ts';
import { capturing } from '../devices/capture.ts';
import { expTable, logTable, sincosTable } from './random-tables.ts';
import { registerKernel } from './registry.ts';
import { WasmModule } from './wasm/emitter.ts';
import { BLOCK, buildSeed, STATE, UNTWISTED } from './wasm/random-engine.ts';

const SEED = registerKernel(() => {
  const m = new WasmModule();
  buildSeed(m);
  return m.toBytes();
}, 'random seed');

/** What PyTorch seeds a new `Generator` with. */
export const DEFAULT_SEED = 67280421310721n;

/** Size of a saved state, as `torch.get_rng_state()` gives it. */
export const SAVED_BYTES = 5056;

/** Byte offsets in a saved state (PyTorch's `CPUGeneratorImplState`). */
const SAVED = {
  seed: 0,
  left: 8,
  seeded: 12,
  next: 16,
  words: 24,
  normal: 5024,
  normalValid: 5040,
  float: 5048,
  floatValid: 5052,
};
const WORDS = 624;

/** The tables never change; made at the first generator. */
let tables: Uint8Array | undefined;

function kernelTables(): Uint8Array {
  if (tables) return tables;
  tables = new Uint8Array(BLOCK.scratch - BLOCK.sincos);
  tables.set(sincosTable());
  tables.set(logTable(), BLOCK.log - BLOCK.sincos);
  tables.set(expTable(), BLOCK.exp - BLOCK.sincos);
  return tables;
}

export class GeneratorState {
  /** Byte address of the block; the first word of every random launch. */
  readonly address: number;
  private lastSeed = 0n;

  /** @param seed see `seed` */
  constructor(
    readonly backend: Backend,
    seed: bigint = DEFAULT_SEED,
  ) {
    this.address = backend.allocate(BLOCK.bytes);
    backend.copyIn(this.address + BLOCK.sincos, kernelTables());
    this.seed(seed);
  }

  /** The seed of the current sequence: PyTorch's `initial_seed()`, from 0 to 2^64 - 1. */
  get initialSeed(): bigint {
    return this.lastSeed;
  }

  /**
   * Starts the sequence of a seed, in order with the launches. A negative seed counts as itself + 2^64; of the 64 bits the
   * engine uses the lower 32, as in PyTorch. While a graph is captured, the seed that it has already changes nothing.
   * @throws RuntimeError for another seed while a graph is captured
   */
  seed(seed: bigint): void {
    const backend = this.backend;
    if (capturing?.active && capturing.backend === backend) {
      if (BigInt.asUintN(64, seed) === this.lastSeed) return;
      throw new RuntimeError(
        'MTIAGeneratorImpl::set_current_seed can be called during stream capture only if new seed is the same as the original seed.',
      );
    }
    this.lastSeed = BigInt.asUintN(64, seed);
    const at = backend.begin(SEED, 3, 0);
    const words = backend.words;
    words[at] = this.address;
    words[at + 1] = Number(BigInt.asIntN(32, seed));
    words[at + 2] = Number(BigInt.asIntN(32, seed >> 32n));
    backend.submit();
  }

  /** The state as the 5056 bytes of `torch.get_rng_state()`. Waits for the device. */
  getState(): Uint8Array {
    const bytes = this.backend.copyOut(this.address, STATE.bytes);
    return saveState(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }

  /**
   * Continues from a saved state, in order with the launches.
   * @throws RuntimeError if it isn't one, and while a graph is captured
   */
  setState(saved: Uint8Array): void {
    if (capturing?.active && capturing.backend === this.backend) {
      throw new RuntimeError('Cannot call MTIAGeneratorImpl::set_state during MTIA graph capture: set it before.');
    }
    const state = loadState(saved);
    this.lastSeed = new DataView(state.buffer).getBigUint64(STATE.seed, true);
    this.backend.copyIn(this.address, state);
  }

  /** Gives the memory back. Not to be used afterwards. */
  dispose(): void {
    this.backend.free(this.address, BLOCK.bytes);
  }
}

function saveState(state: DataView): Uint8Array {
  const saved = new DataView(new ArrayBuffer(SAVED_BYTES));
  const index = state.getInt32(STATE.index, true);
  const fresh = index === UNTWISTED;
  saved.setBigUint64(SAVED.seed, state.getBigUint64(STATE.seed, true), true);
  saved.setInt32(SAVED.left, fresh ? 1 : WORDS + 1 - index, true);
  saved.setInt32(SAVED.seeded, 1, true);
  saved.setInt32(SAVED.next, fresh ? 0 : index, true);
  for (let i = 0; i < WORDS; i++) saved.setUint32(SAVED.words + 8 * i, state.getUint32(4 * i, true), true);
  if (state.getInt32(STATE.normalValid, true) !== 0) {
    saved.setFloat64(SAVED.normal, state.getFloat64(STATE.normal, true), true);
    saved.setInt32(SAVED.normalValid, 1, true);
  }
  if (state.getInt32(STATE.floatNormalValid, true) !== 0) {
    saved.setFloat32(SAVED.float, state.getFloat32(STATE.floatNormal, true), true);
    saved.setUint8(SAVED.floatValid, 1);
  }
  return new Uint8Array(saved.buffer);
}

/** @throws RuntimeError if it isn't a saved state */
export function checkState(bytes: Uint8Array): void {
  loadState(bytes);
}

function loadState(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  if (bytes.length !== SAVED_BYTES) {
    throw new RuntimeError(
      `Expected a CPUGeneratorImplState of size ${SAVED_BYTES} but found the input RNG state size to be ${bytes.length}`,
    );
  }
  const saved = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const left = saved.getInt32(SAVED.left, true);
  const next = saved.getUint32(SAVED.next, true);
  if (saved.getInt32(SAVED.seeded, true) === 0 || left <= 0 || left > WORDS || next > WORDS) {
    throw new RuntimeError('Invalid mt19937 state');
  }
  const state = new DataView(new ArrayBuffer(STATE.bytes));
  for (let i = 0; i < WORDS; i++) state.setUint32(4 * i, saved.getUint32(SAVED.words + 8 * i, true), true);
  state.setInt32(STATE.index, left > 1 ? next : next === 0 ? UNTWISTED : WORDS, true);
  state.setBigUint64(STATE.seed, saved.getBigUint64(SAVED.seed, true), true);
  state.setFloat64(STATE.normal, saved.getFloat64(SAVED.normal, true), true);
  state.setInt32(STATE.normalValid, saved.getInt32(SAVED.normalValid, true) === 0 ? 0 : 1, true);
  state.setFloat32(STATE.floatNormal, saved.getFloat32(SAVED.float, true), true);
  state.setInt32(STATE.floatNormalValid, saved.getUint8(SAVED.floatValid) === 0 ? 0 : 1, true);
  return new Uint8Array(state.buffer);
}
