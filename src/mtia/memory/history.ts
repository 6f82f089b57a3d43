/**
 * The memory history and snapshots: `torch.mtia.record_memory_history`, `snapshot`, and CUDA's functions around them. Snapshots
 * are PyTorch's, and its viewer (https://pytorch.org/memory_viz) opens what `_dump_snapshot` writes.
 */
import { RuntimeError, ValueError } from '../../core/errors.ts';
import { Signature } from '../../core/signature.ts';
import { history, recordingChanged } from '../../devices/history.ts';
import { deviceCount, figuresOf, trackedDevices } from '../../devices/registry.ts';
import { what } from '../../devices/storage.ts';
import type { AllocatorConsumer } from '../../memory/allocator-consumer.ts';
import type { History, HistoryOptions } from '../../memory/history.ts';
import { captureSnapshot } from '../../memory/snapshot/capture.ts';
import { FrameTable } from '../../memory/snapshot/frames.ts';
import { type Snapshot, toDict } from '../../memory/snapshot/snapshot.ts';
import { ABSENT } from '../../memory/snapshot/trace.ts';
import type { Frame, SegmentDict, SnapshotDict } from '../../memory/snapshot/types.ts';
import { snapshotChunks } from '../../memory/snapshot/write.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { typeName } from '../../tensor/type-name.ts';
import { is_initialized, type MtiaDevice } from '../device.ts';
import { allCommitted, committed } from './figures.ts';

function configureHistory(act: (history: History) => void): void {
  // What came before belongs to the recording that was on then.
  allCommitted();
  act(history);
  recordingChanged(trackedDevices());
}

type Enabled = 'all' | 'state' | null;

const RECORD = Signature.of(
  "record_memory_history(enabled='all', stacks='python', max_entries=0, *, context='all', clear_history=False, skip_actions=None, maxFrames=None)",
);

/**
 * `torch.mtia.record_memory_history(enabled, stacks, max_entries)`: records what the allocator does and where the program was
 * then. Does nothing before the first use of mtia, as in PyTorch: `torch.mtia.init()` is enough.
 *
 * @param enabled 'all': events and stacks; 'state': the stacks of what is alive; null: off, and the events are forgotten
 * @param stacks 'python' or 'cpp'; there are no frames but JavaScript's
 * @param max_entries the newest so many events are kept; 0: all
 * @param options those of CUDA: `context` ('all', 'alloc', 'state' or null: whose stacks are kept), `clear_history`,
 *   `skip_actions`; and `maxFrames`: how many frames of the program a stack has at most, the innermost (default: 16)
 * @throws RuntimeError for words that PyTorch does not know
 */
export function record_memory_history(options: HistoryOptions): void;
export function record_memory_history(enabled?: Enabled, options?: HistoryOptions): void;
export function record_memory_history(
  enabled: Enabled | undefined,
  stacks: 'python' | 'cpp' | undefined,
  options?: HistoryOptions,
): void;
export function record_memory_history(
  enabled: Enabled | undefined,
  stacks: 'python' | 'cpp' | undefined,
  max_entries: number | undefined,
  options?: HistoryOptions,
): void;
export function record_memory_history(...args: unknown[]): void {
  const [enabled, stacks, most, context, clear_history, skip_actions, maxFrames] = RECORD.bind(args);
  checkCount('record_memory_history', 'max_entries', most);
  if (!is_initialized()) return;
  configureHistory((to) =>
    to.configure({
      ...({ enabled, context, clear_history, skip_actions, maxFrames } as HistoryOptions),
      // MTIA's word for all frames.
      stacks: stacks === 'cpp' ? 'all' : (stacks as 'python'),
      max_entries: most === 0 ? Number.MAX_SAFE_INTEGER : (most as number),
    }),
  );
}

function checkCount(fn: string, name: string, value: unknown): void {
  if (typeof value === 'number' && value >= 0) return;
  throw new TypeError(`${fn}(): argument '${name}' must be a number of 0 or more, not ${String(value)}`);
}

const CUDA = Signature.of(
  `_record_memory_history(enabled='all', context='all', stacks='all', max_entries=${Number.MAX_SAFE_INTEGER}, device=None, clear_history=False, compile_context=False, global_record_annotations=False, skip_actions=None, *, maxFrames=None)`,
);
const LEGACY = Signature.of(
  '_record_memory_history(enabled, record_context=True, trace_alloc_max_entries=1, trace_alloc_record_context=False, device=None, record_context_cpp=False, clear_history=False, compile_context=False, global_record_annotations=False, skip_actions=None)',
);

