/** Values of scalar expressions on the host, in float64: what a step's number decides is computed once, not for every element. */
import { NotImplementedError } from '../core/errors.ts';
import type { Expr } from '../kernels/expr.ts';

/** The value of an expression of numbers. Truth values are 0 and 1. */
export function evaluate(expr: Expr, inputs: ArrayLike<number>, scalars: ArrayLike<number>): number {
  switch (expr.op) {
    case 'const':
      return expr.value;
    case 'input':
      return inputs[expr.index];
    case 'scalar':
      return scalars[expr.index];
    default:
  }
  if (!('args' in expr)) throw new NotImplementedError(`evaluate: ${expr.op}`);
  const at = (i: number): number => evaluate((expr.args as readonly Expr[])[i], inputs, scalars);
  switch (expr.op) {
    case 'add':
      return at(0) + at(1);
    case 'sub':
      return at(0) - at(1);
    case 'mul':
      return at(0) * at(1);
    case 'div':
      return at(0) / at(1);
    case 'pow':
      return at(0) ** at(1);
    case 'neg':
      return -at(0);
    case 'sqrt':
      return Math.sqrt(at(0));
    case 'maximum':
      return Math.max(at(0), at(1));
    case 'gt':
      return at(0) > at(1) ? 1 : 0;
    case 'where':
      return at(0) !== 0 ? at(1) : at(2);
    default:
      throw new NotImplementedError(`evaluate: ${expr.op}`);
  }
}
