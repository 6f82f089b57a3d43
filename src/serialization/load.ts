/** `torch.load`: reads what `torch.save` wrote, here or in PyTorch. Nothing in a file is ever executed. */
import { AttributeError, RuntimeError, ValueError } from '../core/errors.ts';
import { Signature } from '../core/signature.ts';
import { warn, warnOnce } from '../core/warn.ts';
import { clock } from '../memory/clock.ts';
import { recorded } from '../memory/entry.ts';
import { typeName } from '../tensor/type-name.ts';
import { EOFError, UnpicklingError } from './errors.ts';
import { findGlobal, storageType } from './globals.ts';
import { loadLegacy } from './legacy.ts';
import { budgetFor, type Loading, refusal, UNSAFE, WAY_OUT } from './loading.ts';
import { type MapLocation, type Restore, restoreTo } from './location.ts';
import { PickleInput } from './pickle-input.ts';
import { isTuple } from './python.ts';
import { load_file as loadSafetensors } from './safetensors.ts';
import { type FileInput, isBlob, openSource, pathOf, type Source } from './source.ts';
import { FileStorage, fillPiece } from './storages.ts';
import { Unpickler } from './unpickler.ts';
import { ZipArchive } from './zip-read.ts';

export interface LoadOptions {
  /** Where storages go, whatever the file says. */
  map_location?: MapLocation | null;
  /**
   * Default true: what PyTorch's restricted unpickler refuses is refused. With false, files of other pickle protocols are read,
   * too; functions and classes of Python are not executed, whatever is said here.
   */
  weights_only?: boolean | null;
  /** Only for paths. Files are always read by offset, so it changes nothing else. */
  mmap?: boolean | null;
}

const LOAD = Signature.of('load(map_location=None, pickle_module=None, *, weights_only=None, mmap=None)');

/**
 * Reads an object that `torch.save` wrote: tensors (views of one storage share it again) in dicts, lists, tuples and so on. In JavaScript a dict
 * is a plain object, or a Map where its keys are neither all strings nor all ints; a tuple is an array; bytes are a Uint8Array.
 *
 * The type is what you say it is, nobody checks: `torch.load<Tensor>('x.pt')`; by default a state dict.
 *
 * @param f a path or a file: URL (Node.js), a Uint8Array, an ArrayBuffer; a Blob or File, for which a promise is returned
 * @throws UnpicklingError for what weights_only refuses; RuntimeError, EOFError for damaged files; FileNotFoundError
 */
export function load<T = Record<string, unknown>>(
  f: Blob,
  map_location?: MapLocation | null,
  options?: LoadOptions,
): Promise<T>;
export function load<T = Record<string, unknown>>(f: Blob, options?: LoadOptions): Promise<T>;
export function load<T = Record<string, unknown>>(
  f: FileInput,
  map_location?: MapLocation | null,
  options?: LoadOptions,
): T;
export function load<T = Record<string, unknown>>(f: FileInput, options?: LoadOptions): T;
export function load(f: unknown, ...args: unknown[]): unknown {
  const bound = bindArguments(args);
  if (isBlob(f)) return f.arrayBuffer().then((bytes) => recorded(loadFrom, bytes, bound, false));
  return recorded(loadFrom, f, bound, true);
}

interface Bound {
  mapLocation: unknown;
  weightsOnly: boolean;
  mmap: boolean;
}

/** `map_location` may be a plain object, as the options are: the last of two is the options, one alone is by its keys. */
function bindArguments(args: unknown[]): Bound {
  const NAMES = ['map_location', 'pickle_module', 'weights_only', 'mmap'];
  let given = args;
  const [first] = args;
  const plain = typeof first === 'object' && first !== null && Object.getPrototypeOf(first) === Object.prototype;
  // Where storages of each device go; other keys are options, and wrong ones an error.
  if (plain && (args.length > 1 || isDeviceMapping(Object.keys(first as object), NAMES))) {
    // As a Map it cannot be mistaken.
    given = [new Map(Object.entries(first as object)), ...args.slice(1)];
  }
  const [mapLocation, pickleModule, weightsOnly, mmap] = LOAD.bind(given);
  if (pickleModule !== null) {
    throw new RuntimeError('Can not safely load weights when explicit pickle_module is specified');
  }
  return { mapLocation, weightsOnly: weightsOnly !== false, mmap: mmap === true };
}

function isDeviceMapping(keys: readonly string[], options: readonly string[]): boolean {
  return (
    keys.some((key) => /^[a-z]+(:\d+)?$/.test(key) && DEVICES.has(key.split(':')[0])) &&
    !keys.some((key) => options.includes(key))
  );
}

const DEVICES = new Set(['cpu', 'cuda', 'hip', 'hpu', 'meta', 'mps', 'mtia', 'privateuseone', 'xla', 'xpu']);

