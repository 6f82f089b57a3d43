/** Attention, transformers and recurrent networks against PyTorch: what scripts/oracle/networks.py recorded. */
import { afterEach, beforeEach, describe, test, vi } from 'vitest';
import { device } from '../../tests/device.ts';
import { compareError, compareNumbers, compareResult, compareTensor } from '../../tests/oracle/compare.ts';
import type { Encoded, ErrorData, TensorData } from '../../tests/oracle/fixtures.ts';
import { loadFamily } from '../../tests/oracle/fixtures.ts';
import { runAll } from '../../tests/oracle/replay.ts';
import { build, decode } from '../../tests/oracle/values.ts';
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';

/** A checksum of a tensor that is too large to be written down. */
interface Sums {
  dtype: string;
  shape: number[];
  sum: number;
  weighted: number;
  square: number;
}

type Summary = TensorData | Sums;

interface CallData {
  training: boolean;
  grad: boolean;
  inputs: Encoded[];
  options?: Record<string, Encoded>;
  result?: Encoded;
  error?: ErrorData;
  grads?: (Summary | null)[];
  params?: Record<string, Summary | null>;
}

interface NetworkData {
  name: string;
  args: Encoded[];
  kwargs?: Record<string, Encoded>;
  repr?: string;
  state?: Record<string, Summary>;
  error?: ErrorData;
  calls?: CallData[];
}

interface Network {
  (...args: unknown[]): unknown;
  train(mode: boolean): void;
  to(device: string): Network;
  state_dict(): Record<string, Tensor>;
  named_parameters(): Iterable<[string, Tensor]>;
}
const classes = torch.nn as unknown as Record<string, new (...args: unknown[]) => Network>;
const functions = torch.nn.functional as unknown as Record<string, unknown>;

type Make = (data: TensorData) => ReturnType<typeof build>['x'];

function made(value: Encoded, tensor: Make): unknown {
  if (typeof value === 'string' && value.startsWith('F.')) return functions[value.slice(2)];
  if (Array.isArray(value)) return value.map((each) => made(each, tensor));
  if (typeof value === 'object' && value !== null) {
    if ('module' in value) {
      const [name, args, kwargs] = (value as unknown as { module: [string, Encoded[], Record<string, Encoded>] })
        .module;
      return create({ name, args, kwargs });
    }
    if ('packed' in value) {
      const parts = (value as unknown as { packed: Encoded[] }).packed.map((part) => made(part, tensor));
      const { PackedSequence } = (torch.nn.utils as unknown as { rnn: object }).rnn as {
        PackedSequence: new (...parts: unknown[]) => unknown;
      };
      // Batch sizes are on the cpu, wherever the data is.
      parts[1] = (parts[1] as Tensor).cpu();
      return new PackedSequence(...parts);
    }
  }
  return decode(value, tensor);
}

function create({ name, args, kwargs }: NetworkData): Network {
  const of = (value: Encoded) => made(value, (data) => build(data).x);
  const options = Object.entries(kwargs ?? {}).map(([key, value]) => [key, of(value)] as const);
  return new classes[name](...args.map(of), ...(options.length > 0 ? [Object.fromEntries(options)] : []));
}

function compareSummary(actual: unknown, expected: Summary | null, dtype: string): string | null {
  if (expected === null) return actual === null ? null : `is ${String(actual)}, expected None`;
  if (actual === null) return 'is null';
  const kind = { group: '', backward: true, coarsest: dtype };
  if ('data' in expected) return compareTensor(actual, expected, kind);
  const wrong = compareTensor(actual, { dtype: expected.dtype, shape: expected.shape, data: null } as never, kind);
  if (wrong !== null) return wrong;
  const d = (actual as Tensor).detach().to('cpu').double().reshape(-1);
  const by = torch.linspace(0.5, 1.5, d.length, { dtype: torch.float64 });
  const sums = [d.sum(), d.mul(by).sum(), d.mul(d).sum()].map((x) => x.item() as number);
  const size = Math.sqrt(expected.square * d.length);
  const tolerance = { relative: 2e-5, absolute: 2e-6 * size + 1e-9, scaled: 0 };
  return compareNumbers(sums, [expected.sum, expected.weighted, expected.square], tolerance);
}

