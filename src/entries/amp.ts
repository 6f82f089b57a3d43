/** `torch-mtia/amp`. `torch.amp`: mixed precision. For programs that begin with `torch-mtia/core`. */
import './core.ts';
// After that has ended, and before all else.
import './begin/amp.ts';
import { entryPointEnds } from '../memory/call-sites.ts';
import { nameClasses } from '../torch/class-names.ts';
import * as amp from '../amp/index.ts';

export * from '../amp/index.ts';

nameClasses(amp);
entryPointEnds();
