/** nn.utils against PyTorch: clipping, vectors, packed and padded sequences, and texts. */
import { describe, expect, test } from 'vitest';
import { device } from '../../../tests/device.ts';
import { compareError, compareResult } from '../../../tests/oracle/compare.ts';
import type { Encoded, ErrorData, TensorData } from '../../../tests/oracle/fixtures.ts';
import { loadFamily } from '../../../tests/oracle/fixtures.ts';
import { runAll } from '../../../tests/oracle/replay.ts';
import { build, decode } from '../../../tests/oracle/values.ts';
import torch from '../../index.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { errorOf } from '../fixtures.testing.ts';

const { nn } = torch;

interface UtilData {
  name: string;
  call: string;
  grads?: Encoded[];
  args: Encoded[];
  kwargs: Record<string, Encoded>;
  result?: Encoded;
  error?: ErrorData;
  after?: (TensorData | null)[];
  text?: string;
}

const { groups } = loadFamily<UtilData>('nn-utils');
const KIND = { group: '', backward: true };

type Make = (data: TensorData) => unknown;

function made(value: Encoded, tensor: Make): unknown {
  if (Array.isArray(value)) return value.map((each) => made(each, tensor));
  if (typeof value === 'object' && value !== null && 'packed' in value) {
    const [data, sizes, ...orders] = (value as unknown as { packed: Encoded[] }).packed.map((part) =>
      made(part, tensor),
    );
    const { PackedSequence } = nn.utils.rnn as unknown as { PackedSequence: new (...parts: unknown[]) => unknown };
    return new PackedSequence(data, (sizes as Tensor).cpu(), ...orders);
  }
  return decode(value, tensor as never);
}

function optionsOf(kwargs: Record<string, Encoded>, tensor: Make): unknown[] {
  const entries = Object.entries(kwargs).map(([key, value]) => [key, made(value, tensor)]);
  return entries.length > 0 ? [Object.fromEntries(entries)] : [];
}

function failed(run: () => unknown, data: UtilData): string | null {
  try {
    run();
  } catch (error) {
    return data.error === undefined ? `threw ${String((error as Error).stack)}` : compareError(error, data.error);
  }
  return data.error === undefined ? null : `is no error, expected ${data.error.text}`;
}

describe(`nn.utils on ${device}`, () => {
  test('clipping', () => {
    const functions = nn.utils as unknown as Record<string, (...args: unknown[]) => unknown>;
    runAll('clipping', groups['clipping'], (data) => {
      const tensor = (d: TensorData) => build(d).x;
      const parameters = data.grads!.map((encoded) => {
        const grad = made(encoded, tensor) as Tensor | null;
        const parameter = (grad === null ? torch.zeros(2) : torch.zeros_like(grad)).requires_grad_();
        parameter.grad = grad;
        return parameter;
      });
      const total = data.call === 'get_total_norm';
      const given = total ? parameters.flatMap(({ grad }) => (grad === null ? [] : [grad])) : parameters;
      let result: unknown;
      const wrong = failed(() => {
        result = functions[data.call](
          given,
          ...data.args.map((a) => made(a, tensor)),
          ...optionsOf(data.kwargs, tensor),
        );
      }, data);
      if (wrong !== null || data.error !== undefined) return wrong;
      // The norm of nothing is on the cpu.
      const norm = result instanceof torch.Tensor ? result.to(device) : result;
      const off = compareResult(norm, data.result!, KIND);
      if (off !== null) return off;
      for (const [i, expected] of (data.after ?? []).entries()) {
        const change = compareResult(parameters[i].grad, expected === null ? null : { T: expected }, KIND);
        if (change !== null) return `grad ${i}: ${change}`;
      }
      return null;
    });
  });

  test('sequences', () => {
    const functions = nn.utils.rnn as unknown as Record<string, (...args: unknown[]) => unknown>;
    runAll('sequences', groups['sequences'], (data) => {
      const leaves: Tensor[] = [];
      const tensor = (d: TensorData) => {
        const x = build(d).x as unknown as Tensor;
        if (d.grad) leaves.push(x);
        return x;
      };
      let result: unknown;
      const wrong = failed(() => {
        const args = data.args.map((a) => made(a, tensor));
        // Lengths are on the cpu.
        if (args[1] instanceof torch.Tensor) args[1] = (args[1] as Tensor).cpu();
        result = functions[data.call](...args, ...optionsOf(data.kwargs, tensor));
      }, data);
      if (wrong !== null || data.error !== undefined) return wrong;
      const outputs: Tensor[] = [];
      const off = compareNested(result, data.result!, outputs);
      if (off !== null || data.grads === undefined) return off;
      const recorded = outputs.filter((x) => x.requires_grad);
      const weights = recorded.map((x) =>
        torch.linspace(0.5, 1.5, x.length, { dtype: x.dtype, device: x.device }).reshape(x.sizes as number[]),
      );
      const grads = torch.autograd.grad(recorded, leaves, weights);
      for (const [i, expected] of data.grads.entries()) {
        const change = compareResult(grads[i], { T: expected } as never, KIND);
        if (change !== null) return `grad ${i}: ${change}`;
      }
      return null;
    });
  });
});

