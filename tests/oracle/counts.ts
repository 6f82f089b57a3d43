/** What the fixtures hold of a function, method, module, optimizer or scheduler, by its bare name. */
import { readFileSync } from 'node:fs';

export class Counts {
  results = 0;
  gradients = 0;
  strided = 0;
  empty = 0;
  /** Of the first tensor among the arguments; of embeddings the matrix, which comes second. */
  readonly dtypes = new Set<string>();
  /** Reprs of what it gave. */
  readonly texts = new Set<string>();
  /** Errors, by their types and texts. */
  readonly messages = new Set<string>();
}

interface Tensor {
  dtype: string;
  shape: number[];
  strides?: number[];
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Fields = { [key: string]: Json };
const isObject = (value: Json): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

function tensorsIn(value: Json): Tensor[] {
  if (Array.isArray(value)) return value.flatMap(tensorsIn);
  if (!isObject(value)) return [];
  return 'T' in value ? [value['T'] as unknown as Tensor] : Object.values(value).flatMap(tensorsIn);
}

/** Counts a call: `inputs` are its arguments. */
function add(counts: Counts, name: string, call: Fields, inputs: Json): void {
  const tensors = tensorsIn(inputs);
  if (tensors.length > 0) {
    counts.dtypes.add(tensors[name.startsWith('embedding') && tensors.length > 1 ? 1 : 0].dtype);
    if (tensors.some(({ strides }) => strides !== undefined)) counts.strided++;
    if (tensors.some(({ shape }) => shape.includes(0))) counts.empty++;
  }
  const options = call['kwargs'] ?? null;
  if (isObject(options) && isObject(options['dtype'])) counts.dtypes.add(String(options['dtype']['dtype']));
  const { error } = call;
  if (error !== undefined && isObject(error)) counts.messages.add(`${error['type']}: ${error['text']}`);
  else counts.results++;
  if (Array.isArray(call['grads'])) counts.gradients++;
}

function walk(value: Json, counts: (name: string) => Counts): void {
  if (Array.isArray(value)) for (const each of value) walk(each, counts);
  if (!isObject(value)) return;
  const { call, repr, name } = value;
  if (typeof repr === 'string') counts('repr').texts.add(repr);
  if (typeof call === 'string') {
    const bare = call.slice(call.lastIndexOf('.') + 1);
    add(counts(bare), bare, value, value['args'] ?? []);
  } else if (typeof name === 'string' && Array.isArray(value['calls'])) {
    // A module, or a function after a seed, and what it made of inputs.
    for (const each of value['calls'] as Fields[]) {
      if (!('call' in each)) add(counts(name), name, each, each['inputs'] ?? []);
    }
  }
  for (const key of ['optimizer', 'scheduler']) {
    const used = Array.isArray(value[key]) ? value[key][0] : value[key];
    if (typeof used === 'string' && !('error' in value)) counts(used).results++;
  }
  for (const each of Object.values(value)) walk(each, counts);
}

/** Adds what a file of fixtures holds. */
export function countsOf(family: string, all: Map<string, Counts>): void {
  const text = readFileSync(new URL(`../fixtures/${family}.json`, import.meta.url), 'utf8');
  walk(JSON.parse(text) as Json, (name) => {
    let counts = all.get(name);
    if (counts === undefined) all.set(name, (counts = new Counts()));
    return counts;
  });
}
