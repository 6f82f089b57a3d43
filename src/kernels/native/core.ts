/**
 * OpenBLAS brings kernels for many processors and chooses at loading, by a list of models. A model younger than the library
 * gets those of 2004 (Prescott), which are slower than our own; so then it is told to choose again, by what the processor can
 * do. Whoever sets OPENBLAS_CORETYPE has chosen.
 */

type Call = (...args: (number | string)[]) => unknown;
/** The function of that name in the library or in what it is linked with; null: there is none. */
export type Find = (name: string, result: string, parameters: string[]) => Call | null;

const FALLBACK = 'Prescott';
const SETTING = 'OPENBLAS_CORETYPE';
/** The most able first, and what of a processor they need. AVX-512 as in every processor since Skylake's servers. */
const CORES: readonly (readonly [string, readonly string[]])[] = [
  ['SKYLAKEX', ['avx512f', 'avx512cd', 'avx512bw', 'avx512dq', 'avx512vl', 'fma']],
  ['HASWELL', ['avx2', 'fma']],
];

/** The cores whose kernels a processor with these features runs. */
export function coresFor(features: ReadonlySet<string>): string[] {
  return CORES.filter(([, needed]) => needed.every((f) => features.has(f))).map(([core]) => core);
}

/** The features that the system tells, in what Linux says of its processors; elsewhere none. */
export function featuresIn(cpuinfo: string): Set<string> {
  return new Set(/^flags\s*:\s*(.*)$/m.exec(cpuinfo)?.[1].split(/\s+/) ?? []);
}

/** Whether a core's vectors are of 512 bits. */
export const isWide = (core: string): boolean => /^(SkylakeX|Cooperlake|SapphireRapids)$/i.test(core);

/** Has the library choose again where it did not know the processor. The name of the core that it uses; empty: unknown. */
export function chooseCore(find: Find, features: () => ReadonlySet<string>): string {
  const name = find('openblas_get_corename', 'str', []);
  if (name === null) return '';
  const chosen = String(name());
  if (chosen !== FALLBACK) return chosen;
  const [quit, init] = [find('gotoblas_dynamic_quit', 'void', []), find('gotoblas_dynamic_init', 'void', [])];
  const [get, set, unset] = [
    find('getenv', 'str', ['str']),
    // The process's own environment: a worker's is a copy that no library sees.
    find('setenv', 'int', ['str', 'str', 'int']),
    find('unsetenv', 'int', ['str']),
  ];
  if (!quit || !init || !get || !set || !unset || (get(SETTING) ?? null) !== null) return chosen;
  for (const core of coresFor(features())) {
    set(SETTING, core, 1);
    quit();
    init();
    unset(SETTING);
    const now = String(name());
    // A library older than that core as well falls back again.
    if (now !== FALLBACK) return now;
  }
  return chosen;
}
