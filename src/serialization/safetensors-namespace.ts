/** `torch.safetensors`: the functions of the package `safetensors.torch`, by its names. PyTorch itself has none. */
export { SafetensorError } from './safetensors-header.ts';
export { load, load_file, type Metadata, type NamedTensors, save, save_file } from './safetensors.ts';
export { load_model, save_model } from './safetensors-model.ts';
