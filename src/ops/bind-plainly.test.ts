/** Binding at the first look gives what binding in full does, or leaves the call to it: for every op there is. */
import { describe, expect, test } from 'vitest';
import torch from '../index.ts';
import { bindPlainly, NEVER } from './bind-plainly.ts';
import { bind, bindTuning, bound, tryBind } from './bind.ts';
import { allOps } from './registry.ts';

const x = torch.ones(2, 3);
const POOL: unknown[] = [
  x, x, x, torch.tensor(1n), 0, 1, -2, 2.5, Number.NaN, 3n, 2n ** 63n, true, false, null, undefined, 'mean', [], [0], [1, 2], [1, 2.5], [1, 3n],
  [x, x], ['...'], {}, { dim: 1 }, { other: x }, { dtype: torch.float32 }, torch.float64, torch.device('cpu'), 'cpu', new torch.Generator(),
]; // biome-ignore format: a pool

/** Draws without luck: the same in every run. */
function draws(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const same = (a: unknown, b: unknown): boolean =>
  Object.is(a, b) ||
  (Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((v, i) => same(v, b[i])));

describe('plain binding', () => {
  const met = { values: 0, never: 0, unknown: 0 };

  test('agrees with full binding', () => {
    const draw = draws(1);
    for (const op of allOps().values()) {
      for (const schema of op.schemas) {
        for (let i = 0; i < 60; i++) {
          const asMethod = op.method && i % 2 === 0;
          const args = Array.from({ length: draw(schema.positional + 3) }, () => POOL[draw(POOL.length)]);
          // Mostly what fits at the front, or nothing would ever get past it.
          for (let k = 0; k < args.length && k < schema.positional; k++) {
            if (schema.params[k].type.startsWith('Tensor') && draw(8) > 0) args[k] = x;
          }
          const plain = bindPlainly(schema, args, asMethod);
          if (plain === null) {
            met.unknown++;
            continue;
          }
          let full: ReturnType<typeof tryBind> | null = null;
          try {
            full = tryBind(schema, args, asMethod);
          } catch {
            // A number that is too large, told where it is met: full binding has to meet it.
          }
          if (plain === NEVER) {
            met.never++;
            expect(Array.isArray(full), schema.text).toBe(false);
          } else {
            met.values++;
            expect(same(full, plain), schema.text).toBe(true);
          }
        }
      }
    }
    expect(Math.min(met.values, met.never, met.unknown)).toBeGreaterThan(1000);
  });

  test.each([true, false])('chooses the overload that fits first (plainly: %s)', (plainly) => {
    const choose = (name: string, ...args: unknown[]) => {
      bindTuning.plainly = plainly;
      try {
        const values = bind(allOps().get(name)!.schemas, args, true);
        return [bound, values.slice(1)];
      } finally {
        bindTuning.plainly = true;
      }
    };
    expect(choose('sum', x)).toEqual([0, [null]]);
    expect(choose('sum', x, 1)).toEqual([1, [[1], false, null]]);
    expect(choose('sum', x, [0, 1], true)).toEqual([1, [[0, 1], true, null]]);
    expect(choose('view', x, 3, 2)).toEqual([1, [[3, 2]]]);
    expect(choose('view', x, [3, -1])).toEqual([1, [[3, -1]]]);
    expect(choose('view', x, torch.int32)).toEqual([0, [torch.int32]]);
    expect(choose('max', x, 1)).toEqual([2, [1, false]]);
    expect(choose('transpose', x, 0, 1)).toEqual([0, [0, 1]]);
    expect(() => choose('transpose', x, 0)).toThrow('missing 1 required positional arguments: "dim1"');
    expect(() => choose('mm', x, 1)).toThrow("argument 'mat2' (position 1) must be Tensor, not int");
  });

  test('a method without the arguments before its tensor says what is missing', () => {
    expect(() => (x as unknown as { where(): unknown }).where()).toThrow(TypeError);
  });
});
