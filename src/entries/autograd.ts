/** `torch-mtia/autograd`. All of `torch.autograd`. For programs that begin with `torch-mtia/core`. */
import './core.ts';
// After that has ended, and before all else.
import './begin/autograd.ts';
import { entryPointEnds } from '../memory/call-sites.ts';
import { nameClasses } from '../torch/class-names.ts';
import * as autograd from '../autograd/index.ts';

export * from '../autograd/index.ts';

nameClasses(autograd);
entryPointEnds();
