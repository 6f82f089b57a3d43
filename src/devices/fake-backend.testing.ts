/** A device without memory or kernels, for tests of lifetimes: it hands out addresses and checks what comes back. */
import { type DeviceType, internDevice } from '../core/device.ts';
import type { Backend } from './backend.ts';

export class FakeBackend implements Backend {
  readonly device;
  sequence = 0;
  readonly words = new Int32Array(64);
  onPressure: ((bytes: number) => void) | null = null;
  /** Bytes handed out and not given back, and the most there were. */
  inUse = 0;
  peak = 0;
  private readonly blocks = new Map<number, number>();
  private next = 64;

  constructor(
    type: DeviceType = 'mtia',
    /** Bytes that it can hold. */
    private readonly size = Infinity,
  ) {
    this.device = internDevice(type, type === 'mtia' ? 0 : null);
  }

  begin(): number {
    return 0;
  }
  submit(): void {
    this.sequence++;
  }
  allocate(bytes: number): number {
    if (this.inUse + bytes > this.size) throw new Error('The backing store is full.');
    this.inUse += bytes;
    this.peak = Math.max(this.peak, this.inUse);
    const address = this.next;
    this.next += 64;
    this.blocks.set(address, bytes);
    return address;
  }
  free(address: number, bytes: number): void {
    if (this.blocks.get(address) !== bytes) throw new Error(`${address} (${bytes} bytes) was not handed out`);
    this.blocks.delete(address);
    this.inUse -= bytes;
  }
  copyIn(): void {}
  copyOut(): Uint8Array {
    return new Uint8Array(0);
  }
  view(): Uint8Array {
    return new Uint8Array(0);
  }
  synchronize(): void {}
}
