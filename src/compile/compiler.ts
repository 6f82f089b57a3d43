/** `torch.compiler`. */
export { compile, disable, explain, type Explanation, is_compiling, list_backends, reset } from './index.ts';
