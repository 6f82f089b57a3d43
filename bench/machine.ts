/** Where a run took place, and how busy others kept the machine meanwhile. */
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { Machine } from './results.ts';

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? process.arch,
    cores: availableParallelism(),
    memory: totalmem(),
    system: `${type()} ${release()} ${process.arch}`,
    node: process.version,
  };
}

/** For threads of the work before to go to sleep, and then to look at what others do. Milliseconds. */
const SETTLE = 150;
const LOOK = 300;

/** Seconds of all cores together that were spent, idle and not. */
function spent(): { busy: number; all: number } {
  let [busy, all] = [0, 0];
  for (const { times } of cpus()) {
    const sum = times.user + times.nice + times.sys + times.irq;
    busy += sum;
    all += sum + times.idle;
  }
  return { busy, all };
}

/** The share of the machine's time that other programs take, 0 to 1, seen while we do nothing. */
export async function othersShare(): Promise<number> {
  await setTimeout(SETTLE);
  const before = spent();
  await setTimeout(LOOK);
  const after = spent();
  return (after.busy - before.busy) / Math.max(1, after.all - before.all);
}
