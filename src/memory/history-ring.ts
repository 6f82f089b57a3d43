/**
 * The ring of events behind the memory history: the newest `capacity` of them, in typed arrays, so that an event costs
 * some 45 bytes and leaves nothing to collect. It grows as events come: a capacity of 2^53 takes no memory.
 */

const PAGE_BITS = 12;
const PAGE = 1 << PAGE_BITS;

/** So many events. */
class Page {
  readonly actions = new Uint8Array(PAGE);
  readonly addresses = new Float64Array(PAGE);
  readonly sizes = new Float64Array(PAGE);
  readonly times = new Float64Array(PAGE);
  readonly pools = new Float64Array(PAGE);
  readonly streams = new Int32Array(PAGE);
  readonly stacks = new Int32Array(PAGE);
  readonly labels = new Int32Array(PAGE);
}

export type EventVisitor = (
  action: number,
  address: number,
  size: number,
  stream: number,
  time: number,
  stack: number,
  label: number,
  pool: number,
) => void;

export class EventRing {
  /** Events held. */
  length = 0;
  /** Whether events have been overwritten since it was last cleared. */
  overflowed = false;
  #pages: Page[] = [];
  /** Where the next event goes once the ring is full: the oldest is there. */
  #next = 0;
  #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  push(
    action: number,
    address: number,
    size: number,
    stream: number,
    time: number,
    stack: number,
    label: number,
    pool: number,
  ): void {
    let slot = this.length;
    if (slot < this.#capacity) {
      if (slot >>> PAGE_BITS === this.#pages.length) this.#pages.push(new Page());
      this.length = slot + 1;
    } else {
      slot = this.#next;
      this.#next = slot + 1 === this.#capacity ? 0 : slot + 1;
      this.overflowed = true;
    }
    const page = this.#pages[slot >>> PAGE_BITS];
    const at = slot & (PAGE - 1);
    page.actions[at] = action;
    page.addresses[at] = address;
    page.sizes[at] = size;
    page.times[at] = time;
    page.pools[at] = pool;
    page.streams[at] = stream;
    page.stacks[at] = stack;
    page.labels[at] = label;
  }

  clear(): void {
    this.#pages = [];
    this.length = 0;
    this.#next = 0;
    this.overflowed = false;
  }

  /** Holds at most so many events from now on, and of those there are the newest. */
  resize(capacity: number): void {
    if (capacity === this.#capacity) return;
    if (this.#next === 0 && this.length <= capacity) {
      this.#capacity = capacity;
      return;
    }
    const old = new EventRing(this.#capacity);
    old.#pages = this.#pages;
    old.length = this.length;
    old.#next = this.#next;
    const overflowed = this.overflowed || this.length > capacity;
    this.clear();
    this.#capacity = capacity;
    old.each((...event) => this.push(...event), Math.max(0, old.length - capacity));
    this.overflowed = overflowed;
  }

  /** Visits the events, oldest first. @param from how many of the oldest are left out */
  each(visit: EventVisitor, from = 0): void {
    for (let i = from; i < this.length; i++) {
      const wrapped = this.#next + i;
      const slot = wrapped >= this.length ? wrapped - this.length : wrapped;
      const page = this.#pages[slot >>> PAGE_BITS];
      const at = slot & (PAGE - 1);
      visit(
        page.actions[at],
        page.addresses[at],
        page.sizes[at],
        page.streams[at],
        page.times[at],
        page.stacks[at],
        page.labels[at],
        page.pools[at],
      );
    }
  }
}
