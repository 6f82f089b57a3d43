/** What dead objects leave, where collections can be forced and where not. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Lifetimes } from '../memory/lifetimes.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const log: string[] = [];

/** The lifetimes' part in it. */
const lifetimes = () => ({ afterReplay: [] as (() => void)[], limitsChanged: () => void log.push('limits') });
type Part = ReturnType<typeof lifetimes>;

beforeEach(() => {
  log.length = 0;
  vi.resetModules();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

async function load() {
  const { Remains, settleAtDeath } = await import('./remains.ts');
  const { sweep } = await import('../memory/sweep.ts');
  const make = (part: Part) =>
    new Remains(
      () => void log.push('at once'),
      () => [[part as unknown as Lifetimes, () => void log.push('figures')]],
    );
  return { make, settleAtDeath, sweep };
}

describe('by hand', () => {
  test('everything, once', async () => {
    const { make } = await load();
    const remains = make(lifetimes());
    remains.settle();
    remains.settle();
    remains.settleLater();
    expect(log).toEqual(['at once', 'figures', 'limits']);
  });
});

describe('at death', () => {
  const drop = (settleAtDeath: (owner: object, remains: never) => void, remains: unknown) =>
    settleAtDeath({}, remains as never);

  test('by a sweep, in the middle of a job; figures follow when the log has been replayed', async () => {
    const { make, settleAtDeath, sweep } = await load();
    const part = lifetimes();
    const owner = { alive: true };
    settleAtDeath(owner, make(lifetimes()));
    drop(settleAtDeath, make(part));
    sweep();
    expect(log).toEqual(['at once']);
    for (const act of part.afterReplay) act();
    expect(log).toEqual(['at once', 'figures']);
    sweep();
    expect(log.length).toBe(2);
    expect(owner.alive).toBe(true);
  });

  test('between tasks where no collection can be forced', async () => {
    vi.stubGlobal('process', { ...process, getBuiltinModule: undefined });
    const { make, settleAtDeath } = await load();
    const part = lifetimes();
    drop(settleAtDeath, make(part));
    for (let i = 0; i < 100 && log.length === 0; i++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      collect();
    }
    expect(log).toEqual(['at once']);
    expect(part.afterReplay.length).toBe(1);
  });
});
