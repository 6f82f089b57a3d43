/** Numbers as Python's format strings show them. */

/** `f"{x:.{digits}f}"`: unlike toFixed, an exact tie goes to the even digit. */
export function fixed(x: number, digits: number): string {
  if (!Number.isFinite(x)) return nonFinite(x);
  const scale = 10 ** digits;
  const doubled = x * scale * 2;
  if (Number.isSafeInteger(doubled) && doubled % 2 !== 0 && doubled / scale / 2 === x) {
    const below = Math.floor(doubled / 2);
    const even = below % 2 === 0 ? below : below + 1;
    const text = (Math.abs(even) / scale).toFixed(digits);
    return x < 0 ? `-${text}` : text;
  }
  const text = x.toFixed(digits);
  // toFixed gives up beyond 1e21.
  if (text.includes('e')) return BigInt(x).toString() + (digits > 0 ? `.${'0'.repeat(digits)}` : '');
  return Object.is(x, -0) ? `-${text}` : text;
}

/** `f"{x:.{digits}e}"`: at least two digits of exponent, ties to even. */
export function exponential(x: number, digits: number): string {
  if (!Number.isFinite(x)) return nonFinite(x);
  let text = x.toExponential(digits);
  const exact = x.toExponential(Math.min(digits + 25, 100));
  const mantissa = exact.slice(0, exact.indexOf('e')).replace('-', '').replace('.', '');
  const rest = mantissa.slice(digits + 1);
  if (/^50*$/.test(rest) && Number(mantissa[digits]) % 2 === 0) {
    // An exact tie with an even digit before it stays there.
    const kept = mantissa.slice(0, digits + 1);
    const sign = x < 0 ? '-' : '';
    text = `${sign}${kept[0]}${digits > 0 ? `.${kept.slice(1)}` : ''}${exact.slice(exact.indexOf('e'))}`;
  }
  // JavaScript shows no sign of zero.
  const zero = Object.is(x, -0) ? '-' : '';
  return zero + text.replace(/e([+-])(\d)$/, 'e$10$2');
}

function nonFinite(x: number): string {
  return Number.isNaN(x) ? 'nan' : x > 0 ? 'inf' : '-inf';
}
