/** Attention a few heads at a time gives what it gives at once, and keeps no weights. */
import { afterEach, describe, expect, test } from 'vitest';
import { device } from '../../tests/device.ts';
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { attentionTuning } from './attention-kernels.ts';

const F = torch.nn.functional;
const tuning = { ...attentionTuning };
afterEach(() => {
  Object.assign(attentionTuning, tuning);
});

interface Case {
  q: number[];
  k: number[];
  mask?: number[];
  options?: { is_causal?: boolean; enable_gqa?: boolean };
}

const CASES: Case[] = [
  { q: [3, 4, 5, 8], k: [3, 4, 7, 8] },
  { q: [3, 4, 5, 8], k: [3, 4, 7, 8], options: { is_causal: true } },
  { q: [5, 6, 8], k: [5, 7, 8], mask: [6, 7] },
  { q: [3, 4, 5, 8], k: [3, 4, 7, 8], mask: [3, 1, 5, 7] },
  { q: [3, 4, 5, 8], k: [3, 4, 7, 8], mask: [4, 1, 7] },
  { q: [3, 4, 5, 8], k: [1, 4, 7, 8] },
  { q: [3, 4, 5, 8], k: [4, 7, 8] },
  { q: [3, 4, 5, 8], k: [3, 2, 7, 8], options: { enable_gqa: true } },
  { q: [2, 3, 2, 5, 8], k: [2, 3, 2, 7, 8] },
];

function run({ q, k, mask, options }: Case): Tensor[] {
  torch.manual_seed(0);
  const make = (...sizes: number[]) => torch.randn(sizes, { device, requires_grad: true });
  const inputs = [make(...q), make(...k), make(...k)];
  if (mask !== undefined) inputs.push(torch.randn(mask, { device }));
  const out = F.scaled_dot_product_attention(inputs[0], inputs[1], inputs[2], inputs[3] ?? null, options);
  out.mul(out).sum().backward();
  return [out, ...inputs.slice(0, 3).map((x) => x.grad!)];
}

describe(`attention on ${device}`, () => {
  test.each(CASES)('in parts: %j', (each) => {
    const whole = run(each);
    // One matrix of scores at a time, one and a bit, several.
    for (const bytes of [1, 7 * 4 * 2, 5 * 7 * 4, 5 * 7 * 4 * 3, 5 * 7 * 4 * 5]) {
      attentionTuning.scoresBytes = bytes;
      for (const [i, x] of run(each).entries()) {
        expect(x.sub(whole[i]).abs().max().item(), `${i} with ${bytes} bytes`).toBeLessThan(2e-6);
      }
    }
  });

  // One query at a time, blocks that do and do not divide them, none; more and fewer keys than queries.
  test.each([
    [9, 9],
    [9, 4],
    [4, 9],
  ])('causal, in blocks of queries: %i queries, %i keys', (queries, keys) => {
    const each: Case = { q: [2, 3, queries, 8], k: [2, 3, keys, 8], options: { is_causal: true } };
    attentionTuning.causalRows = Number.POSITIVE_INFINITY;
    const whole = run(each);
    for (const rows of [1, 2, 3, 4, 5]) {
      attentionTuning.causalRows = rows;
      for (const [i, x] of run(each).entries()) {
        expect(x.sub(whole[i]).abs().max().item(), `${i} by ${rows}`).toBeLessThan(2e-6);
      }
    }
  });

  test('causal attention of half types knows numbers that they do not have', () => {
    const q = torch.randn(300, 4, { device }).to(torch.bfloat16);
    const v = torch.zeros(300, 1, { device, dtype: torch.bfloat16 });
    v.index_put_([299], torch.ones(1, { device, dtype: torch.bfloat16 }));
    const out = F.scaled_dot_product_attention(q, q, v, { is_causal: true });
    expect(out.narrow(0, 0, 299).abs().max().item()).toBe(0);
    expect(out.index([299, 0]).item()).toBeGreaterThan(0);
  });

  test('memory grows with the sequence, not with its square', () => {
    const peak = (length: number) => {
      const q = torch.randn(1, 2, length, 8, { device: 'mtia', requires_grad: true });
      const { memory } = torch.mtia;
      const before = memory.allocated();
      memory.reset_peak_memory_stats();
      F.scaled_dot_product_attention(q, q, q).sum().backward();
      return memory.max_memory_allocated() - before;
    };
    attentionTuning.scoresBytes = 16 * 1024;
    const [short, long] = [peak(128), peak(512)];
    expect(long).toBeLessThan(4 * short + 1);
  });

  test('keeps inputs, and one number for each query', () => {
    const q = torch.randn(2, 4, 64, 16, { device: 'mtia', requires_grad: true });
    const { memory } = torch.mtia;
    const before = memory.allocated();
    const out = F.scaled_dot_product_attention(q, q, q, { is_causal: true });
    expect(memory.allocated() - before).toBe(2 * 4 * 64 * 16 * 4 + 2 * 4 * 64 * 4);
    out.sum().backward();
    expect(memory.allocated() - before).toBe(2 * (2 * 4 * 64 * 16 * 4));
  });
});
