/** The checksum of zip archives: Node.js' own where it has one, otherwise eight bytes at a time. */
import { nodeModule } from './source.ts';

type Crc = (bytes: Uint8Array, before: number) => number;

let chosen: Crc | null = null;

/** CRC-32 of bytes that follow others whose CRC-32 is `before`. */
export function crc32(bytes: Uint8Array, before = 0): number {
  chosen ??= nodeModule<{ crc32?: Crc }>('node:zlib')?.crc32 ?? portable;
  return chosen(bytes, before);
}

let tables: Uint32Array[] | null = null;

function makeTables(): Uint32Array[] {
  const first = new Uint32Array(256);
  for (let i = 0; i < 256; i++) {
    let c = i;
    for (let k = 0; k < 8; k++) c = (c & 1) === 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
    first[i] = c;
  }
  const all = [first];
  for (let t = 1; t < 8; t++) {
    const last = all[t - 1];
    all.push(last.map((c) => (c >>> 8) ^ first[c & 255]));
  }
  return all;
}

/** In JavaScript, for browsers. */
export function portable(bytes: Uint8Array, before: number): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = (tables ??= makeTables());
  let c = ~before;
  let i = 0;
  for (const end = bytes.length - 7; i < end; i += 8) {
    c ^= bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24);
    c =
      t7[c & 255] ^
      t6[(c >>> 8) & 255] ^
      t5[(c >>> 16) & 255] ^
      t4[c >>> 24] ^
      t3[bytes[i + 4]] ^
      t2[bytes[i + 5]] ^
      t1[bytes[i + 6]] ^
      t0[bytes[i + 7]];
  }
  for (; i < bytes.length; i++) c = (c >>> 8) ^ t0[(c ^ bytes[i]) & 255];
  return ~c >>> 0;
}