function runNetwork(data: NetworkData): string | null {
  let network: Network;
  torch.manual_seed(0);
  try {
    network = create(data);
  } catch (error) {
    return data.error === undefined ? `threw ${String((error as Error).stack)}` : compareError(error, data.error);
  }
  if (data.error !== undefined) return `made ${String(network)}, expected ${data.error.type}: ${data.error.text}`;
  if (String(network) !== data.repr) return `is ${String(network)}, expected ${data.repr}`;
  if (device !== 'cpu') network = network.to(device);
  const state = network.state_dict();
  const names = Object.keys(data.state!);
  if (Object.keys(state).join() !== names.join()) return `state ${Object.keys(state).join()}, expected ${names.join()}`;
  for (const name of names) {
    const wrong = compareSummary(state[name], data.state![name], state[name].dtype.name);
    if (wrong !== null) return `${name}: ${wrong}`;
  }
  for (const [i, call] of data.calls!.entries()) {
    const wrong = runCall(network, call);
    if (wrong !== null) return `call ${i}${call.training ? '' : ' (eval)'}: ${wrong}`;
  }
  return null;
}

const tensorsIn = (value: unknown): Tensor[] => {
  if (value instanceof torch.Tensor) return [value];
  return Array.isArray(value) ? value.flatMap(tensorsIn) : [];
};

function packedParts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(packedParts);
  const parts = value as {
    data?: unknown;
    batch_sizes?: unknown;
    sorted_indices?: unknown;
    unsorted_indices?: unknown;
  };
  if (value instanceof torch.Tensor || parts?.batch_sizes === undefined) return value;
  return [parts.data, (parts.batch_sizes as Tensor).to(device), parts.sorted_indices, parts.unsorted_indices];
}

function runCall(network: Network, call: CallData): string | null {
  const leaves: Tensor[] = [];
  const of = (value: Encoded) =>
    made(value, (data) => {
      const { x } = build(data);
      if (data.grad) leaves.push(x as unknown as Tensor);
      return x;
    });
  // One tensor given twice is one tensor.
  const once = new Map<string, unknown>();
  const inputs = call.inputs.map((value) => {
    const key = JSON.stringify(value);
    if (!once.has(key) || typeof value !== 'object') once.set(key, of(value));
    return once.get(key);
  });
  const options = Object.entries(call.options ?? {}).map(([key, value]) => [key, of(value)] as const);
  const args = [...inputs, ...(options.length > 0 ? [Object.fromEntries(options)] : [])];
  network.train(call.training);
  torch.manual_seed(0);
  let result: unknown;
  try {
    result = call.grad ? network(...args) : torch.no_grad(() => network(...args));
  } catch (error) {
    return call.error === undefined ? `threw ${String((error as Error).stack)}` : compareError(error, call.error);
  }
  if (call.error !== undefined) return `gave ${String(result)}, expected ${call.error.type}: ${call.error.text}`;
  const parts = packedParts(result);
  const wrong = compareNested(parts, call.result!);
  if (wrong !== null || call.grads === undefined) return wrong;
  const outputs = tensorsIn(parts).filter((x) => x.requires_grad);
  const dtype = outputs[0].dtype.name;
  const weights = outputs.map((x) =>
    torch.linspace(0.5, 1.5, x.length, { dtype: x.dtype, device: x.device }).reshape(x.sizes as number[]),
  );
  const parameters = [...network.named_parameters()];
  // PyTorch counts an input that is given twice as two, the second without a gradient of its own.
  const expected = call.grads.slice(0, leaves.length);
  const wanted = [...leaves, ...parameters.map(([, p]) => p)];
  const grads = torch.autograd.grad(outputs, wanted, weights, { allow_unused: true }) as (Tensor | null)[];
  for (const [i, grad] of expected.entries()) {
    const off = compareSummary(grads[i], grad, dtype);
    if (off !== null) return `grad ${i}: ${off}`;
  }
  for (const [i, [name]] of parameters.entries()) {
    const off = compareSummary(grads[leaves.length + i], call.params![name], dtype);
    if (off !== null) return `grad of ${name}: ${off}`;
  }
  return null;
}

const LOOSE = { group: 'scaled_dot_product_attention', backward: false };

function compareNested(actual: unknown, expected: Encoded): string | null {
  if (typeof expected === 'object' && expected !== null && 'packed' in expected) {
    return compareNested(actual, (expected as unknown as { packed: Encoded[] }).packed as never);
  }
  if (!Array.isArray(expected)) return compareResult(actual, expected, LOOSE);
  const items = actual as unknown[];
  if (items.length !== expected.length) return `${items.length} items, expected ${expected.length}`;
  for (const [i, each] of expected.entries()) {
    const wrong = compareNested(items[i], each);
    if (wrong !== null) return `item ${i}: ${wrong}`;
  }
  return null;
}

let warnings: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
});
afterEach(() => {
  warnings.mockRestore();
});

const { groups } = loadFamily<NetworkData>('networks');
const filter = process.env['ORACLE_CASE'] ?? '';
describe(`networks on ${device}`, () => {
  for (const [group, cases] of Object.entries(groups)) {
    const chosen = cases.filter(({ name }) => name.includes(filter));
    if (chosen.length > 0) test(group, () => runAll(group, chosen, runNetwork));
  }
});
