/**
 * Integer operations that have no vector instruction, lane by lane: division and its kin (which never trap), powers,
 * shifts by any amount. They are helper functions of a module. A division by 0 gives 0 here; whoever renders it has
 * raised the fault.
 */
import {
  choose,
  type Func,
  type FuncRef,
  i32,
  i32x4,
  i64,
  i64x2,
  type Local,
  type Value,
  type WasmModule,
} from './emitter.ts';

type Int = 'i32' | 'i64';
/** The scalar instructions that both widths have, with one type. */
type Ops = typeof i32 & typeof i64;
type Scalar = Value<'i32'>;

const SCALAR = { i32, i64 } as unknown as Record<Int, Ops>;

function quotient(o: Ops, a: Scalar, b: Scalar): Scalar {
  // -1 apart, for the one quotient that does not fit; it wraps.
  const divide = choose(o.eq(b, -1), o.sub(0, a), o.div_s(a, b));
  return choose(o.eqz(b), o.const(0), divide) as Scalar;
}

function fmod(o: Ops, a: Scalar, b: Scalar): Scalar {
  return choose(o.eqz(b), o.const(0), choose(o.eq(b, -1), o.const(0), o.rem_s(a, b))) as Scalar;
}

type Build = (f: Func, o: Ops, type: Int, a: Local<'i32'>, b: Local<'i32'>) => Scalar;

const BUILD: Record<string, Build> = {
  truncdiv: (_f, o, _t, a, b) => quotient(o, a, b),
  fmod: (_f, o, _t, a, b) => fmod(o, a, b),
  floordiv: (f, o, _t, a, b) => {
    const q = f.let(quotient(o, a, b));
    const r = f.let(fmod(o, a, b));
    // Rounded towards zero, it is one too large when the signs differ and something is left.
    const adjust = i32.and(o.ne(r, 0), o.lt_s(o.xor(r, b), 0));
    return choose(adjust, o.sub(q, 1), q) as Scalar;
  },
  remainder: (f, o, _t, a, b) => {
    const r = f.let(fmod(o, a, b));
    return choose(i32.and(o.ne(r, 0), o.lt_s(o.xor(r, b), 0)), o.add(r, b), r) as Scalar;
  },
  pow: (f, o, type, a, b) => {
    const result = f.local(type) as Local<'i32'>;
    f.if(
      o.lt_s(b, 0),
      () => {
        // 1 / a^|b|, truncated: only 1 and -1 leave anything.
        f.if(o.eq(a, 1), () => f.set(result, o.const(1)));
        f.if(o.eq(a, -1), () => f.set(result, o.sub(1, o.shl(o.and(b, 1), 1))));
      },
      () => {
        const base = f.let(a);
        const e = f.let(b);
        f.set(result, o.const(1));
        f.while(o.gt_s(e, 0), () => {
          f.if(o.ne(o.and(e, 1), 0), () => f.set(result, o.mul(result, base)));
          f.set(base, o.mul(base, base));
          f.set(e, o.shr_u(e, 1));
        });
      },
    );
    return result;
  },
  // Amounts outside the width shift everything out.
  shl: (_f, o, type, a, b) => choose(o.lt_u(b, width(type)), o.shl(a, b), o.const(0)) as Scalar,
  shr: (_f, o, type, a, b) => choose(o.lt_u(b, width(type)), o.shr_s(a, b), o.shr_s(a, width(type) - 1)) as Scalar,
};

function width(type: Int): number {
  return type === 'i32' ? 32 : 64;
}

/** The vector form of a binary operation: `floordiv`, `shl`, … */
export function integerBinary(m: WasmModule, type: Int, name: string): FuncRef<readonly ['v128', 'v128'], 'v128'> {
  const scalar = m.shared(
    `${type}.${name}`,
    [type, type],
    type,
    (f, a, b) => BUILD[name](f, SCALAR[type], type, a as Local<'i32'>, b as Local<'i32'>) as never,
  );
  return m.shared(`${type}.${name}.lanes`, ['v128', 'v128'], 'v128', (f, x, y) => {
    const result = f.let(x);
    const lanes = type === 'i32' ? 4 : 2;
    const vector = (type === 'i32' ? i32x4 : i64x2) as typeof i32x4;
    for (let lane = 0; lane < lanes; lane++) {
      const one = scalar.call(vector.extract_lane(x, lane) as never, vector.extract_lane(y, lane) as never);
      f.set(result, vector.replace_lane(result, lane, one as unknown as Scalar));
    }
    return result;
  });
}

/** Whether an operation has an integer form here. */
export function isIntegerBinary(name: string): boolean {
  return name in BUILD;
}
