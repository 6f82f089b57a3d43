/**
 * torch-mtia: PyTorch's torch.mtia, runnable on any machine.
 *
 *     import torch from 'torch-mtia';
 *     const x = torch.randn(3, 10, { device: 'mtia' });
 *
 * @module
 */
import './memory/begin.ts';
import { entryPointEnds } from './memory/call-sites.ts';
import * as namespace from './torch/namespace.ts';

export * from './torch/namespace.ts';

const torch: typeof namespace = { ...namespace };
export default torch;

/** A program's bundler may have shortened the names of classes. People see them: `Linear(in_features=3, …)`. */
function nameClasses(space: object): void {
  for (const [name, member] of Object.entries(space)) {
    if (typeof member === 'function' && /^[A-Z]/.test(name) && member.name !== name) {
      Object.defineProperty(member, 'name', { value: name, configurable: true });
    }
  }
}
const { nn, optim, utils, autograd } = torch;
for (const space of [torch, nn, optim, optim.lr_scheduler, utils.data, autograd]) nameClasses(space);
entryPointEnds();
