/** Archives beyond 4 GiB, without such files: a source that is mostly zeros, and a sink that keeps only what matters. */
import { describe, expect, test } from 'vitest';
import torch from '../index.ts';
import { crc32 } from './crc32.ts';
import type { Source } from './source.ts';
import { ZipArchive } from './zip-read.ts';
import { ZipLayout } from './zip-write.ts';

const GIB = 2 ** 30;

/** Bytes of which most are zeros. */
class Sparse implements Source {
  size = 0;
  readonly pieces: { at: number; bytes: Uint8Array }[] = [];
  /** Bytes that were read. */
  read_ = 0;

  add(bytes: Uint8Array): void {
    if (bytes.length < GIB / 2) this.pieces.push({ at: this.size, bytes: bytes.slice() });
    this.size += bytes.length;
  }

  read(offset: number, length: number): Uint8Array {
    if (offset + length > this.size) throw new Error('beyond the end');
    this.read_ += length;
    const out = new Uint8Array(length);
    for (const { at, bytes } of this.pieces) {
      const from = Math.max(at, offset);
      const to = Math.min(at + bytes.length, offset + length);
      if (from < to) out.set(bytes.subarray(from - at, to - at), from - offset);
    }
    return out;
  }

  close(): void {}
}

/** As long as wanted, without taking memory: pages that are never touched. */
const zeros = (length: number) => new Uint8Array(length);

describe('beyond 4 GiB', () => {
  test('offsets and sizes in 64 bits are written and read', () => {
    const big = zeros(2 * GIB);
    const records = [
      { name: 'a/first', size: 3, bytes: () => Uint8Array.of(1, 2, 3) },
      ...[1, 2, 3].map((i) => ({ name: `a/big${i}`, size: big.length, bytes: () => big })),
      { name: 'a/last', size: 4, bytes: () => Uint8Array.of(5, 6, 7, 8) },
    ];
    const sparse = new Sparse();
    const layout = new ZipLayout(records, () => 0);
    layout.write((bytes) => sparse.add(bytes));
    expect(sparse.size).toBe(layout.size);
    expect(sparse.size).toBeGreaterThan(6 * GIB);
    const archive = new ZipArchive(sparse);
    expect([...archive.open('last', false).read(0, 4)]).toEqual([5, 6, 7, 8]);
    expect(archive.size('big3')).toBe(2 * GIB);
    // The directory, and what was asked for.
    expect(sparse.read_).toBeLessThan(200_000);
  });

  test('a record that is larger by itself', () => {
    const size = 5 * GIB;
    const sparse = new Sparse();
    const layout = new ZipLayout(
      [
        { name: 'a/x', size, bytes: () => ({ length: size }) as Uint8Array },
        { name: 'a/y', size: 1, bytes: () => Uint8Array.of(9) },
      ],
      () => 0,
    );
    layout.write((bytes) => (bytes.length === size ? (sparse.size += size) : sparse.add(bytes)));
    expect(sparse.size).toBe(layout.size);
    const archive = new ZipArchive(sparse);
    expect(archive.size('x')).toBe(size);
    expect([...archive.open('y', false).read(0, 1)]).toEqual([9]);
  });
});

describe('archives that lie', () => {
  const file = () => Buffer.from(torch.save({ a: torch.arange(3), b: torch.arange(4) }));
  const central = (bytes: Buffer, name: string) => bytes.indexOf(name, bytes.indexOf('PK\x01\x02')) - 46;

  test('records that overlap', () => {
    const bytes = file();
    // The second storage is where the first is: read twice.
    const a = central(bytes, 'archive/data/0');
    const b = central(bytes, 'archive/data/1');
    bytes.copy(bytes, b + 16, a + 16, a + 28);
    bytes.copy(bytes, b + 42, a + 42, a + 46);
    expect(() => torch.load(bytes)).toThrow('PytorchStreamReader failed reading zip archive: records overlap.');
  });

  test('two records of one name', () => {
    const bytes = file();
    bytes.write('archive/data/0', central(bytes, 'archive/data/1') + 46);
    expect(() => torch.load(bytes)).toThrow('there are two records named archive/data/0');
  });

  test('more than there is', () => {
    const bytes = file();
    const at = central(bytes, 'archive/data/1');
    bytes.writeUInt32LE(0x7fffffff, at + 20);
    bytes.writeUInt32LE(0x7fffffff, at + 24);
    expect(() => torch.load(bytes)).toThrow('PytorchStreamReader failed reading zip archive');
  });

  test('a flipped bit is found by the checksum', () => {
    const bytes = file();
    const data = bytes.indexOf('archive/data/1');
    const at = bytes.indexOf(Buffer.from(BigInt64Array.of(0n, 1n).buffer), data);
    bytes[at] ^= 1;
    expect(() => torch.load(bytes)).toThrow('PytorchStreamReader failed reading file data/1: CRC-32 check failed.');
  });

  test('compressed to more than DEFLATE can', () => {
    const bytes = file();
    const at = central(bytes, 'archive/data/1');
    bytes.writeUInt16LE(8, at + 10);
    bytes.writeUInt32LE(0x7fffffff, at + 24);
    const pickle = bytes.indexOf('K\x04t');
    expect(pickle).toBeGreaterThan(0);
    expect(() => torch.load(bytes)).toThrow(/record size|decompression failed/);
  });

  test('its own checksum holds', () => {
    expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926);
  });
});
