/**
 * Lifetimes of one device's storages: a log of allocations and dated frees.
 *
 * JavaScript does not say when the last reference to an object goes. So a storage is freed at the latest of its last
 * use, the last moment at which the framework held it, and the last commit point that found it reachable. Sweeps
 * find storages that died and give their backing store back; only at commit points is the log replayed, in the order of
 * dates, into the consumer that makes figures of it. What the replay has covered is final.
 *
 * Every date follows from what the program did, never from when a collector ran: figures are the same in every run.
 */
import { clock } from './clock.ts';
import { Log } from './log.ts';
import { newRecord, recycle, RETIRED, StorageRecord } from './record.ts';
import { canSweep, nursery, relieve, reportDeath, sweep, watch } from './sweep.ts';
import { Trail } from './trail.ts';

export { GraphGroup, joinGroups, newGroup } from './groups.ts';
export { StorageRecord };

/** The log is replayed at the latest after so many allocations of a device … */
const COMMIT_EVERY = 262_144;
/**
 * … up to so many allocations ago. When the log has got long, or a device seems full, the program is in the middle of
 * something, and what its running functions hold is the compiler's decision: no figure may depend on it, so what is young
 * waits: at most a quarter of the log. A step of training makes fewer allocations than that.
 */
const YOUNG = 16_384;
/** Without commit points, records of the dead are dropped when there are more of them than of the living and this. */
const FORGET_EVERY = 8192;

/** Ends a list of numbers. */
const NONE = -1;

const UNCOLLECTED =
  ' Tensors that were dropped are collected between tasks only in this environment: `await` something between steps, ' +
  'or put each step in torch.scope(() => …).';

/** The error of an operation that has long returned: the stack is that of whoever made the log final. */
function foundLate(error: Error): Error {
  return amended(
    error,
    ' The operation has returned since: that it had no room was found when the log was made final.',
  );
}

/** The error of a full device or backing store says, where there are no sweeps, what to do. */
export function explained(error: Error): Error {
  return canSweep() ? error : amended(error, UNCOLLECTED);
}

function amended(error: Error, more: string): Error {
  const { message, stack } = error;
  error.message = message + more;
  // What is printed of an error that nobody catches.
  if (stack !== undefined) error.stack = stack.replace(message, () => error.message);
  return error;
}

/** Makes figures of the log: the plain counter, or an allocator. It sees allocations and frees in the order of dates. */
export interface Consumer {
  /** What an allocation of so many bytes takes, rounding included. */
  charge(nbytes: number): number;
  /** False if there is no room; the record is then not counted, and its free is not reported. */
  allocate(record: StorageRecord): boolean;
  free(record: StorageRecord): void;
  /** What can be charged without fail after what it has seen. */
  readonly headroom: number;
  /** The error for a record that had no room, to be made right after `allocate` said so. */
  outOfMemory(record: StorageRecord): Error;
  /**
   * Called before such an error is thrown, when the log is in order again: whoever is told of the failure here may read
   * figures and take snapshots.
   */
  announceFailures?(): void;
  /**
   * The host has waited for a stream (null: for all of them), in order with the allocations: what the stream was given up
   * to the date `upTo` has run.
   */
  waited?(stream: number | null, upTo: number): void;
  /** A stream was, or may have been, given work between two dates: of what lies between two allocations or frees, too. */
  given?(stream: number, from: number, to: number): void;
  /** Where a record that it has seen lies on the device. */
  addressOf?(record: StorageRecord): number;
}

/** Sees where the program allocates and frees, while the memory history is recorded. */
export interface Witness {
  allocated(): Trail;
  freed(trail: Trail): void;
  /** What it has said so far is about to be needed. */
  settle(from: number): void;
}

/** Knows what the device's streams are given. */
export interface StreamWatch {
  /** Tells `streamGiven` what has been given to them since the last look. */
  look(): void;
  /** Streams with work that the host has not waited for. */
  busy(): Iterable<number>;
}

