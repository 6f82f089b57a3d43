/**
 * A device's WebAssembly memory and the heap in it: grows on demand, up to 4 GiB. All views of it come from here; none
 * may be kept across an allocation.
 */
import { RuntimeError } from '../core/errors.ts';
import { features } from '../core/features.ts';
import { Heap } from './heap.ts';
import { HEAP, HEAP_WORDS, LAYOUT } from './layout.ts';

const PAGE = 65536;
/** The last page is never used, so that the end of every block is an address of 32 bits too. */
const MAX_BYTES = 65535 * PAGE;
const MIB = 1024 * 1024;
/** Below this size of the memory nobody is asked to free anything before it grows. */
const FIRST_THRESHOLD = 128 * MIB;

/**
 * The host cannot hold the bytes, whether or not the device's capacity would: its WebAssembly memory is full, or the
 * machine has no more. The counterpart of PyTorch's `DefaultCPUAllocator: can't allocate memory`, a RuntimeError too.
 */
export class BackingStoreError extends RuntimeError {
  constructor(
    message: string,
    readonly bytes: number,
  ) {
    super(message);
  }
}

function createMemory(initial: number): WebAssembly.Memory {
  // Only address space is reserved. Where even that is scarce, a smaller maximum may still be had.
  for (let maximum = 65536; ; maximum >>= 1) {
    try {
      return new WebAssembly.Memory({ initial, maximum, shared: features.sharedMemory });
    } catch (error) {
      if (maximum > 1024) continue;
      throw new RuntimeError(
        `No WebAssembly memory can be had: ${(error as Error).message}. \`npx mtia doctor\` says what is missing, and how to get it.`,
      );
    }
  }
}

export class DeviceMemory {
  readonly memory: WebAssembly.Memory;
  /** The words below the heap: control block, scratch, ring. */
  words: Int32Array;
  /** Every byte. */
  bytes: Uint8Array;

  /**
   * Asked to free what it can, before the memory grows beyond a threshold and before a request fails. It is given the
   * bytes that are missing.
   */
  onPressure: ((bytes: number) => void) | null = null;
  /** Told after the memory has moved or grown: views are stale. */
  onGrow: (() => void) | null = null;

  private readonly heap = new Heap(HEAP);
  private threshold = FIRST_THRESHOLD;
  private limit = MAX_BYTES;

  /** `name` is what errors call the device. */
  constructor(private readonly name: string) {
    const initial = (HEAP + MIB) / PAGE;
    this.memory = createMemory(initial);
    this.words = new Int32Array(this.memory.buffer, 0, HEAP_WORDS);
    this.bytes = new Uint8Array(this.memory.buffer);
    this.words[LAYOUT.pages] = initial;
    this.heap.extend(this.bytes.length - HEAP);
  }

  /** Bytes handed out (rounded up to blocks), the most there ever were, and the size of the whole memory. */
  get inUse(): number {
    return this.heap.inUse;
  }
  get peak(): number {
    return this.heap.peak;
  }
  get size(): number {
    return this.bytes.length;
  }

  /** For tests and rehearsals: the memory will not grow beyond this many bytes. */
  setLimit(bytes: number): void {
    this.limit = Math.min(bytes, MAX_BYTES);
  }

  /**
   * A block of at least `bytes` bytes, 64-byte aligned; 0 for 0 bytes. Its content is undefined.
   * @throws BackingStoreError when it does not fit, even after everything that can be freed has been.
   */
  allocate(bytes: number): number {
    if (bytes === 0) return 0;
    const address = this.heap.allocate(bytes);
    return address !== 0 ? address : this.allocateSlowly(bytes);
  }

  /** `bytes` as given to `allocate`. */
  free(address: number, bytes: number): void {
    if (bytes !== 0) this.heap.free(address, bytes);
  }

  private allocateSlowly(bytes: number): number {
    if (bytes > this.limit) return this.fail(bytes);
    const { heap } = this;
    let address = 0;
    // Not for every little slab: reclaiming walks through all free small blocks.
    if (heap.reclaimable >= Math.max(bytes, this.size >> 5)) {
      heap.reclaim();
      if ((address = heap.allocate(bytes)) !== 0) return address;
    }
    const missing = (): number => Heap.needed(bytes) - heap.freeAtEnd;
    if (this.onPressure !== null && this.size + missing() > this.threshold) {
      this.onPressure(bytes);
      heap.reclaim();
      this.threshold = Math.max(FIRST_THRESHOLD, 2 * heap.inUse, this.size + MIB);
      if ((address = heap.allocate(bytes)) !== 0) return address;
    }
    const step = Math.min(Math.max(this.size >> 2, MIB), 64 * MIB);
    if (this.grow(Math.max(missing(), step)) || this.grow(missing())) return heap.allocate(bytes);
    this.onPressure?.(bytes);
    heap.reclaim();
    if ((address = heap.allocate(bytes)) !== 0) return address;
    if (this.grow(missing())) return heap.allocate(bytes);
    return this.fail(bytes);
  }

  private grow(bytes: number): boolean {
    const pages = Math.ceil(bytes / PAGE);
    if (this.size + pages * PAGE > this.limit) return false;
    const before = this.size;
    try {
      this.memory.grow(pages);
    } catch {
      return false; // the machine has no more; the caller says so
    }
    this.words = new Int32Array(this.memory.buffer, 0, HEAP_WORDS);
    this.bytes = new Uint8Array(this.memory.buffer);
    this.words[LAYOUT.pages] = this.bytes.length / PAGE;
    this.heap.extend(this.bytes.length - before);
    this.onGrow?.();
    return true;
  }

  private fail(bytes: number): never {
    const shown = (n: number): string =>
      n >= 1024 * MIB ? `${(n / MIB / 1024).toFixed(2)} GiB` : `${(n / MIB).toFixed(2)} MiB`;
    throw new BackingStoreError(
      `${this.name}: the host's backing store cannot hold ${shown(bytes)} more. ${shown(this.inUse)} of at most ${shown(this.limit)} are in use ` +
        `(all data of one device lies in one WebAssembly memory, so 4 GiB is the most). This is the host's limit, not the device's capacity.`,
      bytes,
    );
  }
}
