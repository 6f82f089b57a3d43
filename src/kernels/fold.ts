/** Builder of the launch that adds up sliding blocks. */
import { DTYPES } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import { inComputeType } from './conv-parts.ts';
import { registerKernel } from './registry.ts';
import { address } from './touch.ts';
import { FOLD, foldKernel } from './wasm/fold.ts';

/** Two numbers each: height, width. */
export interface Blocks {
  readonly window: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
  /** How many blocks there are, down and across. */
  readonly counts: readonly number[];
}

const KERNELS = DTYPES.map((d) => (d.is_floating_point ? registerKernel(() => foldKernel(d), `col2im.${d.name}`) : -1));

/**
 * out[n, c, y, x] = the sum of all elements of blocks that lie there.
 *
 * @param out [N, C, H, W], contiguous
 * @param blocks [N, C * window height * window width, blocks], contiguous, of the same float dtype
 */
export function fold(out: Operand, blocks: Operand, b: Blocks): void {
  if (out.length === 0) return;
  inComputeType(out, (to, backend) => {
    const planes = out.sizes[0] * out.sizes[1];
    const each = Math.max(1, blocks.length / planes);
    const k = backend.begin(KERNELS[out.dtype.index], FOLD.count, Math.max(1, Math.floor(16384 / each)));
    const { words } = backend;
    words[k + FOLD.begin] = 0;
    words[k + FOLD.end] = planes;
    words[k + FOLD.out] = to;
    words[k + FOLD.blocks] = address(blocks, backend);
    for (let i = 0; i < 2; i++) {
      words[k + FOLD.size + i] = out.sizes[2 + i];
      words[k + FOLD.window + i] = b.window[i];
      words[k + FOLD.count2 + i] = b.counts[i];
      words[k + FOLD.stride + i] = b.stride[i];
      words[k + FOLD.padding + i] = b.padding[i];
      words[k + FOLD.dilation + i] = b.dilation[i];
    }
    backend.submit();
  });
}
