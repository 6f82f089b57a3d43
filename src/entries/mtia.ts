/** `torch-mtia/mtia`. All of `torch.mtia`: with the memory history and snapshots, graphs, pools and the sanitizer. For programs that begin with `torch-mtia/core`. */
import './core.ts';
// After that has ended, and before all else.
import './begin/mtia.ts';
import { entryPointEnds } from '../memory/call-sites.ts';
import { nameClasses } from '../torch/class-names.ts';
import * as mtia from '../mtia/index.ts';

export * from '../mtia/index.ts';

nameClasses(mtia);
entryPointEnds();
