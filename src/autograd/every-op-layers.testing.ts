/** Samples of the ops that whole layers are made of: attention and recurrent cells, for `every-op.test.ts`. */
import { F, on, type Sample, x, y } from './every-op.testing.ts';

const q = () => x(2, 3, 2);
const k = () => y(2, 4, 2);
const v = () => x(2, 4, 3);

export const layerSamples: Record<string, Sample[]> = {
  scaled_dot_product_attention: [
    on((a, b, c) => F['scaled_dot_product_attention'](a, b, c), q, k, v),
    on((a, b, c) => F['scaled_dot_product_attention'](a, b, c, { is_causal: true, scale: 0.5 }), q, k, v),
    on(
      (a, b, c, d) => F['scaled_dot_product_attention'](a, b, c, d),
      q,
      () => y(1, 4, 2),
      v,
      () => x(3, 4),
    ),
  ],
};
