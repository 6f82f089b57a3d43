/**
 * When streams had work, by the dates of the log. An event that is recorded on a stream marks the last work that the stream
 * was given: one that has nothing left to do has passed it already.
 */

/** So many spans of a stream are remembered; of what is older, only that there was something. */
const KEPT = 256;
/** The date of a stream that was never given anything: every event on it has passed. */
const NEVER = -1;

export class StreamWork {
  /** By stream: first and last date of each span, in order. */
  private readonly spans = new Map<number, number[]>();

  /** A stream was given work between two dates, or may have been: launches are counted now and then. */
  given(stream: number, from: number, to: number): void {
    let spans = this.spans.get(stream);
    if (spans === undefined) this.spans.set(stream, (spans = []));
    const last = spans.length - 1;
    if (last > 0 && from <= spans[last]) {
      spans[last] = Math.max(to, spans[last]);
      return;
    }
    spans.push(from, to);
    if (spans.length > 2 * KEPT) spans.splice(0, KEPT + 1, Number.NEGATIVE_INFINITY);
  }

  /** The date of the last work that a stream was given by `date`: what an event recorded then waits for. */
  upTo(stream: number, date: number): number {
    const spans = this.spans.get(stream);
    if (spans === undefined) return NEVER;
    let at = spans.length - 2;
    while (at >= 0 && spans[at] > date) at -= 2;
    return at < 0 ? NEVER : Math.min(spans[at + 1], date);
  }
}
