/**
 * `mtia doctor`: what this machine and this Node.js offer, what each thing changes, and how to get what is missing.
 */
import { availableParallelism } from 'node:os';
import Table from 'cli-table3';
import { features } from '../kernels/features.ts';
import { canSweep } from '../memory/sweep.ts';
import { deviceFigures, type Torch } from './figures.ts';
import { type Colors, colorsFor } from './style.ts';

export interface Check {
  name: string;
  /** `limited`: it works, and something is slower or coarser. `missing`: nothing runs without it. */
  state: 'ok' | 'limited' | 'missing';
  found: string;
  changes: string;
  /** How to get what is missing; empty where nothing is. */
  fix: string;
}

/** i32x4.splat of zero, dropped: a module that only an engine with SIMD accepts. */
// biome-ignore format: bytes of a module, one section a line
const SIMD_MODULE = new Uint8Array([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
  1, 4, 1, 0x60, 0, 0,
  3, 2, 1, 0,
  10, 9, 1, 7, 0, 0x41, 0, 0xfd, 0x11, 0x1a, 0x0b,
]);

/** Node.js may be told to do without. */
const hasWebAssembly = typeof WebAssembly === 'object';

function node(): Check {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const enough = major > 20 || (major === 20 && minor >= 16);
  return {
    name: 'Node.js',
    state: enough ? 'ok' : 'missing',
    found: process.version,
    changes: 'runs everything; newer versions compile kernels better',
    fix: enough ? '' : 'install Node.js 20.16 or newer (https://nodejs.org)',
  };
}

function simd(): Check {
  const there = hasWebAssembly && WebAssembly.validate(SIMD_MODULE);
  return {
    name: 'WebAssembly SIMD',
    state: there ? 'ok' : 'missing',
    found: there ? 'yes' : 'no',
    changes: 'every kernel is built on it',
    fix: there ? '' : 'use a processor with SSE4.1 or NEON, and no --jitless or --no-wasm flag',
  };
}

function relaxedSimd(): Check {
  const there = features.relaxedSimd;
  const off = features.isDisabled('relaxed-simd');
  return {
    name: 'relaxed SIMD',
    state: there ? 'ok' : 'limited',
    found: there ? 'yes' : off ? 'turned off by MTIA_DISABLE' : 'no',
    changes: 'fused multiply-add: matrix products about twice as fast',
    fix: there ? '' : off ? 'take relaxed-simd out of MTIA_DISABLE' : 'use Node.js 20 or newer on a processor with FMA',
  };
}

function threads(): Check {
  const there = features.threads;
  const off = features.isDisabled('threads');
  const cores = availableParallelism();
  return {
    name: 'threads',
    state: there ? 'ok' : 'limited',
    found: there
      ? `shared memory, ${cores} processor${cores === 1 ? '' : 's'}`
      : off
        ? 'turned off by MTIA_DISABLE'
        : 'no shared memory',
    changes: 'mtia runs beside the program instead of inside it; large operations use every processor',
    fix: there ? '' : off ? 'take threads out of MTIA_DISABLE' : 'run where SharedArrayBuffer and worker threads exist',
  };
}

function blas(torch: Torch): Check {
  const name = 'native BLAS';
  const changes = 'matrix products and convolutions of float32 and float64: about twice as fast';
  const there = torch.backends.blas.library();
  const on = torch.backends.blas.enabled;
  const threads = torch.get_num_threads();
  if (there !== null && on) {
    const version = there.version.split(' ')[0];
    const found = `${there.name}${version && ` ${version}`} (${there.path}), ${threads} thread${threads === 1 ? '' : 's'}`;
    return { name, state: 'ok', found, changes, fix: '' };
  }
  const missing = torch.backends.blas.missing();
  if (missing === null) {
    const found = `${there!.name}, turned off by MTIA_BLAS`;
    return { name, state: 'limited', found, changes, fix: 'take MTIA_BLAS=0 out of the environment' };
  }
  return { name, state: 'limited', found: missing.missing, changes, fix: missing.fix };
}

function sweep(): Check {
  const there = canSweep();
  return {
    name: 'garbage sweep',
    state: there ? 'ok' : 'limited',
    found: there ? 'yes' : 'no',
    changes: 'memory of forgotten tensors is found in the middle of a synchronous loop, and figures are exact',
    fix: there
      ? ''
      : 'use Node.js itself rather than a look-alike; until then free tensors with `using`, dispose() or torch.scope',
  };
}

function devices(torch: Torch): Check {
  const name = 'virtual MTIA';
  const changes = 'torch.mtia.is_available(), and everything on device "mtia"';
  if (!hasWebAssembly) return { name, state: 'missing', found: 'no WebAssembly', changes, fix: 'see WebAssembly SIMD' };
  const { devices: found, executor } = deviceFigures(torch);
  const there = found.length > 0;
  return {
    name,
    state: there ? 'ok' : 'limited',
    found: there
      ? `${found.map(({ name, chip }) => `${name} (${chip})`).join(', ')}; executor: ${executor}`
      : 'no device',
    changes,
    fix: there ? '' : 'unset MTIA_DEVICE_COUNT, or set it to 1 or more',
  };
}

export function examine(torch: Torch): Check[] {
  // First, since it says so if the environment makes no sense.
  const found = devices(torch);
  return [node(), simd(), relaxedSimd(), threads(), blas(torch), sweep(), found];
}

export function doctor(torch: Torch, options: { json?: boolean }): { text: string; healthy: boolean } {
  const checks = examine(torch);
  const healthy = checks.every(({ state }) => state !== 'missing');
  if (options.json) return { text: JSON.stringify({ healthy, checks }, null, 2), healthy };
  return { text: table(checks, colorsFor(process.stdout)), healthy };
}

function table(checks: Check[], colors: Colors): string {
  const mark = { ok: colors.green('ok'), limited: colors.yellow('limited'), missing: colors.red('missing') };
  const rows = new Table({
    head: ['', '', 'Found', 'What it changes'].map((title) => colors.bold(title)),
    colWidths: [null, null, 36, 44],
    wordWrap: true,
    chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
    style: { head: [], border: [] },
  });
  for (const { name, state, found, changes } of checks) rows.push([mark[state], name, found, changes]);
  const fixes = checks.filter(({ fix }) => fix !== '').map(({ name, fix }) => `  ${name}: ${fix}`);
  const advice =
    fixes.length === 0 ? 'Nothing is missing.' : `What is missing, and how to get it:\n${fixes.join('\n')}`;
  return `${rows.toString()}\n${advice}`;
}
