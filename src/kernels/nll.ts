/**
 * Builders of negative log likelihood launches. Scores are [rows, classes, columns] with any strides, targets
 * [rows, columns] of int64 or uint8, weights [classes]. A target out of range is a fault with PyTorch's text.
 */
import { DTYPES } from '../core/dtype.ts';
import { IndexError } from '../core/errors.ts';
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import { defineFault } from './faults.ts';
import { registerKernel } from './registry.ts';
import { address, outAddress } from './touch.ts';
import { NLL, nllGradKernel, nllKernel, type NllReduction } from './wasm/nll.ts';

export type { NllReduction };

const FAULT_TARGET = defineFault(
  ([low, high]) => new IndexError(`Target ${(BigInt(high) << 32n) | BigInt(low >>> 0)} is out of bounds.`),
);

const REDUCTIONS: readonly NllReduction[] = ['none', 'sum', 'mean'];

/** By `(dtype index * 2 + (int64 targets ? 1 : 0)) * 3 + reduction`: the float dtypes have the first indices. */
function register(name: string, build: typeof nllKernel): number[] {
  return DTYPES.filter((dtype) => dtype.is_floating_point).flatMap((dtype) =>
    [1, 8].flatMap((bytes) =>
      REDUCTIONS.map((reduction) =>
        registerKernel(() => build(dtype, bytes, reduction), `${name}.${reduction}.${dtype.name}.i${bytes * 8}`),
      ),
    ),
  );
}
const FORWARD = register('nll_loss', nllKernel);
const BACKWARD = register('nll_loss_backward', nllGradKernel);

/** Positions worth handing to a thread, where each has a loss of its own. */
const GRAIN = 16 * 1024;

/** What the forward and the backward pass have in common. */
export interface NllTargets {
  readonly reduction: NllReduction;
  /** [rows, columns] */
  readonly target: Operand;
  readonly weight: Operand | null;
  readonly ignoreIndex: number;
}

/**
 * @param out [rows, columns] contiguous, or one number
 * @param totalWeight one number: the sum of the weights of what is not ignored; null for `none`
 */
export function nll(out: Operand, totalWeight: Operand | null, x: Operand, targets: NllTargets): void {
  launch(FORWARD, out, totalWeight, x, x.strides[0], x.strides[1], x.strides[2], x.sizes[1], targets);
}

/**
 * @param out [rows, classes, columns], contiguous and filled with 0
 * @param grad [rows, columns], or one number
 */
export function nllBackward(out: Operand, totalWeight: Operand | null, grad: Operand, targets: NllTargets): void {
  const each = targets.reduction === 'none';
  launch(
    BACKWARD,
    out,
    totalWeight,
    grad,
    each ? grad.strides[0] : 0,
    0,
    each ? grad.strides[1] : 0,
    out.sizes[1],
    targets,
  );
}

function launch(
  kernels: readonly number[],
  out: Operand,
  totalWeight: Operand | null,
  x: Operand,
  row: number,
  step: number,
  column: number,
  classes: number,
  { reduction, target, weight, ignoreIndex }: NllTargets,
): void {
  const [rows, columns] = target.sizes;
  const each = reduction === 'none';
  const positions = rows * columns;
  if (positions === 0 && (each || totalWeight === null)) return;
  const { dtype } = out;
  const bytes = dtype.itemsize;
  const backend = (out.storage as Storage).backend;
  const wide = target.dtype.itemsize === 8 ? 1 : 0;
  const kernel = kernels[(dtype.index * 2 + wide) * 3 + REDUCTIONS.indexOf(reduction)];
  const at = backend.begin(kernel, NLL.words, each && positions > GRAIN ? GRAIN : 0);
  const { words } = backend;
  words[at + NLL.begin] = 0;
  words[at + NLL.end] = positions;
  // The backward launch reads what the forward one has summed.
  const total = kernels === FORWARD ? outAddress : address;
  words[at + NLL.out] = outAddress(out, backend);
  words[at + NLL.totalWeight] = totalWeight === null ? 0 : total(totalWeight, backend);
  words[at + NLL.x] = address(x, backend);
  words[at + NLL.xRow] = row * bytes;
  words[at + NLL.xClass] = step * bytes;
  words[at + NLL.xColumn] = column * bytes;
  words[at + NLL.target] = address(target, backend);
  words[at + NLL.targetRow] = target.strides[0] * target.dtype.itemsize;
  words[at + NLL.targetColumn] = target.strides[1] * target.dtype.itemsize;
  words[at + NLL.weight] = weight === null ? 0 : address(weight, backend);
  words[at + NLL.weightStep] = weight === null ? 0 : weight.strides[0] * bytes;
  words[at + NLL.columns] = columns;
  words[at + NLL.classes] = classes;
  words[at + NLL.fault] = FAULT_TARGET;
  const ignore = BigInt(ignoreIndex);
  words[at + NLL.ignore] = Number(BigInt.asIntN(32, ignore));
  words[at + NLL.ignore + 1] = Number(BigInt.asIntN(32, ignore >> 32n));
  backend.submit();
}
