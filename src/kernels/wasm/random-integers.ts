/**
 * Random whole numbers and permutations.
 */
import { type Func, type I32, i32, i64 } from './emitter.ts';
import { type Context, chunks, drawWords, finish } from './random-context.ts';
import { CHUNK } from './random-engine.ts';
import { madeFor, storeInteger } from './random-store.ts';

export function integers(c: Context): void {
  const { f, dtype, args, scratch } = c;
  const made = madeFor(dtype);
  const shift = made === 'f32' ? 2 : 3;
  const range = f.let(i64.load(args, 16));
  const base = f.let(i64.load(args, 24));
  const range32 = f.let(i32.wrap_i64(range));
  const x = f.local('i64');
  const at = f.local('i32');
  const to = f.local('i32');
  chunks(c, 0, CHUNK, (first, n) => {
    const end = f.let(i32.add(scratch, i32.shl(n, shift)));
    f.set(to, scratch);
    f.if(
      i32.load(args, 32),
      () => {
        drawWords(c, i32.shl(n, 1));
        f.set(at, scratch);
        f.for(to, to, end, 1 << shift, () => {
          f.set(x, i64.rotl(i64.load(at), 32));
          f.if(i32.eqz(i64.eqz(range)), () => f.set(x, i64.rem_u(x, range)));
          f.set(x, i64.add(x, base));
          f.do(storeInteger(made, to, x));
          f.inc(at, 8);
        });
      },
      () => {
        // In the upper half, so that the wider results stay behind.
        drawWords(c, n, CHUNK * 4);
        f.set(at, i32.add(scratch, CHUNK * 4));
        f.for(to, to, end, 1 << shift, () => {
          f.set(x, i64.add(i64.extend_i32_u(i32.rem_u(i32.load(at), range32)), base));
          f.do(storeInteger(made, to, x));
          f.inc(at, 4);
        });
      },
    );
    finish(c, made, first, n);
  });
}

/** Fisher and Yates' shuffle of 0, 1, …. */
export function permutation(c: Context): void {
  const { f, dtype, args, scratch, count, layout } = c;
  const made = madeFor(dtype);
  const shift = made === 'f32' ? 2 : 3;
  const at = f.local('i32');
  const j = f.local('i32');
  chunks(c, 0, CHUNK, (first, n) => {
    f.set(at, scratch);
    f.for(j, first, f.let(i32.add(first, n)), 1, () => {
      f.do(storeInteger(made, at, i64.extend_i32_u(j)));
      f.inc(at, 1 << shift);
    });
    finish(c, made, first, n);
  });

  const { itemsize, address } = layout;
  const stride = f.let(i32.const(itemsize));
  f.if(layout.dims, () => f.set(stride, i32.load(layout.pairs, 4)));
  const wide = f.let(i32.load(args, 32));
  const here = f.let(address);
  const left = f.let(count);
  f.if(count, () => f.set(count, i32.sub(count, 1)));
  const swap = (index: I32) => {
    const there = f.let(i32.add(here, i32.mul(index, stride)));
    exchange(f, itemsize, here, there);
    f.inc(here, stride);
    f.set(left, i32.sub(left, 1));
  };
  chunks(c, 0, CHUNK, (_, n) => {
    drawWords(c, i32.shl(n, wide));
    f.set(at, scratch);
    f.for(at, at, f.let(i32.add(at, i32.shl(n, i32.add(wide, 2)))), f.let(i32.shl(4, wide)), () => {
      f.if(
        wide,
        () => swap(i32.wrap_i64(i64.rem_u(i64.rotl(i64.load(at), 32), i64.extend_i32_u(left)))),
        () => swap(i32.rem_u(i32.load(at), left)),
      );
    });
  });
}

function exchange(f: Func, itemsize: number, a: I32, b: I32): void {
  if (itemsize === 8) {
    const x = f.let(i64.load(a));
    f.do(i64.store(a, i64.load(b)));
    f.do(i64.store(b, x));
    return;
  }
  const load = itemsize === 4 ? i32.load : itemsize === 2 ? i32.load16_u : i32.load8_u;
  const store = itemsize === 4 ? i32.store : itemsize === 2 ? i32.store16 : i32.store8;
  const x = f.let(load(a));
  f.do(store(a, load(b)));
  f.do(store(b, x));
}
