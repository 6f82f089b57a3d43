/**
 * torch-mtia: PyTorch's torch.mtia, runnable on any machine.
 *
 *     import torch from 'torch-mtia';
 *     const x = torch.randn(3, 10, { device: 'mtia' });
 *
 * @module
 */
import * as namespace from './torch/namespace.ts';

export * from './torch/namespace.ts';

const torch: typeof namespace = { ...namespace };
export default torch;