/** The same for memory elsewhere that copies of this device use. */
export interface StreamListener {
  waited(stream: number | null, upTo: number): void;
  given(stream: number, from: number, to: number): void;
}

/** The host waited, after the allocation dated `at` and before the next. */
interface Wait {
  readonly stream: number | null;
  upTo: number;
  at: number;
}

export class Lifetimes {
  /** Storages that the consumer has seen and whose free it has not, in order of birth. */
  private readonly seen: StorageRecord[] = [];
  /** How many of these are known to be dead. */
  private seenDead = 0;
  /** All allocated since. */
  private readonly log = new Log();
  /** Number of storages that are held until the next sweep, and of those that are known weakly. */
  private unswept = 0;
  private loose = 0;
  /** When the log gets this long, it is time for a commit, or to forget the dead. */
  private lengthCheck: number;
  /** What the consumer would surely still take, if nothing but exact frees happened since the last commit. */
  private budget: number;
  /** Storages and bytes not known to be dead. */
  liveCount = 0;
  liveBytes = 0;
  /** The largest `liveBytes` there has been: what the backing store had to hold. */
  peakBytes = 0;
  /** The same as of the last sweep. */
  floorCount = 0;
  floorBytes = 0;
  /** Above these, `begin` asks whether a sweep is due. */
  countCheck = 0;
  bytesCheck = 0;
  /** The stream that allocations are made for from now on. */
  stream = 0;
  /** null: no history is recorded. */
  witness: Witness | null = null;
  /** Told of all that streams are given, and of every wait. */
  streamListener: StreamListener | null = null;
  /** null while nobody has used a stream. */
  streams: StreamWatch | null = null;
  /**
   * What is to be done once the log has been replayed, such as giving up a pool whose owner was found to be dead: whenever
   * that was found, it takes effect at the same point.
   */
  readonly afterReplay: (() => void)[] = [];
  /** Waits that the consumer has not been told of. */
  private waits: Wait[] = [];
  /** Whether some storage was used on a stream other than its own: only then do waits matter. */
  private crossesStreams = false;

  /**
   * @param consumer null where no figures are wanted (cpu): then there are no commit points either
   * @param reclaim gives the backing store of a dead storage back
   */
  constructor(
    readonly consumer: Consumer | null,
    private readonly reclaim: (record: StorageRecord) => void,
  ) {
    this.budget = consumer === null ? Infinity : consumer.headroom;
    this.lengthCheck = consumer === null ? FORGET_EVERY : COMMIT_EVERY;
    watch(this);
  }

  /**
   * Enters an allocation into the log. `attach` or `abandon` must follow.
   * @throws OutOfMemoryError if the consumer has no room for it, or none for an earlier one that nobody noticed yet
   */
  begin(nbytes: number): StorageRecord {
    const consumer = this.consumer;
    let charge = 0;
    if (consumer !== null) charge = consumer.charge(nbytes);
    if (charge > this.budget || this.log.count >= this.lengthCheck) this.commitOld();
    if (charge > this.budget) this.replayOrThrow(0);
    if (this.liveCount >= this.countCheck || this.liveBytes + nbytes > this.bytesCheck) {
      relieve(this, nbytes);
    }
    clock.now++;
    const record = newRecord(this, nbytes, this.stream);
    if (this.witness !== null) record.trail = this.witness.allocated();
    this.log.push(record);
    this.liveCount++;
    this.liveBytes += nbytes;
    if (this.liveBytes > this.peakBytes) this.peakBytes = this.liveBytes;
    record.charge = charge;
    if (charge > this.budget) this.settle(record);
    else this.budget -= charge;
    return record;
  }

  /** The storage of a record exists now, at this address. It is held until the next sweep, and weakly from then on. */
  attach(record: StorageRecord, storage: object, address: number): void {
    record.address = address;
    record.fresh = storage;
    this.unswept++;
  }

  /**
   * As `attach`, of a large storage where sweeps of the young are possible: what is returned must live as long as the storage
   * and be held by it alone. null: `attach` it.
   */
  attachYoung(record: StorageRecord, address: number): object | null {
    if (nursery === null || record.nbytes < nursery.least) return null;
    record.address = address;
    return nursery.add(record);
  }

