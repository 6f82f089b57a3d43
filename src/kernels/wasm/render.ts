/**
 * Renders expression trees to vector code. One renderer serves the expressions of one loop body: a subexpression that
 * occurs more than once, in one tree or in several, is computed once.
 *
 *     const r = new Renderer(f, 'f32', { input: (i) => inputs[i], raw: …, scalar: … });
 *     r.prepare([expr]);
 *     const sum = r.value(expr);
 *
 * Numbers are vectors of four f32 or i32 lanes or of two f64 or i64 lanes; truth values are lane masks of the same
 * width. A kernel that has fewer elements than lanes fills the others with any of them, so that they cause no fault.
 */
import { exprId, type Expr, isTruth, nodesOf, operands } from '../expr.ts';
import { FAULT_ZERO_DIVISION } from '../faults.ts';
import { type Func, f32x4, f64x2, type I32, i32, i32x4, i64x2, Local, type V128, v128 } from './emitter.ts';
import { integerBinary, isIntegerBinary } from './integer.ts';
import * as fast from './math32.ts';
import { atan2of32, fmod32, inPlace32, pow32, slow32 } from './math32slow.ts';
import { exactAtan2, exactFmod, exactPow, exactUnary } from './mathexact.ts';
import { type Compute, lanesOf } from './types.ts';

/** What the leaves of a tree stand for. Give locals or constants: they may be used any number of times. */
export interface Leaves {
  /** Operand i in the compute type. */
  input(i: number): V128;
  /** Operand i as a lane mask. */
  raw(i: number): V128;
  /** Launch argument i in every lane. */
  scalar(i: number): V128;
}

export interface RenderOptions {
  /** Whether the fast float32 functions are put in place (for a loop) or called (for code that runs once). */
  inline?: boolean;
  /**
   * Leaves the loop body, before it has changed anything, unless the condition holds: the same elements are then
   * rendered again without a guard. Functions with a rare slow way (exp, log, sin, …) use it to keep calls out of a loop,
   * which would cost V8 all its vector registers. Without it the slow way is taken in place.
   */
  guard?: (condition: I32) => void;
  /** Whether an expression is known to be at most 0 (or NaN). */
  atMostZero?: (e: Expr) => boolean;
  /** Where an integer division by zero leaves its fault code. Needed for integer compute types only. */
  fault?: Local<'i32'>;
}

type Guard = RenderOptions['guard'];

const GUARDED: ReadonlySet<string> = new Set(['exp', 'sigmoid', 'log', 'sin', 'cos', 'tan']);

/** Whether rendering the expressions needs a guard to be fast. */
export function wantsGuard(roots: readonly Expr[]): boolean {
  return nodesOf(roots).some((e) => GUARDED.has(e.op));
}

type Vector = typeof f32x4 & typeof f64x2 & typeof i32x4 & typeof i64x2;
const VECTORS = { f32: f32x4, f64: f64x2, i32: i32x4, i64: i64x2 } as unknown as Record<Compute, Vector>;

const FAST: Record<string, (f: Func, x: V128, guard?: Guard) => V128> = {
  exp: fast.exp,
  sigmoid: fast.sigmoid,
  tanh: fast.tanh,
  erf: fast.erf,
  normcdf: fast.normcdf,
  log: fast.log,
  sin: fast.sin,
  cos: fast.cos,
};

export class Renderer {
  private readonly o: Vector;
  private readonly float: boolean;
  private readonly done = new Map<number, V128>();
  private readonly uses = new Map<number, number>();
  private readonly inline: boolean;
  private readonly fault: Local<'i32'> | undefined;
  private readonly guard: Guard;
  private readonly atMostZero: (e: Expr) => boolean;

  constructor(
    private readonly f: Func,
    private readonly compute: Compute,
    private readonly leaves: Leaves,
    options: RenderOptions = {},
  ) {
    this.o = VECTORS[compute];
    this.float = compute === 'f32' || compute === 'f64';
    this.inline = options.inline ?? true;
    this.fault = options.fault;
    this.guard = options.guard;
    this.atMostZero = options.atMostZero ?? (() => false);
  }

  /** Counts the uses of subexpressions, so that only those used again are kept. Name all trees of the loop body. */
  prepare(roots: readonly Expr[]): void {
    for (const e of roots) {
      const id = exprId(e);
      const count = this.uses.get(id) ?? 0;
      this.uses.set(id, count + 1);
      if (count === 0) this.prepare(operands(e));
    }
  }

  /** The expression in the compute type; a truth value as 0 or 1. */
  value(e: Expr): V128 {
    if (isTruth(e)) return v128.and(this.truth(e), this.constant(1));
    return this.keep(e, () => this.renderValue(e));
  }

  /** The expression as a lane mask; a number is true unless it is 0. */
  truth(e: Expr): V128 {
    if (!isTruth(e)) return this.o.ne(this.value(e), 0);
    return this.keep(e, () => this.renderTruth(e));
  }

