/**
 * What everyday programs use is compared with PyTorch, on cpu, behind mtia's worker and inline: every operation and module of
 * everyday-names.json has recorded results in every dtype (taken or refused), of tensors that are not contiguous, of empty ones,
 * its gradient and its in-place form, in a fixture that a test replays on the three. How many reprs and error texts there are.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { namesOf } from '../../src/absent/guard.ts';
import { DTYPES } from '../../src/core/dtype.ts';
import { onEveryDevice } from '../../vitest.config.ts';
import { Counts, countsOf } from './counts.ts';

type Lists = Record<string, string>;
const lists = JSON.parse(readFileSync(new URL('everyday-names.json', import.meta.url), 'utf8')) as {
  operations: Lists;
  modules: Lists;
  containers: string;
  optimizers: string;
  schedulers: string;
};
const words = (text: string) => text.split(' ');

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
/** The text of the tests that run on all devices, with that of the replaying modules that they import. */
const replaying = [...onEveryDevice.map(read), ...['src/nn/layers.testing.ts'].map(read)].join('\n');
const replayed = (family: string) => replaying.includes(`'${family}'`) || replaying.includes(`/${family}.json'`);

const FAMILIES = [
  ...['pointwise', 'binary', 'promotion', 'elementary', 'pairs', 'activations', 'reductions', 'reducing', 'views'],
  ...['copies', 'rearranging', 'everyday', 'every-dtype', 'indexing', 'gathering', 'placing', 'sorting', 'matmul'],
  ...[
    'products',
    'distributions',
    'creation',
    'images',
    'convolutions',
    'pools',
    'norms',
    'interpolation',
    'attention',
  ],
  ...['functional', 'losses', 'losses-more', 'distances', 'layers', 'image_layers', 'networks', 'nn-utils'],
  ...['array-results', 'inplace', 'optimizers', 'errors', 'fuzz', 'reprs', 'printing'],
];

test.each(FAMILIES)('%s is replayed on every device', (family) => expect(replayed(family)).toBe(true));

const counts = new Map<string, Counts>();
for (const family of FAMILIES) countsOf(family, counts);
const of = (name: string) => counts.get(name) ?? new Counts();

/** Of an empty batch PyTorch gives an error of its own insides, or another shape: there is nothing to equal. */
const UNDEFINED_WHEN_EMPTY = ['instance_norm', 'pixel_unshuffle'];

/** What a name lacks, in words. `factory`: it takes no tensors. */
function lacks(name: string, gradient: boolean, factory: boolean): string[] {
  const { results, gradients, dtypes, strided, empty } = of(name);
  if (results === 0) return [`${name}: results`];
  const missing = DTYPES.map((dtype) => dtype.name).filter((dtype) => !dtypes.has(dtype));
  const found = missing.length > 0 ? [`dtypes ${missing}`] : [];
  if (strided === 0 && !factory) found.push('a tensor that is not contiguous');
  if (empty === 0 && !factory && !UNDEFINED_WHEN_EMPTY.includes(name)) found.push('an empty tensor');
  if (gradient && gradients === 0) found.push('gradients');
  return found.map((what) => `${name}: ${what}`);
}

describe('operations', () => {
  test.each(Object.entries(lists.operations))('%s', (group, names) => {
    const gradient = !group.includes('without a gradient') && !group.startsWith('random');
    expect(words(names).flatMap((name) => lacks(name, gradient, group === 'random factories'))).toEqual([]);
  });

  test('in-place forms', () => {
    const methods = new Set(namesOf('torch.Tensor'));
    const inplace = Object.values(lists.operations)
      .flatMap(words)
      .map((name) => `${name}_`)
      .filter((name) => methods.has(name));
    expect(inplace.length).toBeGreaterThan(60);
    expect(inplace.filter((name) => of(name).results === 0)).toEqual([]);
  });
});

/** They change what they are given. */
const WITHOUT_RESULT = ['clip_grad_norm_', 'clip_grad_value_', 'vector_to_parameters'];

test.each(Object.entries(lists.modules))('modules: %s', (_, names) => {
  expect(words(names).filter((name) => of(name).results === 0)).toEqual([]);
  // Embeddings take positions: the gradients of their matrices are recorded with the functions.
  const without = words(names).filter((name) => of(name).gradients === 0 && !name.startsWith('Embedding'));
  expect(without.filter((name) => !WITHOUT_RESULT.includes(name))).toEqual([]);
});

test('optimizers and schedulers', () => {
  const names = [...words(lists.optimizers), ...words(lists.schedulers)];
  expect(names.filter((name) => of(name).results === 0)).toEqual([]);
});

test('containers: their texts', () => {
  const { programs } = JSON.parse(read('tests/fixtures/module-reprs.json')) as { programs: Record<string, string> };
  const texts = Object.values(programs).join('\n');
  expect(words(lists.containers).filter((name) => !texts.includes(`${name}(`))).toEqual([]);
});

test('texts recorded from PyTorch: at least 120 reprs and 100 errors', () => {
  const reprs = new Set<string>();
  const errors = new Set<string>();
  for (const { texts, messages } of counts.values()) {
    for (const text of texts) reprs.add(text);
    for (const text of messages) errors.add(text);
  }
  expect(reprs.size).toBeGreaterThanOrEqual(120);
  expect(errors.size).toBeGreaterThanOrEqual(100);
});
