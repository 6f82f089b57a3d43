/** float16 and bfloat16 on the host: conversions between their 16 bits and JavaScript numbers. */

const f32 = new Float32Array(1);
const u32 = new Uint32Array(f32.buffer);

/** Nearest bfloat16, ties to even; the number is rounded to float32 first, as PyTorch does. */
export function toBFloat16(value: number): number {
  f32[0] = value;
  const bits = u32[0];
  if (Number.isNaN(value)) return 0x7fc0 | ((bits >>> 16) & 0x8000);
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

export function fromBFloat16(bits: number): number {
  u32[0] = bits << 16;
  return f32[0];
}

/** Nearest float16, ties to even, by way of float32; beyond 65504 infinity. */
export function toFloat16(value: number): number {
  f32[0] = value;
  const bits = u32[0];
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x47800000) return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // Below the smallest normal: count in units of 2^-24.
    const exponent = magnitude >>> 23;
    if (exponent < 102) return sign;
    const mantissa = (magnitude & 0x7fffff) | 0x800000;
    const shift = 126 - exponent;
    const half = mantissa >>> shift;
    const rest = mantissa & ((1 << shift) - 1);
    const middle = 1 << (shift - 1);
    return sign | (half + (rest > middle || (rest === middle && (half & 1) === 1) ? 1 : 0));
  }
  const rounded = magnitude + 0xfff + ((magnitude >>> 13) & 1);
  return sign | ((rounded - 0x38000000) >>> 13);
}

export function fromFloat16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 31;
  const mantissa = bits & 0x3ff;
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  if (exponent === 31) return mantissa ? NaN : sign * Infinity;
  return sign * (1 + mantissa / 1024) * 2 ** (exponent - 15);
}
