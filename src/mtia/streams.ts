/** Streams of mtia devices. */
import {
  currentStream,
  defaultStream,
  needStream,
  setCurrentStream,
  setStream,
  Stream,
  streamContext,
} from '../accelerator/stream.ts';
import { type ContextGuard, context } from '../core/context.ts';
import { ValueError } from '../core/errors.ts';
import { indexOf, type MtiaDevice } from './device.ts';

/** `torch.mtia.current_stream(device)`. */
export function current_stream(device?: MtiaDevice): Stream {
  return currentStream(indexOf(device));
}

/** `torch.mtia.default_stream(device)`: the one with id 0. */
export function default_stream(device?: MtiaDevice): Stream {
  return defaultStream(indexOf(device));
}

/** `torch.mtia.set_stream(stream)`: makes it, and its device, current. null changes nothing. */
export function set_stream(stream: Stream | null): void {
  if (stream !== null && stream !== undefined) setStream(stream);
}

/**
 * `torch.mtia._set_stream_by_id(…)`: makes the stream of these numbers the current one of its device. The current device
 * stays.
 */
export function _set_stream_by_id(stream_id: number, device_index: number, device_type: number): void {
  setCurrentStream(new Stream({ stream_id, device_index, device_type }));
}

/**
 * `torch.mtia.stream(stream)`: makes the stream, and its device, current inside a block (`using _ = …`) or while `fn`
 * runs; afterwards device and streams are what they were. null changes nothing.
 */
export function stream(stream: Stream | null): ContextGuard;
export function stream<T>(stream: Stream | null, fn: () => T): T;
export function stream<T>(stream: Stream | null, fn?: () => T): T | ContextGuard {
  if (stream === null || stream === undefined) return context('torch.mtia.stream', () => () => {}, fn);
  needStream(stream, 'stream', 'stream');
  if (stream.device.type === 'cpu') throw new ValueError(`Expected a non cpu device, but got: ${stream.device}`);
  return streamContext('torch.mtia.stream', stream, fn);
}

interface StreamContextClass {
  (stream: Stream | null): ContextGuard;
  <T>(stream: Stream | null, fn: () => T): T;
  new (stream: Stream | null): ContextGuard;
}

/** `torch.mtia.StreamContext`: the class behind `stream`, the same as that. */
export const StreamContext = function StreamContext<T>(chosen: Stream | null, fn?: () => T): T | ContextGuard {
  return fn === undefined ? stream(chosen) : stream(chosen, fn);
} as unknown as StreamContextClass;
