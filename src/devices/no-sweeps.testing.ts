/**
 * A program for `no-sweeps.test.ts`: an environment where no sweep can be forced, as in browsers. It prints how much was
 * in use at most with tasks between the steps, and the error of a loop without them.
 *
 * Argument: 'absent' or 'useless', what is wrong with the environment.
 */
import { clock } from '../memory/clock.ts';
import { Counter } from '../memory/counter.ts';
import { canSweep } from '../memory/sweep.ts';
import { FakeBackend } from './fake-backend.testing.ts';
import { allocateStorage, lifetimesOf, setConsumer, touch } from './storage.ts';

// In browsers there is no such function; in some engines there is, but no way to what it would take.
const value = process.argv[2] === 'absent' ? undefined : () => ({});
Object.defineProperty(process, 'getBuiltinModule', { value });

const MIB = 1024 * 1024;

function step(backend: FakeBackend): void {
  const before = clock.now;
  for (let i = 0; i < 4; i++) touch(allocateStorage(backend, MIB));
  // Exact frees go on as ever; their records are used again, and no late report of a death may hit who comes after.
  for (let i = 0; i < 4; i++) allocateStorage(backend, MIB).freeNow();
  if (clock.now !== before + 8) throw new Error('the clock counts allocations');
}

function message(run: () => void): string {
  try {
    run();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

async function main(): Promise<void> {
  const backend = new FakeBackend('mtia');
  // The very first storage, from before anything was known about sweeps.
  const first = new WeakRef(allocateStorage(backend, MIB));
  const kept = Array.from({ length: 100 }, () => allocateStorage(backend, 1000));
  for (let i = 0; i < 500; i++) {
    step(backend);
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  const lifetimes = lifetimesOf(backend)!;
  lifetimes.commit();
  const { peak } = lifetimes.consumer as Counter;
  const gone = first.deref() === undefined;
  const alive = kept.every((storage) => storage.record.live && storage.address > 0);

  const small = new FakeBackend('mtia', 64 * MIB);
  const full = message(() => {
    for (let i = 0; i < 100; i++) step(small);
  });
  const limited = new FakeBackend('mtia');
  setConsumer(limited, new Counter(64 * MIB, 'MTIA', 0));
  const oom = message(() => {
    for (let i = 0; i < 100; i++) step(limited);
  });
  console.log(
    JSON.stringify({ sweeps: canSweep(), inUse: backend.peak / MIB, peak: peak / MIB, alive, gone, full, oom }),
  );
}

void main();
