// Runs the tests and ends with one line, `N passed, N failed`. Arguments go to vitest:
//
//     npm test -- --project unit src/core
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './ensure.mjs';

const cache = join(root, '.cache');
mkdirSync(cache, { recursive: true });
const counts = join(cache, `counts-${process.pid}.json`);

const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--reporter=default',
    `--reporter=${join(root, 'scripts', 'reporter.mjs')}`,
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, TEST_COUNTS: counts } },
);

let { passed, failed, skipped } = { passed: 0, failed: 0, skipped: 0 };
if (existsSync(counts)) ({ passed, failed, skipped } = JSON.parse(readFileSync(counts, 'utf8')));
rmSync(counts, { force: true });
// vitest may fail without a failed test: a bad configuration, a worker that died.
if (status !== 0 && failed === 0) failed = 1;
if (skipped > 0) console.log(`${skipped} skipped (see above for the reason)`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
