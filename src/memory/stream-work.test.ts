import { expect, test } from 'vitest';
import { StreamWork } from './stream-work.ts';

test('the date of the last work before a date', () => {
  const work = new StreamWork();
  expect(work.upTo(1, 100)).toBe(-1);
  work.given(1, 10, 20);
  work.given(1, 30, 30);
  work.given(2, 5, 5);
  // Before, within and after spans.
  expect([9, 10, 15, 20, 25, 29, 30, 99].map((date) => work.upTo(1, date))).toEqual([-1, 10, 15, 20, 20, 20, 30, 30]);
  expect(work.upTo(2, 99)).toBe(5);
  // Spans that meet are one.
  work.given(1, 30, 40);
  work.given(1, 35, 38);
  expect([35, 41].map((date) => work.upTo(1, date))).toEqual([35, 40]);
});

test('of spans long ago only that there may have been work is known', () => {
  const work = new StreamWork();
  for (let at = 0; at < 10_000; at++) work.given(1, 10 * at, 10 * at + 1);
  expect(work.upTo(1, 99_985)).toBe(99_981);
  expect(work.upTo(1, 99_000 + 5)).toBe(99_001);
  expect(work.upTo(1, 55)).toBe(55);
});
