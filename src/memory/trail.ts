/**
 * Where the program was when it allocated and freed a storage, for the memory history. The allocator gets to both only
 * when the log is replayed, so they are kept with the record until then.
 */
import { ABSENT } from './snapshot/trace.ts';

/** In place of a stack's number: it will be known when the call of the library under way returns. */
export const PENDING = -2;

export class Trail {
  /** Where it was freed, if the program freed it there and such stacks are wanted. */
  freeSite = ABSENT;
  freeLabel = ABSENT;
  /** Microseconds since 1970; 0: nobody saw it go. */
  freeTime = 0;

  constructor(
    /** Where it was allocated: a number of `Stacks`, or ABSENT. */
    public site = ABSENT,
    /** The label that was set then: a number of `History.strings`. */
    readonly label = ABSENT,
    /** Microseconds since 1970; 0: from before the recording. */
    readonly time = 0,
  ) {}
}
