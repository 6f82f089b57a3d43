/** `_metadata`: the versions of the modules' classes that go with a state dict, and what loading does about old ones. */
import { expect, test } from 'vitest';
import torch from '../index.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { errorOf } from './fixtures.testing.ts';

const { nn } = torch;
type State = Record<string, Tensor>;

const metadataOf = (state: State) => (state as { _metadata?: unknown })._metadata;
const without = (state: State, ...keys: string[]): State =>
  Object.fromEntries(Object.entries(state).filter(([key]) => !keys.includes(key)));
const model = () => new nn.Sequential(new nn.Linear(2, 3), new nn.BatchNorm1d(3), new nn.MultiheadAttention(3, 1));

test('there are the versions of all modules, and they are no keys', () => {
  const state = model().state_dict();
  expect(metadataOf(state)).toEqual({
    '': { version: 1 },
    '0': { version: 1 },
    '1': { version: 2 },
    '2': { version: 1 },
    '2.out_proj': { version: 1 },
  });
  expect(Object.keys(state)).not.toContain('_metadata');
  expect(metadataOf({ ...state })).toBe(undefined);
  expect(metadataOf(model().state_dict({ destination: {} }))).toBe(undefined);
  expect(metadataOf(new nn.ReLU().state_dict({ prefix: 'a.b.' }))).toEqual({ 'a.b': { version: 1 } });
});

test('torch.save keeps them', () => {
  const saved = torch.load<{ model: State }>(torch.save({ model: model().state_dict() })).model;
  expect(metadataOf(saved)).toEqual(metadataOf(model().state_dict()));
  expect(String(model().load_state_dict(saved))).toBe('<All keys matched successfully>');
});

test('a class of one’s own', () => {
  class Versioned extends nn.Module {
    static override _version = 3;
    weight = new nn.Parameter(torch.ones(1));
    seen: unknown = null;
    override _load_from_state_dict(...args: Parameters<InstanceType<typeof nn.Module>['_load_from_state_dict']>): void {
      this.seen = args[2];
      super._load_from_state_dict(...args);
    }
  }
  const m = new Versioned();
  const state = m.state_dict();
  m.load_state_dict(state);
  expect(m.seen).toEqual({ version: 3 });
  m.load_state_dict(state, { assign: true });
  expect(m.seen).toEqual({ version: 3, assign_to_params_buffers: true });
  expect(metadataOf(state)).toEqual({ '': { version: 3 } });
  m.load_state_dict({ ...state });
  expect(m.seen).toEqual({});
  const seen: unknown[] = [];
  m.register_state_dict_post_hook((_module, _state, _prefix, local) => seen.push(local) && undefined);
  m.register_load_state_dict_pre_hook((_module, _state, _prefix, local) => void seen.push(local));
  m.load_state_dict(m.state_dict());
  expect(seen).toEqual([{ version: 3 }, { version: 3 }]);
});

test('a batch norm of before there was num_batches_tracked', () => {
  const norm = new nn.BatchNorm1d(3);
  norm.num_batches_tracked!.fill_(5);
  const state = norm.state_dict();
  // Made by hand: no versions.
  const old = without(state, 'num_batches_tracked');
  expect(String(norm.load_state_dict(old))).toBe('<All keys matched successfully>');
  expect(norm.num_batches_tracked!.item()).toBe(5);
  expect(Object.keys(old)).not.toContain('num_batches_tracked');
  // With versions it must be there.
  delete (state as Partial<State>)['num_batches_tracked'];
  expect(errorOf(() => norm.load_state_dict(state))).toBe(
    'RuntimeError: Error(s) in loading state_dict for BatchNorm1d:\n\tMissing key(s) in state_dict: "num_batches_tracked". ',
  );
  const plain = new nn.BatchNorm1d(3, { track_running_stats: false });
  expect(errorOf(() => plain.load_state_dict({ ...old }))).toContain('Unexpected key(s)');
});

test('running statistics of an old instance norm', () => {
  const norm = new nn.InstanceNorm1d(3, { affine: true });
  const state = { ...norm.state_dict(), running_mean: torch.zeros(3), running_var: torch.ones(3) };
  expect(errorOf(() => norm.load_state_dict(state))).toBe(
    'RuntimeError: Error(s) in loading state_dict for InstanceNorm1d:\n\tUnexpected running stats buffer(s) "running_mean" and "running_var" for InstanceNorm1d with track_running_stats=False. If state_dict is a checkpoint saved before 0.4.0, this may be expected because InstanceNorm1d does not track running stats by default since 0.4.0. Please remove these keys from state_dict. If the running stats are actually needed, instead set track_running_stats=True in InstanceNorm1d to enable them. See the documentation of InstanceNorm1d for details.',
  );
});
