/**
 * The device below the allocator: so many bytes of memory, and an address space much larger than that. Addresses are
 * virtual: nothing is stored there.
 *
 * Segments are placed as CUDA places them: address space is opened from the top downwards, in multiples of 32 MiB, and a
 * segment goes to the lowest address within what was opened where it fits. So addresses are the same in every run.
 */

const MIB = 1024 * 1024;
/** Address space is opened in multiples of this. */
const OPENED = 32 * MIB;
/** One past the highest address of device 0, below 2^47 as CUDA's are. */
const TOP = 0x7f80_0000_0000;
/** Address space between two devices' tops. */
const APART = 2 * 1024 ** 4;

/** What an allocator needs of a device; a replay puts the addresses of a recording in its place. */
export interface Device {
  /** Bytes of memory. */
  readonly capacity: number;
  /** Bytes of memory not taken by anybody. */
  readonly free: number;
  /** Address of a new segment, or -1 if memory does not suffice. */
  malloc(size: number): number;
  release(address: number, size: number): void;
  /** Address space alone; -1 if there is none left. */
  reserveRange(size: number): number;
  releaseRange(address: number, size: number): void;
  /** Puts memory behind address space: all of it, or none and false. */
  map(address: number, size: number): boolean;
  unmap(address: number, size: number): void;
}

export class VirtualDevice implements Device {
  /** Bytes taken. */
  used = 0;
  private bottom: number;
  /** Opened address space that is free: ranges by address, none touching another. */
  private starts: number[] = [];
  private sizes: number[] = [];

  /**
   * @param capacity bytes
   * @param index number of the device: their addresses differ
   */
  constructor(
    public capacity: number,
    index = 0,
  ) {
    this.bottom = TOP - index * APART;
  }

  get free(): number {
    return Math.max(0, this.capacity - this.used);
  }

  malloc(size: number): number {
    if (size > this.capacity - this.used) return -1;
    const address = this.reserveRange(size);
    if (address >= 0) this.used += size;
    return address;
  }

  release(address: number, size: number): void {
    this.used -= size;
    this.releaseRange(address, size);
  }

  map(_address: number, size: number): boolean {
    if (size > this.capacity - this.used) return false;
    this.used += size;
    return true;
  }

  unmap(_address: number, size: number): void {
    this.used -= size;
  }

  reserveRange(size: number): number {
    let at = this.sizes.findIndex((free) => free >= size);
    if (at < 0) {
      const opened = Math.ceil(size / OPENED) * OPENED;
      if (!(opened < this.bottom)) return -1;
      this.bottom -= opened;
      this.releaseRange(this.bottom, opened);
      at = this.sizes.findIndex((free) => free >= size);
    }
    const address = this.starts[at];
    if (this.sizes[at] === size) {
      this.starts.splice(at, 1);
      this.sizes.splice(at, 1);
    } else {
      this.starts[at] += size;
      this.sizes[at] -= size;
    }
    return address;
  }

  releaseRange(address: number, size: number): void {
    const { starts, sizes } = this;
    let at = 0;
    let high = starts.length;
    while (at < high) {
      const middle = (at + high) >> 1;
      if (starts[middle] < address) at = middle + 1;
      else high = middle;
    }
    if (at > 0 && starts[at - 1] + sizes[at - 1] === address) {
      sizes[--at] += size;
    } else {
      starts.splice(at, 0, address);
      sizes.splice(at, 0, size);
    }
    if (at + 1 < starts.length && starts[at] + sizes[at] === starts[at + 1]) {
      sizes[at] += sizes[at + 1];
      starts.splice(at + 1, 1);
      sizes.splice(at + 1, 1);
    }
  }
}
