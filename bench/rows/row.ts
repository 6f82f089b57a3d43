/** What a row of the bench is. */
import type { Arguments } from '../cases/case.ts';
import type { Target, Variant } from '../results.ts';

interface Named {
  name: string;
  targets: Target[];
}

/** Steps of a case, by everybody who has it. */
export interface CaseRow extends Named {
  kind: 'case';
  case: string;
  args: Arguments;
  unit: 'GFLOP/s' | 'µs' | 'ms';
  /** Floating point operations of a step, where the unit needs them. */
  flops?: number;
  /** Variants of ours that make a difference here. */
  variants?: readonly Variant[];
  /** How many losses from the same weights must be everybody's. */
  losses?: number;
}

/** The memory that a case needs on mtia, as a ratio between two sets of arguments. */
export interface PeakRow extends Named {
  kind: 'peak';
  case: string;
  args: [Arguments, Arguments];
}

/** A process from the import to the first result. */
export interface FirstResultRow extends Named {
  kind: 'first result';
}

/** The size of the package's core, for a page. */
export interface BundleRow extends Named {
  kind: 'bundle';
}

/** A figure of a script of bench/parts, which runs in a process of its own. */
export interface PartRow extends Named {
  kind: 'part';
  script: string;
  args?: readonly string[];
  /** Name of the figure in what the script says. */
  figure: string;
  unit: string;
  higherIsBetter?: boolean;
}

export type Row = CaseRow | PeakRow | FirstResultRow | BundleRow | PartRow;
