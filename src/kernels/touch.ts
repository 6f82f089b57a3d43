/** Marks what a launch uses, and gives the address it is used at. */
import type { Operand } from '../core/operand.ts';
import type { Backend } from '../devices/backend.ts';
import { type Storage, touch as touchStorage } from '../devices/storage.ts';

export function touch(storage: unknown): void {
  touchStorage(storage as Storage);
}
export function address(operand: Operand, _backend: Backend): number {
  const storage = operand.storage as Storage;
  touchStorage(storage);
  return storage.address + operand.offset * operand.dtype.itemsize;
}
