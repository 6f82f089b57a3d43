/**
 * PyTorch's caching allocator as a data structure: blocks, segments, pools, statistics, snapshots of its state, and replay
 * of traces. It stores nothing and knows nothing of tensors or devices, and can be used alone.
 */
export {
  Allocator,
  type AllocatorOptions,
  NO_ROOM,
  type OutOfMemoryObserver,
  type TraceObserver,
} from './allocator.ts';
export { type PoolState, poolState, type Restored, restorePool } from './checkpoint.ts';
export * from './constants.ts';
export { type Device, VirtualDevice } from './device.ts';
export { ManualEvents, type StreamEvents } from './events.ts';
export { formatSize } from './format.ts';
export { expandableMayHelp, type OutOfMemory, outOfMemoryText, type TextOptions } from './oom.ts';
export { DEFAULT_POOL, nextGraphPoolId, nextPoolId, type PoolId, poolKey } from './pools.ts';
export {
  beginAllocateToPool,
  endAllocateToPool,
  MemPool,
  poolUseCount,
  releasePool,
  retainPool,
  setNoSplit,
  setUseOnOom,
} from './private.ts';
export { type Comparison, compareRecording, initialSegments, RecordedDevice, restoreSegments } from './recorded.ts';
export {
  type CapacityRange,
  capacityRange,
  leastCapacity,
  type ReplayFailure,
  type ReplayOptions,
  type ReplayResult,
  replay,
  replayInto,
} from './replay.ts';
export {
  type BlockInfo,
  type BlockState,
  cachedBytesByStream,
  listSegments,
  type PinnedSegment,
  pinnedSegments,
  reservedBytesByPrivatePools,
  type SegmentInfo,
  takeSnapshot,
} from './segments.ts';
export { type AllocatorSettings, DEFAULT_SETTINGS, parseAllocatorConfig } from './settings.ts';
export {
  FIGURES,
  type Figure,
  flatten,
  type Metrics,
  type NestedStatistics,
  type PoolMetrics,
  Statistics,
} from './statistics.ts';
export { memorySummary, type SummaryOptions } from './summary.ts';
export {
  checkTrace,
  type ImportedTrace,
  type InitialBlock,
  importTrace,
  type SnapshotBlock,
  type SnapshotSegment,
  Trace,
  type TraceRow,
} from './trace.ts';
