// Writes the sample snapshots of src/memory/snapshot/sample.testing.ts to tests/fixtures/snapshots, for
// snapshots.py to show them to PyTorch's viewer.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const folder = join(root, 'tests/fixtures/snapshots');
const bundle = join(folder, 'bundle.mjs');

mkdirSync(folder, { recursive: true });
await build({
  stdin: {
    contents: `
      export { concatenate } from './bytes.ts';
      export { jsonChunks } from './json-write.ts';
      export { pickleChunks } from './pickle-write.ts';
      export { sampleSnapshots } from './sample.testing.ts';`,
    resolveDir: join(root, 'src/memory/snapshot'),
    loader: 'ts',
  },
  bundle: true,
  format: 'esm',
  outfile: bundle,
});
const { concatenate, jsonChunks, pickleChunks, sampleSnapshots } = await import(pathToFileURL(bundle).href);
rmSync(bundle);

const write = (name, chunks) => writeFileSync(join(folder, name), concatenate(chunks));
const [before, after] = sampleSnapshots();
write('before.pickle', pickleChunks(before));
write('after.pickle', pickleChunks(after));
write('after.json', jsonChunks(after));
write('after-old.pickle', pickleChunks(after, 'old'));
const [, expandable] = sampleSnapshots('expandable_segments:True');
write('expandable.pickle', pickleChunks(expandable));
write('expandable.json', jsonChunks(expandable));
