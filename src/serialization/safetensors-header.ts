/** The header of safetensors files: JSON that says what lies where. Everything in it is checked before it is believed. */
import {
  bfloat16,
  bool,
  type DType,
  float16,
  float32,
  float64,
  int16,
  int32,
  int64,
  int8,
  uint8,
} from '../core/dtype.ts';
import { named, NotImplementedError } from '../core/errors.ts';
import type { Source } from './source.ts';

/** The safetensors package's error for files that are damaged. */
export class SafetensorError extends Error {
  static {
    named(SafetensorError, 'SafetensorError');
  }
}

/** By rank: larger ones come first in a file, so that all are aligned. */
const TYPES: readonly (readonly [string, DType | null])[] = [
  ['BOOL', bool],
  ['F4', null],
  ['F6_E2M3', null],
  ['F6_E3M2', null],
  ['U8', uint8],
  ['I8', int8],
  ['F8_E5M2', null],
  ['F8_E4M3', null],
  ['F8_E8M0', null],
  ['F8_E4M3FNUZ', null],
  ['F8_E5M2FNUZ', null],
  ['I16', int16],
  ['U16', null],
  ['F16', float16],
  ['BF16', bfloat16],
  ['I32', int32],
  ['U32', null],
  ['F32', float32],
  ['C64', null],
  ['F64', float64],
  ['I64', int64],
  ['U64', null],
];

const MAX_HEADER = 100_000_000;
const MAX_DIMENSIONS = 64;

/** Where a dtype stands among those of safetensors. */
export const rankOf = (dtype: DType): number => TYPES.findIndex(([, type]) => type === dtype);
export const codeOf = (dtype: DType): string => TYPES[rankOf(dtype)][0];

export interface Entry {
  readonly name: string;
  readonly dtype: DType;
  readonly sizes: readonly number[];
  readonly length: number;
  /** Bytes of the file. */
  readonly begin: number;
  readonly nbytes: number;
}

export interface Header {
  readonly entries: readonly Entry[];
  readonly metadata: Readonly<Record<string, string>> | null;
}

const failed = (problem: string) => new SafetensorError(`Error while deserializing: ${problem}`);
const invalid = (problem: string) => failed(`invalid JSON in header: ${problem}`);

/** @throws SafetensorError with the package's words for what is no safetensors file, or a damaged one */
export function readHeader(source: Source): Header {
  if (source.size < 8) throw failed('header too small');
  const head = source.read(0, 8);
  const data = new DataView(head.buffer, head.byteOffset, 8);
  const length = data.getUint32(0, true) + data.getUint32(4, true) * 2 ** 32;
  if (length > MAX_HEADER) throw failed('header too large');
  if (8 + length > source.size) throw failed('invalid header length');
  const parsed = parse(source.read(8, length));
  const metadata = metadataOf(parsed['__metadata__']);
  const raw: (Omit<Entry, 'length' | 'nbytes' | 'dtype'> & { code: string; end: number })[] = [];
  for (const [name, value] of Object.entries(parsed)) {
    if (name !== '__metadata__') raw.push(entryOf(name, value));
  }
  // Without gaps, one after the other, from the end of the header to the end of the file.
  const inOrder = [...raw].sort((a, b) => a.begin - b.begin || a.end - b.end);
  let at = 0;
  const entries = new Map<string, Entry>();
  for (const { name, code, sizes, begin, end } of inOrder) {
    if (begin !== at || end < begin) throw failed(`invalid offset for tensor \`${name}\``);
    const dtype = dtypeOf(code, name);
    const count = sizes.reduce((product, size) => product * size, 1);
    const nbytes = count * dtype.itemsize;
    if (!Number.isSafeInteger(nbytes)) throw failed('overflow computing buffer size from shape and/or element type');
    if (nbytes !== end - begin) throw failed('invalid shape, data type, or offset for tensor');
    entries.set(name, { name, dtype, sizes, length: count, begin: 8 + length + begin, nbytes });
    at = end;
  }
  if (8 + length + at !== source.size) throw failed('incomplete metadata, file not fully covered');
  return { entries: raw.map(({ name }) => entries.get(name)!), metadata };
}

function parse(bytes: Uint8Array): Record<string, unknown> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.slice());
  } catch {
    throw failed('invalid UTF-8 in header');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid((error as Error).message);
  }
  if (!isRecord(value)) throw invalid('expected an object of tensors by name');
  return value;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function metadataOf(value: unknown): Record<string, string> | null {
  if (value === undefined || value === null) return null;
  if (!isRecord(value)) throw invalid('`__metadata__` is no object');
  for (const item of Object.values(value)) {
    if (typeof item !== 'string') throw invalid('`__metadata__`: expected a string');
  }
  return value as Record<string, string>;
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

function entryOf(name: string, value: unknown) {
  if (!isRecord(value)) throw invalid(`\`${name}\` is no object`);
  const { dtype, shape, data_offsets: offsets } = value;
  for (const field of ['dtype', 'shape', 'data_offsets']) {
    if (value[field] === undefined) throw invalid(`missing field \`${field}\` of tensor \`${name}\``);
  }
  if (typeof dtype !== 'string') throw invalid(`the dtype of tensor \`${name}\` is no string`);
  if (!Array.isArray(shape) || !shape.every(isCount) || shape.length > MAX_DIMENSIONS) {
    throw invalid(`the shape of tensor \`${name}\` is no list of sizes`);
  }
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount)) {
    throw invalid(`the data_offsets of tensor \`${name}\` are no pair of offsets`);
  }
  return { name, code: dtype, sizes: shape as number[], begin: offsets[0] as number, end: offsets[1] as number };
}

function dtypeOf(code: string, name: string): DType {
  const found = TYPES.find(([text]) => text === code);
  if (found === undefined) {
    const known = TYPES.map(([text]) => `\`${text}\``).join(', ');
    throw invalid(`unknown variant \`${code}\`, expected one of ${known}`);
  }
  if (found[1] === null) {
    throw new NotImplementedError(`tensor \`${name}\` is of the dtype ${code}, which is not implemented in torch-mtia`);
  }
  return found[1];
}
