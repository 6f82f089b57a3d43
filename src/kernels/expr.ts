/**
 * Scalar expressions: the small trees that pointwise code is made of. A tree is plain data. The WebAssembly generator
 * renders it (later also WGSL), `derivative.ts` differentiates it, and its structural key makes equal kernels one.
 *
 * A tree has no dtypes of its own. When a kernel is specialised, it is given a compute dtype; `input(i)` reads operand
 * i and converts it to that, `raw(i)` reads operand i as a truth value (anything but 0 is true), comparisons give truth
 * values, and everything else works in the compute dtype (float32 for the half types).
 */

export type UnaryName =
  | 'neg' | 'abs' | 'sign' | 'square' | 'reciprocal'
  | 'sqrt' | 'rsqrt'
  | 'exp' | 'exp2' | 'expm1' | 'log' | 'log2' | 'log10' | 'log1p'
  | 'sin' | 'cos' | 'tan' | 'asin' | 'acos' | 'atan' | 'sinh' | 'cosh' | 'tanh' | 'asinh' | 'acosh' | 'atanh'
  | 'erf' | 'erfc' | 'sigmoid'
  | 'floor' | 'ceil' | 'trunc' | 'round'
  | 'bitnot';

/** `div` is true division; `fmod`, `remainder` and `floordiv` have PyTorch's signs. `maximum`/`minimum` propagate NaN. */
export type BinaryName =
  | 'add' | 'sub' | 'mul' | 'div' | 'pow' | 'maximum' | 'minimum' | 'fmod' | 'remainder' | 'floordiv'
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
  | { readonly op: UnaryName; readonly args: readonly [Expr] }
  | { readonly op: BinaryName | CompareName; readonly args: readonly [Expr, Expr] }
  | { readonly op: 'and' | 'or'; readonly args: readonly [Expr, Expr] }
  | { readonly op: 'not' | 'isnan' | 'isinf' | 'isfinite'; readonly args: readonly [Expr] };
