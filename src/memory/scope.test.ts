import { describe, expect, test } from 'vitest';
import { RuntimeError } from '../core/errors.ts';
import { collectInScope, keepFromScopes, type ScopeMember, scope } from './scope.ts';

class Member implements ScopeMember {
  disposed = 0;
  isHeld = false;
  constructor() {
    collectInScope(this);
  }
  dispose(): void {
    this.disposed++;
  }
}

describe('a scope', () => {
  test('disposes of what was made in it, and of nothing else', () => {
    const before = new Member();
    let inside!: Member;
    scope(() => {
      inside = new Member();
    });
    const after = new Member();
    expect([before.disposed, inside.disposed, after.disposed]).toEqual([0, 1, 0]);
  });

  test('returns the result, whose members survive however nested they are', () => {
    class Pair {
      constructor(
        readonly values: Member,
        readonly indices: Member,
      ) {}
    }
    const gone: Member[] = [];
    const make = (): Member => {
      gone.push(new Member());
      return new Member();
    };
    const result = scope(() => {
      const circular: Record<string, unknown> = {
        list: [make(), [make()]],
        map: new Map<unknown, unknown>([
          ['a', make()],
          [make(), 1],
        ]),
        set: new Set([make()]),
        pair: new Pair(make(), make()),
        numbers: new Float32Array(8),
        nothing: null,
      };
      circular.self = circular;
      return circular;
    });
    const pair = result.pair as Pair;
    const map = result.map as Map<unknown, Member>;
    const survivors = [
      ...(result.list as unknown[]).flat(),
      map.get('a'),
      [...map.keys()][1],
      ...(result.set as Set<Member>),
      pair.values,
      pair.indices,
    ] as Member[];
    expect(survivors.map((member) => member.disposed)).toEqual(survivors.map(() => 0));
    expect(survivors).toHaveLength(7);
    expect(gone.map((member) => member.disposed)).toEqual(gone.map(() => 1));
  });

  test('spares what a returned function carries', () => {
    const model = scope(() => Object.assign(() => 0, { weight: new Member() }));
    expect(model.weight.disposed).toBe(0);
  });

  test('survivors of an inner scope belong to the outer one', () => {
    let kept!: Member;
    scope(() => {
      kept = scope(() => new Member());
      expect(kept.disposed).toBe(0);
    });
    expect(kept.disposed).toBe(1);
  });

  test('what the framework holds survives, and is asked again further out', () => {
    let held!: Member;
    scope(() => {
      scope(() => {
        held = new Member();
        held.isHeld = true;
      });
      expect(held.disposed).toBe(0);
      held.isHeld = false;
    });
    expect(held.disposed).toBe(1);
  });

  test('keep takes a member out of all scopes', () => {
    let kept!: Member;
    scope(() =>
      scope(() => {
        kept = new Member();
        keepFromScopes(kept);
      }),
    );
    expect(kept.disposed).toBe(0);
  });

  test('disposes also when the function throws', () => {
    let inside!: Member;
    expect(() =>
      scope(() => {
        inside = new Member();
        throw new Error('mine');
      }),
    ).toThrow('mine');
    expect(inside.disposed).toBe(1);
  });

  test('a member that fails to be disposed of does not save the others', () => {
    const members: Member[] = [];
    expect(() =>
      scope(() => {
        members.push(new Member(), new Member(), new Member());
        members[1].dispose = () => {
          throw new Error('stuck');
        };
      }),
    ).toThrow('stuck');
    expect([members[0].disposed, members[2].disposed]).toEqual([1, 1]);
  });

  test('a promise as the result is a TypeError that names using', async () => {
    let inside!: Member;
    const run = (): unknown =>
      scope(async () => {
        inside = new Member();
        return inside;
      });
    expect(run).toThrow(TypeError);
    expect(run).toThrow(/using/);
    expect(inside.disposed).toBe(1);
  });
});

describe('a scope as a disposable', () => {
  test('ends where it is disposed of', () => {
    const guard = scope();
    const inside = new Member();
    expect(inside.disposed).toBe(0);
    guard[Symbol.dispose]();
    const after = new Member();
    expect([inside.disposed, after.disposed]).toEqual([1, 0]);
    guard[Symbol.dispose]();
    expect(inside.disposed).toBe(1);
  });

  test('holds across an await', async () => {
    const guard = scope();
    await null;
    const inside = new Member();
    guard[Symbol.dispose]();
    expect(inside.disposed).toBe(1);
  });

  test('left out of order it is a RuntimeError, and both can still be left in order', () => {
    const outer = scope();
    const a = new Member();
    const inner = scope();
    const b = new Member();
    expect(() => outer[Symbol.dispose]()).toThrow(RuntimeError);
    expect([a.disposed, b.disposed]).toEqual([0, 0]);
    inner[Symbol.dispose]();
    outer[Symbol.dispose]();
    expect([a.disposed, b.disposed]).toEqual([1, 1]);
  });
});

test('something that is no function is a TypeError', () => {
  expect(() => scope(3 as unknown as () => void)).toThrow(TypeError);
});
