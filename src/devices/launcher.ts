/**
 * Runs launches on the calling thread, large ones split over a pool: all of `cpu`, and `mtia` where it runs inline.
 */
import type { Backend } from './backend.ts';
import { instantiate, type KernelFunction, publishKernel } from './kernels.ts';
import { LAYOUT, MAX_WORDS } from './layout.ts';
import type { DeviceMemory } from './memory.ts';
import { Pool } from './pool.ts';
import { recording } from './recording.ts';
import { canBlock, hasThreads, hostSpin, numThreads, type ThreadOptions } from './threads.ts';
import { type HostPart, threadProgram } from './worker.ts';

/** Where a launch's words go, as an index and as a byte address. */
const SLOT = LAYOUT.scratch;
const ARGS = SLOT << 2;

export class Launcher {
  readonly pool: Pool;
  private readonly fns: KernelFunction[] = [];
  private kernel = 0;
  private count = 0;
  private grain = 0;
  private part: HostPart | null = null;

  constructor(
    name: string,
    readonly memory: DeviceMemory,
    options?: ThreadOptions,
  ) {
    this.pool = new Pool(name, memory, options);
  }

  begin(kernel: number, count: number, grain: number): number {
    if (count > MAX_WORDS) throw new RangeError(`a launch has at most ${MAX_WORDS} words, not ${count}`);
    this.kernel = kernel;
    this.count = count;
    this.grain = grain;
    if (recording !== null) this.memory.words.fill(0, SLOT, SLOT + count);
    return SLOT;
  }

  /** The number of the launch's kernel. */
  get current(): number {
    return this.kernel;
  }

  /** Tells the recorder of the launch. */
  record(backend: Backend): void {
    recording!.submitted(backend, this.kernel, this.count, this.grain, this.memory.words, SLOT);
  }

  /** Runs the launch; its fault code, 0 if all is well. */
  run(): number {
    const { kernel } = this;
    // An array without holes, and never read beyond its end: both would make this load slow for good.
    const fn = kernel < this.fns.length ? this.fns[kernel] : this.load(kernel);
    return this.grain > 0 && numThreads > 1 ? this.maybeSplit(fn) : fn(ARGS);
  }

  private maybeSplit(fn: KernelFunction): number {
    const { words } = this.memory;
    if ((words[SLOT + 1] >>> 0) - (words[SLOT] >>> 0) <= this.grain || !hasThreads) return fn(ARGS);
    publishKernel(this.kernel);
    if (this.pool.threads !== numThreads) this.pool.resize(numThreads);
    const run = this.fns[this.kernel] === this.stub ? this.load(this.kernel) : fn;
    return this.hostPart().split(run, this.kernel, this.count, SLOT, this.grain, this.pool.check);
  }

  /** Only where memory is shared: it keeps a view, which growing would make stale otherwise. */
  private hostPart(): HostPart {
    const { memory } = this.memory;
    const data = { slot: 0, memory, store: null, layout: LAYOUT, spin: hostSpin, canBlock };
    return (this.part ??= threadProgram({ role: 'host', ...data }));
  }

  /** Stands for kernels that have not been launched here: compiles the current one and runs it. */
  private readonly stub: KernelFunction = (args) => this.load(this.kernel)(args);

  private load(kernel: number): KernelFunction {
    while (this.fns.length <= kernel) this.fns.push(this.stub);
    return (this.fns[kernel] = instantiate(kernel, this.memory.memory));
  }
}
