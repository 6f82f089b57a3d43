/**
 * What the threads of a device do, as ONE function that uses nothing from outside it: its source text is also the
 * program of the worker threads (`threads.ts`), so there is no file to find and nothing for a bundler to break. The
 * calling thread uses the same function for its part (`role: 'host'`).
 *
 * - `executor` (mtia): takes records from the ring, in order, and runs them.
 * - `helper`: claims chunks of the launch that its leader has split. The leader is the executor on mtia, the calling
 *   thread on cpu.
 *
 * How a launch is split: the leader describes it in the job words and then stores the number of chunks in `claims`.
 * Whoever decrements that word owns the chunk of that number and adds to `done` when it has run. The job words stay
 * until every chunk is done, so they are read after the claim. A helper that is asleep, or hasn't started yet, claims
 * nothing and is not waited for.
 *
 * Rules for the text: no imports, no names of this file, no types that leave code behind. Its functions are methods of
 * an object, because tools that keep names wrap every other kind of inner function in a helper of theirs.
 */
import type { LAYOUT } from './layout.ts';

export interface ThreadData {
  role: 'executor' | 'helper' | 'host';
  /** Scratch slot: 0 for a leader, from 1 for helpers. */
  slot: number;
  memory: WebAssembly.Memory;
  /** Bytes of the kernels (`kernels.ts`). The host compiles its own. */
  store: SharedArrayBuffer | null;
  layout: typeof LAYOUT;
  /** Microseconds to look for work before going to sleep. */
  spin: number;
  /** Whether this thread may sleep (a browser's main thread may not). */
  canBlock: boolean;
}

export interface HostPart {
  /**
   * Runs a launch whose words begin at `at`, split over the pool. Returns the fault code. `check` is called about every
   * 50 ms while it waits for others, and throws if one of them is dead.
   */
  split(
    run: (args: number) => number,
    kernel: number,
    count: number,
    at: number,
    grain: number,
    check: () => void,
  ): number;
}

