/**
 * Symbolic derivatives of scalar expressions, with PyTorch's conventions at the points where there is none: ties of
 * `maximum` and `minimum` give half to each side, `abs` has 0 at 0, rounding and comparisons have 0 everywhere, and
 * powers and `copysign` have PyTorch's values at 0. Results are simplified while they are made, and they refer to the
 * nodes they come from, so that a kernel that needs both computes them once.
 */
import * as e from './expr.ts';
import { type Expr, exprId, operands } from './expr.ts';

function isConst(x: Expr, value: number): boolean {
  return x.op === 'const' && x.value === value;
}

function neg(a: Expr): Expr {
  if (a.op === 'const') return e.constant(-a.value);
  return a.op === 'neg' ? a.args[0] : e.neg(a);
}

function add(a: Expr, b: Expr): Expr {
  if (a.op === 'const' && b.op === 'const') return e.constant(a.value + b.value);
  if (isConst(a, 0)) return b;
  if (isConst(b, 0)) return a;
  return b.op === 'neg' ? sub(a, b.args[0]) : e.add(a, b);
}

function sub(a: Expr, b: Expr): Expr {
  if (a.op === 'const' && b.op === 'const') return e.constant(a.value - b.value);
  if (isConst(a, 0)) return neg(b);
  if (isConst(b, 0)) return a;
  return b.op === 'neg' ? e.add(a, b.args[0]) : e.sub(a, b);
}

function mul(a: Expr, b: Expr): Expr {
  if (a.op !== 'const' && b.op === 'const') return mul(b, a);
  if (a.op === 'const') {
    if (b.op === 'const') return e.constant(a.value * b.value);
    if (a.value === 0) return a;
    if (a.value === 1) return b;
    if (a.value === -1) return neg(b);
    if (b.op === 'neg') return mul(e.constant(-a.value), b.args[0]);
    if (b.op === 'mul' && b.args[0].op === 'const') return mul(e.constant(a.value * b.args[0].value), b.args[1]);
  }
  if (a.op === 'neg') return neg(mul(a.args[0], b));
  if (b.op === 'neg') return neg(mul(a, b.args[0]));
  return e.mul(a, b);
}

function div(a: Expr, b: Expr): Expr {
  if (isConst(a, 0)) return a;
  if (isConst(b, 1)) return a;
  return a.op === 'neg' ? neg(div(a.args[0], b)) : e.div(a, b);
}

function where(condition: Expr, a: Expr, b: Expr): Expr {
  return exprId(a) === exprId(b) ? a : e.where(condition, a, b);
}

const ZERO = e.constant(0);
const ONE = e.constant(1);

/** d node / d its first operand, for the operations of one operand; null where it is 0. */
function slope(x: Expr, a: Expr): Expr | null {
  switch (x.op) {
    case 'neg':
      return e.constant(-1);
    case 'abs':
      return e.sign(a);
    case 'square':
      return mul(e.constant(2), a);
    case 'reciprocal':
      return neg(e.mul(x, x));
    case 'sqrt':
      return div(e.constant(0.5), x);
    case 'rsqrt':
      return mul(e.constant(-0.5), mul(x, mul(x, x)));
    case 'exp':
      return x;
    case 'exp2':
      return mul(e.constant(Math.LN2), x);
    case 'expm1':
      return add(x, ONE);
    case 'log':
      return div(ONE, a);
    case 'log2':
      return div(ONE, mul(e.constant(Math.LN2), a));
    case 'log10':
      return div(ONE, mul(e.constant(Math.LN10), a));
    case 'log1p':
      return div(ONE, add(a, ONE));
    case 'sin':
      return e.cos(a);
    case 'cos':
      return neg(e.sin(a));
    case 'tan':
      return add(mul(x, x), ONE);
    case 'asin':
      return e.rsqrt(sub(ONE, mul(a, a)));
    case 'acos':
      return neg(e.rsqrt(sub(ONE, mul(a, a))));
    case 'atan':
      return div(ONE, add(mul(a, a), ONE));
    case 'sinh':
      return e.cosh(a);
    case 'cosh':
      return e.sinh(a);
    case 'tanh':
      return sub(ONE, mul(x, x));
    case 'asinh':
      return e.rsqrt(add(mul(a, a), ONE));
    case 'acosh':
      return e.rsqrt(sub(mul(a, a), ONE));
    case 'atanh':
      return div(ONE, sub(ONE, mul(a, a)));
    case 'erf':
      return mul(e.constant(2 / Math.sqrt(Math.PI)), e.exp(neg(mul(a, a))));
    case 'erfc':
      return mul(e.constant(-2 / Math.sqrt(Math.PI)), e.exp(neg(mul(a, a))));
    case 'normcdf':
      return mul(e.constant(1 / Math.sqrt(2 * Math.PI)), e.exp(mul(e.constant(-0.5), mul(a, a))));
    case 'sigmoid':
      return mul(x, sub(ONE, x));
    default:
      return null;
  }
}

