/** The lines of the table of results: one for each row and each way of ours to do it. For the terminal and for Markdown. */
import Table from 'cli-table3';
import {
  disturbed,
  type Against,
  best,
  type Contender,
  judge,
  type Judgement,
  ratio,
  type Result,
  type Run,
  type Variant,
} from './results.ts';

export interface Line {
  name: string;
  /** `cpu`, `mtia, BLAS` … */
  on: string;
  us: string;
  pytorch: string;
  javascript: string;
  native: string;
  /** To PyTorch, and to the best JavaScript peer. Above 1 we are faster. */
  ratio: string;
  target: string;
  met: string;
}

const VARIANTS: Record<Variant, string> = { blas: 'BLAS', compile: 'compiled', '1thread': '1 thread' };
const AGAINST: Record<Against, string> = {
  pytorch: 'P',
  javascript: 'JS',
  '1thread': 'its 1 thread',
  eager: 'eager',
};
const ABSENT: Record<Against, string> = {
  pytorch: 'no PyTorch',
  javascript: 'no JavaScript peer',
  '1thread': 'no figure of 1 thread',
  eager: 'no eager figure',
};

/** Three digits that count. */
export function show(value: number): string {
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

/** `tfjs-wasm 4.22.0` → `tfjs-wasm`; of PyTorch the version says which. */
const short = (id: string): string => (id.startsWith('torch ') ? id.slice(6) : id.split(' ')[0]);

const name = (device: string, variant?: Variant): string =>
  variant === undefined ? device : `${device}, ${VARIANTS[variant]}`;

function wanted({ target }: Judgement, result: Result): string {
  if (target.against !== undefined) return `≥ ${target.bound} ${AGAINST[target.against]}`;
  return `${result.higherIsBetter ? '≥' : '≤'} ${target.bound} ${result.unit}`;
}

function verdict(judgements: readonly Judgement[], unit: string): string {
  if (judgements.length === 0) return '';
  const missed = judgements.filter(({ met }) => !met);
  if (missed.length === 0) return 'met';
  const reasons = missed.map(({ target, value }) => {
    if (target.against === undefined) return `${show(value!)} ${unit}`;
    return value === null ? ABSENT[target.against] : `${show(value)} ${AGAINST[target.against]}`;
  });
  return `NOT MET: ${reasons.join(', ')}`;
}

function lineOf(result: Result, contenders: readonly Contender[], ours: Contender): Line | null {
  const figure = result.figures.find(({ contender }) => contender === ours.id);
  if (figure === undefined) return null;
  const of = (kind: Contender['kind']) => best(result, contenders, (contender) => contender.kind === kind);
  const peer = (kind: Contender['kind']) => {
    const found = of(kind);
    return found === null ? '' : `${show(found.median)} (${short(found.contender)})`;
  };
  const ratios = (['pytorch', 'javascript'] as const).flatMap((kind) => {
    const found = of(kind);
    return found === null ? [] : [`${show(ratio(result, figure, found))} ${AGAINST[kind]}`];
  });
  const judgements = judge(result, contenders, ours);
  const busy = judgements.length > 0 && disturbed([result]).length > 0;
  return {
    name: result.name,
    on: name(ours.id.split('+')[0], ours.variant),
    us: `${show(figure.median)} ${result.unit}${figure.spread === null ? '' : ` ±${Math.round(100 * figure.spread)} %`}`,
    pytorch: peer('pytorch'),
    javascript: peer('javascript'),
    native: peer('native'),
    ratio: ratios.join(', '),
    target: judgements.map((judgement) => wanted(judgement, result)).join('; '),
    met: busy ? `(busy) ${verdict(judgements, result.unit)}`.trim() : verdict(judgements, result.unit),
  };
}

/** A target for something that was not there to be measured is not met either. */
function absent(result: Result, contenders: readonly Contender[]): Line[] {
  const lines: Line[] = [];
  for (const variant of ['blas', 'compile'] as const) {
    const targets = result.targets.filter(({ of }) => of?.includes(variant));
    if (targets.length === 0) continue;
    const there = contenders.some((contender) => contender.variant === variant);
    const measured = result.figures.some(({ contender }) => contender.endsWith(`+${variant}`));
    if (measured) continue;
    lines.push({
      name: result.name,
      on: name('cpu, mtia', variant),
      us: '-',
      pytorch: '',
      javascript: '',
      native: '',
      ratio: '',
      target: targets.map((target) => wanted({ target, value: null, met: false }, result)).join('; '),
      met: `NOT MET: ${there ? 'it failed' : `nothing ${variant === 'blas' ? 'with BLAS' : 'compiled'} here`}`,
    });
  }
  return lines;
}

export function linesOf({ results, contenders }: Pick<Run, 'results' | 'contenders'>): Line[] {
  const ours = contenders.filter(({ kind, variant }) => kind === 'ours' && variant !== '1thread');
  return results.flatMap((result) => [
    ...ours.map((contender) => lineOf(result, contenders, contender)).filter((line) => line !== null),
    ...absent(result, contenders),
  ]);
}

const COLUMNS: [title: string, key: keyof Line][] = [
  ['case', 'name'],
  ['on', 'on'],
  ['us', 'us'],
  ['PyTorch (P)', 'pytorch'],
  ['JavaScript (JS)', 'javascript'],
  ['native', 'native'],
  ['ratio', 'ratio'],
  ['target', 'target'],
  ['met', 'met'],
];

/** A row's name is said once. */
const withoutRepeats = (lines: readonly Line[]): Line[] =>
  lines.map((line, i) => (lines[i - 1]?.name === line.name ? { ...line, name: '' } : line));

export function terminalTable(lines: readonly Line[]): string {
  const used = COLUMNS.filter(([, key]) => lines.some((line) => line[key] !== ''));
  const table = new Table({ head: used.map(([title]) => title), style: { head: [], border: [] } });
  for (const line of withoutRepeats(lines)) table.push(used.map(([, key]) => line[key]));
  return table.toString();
}

export function markdownTable(lines: readonly Line[]): string {
  const row = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    row(COLUMNS.map(([title]) => title)),
    row(COLUMNS.map(() => '---')),
    ...withoutRepeats(lines).map((line) => row(COLUMNS.map(([, key]) => line[key]))),
  ].join('\n');
}
