/**
 * The interface between everything above and a device. `cpu`, `mtia` (in a worker or inline) and `meta` implement it.
 *
 * A launch is plain data: the number of a registered kernel and a few 32-bit words. Writing one is two calls and no
 * garbage: `begin` makes room and says where in `words` the arguments go, `submit` hands them over.
 *
 *     const at = backend.begin(kernel, 5, grain);
 *     const words = backend.words;
 *     words[at] = 0; words[at + 1] = n; words[at + 2] = out; words[at + 3] = a; words[at + 4] = b;
 *     backend.submit();
 *
 * The words lie in the device's own memory, 8-byte aligned, and the kernel is called with their byte address:
 * `run(args: i32) -> i32`. 0 means all is well; anything else is the code of a fault (see `kernels/faults.ts`), whose
 * details (up to four i32) the kernel has stored at FAULT_DETAILS (`devices/layout.ts`).
 *
 * A launch with `grain` > 0 may be split over threads: words 0 and 1 are then the begin and end of its iteration
 * range, and the executor calls the kernel with sub-ranges, whose borders are multiples of `grain` from the begin.
 */
import type { Device } from '../core/device.ts';

export interface Backend {
  /** With its index: `mtia:0`; `cpu` and `meta` have none. */
  readonly device: Device;
  /** Number of launches submitted so far: the device's program order. (Lifetimes have their own clock: `touch` in storage.ts.) */
  readonly sequence: number;
  /** The launch words. Fetch again after every `begin` or `allocate`: memory may have moved. */
  readonly words: Int32Array;

  /** Makes room for a launch of `count` argument words; returns the index of the first in `words`. */
  begin(kernel: number, count: number, grain: number): number;
  /** Hands the launch over. On cpu it has run when this returns, and a fault is thrown from here. */
  submit(): void;

  /**
   * Asked to free what it can before the backing store grows past a threshold, and before a request fails. It is given
   * the bytes that are missing.
   */
  onPressure: ((bytes: number) => void) | null;

  /**
   * `bytes` of backing store, 64-byte aligned; its byte address. 0 bytes: address 0.
   * @throws BackingStoreError (`memory.ts`) when the host cannot hold them
   */
  allocate(bytes: number): number;
  /** Gives backing store back. Launches already submitted may still use it; only later ones get it again. */
  free(address: number, bytes: number): void;

  /** Copies host bytes to the device, in order with the launches; the source may be changed once this returns. */
  copyIn(address: number, source: Uint8Array): void;
  /** Waits for all launches, then copies bytes out of the device. */
  copyOut(address: number, bytes: number): Uint8Array;
  /**
   * Waits for all launches, then gives the bytes themselves, without a copy. For reading or writing at once: stale after
   * the next allocation, and unsafe after the next launch.
   *
   * @param unseen the program does not see a wait: what it knows of the work on streams stays as it is
   */
  view(address: number, bytes: number, unseen?: boolean): Uint8Array;
  /** Waits for all launches. Throws the first fault found since the last time. */
  synchronize(): void;
}
