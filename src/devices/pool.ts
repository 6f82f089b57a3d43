/**
 * The helper threads of one device. They are started when the first large launch comes, and take part in the launches
 * that their leader splits (`worker.ts`).
 */
import { RuntimeError } from '../core/errors.ts';
import { LAYOUT } from './layout.ts';
import type { DeviceMemory } from './memory.ts';
import { hasThreads, startThread, type Thread, type ThreadOptions, threadText } from './threads.ts';

export class Pool {
  /** The number of threads it was last set up for, leader included. */
  threads = 1;
  readonly helpers: Thread[] = [];

  constructor(
    private readonly name: string,
    private readonly memory: DeviceMemory,
    private readonly options: ThreadOptions = {},
  ) {}

  /** Brings the pool to this many threads. */
  resize(threads: number): void {
    this.threads = threads;
    if (!hasThreads) return;
    const { words } = this.memory;
    while (this.helpers.length < threads - 1) {
      this.helpers.push(startThread('helper', this.helpers.length + 1, this.memory, this.options));
    }
    Atomics.store(words, LAYOUT.helpers, threads - 1);
    Atomics.notify(words, LAYOUT.helpers);
  }

  /** @throws RuntimeError if a helper is dead. */
  check = (): void => {
    for (const helper of this.helpers) {
      const why = helper.failure();
      if (why !== null) this.lost(why);
    }
    if (this.memory.words[LAYOUT.dead] !== 0) this.lost(threadText(this.memory.words));
  };

  terminate(): void {
    for (const helper of this.helpers) helper.terminate();
    this.helpers.length = 0;
    this.threads = 1;
    this.memory.words[LAYOUT.helpers] = 0;
  }

  private lost(why: string): never {
    throw new RuntimeError(`${this.name}: a worker thread has died, and its part of a launch with it: ${why}`);
  }
}
