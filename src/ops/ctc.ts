/** ctc_loss: connectionist temporal classification, the loss of sequences that are not aligned with their labels. */
import { mode } from '../autograd/mode.ts';
import { record } from '../autograd/record.ts';
import { BOOL_CATEGORY, type DType, FLOAT_CATEGORY, float32, float64, int64 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { type CtcOperands, ctc, ctcBackward } from '../kernels/ctc.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { FLAG_INFERENCE, Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { tensorFromData } from './from-data.ts';
import { reductionOf } from './losses.ts';
import { reduced } from './losses-likelihood.ts';
import { define } from './registry.ts';

const WHERE = '(while checking arguments for ctc_loss_allocate_outputs)';

function checkLengths(name: string, lengths: readonly number[], samples: number, most: number): void {
  if (lengths.length !== samples) throw new RuntimeError(`${name} must be of size batch_size`);
  for (const length of lengths) {
    if (length < 0) {
      throw new RuntimeError(`Expected ${name} to have value at least 0, but got value ${length} ${WHERE}`);
    }
    if (length > most) {
      throw new RuntimeError(`Expected ${name} to have value at most ${most}, but got value ${length} ${WHERE}`);
    }
  }
}

/** For each sample: input length, target length, where its targets begin among all. */
function layout(targets: Tensor, inputLengths: readonly number[], targetLengths: readonly number[]): number[][] {
  const rank = targets.sizes.length;
  const samples = targetLengths.length;
  const longest = Math.max(0, ...targetLengths);
  if (rank !== 1 && rank !== 2) {
    throw new RuntimeError(
      `Expected 1 to 2 dimensions, but got ${rank}-dimensional tensor for argument #2 'targets' ${WHERE}`,
    );
  }
  const total = targetLengths.reduce((sum, length) => sum + length, 0);
  const [count, wanted] = rank === 1 ? [targets.length, total] : [targets.sizes[0], samples];
  if (count !== wanted) {
    throw new RuntimeError(
      `Expected tensor to have size ${wanted} at dimension 0, but got size ${count} for argument #2 'targets' ${WHERE}`,
    );
  }
  if (rank === 2 && targets.sizes[1] < longest) {
    throw new RuntimeError(
      `Expected tensor to have size at least ${longest} at dimension 1, but got size ${targets.sizes[1]} for argument #2 'targets' ${WHERE}`,
    );
  }
  let next = 0;
  return targetLengths.map((length, i) => {
    const row = [inputLengths[i], length, rank === 2 ? i * targets.sizes[1] : next];
    next += length;
    return row;
  });
}

const SUPPORTED: readonly DType[] = [float32, float64];

/** Losses by sample, of log_probs [time, samples, classes]. */
function losses(
  x: Tensor,
  targets: Tensor,
  inputLengths: readonly number[],
  targetLengths: readonly number[],
  blank: number,
  zeroInfinity: boolean,
): Tensor {
  const [time, samples, classes] = x.sizes;
  if (!SUPPORTED.includes(x.dtype)) {
    throw new NotImplementedError(`"ctc_loss_cpu" not implemented for '${x.dtype.scalarTypeName}'`);
  }
  if (x.length === 0) throw new RuntimeError('log_probs tensor must not be empty');
  if (!(blank >= 0 && blank < classes)) throw new RuntimeError('blank must be in label range');
  checkLengths('input_lengths', inputLengths, samples, time);
  checkLengths('target_lengths', targetLengths, samples, Infinity);
  const rows = layout(targets, inputLengths, targetLengths);
  const backend = sameBackend('ctc_loss', [x, targets], ['log_probs', 'targets']);
  const states = 2 * Math.max(0, ...targetLengths) + 1;
  const alpha = emptyTensor(backend, [samples, Math.max(1, ...inputLengths), states], x.dtype);
  const loss = emptyTensor(backend, [samples], x.dtype);
  const operands = (values: Tensor, labels: Tensor, sums: Tensor, result: Tensor): CtcOperands => ({
    x: values,
    targets: labels.to(int64).contiguous(),
    lengths: tensorFromData(rows, int64, backend),
    alpha: sums,
    loss: result,
    blank,
  });
  ctc(operands(x, targets, alpha, loss));
  if (mode.inference) loss.flags |= FLAG_INFERENCE;
  const save = [x, targets, alpha, loss];
  const recorded = record('CtcLossBackward0', loss, [x], save, ([grad], [values, labels, sums, result]) => {
    const out = emptyTensor(backend, values.sizes, values.dtype);
    const beta = emptyTensor(backend, sums.sizes, values.dtype);
    ctcBackward(out, grad!, beta, zeroInfinity, operands(values, labels, sums, result));
    beta.storage.freeNow();
    return record('NotImplemented', out, [grad!, values], [], () => {
      throw new RuntimeError('derivative for aten::_ctc_loss_backward is not implemented');
    });
  });
  if (recorded.node === null) alpha.storage.freeNow();
  return recorded;
}

/** Lengths as numbers; reading a tensor waits for its device. */
function numbers(name: string, lengths: Tensor | readonly number[]): number[] {
  if (!(lengths instanceof Tensor)) return lengths.slice();
  const { category } = lengths.dtype;
  if (category === FLOAT_CATEGORY || category === BOOL_CATEGORY) {
    throw new RuntimeError(`${name} must be integral`);
  }
  return [lengths.tolist()].flat().map(Number);
}

function ctcLoss(
  log_probs: Tensor,
  targets: Tensor,
  input_lengths: Tensor | readonly number[],
  target_lengths: Tensor | readonly number[],
  blank: number,
  reduction: string,
  zero_infinity: boolean,
): Tensor {
  const chosen = reductionOf(null, null, reduction);
  const inputs = numbers('input_lengths', input_lengths);
  const labels = numbers('target_lengths', target_lengths);
  const batched = log_probs.sizes.length === 3;
  const x = batched ? log_probs : log_probs.unsqueeze(1);
  let each = losses(x, targets, inputs, labels, blank, zero_infinity);
  if (zero_infinity) each = each.new_zeros([]).where(each.eq(Infinity), each);
  if (chosen === 'mean') {
    const counts = labels.map((length) => Math.max(length, 1));
    return each.div(tensorFromData(counts, each.dtype, each.storage.backend)).mean();
  }
  if (chosen === 'sum') return each.sum();
  return batched ? reduced(each, chosen) : each.squeeze(0);
}

const REST = 'int blank=0, str reduction="mean", bool zero_infinity=False';
define(
  {
    doc: 'Connectionist temporal classification of log-probabilities [T, N, C] or [T, C] with targets [N, S] or one after the other; lengths are lists or tensors. "mean" divides each loss by its target length first.',
    functional: true,
    method: false,
  },
  {
    [`ctc_loss(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, ${REST}) -> Tensor`]:
      ctcLoss,
    [`ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, ${REST}) -> Tensor`]:
      ctcLoss,
  },
);
