/**
 * Reads zip archives as PyTorch writes them, by offset: stored records (compressed ones where Node.js' zlib is there), zip64. Nothing is read
 * but the directory and the records that are asked for. Every length is the archive's claim, and checked against what is there.
 */
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { crc32 } from './crc32.ts';
import { EOFError } from './errors.ts';
import { BytesSource, nodeModule, PartSource, type Source } from './source.ts';

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END64 = 0x06064b50;
const LOCATOR64 = 0x07064b50;
const END_SIZE = 22;
const MAX_COMMENT = 0xffff;
/** DEFLATE cannot do better. */
const MAX_RATIO = 1032;
const PIECE = 1 << 22;

interface Entry {
  readonly method: number;
  readonly flags: number;
  readonly crc: number;
  readonly stored: number;
  readonly size: number;
  readonly header: number;
  readonly nameLength: number;
}

const HINT =
  'This is an internal miniz error. If you are seeing this error, there is a high likelihood that your checkpoint file is corrupted. This can happen if the checkpoint was not saved properly, was transferred incorrectly, or the file was modified after saving.';

/** PyTorch's words for a broken archive. @param problem miniz' words */
export function zipError(doing: string, problem: string): RuntimeError {
  return new RuntimeError(`PytorchStreamReader failed ${doing}: ${problem}. ${HINT}`);
}

const broken = (problem: string) => zipError('reading zip archive', problem);

const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const uint64 = (data: DataView, at: number) => data.getUint32(at, true) + data.getUint32(at + 4, true) * 2 ** 32;

export class ZipArchive {
  /** The folder that everything lies in. */
  readonly folder: string;
  private readonly entries = new Map<string, Entry>();

  /** @throws RuntimeError with PyTorch's text if this is no archive, or a broken one */
  constructor(private readonly source: Source) {
    let directory: { offset: number; size: number; count: number };
    try {
      directory = findDirectory(source);
    } catch (error) {
      if (error instanceof EOFError) throw broken('invalid header or archive is corrupted');
      throw error;
    }
    const first = this.readDirectory(source, directory);
    this.checkPlaces(directory.offset);
    const slash = first.indexOf('/');
    if (slash < 0) throw new RuntimeError(`file in archive is not in a subdirectory: ${first}`);
    this.folder = first.slice(0, slash);
  }

  /** @returns the name of the first entry */
  private readDirectory(
    source: Source,
    { offset, size, count }: { offset: number; size: number; count: number },
  ): string {
    const bytes = source.read(offset, size);
    const data = view(bytes);
    const decoder = new TextDecoder();
    let at = 0;
    let first: string | null = null;
    for (let i = 0; i < count; i++) {
      if (at + 46 > size || data.getUint32(at, true) !== CENTRAL)
        throw broken('invalid header or archive is corrupted');
      const nameLength = data.getUint16(at + 28, true);
      const extraLength = data.getUint16(at + 30, true);
      const next = at + 46 + nameLength + extraLength + data.getUint16(at + 32, true);
      if (next > size) throw broken('invalid header or archive is corrupted');
      const name = decoder.decode(bytes.slice(at + 46, at + 46 + nameLength));
      const entry = entryAt(data, at, nameLength, extraLength);
      if (this.entries.has(name)) throw broken(`there are two records named ${name}`);
      this.entries.set(name, entry);
      first ??= name;
      at = next;
    }
    if (first === null) throw broken('there are no files in it');
    return first;
  }

  /** Records that overlap would be read many times over: a few bytes that pretend to be many. */
  private checkPlaces(end: number): void {
    const all = [...this.entries.values()].sort((a, b) => a.header - b.header);
    for (let i = 0; i < all.length; i++) {
      const { header, nameLength, stored } = all[i];
      const limit = i + 1 < all.length ? all[i + 1].header : end;
      if (header + 30 + nameLength + stored > limit) throw broken('records overlap');
    }
  }

  has(name: string): boolean {
    return this.entries.has(`${this.folder}/${name}`);
  }

  /** Bytes of a record. @throws RuntimeError if it is not there */
  size(name: string): number {
    return this.find(name).size;
  }

  /** A record as a source, checked against its checksum unless that is none. Without a check: `checked` false. */
  open(name: string, checked = true): Source {
    const entry = this.find(name);
    const failed = (problem: string) => zipError(`reading file ${name}`, problem);
    if ((entry.flags & 1) !== 0) throw failed('unsupported encryption');
    let head: DataView;
    try {
      head = view(this.source.read(entry.header, 30));
    } catch (error) {
      if (error instanceof EOFError) throw failed('file read failed');
      throw error;
    }
    if (head.getUint32(0, true) !== LOCAL) throw failed('invalid header or archive is corrupted');
    const offset = entry.header + 30 + head.getUint16(26, true) + head.getUint16(28, true);
    if (offset + entry.stored > this.source.size) throw failed('invalid header or archive is corrupted');
    const raw = new PartSource(this.source, offset, entry.stored);
    let record: Source = raw;
    if (entry.method !== 0) record = inflated(raw, entry, failed);
    else if (entry.size !== entry.stored) throw failed('invalid header or archive is corrupted');
    if (checked && entry.crc !== 0 && checksum(record) !== entry.crc) throw failed('CRC-32 check failed');
    return record;
  }

