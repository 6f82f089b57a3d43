/** `torch-mtia/optim`. All of `torch.optim`. For programs that begin with `torch-mtia/core`. */
import './core.ts';
// After that has ended, and before all else.
import './begin/optim.ts';
import { entryPointEnds } from '../memory/call-sites.ts';
import { nameClasses } from '../torch/class-names.ts';
import * as optim from '../optim/index.ts';

export * from '../optim/index.ts';

nameClasses(optim);
entryPointEnds();
