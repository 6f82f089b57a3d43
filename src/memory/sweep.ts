/**
 * Finding storages that died, even in the middle of a synchronous job, and when to look.
 *
 * A WeakRef keeps its target alive until the job ends, so a collection alone finds nothing. In Node, running any script in
 * a context whose microtask mode is 'afterEvaluate' ends that protection, and a collection can be asked for. What V8's
 * compilers read as a constant (the present value of a module's variable) lives until their threads are done with it, so they
 * are awaited first. Where none of that works (browsers), deaths are learnt through a FinalizationRegistry between tasks.
 */
import { clock } from './clock.ts';
import type { Lifetimes } from './lifetimes.ts';
import { LARGE, type Nursery, openNursery } from './nursery.ts';
import type { StorageRecord } from './record.ts';

/** Sweep before every so many allocations; 0: only at commit points; null: by pressure. */
let every: number | null = null;
/** Whether those are sweeps of the young alone. */
let onlyYoung = false;
/** Allocations since the last sweep, while `every` is a number. */
let since = 0;

/** What sweeps have cost. */
export const sweepStatistics = { count: 0, young: 0, milliseconds: 0 };

const MIB = 1024 * 1024;
/** Garbage tolerated without a thought, and the step in which growth is looked at again: bytes and storages. */
const STEP_BYTES = 16 * MIB;
const STEP_COUNT = 8192;
/** Where sweeps of the young have been at work: what is left of less garbage than this is no reason for a full one. */
const OLD_BYTES = 96 * MIB;
/** Garbage that is too much, in addition to what was alive at the last sweep: bytes, or a share of that. */
const MAX_BYTES = 192 * MIB;
const MAX_SHARE = 0.4;
const MAX_COUNT = 65_536;
/** Below that, sweeps that take t wait until this many t have passed: they are at most 3 % of the time. */
const PATIENCE = 32;
/** Above it they wait for so many: at most 5 % … */
const IMPATIENCE = 20;
/** … up to twice the bytes, and four times where sweeps take 40 ms, as the program itself keeps millions of objects. */
const TOLERANCE = 2;
const MAX_TOLERANCE = 4;
const SLOW = 10;
/** What a sweep takes is the least of so many, since a busy machine makes single ones take ten times as long. */
const REMEMBERED = 4;

/** What the last sweeps of a kind took, milliseconds, and when the last one ended. */
class Costs {
  private end = 0;
  private count = 0;
  private readonly ring: number[];

  /** @param unknown what one is taken to cost as long as nothing is known */
  constructor(unknown: number) {
    this.ring = new Array<number>(REMEMBERED).fill(unknown);
  }

  get least(): number {
    return Math.min(...this.ring);
  }

  add(begin: number): void {
    this.end = performance.now();
    this.ring[this.count++ % REMEMBERED] = this.end - begin;
    sweepStatistics.milliseconds += this.end - begin;
  }

  /** Whether so many times of what one takes have passed since the last. */
  havePassed(times: number): boolean {
    return performance.now() - this.end > times * this.least;
  }
}

/** Before the first full sweep nothing is known: that one is at the first mark. */
const costs = new Costs(Infinity);
const youngCosts = new Costs(0);

/** Large storages that are young; null as long as nobody has swept, and where there is no such thing. */
export let nursery: Nursery | null = null;
/** Young garbage of large storages that is tolerated without a thought. */
const YOUNG_BYTES = 32 * MIB;
/** Its limit where the last collection has freed little: what is young is alive, and gets old by being looked at. */
const MAX_YOUNG_BYTES = 256 * MIB;
/** Sweeps of the young wait until so many times of what they take have passed … */
const YOUNG_PATIENCE = 4;
/** … or there is as much as this: what comes so fast is better found than written to memory that no cache holds. */
const MANY_YOUNG_BYTES = 128 * MIB;

/** Enough of it at the end of backward. */
const REST_BYTES = 32 * MIB;

let youngBytes = YOUNG_BYTES;

const watched: WeakRef<Lifetimes>[] = [];
const lookers: (() => void)[] = [];

let checkpoint: (() => void) | null = null;
let collectGarbage: (() => void) | null = null;
let probed = false;

/** A device's lifetimes take part in sweeps from now on. */
export function watch(lifetimes: Lifetimes): void {
  watched.push(new WeakRef(lifetimes));
  rearm(lifetimes);
}

/** `look` is called after every collection of a sweep: for what is held weakly and lets go of memory when it dies. */
export function onSweep(look: () => void): void {
  lookers.push(look);
}

