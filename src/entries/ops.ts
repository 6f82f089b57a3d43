/** `torch-mtia/ops`. Every operation: as methods of tensors, in `torch`, `torch.nn.functional` and `torch.linalg`, and by name from here. For programs that begin with `torch-mtia/core`. */
import './core.ts';
// After that has ended, and before all else.
import './begin/ops.ts';
import { entryPointEnds } from '../memory/call-sites.ts';
import '../nn/functional-all.ts';

export * from '../torch/named.ts';

entryPointEnds();
