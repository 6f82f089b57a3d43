/**
 * A program for `ops.test.ts`, which runs it in a process of its own, where collections are quick: measures the memory of
 * the recorded cases and prints what it found.
 */
import { readFileSync } from 'node:fs';
import { touch } from '../../src/devices/storage.ts';
import torch from '../../src/index.ts';
import type { Tensor } from '../../src/tensor/tensor.ts';
import { callWith, type OpCase, type OpInput, plainInput } from '../op-cases.testing.ts';
import { figures } from './figures.testing.ts';

export interface Case extends OpCase {
  forward: [held: number, peak: number];
  kept?: number;
  chained?: number;
}

/** What was measured of a case, and the bytes of its gradients. */
export type Measured = Pick<Case, 'forward' | 'kept' | 'backward' | 'chained'> & { gradients: number };

const device = 'mtia';

const make = (x: OpInput): Tensor => plainInput(x, device);

/** The call's results that gradients flow from. Nothing else is referred to when it returns. */
function forward(c: Case, leaves: Tensor[]): Tensor[] {
  const tensors = leaves.map((x, i) => (c.inputs[i].leaf ? x : x.clone()));
  const results = callWith(c, tensors);
  return c.backward === undefined ? results : results.filter((x) => x.requires_grad);
}

/** What a run refers to. */
let outs: Tensor[] = [];

const onesLike = (c: Case, leaves: Tensor[]) => forward(c, leaves).map((out) => torch.ones_like(out));

function backward(grads: Tensor[]): void {
  torch.autograd.backward(outs, grads);
  // Held to the end, as the caller's variable is in Python.
  for (const out of outs) touch(out.storage);
}

function sums(c: Case, leaves: Tensor[]): Tensor[] {
  return forward(c, leaves).map((out) => out.sum());
}

function run(c: Case): Measured {
  outs = [];
  const leaves = c.inputs.map(make);
  const grads = c.backward === undefined ? [] : onesLike(c, leaves);
  const [start] = figures();
  outs = forward(c, leaves);
  const found: Measured = { forward: figures(start), gradients: 0 };
  if (c.backward === undefined) return found;
  backward(grads);
  const [kept, peak] = figures(start);
  found.kept = kept;
  outs = [];
  found.backward = [figures(start)[0], peak];
  for (const x of leaves) if (x.grad !== null) found.gradients += x.nbytes;
  for (const x of leaves) x.grad = null;
  const [before] = figures();
  outs = sums(c, leaves);
  found.chained = figures(before)[0];
  return found;
}

// What the first use of a device makes is no part of any case.
torch.ones(1, { device, requires_grad: true }).mul(2).sum().backward();
const { cases } = JSON.parse(readFileSync(process.argv[2], 'utf8')) as { cases: Case[] };
console.log(JSON.stringify(cases.map(run)));