  private keep(e: Expr, render: () => V128): V128 {
    if (e.op === 'const') return this.constant(e.value);
    const id = exprId(e);
    const found = this.done.get(id);
    if (found) return found;
    const value = render();
    if (value instanceof Local || this.uses.get(id) === 1) return value;
    const local = this.f.let(value);
    this.done.set(id, local);
    return local;
  }

  private constant(value: number): V128 {
    if (this.compute === 'i64') return i64x2.const(BigInt(Math.trunc(value)));
    return this.o.const(value);
  }

  private renderTruth(e: Expr): V128 {
    switch (e.op) {
      case 'raw':
        return this.leaves.raw(e.index);
      case 'eq':
      case 'ne':
        return this.o[e.op](this.value(e.args[0]), this.value(e.args[1]));
      case 'lt':
      case 'le':
      case 'gt':
      case 'ge': {
        const name = (this.float ? e.op : `${e.op}_s`) as 'lt';
        return this.o[name](this.value(e.args[0]), this.value(e.args[1]));
      }
      case 'and':
        return v128.and(this.truth(e.args[0]), this.truth(e.args[1]));
      case 'or':
        return v128.or(this.truth(e.args[0]), this.truth(e.args[1]));
      case 'not':
        return v128.not(this.truth(e.args[0]));
      case 'where':
        return this.f.pick(this.truth(e.args[1]), this.truth(e.args[2]), this.truth(e.args[0]));
      case 'isnan':
      case 'isinf':
      case 'isfinite': {
        if (!this.float) return i32x4.const(e.op === 'isfinite' ? -1 : 0);
        const x = this.f.let(this.value(e.args[0]));
        if (e.op === 'isnan') return this.o.ne(x, x);
        return this.o[e.op === 'isinf' ? 'eq' : 'lt'](this.o.abs(x), Infinity);
      }
    }
    throw new Error(`${e.op} is no truth value`);
  }

  private renderValue(e: Expr): V128 {
    switch (e.op) {
      case 'input':
        return this.leaves.input(e.index);
      case 'scalar':
        return this.leaves.scalar(e.index);
      case 'number':
        return v128.and(this.truth(e.args[0]), this.constant(1));
      case 'where':
        return this.f.pick(this.value(e.args[1]), this.value(e.args[2]), this.truth(e.args[0]));
    }
    if (!('args' in e)) throw new Error(`${e.op} has no value`);
    const a = this.value(e.args[0]);
    if (e.op === 'exp' && this.compute === 'f32' && this.atMostZero(e.args[0])) return fast.expOfNegative(this.f, a);
    if (e.args.length === 1) return this.unary(e.op, a);
    if (e.op === 'maximum' || e.op === 'minimum') return this.extremum(e.op, e.args[0], e.args[1] as Expr);
    return this.binary(e.op, a, this.value(e.args[1] as Expr));
  }

  private unary(op: string, value: V128): V128 {
    const { o, f } = this;
    switch (op) {
      case 'neg':
      case 'abs':
        return o[op](value);
      case 'square': {
        const x = f.let(value);
        return o.mul(x, x);
      }
      case 'sign': {
        const x = f.let(value);
        // Masks are -1 as integers, so their difference is the sign; NaN and both zeros give 0.
        if (!this.float) return o.sub(o.lt_s(x, 0), o.gt_s(x, 0));
        const one = this.constant(1);
        return o.sub(v128.and(o.gt(x, 0), one), v128.and(o.lt(x, 0), one));
      }
      case 'bitnot':
        if (this.float) break;
        return v128.not(value);
    }
    if (!this.float) {
      if (op === 'floor' || op === 'ceil' || op === 'trunc' || op === 'round') return value;
      throw new Error(`${op} has no integer form`);
    }
    switch (op) {
      case 'sqrt':
      case 'floor':
      case 'ceil':
      case 'trunc':
        return o[op](value);
      case 'round':
        return o.nearest(value);
      case 'reciprocal':
        return o.div(this.constant(1), value);
      case 'rsqrt':
        return o.div(this.constant(1), o.sqrt(value));
      case 'bitnot':
        throw new Error('bitnot has no float form');
    }
    if (this.compute === 'f64') return this.byLanes(exactUnary(f.module, op), [value]);
    const render = FAST[op];
    if (!render) return this.inline ? inPlace32(f, op, value, this.guard) : slow32(f.module, op).call(value);
    if (this.inline) return render(f, value, this.guard);
    return f.module.shared(`f32.fast.${op}`, ['v128'], 'v128', (g, x) => render(g, x)).call(value);
  }

