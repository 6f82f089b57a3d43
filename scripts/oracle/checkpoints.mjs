// Writes the samples of src/serialization/samples.testing.ts as files to tests/fixtures/checkpoints, for checkpoints.py to show them
// to PyTorch.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const folder = join(root, 'tests/fixtures/checkpoints');
const bundle = join(folder, 'bundle.mjs');

mkdirSync(folder, { recursive: true });
await build({
  stdin: {
    contents: `
      export { default as torch } from '../index.ts';
      export { describe } from './described.testing.ts';
      export { samples } from './samples.testing.ts';`,
    resolveDir: join(root, 'src/serialization'),
    loader: 'ts',
  },
  bundle: true,
  format: 'esm',
  keepNames: true,
  outfile: bundle,
});
const { torch, describe, samples } = await import(pathToFileURL(bundle).href);
rmSync(bundle);

const expected = {};
for (const [name, { value, options = {} }] of Object.entries(samples())) {
  writeFileSync(join(folder, `ours-${name}.pt`), torch.save(value));
  // With the sort of things that PyTorch finds: loaded, as PyTorch does with these options.
  const loaded = torch.load(join(folder, `ours-${name}.pt`), options);
  expected[name] = { options, value: describe(loaded) };
}
writeFileSync(join(folder, 'ours.json'), `${JSON.stringify(expected)}\n`);
console.log(`${Object.keys(expected).length} files`);
