/** `torch-mtia/nn`. All of `torch.nn`. For programs that begin with `torch-mtia/core`. */
import './core.ts';
// After that has ended, and before all else.
import './begin/nn.ts';
import { entryPointEnds } from '../memory/call-sites.ts';
import { nameClasses } from '../torch/class-names.ts';
import * as nn from '../nn/index.ts';

export * from '../nn/index.ts';

nameClasses(nn);
entryPointEnds();
