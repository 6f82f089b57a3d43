/** Marks what a launch reads and writes, and gives the address it is used at. */
import { RuntimeError } from '../core/errors.ts';
import type { Operand } from '../core/operand.ts';
import type { Backend } from '../devices/backend.ts';
import { capturing } from '../devices/capture.ts';
import { type Storage, touch } from '../devices/storage.ts';

/** Sees what launches, copies and the host read and write. */
export interface AccessWatch {
  /** A launch that is being written; told before it is submitted. */
  launched(operand: Operand, writes: boolean, on: Backend): void;
  /**
   * A copy, or the host.
   * @param on the device whose current stream does it: the operand's own, but for copies from and to the host
   */
  accessed(operand: Operand, writes: boolean, on: Backend): void;
  /** The current streams of two devices wait for each other, as at both ends of a copy between them. */
  joined(a: Backend, b: Backend): void;
}

/** The stream check; null: nobody looks. */
let watch: AccessWatch | null = null;

export function watchAccesses(watcher: AccessWatch | null): void {
  watch = watcher;
}

/** Who looks; null: nobody. */
export function accessWatch(): AccessWatch | null {
  return watch;
}

/** A copy, or the host, reads or writes an operand. Of launches `address`, `outAddress`, `reads` and `writes` tell. */
export function accessed(operand: Operand, writes: boolean, on: Backend = (operand.storage as Storage).backend): void {
  if (watch !== null) watch.accessed(operand, writes, on);
}

/**
 * A copy between two devices, or between a device and the host. It runs on the device; of two, on the source's.
 *
 * @param nonBlocking nobody waits for it, so it is the device that uses pinned memory, and not the host
 */
export function copies(out: Operand<Storage>, source: Operand<Storage>, nonBlocking: boolean): void {
  if (watch === null) return;
  const [to, from] = [out.storage.backend, source.storage.backend];
  const toHost = to.device.type === 'cpu';
  const fromHost = from.device.type === 'cpu';
  if (!toHost && !fromHost) watch.joined(from, to);
  watch.accessed(source, false, fromHost && nonBlocking ? to : from);
  watch.accessed(out, true, (toHost && nonBlocking) || !(toHost || fromHost) ? from : to);
  if (!toHost && !fromHost) watch.joined(from, to);
}

/** A launch reads an operand, whose address the caller knows. */
export function reads(operand: Operand): void {
  const storage = operand.storage as Storage;
  if (capturing !== null) capturing.use(storage);
  if (watch !== null) watch.launched(operand, false, storage.backend);
  touch(storage);
}

/** A launch writes an operand, whose address the caller knows. */
export function writes(operand: Operand): void {
  const storage = operand.storage as Storage;
  if (capturing !== null) capturing.use(storage);
  if (watch !== null) watch.launched(operand, true, storage.backend);
  touch(storage);
}

/**
 * Where an operand lies that a launch on `backend` reads; marks its storage as used.
 * @throws RuntimeError if it is on another device, where this address is somebody else's: the last look, for operations
 *   that have not looked themselves
 */
export function address(operand: Operand, backend: Backend): number {
  const storage = operand.storage as Storage;
  if (storage.backend !== backend) throw elsewhere(storage, backend);
  if (capturing !== null) capturing.use(storage);
  if (watch !== null) watch.launched(operand, false, backend);
  touch(storage);
  return storage.address + operand.offset * operand.dtype.itemsize;
}

/** As `address`, for an operand that the launch writes, whether it reads it too or not. */
export function outAddress(operand: Operand, backend: Backend): number {
  const storage = operand.storage as Storage;
  if (storage.backend !== backend) throw elsewhere(storage, backend);
  if (capturing !== null) capturing.use(storage);
  if (watch !== null) watch.launched(operand, true, backend);
  touch(storage);
  return storage.address + operand.offset * operand.dtype.itemsize;
}

function elsewhere(storage: Storage, backend: Backend): RuntimeError {
  const [first, second] = backend.device.type === 'cpu' ? [storage.backend, backend] : [backend, storage.backend];
  return new RuntimeError(
    `Expected all tensors to be on the same device, but found at least two devices, ${first.device} and ${second.device}! Move one of them: x.to('${first.device}').`,
  );
}
