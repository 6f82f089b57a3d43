/** Names that PyTorch has beside those of other ops. */
import { allOps, define, type Op } from './registry.ts';

/** By name, the op that it stands for. In-place forms follow. */
export const aliases: Readonly<Record<string, string>> = {
  absolute: 'abs',
  arccos: 'acos',
  arccosh: 'acosh',
  arcsin: 'asin',
  arcsinh: 'asinh',
  arctan: 'atan',
  arctan2: 'atan2',
  arctanh: 'atanh',
  clip: 'clamp',
  divide: 'div',
  fix: 'trunc',
  greater: 'gt',
  greater_equal: 'ge',
  less: 'lt',
  less_equal: 'le',
  multiply: 'mul',
  negative: 'neg',
  not_equal: 'ne',
  subtract: 'sub',
  true_divide: 'div',
};

/** Whose in-place forms are functions, too. */
const INPLACE_FUNCTIONS: ReadonlySet<string> = new Set([
  ...['arccos', 'arccosh', 'arcsin', 'arcsinh', 'arctan', 'arctanh', 'clip', 'fix', 'negative'],
]);

function alias(name: string, op: Op, fn: boolean): void {
  const schemas = op.schemas.map((schema) => {
    const text = schema.text.replace(op.name, name);
    return name.startsWith('true_divide') ? text.replace(/, \*, str\? rounding_mode=None/, '') : text;
  });
  define(
    { doc: `Another name of \`${op.name}\`.`, method: op.method, function: fn, selfAt: op.selfAt },
    Object.fromEntries(schemas.map((text, i) => [text, withoutMode(op.implementations[i], name)])),
    op.entry ?? undefined,
  );
}

/** true_divide has no rounding mode. */
function withoutMode(implementation: Op['implementations'][number], name: string): Op['implementations'][number] {
  return name.startsWith('true_divide') ? (...values) => implementation(...values, null) : implementation;
}

for (const [name, of] of Object.entries(aliases)) {
  const op = allOps().get(of)!;
  alias(name, op, op.function);
  const written = allOps().get(`${of}_`);
  if (written !== undefined) alias(`${name}_`, written, INPLACE_FUNCTIONS.has(name));
}
