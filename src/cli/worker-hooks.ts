/** Imported first by the threads that load data for a program under `mtia run`: the same hooks as in its own thread. */
import { installHooks } from './install-hooks.ts';

// The importing thread waits for this.
export const ready: Promise<void> = installHooks();
