/**
 * Functions at float64 precision, one lane a call: for the float64 compute dtype. Most are JavaScript's Math functions,
 * which V8 and its kin compute to within an ulp; the others (erf, erfc, fmod, …) are here.
 */
import { choose, type Func, type FuncRef, type F64, f64, i64, type Local, select, type WasmModule } from './emitter.ts';

type Unary = FuncRef<readonly ['f64'], 'f64'>;
type Binary = FuncRef<readonly ['f64', 'f64'], 'f64'>;

function polynomial(x: Local<'f64'>, c: readonly number[]): F64 {
  let sum: F64 = f64.const(c[c.length - 1]);
  for (let i = c.length - 2; i >= 0; i--) sum = f64.add(f64.mul(sum, x), c[i]);
  return sum;
}

/** erf(x) / x as a polynomial in x², for |x| <= 1. */
const ERF = [
  1.1283791670955126, -0.37612638903183754, 0.11283791670955126, -0.026866170645131218, 0.005223977625441674,
  -0.0008548327023403001, 0.00012055332978879483, -1.4925650236967501e-5, 1.6462110782018636e-6, -1.636576864883207e-7,
  1.4806027146128752e-8, -1.2277734486795524e-9, 9.323723518153027e-11, -6.1967364287877e-12, 2.8067128195611264e-13,
];
/** erfc(x) e^(x²) (x + 2) as a polynomial in (x - 2) / (x + 2), for 0.5 <= x <= 28. */
const ERFC = [
  1.021582705242023, -0.6871606844138105, 0.2794720925560581, -0.036442231506898015, -0.021510661889768502,
  0.006479185068795213, 0.003090612068229312, -0.0008372960904458549, -0.00066307364861708, 3.437185389022466e-5,
  0.00014447200214788694, 3.414508506098984e-5, -2.1702386210586833e-5, -1.6098957842223747e-5, -1.1103814177022056e-6,
  3.5638953813973393e-6, 1.997730318370156e-6, 1.7897241117738162e-7, -6.441994231782204e-7, -5.391455293315642e-7,
  1.6887787780850588e-7, 2.133006733638475e-7, -8.048393836758138e-8,
];

/** erfc(a) for 0.5 <= a; x² is split, so that e^(-x²) keeps its digits. */
function erfcTail(m: WasmModule): Unary {
  return m.shared('f64.erfc.tail', ['f64'], 'f64', (f, value) => {
    const exp = m.import('math', 'exp', ['f64'], 'f64');
    const a = f.let(select(f64.gt(value, 28), f64.const(28), value));
    const head = f.let(f64.reinterpret_i64(i64.and(i64.reinterpret_f64(a), i64.const(0xffffffff00000000n))));
    const rest = f64.mul(f64.sub(head, a), f64.add(head, a));
    const e = f64.mul(exp.call(f64.neg(f64.mul(head, head))), exp.call(rest));
    const sum = f.let(f64.add(a, 2));
    const t = f.let(f64.div(f64.sub(a, 2), sum));
    return f64.mul(e, f64.div(polynomial(t, ERFC), sum));
  });
}

function buildErf(f: Func, x: Local<'f64'>): F64 {
  const a = f.let(f64.abs(x));
  const z = f.let(f64.mul(a, a));
  const small = f64.mul(a, polynomial(z, ERF));
  const tail = erfcTail(f.module).call(a);
  return f64.copysign(choose(f64.lt(a, 1), small, f64.sub(f64.const(1), tail)), x);
}

function buildErfc(f: Func, x: Local<'f64'>): F64 {
  const a = f.let(f64.abs(x));
  const z = f.let(f64.mul(a, a));
  const near = f64.sub(f64.const(1), f64.mul(a, polynomial(z, ERF)));
  const c = f.let(choose(f64.lt(a, 0.5), near, erfcTail(f.module).call(a)));
  return select(f64.lt(x, 0), f64.sub(f64.const(2), c), c);
}

/** 1 / (1 + e^-x), without overflow on the way. */
function buildSigmoid(f: Func, x: Local<'f64'>): F64 {
  const e = f.let(f.module.import('math', 'exp', ['f64'], 'f64').call(f64.neg(f64.abs(x))));
  return f64.div(select(f64.lt(x, 0), e as F64, f64.const(1)), f64.add(e, 1));
}

