// Writes the sample snapshots of src/memory/snapshot/sample.testing.ts and those of the program tests/memory/program.testing.ts
// to tests/fixtures/snapshots, for snapshots.py to show them to PyTorch's viewer.
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
    // The library before the program, as in a program of its own: so their frames are told apart.
    contents: `
      export { default as torch } from '../../index.ts';
      export { concatenate } from './bytes.ts';
      export { jsonChunks } from './json-write.ts';
      export { pickleChunks } from './pickle-write.ts';
      export { sampleSnapshots } from './sample.testing.ts';
      export { fromDict } from './snapshot.ts';
      export { normalised, runProgram } from '../../../tests/memory/program.testing.ts';`,
    resolveDir: join(root, 'src/memory/snapshot'),
    loader: 'ts',
  },
  bundle: true,
  format: 'esm',
  platform: 'node',
  sourcemap: 'inline',
  outfile: bundle,
});
const { concatenate, fromDict, jsonChunks, normalised, pickleChunks, runProgram, sampleSnapshots, torch } =
  await import(pathToFileURL(bundle).href);

const write = (name, chunks) => writeFileSync(join(folder, name), concatenate(chunks));
const [before, after] = sampleSnapshots();
write('before.pickle', pickleChunks(before));
write('after.pickle', pickleChunks(after));
write('after.json', jsonChunks(after));
write('after-old.pickle', pickleChunks(after, 'old'));
const [, expandable] = sampleSnapshots('expandable_segments:True');
write('expandable.pickle', pickleChunks(expandable));
write('expandable.json', jsonChunks(expandable));
const [middle, end] = runProgram(torch).map((dict) => fromDict(normalised(dict)));
rmSync(bundle);
write('program-middle.pickle', pickleChunks(middle));
write('program.pickle', pickleChunks(end));
write('program.json', jsonChunks(end));
