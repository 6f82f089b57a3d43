/** Puts elements back where a maximum pool took them from; zeros everywhere else. */
import { FAULT_DETAILS } from '../../devices/layout.ts';
import { wordReader } from './conv-words.ts';
import { i32, i64, memory, WasmModule } from './emitter.ts';
import { mover } from './indexed-elements.ts';

/** The range counts planes (a channel of an image). All arrays are contiguous. */
export const UNPOOL = {
  begin: 0,
  end: 1,
  out: 2,
  x: 3,
  /** int64 positions in the output's plane. */
  indices: 4,
  /** Elements of a plane of x. */
  elements: 5,
  /** Sizes of the output's plane, three; 0 for an axis that is not there. */
  size: 6,
  /** Elements of a plane of the output. */
  places: 9,
  fault: 10,
  count: 11,
} as const;

export function unpoolKernel(bytes: number): Uint8Array {
  const m = new WasmModule();
  const move = mover(bytes);
  m.kernel((f, args) => {
    const word = wordReader(f, args, UNPOOL);
    const [begin, end, elements, places] = (['begin', 'end', 'elements', 'places'] as const).map((n) => word(n));
    const [plane, k, code] = Array.from({ length: 3 }, () => f.local('i32'));
    const each = f.let(i32.mul(places, bytes));
    const out = f.let(i32.add(word('out'), i32.mul(begin, each)));
    const first = f.let(i32.mul(begin, elements));
    const from = f.let(i32.add(word('x'), i32.mul(first, bytes)));
    const at = f.let(i32.add(word('indices'), i32.shl(first, 3)));
    f.for(plane, begin, end, 1, () => {
      f.do(memory.fill(out, 0, each));
      f.for(k, 0, elements, 1, () => {
        const index = f.let(i64.load(at));
        f.if(
          i64.ge_u(index, i64.extend_i32_u(places)),
          () => {
            // The last one is told, as in PyTorch.
            f.do(i32.store(i32.const(FAULT_DETAILS), i32.wrap_i64(index)));
            f.set(code, i32.load(args, UNPOOL.fault * 4));
          },
          () => move.one(f, i32.add(out, i32.mul(i32.wrap_i64(index), bytes)), from),
        );
        f.inc(from, bytes);
        f.inc(at, 8);
      });
      f.inc(out, each);
    });
    f.if(code, () => {
      for (let i = 0; i < 3; i++) {
        f.do(i32.store(i32.const(FAULT_DETAILS), i32.load(args, (UNPOOL.size + i) * 4), 4 + 4 * i));
      }
    });
    return code;
  });
  return m.toBytes();
}