/** d node / d operand `which`, for the operations of two operands; null where it is 0. */
function slope2(x: Expr, a: Expr, b: Expr, which: 0 | 1): Expr | null {
  const first = which === 0;
  switch (x.op) {
    case 'add':
      return ONE;
    case 'sub':
      return e.constant(first ? 1 : -1);
    case 'mul':
      return first ? b : a;
    case 'div':
      return first ? div(ONE, b) : neg(div(x, b));
    case 'pow':
      return first ? powerSlope(a, b) : exponentSlope(x, a, b);
    case 'maximum':
    case 'minimum': {
      const [self, other] = first ? [a, b] : [b, a];
      const loses = x.op === 'maximum' ? e.lt(self, other) : e.gt(self, other);
      return where(e.eq(self, other), e.constant(0.5), where(loses, ZERO, ONE));
    }
    case 'fmod':
      return first ? ONE : neg(e.truncdiv(a, b));
    case 'remainder':
      return first ? ONE : neg(e.floordiv(a, b));
    case 'atan2': {
      const square = add(mul(a, a), mul(b, b));
      return first ? div(b, square) : neg(div(a, square));
    }
    case 'copysign':
      return first ? where(e.eq(a, ZERO), ZERO, div(x, a)) : null;
    default:
      return null;
  }
}

function powerSlope(a: Expr, b: Expr): Expr {
  if (b.op === 'const') {
    if (b.value === 0) return ZERO;
    if (b.value === 1) return ONE;
    if (b.value === 2) return mul(b, a);
    return mul(b, e.pow(a, b.value - 1));
  }
  return where(e.eq(b, ZERO), ZERO, mul(b, e.pow(a, sub(b, ONE))));
}

function exponentSlope(x: Expr, a: Expr, b: Expr): Expr {
  const atZero = e.and(e.eq(a, ZERO), e.ge(b, ZERO));
  return where(atZero, ZERO, mul(x, e.log(a)));
}

/**
 * The derivative of an expression with respect to input(index), as an expression over the same inputs and scalars;
 * null if it is 0 everywhere, as for an expression that does not contain that input.
 */
export function derivative(expr: Expr, index: number): Expr | null {
  const done = new Map<number, Expr | null>();
  const visit = (x: Expr): Expr | null => {
    if (x.op === 'input') return x.index === index ? ONE : null;
    if (!('args' in x)) return null;
    const id = exprId(x);
    const found = done.get(id);
    if (found !== undefined) return found;
    const result = rule(x);
    const value = result && isConst(result, 0) ? null : result;
    done.set(id, value);
    return value;
  };
  const chain = (outer: Expr | null, inner: Expr | null): Expr | null => {
    if (outer === null || inner === null || isConst(outer, 0)) return null;
    // A quotient of 1 takes the inner derivative as its numerator.
    if (outer.op === 'div' && isConst(outer.args[0], 1)) return div(inner, outer.args[1]);
    return mul(outer, inner);
  };
  const rule = (x: Expr): Expr | null => {
    if (x.op === 'where') {
      const a = visit(x.args[1]);
      const b = visit(x.args[2]);
      return a === null && b === null ? null : where(x.args[0], a ?? ZERO, b ?? ZERO);
    }
    const args = operands(x);
    if (args.length === 1) {
      const inner = visit(args[0]);
      return inner === null ? null : chain(slope(x, args[0]), inner);
    }
    const [a, b] = args;
    const da = visit(a);
    const db = visit(b);
    const left = da === null ? null : chain(slope2(x, a, b, 0), da);
    const right = db === null ? null : chain(slope2(x, a, b, 1), db);
    if (left === null) return right;
    return right === null ? left : add(left, right);
  };
  return visit(expr);
}

/** The indices of the operands that the expression reads, as numbers or as truth values, in rising order. */
export function inputsUsed(expr: Expr): number[] {
  const found = new Set<number>();
  const seen = new Set<number>();
  const visit = (x: Expr): void => {
    const id = exprId(x);
    if (seen.has(id)) return;
    seen.add(id);
    if (x.op === 'input' || x.op === 'raw') found.add(x.index);
    for (const a of operands(x)) visit(a);
  };
  visit(expr);
  return [...found].sort((a, b) => a - b);
}

/** Replaces leaves; nodes without a replaced leaf stay the same objects. */
function replaceLeaves(expr: Expr, leaf: (x: Expr) => Expr): Expr {
  const done = new Map<Expr, Expr>();
  const visit = (x: Expr): Expr => {
    if (!('args' in x)) return leaf(x);
    const found = done.get(x);
    if (found) return found;
    const args = x.args.map(visit);
    const same = args.every((a, i) => a === x.args[i]);
    const result = same ? x : ({ op: x.op, args } as unknown as Expr);
    done.set(x, result);
    return result;
  };
  return visit(expr);
}

/** Replaces input(i), and raw(i) by its truth, by an expression wherever the map has one. */
export function substitute(expr: Expr, replacements: ReadonlyMap<number, Expr>): Expr {
  return replaceLeaves(expr, (x) => {
    if (x.op !== 'input' && x.op !== 'raw') return x;
    const by = replacements.get(x.index);
    if (by === undefined) return x;
    if (x.op === 'input') return by;
    if (by.op === 'input') return e.raw(by.index);
    return e.isTruth(by) ? by : e.ne(by, ZERO);
  });
}

/** Makes operand `used[k]` operand k, for every k; `used` has all that the expression reads. */
export function renumberInputs(expr: Expr, used: readonly number[]): Expr {
  const renumbered = new Map(used.map((from, to) => [from, e.input(to)]));
  return substitute(expr, renumbered);
}
