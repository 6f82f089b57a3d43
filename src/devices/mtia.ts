/**
 * The virtual `mtia`: its own memory, launches in order, faults that surface at the next synchronisation.
 *
 * An executor thread runs the launches behind a ring. Until it is ready (and for good where there are no threads, or
 * when the executor is `'inline'`) launches run on the calling thread, which shows only in speed. With executor
 * `'worker'` nothing runs inline, except in browsers, where a worker can't start while the page's thread is busy.
 *
 * Ordering: a small copy in travels in the ring, a large one waits until the queue is empty; reads wait; the heap's
 * bookkeeping is the host's, so that freed memory goes to later launches only.
 */
import { internDevice } from '../core/device.ts';
import { RuntimeError } from '../core/errors.ts';
import type { Backend } from './backend.ts';
import type { Capture } from './capture.ts';
import { atExit } from './exit.ts';
import { faultError, kernels, publishedKernels, publishKernel } from './kernels.ts';
import { FAULT_WORDS, LAYOUT, MAX_PAYLOAD, MAX_WORDS } from './layout.ts';
import { Launcher } from './launcher.ts';
import type { GraphMemory } from './graph-memory.ts';
import { DeviceMemory } from './memory.ts';
import { recording } from './recording.ts';
import { Ring } from './ring.ts';
import {
  hasNodeThreads,
  hasThreads,
  numThreads,
  startThread,
  type Thread,
  type ThreadOptions,
  threadText,
} from './threads.ts';

/** `'auto'`: inline until the worker is ready. */
export type Executor = 'auto' | 'worker' | 'inline';

/** Fault code of a kernel that trapped: not one of `kernels/faults.ts`, and a mistake in the kernel. */
const TRAP = -1;

/** What to do instead of waiting for a device whose launches are being captured. */
const WAITING =
  'Nothing runs during a graph capture, so values cannot be read (item, tolist, printing) and the device not be waited for: do so before it, or after replay().';

export class MtiaBackend implements Backend {
  readonly device;
  readonly memory: DeviceMemory;
  sequence = 0;
  words: Int32Array;
  /** The graph capture that launches and allocations go to, where it takes the current stream; null: none. */
  capture: Capture | null = null;
  /** Memory that captured graphs keep; null: none do. */
  graphMemory: GraphMemory | null = null;
  /** Copies that the host did not wait for. */
  copies = 0;
  /** What was `submitted` before the last read by the host: it has waited for that. */
  readUpTo = 0;
  /** Called when the host has waited in order to read. */
  onRead: (() => void) | null = null;

  private readonly name: string;
  private readonly launcher: Launcher;
  private readonly ring: Ring | null = null;
  private executor: Thread | null = null;
  /** Whether launches go into the ring. */
  private queued = false;
  private kernel = 0;
  private count = 0;
  private grain = 0;
  private at = 0;
  /** Whether the launch being written goes into the capture: `words` are the recording's then. */
  private captured = false;
  /** What went wrong in a launch that trapped on the calling thread. */
  private trap = '';
  private readonly leave: () => void;

  constructor(index: number, executor: Executor = 'auto', options?: ThreadOptions) {
    this.device = internDevice('mtia', index);
    this.name = this.device.toString();
    this.memory = new DeviceMemory(this.name);
    this.words = this.memory.words;
    this.launcher = new Launcher(this.name, this.memory, options);
    this.memory.onGrow = () => {
      if (!this.captured) this.words = this.memory.words;
    };
    if (executor !== 'inline' && hasThreads) {
      const thread = startThread('executor', 0, this.memory, options);
      this.executor = thread;
      this.ring = new Ring(this.name, this.memory, () => [thread, ...this.launcher.pool.helpers]);
      this.queued = executor === 'worker' && hasNodeThreads;
    }
    this.leave = atExit(this.name, () => this.drain());
  }

  get onPressure(): ((bytes: number) => void) | null {
    return this.memory.onPressure;
  }
  set onPressure(hook: ((bytes: number) => void) | null) {
    this.memory.onPressure = hook;
  }

  begin(kernel: number, count: number, grain: number): number {
    if (this.capture !== null && this.beginsCaptured()) {
      const at = this.capture.begin(kernel, count, grain);
      this.words = this.capture.recording.words;
      return at;
    }
    this.grain = grain;
    this.kernel = kernel;
    this.count = count;
    if (!this.queued && !this.switchToRing()) return this.launcher.begin(kernel, count, grain);
    if (count > MAX_WORDS) throw new RangeError(`a launch has at most ${MAX_WORDS} words, not ${count}`);
    if (publishedKernels[kernel] !== 1) publishKernel(kernel);
    const at = (this.ring as Ring).begin(kernel, count, this.sequence, grain);
    if (recording !== null) this.words.fill(0, at, at + count);
    return (this.at = at);
  }

  submit(): void {
    if (this.captured) {
      this.capture!.recording.submit();
      return;
    }
    this.sequence++;
    if (recording !== null) this.record();
    if (this.queued) {
      if (this.grain > 0 && this.launcher.pool.threads !== numThreads) this.resizePool();
      (this.ring as Ring).publish();
    } else this.runInline();
  }