/** `_record_memory_history`'s keyword arguments in the form of before 2.1. */
export interface LegacyHistoryOptions {
  /** Whether the stacks of what is alive are kept. Default: true. */
  record_context?: boolean;
  /** The newest so many events are kept. Default: 1. */
  trace_alloc_max_entries?: number;
  /** Whether events have stacks. Default: false. */
  trace_alloc_record_context?: boolean;
  clear_history?: boolean;
  skip_actions?: readonly string[] | null;
}

/**
 * `torch.cuda.memory._record_memory_history(enabled, context, stacks, max_entries)`, also in its form of before 2.1, with a
 * boolean first. Unlike MTIA's function it records the first use of the device, too.
 * @throws RuntimeError for words that PyTorch does not know
 */
export function _record_memory_history(enabled: boolean, options?: LegacyHistoryOptions): void;
export function _record_memory_history(
  enabled: boolean,
  record_context: boolean,
  trace_alloc_max_entries?: number,
  trace_alloc_record_context?: boolean,
): void;
export function _record_memory_history(enabled?: Enabled, options?: HistoryOptions): void;
export function _record_memory_history(
  enabled: Enabled,
  context: HistoryOptions['context'],
  stacks?: HistoryOptions['stacks'],
  max_entries?: number,
): void;
export function _record_memory_history(...args: unknown[]): void {
  const name = '_record_memory_history';
  if (typeof args[0] === 'boolean') {
    const [on, record, most, recordAll, , , clear, , , skip] = LEGACY.bind(args);
    checkCount(name, 'trace_alloc_max_entries', most);
    configureHistory((to) =>
      to.configureLegacy(
        on as boolean,
        record as boolean,
        most as number,
        recordAll as boolean,
        clear as boolean,
        (skip as string[] | null) ?? [],
      ),
    );
    return;
  }
  const [enabled, context, stacks, max_entries, , clear_history, , , skip_actions, maxFrames] = CUDA.bind(args);
  checkCount(name, 'max_entries', max_entries);
  const options = { enabled, context, stacks, max_entries, clear_history, skip_actions, maxFrames };
  configureHistory((to) => to.configure(options as HistoryOptions));
}

/** The state of all devices. A commit point. */
export function captureAll(pool: readonly [number, number] | null = null, traces = true): Snapshot {
  const consumers = allCommitted();
  const allocators = Array.from({ length: deviceCount() }, (_, index) => figuresOf(index)?.allocator);
  const snapshot = captureSnapshot(allocators, history, { pool, traces });
  describeHolders(snapshot, consumers);
  return snapshot;
}

/** Live blocks say what they are for: the label that was set when they were allocated, else their tensor. */
function describeHolders(snapshot: Snapshot, consumers: readonly AllocatorConsumer[]): void {
  const holders = new Map<string, string>();
  for (const figures of consumers) {
    figures.eachHolder((record) => {
      const label = record.trail === null ? '' : history.labelText(record.trail.label);
      holders.set(`${figures.index}/${figures.addressOf(record)}`, label || what(record));
    });
  }
  for (const { device, blocks } of snapshot.segments) {
    for (const block of blocks) {
      if (block.state !== 'active_allocated' || block.extras !== null) continue;
      const text = holders.get(`${device}/${block.address}`);
      if (text) block.extras = { user_metadata: text };
    }
  }
}

/**
 * `torch.mtia.snapshot()`: segments, blocks, and the events recorded since `record_memory_history`, as PyTorch's dictionary
 * (docs/memory-snapshots.md).
 */
export function snapshot(): SnapshotDict {
  return toDict(captureAll());
}

/** `torch.cuda.memory._snapshot(device)`. */
export function _snapshot(_device?: MtiaDevice): SnapshotDict {
  return snapshot();
}

/**
 * `torch.cuda.memory_snapshot(mempool_id)`: the segments, of one private pool if its id is given.
 * @throws TypeError for what is no id, such as a device: the segments of all devices are there, each with its `device`
 */
export function memory_snapshot(mempool_id: readonly [number, number] | null = null): SegmentDict[] {
  const isId = Array.isArray(mempool_id) && mempool_id.length === 2 && mempool_id.every(Number.isInteger);
  if (mempool_id !== null && !isId)
    throw new TypeError(
      `memory_snapshot(): argument 'mempool_id' must be a pool's id, [int, int], not ${typeName(mempool_id)}`,
    );
  return toDict(captureAll(mempool_id, false)).segments;
}

