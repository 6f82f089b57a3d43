/**
 * `torch-mtia/core`: the small entry point, for pages. Tensors, autograd, layers, optimizers, cpu and mtia with their figures of
 * memory; what it lacks has entry points of its own (docs/entry-points.md), which share everything with it.
 *
 *     import torch from 'torch-mtia/core';
 */
import { nameClasses } from '../torch/class-names.ts';
import * as torch from '../torch/core-namespace.ts';

export * from '../torch/core-namespace.ts';
export default torch;

const { nn, optim, autograd } = torch;
for (const space of [torch, nn, optim, optim.lr_scheduler, autograd]) nameClasses(space);
