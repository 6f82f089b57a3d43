/** What is remembered of a storage after it has died. */
export interface StorageRecord {
  /** Sequence number of the last launch that used it. */
  lastUse: number;
}