  /** A storage has left the nursery: sweeps ask this reference whether it is alive. */
  watchWeakly(record: StorageRecord, reference: WeakRef<object>): void {
    record.reference = reference;
    this.loose++;
  }

  /** As `attach`, where there are no sweeps: someone else reports its death by `died`. */
  attachWithoutSweeps(record: StorageRecord, address: number): void {
    record.address = address;
  }

  /** The storage of a record could not be made: as if it had never been asked for. */
  abandon(record: StorageRecord): void {
    this.bury(record);
    record.exact = true;
    this.budget += record.charge;
    if (record.position < 0) return;
    if (record.position === this.log.count - 1) {
      this.log.pop();
      recycle(record);
    } else this.close(record);
  }

  /** Exact free, now: nothing uses or holds the storage any more. Launches already submitted may still run with it. */
  free(record: StorageRecord): void {
    if (!record.live) return;
    const crosses = record.uses !== null;
    if (crosses) this.streams?.look();
    record.lastUse = clock.now;
    record.dropOwner();
    record.dropSavers();
    this.drop(record);
    if (!crosses) return;
    // What the streams are given from here on comes after the free.
    clock.now++;
    this.streams?.look();
  }

  /** As `free`, but nothing has used it since its last use: the free has that date. */
  drop(record: StorageRecord): void {
    if (!record.live) return;
    this.bury(record);
    record.exact = true;
    if (this.witness !== null) this.witness.freed((record.trail ??= new Trail()));
    this.reclaim(record);
    if (record.uses === null) this.budget += record.charge;
    this.close(record);
  }

  /** `record_stream`: a launch on another stream uses the storage too, and its free has to wait for that stream. */
  recordStream(record: StorageRecord, stream: number): void {
    if (stream === record.stream || !record.live) return;
    if (!this.crossesStreams) this.follow();
    // The program has the storage still: its free is not dated before this.
    record.lastUse = clock.now;
    if (record.uses === null) record.uses = [stream];
    else if (!record.uses.includes(stream)) record.uses.push(stream);
  }

  /** From now on it matters what streams are given, and what the host waits for. */
  private follow(): void {
    this.crossesStreams = true;
    if (this.streams === null) return;
    this.streams.look();
    for (const stream of this.streams.busy()) this.consumer?.given?.(stream, clock.now, clock.now);
  }

  /** Whether anybody wants to know what streams are given. */
  get followsStreams(): boolean {
    return this.crossesStreams || this.streamListener !== null;
  }

  /** A stream was, or may have been, given work between two dates (`clock.now`). */
  streamGiven(stream: number, from: number, to: number): void {
    if (this.streamListener !== null) this.streamListener.given(stream, from, to);
    if (this.crossesStreams) this.consumer?.given?.(stream, from, to);
  }

  /**
   * The host has waited for a stream, null for all streams of the device.
   * @param upTo the date (`clock.now`) of the last work that it has waited for; by default all there is
   */
  hostWaited(stream: number | null, upTo: number = clock.now): void {
    if (this.streamListener !== null) this.streamListener.waited(stream, upTo);
    if (!this.crossesStreams) return;
    const last = this.waits.at(-1);
    // Between two allocations only the last wait for a stream matters.
    if (last !== undefined && last.stream === stream && this.log.lastBorn() <= last.at) {
      last.upTo = Math.max(last.upTo, upTo);
      last.at = clock.now;
    } else this.waits.push({ stream, upTo, at: clock.now });
    // What is used and freed from here on comes after the wait.
    if (upTo === clock.now) clock.now++;
  }

  /** A storage was found to be unreachable. The log will date its free; until then no figure changes. */
  died(record: StorageRecord): void {
    if (!record.live) return;
    this.bury(record);
    this.reclaim(record);
    this.close(record);
  }

