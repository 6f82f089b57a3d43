/** The context of a custom Function, and its node in the graph. */
import { RuntimeError } from '../core/errors.ts';
import type { GraphGroup } from '../memory/groups.ts';
import { zero } from '../kernels/copy.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { Node, type OutputMeta } from '../tensor/node.ts';
import { Tensor } from '../tensor/tensor.ts';
import { typeName } from '../tensor/type-name.ts';
import { ALREADY_FREED, SavedTensor } from './saved.ts';

type MaybeTensor = Tensor | null | undefined;

/** PyTorch's `FunctionCtx`. */
export class Context {
  #toSave: readonly MaybeTensor[] = [];
  #saved: (SavedTensor | null)[] | null = null;
  #freed = false;
  #dirty: Tensor[] = [];
  #nonDifferentiable: Tensor[] = [];
  #materialize = true;

  constructor(
    /** For each argument of forward, whether it is a tensor that requires grad. */
    readonly needs_input_grad: readonly boolean[],
  ) {}

  /** Saves inputs or outputs for backward, where `saved_tensors` gives them back. Call it once, in forward. */
  save_for_backward(...tensors: MaybeTensor[]): void {
    tensors.forEach((x, i) => {
      if (x !== null && x !== undefined && !(x instanceof Tensor)) {
        throw new TypeError(`save_for_backward can only save variables, but argument ${i} is of type ${typeName(x)}`);
      }
    });
    this.#toSave = tensors;
  }

  /**
   * What was saved. Typed as tensors; null where null was saved.
   * @throws RuntimeError once the graph has been freed, or if one was changed in place
   */
  get saved_tensors(): Tensor[] {
    if (this.#freed) throw new RuntimeError(ALREADY_FREED);
    const found = this.#saved === null ? this.#toSave : this.#saved.map((saved) => saved?.unpack() ?? null);
    return found.slice() as Tensor[];
  }

  /** Says that forward has changed these inputs in place. They must be returned. */
  mark_dirty(...tensors: Tensor[]): void {
    this.#dirty = checked(
      (i, type) => `mark_dirty can only accept variables, but argument ${i} is of type ${type}`,
      tensors,
    );
  }

  /** Says that these outputs have no gradient. */
  mark_non_differentiable(...tensors: Tensor[]): void {
    this.#nonDifferentiable = checked(
      (_, type) => `mark_non_differentiable only accepts variable arguments, but got ${type}`,
      tensors,
    );
  }

  /** Whether backward gets zeros, and not null, for outputs without a gradient. True unless set. */
  set_materialize_grads(value: boolean): void {
    this.#materialize = value;
  }

  /** @internal */
  get marks(): { dirty: readonly Tensor[]; nonDifferentiable: readonly Tensor[]; toSave: readonly MaybeTensor[] } {
    return { dirty: this.#dirty, nonDifferentiable: this.#nonDifferentiable, toSave: this.#toSave };
  }

  /** @internal */
  get materializes(): boolean {
    return this.#materialize;
  }

  /** @internal The outputs have their history now, so that what is saved remembers it. */
  keepSaved(node: Node, group: GraphGroup): void {
    this.#saved = this.#toSave.map((x) =>
      x === null || x === undefined ? null : new SavedTensor(x, group, x.node === node ? node : null),
    );
    this.dropSaved();
  }

  /** @internal */
  dropSaved(): void {
    this.#toSave = [];
    this.#dirty = [];
    this.#nonDifferentiable = [];
  }

  /** @internal */
  free(): void {
    this.#freed = true;
    for (const saved of this.#saved ?? []) saved?.release();
  }
}

function checked(text: (i: number, type: string) => string, tensors: Tensor[]): Tensor[] {
  tensors.forEach((x, i) => {
    if (!(x instanceof Tensor)) throw new RuntimeError(text(i, typeName(x)));
  });
  return tensors;
}

export class CustomNode extends Node {
  override readonly runsWithoutGradients = true;
  override get runsUserCode(): boolean {
    return true;
  }
  /** Sizes, dtype and device of each output, for zeros; null where it is no tensor. */
  outputInfo: (OutputMeta | null)[] = [];

  constructor(
    readonly name: string,
    readonly ctx: Context,
    /** Which arguments of forward are tensors; each of these has an edge. */
    private readonly isTensor: readonly boolean[],
    private readonly backward: (grads: (Tensor | null)[]) => unknown,
  ) {
    super();
  }

  get saved_tensors(): Tensor[] {
    return this.ctx.saved_tensors;
  }

  apply(grads: (Tensor | null)[]): (Tensor | null)[] {
    const { ctx, name, isTensor } = this;
    const given = this.outputInfo.map((info, i) => {
      if (grads[i] !== null && grads[i] !== undefined) return grads[i];
      return info !== null && ctx.materializes ? zeros(info) : null;
    });
    const returned = this.backward(given);
    const results: unknown[] = Array.isArray(returned) ? returned.slice() : [returned];
    const expected = isTensor.length;
    while (results.length > expected && (results.at(-1) ?? null) === null) results.pop();
    if (results.length !== expected) {
      throw new RuntimeError(
        `function ${name} returned an incorrect number of gradients (expected ${expected}, got ${results.length})`,
      );
    }
    const found: (Tensor | null)[] = [];
    for (let i = 0; i < expected; i++) {
      const result = results[i] ?? null;
      if (isTensor[i]) {
        if (result !== null && !(result instanceof Tensor)) {
          throw new RuntimeError(`expected Variable or None (got ${typeName(result)})`);
        }
        found.push(result);
      } else if (result !== null) {
        throw new RuntimeError(
          `function ${name} returned a gradient different than None at position ${i + 1}, but the corresponding forward input was not a Variable`,
        );
      }
    }
    return found;
  }

  release(): void {
    this.ctx.free();
  }
}

function zeros({ sizes, dtype, backend }: OutputMeta): Tensor {
  const out = emptyTensor(backend, sizes, dtype);
  zero(out);
  return out;
}