export function threadProgram(data: ThreadData): HostPart {
  const L = data.layout;
  const memory = data.memory;
  const words = new Int32Array(memory.buffer, 0, L.ring + L.ringWords);
  const scratch = L.scratch + data.slot * L.scratchWords;
  const functions: (((args: number) => number) | null)[] = [];
  let pages = data.role === 'host' ? -1 : 0;
  let bytes = new Uint8Array(0);
  /** How long looking for work pays just now, in milliseconds. */
  let patience = data.spin / 1000;

  const thread = {
    /** The host grows the memory. An engine takes notice at `grow(0)` at the latest. */
    refresh(): void {
      if (words[L.pages] === pages || pages < 0) return;
      pages = words[L.pages];
      memory.grow(0);
      bytes = new Uint8Array(memory.buffer);
    },

    /** The kernel, compiled here at its first launch. */
    load(kernel: number): (args: number) => number {
      const store = data.store as SharedArrayBuffer;
      const table = new Int32Array(store);
      const offset = Atomics.load(table, 2 * kernel);
      const length = table[2 * kernel + 1];
      // A copy, as modules are not compiled from shared memory.
      const code = new Uint8Array(store, offset, Math.abs(length)).slice();
      const imports = { env: { memory }, math: Math as unknown as WebAssembly.ModuleImports };
      const run =
        length < 0
          ? new Function('memory', `return (${new TextDecoder().decode(code)})(memory)`)(memory)
          : new WebAssembly.Instance(new WebAssembly.Module(code), imports).exports['run'];
      while (functions.length <= kernel) functions.push(null);
      functions[kernel] = run as (args: number) => number;
      return run as (args: number) => number;
    },

    kernel(kernel: number): (args: number) => number {
      return (kernel < functions.length ? functions[kernel] : null) ?? thread.load(kernel);
    },

    /** Leaves the text of what went wrong where the host finds it. */
    tell(error: unknown): void {
      const text = String((error as Error)?.message ?? error);
      const length = Math.min(text.length, L.textWords - 1);
      for (let i = 0; i < length; i++) words[L.text + 1 + i] = text.charCodeAt(i);
      words[L.text] = length;
    },

    /** Runs one chunk of the current job. */
    runChunk(run: (args: number) => number, chunk: number): number {
      const begin = words[L.job + 3];
      const step = words[L.job + 5];
      const from = words[L.job + 2];
      thread.refresh();
      if (from !== scratch) {
        for (let i = words[L.job + 1] - 1; i > 1; i--) words[scratch + i] = words[from + i];
      }
      const first = (begin + chunk * step) >>> 0;
      words[scratch] = first;
      words[scratch + 1] = Math.min(first + step, words[L.job + 4] >>> 0);
      return run(scratch << 2);
    },

    /** Claims chunks until there are none. `known` is the job's kernel, where the caller has it. */
    work(known: ((args: number) => number) | null): void {
      for (;;) {
        const left = Atomics.load(words, L.claims);
        if (left === 0) return;
        if (Atomics.compareExchange(words, L.claims, left, left - 1) !== left) continue;
        const total = words[L.job + 6];
        const chunk = total - left;
        let code = 0;
        try {
          code = thread.runChunk(known ?? thread.kernel(words[L.job]), chunk);
        } catch (error) {
          thread.tell(error);
          code = -1;
        }
        while (code !== 0) {
          const lowest = Atomics.load(words, L.faultChunk);
          if (lowest !== 0 && lowest <= chunk + 1) break;
          if (Atomics.compareExchange(words, L.faultChunk, lowest, chunk + 1) === lowest) break;
        }
        if (Atomics.add(words, L.done, 1) + 1 === total && Atomics.load(words, L.leaderWaits) === 1) {
          Atomics.notify(words, L.done);
        }
      }
    },

    split(
      run: (args: number) => number,
      kernel: number,
      count: number,
      at: number,
      grain: number,
      check: () => void,
    ): number {
      const begin = words[at] >>> 0;
      const end = words[at + 1] >>> 0;
      const range = end - begin;
      const helpers = Atomics.load(words, L.helpers);
      if (helpers === 0 || range <= grain) return run(at << 2);
      // A few chunks for each thread, so that one that comes late or is slowed down does not hold up the others.
      const wanted = Math.min((helpers + 1) * 4, Math.ceil(range / grain));
      const step = Math.ceil(range / wanted / grain) * grain;
      const total = Math.ceil(range / step);
      words[L.job] = kernel;
      words[L.job + 1] = count;
      words[L.job + 2] = at;
      words[L.job + 3] = begin;
      words[L.job + 4] = end;
      words[L.job + 5] = step;
      words[L.job + 6] = total;
      words[L.faultChunk] = 0;
      words[L.done] = 0;
      Atomics.store(words, L.claims, total);
      if (Atomics.load(words, L.sleepers) > 0) Atomics.notify(words, L.claims, Math.min(helpers, total - 1));
      thread.work(run);
      const until = performance.now() + data.spin / 1000;
      let turns = 0;
      while (Atomics.load(words, L.done) !== total) {
        if ((++turns & 31) !== 0 || performance.now() < until) continue;
        if (data.canBlock) {
          Atomics.store(words, L.leaderWaits, 1);
          const done = Atomics.load(words, L.done);
          if (done !== total) Atomics.wait(words, L.done, done, 50);
          Atomics.store(words, L.leaderWaits, 0);
        }
        if (data.canBlock || (turns & 0xfffff) === 0) check();
      }
      const chunk = words[L.faultChunk] - 1;
      if (chunk < 0) return 0;
      // Several threads may have met faults and mixed up their details: the first chunk that did tells them again.
      const code = thread.runChunk(run, chunk);
      return code !== 0 ? code : -1;
    },

    /**
     * While the launch runs that this helper has done its part of, or came too late for, it does not sleep: the next one
     * is likely to follow, and somebody who has to be woken comes late again.
     */
    linger(): void {
      const until = performance.now() + (data.spin * 20) / 1000;
      for (let turns = 1; Atomics.load(words, L.claims) === 0; turns++) {
        if (Atomics.load(words, L.done) === Atomics.load(words, L.job + 6)) return;
        if ((turns & 31) === 0 && performance.now() > until) return;
      }
    },

    /** Looks for work for a while, then sleeps, until the word at `index` is not `idle` any more. */
    awaitWork(index: number, idle: number, sleeping: number): void {
      for (;;) {
        if (index === L.claims && data.spin > 0) thread.linger();
        const until = performance.now() + patience;
        for (let turns = 1; patience > 0 && Atomics.load(words, index) === idle; turns++) {
          if ((turns & 31) === 0 && performance.now() > until) break;
        }
        // In vain: less the next time, as somebody else may need the core. Not in vain: more.
        const inVain = Atomics.load(words, index) === idle;
        patience = inVain ? Math.max(patience / 2, data.spin / 8000) : Math.min(patience * 2, data.spin / 1000);
        if (!inVain) return;
        // The sign that it sleeps goes up before the last look, and whoever brings work looks at it after storing.
        // The executor's is a flag, which the host takes down when it wakes it; helpers are counted.
        if (index === L.head) Atomics.store(words, sleeping, 1);
        else Atomics.add(words, sleeping, 1);
        Atomics.wait(words, index, idle);
        if (index === L.head) Atomics.store(words, sleeping, 0);
        else Atomics.sub(words, sleeping, 1);
        if (Atomics.load(words, index) !== idle) return;
      }
    },

    helper(): void {
      for (;;) {
        thread.awaitWork(L.claims, 0, L.sleepers);
        const helpers = Atomics.load(words, L.helpers);
        if (data.slot <= helpers) thread.work(null);
        else Atomics.wait(words, L.helpers, helpers);
      }
    },

    /** Keeps the first fault. */
    fault(code: number, kernel: number): void {
      if (words[L.fault] !== 0) return;
      for (let i = 0; i < 4; i++) words[L.fault + 1 + i] = words[L.faultDetails + i];
      words[L.fault + 5] = kernel;
      words[L.fault] = code;
    },

    /** Runs the record that begins at this word; its length. */
    record(at: number): number {
      const kernel = words[at];
      const length = words[at + 1];
      thread.refresh();
      if (kernel === L.move) {
        const from = words[at + 5] >>> 0;
        bytes.copyWithin(words[at + 4] >>> 0, from, from + (words[at + 6] >>> 0));
        return length;
      }
      let code = 0;
      try {
        const run = thread.kernel(kernel);
        const grain = words[at + 3];
        code = grain > 0 ? thread.split(run, kernel, length - 4, at + 4, grain, () => {}) : run((at + 4) << 2);
      } catch (error) {
        thread.tell(error);
        code = -1;
      }
      if (code !== 0) thread.fault(code, kernel);
      return length;
    },

    executor(): void {
      let tail = Atomics.load(words, L.tail);
      for (;;) {
        thread.awaitWork(L.head, tail, L.parked);
        const head = Atomics.load(words, L.head);
        while (tail !== head) {
          const position = tail & (L.ringWords - 1);
          const wrap = words[L.ring + position] === L.wrap;
          tail = (tail + (wrap ? L.ringWords - position : thread.record(L.ring + position))) | 0;
          Atomics.store(words, L.tail, tail);
          if (Atomics.load(words, L.waiting) !== 0 && ((tail - words[L.wanted]) | 0) >= 0) {
            Atomics.store(words, L.waiting, 0);
            Atomics.notify(words, L.tail);
          }
        }
      }
    },
  };

  try {
    if (data.role === 'helper') thread.helper();
    else if (data.role === 'executor') {
      Atomics.store(words, L.ready, 1);
      thread.executor();
    }
  } catch (error) {
    thread.tell(error);
    Atomics.store(words, L.dead, 1);
    Atomics.notify(words, L.tail);
    Atomics.notify(words, L.done);
  }
  return thread;
}
