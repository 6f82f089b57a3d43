/**
 * embedding_bag: sums, means or maxima of groups of rows of a matrix. Its gradients are ops of their own, each the transpose of
 * another, so that they can be differentiated again to any order.
 */

import { mode as gradMode } from '../autograd/mode.ts';
import { record } from '../autograd/record.ts';
import { bool, FLOAT_CATEGORY, int32, int64 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError, ValueError } from '../core/errors.ts';
import { sameSizes } from '../core/shape.ts';
import {
  type BagMode,
  type Bags,
  bagCount,
  embeddingBagBackward,
  embeddingBagFactorsBackward,
  embeddingBag as embeddingBagKernel,
} from '../kernels/embedding-bag.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { requiresGrad, type Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { checkIndices, finish, type Maybe, notTwice, paddingRow, refuse, typeNameOf } from './embedding.ts';
import { fill } from './host.ts';
import { define } from './registry.ts';

const OPTIONS = 'Tensor? per_sample_weights=None, bool include_last_offset=False, int? padding_idx=None) -> Tensor';

/** The groups of rows: which tensors say so, and how. */
interface Groups {
  readonly mode: BagMode;
  readonly includeLastOffset: boolean;
  readonly padding: number;
  readonly scale: boolean;
  /** Of the weight. */
  readonly rows: number;
}

function bagsOf(groups: Groups, weight: Tensor, indices: Tensor, offsets: Maybe<Tensor>, factors: Maybe<Tensor>): Bags {
  return {
    mode: groups.mode,
    weight,
    indices,
    offsets,
    includeLastOffset: groups.includeLastOffset,
    paddingIndex: groups.padding,
    perSampleWeights: factors,
  };
}

/** The op itself; `factors` are the per-sample weights. */
function sumBags(
  weight: Tensor,
  factors: Maybe<Tensor>,
  indices: Tensor,
  offsets: Maybe<Tensor>,
  groups: Groups,
): Tensor {
  const backend = sameBackend(
    'embedding_bag',
    [weight, indices, offsets, factors],
    ['weight', 'indices', 'offsets', 'per_sample_weights'],
  );
  const bags = bagsOf(groups, weight, indices, offsets, factors);
  const sizes = [bagCount(bags), weight.sizes[1]];
  const out = emptyTensor(backend, sizes, weight.dtype);
  const recorded =
    gradMode.grad &&
    weight.dtype.is_floating_point &&
    (requiresGrad(weight) || (factors !== null && requiresGrad(factors)));
  const { mode } = groups;
  const bagSize = recorded && mode !== 'sum' ? emptyTensor(backend, [sizes[0]], indices.dtype) : null;
  const unused = recorded && backend.device.type !== 'cpu' ? unusedOf(mode, indices, sizes[0]) : [];
  const winners = recorded && mode === 'max' ? emptyTensor(backend, sizes, indices.dtype) : null;
  embeddingBagKernel(out, bags, bagSize, winners);
  finish(out, weight, factors);
  const wantsFactors = factors !== null && requiresGrad(factors);
  const save = [indices, offsets, factors, wantsFactors ? weight : null, bagSize, winners];
  // Backward must not lead to the tensors: after the release nothing does.
  const places = placesOf(save);
  return record(
    'EmbeddingBagBackward0',
    out,
    [weight, factors],
    [...present(save), ...unused],
    ([grad], tensors, node) => {
      const [i, o, f, w, n, m] = restore(tensors, places);
      return [
        node.needs(0) ? sumBagsBackward(grad!, f, i!, o, n, m, groups) : null,
        node.needs(1) ? factorsBackward(grad!, w!, f!, i!, o, groups) : null,
      ];
    },
  );
}

/** What PyTorch's CPU build saves as well, though our backward does not need it: bags of indices, sizes and winners of bags. */
function unusedOf(mode: BagMode, indices: Tensor, bags: number): Tensor[] {
  const make = (length: number) => emptyTensor(indices.storage.backend, [length], indices.dtype);
  if (mode === 'max') return [make(indices.length)];
  return mode === 'mean' ? [make(indices.length), make(bags)] : [make(bags), make(bags)];
}

/** Which of the values to save are there: their places among those that are, -1 for null. */
function placesOf(list: readonly Maybe<Tensor>[]): number[] {
  let next = 0;
  return list.map((x) => (x === null ? -1 : next++));
}

const present = (list: readonly Maybe<Tensor>[]): Tensor[] => list.filter((x) => x !== null);

/** Saved tensors with null in the places where there was none. */
function restore(tensors: readonly Tensor[], places: readonly number[]): Maybe<Tensor>[] {
  return places.map((at) => (at < 0 ? null : tensors[at]));
}

/** The weight's gradient. Linear in `grad` and in the factors. */
function sumBagsBackward(
  grad: Tensor,
  factors: Maybe<Tensor>,
  indices: Tensor,
  offsets: Maybe<Tensor>,
  bagSize: Maybe<Tensor>,
  winners: Maybe<Tensor>,
  groups: Groups,
): Tensor {
  const out = emptyTensor(grad.storage.backend, [groups.rows, grad.sizes[1]], grad.dtype);
  fill(out, 0);
  const dense = grad.contiguousNow ? grad : grad.detach().contiguous();
  embeddingBagBackward(
    out,
    dense,
    bagsOf(groups, out, indices, offsets, factors),
    bagSize,
    winners,
    groups.scale && groups.mode !== 'max',
  );
  finish(out, grad, factors);
  const save = [grad, factors, indices, offsets, bagSize, winners];
  const places = placesOf(save);
  return record('EmbeddingBagDenseBackwardBackward0', out, [grad, factors], present(save), ([gg], tensors, node) => {
    if (groups.scale) throw notTwice('embedding_bag');
    const [g, f, i, o, n, w] = restore(tensors, places);
    let first: Maybe<Tensor> = null;
    if (node.needs(0)) {
      if (groups.mode !== 'max') first = sumBags(gg!, f, i!, o, groups);
      else {
        // In an empty bag no row has won; it names row 0.
        const taken = gg!.gather(0, w!.to(int64));
        first = taken.masked_fill(n!.eq(0).unsqueeze(1), 0);
      }
    }
    return [first, node.needs(1) ? factorsBackward(g!, gg!, f!, i!, o, groups) : null];
  });
}

