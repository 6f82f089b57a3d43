/** `optim.LBFGS`: steps along an estimate of Newton's direction, from the last changes of parameters and gradients. */
import { RuntimeError, ValueError } from '../core/errors.ts';
import { Signature } from '../core/signature.ts';
import { enable_grad, no_grad } from '../autograd/mode.ts';
import { heldStorage, type Tensor } from '../tensor/tensor.ts';
import { cat, zeros } from '../torch/factories.ts';
import { type Point, strongWolfe } from './line-search.ts';
import { Optimizer, type ParamsInput } from './optimizer.ts';
import { checkRate, numberOf } from './options.ts';
import { keep, type ParamState } from './state.ts';

export interface LBFGSOptions {
  /** Default: 1. */
  lr?: number | Tensor;
  /** Iterations of a step. Default: 20. */
  max_iter?: number;
  /** Evaluations of the closure in a step. Default: 1.25 max_iter. */
  max_eval?: number | null;
  /** A step ends when no element of the gradient is larger. Default: 1e-7. */
  tolerance_grad?: number;
  /** A step ends when loss or parameters change by less. Default: 1e-9. */
  tolerance_change?: number;
  /** How many changes are kept: each is as large as all parameters, twice. Default: 100. */
  history_size?: number;
  /** How far to go: `'strong_wolfe'`, or `lr` times the direction. Default: null. */
  line_search_fn?: 'strong_wolfe' | null;
}

const INIT = Signature.of(
  'LBFGS.__init__(self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-07, tolerance_change=1e-09, history_size=100, line_search_fn=None)',
);
const STEP = Signature.of('LBFGS.step(self, closure)');

/** What is kept, under PyTorch's names, at the first parameter. PyTorch has tensors of one element for some of the numbers. */
interface Kept extends ParamState {
  func_evals: number;
  n_iter: number;
  /** The last direction and how far it was gone. */
  d?: Tensor;
  t?: number | Tensor;
  /** Changes of the gradient and of the parameters, the oldest first, and one over their product. */
  old_dirs?: Tensor[];
  old_stps?: Tensor[];
  ro?: (number | Tensor)[];
  /** The scale of the first estimate. */
  H_diag?: number | Tensor;
  prev_flat_grad?: Tensor;
  prev_loss?: number;
}

export class LBFGS extends Optimizer {
  constructor(params: ParamsInput, options?: LBFGSOptions);
  constructor(params: ParamsInput, lr: number | Tensor, options?: LBFGSOptions);
  constructor(...args: unknown[]) {
    const [params, lr, max_iter, max_eval, tolerance_grad, tolerance_change, history_size, line_search_fn] = INIT.bind(
      args,
    ) as [ParamsInput, number, number, number | null, number, number, number, string | null];
    checkRate(lr);
    const evaluations = max_eval ?? Math.floor((max_iter * 5) / 4);
    super(params, {
      ...{ lr, max_iter, max_eval: evaluations, tolerance_grad, tolerance_change, history_size, line_search_fn },
    });
    if (this.param_groups.length !== 1) {
      throw new ValueError("LBFGS doesn't support per-parameter options (parameter groups)");
    }
  }

  /**
   * Several iterations, each of which evaluates the closure at least once.
   *
   * @param closure zeroes the gradients, evaluates the model, calls `backward` and returns the loss
   * @returns the loss before the step
   */
  override step(): never;
  override step<T>(closure: () => T): T;
  override step(...args: unknown[]): unknown {
    const [closure] = STEP.bind(args) as [() => unknown];
    return no_grad(() => this.minimise(() => enable_grad(closure)));
  }

  private minimise(closure: () => unknown): unknown {
    const [group] = this.param_groups;
    const { params } = group;
    const { max_iter, max_eval, tolerance_grad, tolerance_change, history_size, line_search_fn } = group as unknown as {
      [name: string]: number;
    } & { line_search_fn: string | null };
    if (line_search_fn !== null && line_search_fn !== 'strong_wolfe') {
      throw new RuntimeError("only 'strong_wolfe' is supported");
    }
    const lr = numberOf(group['lr']);
    const kept = this.keptOf(params[0]);
    const first = closure();
    let loss = numberOf(first);
    let evaluations = 1;
    kept.func_evals++;
    let gradient = flatGradient(params);
    if (largest(gradient) <= tolerance_grad) return first;

    let direction = kept.d;
    let length = numberOf(kept.t ?? 0);
    let before = kept.prev_flat_grad;
    let lossBefore = kept.prev_loss ?? 0;
    for (let i = 1; i <= max_iter; i++) {
      kept.n_iter++;
      const begins = kept.n_iter === 1;
      if (begins) {
        direction = gradient.neg();
        Object.assign(kept, { old_dirs: [], old_stps: [], ro: [], H_diag: 1 });
      } else {
        remember(kept, gradient.sub(before!), direction!.mul(length), history_size, params[0]);
        direction = newton(kept, gradient);
      }
      before = gradient;
      lossBefore = loss;
      length = begins ? Math.min(1, 1 / number(gradient.abs().sum())) * lr : lr;
      const slope = number(gradient.dot(direction));
      if (slope > -tolerance_change) break;

      let used = 0;
      if (line_search_fn === null) {
        move(params, direction, length);
        if (i !== max_iter) {
          loss = numberOf(closure());
          gradient = flatGradient(params);
          used = 1;
        }
      } else {
        const found = search(params, closure, direction, { t: 0, f: loss, g: gradient, slope }, length, {
          evaluations: max_eval - evaluations,
          tolerance: tolerance_change,
        });
        ({ f: loss, g: gradient, t: length } = found.point);
        used = found.evaluations;
        move(params, direction, length);
      }
      evaluations += used;
      kept.func_evals += used;
      if (i === max_iter || evaluations >= max_eval || largest(gradient) <= tolerance_grad) break;
      if (largest(direction) * Math.abs(length) <= tolerance_change) break;
      if (Math.abs(loss - lossBefore) < tolerance_change) break;
    }
    replace(kept, 'd', direction!, params[0]);
    replace(kept, 'prev_flat_grad', before!, params[0]);
    kept.t = length;
    kept.prev_loss = lossBefore;
    return first;
  }