function compareNested(actual: unknown, expected: Encoded, outputs: Tensor[]): string | null {
  if (typeof expected === 'object' && expected !== null && 'packed' in expected) {
    const parts = (expected as unknown as { packed: Encoded[] }).packed;
    return compareNested([...(actual as Iterable<unknown>)], parts as never, outputs);
  }
  if (!Array.isArray(expected)) {
    if (actual instanceof torch.Tensor) outputs.push(actual);
    // Sizes and lengths are on the cpu.
    return compareResult(actual instanceof torch.Tensor ? actual.to(device) : actual, expected, KIND);
  }
  const items = [...(actual as Iterable<unknown>)];
  if (items.length !== expected.length) return `${items.length} items, expected ${expected.length}`;
  for (const [i, each] of expected.entries()) {
    const wrong = compareNested(items[i], each, outputs);
    if (wrong !== null) return `item ${i}: ${wrong}`;
  }
  return null;
}

describe.runIf(device === 'cpu')('containers', () => {
  const text = (name: string) => groups['texts'].find((each) => each.name === name)!.text;

  test('texts', () => {
    const x = torch.arange(6, { dtype: torch.float32 }).reshape(3, 2);
    expect(String(nn.utils.rnn.pack_padded_sequence(x, [3, 1]))).toBe(text('packed'));
    const list = new nn.ParameterList<unknown>([torch.ones(2, 3), torch.zeros(1), 3]);
    expect(String(list)).toBe(text('list'));
    const dict = { b: torch.ones(2, 3, { dtype: torch.float64 }), a: torch.zeros([]) };
    expect(String(new nn.ParameterDict(dict))).toBe(text('dict'));
    expect(String(new nn.ParameterList())).toBe(text('empty'));
  });

  test('ParameterList', () => {
    const list = new nn.ParameterList([torch.ones(1), torch.zeros(2)]);
    list.append(torch.ones(3)).set(-3, torch.ones(4));
    expect([list.length, list.at(0).sizes, list.at(-1).sizes]).toEqual([3, [4], [3]]);
    expect([...list.named_parameters()].map(([name]) => name)).toEqual(['0', '1', '2']);
    expect([...list].every((each) => each instanceof nn.Parameter)).toBe(true);
    expect([...list.slice(1)].map((each) => each.length)).toEqual([2, 3]);
    expect(errorOf(() => list.at(3))).toBe('IndexError: index 3 is out of range');
    expect(errorOf(() => list.extend(3 as never))).toBe(
      'TypeError: ParameterList.extend should be called with an iterable, but got int',
    );
    expect(errorOf(() => (list as unknown as () => void)())).toBe('RuntimeError: ParameterList should not be called.');
    const copy = nn.deepCopy(list);
    copy.append(torch.ones(1));
    expect([list.length, copy.length]).toEqual([3, 4]);
  });

  test('ParameterDict', () => {
    const dict = new nn.ParameterDict({ b: torch.ones(2), a: torch.zeros(1) });
    expect(Object.keys(dict.state_dict())).toEqual(['a', 'b']);
    dict.update([['c', torch.ones(3)]]);
    expect([...dict.keys(), dict.length, dict.has('c'), dict.get('d', 7)]).toEqual(['a', 'b', 'c', 3, true, 7]);
    expect(dict.popitem()[0]).toBe('c');
    expect(dict.setdefault('e', torch.ones(1)).length).toBe(1);
    expect([...dict.copy().items()].map(([name]) => name)).toEqual(['a', 'b', 'e']);
    expect(errorOf(() => dict.get('z'))).toBe('KeyError: z');
    expect(errorOf(() => dict.update([['f']] as never))).toBe(
      'ValueError: ParameterDict update sequence element #0 has length 1; 2 is required',
    );
    dict.clear();
    expect([dict.length, [...dict.parameters()].length]).toEqual([0, 0]);
  });

  test('lists and sequences of modules are cut and changed', () => {
    const m = new nn.Sequential(new nn.ReLU(), new nn.Tanh(), new nn.Sigmoid());
    m.insert(1, new nn.Identity());
    expect([...m].map(String)).toEqual(['ReLU()', 'Identity()', 'Tanh()', 'Sigmoid()']);
    expect(String(m.pop(-1))).toBe('Sigmoid()');
    m.set(0, new nn.Sigmoid());
    m.delete(1);
    expect([...m.named_children()].map(([name, child]) => `${name} ${child}`)).toEqual(['0 Sigmoid()', '1 Tanh()']);
    expect([...m.slice(1).named_children()].map(([name]) => name)).toEqual(['1']);
    const list = new nn.ModuleList([new nn.ReLU(), new nn.Tanh()]);
    list.insert(0, new nn.Identity());
    expect([list.slice(1).length, String(list.pop(1)), list.length]).toEqual([2, 'ReLU()', 2]);
    const dict = new nn.ModuleDict({ a: new nn.ReLU() });
    expect(errorOf(() => dict.update([['b']] as never))).toBe(
      'ValueError: ModuleDict update sequence element #0 has length 1; 2 is required',
    );
    dict.clear();
    expect(dict.length).toBe(0);
  });

  test('vectors', () => {
    const linear = new nn.Linear(2, 1);
    const vector = nn.utils.parameters_to_vector(linear.parameters());
    vector.sum().backward();
    expect([vector.length, linear.weight.grad!.tolist()]).toEqual([3, [[1, 1]]]);
    nn.utils.vector_to_parameters(torch.tensor([1, 2, 3]), linear.parameters());
    expect([linear.weight.tolist(), linear.bias!.tolist()]).toEqual([[[1, 2]], [3]]);
    expect(errorOf(() => nn.utils.vector_to_parameters(3 as never, []))).toBe(
      'TypeError: expected torch.Tensor, but got: int',
    );
    const mixed = [torch.ones(1), torch.ones(1, { device: 'mtia' })];
    expect(errorOf(() => nn.utils.parameters_to_vector(mixed))).toContain('on different devices');
  });
});
