/**
 * The launches of an optimizer's step: parameters with the same code and numbers go into one, which for small ones is most
 * of the time. A parameter whose gradient or state lies otherwise than itself has a launch of its own.
 */
import { sameSizes } from '../core/shape.ts';
import { recording } from '../devices/recording.ts';
import type { MapKernel } from '../kernels/map.ts';
import { isDense } from '../ops/layout.ts';
import type { Tensor } from '../tensor/tensor.ts';

/** Parameters in a launch at most; 1: each has its own. A launch also has no more than its words can name. */
export const stepTuning = { parameters: Number.POSITIVE_INFINITY };

/** Parameters that wait for their launch. One at a time is in use: a step ends with `flush`. */
class StepBatch {
  private kernel: MapKernel | null = null;
  private scalars: readonly number[] = [];
  private sets = 0;
  private most = 0;
  private readonly operands: Tensor[] = [];
  /** Of these, those that wait. */
  private count = 0;
  private readonly used = new AddressTable();

  /**
   * Computes the outputs now or, before anybody can see it, at the next `flush`.
   *
   * @param outs all of one shape
   * @param inputs of that shape, or broadcast
   * @param scalars unchanged until the next `flush`
   */
  add(kernel: MapKernel, outs: readonly Tensor[], inputs: readonly Tensor[], scalars: readonly number[]): void {
    const [first] = outs;
    if (first.length === 0) return;
    // Whoever writes launches down wants to know which numbers are whose.
    if (recording !== null || stepTuning.parameters <= 1 || !alike(outs, inputs)) {
      this.flush();
      kernel.launchMany(outs, inputs, scalars);
      return;
    }
    if (this.kernel !== kernel || this.sets >= this.most || this.clashes(outs, inputs)) {
      this.flush();
      this.kernel = kernel;
      this.most = Math.min(stepTuning.parameters, kernel.mostSets);
    }
    this.scalars = scalars;
    const { operands, used } = this;
    let n = this.count;
    for (let i = 0; i < outs.length; i++) {
      operands[n++] = outs[i];
      used.add(outs[i].storage.address, WRITTEN);
    }
    for (let i = 0; i < inputs.length; i++) {
      operands[n++] = inputs[i];
      if (inputs[i] !== outs[i]) used.add(inputs[i].storage.address, READ);
    }
    this.count = n;
    this.sets++;
  }

  /** Launches what waits. */
  flush(): void {
    const { kernel, sets } = this;
    if (kernel === null) return;
    try {
      kernel.launchSets(this.operands, sets, this.scalars);
    } finally {
      // What stands here would keep its storage alive.
      this.kernel = null;
      this.operands.fill(NOTHING, 0, this.count);
      this.sets = this.count = 0;
      this.used.clear();
    }
  }

  /** Whether what waits must be computed before: pieces of a launch have no order. Also where devices differ. */
  private clashes(outs: readonly Tensor[], inputs: readonly Tensor[]): boolean {
    if (this.sets > 0 && this.operands[0].storage.backend !== outs[0].storage.backend) return true;
    const { used } = this;
    for (let i = 0; i < outs.length; i++) if (used.get(outs[i].storage.address) !== 0) return true;
    for (let i = 0; i < inputs.length; i++) {
      if (inputs[i] !== outs[i] && used.get(inputs[i].storage.address) & WRITTEN) return true;
    }
    return false;
  }
}

const NOTHING = null as unknown as Tensor;
const READ = 1;
const WRITTEN = 2;

/** Must be more than twice what the words of a launch can name. */
const SLOTS = 4096;

/** How storages are used, by address; a `Set` would cost more than the launches that it saves. */
class AddressTable {
  private readonly addresses = new Int32Array(SLOTS);
  /** `4 * generation + use` of the address in the slot; of an earlier generation: nothing is there. */
  private readonly uses = new Int32Array(SLOTS);
  private generation = 1;

  get(address: number): number {
    const slot = this.slot(address);
    return this.uses[slot] >> 2 === this.generation ? this.uses[slot] & 3 : 0;
  }

  add(address: number, use: number): void {
    const slot = this.slot(address);
    const before = this.uses[slot] >> 2 === this.generation ? this.uses[slot] & 3 : 0;
    this.addresses[slot] = address;
    this.uses[slot] = (this.generation << 2) | before | use;
  }

  clear(): void {
    this.generation++;
    if (this.generation < 1 << 28) return;
    this.uses.fill(0);
    this.generation = 1;
  }

  /** Where the address is, or would be. Storages are at multiples of 64. */
  private slot(address: number): number {
    const key = address | 0;
    let slot = Math.imul(key >>> 6, 0x9e3779b1) >>> 20;
    while (this.uses[slot] >> 2 === this.generation && this.addresses[slot] !== key) slot = (slot + 1) & (SLOTS - 1);
    return slot;
  }
}

/** Whether all lie in the same way, without gaps, so that a set is one run of elements. */
function alike(outs: readonly Tensor[], inputs: readonly Tensor[]): boolean {
  const [{ sizes, strides, contiguousNow }] = outs;
  if (!contiguousNow && !isDense(outs[0])) return false;
  for (const x of outs) if (!sameLayout(x, sizes, strides, contiguousNow)) return false;
  for (let i = 0; i < inputs.length; i++) {
    if (inputs[i] !== outs[i] && !sameLayout(inputs[i], sizes, strides, contiguousNow)) return false;
  }
  return true;
}

function sameLayout(x: Tensor, sizes: readonly number[], strides: readonly number[], contiguous: boolean): boolean {
  if (!sameSizes(x.sizes, sizes)) return false;
  return contiguous ? x.contiguousNow : sameSizes(x.strides, strides);
}

export const stepBatch = new StepBatch();
