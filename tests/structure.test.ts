/**
 * The rules of docs/architecture.md that a reader cannot see at a glance: which way imports go, what the core may not
 * use, how long files get.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Rows of the picture in docs/architecture.md, top to bottom. Folders of one row may import from each other. */
const ROWS = [
  ['cli'],
  ['index.ts', 'types.ts', 'entries'],
  [
    'torch',
    'nn',
    'optim',
    'data',
    'mtia',
    'accelerator',
    'sanitizer',
    'backends',
    'absent',
    'serialization',
    'amp',
    'compile',
  ],
  ['ops'],
  ['autograd'],
  ['tensor'],
  ['kernels'],
  ['devices'],
  ['memory', 'chip'],
  ['core'],
];
/** Read by everybody, as types only: the method signatures that follow from the ops. */
const SIGNATURES = 'torch/generated.ts';

const LONG = 400;
const TOO_LONG = 800;

interface Source {
  /** Relative to src, with slashes. */
  name: string;
  text: string;
  code: string;
}

function read(): Source[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.test(ing)?\.ts$/.test(name))
    .map((name) => {
      const text = readFileSync(join(root, 'src', name), 'utf8');
      return { name: name.replaceAll('\\', '/'), text, code: withoutComments(text) };
    });
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

interface Import {
  specifier: string;
  typeOnly: boolean;
}

function imports(code: string): Import[] {
  const found: Import[] = [];
  for (const match of code.matchAll(/^(?:import|export)\s+(type\s)?[^'";]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm)) {
    found.push({ specifier: match[2] ?? match[3], typeOnly: match[1] !== undefined });
  }
  for (const match of code.matchAll(/(?<![.\w])import\(\s*'([^']+)'/g))
    found.push({ specifier: match[1], typeOnly: false });
  return found;
}

const row = (name: string): number => ROWS.findIndex((folders) => folders.includes(name.split('/')[0]));

const sources = read();
const library = sources.filter(({ name }) => !name.startsWith('cli/'));

/** Breaches of the import directions, in words. */
function breaches(files: Source[]): string[] {
  const found: string[] = [];
  for (const { name, code } of files) {
    if (row(name) < 0) found.push(`src/${name} is in no folder of the picture`);
    for (const { specifier, typeOnly } of imports(code)) {
      if (!specifier.startsWith('.')) continue;
      const target = posix.normalize(posix.join(posix.dirname(name), specifier));
      if (typeOnly && target === SIGNATURES) continue;
      if (row(target) < row(name)) found.push(`src/${name} imports from above: ${specifier}`);
    }
  }
  return found;
}

describe('import directions', () => {
  test('no folder imports from above', () => {
    expect(breaches(sources)).toEqual([]);
  });

  test('the check itself sees a breach', () => {
    const code = "import type { A } from '../torch/generated.ts';\nimport { b } from '../ops/b.ts';\n";
    expect(breaches([{ name: 'core/a.ts', text: code, code }])).toEqual([
      'src/core/a.ts imports from above: ../ops/b.ts',
    ]);
  });
});

describe('the library runs everywhere', () => {
  test('it imports neither packages nor Node.js modules', () => {
    const found = library.flatMap(({ name, code }) =>
      imports(code)
        .filter(({ specifier }) => !specifier.startsWith('.'))
        .map(({ specifier }) => `src/${name}: ${specifier}`),
    );
    expect(found).toEqual([]);
  });

  test('no top-level await', () => {
    const found = library.filter(({ code }) => /^(?:(?:export )?(?:const|let) [^=]+= )?await\b/m.test(code));
    expect(found.map(({ name }) => name)).toEqual([]);
  });

  test('no `any` in its types', () => {
    const found = library.flatMap(({ name, code }) =>
      [...code.matchAll(/^.*(?:[:<|&,(]|\bas|=>|extends)\s*any\b(?!\s*[:'(]).*$/gm)].map(
        (match) => `src/${name}: ${match[0].trim()}`,
      ),
    );
    expect(found).toEqual([]);
  });
});

describe('files', () => {
  test(`none is over ${TOO_LONG} lines; those over ${LONG} are named`, () => {
    const lengths = sources
      .filter(({ name }) => name !== SIGNATURES)
      .map(({ name, text }) => ({ name, lines: text.split('\n').length }));
    const long = lengths.filter(({ lines }) => lines > LONG);
    if (long.length > 0)
      console.warn(`Over ${LONG} lines: ${long.map((f) => `src/${f.name} (${f.lines})`).join(', ')}`);
    expect(lengths.filter(({ lines }) => lines > TOO_LONG)).toEqual([]);
  });

  test('each opens with what it is for', () => {
    const silent = sources.filter(({ name, text }) => name !== SIGNATURES && !/^(?:#!.*\n)?(?:\/\*\*|\/\/)/.test(text));
    expect(silent.map(({ name }) => name)).toEqual([]);
  });
});

describe('the package', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

  test('every dependency has its reason in docs/dependencies.md', () => {
    const page = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');
    const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  test('the command imports only what is installed with the package', () => {
    const allowed = Object.keys(manifest.dependencies);
    const found = sources
      .filter(({ name }) => name.startsWith('cli/'))
      .flatMap(({ name, code }) =>
        imports(code)
          .filter(({ specifier }) => !/^(?:\.|node:)/.test(specifier) && !allowed.includes(specifier))
          .map(({ specifier }) => `src/${name}: ${specifier}`),
      );
    expect(found).toEqual([]);
  });

  test('the lock file names no registry', () => {
    expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).not.toContain('"resolved"');
  });

  test('what it exports exists in src', () => {
    const targets = Object.values<string | { types: string; default: string }>(manifest.exports)
      .flatMap((target) => (typeof target === 'string' ? target : target.default))
      .concat(Object.values<string>(manifest.bin))
      .filter((target) => target.startsWith('./dist/'));
    expect(targets.length).toBeGreaterThan(0);
    for (const target of targets) {
      const source = target.replace('./dist/', 'src/').replace(/\.js$/, '.ts');
      expect(existsSync(join(root, source)), source).toBe(true);
    }
  });
});
