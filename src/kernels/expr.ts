/**
 * Scalar expressions: the small trees that pointwise code is made of. A tree is plain data. The WebAssembly generator
 * renders it (later also WGSL), `derivative.ts` differentiates it, and its structural key makes equal kernels one.
 *
 * A tree has no dtypes of its own. When a kernel is specialised, it is given a compute dtype; `input(i)` reads operand
 * i and converts it to that, `raw(i)` reads operand i as a truth value (anything but 0 is true), comparisons give truth
 * values, and everything else works in the compute dtype (float32 for the half types).
 */

// biome-ignore format: a table
export type UnaryName =
  | 'neg' | 'abs' | 'sign' | 'square' | 'reciprocal'
  | 'sqrt' | 'rsqrt'
  | 'exp' | 'exp2' | 'expm1' | 'log' | 'log2' | 'log10' | 'log1p'
  | 'sin' | 'cos' | 'tan' | 'asin' | 'acos' | 'atan' | 'sinh' | 'cosh' | 'tanh' | 'asinh' | 'acosh' | 'atanh'
  | 'erf' | 'erfc' | 'normcdf' | 'sigmoid'
  | 'floor' | 'ceil' | 'trunc' | 'round'
  | 'bitnot';

/**
 * `div` is true division; `fmod`, `remainder`, `floordiv` and `truncdiv` have PyTorch's signs. `maximum`/`minimum`
 * propagate NaN. At an integer compute dtype `div` truncates too, and a zero divisor is a fault.
 */
// biome-ignore format: a table
export type BinaryName =
  | 'add' | 'sub' | 'mul' | 'div' | 'pow' | 'maximum' | 'minimum' | 'fmod' | 'remainder' | 'floordiv' | 'truncdiv'
  | 'atan2' | 'copysign' | 'bitand' | 'bitor' | 'bitxor' | 'shl' | 'shr';

/** Comparisons of two compute values. They give a truth value. */
export type CompareName = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge';

/** Operations on truth values, and tests of a compute value. */
export type LogicName = 'and' | 'or' | 'not' | 'isnan' | 'isinf' | 'isfinite';

export type Expr =
  | { readonly op: 'input'; readonly index: number }
  | { readonly op: 'raw'; readonly index: number }
  /** Launch argument number `index`; never part of the compiled code, so one kernel serves every value. */
  | { readonly op: 'scalar'; readonly index: number }
  | { readonly op: 'const'; readonly value: number }
  /** A truth value as 0 or 1 of the compute dtype. */
  | { readonly op: 'number'; readonly args: readonly [Expr] }
  | { readonly op: 'where'; readonly args: readonly [Expr, Expr, Expr] }
  | { readonly op: UnaryOp; readonly args: readonly [Expr] }
  | { readonly op: BinaryOp; readonly args: readonly [Expr, Expr] };

export type UnaryOp = UnaryName | 'not' | 'isnan' | 'isinf' | 'isfinite';
export type BinaryOp = BinaryName | CompareName | 'and' | 'or';

/** Anything where an expression is wanted: a number is a constant. */
export type ExprLike = Expr | number;

function toExpr(e: ExprLike): Expr {
  return typeof e === 'number' ? { op: 'const', value: e } : e;
}
function unary(op: UnaryOp) {
  return (a: ExprLike): Expr => ({ op, args: [toExpr(a)] });
}
function binary(op: BinaryOp) {
  return (a: ExprLike, b: ExprLike): Expr => ({ op, args: [toExpr(a), toExpr(b)] });
}

