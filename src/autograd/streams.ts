/**
 * Streams of a backward run, as in PyTorch: a node runs on the stream that its op ran on, streams wait for the gradients that
 * come from others, and at the end the stream that was current waits for those that gradients of leaves were made on.
 * Until a program uses a stream beside the default one, nothing here is done.
 */
import type { Backend } from '../devices/backend.ts';
import { lifetimesOf } from '../devices/storage.ts';
import type { Node } from '../tensor/node.ts';
import type { Tensor } from '../tensor/tensor.ts';

/** How the engine reaches streams, which live above. Streams are told by their ids, devices by their index. */
export interface StreamSwitch {
  /** Work of the device goes to this stream from now on. */
  setCurrent(device: number, stream: number): void;
  /** What `to` is given from now on comes after what `from` was given. */
  order(device: number, from: number, to: number): void;
}

let streams: StreamSwitch | null = null;

/** A stream beside the default one becomes current for the first time. */
export function useStreams(by: StreamSwitch): void {
  streams = by;
}

/** The stream that work on a device goes to now. */
export function currentStreamOf(backend: Backend): number {
  if (streams === null || backend.device.type !== 'mtia') return 0;
  return lifetimesOf(backend)!.stream;
}

/** For a run that begins now; null where only default streams have ever been used. */
export function backwardStreams(): BackwardStreams | null {
  return streams === null ? null : new BackwardStreams(streams);
}

class BackwardStreams {
  /** Current streams by device at the beginning, of the devices that nodes have run on. */
  private readonly before = new Map<number, number>();
  /** Streams by device that the caller has to wait for. */
  private readonly leaves = new Map<number, Set<number>>();

  constructor(private readonly streams: StreamSwitch) {}

  /** A node is about to run: its stream becomes current. */
  enter(node: Node): void {
    const backend = node.outputs[0]?.backend;
    if (backend?.device.type !== 'mtia') return;
    const index = backend.device.index!;
    const current = lifetimesOf(backend)!.stream;
    if (!this.before.has(index)) this.before.set(index, current);
    if (node.stream !== current) this.streams.setCurrent(index, node.stream);
  }

  /** What the node makes is a result of the run. */
  leaf(node: Node): void {
    const device = node.outputs[0]?.backend.device;
    if (device?.type !== 'mtia') return;
    const known = this.leaves.get(device.index!);
    if (known === undefined) this.leaves.set(device.index!, new Set([node.stream]));
    else known.add(node.stream);
  }

  /** A gradient goes to a node, whose stream comes after the one that made it. `receive` runs on the node's stream. */
  hand(grad: Tensor, target: Node, receive: () => void): void {
    const { backend, record } = grad.storage;
    if (backend.device.type !== 'mtia') {
      receive();
      return;
    }
    const lifetimes = lifetimesOf(backend)!;
    const index = backend.device.index!;
    const from = lifetimes.stream;
    const to = target.stream;
    if (from === to) {
      receive();
      return;
    }
    this.streams.order(index, from, to);
    if (record.lifetimes !== null) lifetimes.recordStream(record, to);
    this.streams.setCurrent(index, to);
    receive();
    this.streams.setCurrent(index, from);
  }

  /** The run has ended, well or not: what was current before is so again, and comes after the results. */
  leave(): void {
    for (const [index, stream] of this.before) {
      this.streams.setCurrent(index, stream);
      for (const leaf of this.leaves.get(index) ?? []) if (leaf !== stream) this.streams.order(index, leaf, stream);
    }
  }
}
