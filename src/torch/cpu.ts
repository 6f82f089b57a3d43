/** `torch.cpu`. */

import { Event, needStream, Stream } from '../accelerator/stream.ts';
import { type ContextGuard, context } from '../core/context.ts';
import { cpuBackend } from '../devices/registry.ts';

/** `torch.cpu.stream(stream)`: the cpu has one stream, so nothing changes inside. */
function stream(stream: Stream | null): ContextGuard;
function stream<T>(stream: Stream | null, fn: () => T): T;
function stream<T>(stream: Stream | null, fn?: () => T): T | ContextGuard {
  if (stream !== null && stream !== undefined) needStream(stream, 'stream', 'stream');
  return context('torch.cpu.stream', () => () => {}, fn);
}

/** `torch.cpu`: what programs for any device ask of a device's module. */
export const cpu = {
  Stream,
  Event,
  stream,
  is_available: () => true,
  is_initialized: () => true,
  device_count: () => 1,
  current_device: () => 'cpu',
  set_device: (_device: unknown) => {},
  current_stream: (_device?: unknown) => new Stream('cpu'),
  synchronize: (_device?: unknown) => cpuBackend().synchronize(),
};
