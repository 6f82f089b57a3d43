/**
 * torch-mtia: PyTorch's torch.mtia, runnable on any machine.
 *
 *     import torch from 'torch-mtia';
 *     const x = torch.randn(3, 10, { device: 'mtia' });
 *
 * @module
 */
// First, as it says.
import './memory/begin.ts';
import { entryPointEnds } from './memory/call-sites.ts';
import { guard, refuseAbsent } from './absent/guard.ts';
import { absence } from './torch/absence.ts';
import { nameClasses } from './torch/class-names.ts';
import * as namespace from './torch/namespace.ts';

export * from './torch/namespace.ts';

absence.refuse = refuseAbsent;

const torch: typeof namespace = guardedTorch();
export default torch;

/** The same with an error for names that PyTorch has and that are not here. A module's own namespace cannot have it. */
function guardedTorch(): typeof namespace {
  const { nn, optim, utils, autograd, amp, backends, cpu, cuda, linalg } = namespace;
  guard(nn.functional, 'torch.nn.functional');
  const layers = Object.entries(nn).filter(
    ([, member]) => (member as { prototype?: unknown }).prototype instanceof nn.Module,
  );
  const spaces = {
    nn: {
      ...nn,
      init: guard({ ...nn.init }, 'torch.nn.init'),
      modules: guard({ ...Object.fromEntries(layers), ...nn.modules }, 'torch.nn.modules'),
      utils: guard({ ...nn.utils, rnn: guard({ ...nn.utils.rnn }, 'torch.nn.utils.rnn') }, 'torch.nn.utils'),
    },
    optim: { ...optim, lr_scheduler: guard({ ...optim.lr_scheduler }, 'torch.optim.lr_scheduler') },
    utils: { ...utils, data: guard({ ...utils.data }, 'torch.utils.data') },
    autograd: { ...autograd },
    ...{ amp: { ...amp }, backends: { ...backends }, cpu, cuda, linalg: { ...linalg } },
  };
  for (const [name, space] of Object.entries(spaces)) guard(space, `torch.${name}`);
  return guard({ ...namespace, ...spaces }, 'torch');
}

const { nn, optim, utils, autograd } = torch;
for (const space of [torch, nn, optim, optim.lr_scheduler, utils.data, autograd]) nameClasses(space);
entryPointEnds();
