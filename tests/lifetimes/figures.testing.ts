/** The figures of mtia:0 for the programs of this folder. */
import { createdBackend } from '../../src/devices/registry.ts';
import { lifetimesOf } from '../../src/devices/storage.ts';
import type { AllocatorConsumer } from '../../src/memory/allocator-consumer.ts';

/** After a commit point. */
function consumer(): AllocatorConsumer {
  const lifetimes = lifetimesOf(createdBackend(0)!)!;
  lifetimes.commit();
  return lifetimes.consumer as AllocatorConsumer;
}

/** Bytes allocated now, and the most since the last time, both less `base`. One commit point. */
export function figures(base = 0): [allocated: number, peak: number] {
  const device = consumer();
  const { allocated, peak } = device;
  device.resetPeak();
  return [allocated - base, peak - base];
}

/** As `figures`, and the same of what is reserved. */
export function figuresWithReserved(): [allocated: number, peak: number, reserved: number, peakReserved: number] {
  const device = consumer();
  const { allocated, peak, reserved, peakReserved } = device;
  device.resetPeak();
  return [allocated, peak, reserved, peakReserved];
}
