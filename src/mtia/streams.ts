/** Streams of mtia devices. */
import { type ContextGuard, context } from '../core/context.ts';
import { currentDevice, setCurrentDevice } from '../devices/registry.ts';
import { currentStream, defaultStream, setStream, Stream } from '../accelerator/stream.ts';
import { typeName } from '../tensor/type-name.ts';
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
  if (stream !== null) setStream(stream);
}

/**
 * `torch.mtia.stream(stream)`: makes the stream, and its device, current inside a block (`using _ = …`) or while `fn`
 * runs. null changes nothing.
 */
export function stream(stream: Stream | null): ContextGuard;
export function stream<T>(stream: Stream | null, fn: () => T): T;
export function stream<T>(stream: Stream | null, fn?: () => T): T | ContextGuard {
  return context(
    'torch.mtia.stream',
    () => {
      if (stream === null || stream === undefined) return () => {};
      if (!(stream instanceof Stream)) {
        throw new TypeError(`stream(): argument 'stream' must be torch.Stream, not ${typeName(stream)}`);
      }
      if (stream.device.type !== 'mtia') return () => {};
      const device = currentDevice();
      const before = currentStream(stream.device_index);
      setStream(stream);
      return () => {
        setStream(before);
        setCurrentDevice(device);
      };
    },
    fn,
  );
}
