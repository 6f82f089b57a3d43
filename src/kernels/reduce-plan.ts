/**
 * How a reduction's operands lie in memory, reduced to what matters: the dimensions that stay and those that go, each
 * list sorted so that the innermost one is the closest in memory, without dimensions of size 1, and with neighbours
 * that lie evenly merged into one. Strides are in bytes.
 *
 * There is one plan, written anew for every launch: nothing is allocated on that path.
 */
import type { Operand } from '../core/operand.ts';

/** Inputs of a reduction, at most. */
export const MAX_INPUTS = 8;

/** A list of dimensions, outermost first. Strides of input i of dimension d are at `inputs[d * MAX_INPUTS + i]`. */
export class DimList {
  count = 0;
  readonly sizes: number[] = [];
  readonly out: number[] = [];
  readonly indices: number[] = [];
  readonly inputs: number[] = [];

  clear(): void {
    this.count = 0;
  }

  /** Whether the memory goes on evenly from the last dimension to the one at position `count`. */
  private merges(size: number, nin: number): boolean {
    const last = this.count - 1;
    const next = this.count;
    if (last < 0) return false;
    if (this.out[last] !== this.out[next] * size || this.indices[last] !== this.indices[next] * size) return false;
    for (let i = 0; i < nin; i++) {
      if (this.inputs[last * MAX_INPUTS + i] !== this.inputs[next * MAX_INPUTS + i] * size) return false;
    }
    return true;
  }

  /** Takes the dimension whose strides were written at position `count`, merged into the last one where that goes. */
  add(size: number, nin: number): void {
    const next = this.count;
    if (this.merges(size, nin)) {
      const last = next - 1;
      this.sizes[last] *= size;
      this.out[last] = this.out[next];
      this.indices[last] = this.indices[next];
      for (let i = 0; i < nin; i++) this.inputs[last * MAX_INPUTS + i] = this.inputs[next * MAX_INPUTS + i];
      return;
    }
    this.sizes[next] = size;
    this.count++;
  }

  /** Product of the sizes. */
  total(): number {
    let product = 1;
    for (let d = 0; d < this.count; d++) product *= this.sizes[d];
    return product;
  }

  /** Words of a launch over rows of one input: of each dimension the size, and strides in the input, output and indices. */
  write(words: Int32Array, at: number): void {
    for (let d = 0; d < this.count; d++) {
      words[at++] = this.sizes[d];
      words[at++] = this.inputs[d * MAX_INPUTS];
      words[at++] = this.out[d];
      words[at++] = this.indices[d];
    }
  }
}

class ReducePlan {
  readonly kept = new DimList();
  readonly reduced = new DimList();
  /** Results. */
  outputs = 0;
  /** Elements that make up one result. */
  count = 0;

  /**
   * @param sizes the shape that is gone through; inputs are broadcast to it from the right
   * @param reducedDims bit d: dimension d goes
   * @param out the results, with the reduced dimensions left out or of size 1; null if only indices are wanted
   * @param keepOrder whether elements must be met in row-major order (positions count)
   */
  analyse(
    out: Operand | null,
    indices: Operand | null,
    ins: readonly Operand[],
    sizes: readonly number[],
    reducedDims: number,
    keepOrder: boolean,
  ): void {
    const rank = sizes.length;
    this.outputs = 1;
    this.count = 1;
    for (let d = 0; d < rank; d++) {
      if ((reducedDims >>> d) & 1) this.count *= sizes[d];
      else this.outputs *= sizes[d];
    }
    this.collect(this.kept, false, true, out, indices, ins, sizes, reducedDims);
    this.collect(this.reduced, true, !keepOrder, null, null, ins, sizes, reducedDims);
  }

  private collect(
    list: DimList,
    reduced: boolean,
    sort: boolean,
    out: Operand | null,
    indices: Operand | null,
    ins: readonly Operand[],
    sizes: readonly number[],
    reducedDims: number,
  ): void {
    const rank = sizes.length;
    const nin = ins.length;
    let used = 0;
    for (let d = 0; d < rank; d++) {
      if (sizes[d] === 1 || ((reducedDims >>> d) & 1) === (reduced ? 0 : 1)) continue;
      let far = 0;
      for (let i = 0; i < nin; i++) far = Math.max(far, strideAt(ins[i], d, rank));
      let at = used++;
      if (sort) {
        for (; at > 0 && distances[at - 1] < far; at--) {
          order[at] = order[at - 1];
          distances[at] = distances[at - 1];
        }
      }
      order[at] = d;
      distances[at] = far;
    }
    list.clear();
    for (let k = 0; k < used; k++) {
      const d = order[k];
      const next = list.count;
      list.out[next] = keptStride(out, d, rank, reducedDims);
      list.indices[next] = keptStride(indices, d, rank, reducedDims);
      for (let i = 0; i < nin; i++) list.inputs[next * MAX_INPUTS + i] = strideAt(ins[i], d, rank);
      list.add(sizes[d], nin);
    }
  }
}

const order: number[] = [];
const distances: number[] = [];

/** Stride in bytes of dimension d of the shape gone through; 0 where the operand is broadcast. */
export function strideAt(operand: Operand, d: number, rank: number): number {
  const own = d - rank + operand.sizes.length;
  if (own < 0 || operand.sizes[own] === 1) return 0;
  return operand.strides[own] * operand.dtype.itemsize;
}

/** Stride in bytes of the results along dimension d, which is kept. */
function keptStride(out: Operand | null, d: number, rank: number, reducedDims: number): number {
  if (out === null) return 0;
  let own = d;
  if (out.sizes.length !== rank) {
    // The reduced dimensions are left out.
    for (let e = 0; e < d; e++) if ((reducedDims >>> e) & 1) own--;
  }
  return out.strides[own] * out.dtype.itemsize;
}

export const plan = new ReducePlan();

/** Byte address of the first element of each input of the launch at hand. */
export const addresses: number[] = [];

/** The most a thread should do before it looks for the next piece of work, in elements. */
export const GRAIN = 32768;

/** Iterations per piece for a launch of `units` that take `work` elements each; 0 if it is not worth splitting. */
export function grainFor(units: number, work: number): number {
  return units * work < 2 * GRAIN ? 0 : Math.max(1, Math.ceil(GRAIN / Math.max(1, work)));
}
