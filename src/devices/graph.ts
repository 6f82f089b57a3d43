/**
 * Graphs of launches on an mtia device: captured once, replayed at the price of handing launches over. `torch.mtia.MTIAGraph`
 * and `torch.accelerator.Graph` are this by their names.
 */
import { RuntimeError } from '../core/errors.ts';
import { warn } from '../core/warn.ts';
import type { Allocator } from '../memory/allocator/allocator.ts';
import { nextGraphPoolId, type PoolId, poolKey } from '../memory/allocator/pools.ts';
import { beginAllocateToPool, endAllocateToPool, releasePool } from '../memory/allocator/private.ts';
import type { AllocatorConsumer } from '../memory/allocator-consumer.ts';
import type { Lifetimes } from '../memory/lifetimes.ts';
import { Capture, capturing, type Lease, type Recording, setCapturing } from './capture.ts';
import { GraphMemory } from './graph-memory.ts';
import type { MtiaBackend } from './mtia.ts';
import { createdBackend, currentDevice, mtiaBackend } from './registry.ts';
import { Remains, settleAtDeath } from './remains.ts';
import { lifetimesOf, type Storage, touch } from './storage.ts';

/** What a capture has left. */
interface Captured {
  readonly backend: MtiaBackend;
  readonly recording: Recording;
  /** Held while the graph is there. */
  readonly inputs: readonly Storage[];
  /** Its own memory, and that of graphs in it. */
  readonly leases: readonly Lease[];
  /** Gives the memory back. */
  readonly remains: Remains;
  instantiated: boolean;
}

/** The allocator of a device's figures. */
export function allocatorOf(lifetimes: Lifetimes): Allocator {
  return (lifetimes.consumer as AllocatorConsumer).allocator;
}

/** Whether work given to a stream of device `index` is being captured. Asking does not use the device. */
export function isCapturing(index: number, stream: number): boolean {
  return capturing !== null && capturing.backend === createdBackend(index) && capturing.has(stream);
}

/** Whether launches on the current stream of the current device are being captured: `is_current_stream_capturing`. */
export function isCurrentStreamCapturing(): boolean {
  return capturing?.active === true && capturing.backend === createdBackend(currentDevice());
}

export class DeviceGraph {
  /** The capture, while it is under way. */
  private capture: Capture | null = null;
  private captured: Captured | null = null;

  /**
   * @param name of the class, as errors have it
   * @param keepGraph leaves `instantiate` to the caller, or to the first replay
   */
  constructor(
    private readonly name: string,
    readonly keepGraph: boolean,
  ) {}

  /** Number of launches. */
  get launches(): number {
    return this.captured?.recording.launches ?? 0;
  }

  /** The numbers of the launches' kernels, null for copies from or to the host; null before a capture. */
  get kernels(): (number | null)[] | null {
    return this.captured?.recording.kernels() ?? null;
  }

  /**
   * Captures what the current stream of the current device is given from now on. A commit point.
   *
   * @param pool memory to share with other graphs, [0, 0] for none
   * @throws RuntimeError if the graph owns a capture already, or another one is under way
   */
  captureBegin(pool: PoolId): void {
    if (this.captured !== null) {
      throw new RuntimeError(
        `This ${this.name} instance already owns a captured graph. To capture a new graph, create a new instance.`,
      );
    }
    if (capturing !== null) {
      throw new RuntimeError(
        `MTIA error: the operation cannot be performed in the present state: a graph is being captured on ${capturing.backend.device} already, and only one can be at a time.`,
      );
    }
    const backend = mtiaBackend();
    const lifetimes = lifetimesOf(backend)!;
    const { stream } = lifetimes;
    lifetimes.commit();
    const id = pool[0] === 0 && pool[1] === 0 ? nextGraphPoolId() : pool;
    const allocator = allocatorOf(lifetimes);
    beginAllocateToPool(allocator, id, (other) => capture.has(other), true);
    const memory = (backend.graphMemory ??= new GraphMemory(backend.memory));
    const store = memory.store(poolKey(id));
    store.retain();
    const capture = new Capture(backend, lifetimes, memory, { store, allocator, pool: id }, stream);
    this.capture = capture;
    backend.setCapture(capture);
    setCapturing(capture);
    lifetimes.limitsChanged();
  }

