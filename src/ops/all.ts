/** Loads every family of ops, in the order in which they are listed. */
import './creation.ts';
import './random.ts';
import './convert.ts';
import './pinned.ts';
import './pointwise.ts';
import './pointwise-more.ts';
import './reductions.ts';
import './variance.ts';
import './scans.ts';
import './views.ts';
import './views-split.ts';
import './views-strided.ts';
import './views-inplace.ts';
import './join.ts';
import './indexing.ts';
import './gathering.ts';
import './compare.ts';
import './linalg.ts';
import './softmax.ts';
import './losses.ts';
import './cross-entropy.ts';
import './embedding.ts';

export { allOps } from './registry.ts';
