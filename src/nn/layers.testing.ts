/** Replays what scripts/oracle/layers.py recorded of modules and of functions that draw random numbers. */
import { describe, test } from 'vitest';
import { compareError, compareResult, compareTensor } from '../../tests/oracle/compare.ts';
import type { Encoded, ErrorData, TensorData } from '../../tests/oracle/fixtures.ts';
import { loadFamily } from '../../tests/oracle/fixtures.ts';
import { runAll, waitFor } from '../../tests/oracle/replay.ts';
import { build, decode } from '../../tests/oracle/values.ts';
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';

interface CallData {
  training: boolean;
  inputs: Encoded[];
  options?: Record<string, Encoded>;
  result?: TensorData;
  error?: ErrorData;
  grads?: (TensorData | null)[];
}

interface LayerData {
  /** A class of nn, or a function of nn.functional. */
  name: string;
  args: Encoded[];
  kwargs?: Record<string, Encoded>;
  repr?: string;
  state?: Record<string, TensorData>;
  error?: ErrorData;
  calls?: CallData[];
}

type Layer = ((...args: unknown[]) => Tensor) & {
  train(mode: boolean): void;
  to(device: string): Layer;
  state_dict(): Record<string, Tensor>;
};
const classes = torch.nn as unknown as Record<string, new (...args: unknown[]) => Layer>;
const functions = torch.nn.functional as unknown as Record<string, (...args: unknown[]) => Tensor>;

/** Defines the tests of a fixture file. `on` is what the calling file imports from `tests/device.ts`. */
export function replayLayers(family: string, on: string): void {
  const { groups } = loadFamily<LayerData>(family);
  const filter = process.env['ORACLE_CASE'] ?? '';
  describe(`${family} on ${on}`, () => {
    for (const [group, layers] of Object.entries(groups)) {
      const chosen = layers.filter(({ name }) => name.includes(filter));
      if (chosen.length > 0) test(group, () => runAll(group, chosen, (layer) => runLayer(layer, on)));
    }
  });
}

function withOptions(args: readonly Encoded[], kwargs: Record<string, Encoded> | undefined, tensor: Make): unknown[] {
  const values = args.map((a) => decode(a, tensor));
  if (kwargs === undefined) return values;
  return [...values, Object.fromEntries(Object.entries(kwargs).map(([k, v]) => [k, decode(v, tensor)]))];
}
type Make = (data: TensorData) => ReturnType<typeof build>['x'];

function runLayer(data: LayerData, on: string): string | null {
  const { name } = data;
  if (/^[a-z]/.test(name)) return runCalls(data, functions[name], () => {});
  let layer: Layer;
  torch.manual_seed(0);
  try {
    layer = new classes[name](...withOptions(data.args, data.kwargs, (d) => build(d).x));
  } catch (error) {
    return data.error === undefined ? `threw ${String((error as Error).stack)}` : compareError(error, data.error);
  }
  if (data.error !== undefined) return `made ${String(layer)}, expected ${data.error.type}: ${data.error.text}`;
  if (String(layer) !== data.repr) return `is ${String(layer)}, expected ${data.repr}`;
  if (on !== 'cpu') layer = layer.to(on);
  const state = layer.state_dict();
  const names = Object.keys(data.state ?? {});
  if (Object.keys(state).join() !== names.join()) return `state ${Object.keys(state).join()}, expected ${names.join()}`;
  for (const key of names) {
    const wrong = compareTensor(state[key], data.state![key], { group: name, backward: false });
    if (wrong !== null) return `${key}: ${wrong}`;
  }
  return runCalls(data, layer, (training) => layer.train(training));
}

function runCalls(
  data: LayerData,
  fn: (...args: unknown[]) => Tensor,
  prepare: (training: boolean) => void,
): string | null {
  for (const [i, call] of (data.calls ?? []).entries()) {
    prepare(call.training);
    const wrong = runCall(data.name, call, fn);
    if (wrong !== null) return `call ${i}${call.training ? '' : ' (eval)'}: ${wrong}`;
  }
  return null;
}

function runCall(group: string, call: CallData, fn: (...args: unknown[]) => Tensor): string | null {
  const leaves: Tensor[] = [];
  const args = withOptions(call.inputs, call.options, (data) => {
    const { x } = build(data);
    if (data.grad) leaves.push(x as unknown as Tensor);
    return x;
  });
  torch.manual_seed(0);
  let result: Tensor;
  try {
    result = fn(...args);
    waitFor(args, result);
  } catch (error) {
    return call.error === undefined ? `threw ${String((error as Error).stack)}` : compareError(error, call.error);
  }
  if (call.error !== undefined) return `gave ${String(result)}, expected ${call.error.type}: ${call.error.text}`;
  const wrong = compareResult(result, { T: call.result! }, { group, backward: false });
  if (wrong !== null || call.grads === undefined) return wrong;
  const { dtype, sizes } = result;
  const weight = torch.linspace(0.5, 1.5, result.length, { dtype, device: result.device }).reshape(sizes as number[]);
  const grads = torch.autograd.grad([result], leaves, [weight], { allow_unused: true });
  for (const [i, expected] of call.grads.entries()) {
    const grad = grads[i] as Tensor | null;
    if (expected === null && grad === null) continue;
    if (expected === null || grad === null) return `grad ${i} is ${String(grad)}`;
    const kind = { group, backward: true, coarsest: dtype.name };
    const off = compareTensor(grad, expected, kind);
    if (off !== null) return `grad ${i}: ${off}`;
  }
  return null;
}
