/** Values as data, as scripts/oracle/checkpoints.py writes them: for comparing what is loaded here with what PyTorch loads. */
import { Device } from '../core/device.ts';
import { DType } from '../core/dtype.ts';
import { Size } from '../core/size.ts';
import { toHost } from '../ops/host.ts';
import { FLAG_PARAMETER, Tensor } from '../tensor/tensor.ts';
import type { Storage } from '../devices/storage.ts';
import { intKeyed, isTuple } from './python.ts';

export type Described = unknown;

const base64 = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');

function float(value: number): Described {
  const data = new DataView(new ArrayBuffer(8));
  data.setFloat64(0, value, false);
  return { float: base64(new Uint8Array(data.buffer)) };
}

/** What `describe` in the recording script says of the same value in Python. */
export function describe(value: unknown, storages = new Map<Storage, number>()): Described {
  const of = (item: unknown) => describe(item, storages);
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'bigint') return { int: String(value) };
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) && !Object.is(value, -0) ? { int: String(value) } : float(value);
  }
  if (value instanceof Tensor) return describeTensor(value, storages);
  if (value instanceof Size) return { size: [...value] };
  if (isTuple(value)) return { tuple: value.map(of) };
  if (Array.isArray(value)) return { list: value.map(of) };
  if (value instanceof Uint8Array) return { bytes: base64(value) };
  if (value instanceof Set) return { set: [...value].map(of) };
  if (value instanceof DType) return { dtype: value.name };
  if (value instanceof Device) return { device: String(value) };
  if (value instanceof Map) return { dict: [...value].map(([key, item]) => [of(key), of(item)]) };
  const key = (text: string) => (intKeyed.has(value as object) ? Number(text) : text);
  return { dict: Object.entries(value as object).map(([text, item]) => [of(key(text)), of(item)]) };
}

function describeTensor(x: Tensor, storages: Map<Storage, number>): Described {
  const out: Record<string, unknown> = {
    dtype: x.dtype.name,
    shape: [...x.sizes],
    strides: [...x.strides],
    offset: x.offset,
    grad: x.requires_grad,
    parameter: (x.flags & FLAG_PARAMETER) !== 0,
    device: String(x.device),
  };
  if (x.device.type !== 'meta') {
    if (x.length > 0) {
      if (!storages.has(x.storage)) storages.set(x.storage, storages.size);
      out['storage'] = storages.get(x.storage);
    }
    const array = toHost(x);
    out['data'] = base64(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  }
  return { tensor: out };
}

/**
 * Takes away from a description what JavaScript does not tell: floats that are whole are ints, and the order of keys that are whole
 * numbers is theirs.
 */
export function asInJavaScript(described: Described): Described {
  if (Array.isArray(described)) return described.map(asInJavaScript);
  if (typeof described !== 'object' || described === null) return described;
  const [[kind, value]] = Object.entries(described);
  if (kind === 'float') {
    const number = Buffer.from(value as string, 'base64').readDoubleBE();
    return describe(number);
  }
  if (kind === 'dict') {
    const entries = (value as [unknown, unknown][]).map(([key, item]) => [asInJavaScript(key), asInJavaScript(item)]);
    const index = ([key]: unknown[]) => {
      const text = typeof key === 'string' ? key : (key as { int?: string } | null)?.int;
      return typeof text === 'string' && /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : Infinity;
    };
    const plain = entries.every(([key]) => typeof key === 'string');
    return { dict: plain ? entries.sort((a, b) => compare(index(a), index(b))) : entries };
  }
  if (kind === 'tensor' || kind === 'bytes') return described;
  return { [kind]: asInJavaScript(value) };
}

const compare = (a: number, b: number) => (a === b ? 0 : a - b);