  allocate(bytes: number): number {
    if (bytes > 0 && this.capture?.active) return this.capture.allocate(bytes);
    const address = this.memory.allocate(bytes);
    return recording === null ? address : recording.allocated(this, address, bytes);
  }

  /** Tells the recorder of the launch. */
  private record(): void {
    const at = this.queued ? this.at : LAYOUT.scratch;
    recording!.submitted(this, this.kernel, this.count, this.grain, this.words, at);
  }

  free(address: number, bytes: number): void {
    if (recording !== null) recording.freed(this, address);
    if (this.graphMemory?.free(address)) this.dropGraphMemory();
    else this.memory.free(address, bytes);
  }

  copyIn(address: number, source: Uint8Array): void {
    if (source.length === 0) return;
    if (this.capture?.active) this.capture.refuseCopy();
    if (recording !== null) recording.copiedIn(this, address, source);
    if (this.queued || this.switchToRing()) {
      const ring = this.ring as Ring;
      if (source.length <= MAX_PAYLOAD) {
        ring.move(address, source);
        return;
      }
      ring.waitForIdle();
    }
    this.memory.bytes.set(source, address);
  }

  copyOut(address: number, bytes: number): Uint8Array {
    if (recording !== null) recording.hostReads(this);
    this.waitToRead();
    return this.memory.bytes.slice(address, address + bytes);
  }

  view(address: number, bytes: number, unseen = false): Uint8Array {
    if (recording !== null) recording.hostReads(this);
    if (unseen) this.synchronize();
    else this.waitToRead();
    return this.memory.bytes.subarray(address, address + bytes);
  }

  synchronize(): void {
    if (this.capture?.active) this.capture.refuse(WAITING);
    this.drain();
  }

  private drain(): void {
    if (this.queued) (this.ring as Ring).waitForIdle();
    if (this.memory.words[LAYOUT.fault] !== 0) this.throwFault();
  }

  /** Nobody asks for the memory of graphs once there is none. */
  dropGraphMemory(): void {
    if (this.graphMemory?.isEmpty) this.graphMemory = null;
  }

  /** Begins or ends a capture. */
  setCapture(capture: Capture | null): void {
    this.capture = capture;
    this.leaveRecording();
  }

  private waitToRead(): void {
    this.synchronize();
    this.hostWaits();
  }

  /** The host waits for the current stream, as the program sees it: for its own bytes, or to give some to the device. */
  hostWaits(): void {
    this.readUpTo = this.submitted;
    if (this.onRead !== null) this.onRead();
  }

  /** Number of launches and copies that streams were given. */
  get submitted(): number {
    return this.sequence + this.copies;
  }

  /** Whether all launches have run. Looks, and does not wait. */
  get isIdle(): boolean {
    return !this.queued || (this.ring as Ring).isIdle;
  }

  /** This point of the queue, for `hasPassed`. */
  mark(): number {
    return this.queued ? (this.ring as Ring).position : 0;
  }

  /** Whether all launches before a mark have run. Looks, and does not wait. */
  hasPassed(mark: number): boolean {
    return !this.queued || (this.ring as Ring).hasPassed(mark);
  }

  /** How launches are run right now. */
  get running(): 'worker' | 'inline' {
    return this.queued ? 'worker' : 'inline';
  }

  /** Ends its threads. Launches in the queue are lost, so synchronise before; afterwards it can't be used any more. */
  close(): void {
    this.leave();
    this.executor?.terminate();
    this.launcher.pool.terminate();
  }

  /** Whether the current stream's launches are captured; sets up for the one that is about to be written. */
  private beginsCaptured(): boolean {
    if (this.capture!.active) return (this.captured = true);
    this.leaveRecording();
    return false;
  }

  private leaveRecording(): void {
    this.captured = false;
    this.words = this.memory.words;
  }

  private switchToRing(): boolean {
    if (this.executor === null || Atomics.load(this.words, LAYOUT.ready) === 0) return false;
    return (this.queued = true);
  }

  private resizePool(): void {
    const { words, at } = this;
    if ((words[at + 1] >>> 0) - (words[at] >>> 0) > this.grain) this.launcher.pool.resize(numThreads);
  }

  private runInline(): void {
    let code: number;
    try {
      code = this.launcher.run();
    } catch (error) {
      this.trap = (error as Error).message;
      code = TRAP;
    }
    const { words } = this;
    if (code === 0 || words[LAYOUT.fault] !== 0) return;
    words.copyWithin(LAYOUT.fault + 1, LAYOUT.faultDetails, LAYOUT.faultDetails + FAULT_WORDS);
    words[LAYOUT.fault + 1 + FAULT_WORDS] = this.launcher.current;
    words[LAYOUT.fault] = code;
  }

  /** The executor is idle here, so the words are the host's. */
  private throwFault(): never {
    const { words } = this.memory;
    const at = LAYOUT.fault;
    const code = words[at];
    const details = words.slice(at + 1, at + 1 + FAULT_WORDS);
    const kernel = words[at + 1 + FAULT_WORDS];
    words[at] = 0;
    if (code === TRAP) {
      const text = this.trap || threadText(words);
      this.trap = '';
      throw new RuntimeError(`${this.name}: kernel ${kernels().name(kernel)}: ${text}`);
    }
    throw faultError(code, details, kernel);
  }
}
