/** The format of `torch.save` before 1.6: pickles one after the other, then the bytes of storages. */
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { UnpicklingError } from './errors.ts';
import { storageType } from './globals.ts';
import { budgetFor, type Loading, UNSAFE } from './loading.ts';
import { PickleInput } from './pickle-input.ts';
import { isTuple } from './python.ts';
import type { Source } from './source.ts';
import { FileStorage, fillPiece } from './storages.ts';
import { Unpickler } from './unpickler.ts';

const MAGIC = 0x1950a86a20f9469cfc6cn;
const PROTOCOL = 1001;
const PIECE = 1 << 22;

export function loadLegacy(source: Source, loading: Loading): unknown {
  if (isTar(source)) {
    throw new RuntimeError(
      `Cannot use \`\`weights_only=True\`\` with files saved in the legacy .tar format. ${UNSAFE}`,
    );
  }
  const input = new PickleInput(source);
  const storages = new Map<string, FileStorage>();
  const views = new Map<string, FileStorage>();
  const persistentLoad = (id: unknown): FileStorage => {
    if (!isTuple(id) || id.length < 5) throw new UnpicklingError('the id of a storage is no tuple of six');
    const [, type, key, location, numel, view = null] = id;
    const { dtype } = storageType(type);
    if (typeof key !== 'string' || typeof location !== 'string' || !isCount(numel)) {
      throw new UnpicklingError('the id of a storage has items of other types than (str, type, str, str, int)');
    }
    let storage = storages.get(key);
    if (storage === undefined) {
      const nbytes = numel * dtype.itemsize;
      // Its bytes are still to come in the file.
      if (nbytes > source.size) throw new UnpicklingError(`a storage of ${nbytes} bytes in a file of ${source.size}`);
      storage = new FileStorage(nbytes, dtype, loading.restore(nbytes, location), null);
      storages.set(key, storage);
      loading.storages.push(storage);
    }
    return view === null ? storage : viewOf(storage, view, views);
  };
  const budget = budgetFor(source.size);
  const unpickler = new Unpickler(input, loading.unpickler(persistentLoad, tooEarly), budget);
  if (unpickler.load() !== MAGIC) throw new RuntimeError('Invalid magic number; corrupt file?');
  const protocol = unpickler.load();
  if (protocol !== PROTOCOL) throw new RuntimeError(`Invalid protocol version: ${String(protocol)}`);
  unpickler.load();
  const result = unpickler.load();
  const keys = unpickler.load();
  if (!Array.isArray(keys)) throw new UnpicklingError('the list of storages in the file is no list');
  let at = input.position;
  for (const key of keys) {
    const storage = storages.get(key as string);
    if (storage === undefined)
      throw new UnpicklingError(`storage key ${String(key)} not found in deserialized_objects`);
    at = readStorage(source, at, storage);
    storages.delete(key as string);
  }
  if (storages.size > 0) throw new UnpicklingError(`the file has no bytes for the storage ${[...storages.keys()][0]}`);
  return result;
}

/** In this format the bytes come after the pickle. */
function tooEarly(location: string): never {
  throw new NotImplementedError(`a tensor of ${location} in the format before PyTorch 1.6 is not implemented`);
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/** A storage that is a part of another: before 0.4. */
function viewOf(storage: FileStorage, view: unknown, views: Map<string, FileStorage>): FileStorage {
  if (!isTuple(view) || view.length !== 3 || typeof view[0] !== 'string' || !isCount(view[1]) || !isCount(view[2])) {
    throw new UnpicklingError('the view of a storage is no tuple (str, int, int)');
  }
  const [key, offset, size] = view as [string, number, number];
  let part = views.get(key);
  if (part === undefined) {
    const { dtype, device, nbytes } = storage;
    const start = Math.min(offset * dtype.itemsize, nbytes);
    const bytes = Math.min(size * dtype.itemsize, nbytes - start);
    views.set(key, (part = new FileStorage(bytes, dtype, device, null, { storage, offset: start })));
  }
  return part;
}

/** The number of elements, then the bytes, little-endian on all machines. @returns where the next one is */
function readStorage(source: Source, at: number, file: FileStorage): number {
  const head = source.read(at, 8);
  const data = new DataView(head.buffer, head.byteOffset, 8);
  const nbytes = (data.getUint32(0, true) + data.getUint32(4, true) * 2 ** 32) * file.dtype.itemsize;
  if (nbytes !== file.nbytes) {
    throw new RuntimeError(`storage has wrong byte size: expected ${file.nbytes} got ${nbytes}`);
  }
  const from = at + 8;
  const { storage } = file;
  if (storage === null || file.device.type === 'meta') {
    source.read(from + nbytes, 0);
    return from + nbytes;
  }
  for (let done = 0; done < nbytes; done += PIECE) {
    fillPiece(storage, source.read(from + done, Math.min(PIECE, nbytes - done)), done, 1);
  }
  return from + nbytes;
}

/** The format before 0.2: tar archives, which PyTorch reads only when it may execute what is in them. */
function isTar(source: Source): boolean {
  if (source.size < 512) return false;
  return new TextDecoder().decode(source.read(257, 5).slice()) === 'ustar';
}
