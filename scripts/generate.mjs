// Writes src/torch/generated.ts, named-core.ts, named.ts and elsewhere.ts: the TypeScript signatures and the named exports of
// all ops (those of the small entry point, and the others), and what is not in that, from their declarations. `--check` only says whether they are up to date.
import { readFile, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';

const check = process.argv.includes('--check');

async function loadOps(file) {
  const result = await build({
    entryPoints: [file],
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
    logLevel: 'error',
  });
  const text = result.outputFiles[0].text;
  const module = await import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`);
  return [...module.allOps().values()];
}

const BASE = {
  Tensor: 'Tensor',
  'Tensor|Scalar': 'Tensor | Scalar',
  Scalar: 'Scalar',
  int: 'number | bigint',
  ints: 'readonly (number | bigint)[]',
  float: 'number',
  bool: 'boolean',
  str: 'string',
  dtype: 'DType',
  device: 'DeviceLike',
  Generator: 'Generator',
  Index: 'IndexArgument',
  Operand: "Tensor | readonly (number | bigint | '...')[]",
  Data: 'TensorData',
};

/** What strings a parameter takes, by its name or by those of the op and it. A wrong one is an error in the editor. */
const STRINGS = {
  reduction: 'none mean sum',
  'kl_div.reduction': 'none batchmean mean sum',
  memory_format: 'preserve_format contiguous_format channels_last channels_last_3d',
  rounding_mode: 'trunc floor',
  side: 'left right',
  indexing: 'ij xy',
  interpolation: 'linear lower higher midpoint nearest',
  compute_mode: 'use_mm_for_euclid_dist_if_necessary use_mm_for_euclid_dist donot_use_mm_for_euclid_dist',
  approximate: 'none tanh',
  padding: 'valid same',
  'embedding_bag.mode': 'sum mean max',
  'pad.mode': 'constant reflect replicate circular',
  'interpolate.mode': 'nearest linear bilinear bicubic trilinear area nearest-exact',
  'scatter.reduce': 'add multiply',
  'scatter_.reduce': 'add multiply',
  'scatter_reduce.reduce': 'sum prod mean amax amin',
  'scatter_reduce_.reduce': 'sum prod mean amax amin',
  'linalg_matrix_norm.ord': 'fro nuc',
  'linalg_norm.ord': 'fro nuc',
  'norm.p': 'fro nuc',
};

function stringType(name, op) {
  const values = STRINGS[`${op}.${name}`] ?? STRINGS[name];
  return values === undefined
    ? 'string'
    : values
        .split(' ')
        .map((value) => `'${value}'`)
        .join(' | ');
}

function paramType(p, op) {
  let type = p.type === 'str' ? stringType(p.name, op) : BASE[p.type];
  if (p.list !== null || p.varargs) {
    const list = type.includes('|') ? `readonly (${type})[]` : `readonly ${type}[]`;
    type = p.list === 'single' ? `${type} | ${list}` : list;
  }
  return p.optional ? `${type} | null` : type;
}

function returnType(schema, inplaceThis) {
  const r = schema.returns;
  if (Array.isArray(r)) return `NamedTuple<[${r.map((n) => `'${n}'`).join(', ')}]>`;
  if (inplaceThis && schema.text.includes('Tensor(a!) self')) return 'this';
  return (
    {
      Tensor: 'Tensor',
      'Tensor[]': 'Tensor[]',
      Scalar: 'number',
      bool: 'boolean',
      Values: 'NestedValues',
      TypedArray: 'TypedArray',
      void: 'void',
    }[r] ?? r
  );
}

const safe = (name) => (['function', 'var', 'in', 'default', 'with', 'new', 'this'].includes(name) ? `${name}_` : name);

function optionsType(params, op) {
  return `{ ${params.map((p) => `${p.name}${p.hasDefault ? '?' : ''}: ${paramType(p, op)}`).join('; ')} }`;
}

/** Every way to give the optional positional arguments: the first few by position, the rest in the options. */
function signatures(schema, skipAt, self) {
  const params = schema.params.filter((_, i) => i !== skipAt);
  const positional = params.filter((p) => !p.keywordOnly);
  const keyword = params.filter((p) => p.keywordOnly);
  const required = positional.filter((p) => !p.hasDefault);
  const optional = positional.filter((p) => p.hasDefault);
  const varargs =
    positional.length > 0 && positional[positional.length - 1].varargs ? positional[positional.length - 1] : null;
  const returns = returnType(schema, self);
  const out = [];
  const show = (list, rest) => {
    const parts = list.map((p) => `${safe(p.name)}: ${paramType(p, schema.name)}`);
    if (rest.length > 0) {
      const must = rest.some((p) => !p.hasDefault);
      const type = optionsType(rest, schema.name);
      parts.push(must ? `options: ${type}` : `options?: ${type}`);
    }
    return `(${parts.join(', ')}): ${returns}`;
  };
  if (varargs !== null) {
    const before = positional.slice(0, -1);
    const element = BASE[varargs.type];
    const head = before.map((p) => `${safe(p.name)}: ${paramType(p, schema.name)}, `).join('');
    out.push(show([...before, varargs], keyword));
    // Of a function ints are one list, unless there is nothing else.
    if (before.length > 0 && varargs.type === 'int') return out;
    if (keyword.length > 0) {
      out.push(
        `(${head}...${safe(varargs.name)}: [...sizes: (${element})[], options: ${optionsType(keyword, schema.name)}]): ${returns}`,
      );
    }
    out.push(`(${head}...${safe(varargs.name)}: (${element})[]): ${returns}`);
    return out;
  }
  // Fewer by position last: of several that do not fit, an editor shows the last one's error, which then names the option.
  for (let n = optional.length; n >= 0; n--) {
    out.push(show([...required, ...optional.slice(0, n)], [...optional.slice(n), ...keyword]));
  }
  // What must be given may be given by name, too: `x.softmax({ dim: 1 })`; of a function all but what it is applied to.
  for (let n = required.length - 1; n >= (self ? 0 : 1); n--) {
    out.push(show(required.slice(0, n), [...required.slice(n), ...optional, ...keyword]));
  }
  return out;
}

function member(op, skipFor, self, name = op.name) {
  const lines = [`  /** ${op.doc} */`];
  for (const schema of op.schemas) {
    for (const signature of signatures(schema, skipFor, self)) lines.push(`  ${name}${signature};`);
  }
  return lines.join('\n');
}

const HEADER = '// Made by `npm run generate` from the op declarations in src/ops. Do not edit.\n';
const ops = await loadOps('src/ops/all.ts');
const core = new Set((await loadOps('src/ops/core.ts')).map(({ name }) => name));
const methods = ops.filter((op) => op.method).map((op) => member(op, op.selfAt, true));
const functions = ops.filter((op) => op.function).map((op) => member(op, -1, false));
const functional = ops.filter((op) => op.functional).map((op) => member(op, -1, false));
const linalg = ops.filter((op) => op.linalg).map((op) => member(op, -1, false, op.name.slice('linalg_'.length)));

const generated = `${HEADER}
import type { DeviceLike } from '../core/device.ts';
import type { DType, TypedArray } from '../core/dtype.ts';
import type { Scalar } from '../core/promote.ts';
import type { NestedValues } from '../ops/convert.ts';
import type { TensorData } from '../ops/from-data.ts';
import type { Generator } from '../ops/generator.ts';
import type { IndexArgument } from '../ops/indexing.ts';
import type { NamedTuple } from '../ops/named-tuple.ts';
import type { Tensor } from '../tensor/tensor.ts';

/** Methods of tensors. */
export interface TensorMethods {
${methods.join('\n')}
}

/** Functions of \`torch\`. */
export interface TorchFunctions {
${functions.join('\n')}
}

/** Functions of \`torch.nn.functional\`. */
export interface FunctionalFunctions {
${functional.join('\n')}
}

/** Functions of \`torch.linalg\`. */
export interface LinalgFunctions {
${linalg.join('\n')}
}
`;

/** Exported constants of some of the functions. */
function constants(offered) {
  const renamed = offered.map(({ name }) => name).filter((name) => safe(name) !== name);
  const declared = offered
    // The doc again and the type by its name: declarations would otherwise spell it out, without docs.
    .map(({ name, doc }) => {
      const exported = safe(name) === name ? 'export ' : '';
      return `/** ${doc} */\n${exported}const ${safe(name)}: TorchFunctions['${name}'] = fns.${name};`;
    })
    .join('\n');
  return `${declared}
${renamed.length > 0 ? `export { ${renamed.map((name) => `${safe(name)} as ${name}`).join(', ')} };\n` : ''}`;
}

const offered = ops.filter((op) => op.function);
const namedCore = `${HEADER}
import '../ops/core.ts';
import { functions } from './attach.ts';
import type { TorchFunctions } from './generated.ts';

const fns = functions as unknown as TorchFunctions;
${constants(offered.filter(({ name }) => core.has(name)))}`;
const named = `${HEADER}
import '../ops/all.ts';
import { functions, linalg as linalgFunctions } from './attach.ts';
import type { LinalgFunctions, TorchFunctions } from './generated.ts';

export * from './named-core.ts';

const fns = functions as unknown as TorchFunctions;
/** \`torch.linalg\`: linear algebra and norms. */
export const linalg = linalgFunctions as unknown as LinalgFunctions;
${constants(offered.filter(({ name }) => !core.has(name)))}`;

/** What the small entry point says of names that other families of ops add. In-place forms go by the names of the others. */
const elsewhere = [
  ...new Set(
    ops.filter((op) => !core.has(op.name) && (op.method || op.function)).map(({ name }) => name.replace(/_$/, '')),
  ),
].sort();
const families = `${HEADER}
/** Operations that are not in the package's small entry point. */
export const ELSEWHERE = [
  ${elsewhere
    .join(' ')
    .match(/.{1,120}(?: |$)/g)
    .map((line) => `'${line.trim()}',`)
    .join('\n  ')}
].join(' ');
`;

let stale = false;
for (const [path, text] of [
  ['src/torch/generated.ts', generated],
  ['src/torch/named-core.ts', namedCore],
  ['src/torch/named.ts', named],
  ['src/torch/elsewhere.ts', families],
]) {
  const { execFileSync } = await import('node:child_process');
  const formatted = execFileSync('npx', ['biome', 'format', `--stdin-file-path=${path}`], {
    input: text,
    encoding: 'utf8',
  });
  const before = await readFile(path, 'utf8').catch(() => '');
  if (before === formatted) continue;
  stale = true;
  if (!check) await writeFile(path, formatted);
}
if (check && stale) {
  console.error('a file that npm run generate writes in src/torch is out of date: run `npm run generate`');
  process.exit(1);
}
