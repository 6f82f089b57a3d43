/**
 * Copies between two devices.
 */
import type { Backend } from './backend.ts';
import { capturing } from './capture.ts';
import { MtiaBackend } from './mtia.ts';

/** Orders the streams of two devices, or of one, around a copy between them. */
let ordersCopy: ((source: MtiaBackend, destination: MtiaBackend) => void) | null = null;

/** Streams live above. */
export function setCopyOrder(order: (source: MtiaBackend, destination: MtiaBackend) => void): void {
  ordersCopy = order;
}

/**
 * Copies bytes from one device to another, with waits both ways: launches of the source that come before are waited for,
 * launches of the destination that come before still see the old bytes, and once this returns either side may change
 * its bytes. Source and destination may be the same device.
 *
 * The program sees less than that, as in PyTorch: a copy between the host and a device waits for the device's current stream
 * unless it is non-blocking, and one between devices orders their streams.
 * @throws the source's fault, if its queue held one
 */
export function copyBetween(
  source: Backend,
  sourceAddress: number,
  destination: Backend,
  destinationAddress: number,
  bytes: number,
  nonBlocking = false,
): void {
  if (bytes === 0 || destination.device.type === 'meta') return;
  if (capturing?.active && (capturing.backend === source || capturing.backend === destination)) capturing.refuseCopy();
  const unseen = nonBlocking || destination.device.type !== 'cpu';
  destination.copyIn(destinationAddress, source.view(sourceAddress, bytes, unseen));
  const to = destination instanceof MtiaBackend ? destination : null;
  const from = source instanceof MtiaBackend ? source : null;
  if (to !== null && from !== null) ordersCopy?.(from, to);
  else if (to !== null && !nonBlocking) to.hostWaits();
  else if (nonBlocking) {
    const device = to ?? from;
    if (device !== null) device.copies++;
  }
}
