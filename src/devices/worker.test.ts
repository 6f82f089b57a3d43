import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { HEAP, LAYOUT } from './layout.ts';
import { threadSource } from './threads.ts';
import type { HostPart, ThreadData } from './worker.ts';

test('the program is complete in itself', () => {
  const memory = new WebAssembly.Memory({ initial: HEAP / 65536, maximum: HEAP / 65536, shared: true });
  const words = new Int32Array(memory.buffer);
  // A context with nothing but the language and a clock; the tests of the devices run it in real workers.
  const program = runInNewContext(`'use strict'; ${threadSource()}`, { performance, WebAssembly });
  const data: ThreadData = { role: 'host', slot: 0, memory, store: null, layout: LAYOUT, spin: 0, canBlock: true };
  const part = (program as (data: ThreadData) => HostPart)(data);
  const at = LAYOUT.scratch;
  words[at] = 10;
  words[at + 1] = 1000;
  words[LAYOUT.helpers] = 1;
  const ranges: number[][] = [];
  const run = (args: number): number => {
    ranges.push([words[args >> 2], words[(args >> 2) + 1]]);
    return 0;
  };
  // No helper is there, so the calling thread does all of it.
  expect(part.split(run, 0, 2, at, 50, () => {})).toBe(0);
  expect(ranges[0][0]).toBe(10);
  expect(ranges.at(-1)?.[1]).toBe(1000);
  for (let i = 1; i < ranges.length; i++) expect(ranges[i][0]).toBe(ranges[i - 1][1]);
  // 990 iterations in multiples of 50, for two threads.
  expect(ranges.length).toBe(7);
});

test('a helper that has begun a chunk is waited for', () => {
  const memory = new WebAssembly.Memory({ initial: HEAP / 65536, maximum: HEAP / 65536, shared: true });
  const words = new Int32Array(memory.buffer);
  const program = runInNewContext(`'use strict'; ${threadSource()}`, { performance, WebAssembly });
  const data: ThreadData = { role: 'host', slot: 0, memory, store: null, layout: LAYOUT, spin: 0, canBlock: true };
  const part = (program as (data: ThreadData) => HostPart)(data);
  words[LAYOUT.scratch + 1] = 1000;
  words[LAYOUT.helpers] = 1;
  const run = (): number => {
    // As if another thread had claimed a chunk as well.
    if (words[LAYOUT.claims] === 5) Atomics.sub(words, LAYOUT.claims, 1);
    return 0;
  };
  let checks = 0;
  const check = (): void => {
    if (++checks === 3) Atomics.add(words, LAYOUT.done, 1);
  };
  expect(part.split(run, 0, 2, LAYOUT.scratch, 50, check)).toBe(0);
  expect(checks).toBe(3);
});
