/** Tensors by name in the safetensors format, as `safetensors.torch` has it. The bytes are those that the package writes. */
import { type DeviceLike, parseDevice } from '../core/device.ts';
import { NotImplementedError, RuntimeError, ValueError } from '../core/errors.ts';
import { isOptions } from '../core/signature.ts';
import { backendFor } from '../devices/registry.ts';
import { type Storage, touch } from '../devices/storage.ts';
import { accessed } from '../kernels/touch.ts';
import { clock } from '../memory/clock.ts';
import { recorded } from '../memory/entry.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { Tensor } from '../tensor/tensor.ts';
import { typeName } from '../tensor/type-name.ts';
import { className } from './python.ts';
import { codeOf, type Entry, rankOf, readHeader } from './safetensors-header.ts';
import { collect, type FileInput, isBlob, openSource, pathOf, type Sink, writeFile } from './source.ts';
import { fillPiece } from './storages.ts';

const PIECE = 1 << 22;

/** Tensors by name. */
export type NamedTensors = Record<string, Tensor>;
/** Texts that go with them. */
export type Metadata = Readonly<Record<string, string>>;

/**
 * Tensors as the bytes of a safetensors file. They must be contiguous, and no two may share memory.
 * @throws ValueError, RuntimeError with the package's words otherwise
 */
export function save(tensors: Readonly<NamedTensors>, metadata: Metadata | null = null): Uint8Array {
  return recorded(() => {
    const { size, write } = layoutOf(tensors, metadata);
    return collect(size, write);
  });
}

/** As `save`, into a file at a path or file: URL (Node.js). */
export function save_file(
  tensors: Readonly<NamedTensors>,
  filename: string | URL,
  metadata: Metadata | null = null,
): void {
  recorded(() => {
    const { write } = layoutOf(tensors, metadata);
    writeFile(pathOf(filename) ?? String(filename), 'safetensors.save_file', write);
  });
}

/** The tensors in the bytes of a safetensors file, on the cpu; of a Blob or File a promise of them. */
export function load(data: Blob): Promise<NamedTensors>;
export function load(data: Exclude<FileInput, string | URL>): NamedTensors;
export function load(data: unknown): NamedTensors | Promise<NamedTensors> {
  if (isBlob(data)) return data.arrayBuffer().then((bytes) => recorded(read, bytes, 'cpu'));
  if (typeof data === 'string' || data instanceof URL) {
    throw new TypeError("argument 'data' must be bytes, not str: load_file takes a path");
  }
  return recorded(read, data, 'cpu');
}

/**
 * The tensors of a safetensors file (Node.js). Read by offset: on the meta device nothing but the header is read.
 * @throws SafetensorError for damaged files; FileNotFoundError
 */
export function load_file(filename: string | URL, device: DeviceLike | { device?: DeviceLike } = 'cpu'): NamedTensors {
  return recorded(read, filename, isOptions(device) ? ((device.device as DeviceLike | undefined) ?? 'cpu') : device);
}

function read(f: unknown, device: DeviceLike): NamedTensors {
  const source = openSource(f, 'safetensors.load_file');
  if (source === null) throw new TypeError(`argument 'data' must be bytes, not ${typeName(f)}`);
  const { operation } = clock;
  clock.operation = 'safetensors.load';
  try {
    const backend = backendFor(parseDevice(device));
    const result: NamedTensors = {};
    for (const entry of readHeader(source).entries) {
      const x = emptyTensor(backend, entry.sizes, entry.dtype);
      if (backend.device.type !== 'meta') {
        for (let at = 0; at < entry.nbytes; at += PIECE) {
          fillPiece(x.storage, source.read(entry.begin + at, Math.min(PIECE, entry.nbytes - at)), at, 1);
        }
      }
      put(result, entry, x);
    }
    return result;
  } finally {
    source.close();
    clock.operation = operation;
  }
}

function put(result: NamedTensors, { name }: Entry, value: Tensor): void {
  Object.defineProperty(result, name, { value, enumerable: true, writable: true, configurable: true });
}

interface Layout {
  readonly size: number;
  readonly write: (sink: Sink) => void;
}

function layoutOf(tensors: unknown, metadata: Metadata | null): Layout {
  check(tensors, metadata);
  const all = Object.entries(tensors).sort(([a, x], [b, y]) => rankOf(y.dtype) - rankOf(x.dtype) || compareBytes(a, b));
  const parts = metadata === null ? [] : [`"__metadata__":${textOf(metadata)}`];
  let at = 0;
  for (const [name, x] of all) {
    const end = at + x.length * x.dtype.itemsize;
    const value = { dtype: codeOf(x.dtype), shape: [...x.sizes], data_offsets: [at, end] };
    parts.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
    at = end;
  }
  const text = new TextEncoder().encode(`{${parts.join(',')}}`);
  const length = Math.ceil(text.length / 8) * 8;
  return {
    size: 8 + length + at,
    write: (sink) => {
      const head = new Uint8Array(8 + length).fill(0x20);
      const data = new DataView(head.buffer);
      data.setUint32(0, length, true);
      data.setUint32(4, 0, true);
      head.set(text, 8);
      sink(head);
      for (const [, x] of all) if (x.length > 0) sink(bytesOf(x));
    },
  };
}

