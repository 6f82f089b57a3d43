/**
 * The families of ops that the package's small entry point has (`torch-mtia/core`): whatever their gradients and each other's
 * code call is among them. The other families are listed in `all.ts`.
 */
import './creation.ts';
import './random.ts';
import './convert.ts';
import './pinned.ts';
import './pointwise.ts';
import './pointwise-more.ts';
import './elementary.ts';
import './activations.ts';
import './reductions.ts';
import './variance.ts';
import './scans.ts';
import './views.ts';
import './views-split.ts';
import './views-strided.ts';
import './join.ts';
import './indexing.ts';
import './gathering.ts';
import './rearrange.ts';
import './compare.ts';
import './linalg.ts';
import './softmax.ts';
import './dropout.ts';
import './losses.ts';
import './cross-entropy.ts';
import './embedding.ts';

export { allOps } from './registry.ts';
