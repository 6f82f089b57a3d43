/** `torch.nn.init`: filling tensors in place, with PyTorch's numbers in PyTorch's order. Nothing here is recorded. */
import { ValueError } from '../core/errors.ts';
import { warn } from '../core/warn.ts';
import { no_grad } from '../autograd/mode.ts';
import type { Generator } from '../ops/generator.ts';
import { needNumber, needTensor } from '../tensor/arguments.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { Signature } from './signature.ts';
import { pyStr } from './text.ts';

export { trunc_normal_ } from './init-truncated.ts';

export type Nonlinearity =
  | 'linear'
  | 'conv1d'
  | 'conv2d'
  | 'conv3d'
  | 'conv_transpose1d'
  | 'conv_transpose2d'
  | 'conv_transpose3d'
  | 'sigmoid'
  | 'tanh'
  | 'relu'
  | 'leaky_relu'
  | 'selu';

/** The recommended factor for the weights before a nonlinearity. @param param slope of leaky_relu, default 0.01 */
export function calculate_gain(nonlinearity: Nonlinearity, param?: number | null | { param?: number | null }): number;
export function calculate_gain(...args: unknown[]): number {
  const [nonlinearity, param] = CALCULATE_GAIN.bind(args) as [Nonlinearity, number | null];
  switch (nonlinearity) {
    case 'linear':
    case 'conv1d':
    case 'conv2d':
    case 'conv3d':
    case 'conv_transpose1d':
    case 'conv_transpose2d':
    case 'conv_transpose3d':
    case 'sigmoid':
      return 1;
    case 'tanh':
      return 5 / 3;
    case 'relu':
      return Math.sqrt(2);
    case 'leaky_relu': {
      if (param !== null && (typeof param !== 'number' || Number.isNaN(param))) {
        throw new ValueError(`negative_slope ${String(param)} not a valid number`);
      }
      const slope = param ?? 0.01;
      return Math.sqrt(2 / (1 + slope ** 2));
    }
    case 'selu':
      return 3 / 4;
    default:
      throw new ValueError(`Unsupported nonlinearity ${pyStr(nonlinearity)}`);
  }
}

const fill = (tensor: Tensor, draw: (x: Tensor) => void): Tensor => {
  needTensor(tensor, 'nn.init');
  no_grad(() => draw(tensor));
  return tensor;
};

const CALCULATE_GAIN = Signature.of('calculate_gain(nonlinearity, param=None)');
const CONSTANT = Signature.of('constant_(tensor, val)');
const ONES = Signature.of('ones_(tensor)');
const ZEROS = Signature.of('zeros_(tensor)');
const EYE = Signature.of('eye_(tensor)');
const UNIFORM = Signature.of('uniform_(tensor, a=0, b=1, generator=None)');
const NORMAL = Signature.of('normal_(tensor, mean=0, std=1, generator=None)');
const XAVIER_UNIFORM = Signature.of('xavier_uniform_(tensor, gain=1, generator=None)');
const XAVIER_NORMAL = Signature.of('xavier_normal_(tensor, gain=1, generator=None)');
const KAIMING_UNIFORM = Signature.of(
  "kaiming_uniform_(tensor, a=0, mode='fan_in', nonlinearity='leaky_relu', generator=None)",
);
const KAIMING_NORMAL = Signature.of(
  "kaiming_normal_(tensor, a=0, mode='fan_in', nonlinearity='leaky_relu', generator=None)",
);

interface Drawn {
  generator?: Generator | null;
}

/** Uniform numbers in [a, b). */
export function uniform_(tensor: Tensor, options?: { a?: number; b?: number } & Drawn): Tensor;
export function uniform_(tensor: Tensor, a: number, b: number, options?: Drawn): Tensor;
export function uniform_(...args: unknown[]): Tensor {
  const [tensor, a, b, generator] = UNIFORM.bind(args) as [Tensor, number, number, Generator | null];
  return fill(tensor, (x) => x.uniform_(a, b, { generator }));
}

/** Normal numbers. */
export function normal_(tensor: Tensor, options?: { mean?: number; std?: number } & Drawn): Tensor;
export function normal_(tensor: Tensor, mean: number, std?: number, options?: Drawn): Tensor;
export function normal_(...args: unknown[]): Tensor {
  const [tensor, mean, std, generator] = NORMAL.bind(args) as [Tensor, number, number, Generator | null];
  return fill(tensor, (x) => x.normal_(mean, std, { generator }));
}

/** Every element becomes val. */
export function constant_(tensor: Tensor, val: number | { val: number }): Tensor;
export function constant_(...args: unknown[]): Tensor {
  const [tensor, val] = CONSTANT.bind(args) as [Tensor, number];
  return fill(tensor, (x) => x.fill_(val));
}

/** Every element becomes 1. */
export function ones_(tensor: Tensor): Tensor;
export function ones_(...args: unknown[]): Tensor {
  const [tensor] = ONES.bind(args) as [Tensor];
  return fill(tensor, (x) => x.fill_(1));
}

/** Every element becomes 0. */
export function zeros_(tensor: Tensor): Tensor;
export function zeros_(...args: unknown[]): Tensor {
  const [tensor] = ZEROS.bind(args) as [Tensor];
  return fill(tensor, (x) => x.zero_());
}

