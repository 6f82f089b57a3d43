/**
 * The form of the fixtures under tests/fixtures, which scripts/oracle/record.py records from PyTorch. Data only; what is
 * done with it is in `replay.ts` (single calls) and `program.ts` (several calls in a row).
 */
import { readFileSync } from 'node:fs';

/** A tensor. With `strides`, `data` is its whole storage; otherwise its values in row-major order. Base64, little-endian. */
export interface TensorData {
  dtype: string;
  shape: number[];
  strides?: number[];
  offset?: number;
  /** In a result null means that any values will do. */
  data: string;
  /** requires_grad */
  grad?: boolean;
}

/** An argument or a result: JSON's own values, arrays, and objects with one telling key. */
export type Encoded =
  | null
  | boolean
  | number
  | string
  | Encoded[]
  | { T: TensorData }
  /** A variable of a program. */
  | { var: string }
  | { dtype: string }
  /** A mapping, such as a parameter group. */
  | { dict: Record<string, Encoded> }
  | { device: string }
  | { size: number[] }
  | { slice: [number | null, number | null, number | null] }
  | { float: 'nan' | 'inf' | '-inf' | '-0' }
  /** An int beyond ±2^53. */
  | { int: string }
  /** To be given as a bigint. */
  | { bigint: string }
  | { tuple: Encoded[]; names: string[] };

export interface ErrorData {
  /** Python's name of the type. */
  type: string;
  text: string;
  /** If there, the part or parts of the text that count. */
  match?: string | string[];
}

export interface CaseData {
  name: string;
  /** `torch.add`, `Tensor.mul_` (the first argument is self) or `nn.functional.gelu`. */
  call: string;
  args: Encoded[];
  kwargs?: Record<string, Encoded>;
  /** Makes a tensor from nothing: the device under test is added to the options. */
  factory?: boolean;
  /** What the recorder used in place of PyTorch's own function, where that has no (or a wrong) gradient. */
  via?: string;
  /** Self is cloned first: the in-place form of a leaf that requires grad. */
  clone?: boolean;
  result?: Encoded;
  error?: ErrorData;
  /** The whole storage of self afterwards. */
  after?: string;
  grad_output?: TensorData[];
  grads?: (TensorData | null)[];
  grad2?: { v: (TensorData | null)[]; grads: (TensorData | null)[] };
}

/** One line of a program: a tensor, a call, or a look at a variable. */
export interface StepData {
  /** The variable, or the variables that a tuple is taken apart into. */
  let?: string | string[];
  tensor?: TensorData;
  /** As in a case; also `new nn.Linear`, `call`, `get:grad` and `set:data`. */
  call?: string;
  args?: Encoded[];
  kwargs?: Record<string, Encoded>;
  mode?: 'no_grad' | 'inference_mode' | 'enable_grad';
  error?: ErrorData;

  look?: string;
  value?: Encoded;
  /** Of dimensions with more than one element; null where there are no elements. */
  strides?: number[] | null;
  grad?: TensorData | null;
  grad_fn?: string | null;
  version?: number;
  is_view?: boolean;
  /** The variable that `_base` is. */
  base?: string | null;
  is_leaf?: boolean;
  requires_grad?: boolean;
  repr?: string;
  /** The same on mtia:0. */
  repr_mtia?: string;
  /** Python's `str`, where it differs from `repr`. */
  str?: string;
}

export interface ProgramData {
  name: string;
  steps: StepData[];
}

export interface FamilyData<C> {
  torch: string;
  family: string;
  groups: Record<string, C[]>;
}

/** The fixtures of one family. */
export function loadFamily<C = CaseData>(name: string): FamilyData<C> {
  return JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), 'utf8')) as FamilyData<C>;
}
