/**
 * The one clock by which lifetimes are dated. It counts the allocations of all devices, in program order: frees matter
 * only by where they fall between allocations, so "after allocation n, before n + 1" is all there is to know. Being a
 * count of what the program does, it reads the same in every run.
 */
import { NOWHERE } from './place.ts';

export const clock = {
  /** Number of allocations so far. A use, a release or a free that happens now is dated with it. */
  now: 0,
  /** Name of the operation under way, for messages; whoever dispatches operations sets it. */
  operation: '',
  /** Of the module under way, for messages too; whoever calls modules sets it. */
  place: NOWHERE,
  /** Sizes and the name of the dtype of the tensor that is about to be allocated, for messages; null: it is none. */
  sizes: null as readonly number[] | null,
  dtype: '',
};