  /** Calls `take` with a record piece by piece, from front to back; its checksum is looked at last. */
  pieces(name: string, take: (piece: Uint8Array, at: number) => void): void {
    const record = this.open(name, false);
    const { crc } = this.find(name);
    let sum = 0;
    for (let at = 0; at < record.size; at += PIECE) {
      const piece = record.read(at, Math.min(PIECE, record.size - at));
      if (crc !== 0) sum = crc32(piece, sum);
      take(piece, at);
    }
    // PyTorch writes 0 where it was told not to compute it.
    if (crc !== 0 && sum !== crc) throw zipError(`reading file ${name}`, 'CRC-32 check failed');
  }

  /** A small record as text. */
  text(name: string): string {
    const record = this.open(name);
    return new TextDecoder().decode(record.read(0, Math.min(record.size, 1024)).slice());
  }

  private find(name: string): Entry {
    const entry = this.entries.get(`${this.folder}/${name}`);
    if (entry === undefined) throw zipError(`locating file ${name}`, 'file not found');
    return entry;
  }
}

function checksum(record: Source): number {
  let sum = 0;
  for (let at = 0; at < record.size; at += PIECE) {
    sum = crc32(record.read(at, Math.min(PIECE, record.size - at)), sum);
  }
  return sum;
}

/** The end of the archive, which says where its directory is. */
function findDirectory(source: Source): { offset: number; size: number; count: number } {
  const { size } = source;
  if (size < END_SIZE) throw broken('not a ZIP archive');
  const tail = Math.min(size, END_SIZE + MAX_COMMENT);
  const bytes = source.read(size - tail, tail);
  const data = view(bytes);
  let at = tail - END_SIZE;
  while (at >= 0 && data.getUint32(at, true) !== END) at--;
  if (at < 0) throw broken('failed finding central directory');
  let count = data.getUint16(at + 10, true);
  let length = data.getUint32(at + 12, true);
  let offset = data.getUint32(at + 16, true);
  const end = size - tail + at;
  let limit = end;
  if (end >= 20) {
    const locator = view(source.read(end - 20, 20));
    if (locator.getUint32(0, true) === LOCATOR64) {
      const place = uint64(locator, 8);
      if (place + 56 > end) throw broken('invalid header or archive is corrupted');
      const record = view(source.read(place, 56));
      if (record.getUint32(0, true) !== END64) throw broken('invalid header or archive is corrupted');
      count = uint64(record, 32);
      length = uint64(record, 40);
      offset = uint64(record, 48);
      limit = place;
    }
  }
  if (offset + length > limit || count * 46 > length) throw broken('invalid header or archive is corrupted');
  return { offset, size: length, count };
}

function entryAt(data: DataView, at: number, nameLength: number, extraLength: number): Entry {
  let stored = data.getUint32(at + 20, true);
  let size = data.getUint32(at + 24, true);
  let header = data.getUint32(at + 42, true);
  const end = at + 46 + nameLength + extraLength;
  for (let field = at + 46 + nameLength; field + 4 <= end; ) {
    const id = data.getUint16(field, true);
    const to = field + 4 + data.getUint16(field + 2, true);
    if (to > end) throw broken('invalid header or archive is corrupted');
    if (id === 1) {
      let value = field + 4;
      const next = () => {
        if (value + 8 > to) throw broken('invalid header or archive is corrupted');
        value += 8;
        return uint64(data, value - 8);
      };
      if (size === 0xffffffff) size = next();
      if (stored === 0xffffffff) stored = next();
      if (header === 0xffffffff) header = next();
    }
    field = to;
  }
  return {
    method: data.getUint16(at + 10, true),
    flags: data.getUint16(at + 8, true),
    crc: data.getUint32(at + 16, true),
    stored,
    size,
    header,
    nameLength,
  };
}

/** Not from PyTorch, which stores: somebody has packed the archive anew. */
function inflated(raw: Source, entry: Entry, failed: (problem: string) => RuntimeError): Source {
  if (entry.method !== 8) throw failed('unsupported method');
  const zlib = nodeModule<{ inflateRawSync(data: Uint8Array, options: { maxOutputLength: number }): Uint8Array }>(
    'node:zlib',
  );
  if (zlib === undefined) {
    throw new NotImplementedError(
      'The file is a compressed zip archive, which is read in Node.js only. torch.save does not compress: save it again, or unpack the archive and pack it with zip -0.',
    );
  }
  if (entry.size > MAX_RATIO * entry.stored + 64) throw failed('decompression failed or archive is corrupted');
  if (entry.size === 0) return new BytesSource(new Uint8Array(0));
  let bytes: Uint8Array;
  try {
    bytes = zlib.inflateRawSync(raw.read(0, raw.size), { maxOutputLength: entry.size });
  } catch {
    throw failed('decompression failed or archive is corrupted');
  }
  if (bytes.length !== entry.size) throw failed('decompression failed or archive is corrupted');
  return new BytesSource(bytes);
}