// Constructors, one per operation: `add(mul(input(0), input(1)), scalar(0))`.
export const input = (index: number): Expr => ({ op: 'input', index });
export const raw = (index: number): Expr => ({ op: 'raw', index });
export const scalar = (index: number): Expr => ({ op: 'scalar', index });
export const constant = (value: number): Expr => ({ op: 'const', value });
/** A truth value as 0 or 1 of the compute dtype. */
export const number = (a: Expr): Expr => ({ op: 'number', args: [a] });
/** `a` where the condition is true, else `b`. */
export const where = (condition: Expr, a: ExprLike, b: ExprLike): Expr => ({
  op: 'where',
  args: [condition, toExpr(a), toExpr(b)],
});
export const neg = unary('neg');
export const abs = unary('abs');
export const sign = unary('sign');
export const square = unary('square');
export const reciprocal = unary('reciprocal');
export const sqrt = unary('sqrt');
export const rsqrt = unary('rsqrt');
export const exp = unary('exp');
export const exp2 = unary('exp2');
export const expm1 = unary('expm1');
export const log = unary('log');
export const log2 = unary('log2');
export const log10 = unary('log10');
export const log1p = unary('log1p');
export const sin = unary('sin');
export const cos = unary('cos');
export const tan = unary('tan');
export const asin = unary('asin');
export const acos = unary('acos');
export const atan = unary('atan');
export const sinh = unary('sinh');
export const cosh = unary('cosh');
export const tanh = unary('tanh');
export const asinh = unary('asinh');
export const acosh = unary('acosh');
export const atanh = unary('atanh');
export const erf = unary('erf');
export const erfc = unary('erfc');
/** The normal distribution function, (1 + erf(x / sqrt 2)) / 2; in float32 as exact as that sum. */
export const normcdf = unary('normcdf');
export const sigmoid = unary('sigmoid');
export const floor = unary('floor');
export const ceil = unary('ceil');
export const trunc = unary('trunc');
export const round = unary('round');
export const bitnot = unary('bitnot');
export const not = unary('not');
export const isnan = unary('isnan');
export const isinf = unary('isinf');
export const isfinite = unary('isfinite');
export const add = binary('add');
export const sub = binary('sub');
export const mul = binary('mul');
export const div = binary('div');
export const pow = binary('pow');
export const maximum = binary('maximum');
export const minimum = binary('minimum');
export const fmod = binary('fmod');
export const remainder = binary('remainder');
export const floordiv = binary('floordiv');
export const truncdiv = binary('truncdiv');
export const atan2 = binary('atan2');
export const copysign = binary('copysign');
export const bitand = binary('bitand');
export const bitor = binary('bitor');
export const bitxor = binary('bitxor');
export const shl = binary('shl');
export const shr = binary('shr');
export const eq = binary('eq');
export const ne = binary('ne');
export const lt = binary('lt');
export const le = binary('le');
export const gt = binary('gt');
export const ge = binary('ge');
export const and = binary('and');
export const or = binary('or');

// biome-ignore format: a table
const TRUTHS: ReadonlySet<string> = new Set([
  'raw', 'eq', 'ne', 'lt', 'le', 'gt', 'ge', 'and', 'or', 'not', 'isnan', 'isinf', 'isfinite',
]);

/** Whether the expression is a truth value. A `where` is one when both branches are. */
export function isTruth(e: Expr): boolean {
  if (e.op === 'where') return isTruth(e.args[1]) && isTruth(e.args[2]);
  return TRUTHS.has(e.op);
}

const NONE: readonly Expr[] = [];

/** The operands of a node; none for leaves. */
export function operands(e: Expr): readonly Expr[] {
  return 'args' in e ? e.args : NONE;
}

const ids = new Map<string, number>();
const known = new WeakMap<Expr, number>();

/** A number that two expressions share exactly when they are structurally equal. */
export function exprId(e: Expr): number {
  let id = known.get(e);
  if (id !== undefined) return id;
  let key: string = e.op;
  if ('args' in e) for (const a of e.args) key += `,${exprId(a)}`;
  else if ('index' in e) key += `,${e.index}`;
  else key += Object.is(e.value, -0) ? ',-0' : `,${e.value}`;
  id = ids.get(key);
  if (id === undefined) ids.set(key, (id = ids.size));
  known.set(e, id);
  return id;
}

/** Every node of the trees once; structurally equal ones count as the same. */
export function nodesOf(roots: readonly Expr[]): Expr[] {
  const seen = new Map<number, Expr>();
  const visit = (e: Expr): void => {
    const id = exprId(e);
    if (seen.has(id)) return;
    seen.set(id, e);
    for (const a of operands(e)) visit(a);
  };
  for (const root of roots) visit(root);
  return [...seen.values()];
}

/** The expression as text, `mul(input0, exp(scalar0))`: for people. */
export function exprText(e: Expr): string {
  if ('args' in e) return `${e.op}(${e.args.map(exprText).join(', ')})`;
  return 'index' in e ? `${e.op}${e.index}` : String(e.value);
}
