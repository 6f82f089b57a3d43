/** The figures of mtia:0 for the programs of this folder. */
import { createdBackend } from '../../src/devices/registry.ts';
import { lifetimesOf } from '../../src/devices/storage.ts';
import type { Counter } from '../../src/memory/counter.ts';

/** Bytes allocated now, and the most since the last time, both less `base`. One commit point. */
export function figures(base = 0): [allocated: number, peak: number] {
  const lifetimes = lifetimesOf(createdBackend(0)!)!;
  lifetimes.commit();
  const counter = lifetimes.consumer as Counter;
  const found: [number, number] = [counter.allocated - base, counter.peak - base];
  counter.resetPeak();
  return found;
}
