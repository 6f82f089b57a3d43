/**
 * Writes zip archives as PyTorch does, byte for byte: records are stored, their data begins at multiples of 64 bytes, and a descriptor with
 * the checksum follows it. Beyond 4 GiB sizes and offsets take 64 bits.
 */
import { crc32 } from './crc32.ts';
import type { Sink } from './source.ts';

/** One file in the archive. */
export interface RecordToWrite {
  readonly name: string;
  readonly size: number;
  /** Its bytes, good until the next record's are asked for. */
  bytes(): Uint8Array;
}

export const ALIGNMENT = 64;
const MAX32 = 0xffffffff;
/** Bit 11: names are UTF-8. Bit 3: sizes follow the data, where there is any. */
const flags = (size: number) => (size === 0 ? 0x0800 : 0x0808);

interface Placed {
  readonly record: RecordToWrite;
  readonly name: Uint8Array;
  readonly header: number;
  readonly data: number;
  crc: number;
}

/** An archive whose layout is known before anything is written. */
export class ZipLayout {
  /** Bytes of the whole. */
  readonly size: number;
  private readonly placed: Placed[] = [];
  private readonly directory: number;

  /** @param checksum of a record's bytes; tests have cheaper ones for gigabytes of zeros */
  constructor(
    records: readonly RecordToWrite[],
    private readonly checksum: (bytes: Uint8Array) => number = crc32,
  ) {
    const encoder = new TextEncoder();
    let at = 0;
    for (const record of records) {
      const name = encoder.encode(record.name);
      const long = isLong(record.size, at);
      const before = at + 30 + name.length + (long ? 20 : 0) + 4;
      const data = Math.ceil(before / ALIGNMENT) * ALIGNMENT;
      this.placed.push({ record, name, header: at, data, crc: 0 });
      at = data + record.size + descriptorSize(record.size, long);
    }
    this.directory = at;
    for (const entry of this.placed) at += 46 + entry.name.length + centralExtra(entry).length;
    this.size = at + 76 + 22;
  }

  write(sink: Sink): void {
    for (const entry of this.placed) {
      const { record } = entry;
      sink(localHeader(entry));
      const bytes = record.bytes();
      if (bytes.length !== record.size) throw new Error(`${record.name} has ${bytes.length} bytes, not ${record.size}`);
      entry.crc = this.checksum(bytes);
      sink(bytes);
      sink(descriptor(entry));
    }
    let length = 0;
    for (const entry of this.placed) {
      const header = centralHeader(entry);
      length += header.length;
      sink(header);
    }
    // As PyTorch does, also where 32 bits are enough.
    sink(end64(this.placed.length, length, this.directory));
    sink(end(this.placed.length, length, this.directory));
  }
}

const isLong = (size: number, header: number) => size >= MAX32 || header >= MAX32;
const descriptorSize = (size: number, long: boolean) => (size === 0 ? 0 : long ? 24 : 16);

function put64(data: DataView, at: number, value: number): void {
  data.setUint32(at, value % 2 ** 32, true);
  data.setUint32(at + 4, Math.floor(value / 2 ** 32), true);
}

function localHeader({ record, name, header, data: to }: Placed): Uint8Array {
  const bytes = new Uint8Array(to - header);
  const data = new DataView(bytes.buffer);
  const long = isLong(record.size, header);
  data.setUint32(0, 0x04034b50, true);
  data.setUint16(6, flags(record.size), true);
  data.setUint16(26, name.length, true);
  data.setUint16(28, bytes.length - 30 - name.length, true);
  bytes.set(name, 30);
  let at = 30 + name.length;
  if (long) {
    // In a local header both sizes are there; the descriptor says them again.
    data.setUint32(18, MAX32, true);
    data.setUint32(22, MAX32, true);
    data.setUint16(at, 1, true);
    data.setUint16(at + 2, 16, true);
    put64(data, at + 4, record.size);
    put64(data, at + 12, record.size);
    at += 20;
  }
  // A field of PyTorch's, filled with the letter Z.
  data.setUint16(at, 0x4246, true);
  data.setUint16(at + 2, bytes.length - at - 4, true);
  bytes.fill(0x5a, at + 4);
  return bytes;
}

function descriptor({ record, header, crc }: Placed): Uint8Array {
  const { size } = record;
  const long = isLong(size, header);
  const bytes = new Uint8Array(descriptorSize(size, long));
  if (bytes.length === 0) return bytes;
  const data = new DataView(bytes.buffer);
  data.setUint32(0, 0x08074b50, true);
  data.setUint32(4, crc, true);
  if (long) {
    put64(data, 8, size);
    put64(data, 16, size);
  } else {
    data.setUint32(8, size, true);
    data.setUint32(12, size, true);
  }
  return bytes;
}

/** The values that do not fit in 32 bits. */
function centralExtra({ record, header }: Placed): Uint8Array {
  const values: number[] = [];
  if (record.size >= MAX32) values.push(record.size, record.size);
  if (header >= MAX32) values.push(header);
  if (values.length === 0) return new Uint8Array(0);
  const bytes = new Uint8Array(4 + 8 * values.length);
  const data = new DataView(bytes.buffer);
  data.setUint16(0, 1, true);
  data.setUint16(2, 8 * values.length, true);
  values.forEach((value, i) => {
    put64(data, 4 + 8 * i, value);
  });
  return bytes;
}

function centralHeader(entry: Placed): Uint8Array {
  const { record, name, header, crc } = entry;
  const extra = centralExtra(entry);
  const bytes = new Uint8Array(46 + name.length + extra.length);
  const data = new DataView(bytes.buffer);
  data.setUint32(0, 0x02014b50, true);
  data.setUint16(8, flags(record.size), true);
  data.setUint32(16, crc, true);
  data.setUint32(20, Math.min(record.size, MAX32), true);
  data.setUint32(24, Math.min(record.size, MAX32), true);
  data.setUint16(28, name.length, true);
  data.setUint16(30, extra.length, true);
  data.setUint32(42, Math.min(header, MAX32), true);
  bytes.set(name, 46);
  bytes.set(extra, 46 + name.length);
  return bytes;
}

function end64(count: number, length: number, directory: number): Uint8Array {
  const bytes = new Uint8Array(76);
  const data = new DataView(bytes.buffer);
  data.setUint32(0, 0x06064b50, true);
  put64(data, 4, 44);
  data.setUint16(12, 0x031e, true);
  data.setUint16(14, 45, true);
  put64(data, 24, count);
  put64(data, 32, count);
  put64(data, 40, length);
  put64(data, 48, directory);
  data.setUint32(56, 0x07064b50, true);
  put64(data, 64, directory + length);
  data.setUint32(72, 1, true);
  return bytes;
}

function end(count: number, length: number, directory: number): Uint8Array {
  const bytes = new Uint8Array(22);
  const data = new DataView(bytes.buffer);
  data.setUint32(0, 0x06054b50, true);
  data.setUint16(8, Math.min(count, 0xffff), true);
  data.setUint16(10, Math.min(count, 0xffff), true);
  data.setUint32(12, Math.min(length, MAX32), true);
  data.setUint32(16, Math.min(directory, MAX32), true);
  return bytes;
}
