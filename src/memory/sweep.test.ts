/** Sweeps in Node.js: what they need of V8 keeps working, whatever V8 does to it. */
import v8 from 'node:v8';
import { expect, test } from 'vitest';
import { Lifetimes } from './lifetimes.ts';
import { canSweep, sweep } from './sweep.ts';

function forget(lifetimes: Lifetimes): void {
  lifetimes.attach(lifetimes.begin(64), {}, 0);
}

test('they go on when V8 has thrown away code that did not run for long', () => {
  expect(canSweep()).toBe(true);
  const lifetimes = new Lifetimes(null, () => {});
  // It goes at every collection, then.
  v8.setFlagsFromString('--stress-flush-code');
  try {
    for (let round = 0; round < 5; round++) {
      forget(lifetimes);
      sweep();
      expect(lifetimes.liveCount).toBe(0);
    }
  } finally {
    v8.setFlagsFromString('--no-stress-flush-code');
  }
});