  /** A dead record of the log has served, if no more than its dates and its kind will be asked for. */
  private close(record: StorageRecord): void {
    if (record.position < 0) return;
    if (this.consumer === null) this.log.drop(record);
    else this.log.close(record);
  }

  /** Before a collection: lets go of the storages allocated since the last one. `pause` is called now and then. */
  loosen(pause: () => void): void {
    const { seen, log, unswept } = this;
    // Most of those that are not freed yet are at the end.
    for (let i = seen.length + log.count - 1, left = unswept; i >= 0 && left > 0; i--) {
      const record = i < seen.length ? seen[i] : log.recordAt(i - seen.length);
      if (record === null || record.fresh === null) continue;
      record.reference = new WeakRef(record.fresh);
      record.fresh = null;
      if ((--left & 255) === 0) pause();
    }
    this.loose += unswept;
    this.unswept = 0;
  }

  /** Sweeps have turned out to be impossible: lets go of all storages and has their deaths reported. */
  waitForReports(): void {
    for (const record of this.living()) {
      if (record.fresh !== null) reportDeath(record.fresh, record);
      record.fresh = null;
    }
    this.unswept = 0;
  }

  /**
   * After a collection: looks which storages have died. `midLaunch` as in `sweep`; `pause` is called now and then, since
   * whatever is found alive is remembered by the engine until then.
   */
  collect(pause: () => void, midLaunch = false): void {
    const { seen, log } = this;
    const count = seen.length + log.count;
    for (let i = 0, left = this.loose; i < count && left > 0; i++) {
      const record = i < seen.length ? seen[i] : log.recordAt(i - seen.length);
      if (record === null) continue;
      const reference = record.reference;
      if (reference === null) continue;
      if ((--left & 1023) === 0) pause();
      if (reference.deref() !== undefined) continue;
      if (midLaunch && record.lastUse === clock.now) continue;
      this.died(record);
    }
    if (this.consumer === null) this.forgetAll();
  }

  /** Finds dead storages now and gives their backing store back; no figure changes. `midLaunch` as in `sweep`. */
  sweep(midLaunch = false): void {
    sweep(midLaunch);
  }

  /**
   * A commit point: finds dead storages, replays the log and makes it final.
   * @throws OutOfMemoryError if an allocation in the log had no room; the log is final nevertheless
   */
  commit(): void {
    if (this.consumer !== null) sweep();
    this.replayOrThrow(0);
  }

  /** A commit point of our own accord: makes final what is not young. */
  private commitOld(): void {
    if (this.consumer !== null) sweep();
    this.replayOrThrow(Math.min(YOUNG, this.log.count >> 2));
  }

  private replayOrThrow(young: number): void {
    const failure = this.replay(young);
    if (failure === null) return;
    this.consumer!.announceFailures?.();
    throw foundLate(failure);
  }

  /** The records of storages not known to be dead, in order of birth. */
  living(): StorageRecord[] {
    const living = this.seen.filter((record) => record.live);
    for (let i = 0; i < this.log.count; i++) {
      const record = this.log.recordAt(i);
      if (record?.live) living.push(record);
    }
    return living;
  }

  /** The consumer allows more or less than before. To be called right after a commit. */
  limitsChanged(): void {
    if (this.consumer !== null) this.budget = this.consumer.headroom;
  }

  /** Asks the consumer about an allocation that may be too much. A commit point has just passed. */
  private settle(record: StorageRecord): void {
    const failure = this.replay();
    if (failure === null) return;
    this.bury(record);
    this.consumer!.announceFailures?.();
    throw explained(failure);
  }

  private bury(record: StorageRecord): void {
    record.live = false;
    if (record.position < 0) this.seenDead++;
    if (record.fresh !== null) {
      record.fresh = null;
      this.unswept--;
    } else if (record.reference !== null) {
      record.reference = null;
      this.loose--;
    }
    this.liveCount--;
    this.liveBytes -= record.nbytes;
  }