/** Whether dead storages can be found at any moment (Node), or only between tasks (browsers). */
export function canSweep(): boolean {
  if (!probed) {
    probed = true;
    probe();
    if (collectGarbage === null) for (const reference of watched) reference.deref()?.waitForReports();
  }
  return collectGarbage !== null;
}

/** Whether each storage's death must be asked to be reported. Cheap before the first sweep: the trial comes with that. */
export function deathsAreReported(): boolean {
  return probed ? collectGarbage === null : typeof globalThis.process?.getBuiltinModule !== 'function';
}

/** The part of Node's `vm` and `v8` that is needed. */
interface VmModule {
  createContext(sandbox: object, options: { microtaskMode: 'afterEvaluate' }): object;
  runInContext(code: string, context: object): unknown;
  runInNewContext(code: string): unknown;
  Script: new (code: string) => { runInContext(context: object): unknown; runInThisContext(): unknown };
}
interface V8Module {
  setFlagsFromString(flags: string): void;
}

function probe(): void {
  const getBuiltin = globalThis.process?.getBuiltinModule as ((name: string) => unknown) | undefined;
  if (typeof getBuiltin !== 'function') return;
  try {
    const vm = getBuiltin('node:vm') as VmModule;
    const v8 = getBuiltin('node:v8') as V8Module;
    v8.setFlagsFromString('--expose-gc');
    const gc = vm.runInNewContext('gc') as (options?: { type: 'minor' }) => void;
    v8.setFlagsFromString('--no-expose-gc');
    const context = vm.createContext({}, { microtaskMode: 'afterEvaluate' });
    const nothing = new vm.Script('0');
    checkpoint = () => void nothing.runInContext(context);
    const awaitCompilers = compilersOf(vm, v8);
    collectGarbage = () => {
      awaitCompilers?.();
      gc();
    };
    // Believed only when seen.
    const reference = dropped();
    checkpoint();
    collectGarbage();
    if (reference.deref() !== undefined) checkpoint = collectGarbage = null;
    else {
      const { inspect } = getBuiltin('node:util') as { inspect(object: object, options: object): string };
      nursery = openNursery(() => collectYoung(gc, v8), inspect);
    }
  } catch {
    // Another engine with Node's names: it has no such means, and says so by `canSweep()`.
    checkpoint = collectGarbage = null;
  }
}

/** One thread: there is next to nothing to do, and where the cores are busy with kernels others come late. */
function collectYoung(gc: (options: { type: 'minor' }) => void, v8: V8Module): void {
  v8.setFlagsFromString('--no-parallel-scavenge');
  try {
    gc({ type: 'minor' });
  } finally {
    v8.setFlagsFromString('--parallel-scavenge');
  }
}

/** What waits until nothing is being compiled in the background, some 0.01 ms; null where V8 does not offer it. */
function compilersOf(vm: VmModule, v8: V8Module): (() => void) | null {
  // V8 throws code away that has not run for long, and parses it again: the syntax must be allowed at every call.
  const wait = () => {
    v8.setFlagsFromString('--allow-natives-syntax');
    try {
      script.runInThisContext();
    } finally {
      v8.setFlagsFromString('--no-allow-natives-syntax');
    }
  };
  let script = new vm.Script('0');
  try {
    v8.setFlagsFromString('--allow-natives-syntax');
    script = new vm.Script('%FinalizeOptimization()');
    wait();
    return wait;
  } catch {
    return null;
  } finally {
    v8.setFlagsFromString('--no-allow-natives-syntax');
  }
}

/** In a function of its own, so that no register of the caller's keeps the object alive. */
function dropped(): WeakRef<object> {
  return new WeakRef({});
}

/**
 * Collects garbage and tells every device which of its storages have died. Does nothing where that is impossible.
 *
 * @param midLaunch whether a launch may be half built: what it uses is spared, though only its address is left
 */
export function sweep(midLaunch = false): void {
  if (!canSweep()) return;
  const begin = performance.now();
  for (const reference of watched) reference.deref()?.loosen(checkpoint!);
  checkpoint!();
  collectGarbage!();
  nursery?.look(died, midLaunch ? (record) => record.lastUse === clock.now : undefined);
  for (let i = watched.length - 1; i >= 0; i--) {
    const lifetimes = watched[i].deref();
    if (lifetimes === undefined) {
      watched.splice(i, 1);
      continue;
    }
    lifetimes.collect(checkpoint!, midLaunch);
    rearm(lifetimes);
  }
  for (const look of lookers) look();
  // Looking has protected the living until the end of the job, as ever: undo that, for collections that come by themselves.
  checkpoint!();
  costs.add(begin);
  sweepStatistics.count++;
  since = 0;
}

