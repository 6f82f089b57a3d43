/** The figures of a device as of now: reading them is a commit point (docs/memory.md), and no use of the device. */
import { recording } from '../../devices/figures.ts';
import { checkIndex, createdBackend, deviceCount, figuresOf, trackedDevices } from '../../devices/registry.ts';
import { lifetimesOf } from '../../devices/storage.ts';
import type { AllocatorConsumer } from '../../memory/allocator-consumer.ts';
import { indexOf, type MtiaDevice } from '../device.ts';

/** The committed figures; null before the first use of the device, or where there is none. */
export function committed(device: MtiaDevice): AllocatorConsumer | null {
  const index = indexOf(device);
  if (deviceCount() === 0) return null;
  checkIndex(index);
  const backend = createdBackend(index);
  if (backend === null) return null;
  lifetimesOf(backend)!.commit();
  return figuresOf(index);
}

/** Those of all devices that have been used. */
export function allCommitted(): AllocatorConsumer[] {
  const devices = trackedDevices();
  for (const { lifetimes } of devices) lifetimes.commit();
  return devices.map(({ consumer }) => consumer);
}

/**
 * What the allocator does next is caused here and now: for what acts on it directly.
 * @param allocates whether that is an allocation, and not a free or the like
 */
export function attributeHere(consumer: AllocatorConsumer, allocates = false): void {
  const { history } = recording;
  if (history === null || !history.enabled) return;
  history.device(consumer.index).at(allocates ? history.allocationSite() : history.freeSite());
}
