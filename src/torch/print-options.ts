/** How tensors are printed: `torch.set_printoptions`. */
import { ValueError } from '../core/errors.ts';
import { Signature } from '../core/signature.ts';

export interface PrintOptions {
  /** Digits after the point. Default: 4. */
  precision: number;
  /** Number of elements from which on a tensor is summarized. Default: 1000; Infinity: never. */
  threshold: number;
  /** Elements shown at both ends of each dimension of a summary. Default: 3. */
  edgeitems: number;
  /** Characters per line. Default: 80. */
  linewidth: number;
  /** Scientific notation: true always, false never, null where the values ask for it. Default: null. */
  sci_mode: boolean | null;
}

/** Named settings: `default`, `short` (fewer digits and elements), `full` (no summaries). */
export type PrintProfile = 'default' | 'short' | 'full';

const PROFILES: Readonly<Record<string, Partial<PrintOptions>>> = {
  default: { precision: 4, threshold: 1000, edgeitems: 3, linewidth: 80 },
  short: { precision: 2, threshold: 1000, edgeitems: 2, linewidth: 80 },
  full: { precision: 4, threshold: Infinity, edgeitems: 3, linewidth: 80 },
};

/** What is in force. */
export const options: PrintOptions = { precision: 4, threshold: 1000, edgeitems: 3, linewidth: 80, sci_mode: null };

const SIGNATURE = Signature.of(
  'set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None)',
);

type Given = { [Name in keyof PrintOptions]?: PrintOptions[Name] | null } & { profile?: PrintProfile | null };

/**
 * `torch.set_printoptions`: what is not given stays as it is, but `sci_mode`, which is then chosen by the values again.
 * @param given options; `profile` sets several at once, and the others change it
 */
export function set_printoptions(given?: Given): void;
export function set_printoptions(
  precision: number | null,
  threshold?: number | null,
  edgeitems?: number | null,
  linewidth?: number | null,
  profile?: PrintProfile | null,
  sci_mode?: boolean | null,
): void;
export function set_printoptions(...args: unknown[]): void {
  const [precision, threshold, edgeitems, linewidth, profile, sciMode] = SIGNATURE.bind(args) as [
    ...(number | null)[],
    string | null,
    boolean | null,
  ];
  if (profile !== null) {
    if (!Object.hasOwn(PROFILES, profile as string)) throw new ValueError(`unknown print profile '${profile}'`);
    Object.assign(options, PROFILES[profile as string]);
  }
  const next = { precision, threshold, edgeitems, linewidth } as Record<string, unknown>;
  for (const [name, value] of Object.entries(next)) {
    if (value === null) continue;
    if (typeof value !== 'number' || Number.isNaN(value) || value < 0) {
      throw new TypeError(`set_printoptions(): argument '${name}' must be a number that is not negative, got ${value}`);
    }
    options[name as 'precision'] = value;
  }
  options.sci_mode = sciMode as boolean | null;
}
