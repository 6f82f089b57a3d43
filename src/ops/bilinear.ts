/** nn.functional.bilinear. */
import { RuntimeError } from '../core/errors.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { C_NAMES } from './linalg.ts';
import { define } from './registry.ts';

function check(a: Tensor, b: Tensor, weight: Tensor, bias: Tensor | null): void {
  if (a.dtype !== b.dtype || a.dtype !== weight.dtype || (bias !== null && a.dtype !== bias.dtype)) {
    const named = { input1: a, input2: b, weight, bias };
    const shown = Object.entries(named).flatMap(([name, t]) => (t === null ? [] : `${name}: ${C_NAMES[t.dtype.name]}`));
    throw new RuntimeError(`All tensors must have the same dtype, got ${shown.join(', ')}`);
  }
  const [r, s] = [a.sizes.length, b.sizes.length];
  if (r !== s) throw new RuntimeError(`bilinear(): input dimensions do not match: got ${r} and ${s}`);
  for (let d = 0; d < r - 1; d++) {
    if (a.sizes[d] === b.sizes[d]) continue;
    throw new RuntimeError(
      `bilinear(): input batch dimensions do not match at dim ${d}: got ${a.sizes[d]} and ${b.sizes[d]}`,
    );
  }
  for (const [name, x, d] of [
    ['input1', a, 1],
    ['input2', b, 2],
  ] as const) {
    if (x.sizes[r - 1] === weight.sizes[d]) continue;
    throw new RuntimeError(
      `bilinear(): ${name} size does not match weight size: got ${x.sizes[r - 1]} but expected ${weight.sizes[d]}`,
    );
  }
  if (bias !== null && bias.sizes[0] !== weight.sizes[0]) {
    throw new RuntimeError(
      `bilinear(): bias size does not match weight size: got ${bias.sizes[0]} but expected ${weight.sizes[0]}`,
    );
  }
}

define(
  {
    doc: 'x1 @ weight[o] @ x2 + bias[o] for every output o: [..., in1] and [..., in2] become [..., out]; weight [out, in1, in2].',
    functional: true,
    method: false,
    function: true,
  },
  {
    'bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor': (
      a: Tensor,
      b: Tensor,
      weight: Tensor,
      bias: Tensor | null,
    ) => {
      check(a, b, weight, bias);
      const [out, in1, in2] = weight.sizes;
      const batch = a.sizes.slice(0, -1);
      const n = batch.reduce((x, y) => x * y, 1);
      const halves = a.reshape([n, in1]).mm(weight.permute(1, 0, 2).reshape([in1, out * in2]));
      const y = halves.view([n, out, in2]).bmm(b.reshape([n, in2]).unsqueeze(-1));
      const result = y.view([...batch, out]);
      return bias === null ? result : result.add(bias);
    },
  },
);
