/** What the stream check finds, with PyTorch's names and layout of the text. */
import type { Frame } from '../memory/snapshot/types.ts';
import { formatStack } from './source.ts';

/** One access to a tensor. */
export interface ReportedAccess {
  type: 'reading from' | 'writing to';
  /** Accesses are counted over all streams. */
  seq_num: number;
  /** null: the host itself. */
  stream: number | null;
  /** The stream's device, as in `mtia:0`; `cpu` for the host. */
  device: string;
  /** The operation, such as `mul`. */
  operator: string;
  /** dtype and shape, such as `float32 [64, 32]`. */
  tensor: string;
  /** The program's frames, innermost first. */
  stack_trace: readonly Frame[];
}

/**
 * Base class of what the stream check finds. Its message is the report; the rest is hidden from `console.log` and from
 * Node.js's print of an error that nobody catches, which come after the report has been printed.
 */
export class SynchronizationError extends Error {
  override name = 'SynchronizationError';

  constructor(message: string, summary: string, facts: object) {
    super(message);
    for (const [name, value] of Object.entries(facts)) Object.defineProperty(this, name, { value });
    Object.defineProperty(this, 'stack', { value: summary });
  }
}

const LINE = '============================';

function who({ stream, device }: ReportedAccess, home: string): string {
  if (stream === null) return 'the host';
  return device === home ? `stream ${stream}` : `stream ${stream} of ${device}`;
}

function describe(access: ReportedAccess): string {
  return `${access.operator}\n${access.type} ${access.tensor}\nWith stack trace:\n${formatStack(access.stack_trace)}\n`;
}

function allocated(stack: readonly Frame[] | null): string {
  if (stack === null) return 'Trace for tensor allocation not found.';
  return `Tensor was allocated with stack trace:\n${formatStack(stack)}`;
}

/** Two accesses to the same bytes on different streams, one of them writing, and nothing that orders them. */
export class UnsynchronizedAccessError extends SynchronizationError {
  override name = 'UnsynchronizedAccessError';
  declare readonly data_ptr: number;
  /** null: it was allocated before the check began. */
  declare readonly allocation_stack_trace: readonly Frame[] | null;
  declare readonly current_access: ReportedAccess;
  declare readonly previous_access: ReportedAccess;

  /** @param device where the tensor lies */
  constructor(
    data_ptr: number,
    allocation_stack_trace: readonly Frame[] | null,
    current_access: ReportedAccess,
    previous_access: ReportedAccess,
    device: string,
  ) {
    // Pinned memory belongs to no device, so every stream is told with its own.
    const home = device === 'cpu' ? '' : device;
    const [now, before] = [who(current_access, home), who(previous_access, home)];
    super(
      `${LINE}\nMTIASAN detected a possible data race on tensor with data pointer ${data_ptr}\n` +
        `Access by ${now} during kernel:\n${describe(current_access)}` +
        `Previous access by ${before} during kernel:\n${describe(previous_access)}${allocated(allocation_stack_trace)}`,
      `UnsynchronizedAccessError: ${current_access.operator} on ${now}, ${previous_access.operator} on ${before}`,
      { data_ptr, allocation_stack_trace, current_access, previous_access },
    );
  }
}

/** Memory was given back while another stream than its own may still use it. PyTorch's check does not look for these. */
export class UseAfterFreeError extends SynchronizationError {
  override name = 'UseAfterFreeError';
  declare readonly data_ptr: number;
  declare readonly allocation_stack_trace: readonly Frame[] | null;
  declare readonly free_stack_trace: readonly Frame[];
  /** The use that the free does not wait for. */
  declare readonly previous_access: ReportedAccess;
  /** The stream that the memory belongs to. */
  declare readonly stream: number;

  constructor(
    data_ptr: number,
    allocation_stack_trace: readonly Frame[] | null,
    free_stack_trace: readonly Frame[],
    previous_access: ReportedAccess,
    stream: number,
    device: string,
  ) {
    const user = who(previous_access, device);
    super(
      `${LINE}\nMTIASAN detected that the memory of a tensor with data pointer ${data_ptr} is given back to stream ${stream} while ${user} may still use it\n` +
        `Tell the memory with record_stream, or have stream ${stream} wait for ${user} first.\n` +
        `Freed with stack trace:\n${formatStack(free_stack_trace)}\n` +
        `Last access by ${user} during kernel:\n${describe(previous_access)}${allocated(allocation_stack_trace)}`,
      `UseAfterFreeError: given back to stream ${stream} after ${previous_access.operator} on ${user}`,
      { data_ptr, allocation_stack_trace, free_stack_trace, previous_access, stream },
    );
  }
}

/** What is thrown: all that was found at one place. The reports have been printed by then. As PyTorch's `CUDASanitizerErrors`. */
export class MTIASanitizerErrors extends Error {
  override name = 'MTIASanitizerErrors';

  constructor(readonly errors: readonly SynchronizationError[]) {
    super(`detected ${errors.length} errors`);
  }
}
