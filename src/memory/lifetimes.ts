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
import { newRecord, recycle, StorageRecord } from './record.ts';
import { canSweep, reportDeath, sweep, sweepIsDue, watch } from './sweep.ts';
import { Trail } from './trail.ts';

export { GraphGroup, joinGroups, newGroup } from './groups.ts';
export { StorageRecord };

/** The log is replayed at the latest after so many allocations of a device … */
const COMMIT_EVERY = 65_536;
/**
 * … up to so many allocations ago. When the log has got long, or a device seems full, the program is in the middle of
 * something, and what its running functions hold is the compiler's decision: no figure may depend on it, so what is young
 * waits: at most a quarter of the log. A step of training makes fewer allocations than that.
 */
const YOUNG = 16_384;
/** Without commit points, records of the dead are dropped when there are more of them than of the living and this. */
const FORGET_EVERY = 8192;

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
  /** Storages alive at the last commit point, then all allocated since: in order of birth. */
  private records: StorageRecord[] = [];
  /** Number of records that the consumer has seen. */
  private committed = 0;
  /** Number of storages that are held until the next sweep, and of those that are known weakly. */
  private unswept = 0;
  private loose = 0;
  /** When `records` gets this long, it is time for a commit, or to forget the dead. */
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
    if (charge > this.budget || this.records.length >= this.lengthCheck) this.commitOld();
    if (charge > this.budget) this.replayOrThrow(0);
    if (this.liveCount >= this.countCheck || this.liveBytes + nbytes > this.bytesCheck) {
      if (sweepIsDue(this, nbytes)) this.sweep();
    }
    clock.now++;
    const record = newRecord(this, nbytes, this.stream);
    if (this.witness !== null) record.trail = this.witness.allocated();
    this.records.push(record);
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

  /** As `attach`, where there are no sweeps: someone else reports its death by `died`. */
  attachWithoutSweeps(record: StorageRecord, address: number): void {
    record.address = address;
  }

  /** The storage of a record could not be made: as if it had never been asked for. */
  abandon(record: StorageRecord): void {
    this.bury(record);
    record.exact = true;
    this.budget += record.charge;
    if (!record.accepted && this.records.at(-1) === record) recycle(this.records.pop()!);
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
    if (last !== undefined && last.stream === stream && (this.records.at(-1)?.born ?? 0) <= last.at) {
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
  }

  /** Before a collection: lets go of the storages allocated since the last one. `pause` is called now and then. */
  loosen(pause: () => void): void {
    const { records, unswept } = this;
    // Most of those that are not freed yet are at the end.
    for (let i = records.length - 1, left = unswept; left > 0; i--) {
      const record = records[i];
      if (record.fresh === null) continue;
      record.reference = new WeakRef(record.fresh);
      record.fresh = null;
      if ((--left & 255) === 0) pause();
    }
    this.loose += unswept;
    this.unswept = 0;
  }

  /** Sweeps have turned out to be impossible: lets go of all storages and has their deaths reported. */
  waitForReports(): void {
    for (const record of this.records) {
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
    const records = this.records;
    for (let i = 0, left = this.loose; left > 0; i++) {
      const record = records[i];
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
    this.replayOrThrow(Math.min(YOUNG, (this.records.length - this.committed) >> 2));
  }

  private replayOrThrow(young: number): void {
    const failure = this.replay(young);
    if (failure === null) return;
    this.consumer!.announceFailures?.();
    throw foundLate(failure);
  }

  /** The records of storages not known to be dead, in order of birth. */
  living(): StorageRecord[] {
    return this.records.filter((record) => record.live);
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
    const { records, consumer, committed } = this;
    if (consumer === null) {
      this.forgetAll();
      return null;
    }
    this.witness?.settle(0);
    if (this.crossesStreams) this.streams?.look();
    const fresh = records.length - committed;
    const limit = Math.max(0, fresh - young);
    // Counting sort of the dead by the number of allocations that precede their free. Ties stay in order of birth.
    const dead = new Int32Array(records.length - this.liveCount);
    const slots = new Int32Array(dead.length);
    const starts = new Int32Array(fresh + 2);
    for (let i = 0, found = 0; found < dead.length; i++) {
      const record = records[i];
      if (record.live) continue;
      const slot = this.slot(record.lastNeeded(), Math.max(i - committed + 1, 0));
      dead[found] = i;
      slots[found++] = slot;
      starts[slot + 1]++;
    }
    for (let slot = 0; slot <= fresh; slot++) starts[slot + 1] += starts[slot];
    const order = new Int32Array(dead.length);
    const ends = starts.slice();
    for (let at = 0; at < dead.length; at++) order[ends[slots[at]]++] = dead[at];

    let failure: Error | null = null;
    let told = 0;
    for (let slot = 0; slot <= limit; slot++) {
      for (let at = starts[slot]; at < starts[slot + 1]; at++) {
        const record = records[order[at]];
        if (record.accepted) consumer.free(record);
        recycle(record);
      }
      if (slot === limit) break;
      const record = records[committed + slot];
      if (told < this.waits.length) told = this.tellWaits(told, record.born);
      record.accepted = consumer.allocate(record);
      if (record.accepted) continue;
      record.charge = 0;
      failure ??= consumer.outOfMemory(record);
    }
    if (this.waits.length > 0) {
      if (limit === fresh) told = this.tellWaits(told, Infinity);
      this.waits.splice(0, told);
    }
    this.committed = committed + limit;
    this.forget(dead, slots, limit);
    for (const act of this.afterReplay.splice(0)) act();
    this.lengthCheck = records.length + COMMIT_EVERY;
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
    const { records, committed } = this;
    // Nothing is left that it has not seen, the usual case.
    if (committed === records.length && records.length === this.liveCount) return headroom;
    for (let i = 0; i < records.length; i++) {
      const { charge, exact, accepted, uses } = records[i];
      if (i < committed) {
        if (exact && accepted && uses === null) headroom += charge;
      } else if (!exact || uses !== null) headroom -= charge;
    }
    return headroom;
  }

  /** How many of the allocations since the last commit come before a free of this date; at least `from` do. */
  private slot(date: number, from: number): number {
    const { records, committed } = this;
    const fresh = records.length - committed;
    // Most storages die soon after they were last needed, so look near first.
    let step = 1;
    let low = from;
    while (low < fresh && records[committed + low].born <= date) {
      low += step;
      step *= 2;
    }
    let high = Math.min(low, fresh);
    low = Math.max(from, low - (step >> 1));
    while (low < high) {
      const middle = (low + high) >> 1;
      if (records[committed + middle].born <= date) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Takes the dead off the log, those whose free has a slot beyond `limit` excepted. Their records may be in use again. */
  private forget(dead: Int32Array, slots: Int32Array, limit: number): void {
    if (dead.length === 0) return;
    const { records, committed } = this;
    let kept = dead[0];
    for (let i = kept, at = 0; i < records.length; i++) {
      const record = records[i];
      if (at === dead.length || dead[at] !== i || slots[at] > limit) {
        records[kept++] = record;
        if (at < dead.length && dead[at] === i) at++;
        continue;
      }
      at++;
      if (i < committed) this.committed--;
    }
    records.length = kept;
  }

  /** Drops the records of the dead where nobody makes figures of them. */
  private forgetAll(): void {
    const records = this.records;
    let kept = 0;
    for (const record of records) {
      if (record.live) records[kept++] = record;
      else recycle(record);
    }
    records.length = kept;
    this.lengthCheck = 2 * kept + FORGET_EVERY;
  }
}
