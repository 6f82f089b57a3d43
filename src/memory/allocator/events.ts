/** Events of streams, as far as memory is concerned: a ticket per event, and whether its stream has passed it. */

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
  private tickets: number[] = [];
  private blocks: number[] = [];
  /** Entries at the front that were taken out. */
  private gone = 0;

  constructor(readonly stream: number) {}

  get length(): number {
    return this.tickets.length - this.gone;
  }

  ticketAt(at: number): number {
    return this.tickets[this.gone + at];
  }

  blockAt(at: number): number {
    return this.blocks[this.gone + at];
  }

  push(ticket: number, block: number): void {
    this.tickets.push(ticket);
    this.blocks.push(block);
  }

  /** Takes out an entry; cheap at the front. */
  remove(at: number): void {
    if (at > 0) {
      this.tickets.splice(this.gone + at, 1);
      this.blocks.splice(this.gone + at, 1);
    } else if (++this.gone > 32 && this.gone * 2 > this.tickets.length) {
      this.tickets = this.tickets.slice(this.gone);
      this.blocks = this.blocks.slice(this.gone);
      this.gone = 0;
    }
  }
}
