/**
 * A storage: a run of bytes on one device that tensors and their views share.
 */
import type { StorageRecord } from '../memory/lifetimes.ts';
import type { Backend } from './backend.ts';

export class Storage {
  constructor(
    readonly backend: Backend,
    /** Byte address in the backend's memory. */
    readonly address: number,
    readonly nbytes: number,
    /** What the lifetimes know of it; outlives this object. */
    readonly record: StorageRecord,
  ) {}
}
