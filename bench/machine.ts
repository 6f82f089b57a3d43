/** Where a run took place. */
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import type { Machine } from './results.ts';

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? process.arch,
    cores: availableParallelism(),
    memory: totalmem(),
    system: `${type()} ${release()} ${process.arch}`,
    node: process.version,
    load: loadavg()[0],
  };
}
