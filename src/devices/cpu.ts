/**
 * `cpu`: a launch has run when `submit` returns, and its fault is thrown from there.
 */
import { internDevice } from '../core/device.ts';
import type { Backend } from './backend.ts';
import { faultError } from './kernels.ts';
import { FAULT_DETAILS, FAULT_WORDS } from './layout.ts';
import { Launcher } from './launcher.ts';
import { DeviceMemory } from './memory.ts';
import { recording } from './recording.ts';
import type { ThreadOptions } from './threads.ts';

export class CpuBackend implements Backend {
  readonly device = internDevice('cpu', null);
  readonly memory = new DeviceMemory('cpu');
  readonly launcher: Launcher;
  sequence = 0;
  words: Int32Array;

  constructor(options?: ThreadOptions) {
    this.launcher = new Launcher('cpu', this.memory, options);
    this.words = this.memory.words;
    this.memory.onGrow = () => {
      this.words = this.memory.words;
    };
  }

  get onPressure(): ((bytes: number) => void) | null {
    return this.memory.onPressure;
  }
  set onPressure(hook: ((bytes: number) => void) | null) {
    this.memory.onPressure = hook;
  }

  begin(kernel: number, count: number, grain: number): number {
    return this.launcher.begin(kernel, count, grain);
  }

  submit(): void {
    this.sequence++;
    if (recording !== null) this.launcher.record(this);
    const code = this.launcher.run();
    if (code !== 0) this.fault(code);
  }

  allocate(bytes: number): number {
    const address = this.memory.allocate(bytes);
    return recording === null ? address : recording.allocated(this, address, bytes);
  }

  free(address: number, bytes: number): void {
    if (recording !== null) recording.freed(this, address);
    this.memory.free(address, bytes);
  }

  copyIn(address: number, source: Uint8Array): void {
    if (recording !== null) recording.copiedIn(this, address, source);
    this.memory.bytes.set(source, address);
  }

  copyOut(address: number, bytes: number): Uint8Array {
    if (recording !== null) recording.hostReads(this);
    return this.memory.bytes.slice(address, address + bytes);
  }

  view(address: number, bytes: number): Uint8Array {
    if (recording !== null) recording.hostReads(this);
    return this.memory.bytes.subarray(address, address + bytes);
  }

  synchronize(): void {}

  private fault(code: number): never {
    const at = FAULT_DETAILS >> 2;
    throw faultError(code, this.words.slice(at, at + FAULT_WORDS), this.launcher.current);
  }
}
