/**
 * Autograd graphs as far as memory is concerned: nodes joined through non-leaf edges share one number, the date at
 * which their graph was last touched. Nodes hold a GraphGroup; joining two graphs is a union of sets.
 */
import { clock } from './clock.ts';

export class GraphGroup {
  private parent: GraphGroup | null = null;
  private date = clock.now;

  /** The member that stands for the whole set. Shortens the path to it on the way, so that it stays cheap. */
  root(): GraphGroup {
    let root: GraphGroup = this;
    while (root.parent !== null) root = root.parent;
    let at: GraphGroup = this;
    while (at.parent !== null) {
      const next: GraphGroup = at.parent;
      at.parent = root;
      at = next;
    }
    return root;
  }

  /** Something that hangs on this graph was just added or read. */
  touch(): void {
    (this.parent === null ? this : this.root()).date = clock.now;
  }

  /** Joins another graph to this one: from now on both were last touched when the later of them was. */
  merge(other: GraphGroup): void {
    const mine = this.root();
    const theirs = other.root();
    if (mine === theirs) return;
    if (theirs.date > mine.date) mine.date = theirs.date;
    theirs.parent = mine;
  }

  /** When the graph that this node is part of by now was last touched. */
  get lastTouched(): number {
    return this.root().date;
  }
}

export function newGroup(): GraphGroup {
  return new GraphGroup();
}

/** Joins two graphs, either of which may be missing, and returns the one they are now. */
export function joinGroups(a: GraphGroup, b: GraphGroup | null): GraphGroup;
export function joinGroups(a: GraphGroup | null, b: GraphGroup): GraphGroup;
export function joinGroups(a: GraphGroup | null, b: GraphGroup | null): GraphGroup | null;
export function joinGroups(a: GraphGroup | null, b: GraphGroup | null): GraphGroup | null {
  if (a === null) return b;
  if (b !== null) a.merge(b);
  return a.root();
}
