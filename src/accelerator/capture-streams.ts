/**
 * Captures and streams: an event takes a capture from one stream to another, and the host cannot wait for what is captured.
 */
import { capturing } from '../devices/capture.ts';
import { createdBackend } from '../devices/registry.ts';
import type { Stream } from './stream.ts';
import { type StreamObserver, streamObservers } from './stream-order.ts';

const ADVICE = 'Nothing runs during a graph capture, so nothing can be waited for: do so before it, or after replay().';

/** The capture under way, if it is on device `index`. */
function captureOn(index: number): typeof capturing {
  return capturing !== null && capturing.backend === createdBackend(index) ? capturing : null;
}

function captureOf(stream: Stream): typeof capturing {
  const capture = captureOn(stream.device_index);
  return capture?.has(stream.stream_id) ? capture : null;
}

const observer: StreamObserver = {
  recorded(event, stream) {
    captureOn(stream.device_index)?.eventRecorded(event, stream.stream_id);
  },
  waited(event, stream) {
    captureOn(stream.device_index)?.eventWaited(event, stream.stream_id);
  },
  streamSynchronized(stream) {
    captureOf(stream)?.refuse(ADVICE);
  },
  deviceSynchronized(index) {
    captureOn(index)?.refuse(ADVICE);
  },
  queried(subject) {
    if (capturing?.hasEvent(subject)) capturing.refuseEvent();
    if ('stream_id' in subject) captureOf(subject)?.refuse(ADVICE);
  },
  eventSynchronized(event) {
    if (capturing?.hasEvent(event)) capturing.refuseEvent();
  },
};
streamObservers.push(observer);