/** Writes the chunks of a file; the part of `node:fs` that is needed. */
interface FileModule {
  openSync(path: string, flags: string): number;
  writeSync(file: number, bytes: Uint8Array): number;
  closeSync(file: number): void;
}

/**
 * `torch.cuda.memory._dump_snapshot(filename)`: the snapshot as a file that PyTorch's viewer and tools open: pickle, or JSON if
 * the name ends with `.json`. Node.js only; elsewhere `torch.mtia.memory.snapshotBytes()` has the same bytes.
 */
export function _dump_snapshot(filename = 'dump_snapshot.pickle'): void {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  const fs = process?.getBuiltinModule?.('node:fs') as FileModule | undefined;
  if (fs === undefined) {
    throw new RuntimeError(
      '_dump_snapshot(): there are no files here. torch.mtia.memory.snapshotBytes() gives the bytes, for a Blob or a download.',
    );
  }
  const taken = captureAll();
  const file = fs.openSync(filename, 'w');
  try {
    for (const chunk of snapshotChunks(taken, { format: filename.endsWith('.json') ? 'json' : 'pickle' })) {
      for (let at = 0; at < chunk.length; ) at += fs.writeSync(file, chunk.subarray(at));
    }
  } finally {
    fs.closeSync(file);
  }
}

/** What `_dump_snapshot` writes. */
export function snapshotBytes(format: 'pickle' | 'json' = 'pickle'): Uint8Array {
  const chunks = [...snapshotChunks(captureAll(), { format })];
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** `torch.cuda.memory._set_memory_metadata(text)`: a label for the events to come; '' takes it away. */
export function _set_memory_metadata(metadata: string): void {
  if (typeof metadata !== 'string')
    throw new TypeError(`_set_memory_metadata(): argument 'metadata' must be str, not ${typeName(metadata)}`);
  history.setMetadata(metadata);
}

/** `torch.cuda.memory._get_memory_metadata()`. */
export function _get_memory_metadata(): string {
  return history.getMetadata();
}

/** `torch.cuda.memory._memory_metadata_supported()`. */
export function _memory_metadata_supported(): boolean {
  return true;
}

/**
 * `torch.cuda.memory._annotate_tensor(tensor, text)`: a label on the memory of a tensor, shown with its block.
 * @throws ValueError for a tensor of another device
 */
export function _annotate_tensor(tensor: Tensor, text: string): void {
  if (!(tensor instanceof Tensor)) throw new TypeError('_annotate_tensor(): argument must be Tensor');
  if (typeof text !== 'string')
    throw new TypeError(`_annotate_tensor(): argument 'text' must be str, not ${typeName(text)}`);
  const { backend, record } = tensor.storage;
  if (backend.device.type !== 'mtia') throw new ValueError(`expected a MTIA tensor, got device ${tensor.device}`);
  const figures = committed(backend.device)!;
  if (record.accepted) annotate(figures, record.block, text);
}

/** `torch.cuda.memory._annotate_memory(address, text)`: the same by the address of a live block. */
export function _annotate_memory(ptr: number, text: string): void {
  if (typeof text !== 'string')
    throw new TypeError(`_annotate_memory(): argument 'text' must be str, not ${typeName(text)}`);
  for (const figures of allCommitted()) {
    const block = figures.blockAt(ptr);
    if (block !== 0) {
      annotate(figures, block, text);
      return;
    }
  }
  throw new RuntimeError(`invalid device pointer: 0x${Number(ptr).toString(16)}`);
}

function annotate({ index, allocator }: AllocatorConsumer, block: number, text: string): void {
  const device = history.device(index);
  device.annotate(allocator.addressOf(block), allocator.requestedOf(block), allocator.streamOf(block), block, text);
}

/** `torch.cuda.memory._allocation_traceback(address)`: where a live block was allocated, innermost frame first; null if unknown. */
export function _allocation_traceback(ptr: number): Frame[] | null {
  for (const figures of allCommitted()) {
    const block = figures.blockAt(ptr);
    const stack = block === 0 ? ABSENT : history.device(figures.index).stackOfBlock(block);
    if (stack === ABSENT) continue;
    const table = new FrameTable();
    return table.frames(history.stacks.resolve(stack, table));
  }
  return null;
}
