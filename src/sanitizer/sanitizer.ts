/**
 * The stream check: finds accesses to the same memory on different streams that nothing orders, as PyTorch's CUDA Sanitizer
 * does. It sees every launch's operands, and streams and events, and keeps in mind what can still be in conflict.
 */
import { type Event, type Stream, type StreamObserver, streamObservers } from '../accelerator/stream.ts';
import type { Operand } from '../core/operand.ts';
import type { Backend } from '../devices/backend.ts';
import { capturing } from '../devices/capture.ts';
import { createdBackend } from '../devices/registry.ts';
import { isPinned } from '../devices/pinned.ts';
import { deviceAddress, lifetimesOf, type Storage, type StorageWatch, watchStorages } from '../devices/storage.ts';
import { type AccessWatch, watchAccesses } from '../kernels/touch.ts';
import { clock } from '../memory/clock.ts';
import { FrameTable } from '../memory/snapshot/frames.ts';
import type { Frame } from '../memory/snapshot/types.ts';
import { Stacks } from '../memory/stacks.ts';
import { type Access, Accesses } from './accesses.ts';
import {
  MTIASanitizerErrors,
  type ReportedAccess,
  type SynchronizationError,
  UnsynchronizedAccessError,
  UseAfterFreeError,
} from './errors.ts';
import { HOST, type State, StreamOrder } from './order.ts';
import { regionOf } from './region.ts';

const STREAMS = 2 ** 32;
const keyOf = (device: number, stream: number): number => device * STREAMS + stream;
class Sanitizer implements AccessWatch, StorageWatch, StreamObserver {
  private order = new StreamOrder();
  private storages = new WeakMap<Storage, Accesses>();
  private events = new WeakMap<Event, State>();
  private readonly stacks = new Stacks();
  private readonly frames = new FrameTable();
  /** By number in the order: the stream's key. */
  private keys: number[] = [-1];
  /** The launch that is being written, and where the program makes it. */
  private launchOn: Backend | null = null;
  private launch = -1;
  private launchOperation = '';
  private launchStack = 0;
  /** Found where nothing may be thrown. */
  private found: SynchronizationError[] = [];
  private watchesExit = false;
  /** Making a report must not be seen. */
  private reporting = false;

  enabled = false;

  /** Begins to look, knowing nothing of what was before. */
  enable(): void {
    if (this.enabled) return;
    this.enabled = true;
    this.order = new StreamOrder();
    this.keys = [-1];
    this.storages = new WeakMap();
    this.events = new WeakMap();
    this.found = [];
    this.launch = -1;
    watchAccesses(this);
    watchStorages(this);
    streamObservers.push(this);
  }

  disable(): void {
    if (!this.enabled) return;
    this.enabled = false;
    watchAccesses(null);
    watchStorages(null);
    streamObservers.splice(streamObservers.indexOf(this), 1);
  }

  // Storages and accesses.

  allocated(storage: Storage): void {
    if (storage.backend.device.type !== 'mtia' && !isPinned(storage)) return;
    this.storages.set(storage, new Accesses(this.stacks.capture()));
  }

  launched(operand: Operand, writes: boolean, on: Backend): void {
    this.access(operand, writes, on, true);
  }

  accessed(operand: Operand, writes: boolean, on: Backend): void {
    this.access(operand, writes, on, false);
  }

  private access(operand: Operand, writes: boolean, on: Backend, byLaunch: boolean): void {
    // Nothing runs while a graph is captured.
    if (this.reporting || capturing?.active) return;
    const storage = operand.storage as Storage;
    if (storage.nbytes === 0 || operand.length === 0) return;
    let accesses = this.storages.get(storage);
    let stream = HOST;
    if (on.device.type === 'mtia') stream = this.currentOf(on);
    else if (accesses === undefined) return;
    this.throwFound();
    if (accesses === undefined) this.storages.set(storage, (accesses = new Accesses(null)));
    const access: Access = {
      region: regionOf(operand),
      writes,
      stream,
      number: this.order.access(stream),
      launch: on.sequence,
      operation: clock.operation,
      stack: byLaunch ? this.launchPlace(on) : this.stacks.capture(),
      sizes: operand.sizes,
      dtype: operand.dtype,
    };
    const conflicts = accesses.add(access, this.order);
    if (conflicts.length > 0) this.report(storage, operand, accesses, access, conflicts);
  }

  /** All operands of a launch are used at the same place. */
  private launchPlace(on: Backend): number {
    const { operation } = clock;
    if (on !== this.launchOn || on.sequence !== this.launch || operation !== this.launchOperation) {
      this.launchOn = on;
      this.launch = on.sequence;
      this.launchOperation = operation;
      this.launchStack = this.stacks.capture();
    }
    return this.launchStack;
  }

  joined(a: Backend, b: Backend): void {
    this.order.meet(this.currentOf(a), this.currentOf(b));
  }