  private extremum(op: 'maximum' | 'minimum', left: Expr, right: Expr): V128 {
    const { o, f } = this;
    const max = op === 'maximum';
    // A constant goes second: then a NaN in the first place stays.
    if (left.op === 'const' && right.op !== 'const') return this.extremum(op, right, left);
    const a = this.value(left);
    const bValue = this.value(right);
    if (this.compute === 'i32') return max ? o.max_s(a, bValue) : o.min_s(a, bValue);
    if (this.compute === 'i64') {
      const x = f.let(a);
      const y = f.let(bValue);
      return this.f.pick(x, y, max ? o.gt_s(x, y) : o.lt_s(x, y));
    }
    if (right.op === 'const' && !Number.isNaN(right.value)) return max ? o.pmax(a, bValue) : o.pmin(a, bValue);
    const b = f.let(bValue);
    return v128.or(max ? o.pmax(a, b) : o.pmin(a, b), o.ne(b, b));
  }

  private binary(op: string, a: V128, b: V128): V128 {
    const { o, f } = this;
    switch (op) {
      case 'add':
      case 'sub':
      case 'mul':
        return o[op](a, b);
      case 'bitand':
      case 'bitor':
      case 'bitxor':
        if (this.float) throw new Error(`${op} has no float form`);
        return v128[op.slice(3) as 'and' | 'or' | 'xor'](a, b);
    }
    return this.float ? this.floatBinary(op, a, b) : this.integerBinary(op, f.let(a), f.let(b));
  }

  private integerBinary(op: string, a: V128, b: V128): V128 {
    const { f } = this;
    const type = this.compute as 'i32' | 'i64';
    const name = op === 'div' ? 'truncdiv' : op;
    if (!isIntegerBinary(name)) throw new Error(`${op} has no integer form`);
    if (name === 'truncdiv' || name === 'fmod' || name === 'floordiv' || name === 'remainder') {
      const { fault } = this;
      if (!fault) throw new Error(`${op} of integers needs a place for its fault`);
      f.if(i32.eqz(this.o.all_true(b)), () => f.set(fault, FAULT_ZERO_DIVISION));
    }
    return integerBinary(f.module, type, name).call(a, b);
  }

  private floatBinary(op: string, left: V128, right: V128): V128 {
    const { o, f } = this;
    const single = this.compute === 'f32';
    switch (op) {
      case 'div':
        return o.div(left, right);
      case 'truncdiv':
        return o.trunc(o.div(left, right));
      case 'copysign':
        return this.copysign(left, right);
      case 'pow':
        return single ? this.inPlaceOrCall('pow', pow32, left, right) : this.byLanes(exactPow(f.module), [left, right]);
      case 'atan2':
        if (single) return this.inPlaceOrCall('atan2', atan2of32, left, right);
        return this.byLanes(exactAtan2(f.module), [left, right]);
      case 'fmod':
        return this.fmod(left, right);
    }
    const a = f.let(left);
    const b = f.let(right);
    const m = f.let(this.fmod(a, b));
    // The remainder takes the divisor's sign.
    const adjust = f.let(v128.and(o.ne(m, 0), v128.xor(o.lt(b, 0), o.lt(m, 0))));
    if (op === 'remainder') return this.f.pick(o.add(m, b), m, adjust);
    if (op !== 'floordiv') throw new Error(`no binary operation ${op}`);
    const d = f.let(o.sub(o.div(o.sub(a, m), b), v128.and(adjust, this.constant(1))));
    const down = f.let(o.floor(d));
    const whole = o.add(down, v128.and(o.gt(o.sub(d, down), 0.5), this.constant(1)));
    const ratio = f.let(o.div(a, b));
    const result = this.f.pick(this.copysign(this.constant(0), ratio), whole, o.eq(d, 0));
    return this.f.pick(ratio, result, o.eq(b, 0));
  }

  private inPlaceOrCall(name: string, render: (f: Func, a: V128, b: V128) => V128, a: V128, b: V128): V128 {
    if (this.inline) return render(this.f, a, b);
    return this.f.module.shared(`f32.${name}`, ['v128', 'v128'], 'v128', render).call(a, b);
  }

  private copysign(a: V128, b: V128): V128 {
    const sign = this.compute === 'f32' ? i32x4.const(0x80000000) : i64x2.const(1n << 63n);
    return v128.bitselect(b, a, sign);
  }

  private fmod(a: V128, b: V128): V128 {
    if (this.compute === 'f32') return fmod32(this.f.module).call(a, b);
    return this.byLanes(exactFmod(this.f.module), [a, b]);
  }

  /** A function of one float64 at a time. */
  private byLanes(fn: { call(...args: never[]): unknown }, values: V128[]): V128 {
    const { f } = this;
    const xs = values.map((x) => f.let(x));
    const call = fn.call.bind(fn) as unknown as (...args: unknown[]) => ReturnType<typeof f64x2.extract_lane>;
    const lane = (k: number) => call(...xs.map((x) => f64x2.extract_lane(x, k)));
    return f64x2.replace_lane(f64x2.splat(lane(0)), 1, lane(1));
  }
}

/** Lanes of a vector of the compute type. */
export { lanesOf };
