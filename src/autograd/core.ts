/** What `torch.autograd` has in the package's small entry point. */
export { detect_anomaly, set_detect_anomaly } from './anomaly.ts';
export { backward, grad } from './backward.ts';
export { enable_grad, inference_mode, no_grad, set_grad_enabled } from './mode.ts';
