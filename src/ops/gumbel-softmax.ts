/** gumbel_softmax: samples of categories that can be differentiated. */
import { warnOnce } from '../core/warn.ts';
import { exponential } from '../kernels/random-distributions.ts';
import { emptyTensor } from '../tensor/empty.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { real, stateOf } from './random.ts';
import { define } from './registry.ts';

define(
  {
    doc: 'softmax((logits + Gumbel noise) / tau) along dim: a sample of categories that can be differentiated. hard makes it one-hot going forward.',
    functional: true,
    method: false,
  },
  {
    'gumbel_softmax(Tensor logits, float tau=1, bool hard=False, float eps=1e-10, int dim=-1) -> Tensor': (
      logits: Tensor,
      tau: number,
      hard: boolean,
      eps: number,
      dim: number,
    ) => {
      if (eps !== 1e-10) warnOnce('`eps` parameter is deprecated and has no effect.');
      const { backend } = logits.storage;
      const noise = emptyTensor(backend, logits.sizes, logits.dtype);
      if (real(noise)) exponential(noise, stateOf(backend, null), 1);
      const soft = logits.add(noise.log().neg()).div(tau).softmax(dim);
      if (!hard) return soft;
      const index = soft.detach().max(dim, true).indices;
      const one = logits.new_zeros(logits.sizes as number[]).scatter(dim, index, 1);
      return one.sub(soft.detach()).add(soft);
    },
  },
);
