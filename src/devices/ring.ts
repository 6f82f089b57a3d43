/**
 * The host's side of the queue: launches go through a ring in the device's memory to the executor thread, which runs
 * them in order (`worker.ts`). The host runs ahead and waits only when the ring is full, or when it asks for results.
 *
 * A record is kernel, length, sequence number, grain, and the launch's words, which the kernel reads where they lie.
 * `head` and `tail` count words ever written and read, modulo 2^32. The host stores `head` after the record; that store
 * and the executor's load of it make everything before it visible. The system is asked to wake somebody only when that
 * side has said that it sleeps.
 */
import { RuntimeError } from '../core/errors.ts';
import { HEAP_WORDS, LAYOUT, RECORD_HEADER } from './layout.ts';
import type { DeviceMemory } from './memory.ts';
import { canBlock, hasNodeThreads, hostSpin, LOST_AFTER, type Thread, threadText } from './threads.ts';

const RING_WORDS = LAYOUT.ringWords;
const MASK = RING_WORDS - 1;
/** Between two looks at whether the executor is alive, in milliseconds. */
const SLICE = 100;

export class Ring {
  /** Of the whole control block and ring. Shared memory grows in place, so it stays valid. */
  readonly words: Int32Array;
  private readonly memory: DeviceMemory;
  /** Where the next record goes; `published` is what the executor has been told. */
  private head = 0;
  private published = 0;
  /** The executor's position when it was last looked at. */
  private tail = 0;
  /** Length in words of the record being written. */
  private length = 0;
  /** How long looking for an answer pays just now, in milliseconds; as the executor has it for work. */
  private patience = hostSpin / 1000;
  /** Why the executor takes no launches any more. */
  private failure: string | null = null;

  constructor(
    private readonly name: string,
    memory: DeviceMemory,
    private readonly threads: () => readonly Thread[],
  ) {
    this.memory = memory;
    this.words = new Int32Array(memory.memory.buffer, 0, HEAP_WORDS);
  }

  /** Makes room for a record with `count` words; the index of the first. Waits while the ring is full. */
  begin(kernel: number, count: number, sequence: number, grain: number): number {
    // Records are multiples of 16 bytes, so that words are aligned for whatever a kernel loads.
    const length = (RECORD_HEADER + count + 3) & ~3;
    let position = this.head & MASK;
    if (position + length > RING_WORDS) {
      const rest = RING_WORDS - position;
      this.waitForRoom(rest);
      this.words[LAYOUT.ring + position] = LAYOUT.wrap;
      this.head = (this.head + rest) | 0;
      position = 0;
    }
    if (((this.head + length - this.tail) | 0) > RING_WORDS) this.waitForRoom(length);
    const { words } = this;
    const record = LAYOUT.ring + position;
    words[record] = kernel;
    words[record + 1] = length;
    words[record + 2] = sequence;
    words[record + 3] = grain;
    this.length = length;
    return record + RECORD_HEADER;
  }

  /** Hands the record over. */
  publish(): void {
    const { words } = this;
    const head = (this.head + this.length) | 0;
    this.head = this.published = head;
    Atomics.store(words, LAYOUT.head, head);
    if (Atomics.load(words, LAYOUT.parked) !== 0) {
      Atomics.store(words, LAYOUT.parked, 0);
      Atomics.notify(words, LAYOUT.head);
    }
  }

  /** A copy to the device of at most MAX_PAYLOAD bytes, in order with the launches. The bytes travel in the ring. */
  move(address: number, source: Uint8Array): void {
    const at = this.begin(LAYOUT.move, 4 + ((source.length + 3) >> 2), 0, 0);
    const from = (at + 4) << 2;
    this.words[at] = address;
    this.words[at + 1] = from;
    this.words[at + 2] = source.length;
    this.memory.bytes.set(source, from);
    this.publish();
  }

  /** Waits until everything handed over has run. */
  waitForIdle(): void {
    if (this.tail === this.published && this.failure === null) return;
    this.waitFor(this.published);
  }

  /** Whether everything handed over has run. Looks, and does not wait. */
  get isIdle(): boolean {
    return this.hasPassed(this.published);
  }

  /** The position after what has been handed over so far. */
  get position(): number {
    return this.published;
  }

  /** Whether everything before a position has run. What is pending lies within one ring's length. */
  hasPassed(position: number): boolean {
    const pending = (position - Atomics.load(this.words, LAYOUT.tail)) | 0;
    return pending <= 0 || pending > RING_WORDS;
  }

  /** Why the device is lost, or null. Looks. */
  lost(): string | null {
    if (this.failure !== null) return this.failure;
    if (Atomics.load(this.words, LAYOUT.dead) !== 0) return (this.failure = threadText(this.words));
    for (const thread of this.threads()) {
      const why = thread.failure();
      if (why !== null) return (this.failure = why);
    }
    return null;
  }

  private waitForRoom(length: number): void {
    const least = (this.head + length - RING_WORDS) | 0;
    this.tail = Atomics.load(this.words, LAYOUT.tail);
    if (((this.tail - least) | 0) >= 0) return;
    // Half the ring at a time, or host and executor would wake each other for every launch.
    const half = (this.published - RING_WORDS / 2) | 0;
    this.waitFor(((half - least) | 0) > 0 ? half : least);
  }

  private waitFor(target: number): void {
    const { words } = this;
    let turns = 0;
    let started = 0;
    let looked = 0;
    let slept = false;
    for (;;) {
      const tail = Atomics.load(words, LAYOUT.tail);
      if (((tail - target) | 0) >= 0) {
        this.tail = tail;
        if (slept) this.patience = Math.max(this.patience / 2, hostSpin / 8000);
        else if (started !== 0) this.patience = Math.min(this.patience * 2, hostSpin / 1000);
        return;
      }
      if ((++turns & 31) !== 0) continue;
      const now = performance.now();
      if (started === 0) started = looked = now;
      if (tail !== this.tail) {
        this.tail = tail;
        started = now;
      }
      if (now - looked > SLICE) {
        looked = now;
        if (this.lost() === null && !hasNodeThreads && now - started > LOST_AFTER) {
          this.failure = `no launch has ended for ${LOST_AFTER / 1000} s`;
        }
      }
      if (this.failure !== null) throw this.error();
      if (!canBlock || now - started < this.patience) continue;
      slept = true;
      words[LAYOUT.wanted] = target;
      Atomics.store(words, LAYOUT.waiting, 1);
      const seen = Atomics.load(words, LAYOUT.tail);
      if (((seen - target) | 0) < 0) Atomics.wait(words, LAYOUT.tail, seen, SLICE);
      Atomics.store(words, LAYOUT.waiting, 0);
      turns |= 31; // the next turn looks at the clock
    }
  }

  private error(): RuntimeError {
    return new RuntimeError(
      `${this.name}: the device is lost, its worker thread has died: ${this.failure}. Launches that were in its queue have not run.`,
    );
  }
}
