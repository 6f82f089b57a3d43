/** Adding up sliding blocks: the kernel behind `fold`, and behind the gradient of `unfold`. */
import type { DType } from '../../core/dtype.ts';
import { wordReader } from './conv-words.ts';
import { i32, memory, WasmModule } from './emitter.ts';
import { floatOps } from './float-ops.ts';
import { source } from './float-source.ts';

/** The range counts planes (a channel of an image). Two axes: height, width. */
export const FOLD = {
  begin: 0,
  end: 1,
  /** [planes, height, width] of the compute type. */
  out: 2,
  /** [planes, window height, window width, blocks down, blocks across], contiguous. */
  blocks: 3,
  size: 4,
  window: 6,
  count2: 8,
  stride: 10,
  padding: 12,
  dilation: 14,
  count: 16,
} as const;

export function foldKernel(dtype: DType): Uint8Array {
  const m = new WasmModule();
  const s = source(dtype, m);
  const t = floatOps(s.type, m);
  m.kernel((f, args) => {
    const word = wordReader(f, args, FOLD);
    const two = (name: keyof typeof FOLD) => [word(name), word(name, 1)];
    const [size, window, blocks, stride, padding, dilation] = [
      two('size'),
      two('window'),
      two('count2'),
      two('stride'),
      two('padding'),
      two('dilation'),
    ];
    const [plane, i, j, y, x, row, column, at] = Array.from({ length: 8 }, () => f.local('i32'));
    const bytes = f.let(i32.mul(i32.mul(size[0], size[1]), t.bytes));
    const each = f.let(i32.mul(i32.mul(window[0], window[1]), i32.mul(blocks[0], blocks[1])));
    const out = f.let(i32.add(word('out'), i32.mul(word('begin'), bytes)));
    const from = f.let(i32.add(word('blocks'), i32.mul(i32.mul(word('begin'), each), s.bytes)));
    f.for(plane, word('begin'), word('end'), 1, () => {
      f.do(memory.fill(out, 0, bytes));
      f.for(i, 0, window[0], 1, () => {
        f.for(j, 0, window[1], 1, () => {
          f.set(row, i32.sub(i32.mul(i, dilation[0]), padding[0]));
          f.for(y, 0, blocks[0], 1, () => {
            f.set(column, i32.sub(i32.mul(j, dilation[1]), padding[1]));
            f.for(x, 0, blocks[1], 1, () => {
              f.if(i32.and(i32.lt_u(row, size[0]), i32.lt_u(column, size[1])), () => {
                f.set(at, i32.add(out, i32.mul(i32.add(i32.mul(row, size[1]), column), t.bytes)));
                f.do(t.store(at, t.add(t.load(at), s.load(f, from))));
              });
              f.inc(from, s.bytes);
              f.inc(column, stride[1]);
            });
            f.inc(row, stride[0]);
          });
        });
      });
      f.inc(out, bytes);
    });
    return undefined;
  });
  return m.toBytes();
}
