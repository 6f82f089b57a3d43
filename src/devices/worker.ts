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
 * Rules for the text: no imports, no names of this file, no types that leave code behind.
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
  const now = (): number => performance.now();

  /** Pages of the memory as this thread knows it. The host grows it; `grow(0)` makes an engine look. */
  let pages = 0;
  let bytes = new Uint8Array(0);
  function refresh(): void {
    if (words[L.pages] === pages) return;
    pages = words[L.pages];
    memory.grow(0);
    bytes = new Uint8Array(memory.buffer);
  }

  /** The kernel, compiled here at its first launch. */
  function load(kernel: number): (args: number) => number {
    const store = data.store as SharedArrayBuffer;
    const table = new Int32Array(store);
    const offset = Atomics.load(table, 2 * kernel);
    // A copy, as modules are not compiled from shared memory.
    const code = new Uint8Array(store, offset, table[2 * kernel + 1]).slice();
    const imports = { env: { memory }, math: Math as unknown as WebAssembly.ModuleImports };
    const run = new WebAssembly.Instance(new WebAssembly.Module(code), imports).exports['run'];
    while (functions.length <= kernel) functions.push(null);
    functions[kernel] = run as (args: number) => number;
    return run as (args: number) => number;
  }

  function kernelOf(kernel: number): (args: number) => number {
    return (kernel < functions.length ? functions[kernel] : null) ?? load(kernel);
  }

  /** Leaves the text of what went wrong where the host finds it. */
  function tell(error: unknown): void {
    const text = String((error as Error)?.message ?? error);
    const length = Math.min(text.length, L.textWords - 1);
    for (let i = 0; i < length; i++) words[L.text + 1 + i] = text.charCodeAt(i);
    words[L.text] = length;
  }

  /** Runs one chunk of the current job. */
  function runChunk(run: (args: number) => number, chunk: number): number {
    const begin = words[L.job + 3];
    const step = words[L.job + 5];
    const from = words[L.job + 2];
    refresh();
    if (from !== scratch) {
      for (let i = words[L.job + 1] - 1; i > 1; i--) words[scratch + i] = words[from + i];
    }
    const first = (begin + chunk * step) >>> 0;
    const last = Math.min(first + step, words[L.job + 4] >>> 0);
    words[scratch] = first;
    words[scratch + 1] = last;
    return run(scratch << 2);
  }

  /** Claims chunks until there are none. `known` is the job's kernel, where the caller has it. */
  function work(known: ((args: number) => number) | null): void {
    for (;;) {
      const left = Atomics.load(words, L.claims);
      if (left === 0) return;
      if (Atomics.compareExchange(words, L.claims, left, left - 1) !== left) continue;
      const total = words[L.job + 6];
      const chunk = total - left;
      let code = 0;
      try {
        code = runChunk(known ?? kernelOf(words[L.job]), chunk);
      } catch (error) {
        tell(error);
        code = -1;
      }
      if (code !== 0) {
        for (;;) {
          const lowest = Atomics.load(words, L.faultChunk);
          if (lowest !== 0 && lowest <= chunk + 1) break;
          if (Atomics.compareExchange(words, L.faultChunk, lowest, chunk + 1) === lowest) break;
        }
      }
      if (Atomics.add(words, L.done, 1) + 1 === total && Atomics.load(words, L.leaderWaits) === 1) {
        Atomics.notify(words, L.done);
      }
    }
  }

  function split(
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
    work(run);
    const until = now() + data.spin / 1000;
    let turns = 0;
    while (Atomics.load(words, L.done) !== total) {
      if ((++turns & 31) !== 0 || now() < until) continue;
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
    // Several threads may have met faults and mixed up their details: the first one alone tells them again.
    const code = runChunk(run, chunk);
    return code !== 0 ? code : -1;
  }

  /** Looks for work for a while, then sleeps, until the word at `index` is not `idle` any more. */
  function await_(index: number, idle: number, sleeping: number, counted: boolean): void {
    if (data.spin > 0) {
      const until = now() + data.spin / 1000;
      for (let turns = 1; Atomics.load(words, index) === idle; turns++) {
        if ((turns & 31) === 0 && now() > until) break;
      }
    }
    while (Atomics.load(words, index) === idle) {
      // The flag goes up before the last look, and whoever brings work looks at it after storing.
      if (counted) Atomics.add(words, sleeping, 1);
      else Atomics.store(words, sleeping, 1);
      Atomics.wait(words, index, idle);
      if (counted) Atomics.sub(words, sleeping, 1);
      else Atomics.store(words, sleeping, 0);
    }
  }

  function helper(): void {
    for (;;) {
      await_(L.claims, 0, L.sleepers, true);
      if (Atomics.load(words, L.stop) !== 0) return;
      if (data.slot <= Atomics.load(words, L.helpers)) work(null);
      else Atomics.wait(words, L.helpers, Atomics.load(words, L.helpers));
    }
  }

  /** Keeps the first fault. */
  function fault(code: number, kernel: number): void {
    if (words[L.fault] !== 0) return;
    for (let i = 0; i < 4; i++) words[L.fault + 1 + i] = words[L.faultDetails + i];
    words[L.fault + 5] = kernel;
    words[L.fault] = code;
  }

  function executor(): void {
    const nobody = (): void => {};
    let tail = Atomics.load(words, L.tail);
    for (;;) {
      await_(L.head, tail, L.parked, false);
      if (Atomics.load(words, L.stop) !== 0) return;
      const head = Atomics.load(words, L.head);
      while (tail !== head) {
        const position = tail & (L.ringWords - 1);
        const record = L.ring + position;
        const kernel = words[record];
        if (kernel === L.wrap) tail = (tail + L.ringWords - position) | 0;
        else {
          const length = words[record + 1];
          refresh();
          if (kernel === L.move) {
            const to = words[record + 4] >>> 0;
            const from = words[record + 5] >>> 0;
            const count = words[record + 6] >>> 0;
            bytes.copyWithin(to, from, from + count);
          } else {
            let code = 0;
            try {
              const run = kernelOf(kernel);
              const at = record + 4;
              const grain = words[record + 3];
              code = grain > 0 ? split(run, kernel, length - 4, at, grain, nobody) : run(at << 2);
            } catch (error) {
              tell(error);
              code = -1;
            }
            if (code !== 0) fault(code, kernel);
          }
          tail = (tail + length) | 0;
        }
        Atomics.store(words, L.tail, tail);
        if (Atomics.load(words, L.waiting) !== 0 && ((tail - words[L.wanted]) | 0) >= 0) {
          Atomics.store(words, L.waiting, 0);
          Atomics.notify(words, L.tail);
        }
      }
    }
  }

  if (data.role !== 'host') {
    try {
      if (data.role === 'helper') helper();
      else {
        Atomics.store(words, L.ready, 1);
        Atomics.notify(words, L.ready);
        executor();
      }
    } catch (error) {
      tell(error);
      Atomics.store(words, L.dead, 1);
      Atomics.notify(words, L.tail);
      Atomics.notify(words, L.done);
    }
  }
  return { split };
}
