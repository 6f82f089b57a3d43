/**
 * Frees that wait: a block used on other streams is cached again when these have passed the events recorded at its free.
 */

/** Where the streams of a device are. The caller decides; the allocator only asks. */
export interface StreamEvents {
  /** Records an event on a stream and returns a ticket for it. */
  record(stream: number): number;
  /** Whether the stream has passed it. */
  done(stream: number, ticket: number): boolean;
  /** Waits until it has. */
  wait(stream: number, ticket: number): void;
}

/** Events that pass when they are told to. */
export class ManualEvents implements StreamEvents {
  private readonly recorded = new Map<number, number>();
  private readonly passed = new Map<number, number>();

  record(stream: number): number {
    const ticket = (this.recorded.get(stream) ?? 0) + 1;
    this.recorded.set(stream, ticket);
    return ticket;
  }

  done(stream: number, ticket: number): boolean {
    return ticket <= (this.passed.get(stream) ?? 0);
  }

  wait(stream: number, ticket: number): void {
    this.passed.set(stream, Math.max(ticket, this.passed.get(stream) ?? 0));
  }

  /** The stream has passed all events recorded so far; without one, all streams have. */
  complete(stream?: number): void {
    for (const [at, ticket] of this.recorded) if (stream === undefined || at === stream) this.passed.set(at, ticket);
  }
}

/** One stream's recorded events and the blocks that wait for them, oldest first. */
export class EventQueue {
  readonly tickets: number[] = [];
  readonly blocks: number[] = [];

  constructor(readonly stream: number) {}

  push(ticket: number, block: number): void {
    this.tickets.push(ticket);
    this.blocks.push(block);
  }

  /** Takes out the entry at `at`. */
  remove(at: number): void {
    this.tickets.splice(at, 1);
    this.blocks.splice(at, 1);
  }
}
