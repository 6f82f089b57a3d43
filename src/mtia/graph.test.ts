import { expect, test } from 'vitest';
import * as torch from '../index.ts';

test('first', () => {
  const x = torch.arange(4, { dtype: torch.float32, device: 'mtia' });
  const g = new torch.mtia.MTIAGraph();
  const y = torch.mtia.graph(g, () => x.mul(2).add(1));
  g.replay();
  expect(y.tolist()).toEqual([1, 3, 5, 7]);
  x.fill_(10);
  g.replay();
  expect(y.tolist()).toEqual([21, 21, 21, 21]);
});
