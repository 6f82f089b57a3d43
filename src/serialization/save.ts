/** `torch.save`: PyTorch's zip format, which PyTorch reads, on machines without an mtia, too. */
import { AttributeError, NotImplementedError, RuntimeError } from '../core/errors.ts';
import { Signature } from '../core/signature.ts';
import { typeName } from '../tensor/type-name.ts';
import type { DType } from '../core/dtype.ts';
import type { Storage } from '../devices/storage.ts';
import { recorded } from '../memory/entry.ts';
import { FLAG_PARAMETER, requiresGrad, type Tensor } from '../tensor/tensor.ts';
import { crc32 } from './crc32.ts';
import { Global, ORDERED_DICT, Persistent, Pickler, Reduce, Tuple } from './pickler.ts';
import { collect, pathOf, type Sink, writeFile } from './source.ts';
import { storageBytes } from './storages.ts';
import { ALIGNMENT, type RecordToWrite, ZipLayout } from './zip-write.ts';

/** Where `torch.save` writes: a path, or something with a `write` for pieces of bytes, which are its own. */
export type SaveTarget = string | URL | { write(bytes: Uint8Array): unknown };

export interface SaveOptions {
  pickle_protocol?: number;
}

interface Saved {
  readonly storage: Storage;
  readonly dtype: DType;
  readonly over: Tensor;
  readonly key: string;
}

const REBUILD = new Global('torch._utils', '_rebuild_tensor_v2');
const PARAMETER = new Global('torch._utils', '_rebuild_parameter');
const META = new Global('torch._utils', '_rebuild_meta_tensor_no_storage');
const SAVE = Signature.of(
  'save(pickle_module=None, pickle_protocol=2, _use_new_zipfile_serialization=True, _disable_byteorder_record=False)',
);

/** The tensors of one file: their storages, each once. */
class Storages {
  readonly all: Saved[] = [];
  private readonly known = new Map<Storage, Saved>();
  private readonly types = new Map<string, Global>();

  readonly reduce = (x: Tensor): Reduce => {
    if ((x.flags & FLAG_PARAMETER) !== 0) {
      return new Reduce(PARAMETER, new Tuple(this.plain(x, false), requiresGrad(x), emptyHooks()));
    }
    return this.plain(x, requiresGrad(x));
  };

  private plain(x: Tensor, requires_grad: boolean): Reduce {
    const { sizes, strides, dtype, storage } = x;
    const { device } = storage.backend;
    if (device.type === 'meta') {
      return new Reduce(META, new Tuple(dtype, new Tuple(...sizes), new Tuple(...strides), requires_grad));
    }
    const saved = this.known.get(storage) ?? this.add(x);
    if (saved.dtype !== dtype) {
      throw new RuntimeError('Cannot save multiple tensors or storages that view the same data as different types');
    }
    const id = new Tuple('storage', this.type(dtype), saved.key, String(device), storage.nbytes / dtype.itemsize);
    return new Reduce(
      REBUILD,
      new Tuple(new Persistent(id), x.offset, new Tuple(...sizes), new Tuple(...strides), requires_grad, emptyHooks()),
    );
  }

  private add(x: Tensor): Saved {
    const saved = { storage: x.storage, dtype: x.dtype, over: x, key: String(this.all.length) };
    this.all.push(saved);
    this.known.set(x.storage, saved);
    return saved;
  }

  private type(dtype: DType): Global {
    const name = dtype.tensorTypeName.replace('Tensor', 'Storage');
    let type = this.types.get(name);
    if (type === undefined) this.types.set(name, (type = new Global('torch', name)));
    return type;
  }
}

const emptyHooks = () => new Reduce(ORDERED_DICT, new Tuple());

/**
 * Saves an object: tensors (whole storages, each once, so that views share them again when loaded) in plain objects and Maps (dicts),
 * arrays (lists), Sets, and so on. Whole numbers are saved as ints, all others as floats. A module is saved by its `state_dict()`.
 *
 * @param f a path or file: URL (Node.js), or anything with `write(bytes)`; without it the bytes are returned
 * @throws TypeError for what cannot be saved; RuntimeError for tensors of different dtypes over the same bytes
 */
export function save(obj: unknown): Uint8Array;
export function save(obj: unknown, f: SaveTarget, options?: SaveOptions): void;
export function save(obj: unknown, f: unknown = null, ...args: unknown[]): Uint8Array | undefined {
  const [, protocol, zip] = SAVE.bind(args);
  if (zip !== true)
    throw new NotImplementedError('torch.save writes the zip format only; torch.load reads the older one, too');
  if (protocol !== 2)
    throw new NotImplementedError(`torch.save writes pickle protocol 2 only, not ${String(protocol)}`);
  const path = f === null ? null : pathOf(f);
  if (f !== null && path === null && typeof (f as { write?: unknown }).write !== 'function') {
    throw new AttributeError(
      `expected 'f' to be string, path, or a file-like object with a 'write' attribute, got ${typeName(f)}`,
    );
  }
  return recorded(saveTo, obj, f as { write(bytes: Uint8Array): unknown } | null, path);
}

function saveTo(
  obj: unknown,
  f: { write(bytes: Uint8Array): unknown } | null,
  path: string | null,
): Uint8Array | undefined {
  // Before a file is opened: what cannot be saved leaves what was there as it is.
  const layout = layoutOf(obj, path === null ? 'archive' : stem(path));
  const write = (sink: Sink) => layout.write(sink);
  if (f === null) return collect(layout.size, write);
  if (path !== null) writeFile(path, 'torch.save', write);
  // What it is given is its own: the pieces may be the device's memory.
  else layout.write((bytes) => void f.write(bytes.slice()));
  return undefined;
}

/** The folder in the archive is named like the file. */
function stem(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const dot = name.lastIndexOf('.');
  return (dot > 0 ? name.slice(0, dot) : name) || 'archive';
}

function layoutOf(obj: unknown, folder: string): ZipLayout {
  const storages = new Storages();
  const pickle = join(new Pickler(storages.reduce).dump(obj));
  const records: RecordToWrite[] = [];
  const add = (name: string, size: number, bytes: () => Uint8Array) => {
    records.push({ name: `${folder}/${name}`, size, bytes });
  };
  const text = (name: string, value: string) => add(name, value.length, () => new TextEncoder().encode(value));
  add('data.pkl', pickle.length, () => pickle);
  text('.format_version', '1');
  text('.storage_alignment', String(ALIGNMENT));
  text('byteorder', 'little');
  for (const { storage, over, key } of storages.all) {
    add(`data/${key}`, storage.nbytes, () => storageBytes(storage, over));
  }
  text('version', '3\n');
  text('.data/serialization_id', serializationId(records, pickle));
  return new ZipLayout(records);
}

/** Forty digits that tell files apart: of the names of the records and of the pickle. */
function serializationId(records: readonly RecordToWrite[], pickle: Uint8Array): string {
  let names = 0;
  for (const { name, size } of records) names = crc32(new TextEncoder().encode(`${name} ${size}`), names);
  return `${String(names).padStart(20, '0')}${String(crc32(pickle)).padStart(20, '0')}`;
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  if (chunks.length === 1) return chunks[0];
  return collect(
    chunks.reduce((sum, chunk) => sum + chunk.length, 0),
    (sink) => chunks.forEach(sink),
  );
}
