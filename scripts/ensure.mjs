// Brings a checkout into a runnable state: installs what package-lock.json asks for, then builds dist when src has changed.
// Does only what is missing, uses only Node's built-ins (node_modules may not exist yet), and says what it does.
//
//     node scripts/ensure.mjs [--install-only]
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'dist', '.inputs');

/** What is installed must be what the lock file names; packages for other platforms may be missing. */
export function installed() {
  const hidden = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(hidden)) return false;
  const want = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const have = JSON.parse(readFileSync(hidden, 'utf8')).packages;
  for (const [path, entry] of Object.entries(want)) {
    if (path === '') continue;
    if (have[path] ? have[path].version !== entry.version : !entry.optional) return false;
  }
  return Object.keys(have).every((path) => path in want);
}

/** A digest over everything that the build reads. Contents, not times: a checkout sets times as it likes. */
export function inputs() {
  const hash = createHash('sha256');
  const add = (file) => hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (/\.(ts|json)$/.test(entry.name) && !/\.test(ing)?\.ts$/.test(entry.name)) add(path);
    }
  };
  walk(join(root, 'src'));
  for (const name of ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts/build.mjs']) {
    add(join(root, name));
  }
  return hash.digest('hex');
}

export const built = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs();

/** Called by the build when it has succeeded. */
export const markBuilt = (digest) => writeFileSync(stamp, digest);

/** One process at a time: two test runs started together must not install or build over each other. */
function locked(action) {
  const lock = join(root, '.cache', 'ensure.lock');
  mkdirSync(dirname(lock), { recursive: true });
  for (let waited = 0; ; waited += 200) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (waited > 300_000 || Date.now() - statSync(lock, { throwIfNoEntry: false })?.mtimeMs > 300_000) {
        rmSync(lock, { recursive: true, force: true });
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
  try {
    action();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function run(command, args) {
  const windows = process.platform === 'win32';
  // npm is a shell script on Windows, which only a shell starts. What a step prints goes to stderr, so that
  // the standard output of the command that follows stays its own.
  execFileSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell: windows && command === 'npm' });
}

export function ensure({ build = true } = {}) {
  if (!installed()) {
    locked(() => {
      if (installed()) return;
      console.error('Installing dependencies (npm ci)…');
      run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
    });
  }
  if (build && !built()) {
    locked(() => {
      if (built()) return;
      console.error('Building dist…');
      run(process.execPath, [join(root, 'scripts', 'build.mjs')]);
    });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 16)) {
    console.error(`torch-mtia needs Node.js 20.16 or newer; this is ${process.version}.`);
    process.exit(1);
  }
  try {
    ensure({ build: !process.argv.includes('--install-only') });
  } catch (error) {
    console.error(error.message);
    process.exit(typeof error.status === 'number' && error.status > 0 ? error.status : 1);
  }
}