  /**
   * Allocations and back-dated frees since the last commit, in order, but for the last `young` allocations and what came
   * after the first of them. Returns the first failure, or null.
   */
  private replay(young = 0): Error | null {
    const { seen, log, consumer } = this;
    if (consumer === null) {
      this.forgetAll();
      return null;
    }
    this.witness?.settle(0);
    if (this.crossesStreams) this.streams?.look();
    const limit = Math.max(0, log.count - young);
    // Lists of the dead by the number of allocations that precede their free, each in order of birth: what the consumer has
    // seen by its index, then the log. Made from the end.
    const first = new Int32Array(limit + 1).fill(NONE);
    const next = new Int32Array(seen.length + limit);
    for (let i = limit - 1; i >= 0; i--) {
      const date = log.endOf(i);
      if (date === 0) continue;
      const slot = log.before(date, i + 1);
      if (slot > limit) continue;
      next[seen.length + i] = first[slot];
      first[slot] = seen.length + i;
    }
    const dead = new Int32Array(this.seenDead);
    for (let i = 0, found = 0; found < dead.length; i++) if (!seen[i].live) dead[found++] = i;
    for (let at = dead.length - 1; at >= 0; at--) {
      const i = dead[at];
      const slot = log.before(seen[i].lastNeeded(), 0);
      if (slot > limit) continue;
      next[i] = first[slot];
      first[slot] = i;
    }

    let failure: Error | null = null;
    let told = 0;
    let freed = 0;
    for (let slot = 0; slot <= limit; slot++) {
      for (let at = first[slot]; at !== NONE; at = next[at]) {
        if (at < seen.length) {
          const record = seen[at];
          if (record.accepted) consumer.free(record);
          recycle(record);
          // Marks it for `forget`.
          seen[at] = RETIRED;
          freed++;
        } else {
          const record = log.restore(at - seen.length);
          if (record.accepted) consumer.free(record);
          log.retire(at - seen.length);
        }
      }
      if (slot === limit) break;
      const record = log.restore(slot);
      if (told < this.waits.length) told = this.tellWaits(told, record.born);
      record.accepted = consumer.allocate(record);
      if (record.accepted) continue;
      record.charge = 0;
      failure ??= consumer.outOfMemory(record);
    }
    if (this.waits.length > 0) {
      if (limit === log.count) told = this.tellWaits(told, Infinity);
      this.waits.splice(0, told);
    }
    this.forget(freed);
    const before = seen.length;
    log.shift(limit, seen);
    for (let i = before; i < seen.length; i++) if (!seen[i].live) this.seenDead++;
    for (const act of this.afterReplay.splice(0)) act();
    this.lengthCheck = log.count + COMMIT_EVERY;
    this.budget = this.budgetAfter(consumer.headroom);
    return failure;
  }

  /** Tells the consumer of waits before a date, from the one numbered `from` on; returns the number of the next. */
  private tellWaits(from: number, date: number): number {
    for (; from < this.waits.length && this.waits[from].at < date; from++) {
      const { stream, upTo } = this.waits[from];
      this.consumer!.waited?.(stream, upTo);
    }
    return from;
  }

  /** What is left of the headroom after what the consumer has yet to see. */
  private budgetAfter(headroom: number): number {
    const { seen, log } = this;
    for (let i = 0; i < log.count; i++) headroom -= log.openCharge(i);
    if (this.seenDead === 0) return headroom;
    for (const { live, charge, exact, accepted, uses } of seen) {
      if (!live && exact && accepted && uses === null) headroom += charge;
    }
    return headroom;
  }

  /** Takes those off the list of what the consumer has seen that it has seen go. */
  private forget(count: number): void {
    if (count === 0) return;
    const { seen } = this;
    let kept = 0;
    for (let i = 0; i < seen.length; i++) if (seen[i] !== RETIRED) seen[kept++] = seen[i];
    seen.length = kept;
    this.seenDead -= count;
  }

  /** Drops the dead where nobody makes figures of them. */
  private forgetAll(): void {
    this.log.compact();
    this.lengthCheck = 2 * this.log.count + FORGET_EVERY;
  }
}
