/** Dropout in `torch.nn.functional`: of elements and of channels, plain and for selu. */
import { RuntimeError, ValueError } from '../core/errors.ts';
import { warnOnce } from '../core/warn.ts';
import { needNumber, needTensor } from '../tensor/arguments.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { functions as torch } from '../torch/attach.ts';
import type { Inplace } from './functional-activations.ts';
import { Signature } from './signature.ts';
import { pyNumber } from './text.ts';

interface DropoutOptions extends Inplace {
  /** Probability of being dropped. Default: 0.5. */
  p?: number;
  /** Whether anything is dropped at all. */
  training?: boolean;
}

/** A dropout function: training defaults to true, for the alpha forms to false. */
interface Dropping {
  /** While training, drops elements (or whole channels) with probability p. */
  (input: Tensor, options?: DropoutOptions): Tensor;
  (input: Tensor, p: number, options?: Omit<DropoutOptions, 'p'>): Tensor;
  (input: Tensor, p: number, training: boolean, inplace?: boolean | Inplace): Tensor;
}

export interface DropoutFunctions {
  /** During training zeroes elements with probability p and scales the others by 1 / (1 - p). */
  dropout: Dropping;
  /** During training zeroes channels of [N, C, L] or [C, L] with probability p and scales the others by 1 / (1 - p). */
  dropout1d: Dropping;
  /** During training zeroes channels of [N, C, H, W] with probability p and scales the others by 1 / (1 - p). */
  dropout2d: Dropping;
  /** During training zeroes channels of [N, C, D, H, W] or [C, D, H, W] with probability p and scales the others. */
  dropout3d: Dropping;
  /** During training (default: false) drops elements to the lowest value of selu, and keeps mean and variance. */
  alpha_dropout: Dropping;
  /** During training (default: false) drops channels to the lowest value of selu, and keeps mean and variance. */
  feature_alpha_dropout: Dropping;
}

type Kind = 'dropout' | 'feature_dropout' | 'alpha_dropout' | 'feature_alpha_dropout';

const ops = torch as unknown as Record<string, (input: Tensor, p: number, train: boolean) => Tensor>;

/**
 * @param channels looks at the input before channels are dropped; true where the first dimension is missing, so that the
 *   channels are in dimension 0
 */
function dropping(name: string, kind: Kind, training: boolean, channels?: (input: Tensor) => boolean): Dropping {
  const signature = Signature.of(`${name}(input, p=0.5, training=${training ? 'True' : 'False'}, inplace=False)`);
  return ((...args: unknown[]) => {
    const [input, given, train, inplace] = signature.bind(args) as [Tensor, unknown, boolean, boolean];
    needTensor(input, name, 'input');
    const p = needNumber(given, name, 'p', 2);
    if (!(p >= 0 && p <= 1)) {
      throw new ValueError(`dropout probability has to be between 0 and 1, but got ${pyNumber(p)}`);
    }
    const op = ops[inplace ? `${kind}_` : kind];
    if (channels === undefined || !channels(input)) return op(input, p, train);
    return inplace ? op(input.unsqueeze_(0), p, train).squeeze_(0) : op(input.unsqueeze(0), p, train).squeeze(0);
  }) as Dropping;
}

const DEPRECATED = 'which is deprecated and will result in an error in a future release.';

export const dropoutFunctions: DropoutFunctions = {
  dropout: dropping('dropout', 'dropout', true),
  alpha_dropout: dropping('alpha_dropout', 'alpha_dropout', false),
  feature_alpha_dropout: dropping('feature_alpha_dropout', 'feature_alpha_dropout', false),
  dropout1d: dropping('dropout1d', 'feature_dropout', true, ({ sizes: { length } }) => {
    if (length !== 2 && length !== 3) {
      throw new RuntimeError(
        `dropout1d: Expected 2D or 3D input, but received a ${length}D input. Note that dropout1d exists to provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch dimension (i.e. 2D or 3D inputs).`,
      );
    }
    return length === 2;
  }),
  dropout2d: dropping('dropout2d', 'feature_dropout', true, ({ sizes: { length } }) => {
    if (length !== 3 && length !== 4) {
      warnOnce(
        `dropout2d: Received a ${length}-D input to dropout2d, ${DEPRECATED} To retain the behavior and silence this warning, please use dropout instead. Note that dropout2d exists to provide channel-wise dropout on inputs with 2 spatial dimensions, a channel dimension, and an optional batch dimension (i.e. 3D or 4D inputs).`,
      );
    }
    if (length === 3) {
      warnOnce(
        'dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a future release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise dropout behavior, please switch to using dropout1d instead.',
      );
    }
    return false;
  }),
  dropout3d: dropping('dropout3d', 'feature_dropout', true, ({ sizes: { length } }) => {
    if (length !== 4 && length !== 5) {
      warnOnce(
        `dropout3d: Received a ${length}-D input to dropout3d, ${DEPRECATED} To retain the behavior and silence this warning, please use dropout instead. Note that dropout3d exists to provide channel-wise dropout on inputs with 3 spatial dimensions, a channel dimension, and an optional batch dimension (i.e. 4D or 5D inputs).`,
      );
    }
    return length !== 5;
  }),
};
