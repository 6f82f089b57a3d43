import { beforeEach, expect, test } from 'vitest';
import { clock } from './clock.ts';
import { GraphGroup, joinGroups, newGroup } from './groups.ts';

beforeEach(() => {
  clock.now = 100;
});

test('touching any node touches the whole graph', () => {
  const a = newGroup();
  const b = newGroup();
  a.merge(b);
  clock.now = 107;
  b.touch();
  expect(a.lastTouched).toBe(107);
  expect(b.lastTouched).toBe(107);
});

test('a joined graph was last touched when the later of its parts was', () => {
  const early = newGroup();
  clock.now = 105;
  const late = newGroup();
  clock.now = 110;
  early.merge(late);
  expect(early.lastTouched).toBe(105);
  const other = newGroup();
  other.merge(early);
  expect(late.lastTouched).toBe(110);
});

test('graphs that were never joined keep their own dates', () => {
  const a = newGroup();
  const b = newGroup();
  clock.now = 120;
  b.touch();
  expect(a.lastTouched).toBe(100);
});

test('joinGroups takes missing graphs and returns the one both are now', () => {
  const a = newGroup();
  const b = newGroup();
  expect(joinGroups(null, null)).toBeNull();
  expect(joinGroups(null, b)).toBe(b);
  expect(joinGroups(a, null)).toBe(a);
  const root = joinGroups(a, b);
  expect(a.root()).toBe(root);
  expect(b.root()).toBe(root);
  expect(joinGroups(b, a)).toBe(root);
});

test('a chain of a hundred thousand joins is one graph, however deep', () => {
  const nodes = Array.from({ length: 100_000 }, () => new GraphGroup());
  // Worst order: the new node always becomes the parent of the old root.
  for (let i = 1; i < nodes.length; i++) nodes[i].merge(nodes[i - 1]);
  clock.now = 130;
  nodes[0].touch();
  expect(nodes.filter((node) => node.lastTouched !== 130)).toEqual([]);
});