function died(record: StorageRecord): void {
  record.lifetimes!.died(record);
}

/** Collects what is young and tells every device which of its large storages have died. Returns how many bytes of new ones have not. */
export function sweepYoung(): number {
  if (!canSweep() || nursery === null) return 0;
  const begin = performance.now();
  const survived = nursery.sweep(died);
  checkpoint!();
  youngCosts.add(begin);
  sweepStatistics.young++;
  return survived;
}

function rearm(lifetimes: Lifetimes): void {
  lifetimes.floorCount = lifetimes.liveCount;
  lifetimes.floorBytes = lifetimes.liveBytes;
  if (every === null) lookAgain(lifetimes, lifetimes.liveBytes);
  else {
    lifetimes.countCheck = every === 0 ? Infinity : 0;
    lifetimes.bytesCheck = Infinity;
  }
}

function lookAgain(lifetimes: Lifetimes, bytes: number): void {
  lifetimes.countCheck = lifetimes.liveCount + STEP_COUNT;
  lifetimes.bytesCheck = bytes + STEP_BYTES;
}

/** A device has passed one of its marks: sweeps what is due, all or only the young, and sets the next mark. */
export function relieve(lifetimes: Lifetimes, nbytes: number): void {
  if (!canSweep()) {
    lifetimes.countCheck = lifetimes.bytesCheck = Infinity;
    return;
  }
  if (every !== null) {
    if (++since < every) return;
    since = 0;
    if (onlyYoung) sweepYoung();
    else sweep();
    return;
  }
  if (nursery !== null) relieveYoung(nursery);
  if (isDue(lifetimes, nbytes)) sweep();
  else lookAgain(lifetimes, lifetimes.liveBytes + nbytes);
}

function relieveYoung(from: Nursery): void {
  const young = from.newBytes(youngBytes);
  if (young < youngBytes) return;
  if (!youngCosts.havePassed(YOUNG_PATIENCE) && young < Math.max(youngBytes, MANY_YOUNG_BYTES)) return;
  const survived = sweepYoung();
  youngBytes =
    survived > 0.75 * young ? Math.min(2 * youngBytes, MAX_YOUNG_BYTES) : Math.max(YOUNG_BYTES, youngBytes / 2);
}

/**
 * At the end of backward most of what a step has made is dead, and there is next to nothing that a collection of the young would
 * have to copy: a better moment than any in the middle of a step.
 */
export function relieveAtRest(): void {
  if (every === null && nursery !== null && nursery.newBytes(REST_BYTES) >= REST_BYTES) sweepYoung();
}

function isDue(lifetimes: Lifetimes, nbytes: number): boolean {
  const { liveCount, floorCount, floorBytes } = lifetimes;
  const bytes = lifetimes.liveBytes + nbytes;
  const limit = Math.max(MAX_BYTES, MAX_SHARE * floorBytes);
  const cost = costs.least;
  if (cost === Infinity) return true;
  const tolerance = Math.min(MAX_TOLERANCE, Math.max(TOLERANCE, cost / SLOW));
  if (bytes > floorBytes + Math.max(tolerance * MAX_BYTES, limit)) return true;
  if (liveCount > floorCount + Math.max(MAX_COUNT, floorCount)) return true;
  const step = nursery === null ? STEP_BYTES : OLD_BYTES;
  if (bytes <= floorBytes + step && liveCount <= floorCount + STEP_COUNT) return false;
  return costs.havePassed(bytes > floorBytes + limit ? IMPATIENCE : PATIENCE);
}

/**
 * For tests: sweep before every so many allocations, whatever the pressure; 0: only at commit points; null: the usual
 * policy. No figure may depend on it.
 *
 * @param young these sweeps are of the young alone, and every storage takes part in them
 */
export function sweepEvery(allocations: number | null, young = false): void {
  every = allocations;
  onlyYoung = young;
  if (canSweep() && nursery !== null) nursery.least = young ? 0 : LARGE;
  since = 0;
  for (const reference of watched) {
    const lifetimes = reference.deref();
    if (lifetimes !== undefined) rearm(lifetimes);
  }
}

/** A record is used again after its storage was freed exactly; the date of birth tells that from a death. */
interface Birth {
  readonly record: StorageRecord;
  readonly born: number;
}

let registry: FinalizationRegistry<Birth> | null = null;

/** Where sweeps are impossible: have the death of a storage reported between tasks. */
export function reportDeath(storage: object, record: StorageRecord): void {
  registry ??= new FinalizationRegistry(({ record, born }) => {
    if (record.born === born) record.lifetimes?.died(record);
  });
  registry.register(storage, { record, born: record.born });
}