/** JSON objects put keys that are numbers first: written by hand. */
function textOf(metadata: Metadata): string {
  const pairs = Object.keys(metadata)
    .sort(compareBytes)
    .map((key) => `${JSON.stringify(key)}:${JSON.stringify(metadata[key])}`);
  return `{${pairs.join(',')}}`;
}

/** The order of their UTF-8 bytes, which is that of code points. */
function compareBytes(a: string, b: string): number {
  const [x, y] = [new TextEncoder().encode(a), new TextEncoder().encode(b)];
  for (let i = 0; i < Math.min(x.length, y.length); i++) if (x[i] !== y[i]) return x[i] - y[i];
  return x.length - y.length;
}

/** For reading at once. */
function bytesOf(x: Tensor): Uint8Array {
  const { storage, offset, dtype, length } = x;
  touch(storage);
  accessed(x, false);
  return storage.backend.view(storage.address + offset * dtype.itemsize, length * dtype.itemsize);
}

function check(tensors: unknown, metadata: Metadata | null): asserts tensors is NamedTensors {
  if (!isOptions(tensors)) {
    throw new ValueError(`Expected a dict of [str, torch.Tensor] but received ${className(tensors)}`);
  }
  for (const [name, x] of Object.entries(tensors)) {
    if (!(x instanceof Tensor)) {
      throw new ValueError(`Key \`${name}\` is invalid, expected torch.Tensor but received ${className(x)}`);
    }
  }
  for (const value of Object.values(metadata ?? {})) {
    if (typeof value !== 'string') {
      throw new TypeError(`argument 'metadata': '${typeName(value)}' object is not an instance of 'str'`);
    }
  }
  const named = tensors as NamedTensors;
  const sharing = sharedTensors(named).filter((names) => names.length > 1);
  if (sharing.length > 0) {
    const groups = sharing.map((names) => `{${names.map((name) => `'${name}'`).join(', ')}}`).join(', ');
    throw new RuntimeError(
      `\n            Some tensors share memory, this will lead to duplicate memory on disk and potential differences when loading them again: [${groups}].\n            A potential way to correctly save your model is to use \`save_model\`.\n            More information at https://huggingface.co/docs/safetensors/torch_shared_tensors\n            `,
    );
  }
  for (const [name, x] of Object.entries(named)) {
    if (!x.contiguousNow) {
      throw new ValueError(
        `You are trying to save a non contiguous tensor: \`${name}\` which is not allowed. It either means you are trying to save tensors which are reference of each other in which case it's recommended to save only the full tensors, and reslice at load time, or simply call \`.contiguous()\` on your tensor to pack it before saving.`,
      );
    }
    if (x.storage.backend.device.type === 'meta')
      throw new NotImplementedError('Cannot copy out of meta tensor; no data!');
  }
}

/** Bytes of the last element's end, where it lies in its storage. */
function endOf(x: Tensor): number {
  let last = x.offset;
  for (let i = 0; i < x.sizes.length; i++) last += (x.sizes[i] - 1) * x.strides[i];
  return (x.length === 0 ? x.offset : last + 1) * x.dtype.itemsize;
}

/** Names of tensors whose parts of a storage overlap, in groups; each name is in one. */
export function sharedTensors(tensors: Readonly<NamedTensors>): string[][] {
  const byStorage = new Map<Storage, string[]>();
  for (const [name, x] of Object.entries(tensors)) {
    if (x.storage.nbytes === 0 || x.storage.backend.device.type === 'meta') continue;
    const names = byStorage.get(x.storage);
    if (names === undefined) byStorage.set(x.storage, [name]);
    else names.push(name);
  }
  const groups: string[][] = [];
  for (const names of byStorage.values()) {
    const areas = names
      .map((name) => ({ name, start: tensors[name].offset * tensors[name].dtype.itemsize, stop: endOf(tensors[name]) }))
      .sort((a, b) => a.start - b.start || a.stop - b.stop || compareBytes(a.name, b.name));
    let stop = -1;
    for (const area of areas) {
      if (area.start >= stop) groups.push([area.name]);
      else groups[groups.length - 1].push(area.name);
      stop = Math.max(stop, area.stop);
    }
  }
  return groups;
}
