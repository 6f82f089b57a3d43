/** OpenBLAS is told what a processor can do that it does not know, and left alone otherwise. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { lookForBlas } from './blas.ts';
import { chooseCore, coresFor, type Find, featuresIn, isWide } from './core.ts';

const AVX2 = new Set(['fma', 'avx2']);
const AVX512 = new Set([...AVX2, 'avx512f', 'avx512cd', 'avx512bw', 'avx512dq', 'avx512vl']);

/** A library that takes its core from the environment when it is initialized, if it has that one. */
function library(core: string, has: string[], env: Record<string, string> = {}, without: string[] = []) {
  const calls: string[] = [];
  let now: string | null = core;
  const functions: Record<string, (...args: (number | string)[]) => unknown> = {
    openblas_get_corename: () => now,
    gotoblas_dynamic_quit: () => (now = null),
    gotoblas_dynamic_init: () => {
      calls.push(env['OPENBLAS_CORETYPE']);
      now ??= has.includes(env['OPENBLAS_CORETYPE']) ? env['OPENBLAS_CORETYPE'] : 'Prescott';
    },
    getenv: (name) => env[name] ?? null,
    setenv: (name, value) => (env[name] = String(value)),
    unsetenv: (name) => delete env[name],
  };
  const find: Find = (name) => (without.includes(name) ? null : functions[name]);
  return { find, calls, env };
}

test('a processor that the library does not know gets the most able kernels that it runs', () => {
  const both = library('Prescott', ['SKYLAKEX', 'HASWELL']);
  expect(chooseCore(both.find, () => AVX512)).toBe('SKYLAKEX');
  expect(both.env).toEqual({});
  expect(chooseCore(library('Prescott', ['SKYLAKEX', 'HASWELL']).find, () => AVX2)).toBe('HASWELL');
  const old = library('Prescott', ['HASWELL']);
  expect(chooseCore(old.find, () => AVX512)).toBe('HASWELL');
  expect(old.calls).toEqual(['SKYLAKEX', 'HASWELL']);
});

test('it is left alone where it knows the processor, where somebody has chosen, and where it cannot choose again', () => {
  const cases = [
    library('Zen', ['SKYLAKEX', 'HASWELL']),
    library('Prescott', ['SKYLAKEX'], { OPENBLAS_CORETYPE: 'PRESCOTT' }),
    library('Prescott', ['SKYLAKEX'], {}, ['gotoblas_dynamic_init']),
    library('Prescott', ['SKYLAKEX'], {}, ['openblas_get_corename']),
  ];
  expect(cases.map(({ find }) => chooseCore(find, () => AVX512))).toEqual(['Zen', 'Prescott', 'Prescott', '']);
  for (const { calls } of cases) expect(calls).toEqual([]);
  const plain = library('Prescott', ['SKYLAKEX']);
  expect(chooseCore(plain.find, () => new Set(['sse3']))).toBe('Prescott');
  expect(plain.calls).toEqual([]);
});

test('cores with vectors of 512 bits', () => {
  expect(['SkylakeX', 'SKYLAKEX', 'Cooperlake', 'Zen', 'Haswell', ''].map(isWide)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('features are read from what Linux says', () => {
  expect(coresFor(featuresIn('model\t: 207\nflags\t\t: fpu fma avx2 sse4_2\nbugs : avx512f\n'))).toEqual(['HASWELL']);
  expect(featuresIn('Features : asimd').size).toBe(0);
});

const found = lookForBlas();
const usable = !('missing' in found) && found.name === 'OpenBLAS' && process.platform === 'linux';

test.runIf(usable)("the machine's own library does not fall back where the processor can do more", () => {
  if ('missing' in found) throw new Error(found.missing);
  const able = coresFor(featuresIn(readFileSync('/proc/cpuinfo', 'latin1'))).length > 0;
  const koffi = createRequire(found.f32.koffi)(found.f32.koffi) as {
    load(path: string): { func(name: string, result: string, parameters: string[]): () => string };
  };
  const name = koffi.load(found.path).func('openblas_get_corename', 'str', [])();
  expect(able && process.env['OPENBLAS_CORETYPE'] === undefined && name === 'Prescott').toBe(false);
});
