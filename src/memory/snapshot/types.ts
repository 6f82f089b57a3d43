/**
 * A snapshot as PyTorch's dictionaries have it (`torch.mtia.snapshot()`, the files of `_dump_snapshot`), in today's layout
 * and in that of PyTorch 1.13 and before. Names and meanings are PyTorch's; sizes are bytes.
 */

/** What else a dictionary may hold: whatever pickle and JSON can say. */
export type PlainValue = null | boolean | number | bigint | string | PlainValue[] | { [key: string]: PlainValue };

export interface Frame {
  filename: string;
  line: number;
  /** Function, `<anonymous>` or `<module>`. */
  name: string;
  /** Of code generated from a graph: fx_node_op, fx_node_name, fx_original_trace … */
  [extra: string]: PlainValue;
}

export type BlockState = 'active_allocated' | 'active_pending_free' | 'inactive';

/** A piece of a segment: in use, waiting for another stream, or free. */
export interface BlockDict {
  address: number;
  /** Bytes of the block, rounding included. */
  size: number;
  /** Bytes that were asked for. Of an inactive block: those of its last use. */
  requested_size: number;
  state: BlockState | (string & {});
  /** Where it was allocated, innermost first. */
  frames: Frame[];
  user_metadata?: PlainValue;
  [extra: string]: PlainValue | undefined;
}

/** Memory obtained from the device. Its blocks follow one another without gaps. */
export interface SegmentDict {
  device: number;
  address: number;
  /** Bytes obtained. */
  total_size: number;
  /** Bytes of blocks in use. */
  allocated_size: number;
  /** Those and the blocks that wait for another stream. */
  active_size: number;
  /** Bytes asked for by the active blocks. */
  requested_size: number;
  stream: number;
  segment_type: 'small' | 'large' | (string & {});
  /** [0, 0]: the default pool. */
  segment_pool_id: [number, number];
  is_expandable: boolean;
  /** Where the segment was needed. */
  frames: Frame[];
  blocks: BlockDict[];
  [extra: string]: PlainValue | BlockDict[] | undefined;
}

export interface TraceEntryDict {
  action: string;
  /** Absent when out of memory. */
  addr?: number;
  /** Out of memory only: bytes that the device had left. */
  device_free?: number;
  size: number;
  stream: number;
  /** Microseconds since 1970. */
  time_us?: number;
  /** 'N/A' outside compiled regions. */
  compile_context?: string;
  user_metadata?: PlainValue;
  pool_id?: [number, number];
  frames?: Frame[];
  category?: string;
  [extra: string]: PlainValue | undefined;
}

export interface ExternalAnnotation {
  name: string;
  stage: 'START' | 'END' | (string & {});
  device: number;
  time_us: number;
  [extra: string]: PlainValue;
}

export type AllocatorSettingsDict = { [key: string]: PlainValue };

export interface SnapshotDict {
  segments: SegmentDict[];
  /** One list for each device, oldest entry first. */
  device_traces: TraceEntryDict[][];
  allocator_settings?: AllocatorSettingsDict;
  external_annotations?: ExternalAnnotation[];
  /** Pinned host memory. */
  host_segments?: SegmentDict[];
  host_traces?: TraceEntryDict[][];
  [extra: string]: PlainValue | SegmentDict[] | TraceEntryDict[][] | ExternalAnnotation[] | undefined;
}
