// `npm run bench:peers`: installs the JavaScript peers of the bench, and what draws plots, into a folder of their own.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder, packages, plotting } from './folder.mjs';

const dependencies = { ...packages, ...plotting };
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ private: true, dependencies }, null, 2)}\n`);
// Without install scripts: that of onnxruntime-node would fetch libraries for graphics cards.
const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
execFileSync('npm', args, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
console.log(
  `Installed for the bench: ${Object.entries(dependencies)
    .map((entry) => entry.join(' '))
    .join(', ')}.`,
);
console.log('PyTorch is found by itself as python3; others are named in TORCH_PYTHON (separated as in PATH).');
