/**
 * The constant tables that the random kernels' logarithm, exponential, sine and cosine read from the generator's block.
 */

/**
 * 1 / c for 128 values c near the middles of equal intervals of [0.6875, 1.375), chosen so that 1 / c and log c carry
 * extra digits. From the logarithm in Arm's optimized routines (MIT licence), which glibc uses. Little-endian float64.
 */
const RECIPROCALS = [
  'n97gw/A09z8f6SxqeBP3P6C1+ghg8vY/fYwTH6bR9j/RtMULSbH2P7oMLzNHkfY/I0IiGJ9x9j/ZHqWZT1L2P8Qkj6pWM/Y/FNyda7MU9j9M',
  'XMZSZPb1P08skbVn2PU/3pBby7y69T94GtnyYZ31P4dWRhJWgPU/02vnzpdj9T+Tf6fiJUf1P4NFBkL/KvU/372y2yIP9T/X3jRHj/P0P0Ao',
  '3s9D2PQ/yKN4wD699D+KJeDDf6L0PzSE1CQFiPQ/Cy0ZG85t9D9UGDnT2VP0P1qEtEQnOvQ/+/gVQbUg9D+x9D7aggf0P4/+V12P7vM/6UwL',
  'oNnV8z8rwRDAYL3zP7jadSskpfM/AtCfzSKN8z8ceoTFW3XzP+I2rUnOXfM/QNRNmHlG8z8ky//OXC/zP0kNoXV3GPM/kDk+N8gB8z9B+JW7',
  'TuvyP9GpGQIK1fI/Kv23qPm+8j+rGwx6HKnyPzC1FGByk/I/9aFXV/p98j+/Ox2bs2jyP731j4OdU/I/OwjJqrc+8j+2QKkrASryPzJBzJZ5',
  'FfI/m/zSHSAB8j8LSE1J9OzxP2llj1L12PE/fH5XESPF8T/pJst0fLHxP7YaLAwBnvE/vXC2e7CK8T+2vO8linfxP9oxTDWNZPE/3V8nkLlR',
  '8T9M0jKkDj/xP9r5EHKLLPE/MbXsKDAa8T+vNITa+wfxP7NrTg/u9fA/zp8qXQbk8D8hpSxjRNLwPxqY4nynwPA/0TbGgy+v8D85E6CY253w',
  'P9/nUq+rjPA/+yhOL5978D8ZjzWMtWrwPyz57KXuWfA/kCzRzUlJ8D+prfDGxjjwP6kyeRNlKPA/SHPqJyQY8D+VsRQGBAjwPxr6Jvcf4O8/',
  'dOphwhyh7z8umYGwEGPvP82t7jz2Je8/5xORA8jp7j+rsct4gK7uP5sMnaIadO4/tZkKg5E67j9WmmAJ4AHuP5i7d+UByu0/A5F8C/KS7T/O',
  'XPtmrFztP53eXqosJ+0/zSxrPm7y7D8Ceaeibb7sP20IN20mi+w/BFhdvZRY7D+Mn7sztSbsPz/n7O6D9es/wZbbdf3E6z8oSoYMHpXrPyw+',
  '78XiZes/i4jJZ0g36z9KMB0hSwnrP37v8oXo2+o/oj1gMR2v6j+nWNM/5oLqP4tzCe9AV+o/J0urkCos6j/R8pMToAHqPxs82ySf1+k/kLHH',
  'BSWu6T8vzpfyLoXpP3VLpO66XOk/OEjnncY06T/mUmcvTw3pP53X/45S5ug/fADMn86/6D8Ow77awJnoP/sXI6ondOg/CJqzrABP6D9VPmXo',
  'SSroP2AC9JUBBug/KaPgYyXi5z+ttdx3s77nP8Ill2eqm+c/VwYX8gd55z8ME9bbylbnPw==',
].join('');

/** 128 pairs 1 / c, log c. The latter are rounded to multiples of 2^-43, so that adding them to k ln 2 is exact. */
export function logTable(): Uint8Array {
  const reciprocals = new DataView(Uint8Array.from(atob(RECIPROCALS), (c) => c.charCodeAt(0)).buffer);
  const table = new DataView(new ArrayBuffer(128 * 16));
  for (let i = 0; i < 128; i++) {
    const r = reciprocals.getFloat64(8 * i, true);
    table.setFloat64(16 * i, r, true);
    table.setFloat64(16 * i + 8, Math.round(-Math.log(r) * 2 ** 43) / 2 ** 43, true);
  }
  return new Uint8Array(table.buffer);
}

/** Binary digits after the point of the fixed-point numbers below. */
const DIGITS = 200n;

/** The whole square root. */
function squareRoot(x: bigint): bigint {
  let root = 1n << BigInt((x.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + x / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/**
 * 128 pairs for 2^(k / 128): what the nearest float64 H lacks, relative to it, and the bits of H less k / 128 of an
 * exponent, so that adding a multiple of 1 / 128 scales it. As in Arm's optimized routines, which glibc uses.
 */
export function expTable(): Uint8Array {
  const table = new DataView(new ArrayBuffer(128 * 16));
  // 2^(1 / 128) by seven square roots.
  let step = 2n << DIGITS;
  for (let i = 0; i < 7; i++) step = squareRoot(step << DIGITS);
  let power = 1n << DIGITS;
  for (let k = 0; k < 128; k++) {
    const head = nearest(power);
    const rest = ((power - fixed(head)) << DIGITS) / fixed(head);
    table.setFloat64(16 * k, nearest(rest), true);
    table.setFloat64(16 * k + 8, head, true);
    table.setBigInt64(16 * k + 8, table.getBigInt64(16 * k + 8, true) - (BigInt(k) << 45n), true);
    power = (power * step) >> DIGITS;
  }
  return new Uint8Array(table.buffer);
}

/** For k from 0 to 110 the sine of k / 128 and the cosine, each as the nearest float64 and the rest. */
export function sincosTable(): Uint8Array {
  const table = new DataView(new ArrayBuffer(111 * 32));
  for (let k = 0; k < 111; k++) {
    const x = (BigInt(k) << DIGITS) >> 7n;
    for (const [place, first] of [
      [0, x],
      [16, 1n << DIGITS],
    ] as const) {
      const exact = alternating(first, (x * x) >> DIGITS, place === 0 ? 2n : 1n);
      const head = nearest(exact);
      table.setFloat64(32 * k + place, head, true);
      table.setFloat64(32 * k + place + 8, nearest(exact - fixed(head)), true);
    }
  }
  return new Uint8Array(table.buffer);
}

/** first - first xx / (j (j + 1)) + …: the series of sine (j = 2) and cosine (j = 1). */
function alternating(first: bigint, xx: bigint, j: bigint): bigint {
  let sum = 0n;
  for (let term = first; term !== 0n; j += 2n) {
    sum += term;
    term = -((term * xx) >> DIGITS) / (j * (j + 1n));
  }
  return sum;
}

/** A fixed-point number as the nearest float64. */
function nearest(x: bigint): number {
  const size = x < 0n ? -x : x;
  const excess = BigInt(Math.max(size.toString(2).length - 53, 0));
  const half = excess > 0n ? 1n << (excess - 1n) : 0n;
  const value = Number((size + half) >> excess) * 2 ** Number(excess - DIGITS);
  return x < 0n ? -value : value;
}

/** A float64 as a fixed-point number, exactly: it has no digit below 2^-150. */
function fixed(x: number): bigint {
  return BigInt(x * 2 ** 150) << (DIGITS - 150n);
}
