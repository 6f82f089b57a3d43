/** `torch.save`, `torch.load` and `torch.safetensors`. */
export { EOFError, FileNotFoundError, OSError, UnpicklingError } from './errors.ts';
export { load, type LoadOptions } from './load.ts';
export { type MapLocation, StorageLocation } from './location.ts';
export { save, type SaveOptions, type SaveTarget } from './save.ts';
export * as safetensors from './safetensors-namespace.ts';
