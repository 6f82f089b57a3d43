/** Whole modules as safetensors files: parameters that are shared are written once. */
import type { DeviceLike } from '../core/device.ts';
import { RuntimeError } from '../core/errors.ts';
import { Signature } from '../core/signature.ts';
import type { Module } from '../nn/module.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { load_file, type Metadata, type NamedTensors, save_file, sharedTensors } from './safetensors.ts';
import { ValueError } from '../core/errors.ts';

const SAVE = Signature.of('save_model(metadata=None, force_contiguous=True)');
const LOAD = Signature.of("load_model(strict=True, device='cpu', *, backend='mmap')");

/** Whether it is all of its storage. */
const isComplete = (x: Tensor): boolean => x.offset === 0 && x.length * x.dtype.itemsize === x.storage.nbytes;

/** Of tensors that share memory, those that are left out, by the one that is kept. */
function duplicates(state: Readonly<NamedTensors>, preferred: ReadonlySet<string>): Map<string, string[]> {
  const left = new Map<string, string[]>();
  for (const names of sharedTensors(state)) {
    const complete = names.filter((name) => isComplete(state[name])).sort();
    if (complete.length === 0) {
      if (names.length === 1 && state[names[0]].contiguousNow) continue;
      throw new RuntimeError(
        `Error while trying to find names to remove to save state dict, but found no suitable name to keep for saving amongst: {${names.map((name) => `'${name}'`).join(', ')}}. None is covering the entire storage.Refusing to save/load the model since you could be storing much more memory than needed. Please refer to https://huggingface.co/docs/safetensors/torch_shared_tensors for more information. Or open an issue.`,
      );
    }
    const kept = complete.find((name) => preferred.has(name)) ?? complete[0];
    const others = names.filter((name) => name !== kept).sort();
    if (others.length > 0) left.set(kept, others);
  }
  return left;
}

/**
 * Saves a module's state dict. Of parameters that are shared one is saved, and the metadata says which.
 * @param metadata texts to go with it
 */
export function save_model(
  model: Module,
  filename: string | URL,
  options?: { metadata?: Metadata | null; force_contiguous?: boolean },
): void;
export function save_model(
  model: Module,
  filename: string | URL,
  metadata?: Metadata | null,
  force_contiguous?: boolean,
): void;
export function save_model(model: Module, filename: string | URL, ...args: unknown[]): void {
  const [first] = args;
  const asOptions =
    args.length === 1 &&
    typeof first === 'object' &&
    first !== null &&
    ('metadata' in first || 'force_contiguous' in first);
  const [given, force] = asOptions
    ? (SAVE.bind(args) as [Metadata | null, boolean])
    : [(first ?? null) as Metadata | null, args[1] !== false];
  const state = model.state_dict();
  const metadata: Record<string, string> = { ...given };
  for (const [kept, others] of duplicates(state, new Set())) {
    for (const name of others) {
      metadata[name] ??= kept;
      delete state[name];
    }
  }
  if (force) for (const name of Object.keys(state)) state[name] = state[name].contiguous();
  try {
    save_file(state, filename, given === null && Object.keys(metadata).length === 0 ? null : metadata);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new ValueError(
      `${error.message} Or use save_model(..., force_contiguous=True), read the docs for potential caveats.`,
    );
  }
}

/**
 * Loads a file of `save_model` into a module.
 * @returns names that are missing in the file, and those that the module does not have
 * @throws RuntimeError if there are any, unless `strict` is false
 */
export function load_model(
  model: Module,
  filename: string | URL,
  options?: { strict?: boolean; device?: DeviceLike },
): [missing: string[], unexpected: string[]];
export function load_model(
  model: Module,
  filename: string | URL,
  strict?: boolean,
  device?: DeviceLike,
): [missing: string[], unexpected: string[]];
export function load_model(model: Module, filename: string | URL, ...args: unknown[]): [string[], string[]] {
  const [strict, device] = LOAD.bind(args) as [boolean, DeviceLike];
  const state = load_file(filename, device);
  const left = duplicates(model.state_dict(), new Set(Object.keys(state)));
  const keys = model.load_state_dict(state, { strict: false });
  const missing = new Set(keys.missing_keys);
  const unexpected = [...keys.unexpected_keys];
  for (const name of [...left.values()].flat()) {
    // In the file all the same, or rightly not.
    if (!missing.delete(name)) unexpected.push(name);
  }
  if (strict && (missing.size > 0 || unexpected.length > 0)) {
    const quoted = (names: Iterable<string>) =>
      [...names]
        .sort()
        .map((name) => `"${name}"`)
        .join(', ');
    let text = `Error(s) in loading state_dict for ${model.constructor.name}:`;
    if (missing.size > 0) text += `\n    Missing key(s) in state_dict: ${quoted(missing)}`;
    if (unexpected.length > 0) text += `\n    Unexpected key(s) in state_dict: ${quoted(unexpected)}`;
    throw new RuntimeError(text);
  }
  return [[...missing], unexpected];
}
