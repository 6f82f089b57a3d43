/**
 * Every op with its backward, compiled: bit for bit what the same calls compute eagerly, from the first call on, with other
 * inputs and random numbers every time; alone, and in a chain of expressions that can be fused with it.
 */
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import torch from '../src/index.ts';
import type { Tensor } from '../src/tensor/tensor.ts';
import { device } from './device.ts';
import { callWith, type OpCase, type OpInput, randomInput } from './op-cases.testing.ts';

const fixture = fileURLToPath(new URL('./fixtures/memory.json', import.meta.url));
const { cases } = JSON.parse(readFileSync(fixture, 'utf8')) as { cases: OpCase[] };
/** Two that are traced, and one or two that are not. */
const CALLS = 3;

const input = (x: OpInput): Tensor => randomInput(x, device);

/** The op on its inputs; with `chain`, between expressions that are new launches on their own. */
function program(c: OpCase, chain: boolean): (...inputs: Tensor[]) => Tensor[] {
  return (...inputs) => {
    const tensors = inputs.map((x) => (x.dtype !== torch.float32 ? x : chain ? x.mul(0.9).add(0.05) : x.clone()));
    const results = callWith(c, tensors);
    if (!chain) return results;
    return results.map((x) => (x.dtype === torch.float32 ? x.mul(0.5).tanh() : x));
  };
}

const bytesOf = (x: Tensor) => {
  const { buffer, byteOffset, byteLength } = x.toTypedArray();
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
};

/** Values of results and gradients over several calls. */
function outcomes(c: OpCase, fn: (...inputs: Tensor[]) => Tensor[]): unknown[] {
  torch.manual_seed(21);
  return Array.from({ length: CALLS }, () => {
    const inputs = c.inputs.map(input);
    const results = fn(...inputs);
    const roots = results.filter((x) => x.requires_grad);
    if (roots.length > 0)
      torch.autograd.backward(
        roots,
        roots.map((x) => torch.rand_like(x)),
      );
    return [
      results.map((x) => [bytesOf(x.detach()), [...x.shape], x.stride(), x.requires_grad]),
      inputs.map((x) => (x.grad === null ? null : bytesOf(x.grad))),
    ];
  });
}

/** Their shapes, or their checks, need values. As in PyTorch. */
const WAITS = ['torch.masked_select', 'torch.masked_scatter', 'torch.bincount', 'torch.cumprod', 'torch.multinomial'];
/** Their results are views of one tensor. */
const SHARE = ['torch.split', 'torch.tensor_split'];

const firsts = cases.filter((c, i) => cases.findIndex(({ call }) => call === c.call) === i);
/** What is launched is the same on every device: behind a queue one case of each operation is enough. */
const WAYS =
  device === 'cpu'
    ? ([
        ['in a chain', true, cases],
        ['alone', false, firsts],
      ] as const)
    : ([['in a chain', true, firsts]] as const);
const group = <T>(all: readonly T[]) => Array.from({ length: 8 }, (_, at) => all.filter((_, i) => i % 8 === at));

describe.skipIf(process.env['MTIA_EXECUTOR'] === 'inline').each(WAYS)('%s', (_way, chain, taken) => {
  test.each(group(taken).map((some) => [[...new Set(some.map(({ call }) => call))].join(', '), some] as const))(
    '%s',
    (_calls, some) => {
      for (const c of some) {
        const eager = program(c, chain);
        const compiled = torch.compile(eager);
        const expected = outcomes(c, eager);
        const { name } = c;
        expect([name, outcomes(c, compiled).map((o, i) => isDeepStrictEqual(o, expected[i]))]).toEqual([
          name,
          expected.map(() => true),
        ]);
        const { graph_count, break_reasons } = torch.compiler.explain(compiled);
        const waits =
          WAITS.includes(c.call) || break_reasons.some((reason) => reason.startsWith('the host reads values'));
        const shares = !chain && SHARE.includes(c.call);
        if (shares) expect(break_reasons).toEqual(['results that require grad share their memory']);
        else if (!waits)
          expect({ name, break_reasons, graph_count }).toEqual({ name, break_reasons: [], graph_count: 1 });
      }
    },
  );
});
