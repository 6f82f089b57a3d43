/**
 * Runs over a dataset by a loader's workers: which worker is asked for which task, how far ahead, and in which order the
 * answers are handed on. Tasks are dealt out in turn, as PyTorch deals them.
 */
import type { WorkerStart } from './worker-messages.ts';
import { type Result, Workers } from './workers.ts';

export interface RunOptions {
  /** Tasks that each worker is asked for ahead of time. */
  readonly prefetch: number;
  /** Whether workers are kept for the next run. */
  readonly persistent: boolean;
  /** Whether answers come in the order of the tasks. */
  readonly inOrder: boolean;
  /** Seconds that an answer may take; 0: any time. */
  readonly timeout: number;
}

export type Answered = { data: unknown; apart: boolean };

/** Ends the workers of a run that the program has dropped half-way. */
const dropped = new FinalizationRegistry<Workers>((workers) => workers.close());

export class WorkerRuns {
  private kept: Workers | null = null;

  constructor(
    private readonly start: Omit<WorkerStart, 'id' | 'seed'>,
    private readonly options: RunOptions,
  ) {}

  /** Whether the workers of an earlier run serve the next one. */
  get areKept(): boolean {
    return this.kept !== null;
  }

  /**
   * @param tasks what is asked for, in order
   * @param seed what the workers' generators are seeded with
   */
  run(tasks: Iterator<readonly number[] | number>, seed: bigint): IterableIterator<Answered> {
    const { persistent } = this.options;
    const workers = this.kept ?? new Workers({ ...this.start, seed });
    if (persistent) this.kept = workers;
    const run = new Run(workers, this.start.workers, tasks, this.options);
    const iterator = this.answers(run, workers);
    if (!persistent) dropped.register(iterator, workers, run);
    return iterator;
  }

  private *answers(run: Run, workers: Workers): IterableIterator<Answered> {
    try {
      for (let got = run.next(); got !== null; got = run.next()) yield got;
    } catch (error) {
      // After an error of its dataset a worker goes on; after its own end none does.
      if (!run.failedInDataset) this.kept = null;
      throw error;
    } finally {
      dropped.unregister(run);
      if (this.kept !== workers) workers.close();
    }
  }
}

interface Task {
  readonly worker: number;
  result: Result | null;
}

/** One run: the tasks that were dealt out and not yet handed on. */
class Run {
  failedInDataset = false;
  private readonly id: number;
  private readonly tasks = new Map<number, Task>();
  /** Workers that have more to give, and how many tasks each has. */
  private readonly active: boolean[];
  private readonly load: number[];
  private sent = 0;
  private received = 0;
  private turn = 0;
  private exhausted = false;

  constructor(
    private readonly workers: Workers,
    private readonly count: number,
    private readonly source: Iterator<readonly number[] | number>,
    private readonly options: RunOptions,
  ) {
    this.active = new Array<boolean>(count).fill(true);
    this.load = new Array<number>(count).fill(0);
    this.id = workers.begin();
    for (let i = 0; i < options.prefetch * count; i++) this.deal();
  }

  /** The next answer; null when all have been handed on. @throws what the dataset threw, a RuntimeError for lost workers */
  next(): Answered | null {
    // The workers have begun another run, and what was under way of this one is lost.
    if (this.workers.current !== this.id) return null;
    for (;;) {
      this.passOver();
      if (this.received === this.sent) return null;
      const ready = this.tasks.get(this.received)?.result ?? null;
      if (ready !== null) {
        this.tasks.delete(this.received++);
        return this.handOn(ready);
      }
      const { task: number, worker, result } = this.workers.next(this.options.timeout);
      this.load[worker]--;
      if ('end' in result) {
        this.active[worker] = false;
        this.deal();
      } else if (number === this.received || !this.options.inOrder) {
        this.tasks.delete(number);
        if (number === this.received) this.received++;
        return this.handOn(result);
      } else this.tasks.get(number)!.result = result;
    }
  }

  /** Tasks of workers that have no more, and those handed on out of order. */
  private passOver(): void {
    while (this.received < this.sent) {
      const task = this.tasks.get(this.received);
      if (task !== undefined && (task.result !== null || this.active[task.worker])) return;
      this.tasks.delete(this.received++);
    }
  }

  private handOn(result: Result): Answered {
    this.deal();
    if ('error' in result) {
      this.failedInDataset = true;
      throw result.error;
    }
    return result as Answered;
  }

  /** Gives the next task to the worker whose turn it is. */
  private deal(): void {
    const worker = this.nextWorker();
    if (worker < 0 || this.exhausted) return;
    const next = this.source.next();
    if (next.done) {
      this.exhausted = true;
      return;
    }
    this.workers.ask(worker, this.sent, next.value);
    this.tasks.set(this.sent++, { worker, result: null });
    this.load[worker]++;
  }

  private nextWorker(): number {
    const { inOrder, prefetch } = this.options;
    for (let i = 0; i < this.count; i++) {
      const worker = this.turn;
      this.turn = (this.turn + 1) % this.count;
      if (this.active[worker] && (inOrder || this.load[worker] < prefetch)) return worker;
    }
    return -1;
  }
}
