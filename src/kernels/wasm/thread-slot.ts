/** Which thread runs a kernel, for scratch memory of its own within a launch. */
import { LAYOUT, MAX_THREADS } from '../../devices/layout.ts';
import { type Func, i32, type I32, type Local, select } from './emitter.ts';

/** Threads that may share a launch: so many pieces of scratch are always enough, whatever `set_num_threads` says later. */
export const THREAD_SLOTS = MAX_THREADS;

/**
 * A number below THREAD_SLOTS that no other thread has during this launch. Threads that share a launch get their words
 * in a slot of their own; words that lie elsewhere (in the ring) belong to a launch that was not split.
 */
export function threadSlot(f: Func, args: Local<'i32'>): I32 {
  const first = LAYOUT.scratch << 2;
  const slot = f.let(i32.div_u(i32.sub(args, first), LAYOUT.scratchWords << 2));
  return select(i32.lt_u(slot, THREAD_SLOTS), slot, i32.const(0));
}
