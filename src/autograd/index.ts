/** `torch.autograd`. */
export { backward, grad } from './backward.ts';
export { enable_grad, inference_mode, no_grad, set_grad_enabled } from './mode.ts';
