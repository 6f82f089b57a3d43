/**
 * `torch-mtia/core`: the small entry point, for pages. Tensors, autograd, layers, optimizers, cpu and mtia with their figures of
 * memory; what it lacks has entry points of its own (docs/entry-points.md), which share everything with it.
 *
 *     import torch from 'torch-mtia/core';
 */
// First, as it says.
import '../memory/begin.ts';
import { entryPointEnds } from '../memory/call-sites.ts';
import { NotImplementedError } from '../core/errors.ts';
import { absence } from '../torch/absence.ts';
import { functions } from '../torch/attach.ts';
import { nameClasses } from '../torch/class-names.ts';
import * as namespace from '../torch/core-namespace.ts';
import { ELSEWHERE } from '../torch/elsewhere.ts';
import type * as members from './core-members.ts';

export * from '../torch/core-namespace.ts';

// Functions that further families of ops make are put into the same object when they are loaded.
const torch = Object.assign(functions, namespace) as unknown as typeof members;
export default torch;

const elsewhere = new Set(ELSEWHERE.split(' '));

/** @throws NotImplementedError for an operation that another entry point has */
function refuse(owner: string, key: string): void {
  if (!elsewhere.has(key.replace(/_$/, ''))) return;
  throw new NotImplementedError(`${owner}.${key} is not in torch-mtia/core: import 'torch-mtia/ops', too`);
}
absence.refuse ??= refuse;
// At the end of the prototype chain, where only a name that is not there arrives.
Object.setPrototypeOf(
  torch,
  new Proxy(Object.prototype, {
    get(target, key, receiver) {
      if (typeof key === 'string') refuse('torch', key);
      return Reflect.get(target, key, receiver);
    },
  }),
);

const { nn, optim, autograd } = torch;
for (const space of [torch, nn, optim, optim.lr_scheduler, autograd]) nameClasses(space);
entryPointEnds();
