/** `torch.__config__`: what this build is made of, in text. */
import { features } from '../core/features.ts';
import { getNumThreads } from '../devices/threads.ts';
import { blasEnabled, lookForBlas } from '../kernels/native/blas.ts';
import '../kernels/native/library.ts';

/** Whether products go to a native BLAS, to which, and if not, what is missing. */
function blasLine(): string {
  const found = lookForBlas();
  if ('missing' in found) return `native BLAS: off, ${found.missing}${found.fix === '' ? '' : ` (${found.fix})`}`;
  const what = `${found.name}${found.version === '' ? '' : ` ${found.version}`} (${found.path})`;
  return blasEnabled()
    ? `native BLAS: on, ${what}`
    : `native BLAS: off by MTIA_BLAS or torch.backends.blas.enabled; there is ${what}`;
}

/** A description of what kernels run on, several lines: `torch.__config__.show()`. Looks for a native BLAS. */
export function show(): string {
  const lines = [
    `WebAssembly SIMD${features.relaxedSimd ? ', relaxed (fused multiply-add)' : ', not relaxed'}`,
    features.threads ? 'threads over shared memory' : 'no threads',
    blasLine(),
  ];
  return `torch-mtia runs on:\n${lines.map((line) => `  - ${line}\n`).join('')}`;
}

/** Threads, several lines: `torch.__config__.parallel_info()`. */
export function parallel_info(): string {
  const found = lookForBlas();
  const lines = [
    'torch-mtia parallel:',
    `\ttorch.get_num_threads() : ${getNumThreads()}`,
    ...('missing' in found
      ? []
      : [
          `${found.name}${found.version === '' ? '' : ` ${found.version}`}`,
          '\tits own threads : 1, on each of the threads above',
        ]),
    `parallel backend: ${features.threads ? 'worker threads over shared memory' : 'none'}`,
  ];
  return `${lines.join('\n')}\n`;
}
