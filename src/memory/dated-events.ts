/**
 * Events of streams by the dates of the log: an event is complete once the host has waited for its stream up to there, never
 * by the real progress of a device, so that figures are the same in every run.
 */
import type { StreamEvents } from './allocator/events.ts';
import { StreamWork } from './stream-work.ts';

export class DatedEvents implements StreamEvents {
  /** The date that the log is at. */
  now = 0;
  private readonly work = new StreamWork();
  private readonly passed = new Map<number, number>();
  private allPassed = -1;

  /** The ticket is the date of the stream's last work. */
  record(stream: number): number {
    return this.work.upTo(stream, this.now);
  }

  done(stream: number, ticket: number): boolean {
    return ticket <= this.allPassed || ticket <= (this.passed.get(stream) ?? -1);
  }

  /** The allocator itself waits, to have the memory: no launch is delayed by that here. */
  wait(stream: number, ticket: number): void {
    this.waited(stream, ticket);
  }

  /** As `StreamWork.given`. */
  given(stream: number, from: number, to: number): void {
    this.work.given(stream, from, to);
  }

  /** The host has waited for what a stream (null: every stream) was given up to a date. */
  waited(stream: number | null, upTo: number): void {
    if (stream === null) this.allPassed = Math.max(this.allPassed, upTo);
    else this.passed.set(stream, Math.max(upTo, this.passed.get(stream) ?? -1));
  }
}
