/**
 * Frees that wait: blocks used on streams other than their own, until these have passed the events recorded at the free.
 */
import type { Allocator } from './allocator.ts';
import { PENDING, POOL, USED_ELSEWHERE, WORDS } from './blocks.ts';
import { EventQueue, type StreamEvents } from './events.ts';
import type { PrivatePool } from './pools.ts';

export class PendingFrees {
  /** Events not yet passed, and frees deferred until no capture is under way. */
  waiting = 0;
  /** By stream, in order of their first events. */
  private readonly queues: EventQueue[] = [];
  /** Streams that used a block beside its own; those that did so during a capture. */
  private readonly uses = new Map<number, Set<number>>();
  private readonly capturedUses = new Map<number, Set<number>>();
  /** Freed during a capture. */
  private readonly deferred = new Set<number>();

  constructor(
    private readonly allocator: Allocator,
    private readonly events: StreamEvents,
  ) {}

  recordStream(block: number, stream: number): void {
    this.allocator.blocks.flags[block] |= USED_ELSEWHERE;
    addTo(this.uses, block, stream);
    if (this.allocator.capturing) addTo(this.capturedUses, block, stream);
  }

  /** A block that other streams used was freed. */
  free(block: number): void {
    if (this.allocator.capturing) {
      this.deferred.add(block);
      this.waiting++;
    } else this.insertEvents(block);
  }

  /** Caches the blocks whose events have passed; nothing is asked during a capture. */
  process(): void {
    if (this.allocator.capturing) return;
    this.insertDeferred();
    for (const queue of this.queues) {
      while (queue.length > 0 && this.events.done(queue.stream, queue.ticketAt(0))) this.passed(queue, 0);
    }
  }

  /** Waits for all events, or for those of a private pool's blocks, and caches the blocks. */
  synchronize(owner: PrivatePool | null): void {
    const { blocks, pools, statistics } = this.allocator;
    statistics.numSyncAllStreams++;
    this.insertDeferred();
    for (const queue of this.queues) {
      for (let at = 0; at < queue.length; ) {
        const pool = pools[blocks.words[queue.blockAt(at) * WORDS + POOL]];
        if (owner !== null && pool.owner !== owner) at++;
        else {
          this.events.wait(queue.stream, queue.ticketAt(at));
          this.passed(queue, at);
        }
      }
    }
  }

  /** All events of a block have passed, whatever is said of them. */
  complete(block: number): void {
    for (const queue of this.queues) {
      for (let at = queue.length - 1; at >= 0; at--) if (queue.blockAt(at) === block) this.passed(queue, at);
    }
  }

  /** Records an event on each stream that used a freed block. */
  private insertEvents(block: number): void {
    const { flags, events } = this.allocator.blocks;
    for (const stream of this.uses.get(block) ?? []) {
      let queue = this.queues.find((candidate) => candidate.stream === stream);
      if (queue === undefined) this.queues.push((queue = new EventQueue(stream)));
      queue.push(this.events.record(stream), block);
      events[block]++;
      flags[block] |= PENDING;
      this.waiting++;
    }
    this.uses.delete(block);
    this.capturedUses.delete(block);
    flags[block] &= ~USED_ELSEWHERE;
  }

  /** Frees made during a capture, now that none is under way. What was recorded within captures has ended with them. */
  private insertDeferred(): void {
    for (const block of this.deferred) {
      for (const stream of this.capturedUses.get(block) ?? []) this.uses.get(block)?.delete(stream);
      this.insertEvents(block);
      if (this.allocator.blocks.events[block] === 0) this.allocator.cacheFreed(block);
    }
    this.waiting -= this.deferred.size;
    this.deferred.clear();
  }

  private passed(queue: EventQueue, at: number): void {
    const { flags, events } = this.allocator.blocks;
    const block = queue.blockAt(at);
    queue.remove(at);
    this.waiting--;
    if (--events[block] > 0) return;
    flags[block] &= ~PENDING;
    this.allocator.cacheFreed(block);
  }
}

function addTo(map: Map<number, Set<number>>, block: number, stream: number): void {
  const streams = map.get(block);
  if (streams === undefined) map.set(block, new Set([stream]));
  else streams.add(stream);
}