/** The factors' gradient: products of rows with their bags' gradients. Linear in `grad` and in the weight. */
function factorsBackward(
  grad: Tensor,
  weight: Tensor,
  factors: Tensor,
  indices: Tensor,
  offsets: Maybe<Tensor>,
  groups: Groups,
): Tensor {
  const out = emptyTensor(grad.storage.backend, factors.sizes, grad.dtype);
  fill(out, 0);
  const dense = grad.contiguousNow ? grad : grad.detach().contiguous();
  embeddingBagFactorsBackward(out, dense, bagsOf(groups, weight, indices, offsets, null));
  finish(out, grad, weight);
  const save = [grad, weight, indices, offsets];
  const places = placesOf(save);
  return record(
    'EmbeddingBagPerSampleWeightsBackwardBackward0',
    out,
    [grad, weight],
    present(save),
    ([gg], tensors, node) => {
      const [g, w, i, o] = restore(tensors, places);
      return [
        node.needs(0) ? sumBags(w!, gg!, i!, o, groups) : null,
        node.needs(1) ? sumBagsBackward(g!, gg!, i!, o, null, null, groups) : null,
      ];
    },
  );
}

function embeddingBag(
  input: Tensor,
  weight: Tensor,
  offsets: Maybe<Tensor>,
  max_norm: Maybe<number>,
  _norm_type: number,
  scale_grad_by_freq: boolean,
  mode: string,
  sparse: boolean,
  per_sample_weights: Maybe<Tensor>,
  include_last_offset: boolean,
  padding_idx: Maybe<number>,
): Tensor {
  if (per_sample_weights !== null && !sameSizes(input.sizes, per_sample_weights.sizes)) {
    throw new ValueError(
      `embedding_bag: If per_sample_weights (${per_sample_weights.shape}) is not None, then it must have the same shape as the input (${input.shape})`,
    );
  }
  if (weight.sizes.length !== 2) {
    throw new ValueError(`weight has to be a 2D Tensor, but got Tensor of dimension ${weight.sizes.length}`);
  }
  checkOffsets(input, offsets);
  if (mode !== 'sum' && mode !== 'mean' && mode !== 'max') {
    throw new ValueError('mode has to be one of sum, mean or max');
  }
  if (mode === 'max' && scale_grad_by_freq) {
    throw new ValueError('max mode does not support scaling the gradient by the frequency');
  }
  if (mode === 'max' && sparse) throw new ValueError('max mode does not support sparse weights');
  refuse(max_norm, sparse);
  if (per_sample_weights !== null && mode !== 'sum') {
    throw new NotImplementedError(
      `embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got mode='${mode}'). Please open a feature request on GitHub.`,
    );
  }
  checkIndices(input, 'embedding_bag');
  if (offsets !== null && offsets.dtype !== int64 && offsets.dtype !== int32) {
    throw new RuntimeError(`expected scalar type Long but found ${offsets.dtype.scalarTypeName}`);
  }
  if (weight.dtype.category !== FLOAT_CATEGORY) {
    throw new RuntimeError(
      `Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, Float, Double; but got ${weight.dtype === bool ? 'CPUBoolType' : typeNameOf(weight)} instead (while checking arguments for embedding_bag)`,
    );
  }
  if (per_sample_weights !== null && per_sample_weights.dtype !== weight.dtype) {
    throw new RuntimeError(
      `Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 'per_sample_weights'; but type torch.${weight.dtype.tensorTypeName} does not equal torch.${per_sample_weights.dtype.tensorTypeName} (while checking arguments for embedding_bag)`,
    );
  }
  // Both in one dtype, as the kernels want them.
  const wide = offsets !== null && offsets.dtype !== input.dtype;
  return sumBags(weight, per_sample_weights, wide ? input.to(int64) : input, wide ? offsets.to(int64) : offsets, {
    mode,
    includeLastOffset: include_last_offset && offsets !== null,
    padding: paddingRow(padding_idx, weight.sizes[0]),
    scale: scale_grad_by_freq,
    rows: weight.sizes[0],
  });
}

function checkOffsets(input: Tensor, offsets: Maybe<Tensor>): void {
  const rank = input.sizes.length;
  if (rank === 2) {
    if (offsets !== null) {
      throw new ValueError(
        "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences. However, found offsets of type <class 'torch.Tensor'>",
      );
    }
  } else if (rank === 1) {
    if (offsets === null) throw new ValueError('offsets has to be a 1D Tensor but got None');
    if (offsets.sizes.length !== 1) throw new ValueError('offsets has to be a 1D Tensor');
  } else throw new ValueError(`input has to be 1D or 2D Tensor, but got Tensor of dimension ${rank}`);
}

define(
  {
    doc: 'Sums, means or maxima of bags of rows of weight: input [bags, n], or [n] with the offsets where bags begin.',
    functional: true,
    method: false,
  },
  {
    [`embedding_bag(Tensor input, Tensor weight, Tensor? offsets=None, float? max_norm=None, float norm_type=2, bool scale_grad_by_freq=False, str mode="mean", bool sparse=False, ${OPTIONS}`]:
      embeddingBag,
  },
);
