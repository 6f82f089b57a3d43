/** `mtia ops`: which operations there are, by device and dtype, from their declarations; what PyTorch has besides. */
import { namesOf } from '../absent/guard.ts';
import { DTYPES, type DType } from '../core/dtype.ts';
import { allOps, type Op } from '../ops/registry.ts';
import type { Torch } from './figures.ts';
import { docOf } from './op-docs.ts';
import { type Probed, probe } from './ops-probe.ts';
import { type Colors, colorsFor, UsageError } from './style.ts';
import { editDistance } from './suggest.ts';

export interface OpsOptions {
  json?: boolean;
  dtype?: string;
  device?: string;
  missing?: boolean;
}

/** One name, as users see it. */
interface Row {
  readonly name: string;
  /** `torch`, `Tensor`, `nn.functional`. */
  readonly where: readonly string[];
  readonly doc: string;
  readonly schemas: readonly string[];
  readonly dtypes: readonly string[];
  readonly devices: readonly string[];
  readonly grad: boolean;
}

const DEVICES = ['cpu', 'mtia', 'meta'];

function rowOf(op: Op, { dtypes, meta, grad }: Probed): Row {
  const where: string[] = [];
  if (op.function) where.push('torch');
  if (op.method) where.push('Tensor');
  if (op.functional) where.push('nn.functional');
  // Namespaces that are made of operations by their names.
  if (where.length === 0 && op.name.startsWith('linalg_')) where.push('linalg');
  return {
    name: op.name,
    where,
    doc: docOf(op),
    schemas: op.schemas.map(({ text }) => text),
    dtypes: dtypes.map(({ name }) => name),
    devices: meta ? DEVICES : DEVICES.slice(0, 2),
    grad,
  };
}

/** Spaces of PyTorch whose names may be missing. */
function missing(torch: Torch): Record<string, string[]> {
  const spaces: Record<string, object> = {
    torch,
    'torch.Tensor': torch.Tensor.prototype,
    'torch.nn': torch.nn,
    'torch.nn.functional': torch.nn.functional,
    'torch.optim': torch.optim,
  };
  return Object.fromEntries(
    Object.entries(spaces).map(([name, space]) => [name, [...namesOf(name)].filter((key) => !(key in space))]),
  );
}

export function ops(torch: Torch, name: string | undefined, options: OpsOptions): string {
  if (options.missing) {
    const found = missing(torch);
    return options.json ? JSON.stringify(found, null, 2) : missingText(found, colorsFor(process.stdout));
  }
  if (options.dtype !== undefined && !DTYPES.some((dtype) => dtype.name === options.dtype)) {
    throw new UsageError(`'${options.dtype}' is no dtype; there are ${DTYPES.map((dtype) => dtype.name).join(', ')}`);
  }
  if (options.device !== undefined && !DEVICES.includes(options.device)) {
    throw new UsageError(`'${options.device}' is no device; there are ${DEVICES.join(', ')}`);
  }
  const all = [...allOps().values()].filter((op) => name === undefined || op.name === name);
  if (all.length === 0) throw new UsageError(unknown(torch, name!));
  const rows = quietly(() => all.map((op) => rowOf(op, probe(torch, op))))
    .filter(({ dtypes }) => options.dtype === undefined || dtypes.includes(options.dtype))
    .filter(({ devices }) => options.device === undefined || devices.includes(options.device))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (options.json) return JSON.stringify(rows, null, 2);
  const colors = colorsFor(process.stdout);
  return name === undefined ? listText(rows, colors) : rows.map((row) => detailText(row, colors)).join('\n\n');
}

/** Without the warnings that operations have for programs. */
function quietly<T>(fn: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return fn();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function unknown(torch: Torch, name: string): string {
  const bare = name.replace(/^(torch\.)?(Tensor\.|nn\.functional\.|F\.)?/, '');
  const known = [...allOps().keys()];
  if (known.includes(bare)) return `operations go by their names alone: mtia ops ${bare}`;
  if (Object.values(missing(torch)).some((names) => names.includes(bare))) {
    return `${bare} is in PyTorch, but not implemented in torch-mtia`;
  }
  const near = known
    .map((other) => [editDistance(name, other), other] as const)
    .sort(([a], [b]) => a - b)
    .filter(([distance]) => distance <= Math.max(1, Math.floor(name.length / 3)))
    .slice(0, 3)
    .map(([, other]) => other);
  return `there is no operation ${name}${near.length > 0 ? `. Did you mean ${near.join(' or ')}?` : ''}`;
}

/** Dtypes by their kinds where these are complete: `float`, `int`, `bool`. */
function dtypesText(names: readonly string[]): string {
  if (names.length === DTYPES.length) return 'all';
  const parts: string[] = [];
  for (const [kind, of] of KINDS) {
    const inKind = DTYPES.filter(of).map(({ name }) => name);
    const there = inKind.filter((name) => names.includes(name));
    if (there.length === 0) continue;
    if (there.length === inKind.length) parts.push(kind);
    else parts.push(...there);
  }
  return parts.join(', ');
}

const KINDS: readonly (readonly [string, (dtype: DType) => boolean])[] = [
  ['float', (dtype) => dtype.is_floating_point],
  ['int', (dtype) => dtype.category === 1],
  ['bool', (dtype) => dtype.category === 0],
];

function listText(rows: readonly Row[], colors: Colors): string {
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  const lines = rows.map(({ name, dtypes, devices, grad, doc }) => {
    const types = dtypesText(dtypes);
    const where = devices.length === DEVICES.length ? '' : ` (${devices.join(', ')})`;
    return `${name.padEnd(width)}  ${types.padEnd(11)} ${grad ? 'grad' : '    '}  ${colors.dim(doc + where)}`;
  });
  const kinds = KINDS.map(
    ([kind, of]) =>
      `${kind}: ${DTYPES.filter(of)
        .map(({ name }) => name)
        .join(' ')}`,
  );
  return [
    ...lines,
    '',
    `${rows.length} operations on cpu and mtia; on meta, too, where nothing else is said. ${kinds.join('; ')}.`,
    'mtia ops <name> shows one, mtia ops --missing what PyTorch has besides.',
  ].join('\n');
}

function detailText({ name, where, doc, schemas, dtypes, devices, grad }: Row, colors: Colors): string {
  return [
    `${colors.bold(name)}: ${doc}`,
    ...schemas.map((schema) => `  ${schema}`),
    `in        ${where.map((space) => (space === 'torch' || space === 'Tensor' ? space : `torch.${space}`)).join(', ')}`,
    `dtypes    ${dtypes.join(' ')}`,
    `devices   ${devices.join(' ')}`,
    `gradient  ${grad ? 'yes' : 'no'}`,
  ].join('\n');
}

function missingText(found: Readonly<Record<string, readonly string[]>>, colors: Colors): string {
  const parts = Object.entries(found).map(
    ([space, names]) => `${colors.bold(space)}, ${names.length} of ${namesOf(space).size}:\n${wrap(names)}`,
  );
  return `In PyTorch 2.13, and not here:\n\n${parts.join('\n\n')}`;
}

function wrap(names: readonly string[], width = 100): string {
  const lines = ['  '];
  for (const name of names) {
    if (lines[lines.length - 1].length + name.length > width) lines.push('  ');
    lines[lines.length - 1] += `${name} `;
  }
  return lines.map((line) => line.trimEnd()).join('\n');
}
