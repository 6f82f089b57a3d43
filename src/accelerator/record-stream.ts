/** `Tensor.record_stream`. */
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { lifetimesOf } from '../devices/storage.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { needStream } from './stream.ts';
import { queuesOf } from './stream-order.ts';

/**
 * `x.record_stream(stream)`: work that `stream` was given uses x, too. Once x is gone, its memory is used again only when the
 * host has waited for that. The stream that x was allocated on needs none of this.
 * @throws NotImplementedError for devices without streams; RuntimeError for a stream of another device
 */
export function recordStream(x: Tensor, stream: unknown): void {
  if (stream === undefined) {
    throw new TypeError('record_stream() missing 1 required positional arguments: "s"');
  }
  needStream(stream, 'record_stream', 's');
  const { backend, record } = x.storage;
  const { device } = backend;
  if (device.type === 'meta') {
    throw new NotImplementedError(
      'aten::record_stream: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel registered.',
    );
  }
  if (device.type !== 'mtia') {
    throw new NotImplementedError(
      `Could not run 'aten::record_stream' with arguments from the '${device.type.toUpperCase()}' backend: only tensors on an accelerator belong to streams.`,
    );
  }
  if (stream.device !== device) {
    throw new RuntimeError(`record_stream(): a stream of ${stream.device} cannot use a tensor on ${device}`);
  }
  // Empty tensors have no memory.
  if (record.lifetimes === null) return;
  queuesOf(stream.device_index);
  lifetimesOf(backend)!.recordStream(record, stream.stream_id);
}
