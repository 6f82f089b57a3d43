/**
 * Snapshots of allocators: PyTorch's files read and written, compared, counted and made ready for replay. Works alone, in
 * Node.js and in browsers.
 */
export { ACTION_NAMES, type ActionName } from './actions.ts';
export { SnapshotError } from './budget.ts';
export { concatenate } from './bytes.ts';
export { type DiffOptions, diffSnapshots, type SiteChange, type SnapshotDiff } from './diff.ts';
export { FrameTable } from './frames.ts';
export { holdersBefore } from './holders.ts';
export { type ImportedSnapshot, type ImportOptions, importSnapshot } from './import-trace.ts';
export { type Pin, segmentPins } from './pins.ts';
export { parseSnapshot, type ReadOptions, readSnapshot, SnapshotReader } from './read.ts';
export { type ReproduceOptions, type Reproduction, reproduceRecording } from './reproduce.ts';
export { type RecordedCapacity, type RecordedSettings, recordedCapacity, recordedSettings } from './settings.ts';
export { type Site, siteName } from './sites.ts';
export { type Block, emptySnapshot, fromDict, type Segment, type Snapshot, segmentDict, toDict } from './snapshot.ts';
export { checkSnapshot, type DeviceStatistics, type SegmentTotals, snapshotStatistics } from './stats.ts';
export { type CaptureOptions, captureSnapshot } from './capture.ts';
export { type OutOfMemoryEvent, outOfMemoryEvents } from './oom-events.ts';
export type { Peak, Timeline } from './timeline.ts';
export { ABSENT, framesOf, SnapshotTrace } from './trace.ts';
export type {
  AllocatorSettingsDict,
  BlockDict,
  ExternalAnnotation,
  Frame,
  PlainValue,
  SegmentDict,
  SnapshotDict,
  TraceEntryDict,
} from './types.ts';
export { snapshotChunks, type WriteOptions } from './write.ts';
