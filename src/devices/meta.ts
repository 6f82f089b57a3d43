/**
 * `meta`: shapes and no data. Storage has no bytes, launches do nothing.
 */
import { internDevice } from '../core/device.ts';
import { NotImplementedError } from '../core/errors.ts';
import type { Backend } from './backend.ts';
import { MAX_WORDS } from './layout.ts';

export class MetaBackend implements Backend {
  readonly device = internDevice('meta', null);
  sequence = 0;
  /** Words of launches are written here and never read. */
  readonly words = new Int32Array(MAX_WORDS);
  onPressure = null;

  begin(_kernel: number, _count: number, _grain: number): number {
    return 0;
  }

  submit(): void {
    this.sequence++;
  }

  allocate(_bytes: number): number {
    return 0;
  }

  free(_address: number, _bytes: number): void {}

  copyIn(_address: number, _source: Uint8Array): void {}

  /** @throws NotImplementedError always, with PyTorch's text */
  copyOut(_address: number, _bytes: number): Uint8Array {
    throw new NotImplementedError('Cannot copy out of meta tensor; no data!');
  }

  /** @throws NotImplementedError always, with PyTorch's text */
  view(address: number, bytes: number): Uint8Array {
    return this.copyOut(address, bytes);
  }

  synchronize(): void {}
}
