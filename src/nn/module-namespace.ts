/** `torch.nn.modules.module`: hooks of all modules. */
export {
  register_module_forward_hook,
  register_module_forward_pre_hook,
  register_module_full_backward_hook,
  register_module_full_backward_pre_hook,
} from './call-hooks.ts';
export { Module } from './module.ts';
