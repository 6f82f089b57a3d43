/**
 * What comes before what on streams, by vector clocks: accesses are numbered, and each stream knows, of every stream, the
 * last access that comes before all that it is given from now on. The host is a stream of its own: what it has done comes
 * before all launches that follow, but it knows of a stream's work only what it has waited for.
 */

/** The number of the host among the streams. */
export const HOST = 0;

/** By number of the stream: the last access that is known to come before. Absent: none. */
export type State = readonly number[];

export class StreamOrder {
  private readonly states: number[][] = [[]];
  private readonly numbers = new Map<number, number>();
  private last = 0;

  /** The number of a stream by the caller's key. A new one comes after all that the host knows. */
  stream(key: number): number {
    let number = this.numbers.get(key);
    if (number === undefined) {
      number = this.states.length;
      this.states.push(this.states[HOST].slice());
      this.numbers.set(key, number);
    }
    return number;
  }

  /** The keys of all streams but the host. */
  keys(): Iterable<number> {
    return this.numbers.keys();
  }

  /** An access by a stream: its number. */
  access(stream: number): number {
    const number = ++this.last;
    this.states[stream][stream] = number;
    return number;
  }

  /** Whether an access, number `access` by stream `by`, comes before what `stream` does next. */
  isBefore(access: number, by: number, stream: number): boolean {
    return by === stream || by === HOST || access <= (this.states[stream][by] ?? 0);
  }

  /** What an event records of a stream. */
  now(stream: number): State {
    return this.states[stream].slice();
  }

  /** What the stream is given from now on comes after a recorded state. */
  wait(stream: number, state: State): void {
    join(this.states[stream], state);
  }

  /** The host waits for a recorded state, and so do all launches that follow. */
  hostWaits(state: State): void {
    for (const own of this.states) join(own, state);
  }

  /** Two streams wait for each other. */
  meet(a: number, b: number): void {
    join(this.states[a], this.states[b]);
    join(this.states[b], this.states[a]);
  }
}

function join(into: number[], state: State): void {
  for (let i = 0; i < state.length; i++) {
    const number = state[i];
    if (number !== undefined && number > (into[i] ?? 0)) into[i] = number;
  }
}
