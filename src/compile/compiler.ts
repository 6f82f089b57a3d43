/** `torch.compiler`. */
export { compile, disable, explain, type Explanation, is_compiling, reset } from './index.ts';