function loadFrom(f: unknown, { mapLocation, weightsOnly, mmap }: Bound, mayBePath: boolean): unknown {
  const path = mayBePath ? pathOf(f) : null;
  if (path?.endsWith('.safetensors')) return loadSafetensorsAt(path, mapLocation);
  const source = openSource(f, 'torch.load');
  if (source === null) {
    throw new AttributeError(
      `'${typeName(f)}' object has no attribute 'seek'. You can only torch.load from a file that is seekable. Please pre-load the data into a buffer like io.BytesIO and try to load from it instead.`,
    );
  }
  const { operation } = clock;
  clock.operation = 'torch.load';
  const restore = restoreTo(mapLocation);
  const storages: FileStorage[] = [];
  const loading: Loading = {
    restore,
    storages,
    unpickler: (persistentLoad, deviceOf = (location) => restore(0, location)) => ({
      persistentLoad,
      findGlobal: (module, name) => findGlobal(module, name, deviceOf),
      allProtocols: !weightsOnly,
      warn: warnOnce,
    }),
  };
  try {
    if (isZip(source)) {
      if (mmap && path === null) throw new ValueError('f must be a file path in order to use the mmap argument');
      return loadZip(source, loading, weightsOnly);
    }
    if (mmap) {
      throw new RuntimeError(
        'mmap can only be used with files saved with `torch.save(_use_new_zipfile_serialization=True), please torch.save your checkpoint with this option in order to use mmap.',
      );
    }
    return loadLegacy(source, loading);
  } catch (error) {
    if (!(error instanceof UnpicklingError)) throw error;
    throw weightsOnly ? refusal(error.message) : new UnpicklingError(`${error.message}${WAY_OUT}`);
  } finally {
    source.close();
    clock.operation = operation;
    for (const { storage } of storages) if (storage !== null && storage.record.handles === 0) storage.freeNow();
  }
}

function loadSafetensorsAt(path: string, mapLocation: unknown): unknown {
  const kind = mapLocation instanceof Map || (typeof mapLocation === 'object' && mapLocation?.constructor === Object);
  if (kind || typeof mapLocation === 'function') {
    throw new RuntimeError(
      `Loading safetensors file with ${kind ? 'dict' : 'callable'} map_location is not supported. Use a device string or torch.device instead.`,
    );
  }
  return loadSafetensors(path, mapLocation === null ? 'cpu' : (mapLocation as string));
}

function isZip(source: Source): boolean {
  if (source.size < 4) return false;
  const [a, b, c, d] = source.read(0, 4);
  return a === 0x50 && b === 0x4b && c === 3 && d === 4;
}

function loadZip(source: Source, loading: Loading, weightsOnly: boolean): unknown {
  const archive = new ZipArchive(source);
  checkVersion(archive);
  if (archive.has('constants.pkl')) {
    warn(
      "'torch.load' received a zip file that looks like a TorchScript archive dispatching to 'torch.jit.load' (call 'torch.jit.load' directly to silence this warning)",
    );
    throw new RuntimeError(
      weightsOnly
        ? `Cannot use \`\`weights_only=True\`\` with TorchScript archives passed to \`\`torch.load\`\`. ${UNSAFE}`
        : 'TorchScript archives are programs, which are not run here: in PyTorch, save the state_dict() of the module.',
    );
  }
  const order = archive.has('byteorder') ? archive.text('byteorder') : 'little';
  if (order !== 'little' && order !== 'big') throw new ValueError(`Unknown endianness type: ${order}`);
  const loaded = new Map<unknown, FileStorage>();
  const persistentLoad = (id: unknown): FileStorage => {
    if (!isTuple(id) || id.length !== 5) throw new UnpicklingError('the id of a storage is no tuple of five');
    const [, type, key, location, numel] = id;
    const known = loaded.get(key);
    if (known !== undefined) return known;
    const { dtype } = storageType(type);
    if (typeof key !== 'string' || typeof location !== 'string' || typeof numel !== 'number') {
      throw new UnpicklingError('the id of a storage has items of other types than (str, type, str, str, int)');
    }
    const storage = zipStorage(archive, key, dtype, numel, location, loading.restore, order === 'big');
    loaded.set(key, storage);
    loading.storages.push(storage);
    return storage;
  };
  const pickle = archive.open('data.pkl');
  return new Unpickler(new PickleInput(pickle), loading.unpickler(persistentLoad), budgetFor(pickle.size)).load();
}

function zipStorage(
  archive: ZipArchive,
  key: string,
  dtype: FileStorage['dtype'],
  numel: number,
  location: string,
  restore: Restore,
  swap: boolean,
): FileStorage {
  const name = `data/${key}`;
  const nbytes = numel * dtype.itemsize;
  const size = archive.size(name);
  if (size !== nbytes) {
    throw new RuntimeError(
      `record size (${size} bytes) does not match expected size (${nbytes} bytes = ${nbytes} elements * 1 bytes/element) for dtype Byte`,
    );
  }
  const device = restore(nbytes, location);
  if (device.type === 'meta') return new FileStorage(nbytes, dtype, device, null);
  return new FileStorage(nbytes, dtype, device, (storage) => {
    archive.pieces(name, (piece, at) => fillPiece(storage, piece, at, swap ? dtype.itemsize : 1));
  });
}

const OLDEST = 1;
const NEWEST = 10;

function checkVersion(archive: ZipArchive): void {
  const name = archive.has('.data/version') ? '.data/version' : 'version';
  if (!archive.has(name)) throw new EOFError('the archive has no record named version, so it is no file of torch.save');
  const text = archive.text(name);
  if (!/^\s*\d+\s*$/.test(text)) throw new RuntimeError(`Couldn't parse the version ${text} as Long Long.`);
  const version = Number(text);
  if (version < OLDEST) {
    throw new RuntimeError(
      `Attempted to read a PyTorch file with version ${version}, but the minimum supported version for reading is ${OLDEST}. Your PyTorch script module file is too old. Please regenerate it with latest version of PyTorch to mitigate this issue.`,
    );
  }
  if (version > NEWEST) {
    throw new RuntimeError(
      `Attempted to read a PyTorch file with version ${version}, but the maximum supported version for reading is ${NEWEST}. The version of your PyTorch installation may be too old, please upgrade PyTorch to latest version to mitigate this issue.`,
    );
  }
}
