/**
 * A snapshot of running devices: what their allocators hold, with the stacks and traces of the memory history.
 */
import type { Allocator } from '../allocator/allocator.ts';
import { type SegmentInfo, takeSnapshot } from '../allocator/segments.ts';
import type { AllocatorSettings } from '../allocator/settings.ts';
import type { DeviceHistory, History } from '../history.ts';
import { type FrameTable, NO_FRAMES } from './frames.ts';
import { type Block, emptySnapshot, type Segment, type Snapshot } from './snapshot.ts';
import { ABSENT } from './trace.ts';
import type { AllocatorSettingsDict } from './types.ts';

export interface CaptureOptions {
  /** Only the segments of this pool, as `MemPool.snapshot`. */
  pool?: readonly [number, number] | null;
  /** Default true. */
  traces?: boolean;
}

/**
 * `torch.cuda.memory._snapshot()`. The traces get a `snapshot` event, which the next snapshot shows.
 * @param allocators of the devices, by index; undefined for one that was never used
 */
export function captureSnapshot(
  allocators: readonly (Allocator | undefined)[],
  history: History,
  options: CaptureOptions = {},
): Snapshot {
  const snapshot = emptySnapshot();
  const { frames } = snapshot;
  const { pool = null, traces = true } = options;
  if (traces) snapshot.device_traces = Array.from(allocators, (_, index) => history.device(index).toTrace(frames));
  for (const [index, allocator] of allocators.entries()) {
    if (allocator === undefined) continue;
    const device = history.device(index);
    // The event that this causes has no site.
    device.at(ABSENT);
    const named = (stack: number) => resolved(history, stack, frames);
    for (const segment of takeSnapshot(allocator, pool))
      snapshot.segments.push(segmentOf(segment, index, device, named));
  }
  const first = allocators.find((allocator) => allocator !== undefined);
  snapshot.allocator_settings = first === undefined ? {} : settingsDict(first.settings, history);
  snapshot.external_annotations = [...history.annotations];
  return snapshot;
}

function resolved(history: History, stack: number, frames: FrameTable): number {
  return stack === ABSENT ? NO_FRAMES : history.stacks.resolve(stack, frames);
}

function segmentOf(
  info: SegmentInfo,
  device: number,
  history: DeviceHistory,
  named: (stack: number) => number,
): Segment {
  return {
    device,
    address: info.address,
    total_size: info.total_size,
    allocated_size: info.allocated_size,
    active_size: info.active_size,
    requested_size: info.requested_size,
    stream: info.stream,
    segment_type: info.segment_type,
    segment_pool_id: [...info.segment_pool_id],
    is_expandable: info.is_expandable,
    stack: named(history.stackOfSegment(info.address)),
    blocks: info.blocks.map(({ address, size, requested_size, state, block }): Block => {
      const active = state !== 'inactive';
      const label = active ? history.labelOfBlock(block) : null;
      return {
        address,
        size,
        requested_size,
        state,
        stack: active ? named(history.stackOfBlock(block)) : NO_FRAMES,
        extras: label === null ? null : { user_metadata: label },
      };
    }),
    extras: null,
  };
}

/** The settings by PyTorch's names in snapshots. */
function settingsDict(settings: AllocatorSettings, history: History): AllocatorSettingsDict {
  const divisions: AllocatorSettingsDict = {};
  settings.roundupPower2Divisions.forEach((value, index) => void (divisions[String(2 ** index)] = value));
  return {
    PYTORCH_ALLOC_CONF: settings.source,
    max_split_size: Number.isFinite(settings.maxSplitSize) ? settings.maxSplitSize : -1,
    garbage_collection_threshold: settings.garbageCollectionThreshold,
    expandable_segments: settings.expandableSegments,
    pinned_num_register_threads: settings.pinnedNumRegisterThreads,
    release_lock_on_cudamalloc: settings.releaseLockOnDeviceMalloc,
    pinned_use_cuda_host_register: settings.pinnedUseHostRegister,
    graph_capture_record_stream_reuse: settings.graphCaptureRecordStreamReuse,
    roundup_power2_divisions: divisions,
    trace_alloc_max_entries: history.maxEntries,
    trace_alloc_overflowed: history.devices.some((device) => device.overflowed),
  };
}
