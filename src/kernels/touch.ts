/** Marks what a launch uses, and gives the address it is used at. */
import { RuntimeError } from '../core/errors.ts';
import type { Operand } from '../core/operand.ts';
import type { Backend } from '../devices/backend.ts';
import { capturing } from '../devices/capture.ts';
import { type Storage, touch as touchStorage } from '../devices/storage.ts';

export function touch(storage: unknown): void {
  if (capturing !== null) capturing.use(storage as Storage);
  touchStorage(storage as Storage);
}

/**
 * Where an operand of a launch on `backend` lies; marks its storage as used.
 * @throws RuntimeError if it is on another device, where this address is somebody else's: the last look, for operations
 *   that have not looked themselves
 */
export function address(operand: Operand, backend: Backend): number {
  const storage = operand.storage as Storage;
  if (storage.backend !== backend) throw elsewhere(storage, backend);
  if (capturing !== null) capturing.use(storage);
  touchStorage(storage);
  return storage.address + operand.offset * operand.dtype.itemsize;
}

function elsewhere(storage: Storage, backend: Backend): RuntimeError {
  const [first, second] = backend.device.type === 'cpu' ? [storage.backend, backend] : [backend, storage.backend];
  return new RuntimeError(
    `Expected all tensors to be on the same device, but found at least two devices, ${first.device} and ${second.device}!`,
  );
}
