/** `nn.init.trunc_normal_`: normal numbers between two bounds, drawn again until they lie between them. */
import { float64 } from '../core/dtype.ts';
import { warn } from '../core/warn.ts';
import { no_grad } from '../autograd/mode.ts';
import type { Generator } from '../ops/generator.ts';
import { needNumber, needTensor } from '../tensor/arguments.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { empty_like, tensor as makeTensor, where } from '../torch/factories.ts';
import { Signature } from './signature.ts';

const INIT = Signature.of('trunc_normal_(tensor, mean=0, std=1, a=-2, b=2, generator=None)');

interface Options {
  mean?: number;
  std?: number;
  /** Lower bound. */
  a?: number;
  /** Upper bound. */
  b?: number;
  generator?: Generator | null;
}

/** The normal distribution function. */
function distribution(x: number): number {
  const erf = makeTensor(x / Math.SQRT2, { dtype: float64, device: 'cpu' }).erf();
  return (1 + (erf.item() as number)) / 2;
}

/** Normal numbers between a (-2) and b (2). */
export function trunc_normal_(tensor: Tensor, options?: Options): Tensor;
export function trunc_normal_(
  tensor: Tensor,
  mean: number,
  std?: number,
  a?: number,
  b?: number,
  options?: Pick<Options, 'generator'>,
): Tensor;
export function trunc_normal_(...args: unknown[]): Tensor {
  const [x, ...given] = INIT.bind(args);
  needTensor(x, 'trunc_normal_');
  const generator = given.pop() as Generator | null;
  const [mean, std, a, b] = given.map((v, i) => needNumber(v, 'trunc_normal_', ['mean', 'std', 'a', 'b'][i], i + 2));
  if (x.is_meta) return x;
  if (mean < a - 2 * std || mean > b + 2 * std) {
    warn('mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect.');
  }
  return no_grad(() => {
    const share = distribution((b - mean) / std) - distribution((a - mean) / std);
    // Where most normal numbers fit they are drawn as such, otherwise uniform ones are accepted by their density.
    if (share > 0.3) drawNormal(x, mean, std, a, b, generator);
    else drawUniform(x, mean, std, a, b, generator);
    return x;
  });
}

function drawNormal(x: Tensor, mean: number, std: number, a: number, b: number, generator: Generator | null): void {
  // The bounds as the dtype has them.
  const [low, high] = makeTensor([a, b], { dtype: x.dtype, device: 'cpu' }).tolist() as number[];
  let result = x.normal_(mean, std, { generator }) as Tensor;
  for (;;) {
    const outside = result.ne(result.clamp(low, high));
    if (!outside.any().item()) break;
    result = where(outside, empty_like(result).normal_(mean, std, { generator }), result);
  }
  if (result !== x) x.copy_(result);
}

function drawUniform(x: Tensor, mean: number, std: number, a: number, b: number, generator: Generator | null): void {
  const mode = Math.max(a, Math.min(mean, b));
  const peak = -0.5 * ((mode - mean) / std) ** 2;
  /** Whether each candidate is refused: its density is below a uniform number's. */
  const refused = (candidates: Tensor): Tensor => {
    const density = candidates.sub(mean).div(std).pow(2).mul(-0.5).sub(peak);
    return empty_like(x).uniform_(0, 1, { generator }).log().gt(density);
  };
  let result = x.uniform_(a, b, { generator }) as Tensor;
  let pending = refused(result);
  while (pending.any().item()) {
    const candidates = empty_like(x).uniform_(a, b, { generator });
    result = where(pending, candidates, result);
    pending = where(pending, refused(candidates), pending);
  }
  if (result !== x) x.copy_(result);
}