  /**
   * Ends the capture. A commit point.
   * @throws RuntimeError if it was lost on the way, or is not this graph's; nothing is left of it then
   */
  captureEnd(): void {
    const { capture } = this;
    if (capture === null) throw new RuntimeError('capture_end() called before capture_begin().');
    const { backend, lifetimes } = capture;
    if (createdBackend(currentDevice()) !== backend || lifetimes.stream !== capture.stream) {
      throw new RuntimeError('Capture must end on the same stream it began on.');
    }
    const remains = remainsOf(capture);
    const failure = this.leave(capture) ?? capture.problem();
    if (failure !== null) {
      abandon(capture, remains);
      throw failure;
    }
    const { recording, leases } = capture;
    const inputs = [...capture.inputs];
    this.captured = { backend: backend as MtiaBackend, recording, inputs, leases, remains, instantiated: false };
    settleAtDeath(this, remains);
    if (recording.launches === 0) {
      warn(
        'The MTIA Graph is empty. This usually means that the graph was attempted to be captured on wrong device or stream.',
      );
    }
    if (!this.keepGraph) this.instantiate();
  }

  /** Makes the graph ready for replay; again, if the graph is kept. */
  instantiate(): void {
    const { captured } = this;
    if (captured === null) {
      throw new RuntimeError('capture_end() must have been called before calling instantiate');
    }
    if (captured.instantiated && !this.keepGraph) {
      throw new RuntimeError('instantiate() is intended to be called by the user only when keep_graph=true');
    }
    captured.recording.close();
    captured.instantiated = true;
  }

  /**
   * Gives all launches to the device again, on its current stream. While another graph is captured there, they become part
   * of that.
   */
  replay(): void {
    const { captured } = this;
    if (captured === null) {
      throw new RuntimeError(`Called ${this.name}::replay without a preceding successful capture.`);
    }
    const { backend, recording, inputs, leases } = captured;
    if (createdBackend(backend.device.index!) !== backend) {
      throw new RuntimeError(
        `Called ${this.name}::replay after torch.mtia.configure: the device that the graph was captured on is gone. Capture it again.`,
      );
    }
    if (!captured.instantiated) this.instantiate();
    const capture = capturing;
    if (capture !== null && capture.backend === backend && capture.active) capture.include(inputs, leases);
    for (let i = 0; i < inputs.length; i++) touch(inputs[i]);
    recording.replay(backend);
  }

  /**
   * Lets go of the captured graph, its memory and what it holds; a new capture may follow. A capture under way is given up.
   * A commit point.
   */
  reset(): void {
    const { capture, captured } = this;
    if (capture !== null) {
      const remains = remainsOf(capture);
      const failure = this.leave(capture);
      abandon(capture, remains);
      if (failure !== null) throw failure;
    }
    if (captured === null) return;
    this.captured = null;
    try {
      lifetimesOf(captured.backend)!.commit();
    } finally {
      captured.remains.settle();
      for (const storage of captured.inputs) storage.unholdForGraph();
    }
  }

  /** The pool that the graph's memory is in: for other graphs to share. */
  pool(): PoolId {
    if (this.captured === null) {
      throw new RuntimeError(`Called ${this.name}::pool() without a preceding successful capture.`);
    }
    return this.captured.leases[0].pool;
  }

  /** Nothing is captured any more; what was allocated so far still counts to the pool. The error of the commit, if any. */
  private leave(capture: Capture): Error | null {
    const { lifetimes } = capture;
    this.capture = null;
    setCapturing(null);
    (capture.backend as MtiaBackend).setCapture(null);
    try {
      lifetimes.commit();
      return null;
    } catch (error) {
      return error as Error;
    } finally {
      endAllocateToPool(capture.leases[0].allocator, capture.leases[0].pool);
      lifetimes.limitsChanged();
    }
  }
}

/** What gives the memory of a capture back. Refers to nothing that lives because of the graph. */
function remainsOf({ backend, lifetimes, leases }: Capture): Remains {
  return new Remains(
    () => {
      for (const { store } of leases) store.release();
      (backend as MtiaBackend).dropGraphMemory();
    },
    () => leases.map(({ allocator, pool }) => [lifetimes, () => releasePool(allocator, pool)]),
  );
}

function abandon(capture: Capture, remains: Remains): void {
  remains.settle();
  for (const storage of capture.inputs) storage.unholdForGraph();
}