  freed(storage: Storage): void {
    const accesses = this.storages.get(storage);
    if (this.reporting || accesses === undefined || storage.backend.device.type !== 'mtia') return;
    const { record, backend } = storage;
    const home = this.stream(backend.device.index!, record.stream);
    for (const access of accesses.unfinished(home, this.order)) {
      const reported = this.reported(access);
      if (record.uses?.includes(reported.stream!)) continue;
      const pointer = this.quietly(() => deviceAddress(storage)) + access.region.begin;
      const stack = this.resolve(this.stacks.capture());
      const error = new UseAfterFreeError(
        pointer,
        this.allocation(accesses),
        stack,
        reported,
        record.stream,
        String(backend.device),
      );
      print(error);
      this.found.push(error);
      this.failAtExit();
    }
  }

  // Streams and events.

  recorded(event: Event, stream: Stream): void {
    this.throwFound();
    this.events.set(event, this.order.now(this.numberOf(stream)));
  }

  waited(event: Event, stream: Stream): void {
    const state = this.events.get(event);
    if (state !== undefined) this.order.wait(this.numberOf(stream), state);
  }

  streamSynchronized(stream: Stream): void {
    this.throwFound();
    this.order.hostWaits(this.order.now(this.numberOf(stream)));
  }

  deviceSynchronized(index: number): void {
    this.throwFound();
    for (const key of [...this.order.keys()]) {
      if (Math.floor(key / STREAMS) === index) this.order.hostWaits(this.order.now(this.order.stream(key)));
    }
  }

  eventSynchronized(event: Event): void {
    this.throwFound();
    const state = this.events.get(event);
    if (state !== undefined) this.order.hostWaits(state);
  }

  hostRead(index: number): void {
    if (this.reporting) return;
    this.order.hostWaits(this.order.now(this.currentOf(createdBackend(index)!)));
  }

  // Numbers of streams.

  private stream(device: number, id: number): number {
    const key = keyOf(device, id);
    const number = this.order.stream(key);
    this.keys[number] = key;
    return number;
  }

  private numberOf(stream: Stream): number {
    return this.stream(stream.device_index, stream.stream_id);
  }

  private currentOf(backend: Backend): number {
    return this.stream(backend.device.index!, lifetimesOf(backend)!.stream);
  }

  // Reports.

  private report(
    storage: Storage,
    operand: Operand,
    accesses: Accesses,
    access: Access,
    conflicts: readonly Access[],
  ): void {
    const { backend } = storage;
    const pointer = this.quietly(() => deviceAddress(storage)) + operand.offset * operand.dtype.itemsize;
    const errors = conflicts.map(
      (before) =>
        new UnsynchronizedAccessError(
          pointer,
          this.allocation(accesses),
          this.reported(access),
          this.reported(before),
          String(backend.device),
        ),
    );
    errors.forEach(print);
    // This one is not made.
    this.launch = -1;
    throw new MTIASanitizerErrors(errors);
  }

  /** What was found where nothing may be thrown is thrown at the next occasion. */
  private throwFound(): void {
    if (this.found.length === 0) return;
    const errors = this.found;
    this.found = [];
    throw new MTIASanitizerErrors(errors);
  }

  private reported({ writes, number, stream, operation, stack, sizes, dtype }: Access): ReportedAccess {
    const key = this.keys[stream];
    return {
      type: writes ? 'writing to' : 'reading from',
      seq_num: number,
      stream: stream === HOST ? null : key % STREAMS,
      device: stream === HOST ? 'cpu' : `mtia:${Math.floor(key / STREAMS)}`,
      operator: operation === '' ? '(outside of an operation)' : operation,
      tensor: `${dtype.name} [${sizes.join(', ')}]`,
      stack_trace: this.resolve(stack),
    };
  }

  private allocation({ allocation }: Accesses): Frame[] | null {
    return allocation === null ? null : this.resolve(allocation);
  }

  private resolve(stack: number): Frame[] {
    return this.frames.frames(this.stacks.resolve(stack, this.frames));
  }

  /** An address is a commit point: what that does is no part of the program. */
  private quietly<T>(fn: () => T): T {
    this.reporting = true;
    try {
      return fn();
    } finally {
      this.reporting = false;
    }
  }

  /** Findings that nobody got to see as an error make the program fail nevertheless. */
  private failAtExit(): void {
    if (this.watchesExit) return;
    this.watchesExit = true;
    const { process } = globalThis as { process?: ProcessLike };
    process?.on?.('exit', () => {
      if (this.found.length > 0) process.exitCode = 1;
    });
  }
}

interface ProcessLike {
  on?(event: 'exit', listener: () => void): void;
  exitCode?: number;
}

function print(error: SynchronizationError): void {
  console.error(error.message);
}

export const sanitizer = new Sanitizer();
