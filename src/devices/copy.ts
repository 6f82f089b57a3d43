/**
 * Copies between two devices.
 */
import type { Backend } from './backend.ts';
import { capturing } from './capture.ts';

/**
 * Copies bytes from one device to another, with waits both ways: launches of the source that come before are waited for,
 * launches of the destination that come before still see the old bytes, and once this returns either side may change
 * its bytes. Source and destination may be the same device.
 * @throws the source's fault, if its queue held one
 */
export function copyBetween(
  source: Backend,
  sourceAddress: number,
  destination: Backend,
  destinationAddress: number,
  bytes: number,
): void {
  if (bytes === 0 || destination.device.type === 'meta') return;
  if (capturing?.active && (capturing.backend === source || capturing.backend === destination)) capturing.refuseCopy();
  destination.copyIn(destinationAddress, source.view(sourceAddress, bytes));
}