/** One of JavaScript's, or one of those above. */
export function exactUnary(m: WasmModule, name: string): Unary {
  switch (name) {
    case 'erf':
      return m.shared('f64.erf', ['f64'], 'f64', buildErf);
    case 'erfc':
      return m.shared('f64.erfc', ['f64'], 'f64', buildErfc);
    case 'normcdf':
      return m.shared('f64.normcdf', ['f64'], 'f64', (_, x) =>
        f64.mul(f64.add(exactUnary(m, 'erf').call(f64.mul(x, Math.SQRT1_2)), 1), 0.5),
      );
    case 'sigmoid':
      return m.shared('f64.sigmoid', ['f64'], 'f64', buildSigmoid);
    case 'exp2':
      return m.shared('f64.exp2', ['f64'], 'f64', (f, x) =>
        f.module.import('math', 'pow', ['f64', 'f64'], 'f64').call(f64.const(2), x),
      );
    default:
      return m.import('math', name, ['f64'], 'f64');
  }
}

export function exactPow(m: WasmModule): Binary {
  return m.shared('f64.pow', ['f64', 'f64'], 'f64', (f, x, y) => {
    // JavaScript gives NaN for 1 to any power that is not finite, and for -1 to infinity; C gives 1.
    const power = m.import('math', 'pow', ['f64', 'f64'], 'f64').call(x, y);
    f.if(f64.eq(x, 1), () => f.return(f64.const(1)));
    f.if(f64.eq(x, -1), () => {
      f.if(f64.eq(f64.abs(y), Infinity), () => f.return(f64.const(1)));
    });
    return power;
  });
}

export function exactAtan2(m: WasmModule): Binary {
  return m.import('math', 'atan2', ['f64', 'f64'], 'f64');
}

/** Remainder of a / b with the sign of a, exact: by long division of the significands. */
export function exactFmod(m: WasmModule): Binary {
  return m.shared('f64.fmod', ['f64', 'f64'], 'f64', (f, a, b) => {
    const ax = f.let(i64.and(i64.reinterpret_f64(a), i64.const(0x7fffffffffffffffn)));
    const bx = f.let(i64.and(i64.reinterpret_f64(b), i64.const(0x7fffffffffffffffn)));
    const infinity = i64.const(0x7ff0000000000000n);
    f.if(i64.eqz(bx), () => f.return(f64.const(NaN)));
    f.if(i64.ge_u(ax, infinity), () => f.return(f64.const(NaN)));
    f.if(i64.gt_u(bx, infinity), () => f.return(f64.const(NaN)));
    f.if(i64.lt_u(ax, bx), () => f.return(a));
    f.if(i64.eq(ax, bx), () => f.return(f64.copysign(f64.const(0), a)));
    // Significands with their leading bit, and exponents; subnormals are shifted up.
    const significand = (bits: Local<'i64'>): [Local<'i64'>, Local<'i64'>] => {
      const e = f.let(i64.shr_u(bits, 52));
      const s = f.let(i64.and(bits, i64.const(0x000fffffffffffffn)));
      f.if(
        i64.eqz(e),
        () => {
          const shift = f.let(i64.sub(i64.clz(s), 11));
          f.set(s, i64.shl(s, shift));
          f.set(e, i64.sub(i64.const(1), shift));
        },
        () => f.set(s, i64.or(s, i64.const(0x0010000000000000n))),
      );
      return [s, e];
    };
    const [r, ea] = significand(ax);
    const [d, eb] = significand(bx);
    f.while(i64.gt_s(ea, eb), () => {
      f.if(i64.ge_u(r, d), () => f.set(r, i64.sub(r, d)));
      f.set(r, i64.shl(r, 1));
      f.set(ea, i64.sub(ea, 1));
    });
    f.if(i64.ge_u(r, d), () => f.set(r, i64.sub(r, d)));
    f.if(i64.eqz(r), () => f.return(f64.copysign(f64.const(0), a)));
    const up = f.let(i64.sub(i64.clz(r), 11));
    f.set(r, i64.shl(r, up));
    f.set(ea, i64.sub(ea, up));
    f.if(
      i64.gt_s(ea, 0),
      () => f.set(r, i64.or(i64.and(r, i64.const(0x000fffffffffffffn)), i64.shl(ea, 52))),
      () => f.set(r, i64.shr_u(r, i64.sub(i64.const(1), ea))),
    );
    return f64.copysign(f64.reinterpret_i64(r), a);
  });
}
