/** `torch-mtia/data`. `torch.utils.data`: data sets and loaders. For programs that begin with `torch-mtia/core`. */
import './core.ts';
// After that has ended, and before all else.
import './begin/data.ts';
import { entryPointEnds } from '../memory/call-sites.ts';
import { nameClasses } from '../torch/class-names.ts';
import * as data from '../data/index.ts';

export * from '../data/index.ts';

nameClasses(data);
entryPointEnds();