/** The identity matrix. */
export function eye_(tensor: Tensor): Tensor;
export function eye_(...args: unknown[]): Tensor {
  const [tensor] = EYE.bind(args) as [Tensor];
  needTensor(tensor, 'eye_');
  if (tensor.ndim !== 2) throw new ValueError('Only tensors with 2 dimensions are supported');
  return fill(tensor, (x) => {
    x.zero_();
    const [rows, columns] = x.sizes;
    const [row, column] = x.strides;
    x.as_strided([Math.min(rows, columns)], [row + column], x.offset).fill_(1);
  });
}

function fans(tensor: Tensor): [number, number] {
  needTensor(tensor, 'nn.init');
  if (tensor.ndim < 2) {
    throw new ValueError('Fan in and fan out can not be computed for tensor with fewer than 2 dimensions');
  }
  const field = tensor.sizes.slice(2).reduce((product, size) => product * size, 1);
  return [tensor.sizes[1] * field, tensor.sizes[0] * field];
}

/** Uniform numbers such that the variance of both activations and gradients stays (Glorot). */
export function xavier_uniform_(tensor: Tensor, options?: { gain?: number } & Drawn): Tensor;
export function xavier_uniform_(tensor: Tensor, gain: number, options?: Drawn): Tensor;
export function xavier_uniform_(...args: unknown[]): Tensor {
  const [tensor, given, generator] = XAVIER_UNIFORM.bind(args) as [Tensor, unknown, Generator | null];
  const gain = needNumber(given, 'xavier_uniform_', 'gain', 2);
  const [fanIn, fanOut] = fans(tensor);
  const bound = Math.sqrt(3) * (gain * Math.sqrt(2 / (fanIn + fanOut)));
  return fill(tensor, (x) => x.uniform_(-bound, bound, { generator }));
}

/** Normal numbers such that the variance of both activations and gradients stays (Glorot). */
export function xavier_normal_(tensor: Tensor, options?: { gain?: number } & Drawn): Tensor;
export function xavier_normal_(tensor: Tensor, gain: number, options?: Drawn): Tensor;
export function xavier_normal_(...args: unknown[]): Tensor {
  const [tensor, given, generator] = XAVIER_NORMAL.bind(args) as [Tensor, unknown, Generator | null];
  const gain = needNumber(given, 'xavier_normal_', 'gain', 2);
  const [fanIn, fanOut] = fans(tensor);
  return fill(tensor, (x) => x.normal_(0, gain * Math.sqrt(2 / (fanIn + fanOut)), { generator }));
}

type FanMode = 'fan_in' | 'fan_out';

/** The standard deviation of He's initialisation. */
function kaimingDeviation(tensor: Tensor, a: number, mode: FanMode, nonlinearity: Nonlinearity): number {
  const wanted = pyStr(mode).toLowerCase();
  if (wanted !== 'fan_in' && wanted !== 'fan_out') {
    throw new ValueError(`Mode ${wanted} not supported, please use one of ['fan_in', 'fan_out']`);
  }
  const [fanIn, fanOut] = fans(tensor);
  return calculate_gain(nonlinearity, a) / Math.sqrt(wanted === 'fan_in' ? fanIn : fanOut);
}

interface Kaiming extends Drawn {
  a?: number;
  mode?: FanMode;
  nonlinearity?: Nonlinearity;
}

type KaimingArguments = [Tensor, number, FanMode, Nonlinearity, Generator | null];

/** Uniform numbers such that the variance of activations (or gradients) stays through rectifiers (He). */
export function kaiming_uniform_(tensor: Tensor, options?: Kaiming): Tensor;
export function kaiming_uniform_(
  tensor: Tensor,
  a: number,
  mode?: FanMode,
  nonlinearity?: Nonlinearity,
  options?: Drawn,
): Tensor;
export function kaiming_uniform_(...args: unknown[]): Tensor {
  const [tensor, a, mode, nonlinearity, generator] = KAIMING_UNIFORM.bind(args) as KaimingArguments;
  if (nothingToFill(tensor)) return tensor;
  const bound = Math.sqrt(3) * kaimingDeviation(tensor, a, mode, nonlinearity);
  return fill(tensor, (x) => x.uniform_(-bound, bound, { generator }));
}

/** Normal numbers such that the variance of activations (or gradients) stays through rectifiers (He). */
export function kaiming_normal_(tensor: Tensor, options?: Kaiming): Tensor;
export function kaiming_normal_(
  tensor: Tensor,
  a: number,
  mode?: FanMode,
  nonlinearity?: Nonlinearity,
  options?: Drawn,
): Tensor;
export function kaiming_normal_(...args: unknown[]): Tensor {
  const [tensor, a, mode, nonlinearity, generator] = KAIMING_NORMAL.bind(args) as KaimingArguments;
  if (nothingToFill(tensor)) return tensor;
  const deviation = kaimingDeviation(tensor, a, mode, nonlinearity);
  return fill(tensor, (x) => x.normal_(0, deviation, { generator }));
}

function nothingToFill(tensor: Tensor): boolean {
  needTensor(tensor, 'nn.init');
  if (!tensor.sizes.includes(0)) return false;
  warn('Initializing zero-element tensors is a no-op');
  return true;
}

/** Bounds of default biases: 1 / sqrt(inputs). For modules. */
export function biasBound(weight: Tensor): number {
  const [fanIn] = fans(weight);
  return fanIn > 0 ? 1 / Math.sqrt(fanIn) : 0;
}