  private keptOf(param: Tensor): Kept {
    let kept = this.state.get(param) as Kept | undefined;
    if (kept === undefined) this.state.set(param, (kept = { func_evals: 0, n_iter: 0 }));
    return kept;
  }
}

const number = (x: Tensor): number => x.item() as number;
const largest = (x: Tensor): number => number(x.abs().max());

/** All gradients in one vector; those that are not there count as 0. */
function flatGradient(params: readonly Tensor[]): Tensor {
  return cat(
    params.map((x) => (x.grad === null ? zeros([x.length], { dtype: x.dtype, device: x.device }) : x.grad.view(-1))),
  );
}

/** Goes along a direction that is one vector for all parameters. */
function move(params: readonly Tensor[], direction: Tensor, length: number): void {
  let at = 0;
  for (const x of params) {
    x.add_(direction.narrow(0, at, x.length).view_as(x), { alpha: length });
    at += x.length;
  }
}

/** Adds a change of gradient and parameters to those that are kept, if the loss is convex there. */
function remember(kept: Kept, gradients: Tensor, steps: Tensor, most: number, owner: Tensor): void {
  const product = number(gradients.dot(steps));
  if (product <= 1e-10) return;
  const [dirs, stps, ro] = [kept.old_dirs!, kept.old_stps!, kept.ro!];
  if (dirs.length === most) {
    release(dirs.shift()!);
    release(stps.shift()!);
    ro.shift();
  }
  dirs.push(keep(gradients, owner));
  stps.push(keep(steps, owner));
  ro.push(1 / product);
  kept.H_diag = product / number(gradients.dot(gradients));
}

/** The direction downwards: minus the gradient times the estimate of the inverse of the second derivatives. */
function newton(kept: Kept, gradient: Tensor): Tensor {
  const [dirs, stps] = [kept.old_dirs!, kept.old_stps!];
  const ro = kept.ro!.map(numberOf);
  const shares = new Array<number>(dirs.length);
  const direction = gradient.neg();
  for (let i = dirs.length - 1; i >= 0; i--) {
    shares[i] = number(stps[i].dot(direction)) * ro[i];
    direction.add_(dirs[i], { alpha: -shares[i] });
  }
  direction.mul_(numberOf(kept.H_diag));
  for (let i = 0; i < dirs.length; i++) {
    const share = number(dirs[i].dot(direction)) * ro[i];
    direction.add_(stps[i], { alpha: shares[i] - share });
  }
  return direction;
}

/** How far to go along a direction. The parameters are where they were afterwards. */
function search(
  params: readonly Tensor[],
  closure: () => unknown,
  direction: Tensor,
  start: Point<Tensor>,
  length: number,
  { evaluations, tolerance }: { evaluations: number; tolerance: number },
): { point: Point<Tensor>; evaluations: number } {
  const origin = params.map((x) => x.clone());
  const evaluate = (t: number): Point<Tensor> => {
    move(params, direction, t);
    const f = numberOf(closure());
    const g = flatGradient(params);
    params.forEach((x, i) => {
      x.copy_(origin[i]);
    });
    return { t, f, g, slope: number(g.dot(direction)) };
  };
  return strongWolfe(evaluate, start, length, { evaluations, tolerance: tolerance / largest(direction) });
}

function replace(kept: Kept, name: 'd' | 'prev_flat_grad', next: Tensor, owner: Tensor): void {
  const old = kept[name];
  if (old === next) return;
  if (old !== undefined) release(old);
  kept[name] = keep(next, owner);
}

function release(x: Tensor): void {
  const storage = heldStorage(x);
  if (storage !== null && storage.record.holds > 0) storage.unhold();
}
