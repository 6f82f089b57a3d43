/**
 * Where files are read from: a path in Node.js, bytes anywhere. Read by offset, so that a file of many gigabytes takes no more
 * memory than what is wanted of it.
 */
import { RuntimeError } from '../core/errors.ts';
import { EOFError, systemError } from './errors.ts';

/** Bytes that are read by offset. */
export interface Source {
  readonly size: number;
  /** Bytes from `offset` on; all of them are there, or an EOFError is thrown. They may be the source's own: read only. */
  read(offset: number, length: number): Uint8Array;
  close(): void;
}

/** What `torch.load` reads, without those that need waiting. */
export type FileInput = string | URL | ArrayBufferView | ArrayBufferLike;

interface FileSystem {
  openSync(path: string, flags: string): number;
  fstatSync(fd: number): { size: number; isDirectory(): boolean };
  readSync(fd: number, buffer: Uint8Array, offset: number, length: number, position: number): number;
  writeSync(fd: number, buffer: Uint8Array, offset: number, length: number): number;
  closeSync(fd: number): void;
}

interface ProcessLike {
  getBuiltinModule?(id: string): unknown;
}

/** A module of Node.js; undefined elsewhere. */
export function nodeModule<T>(id: string): T | undefined {
  return (globalThis as { process?: ProcessLike }).process?.getBuiltinModule?.(id) as T | undefined;
}

/** @throws RuntimeError where there are no files */
export function fileSystem(what: string): FileSystem {
  const fs = nodeModule<FileSystem>('node:fs');
  if (fs === undefined) {
    throw new RuntimeError(
      `${what} of a path needs Node.js: here there are no files. Give the bytes instead (a Uint8Array, an ArrayBuffer or a Blob, such as await (await fetch(url)).arrayBuffer()).`,
    );
  }
  return fs;
}

/** The path in a string or a file: URL; null for anything else. */
export function pathOf(f: unknown): string | null {
  if (typeof f === 'string') return f;
  if (!(f instanceof URL)) return null;
  const url = nodeModule<{ fileURLToPath(url: URL): string }>('node:url');
  if (f.protocol !== 'file:' || url === undefined) {
    throw new RuntimeError(`${f} is not a file: fetch it, and give the bytes`);
  }
  return url.fileURLToPath(f);
}

/** Bytes at hand. */
export class BytesSource implements Source {
  readonly size: number;

  constructor(private readonly bytes: Uint8Array) {
    this.size = bytes.length;
  }

  read(offset: number, length: number): Uint8Array {
    if (offset + length > this.size) throw cutOff(this.size);
    return this.bytes.subarray(offset, offset + length);
  }

  close(): void {}
}

/** A file of Node.js. */
class FileSource implements Source {
  readonly size: number;

  constructor(
    private readonly fs: FileSystem,
    private readonly fd: number,
    private readonly path: string,
  ) {
    this.size = fs.fstatSync(fd).size;
  }

  read(offset: number, length: number): Uint8Array {
    // Not the file's claim of a length, but what is there.
    if (offset + length > this.size) throw cutOff(this.size);
    const bytes = new Uint8Array(length);
    let at = 0;
    while (at < length) {
      let count: number;
      try {
        count = this.fs.readSync(this.fd, bytes, at, Math.min(length - at, 1 << 30), offset + at);
      } catch (error) {
        throw systemError(error, this.path);
      }
      if (count === 0) throw cutOff(offset + at);
      at += count;
    }
    return bytes;
  }

  close(): void {
    this.fs.closeSync(this.fd);
  }
}

/** A part of a source, as a source. */
export class PartSource implements Source {
  constructor(
    private readonly whole: Source,
    private readonly offset: number,
    readonly size: number,
  ) {}

  read(offset: number, length: number): Uint8Array {
    if (offset + length > this.size) throw cutOff(this.size);
    return this.whole.read(this.offset + offset, length);
  }

  close(): void {}
}

function cutOff(at: number): EOFError {
  return new EOFError(`Ran out of input: the file is cut off at byte ${at}`);
}

/** Opens what there is to read; null if it is nothing of that sort. @throws FileNotFoundError and its like */
export function openSource(f: unknown, what: string): Source | null {
  if (ArrayBuffer.isView(f)) return new BytesSource(new Uint8Array(f.buffer, f.byteOffset, f.byteLength));
  if (f instanceof ArrayBuffer) return new BytesSource(new Uint8Array(f));
  if (typeof SharedArrayBuffer !== 'undefined' && f instanceof SharedArrayBuffer)
    return new BytesSource(new Uint8Array(f));
  const path = pathOf(f);
  if (path === null) return null;
  const fs = fileSystem(what);
  let fd: number;
  try {
    fd = fs.openSync(path, 'r');
  } catch (error) {
    throw systemError(error, path);
  }
  try {
    if (fs.fstatSync(fd).isDirectory()) throw systemError({ code: 'EISDIR', errno: 21, message: '' }, path);
    return new FileSource(fs, fd, path);
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

/** Whether f is a Blob or a File, whose bytes must be waited for. */
export function isBlob(f: unknown): f is Blob {
  return typeof Blob !== 'undefined' && f instanceof Blob;
}

/** Where files are written to, piece after piece. The pieces are only good during the call. */
export type Sink = (bytes: Uint8Array) => void;

/** Calls `write` with a sink into a new file at this path. */
export function writeFile(path: string, what: string, write: (sink: Sink) => void): void {
  const fs = fileSystem(what);
  let fd: number;
  try {
    fd = fs.openSync(path, 'w');
  } catch (error) {
    throw systemError(error, path);
  }
  try {
    write((bytes) => {
      let at = 0;
      while (at < bytes.length) {
        try {
          at += fs.writeSync(fd, bytes, at, Math.min(bytes.length - at, 1 << 30));
        } catch (error) {
          throw systemError(error, path);
        }
      }
    });
  } finally {
    fs.closeSync(fd);
  }
}

/** All that `write` gives to its sink, which is `size` bytes. */
export function collect(size: number, write: (sink: Sink) => void): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  write((bytes) => {
    whole.set(bytes, at);
    at += bytes.length;
  });
  return whole;
}
