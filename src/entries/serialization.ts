/** `torch-mtia/serialization`. `torch.save` and `torch.load`. For programs that begin with `torch-mtia/core`. */
import './core.ts';
// After that has ended, and before all else.
import './begin/serialization.ts';
import { entryPointEnds } from '../memory/call-sites.ts';

export * from '../serialization/index.ts';

entryPointEnds();
