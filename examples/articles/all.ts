/** Every program of this folder, one after another in one process. */
import { commonErrors } from './errors.ts';
import { fallbackChain } from './fallback.ts';
import { isAvailable } from './is-available.ts';
import { memoryCounters } from './memory-counters.ts';
import { memoryForward } from './memory-forward.ts';
import { memoryMethods } from './memory-methods.ts';
import { runAsProgram } from './program.ts';
import { tensorOnDevice } from './tensor.ts';
import { trainingStep } from './training-step.ts';

export const programs: Record<string, () => unknown> = {
  'is-available': isAvailable,
  tensor: tensorOnDevice,
  'training-step': trainingStep,
  fallback: fallbackChain,
  'memory-counters': memoryCounters,
  'memory-forward': memoryForward,
  'memory-methods': memoryMethods,
  errors: commonErrors,
};

export function all(): void {
  for (const [name, program] of Object.entries(programs)) {
    console.log(`# ${name}`);
    program();
  }
}

runAsProgram(import.meta.url, all);
