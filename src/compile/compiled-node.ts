/** The node of a compiled call in the autograd graph: what its backward needs, and the program that it runs. */
import { mode } from '../autograd/mode.ts';
import { touchGroup } from '../autograd/record.ts';
import { ALREADY_FREED, SavedTensor } from '../autograd/saved.ts';
import { RuntimeError } from '../core/errors.ts';
import { sameSizes } from '../core/shape.ts';
import type { Backend } from '../devices/backend.ts';
import { allocateStorage, type Storage, touch } from '../devices/storage.ts';
import type { GraphGroup } from '../memory/groups.ts';
import { emptyStrided } from '../tensor/empty.ts';
import { Node } from '../tensor/node.ts';
import { Tensor } from '../tensor/tensor.ts';
import { type Compiled, firstOf, type Made, runIn, tensorOf } from './compiled.ts';
import type { Given } from './run.ts';

/** The node of a call: its backward is one program. */
export class CompiledNode extends Node {
  readonly name = 'CompiledFunctionBackward';
  private saved: Storage | null = null;
  private owned: Storage[] = [];
  private readonly tensors: SavedTensor[] = [];
  private readonly outside: SavedTensor[] = [];
  private released = false;

  constructor(private readonly compiled: Compiled) {
    super();
  }

  save(args: readonly Tensor[], storages: readonly Storage[], slots: readonly number[], saved: Storage | null): void {
    const group: GraphGroup = touchGroup(this);
    this.saved = saved;
    saved?.holdForBackward(group);
    this.owned = slots.map((i) => storages[i]);
    for (const storage of this.owned) storage.holdForBackward(group);
    for (const { arg } of this.compiled.savedArgs) this.tensors.push(new SavedTensor(args[arg], group));
    for (const arg of this.compiled.savedPinned) this.outside.push(new SavedTensor(args[arg], group));
    for (const tensor of this.compiled.savedOutside) this.outside.push(new SavedTensor(tensor, group));
  }

  apply(grads: (Tensor | null)[]): (Tensor | null)[] {
    const { compiled } = this;
    if (this.released || compiled.spent) throw new RuntimeError(ALREADY_FREED);
    if (mode.grad) throw new RuntimeError('torch.compile with aot_autograd does not currently support double backward');
    const { backend, bases, saved, roots, savedArgs, gradOwned } = compiled;
    const used: Storage[] = [];
    for (let i = 0; i < savedArgs.length; i++) {
      const x = this.tensors[i].unpack();
      bases[savedArgs[i].buffer] = firstOf(x);
      used.push(x.storage);
    }
    for (const x of this.outside) used.push(x.unpack().storage);
    if (this.saved !== null) {
      for (const { buffer, offset } of saved.places) bases[buffer] = this.saved.address + offset;
      used.push(this.saved);
    }
    compiled.savedOwned.forEach((buffer, i) => {
      bases[buffer] = this.owned[i].address;
      used.push(this.owned[i]);
    });
    const tangents = roots.map(({ given, buffer }, k) => {
      const grad = fitted(backend, grads[k] ?? null, given);
      if (buffer >= 0) bases[buffer] = firstOf(grad);
      used.push(grad.storage);
      return grad;
    });
    const storages = gradOwned.map(({ buffer, bytes }) => {
      const storage = allocateStorage(backend, bytes);
      bases[buffer] = storage.address;
      used.push(storage);
      return storage;
    });
    runIn(compiled.gradTemporary, compiled.backward!, backend, bases);
    // After the last allocation: all of these are used together with what was allocated then.
    for (const storage of used) touch(storage);
    return compiled.grads.map((made, i) => {
      if (made === null || this.nextNodes[i] === null) return null;
      const root = roots.findIndex((r) => r.buffer === made.buffer && made.buffer >= 0);
      if (root >= 0) return viewOf(tangents[root], made.given);
      const at = gradOwned.findIndex((o) => o.buffer === made.buffer);
      if (at >= 0) return tensorOf(storages[at], made.given);
      return made.buffer < 0 ? tensorOf(allocateStorage(backend, 0), made.given) : this.ofSaved(made);
    });
  }

  /** A gradient that forward had made already: backward goes on using it, so it is copied. */
  private ofSaved({ buffer, given }: Made): Tensor {
    const place = this.compiled.saved.places.find((p) => p.buffer === buffer);
    const storage = place === undefined ? this.owned[this.compiled.savedOwned.indexOf(buffer)] : this.saved!;
    const offset = given.offset + (place === undefined ? 0 : place.offset / given.dtype.itemsize);
    return new Tensor(storage, offset, given.sizes, given.strides, given.dtype, given.length, given.contiguous).clone();
  }

  release(): void {
    if (this.released) return;
    this.released = true;
    this.saved?.unholdForBackward();
    this.saved = null;
    for (const storage of this.owned) storage.unholdForBackward();
    this.owned = [];
    for (const x of this.tensors) x.release();
    for (const x of this.outside) x.release();
  }
}

/** A gradient in the layout that the trace had: that of the result. None stands for zeros. */
function fitted(backend: Backend, grad: Tensor | null, given: Given): Tensor {
  if (grad !== null && sameSizes(grad.strides, given.strides)) return grad;
  const out = emptyStrided(backend, given.sizes, given.strides, given.dtype, given.contiguous);
  return grad === null ? out.zero_() : out.copy_(grad);
}

function viewOf(grad: Tensor, given: Given): Tensor {
  if (sameSizes(given.sizes, grad.sizes) && sameSizes(given.strides, grad.strides) && given.offset === 0) return grad;
  return new Tensor(
    grad.storage,
    grad.offset + given.offset,
    given.sizes,
    given.strides,
    given.dtype,
    given.length,
    given.contiguous,
  );
}
