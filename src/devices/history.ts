/** The memory history of all devices, and how its recording begins and ends. */
import type { AllocatorConsumer } from '../memory/allocator-consumer.ts';
import { entry } from '../memory/entry.ts';
import { History } from '../memory/history.ts';
import type { Lifetimes } from '../memory/lifetimes.ts';
import { recording, watchDevice } from './figures.ts';

/** The memory history of all devices. */
export const history = new History();

/** Recording begins, or ends. The devices that are in use have committed before. */
export function recordingChanged(devices: readonly { lifetimes: Lifetimes; consumer: AllocatorConsumer }[]): void {
  if (history.enabled) recording.history = history;
  entry.settler = history.keepsStacks ? history : null;
  for (const { lifetimes, consumer } of devices) watchDevice(lifetimes, consumer);
}
