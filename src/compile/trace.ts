/**
 * A trace: what a function, and the backward of what it gives, hand to a device, written down while they run as ever. Two
 * traces of a function make a program (`agree.ts`).
 */
import type { Operand } from '../core/operand.ts';
import type { Backend } from '../devices/backend.ts';
import type { LaunchRecorder } from '../devices/recording.ts';
import type { Storage } from '../devices/storage.ts';
import type { AccessWatch } from '../kernels/touch.ts';
import { currentVersion, Tensor } from '../tensor/tensor.ts';

/** In place of a kernel: bytes that the host gives to the device. */
export const COPY_IN = -1;

/** Computes a launch's numbers, in its order. What it gives is good until it is called again. */
export type NumberSource = () => readonly number[];

export interface Launch {
  readonly kernel: number;
  readonly grain: number;
  readonly words: Int32Array;
  /** Of a copy from the host. */
  readonly bytes: Uint8Array | null;
  /** Computes the launch's numbers anew; null: they are what they are. */
  readonly numbers: NumberSource | null;
}

/** Memory that was allocated in the trace. Times are numbers of launches. */
export interface Made {
  readonly address: number;
  readonly bytes: number;
  readonly born: number;
  /** When it was freed; Infinity: not yet. */
  died: number;
  /** Whether it is a storage's; others are what kernels need while they run, and in no figure. */
  counted: boolean;
}

/** A storage from before the trace that launches use. */
export interface Outside {
  readonly storage: Storage;
  readonly address: number;
  /** Tensors that launches were given it as, or their bases, with their versions then. */
  readonly tensors: Map<Tensor, number>;
  /** Whether a launch of the backward part uses it. */
  backward: boolean;
}

/** Why a function is not compiled. */
export class Break {
  constructor(readonly reason: string) {}
}

export class Trace implements LaunchRecorder, AccessWatch {
  backend: Backend | null = null;
  readonly launches: Launch[] = [];
  readonly made: Made[] = [];
  readonly outside = new Map<Storage, Outside>();
  /** Modules and optimizers that ran. */
  readonly consultations = new Set<object>();
  /** Leaves whose `.grad` was changed, with what it was before. */
  readonly gradients = new Map<Tensor, Tensor | null>();
  /** The first thing that a program cannot do. */
  broken: Break | null = null;
  /** The number of the first launch of the backward part. */
  backwardAt = Number.POSITIVE_INFINITY;
  /** Whether nothing is written down for now. */
  paused = false;
  private readonly live = new Map<number, number>();
  private source: NumberSource | null = null;

  constructor(
    /** The trace that this one will be held against: the same memory is never at the same address in both. */
    private readonly before: Trace | null,
    /** Called at the first break. */
    private readonly onBreak: (reason: string) => void,
  ) {}

  break(reason: string): void {
    if (this.broken !== null) return;
    this.broken = new Break(reason);
    this.onBreak(reason);
  }

  submitted(backend: Backend, kernel: number, count: number, grain: number, words: Int32Array, at: number): void {
    if (this.paused || !this.on(backend)) return;
    this.launches.push({ kernel, grain, words: words.slice(at, at + count), bytes: null, numbers: this.source });
    this.source = null;
  }

  /** A launch is going to use an operand. */
  launched(operand: Operand): void {
    if (this.paused) return;
    const storage = operand.storage as Storage;
    if (storage.nbytes === 0 || this.idOf(storage) >= 0) return;
    let known = this.outside.get(storage);
    if (known === undefined) {
      known = { storage, address: storage.address, tensors: new Map(), backward: false };
      this.outside.set(storage, known);
    }
    const tensor = baseOf(operand);
    if (tensor !== null && !known.tensors.has(tensor)) known.tensors.set(tensor, currentVersion(tensor));
    if (this.backwardAt <= this.launches.length) known.backward = true;
  }

  allocated(backend: Backend, address: number, bytes: number): number {
    if (this.paused || bytes === 0) return address;
    const taken = this.before?.made[this.made.length]?.address;
    if (address === taken) {
      this.paused = true;
      const other = backend.allocate(bytes);
      backend.free(address, bytes);
      this.paused = false;
      address = other;
    }
    this.live.set(address, this.made.length);
    const { length: born } = this.launches;
    this.made.push({ address, bytes, born, died: Number.POSITIVE_INFINITY, counted: false });
    return address;
  }

  /** What was allocated is a storage's. */
  stored(storage: Storage): void {
    const id = this.idOf(storage);
    if (id >= 0) this.made[id].counted = true;
  }

  /** Also while nothing is written down: a collection may come at any allocation, and what follows lies where the dead did. */
  freed(_backend: Backend, address: number): void {
    const id = this.live.get(address);
    if (id === undefined) return;
    this.live.delete(address);
    this.made[id].died = this.launches.length;
  }

  copiedIn(backend: Backend, address: number, source: Uint8Array): void {
    if (this.paused || source.length === 0 || !this.on(backend)) return;
    for (const id of this.live.values()) {
      const { address: from, bytes } = this.made[id];
      if (address < from || address >= from + bytes) continue;
      this.launches.push({
        kernel: COPY_IN,
        grain: 0,
        words: Int32Array.of(address),
        bytes: source.slice(),
        numbers: null,
      });
      return;
    }
    this.break('values of the host are written into a tensor from outside');
  }

  hostReads(): void {
    if (!this.paused)
      this.break(
        'the host reads values (item, tolist, printing, a copy to another device, shapes that depend on values)',
      );
  }

  accessed(): void {}

  joined(): void {}

  numbers(source: NumberSource): void {
    if (!this.paused) this.source = source;
  }

  opaque(what: string): void {
    if (!this.paused) this.break(what);
  }

  consulted(object: object): void {
    if (!this.paused) this.consultations.add(object);
  }

  gradientSet(variable: object): void {
    const leaf = variable as Tensor;
    if (!this.paused && !this.gradients.has(leaf)) this.gradients.set(leaf, leaf.gradient);
  }

  /** The number of what was made in this trace and is still there; -1: it is from before. */
  idOf(storage: Storage): number {
    return this.live.get(storage.address) ?? -1;
  }

  private on(backend: Backend): boolean {
    this.backend ??= backend;
    if (this.backend === backend) return true;
    this.break(`tensors of two devices are used, ${this.backend.device} and ${backend.device}`);
    return false;
  }
}

function baseOf(operand: Operand): Tensor | null {
  if (!(operand instanceof Tensor)) return null;
  return operand.viewInfo?.base ?? operand;
}
