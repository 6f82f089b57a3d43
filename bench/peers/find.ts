/** Finds the contenders of this machine, and says how to get those that are missing. */
import { fileURLToPath } from 'node:url';
import type { Contender, Kind, Variant } from '../results.ts';
import { isInstalled } from './folder.mjs';
import { type Command, Peer } from './process.ts';
import type { Hello, Request } from './protocol.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const mtia = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface Found extends Contender {
  peer: Peer;
  cases: ReadonlySet<string>;
  /** What a variant adds to every request. */
  request: Partial<Request>;
  /** What gives the time from import to first result: a program that prints milliseconds. Not for variants. */
  firstResult: Command | null;
}

export interface Field {
  found: Found[];
  missing: string[];
}

const GET_PEERS = '`npm run bench:peers` installs it into .cache/bench-peers';

/** Ours by device: without BLAS, with it, compiled, on one thread. */
async function findOurs(device: string, field: Field): Promise<void> {
  const start = (blas: string) => {
    // A library that somebody names is the one to measure.
    const named = process.env['MTIA_BLAS'] ?? '';
    const value = blas === '1' && !['', '0'].includes(named) ? named : blas;
    const args = [mtia, 'run', '--quiet', path('ours.ts'), device];
    return Peer.start({ program: process.execPath, args, env: { MTIA_BLAS: value } });
  };
  const plain = await start('0');
  if (plain === null) throw new Error(`bench/peers/ours.ts ${device} does not start`);
  const add = (peer: Peer, hello: Hello, variant?: Variant, request: Partial<Request> = {}) =>
    field.found.push({
      id: variant === undefined ? device : `${device}+${variant}`,
      kind: 'ours',
      variant,
      detail: variant === 'blas' ? (hello.blas ?? undefined) : undefined,
      peer,
      cases: new Set(hello.cases),
      request,
      firstResult:
        variant === undefined
          ? { program: process.execPath, args: [path('../first-result.mjs'), 'ours', device] }
          : null,
    });
  add(plain.peer, plain.hello);
  add(plain.peer, plain.hello, '1thread', { threads: 1 });
  if (plain.hello.compile === true) add(plain.peer, plain.hello, 'compile', { compile: true });
  const native = await start('1');
  if (native !== null && typeof native.hello.blas === 'string') add(native.peer, native.hello, 'blas');
  else native?.peer.stop();
}

/** Those that TORCH_PYTHON names (separated as in PATH), and Debian's. */
async function findPyTorch(field: Field): Promise<void> {
  const separator = process.platform === 'win32' ? ';' : ':';
  const named = process.env['TORCH_PYTHON']?.split(separator).filter((name) => name !== '') ?? [];
  for (const python of [...named, 'python3', '/usr/bin/python3']) {
    const started = await Peer.start({ program: python, args: [path('pytorch.py')] });
    if (started === null) {
      if (named.includes(python)) field.missing.push(`${python}, named in TORCH_PYTHON, has no PyTorch`);
      continue;
    }
    const { peer, hello } = started;
    const id = `torch ${hello.version}`;
    if (field.found.some((other) => other.id === id)) peer.stop();
    else {
      const firstResult = { program: python, args: [path('../first-result.py')] };
      field.found.push({ id, kind: 'pytorch', peer, cases: new Set(hello.cases), request: {}, firstResult });
    }
  }
  if (!field.found.some(({ kind }) => kind === 'pytorch')) {
    field.missing.push('PyTorch: a Python that has it is named in TORCH_PYTHON (Debian: apt install python3-torch)');
  }
}

interface Script {
  name: string;
  package: string;
  kind: Kind;
  args: string[];
  /** For the time to the first result; native runtimes have no operations to call. */
  first?: string;
}

const SCRIPTS: Script[] = [
  {
    name: 'tfjs-wasm',
    package: '@tensorflow/tfjs-backend-wasm',
    kind: 'javascript',
    args: ['tfjs.mjs'],
    first: 'tfjs',
  },
  { name: 'jax-js', package: '@jax-js/jax', kind: 'javascript', args: ['jax.mjs'], first: 'jax' },
  { name: 'onnxruntime-web', package: 'onnxruntime-web', kind: 'javascript', args: ['onnx.mjs', 'web'] },
  { name: 'onnxruntime-node', package: 'onnxruntime-node', kind: 'native', args: ['onnx.mjs', 'node'] },
];

async function findScript({ name, package: needed, kind, args, first }: Script, field: Field): Promise<void> {
  const [script, ...rest] = args;
  // jax-js asks V8 for fused multiply-adds, which Node.js 20 has only behind this flag (newer ones accept it).
  const command = { program: process.execPath, args: ['--experimental-wasm-relaxed-simd', path(script), ...rest] };
  const started = isInstalled(needed) ? await Peer.start(command) : null;
  if (started === null) {
    field.missing.push(isInstalled(needed) ? `${name} does not start` : `${name}: ${GET_PEERS}`);
    return;
  }
  const { peer, hello } = started;
  const firstResult =
    first === undefined ? null : { program: process.execPath, args: [path('../first-result.mjs'), first] };
  field.found.push({
    id: `${name} ${hello.version}`,
    kind,
    peer,
    cases: new Set(hello.cases),
    request: {},
    firstResult,
  });
}

/** `only` leaves out those whose kind it does not name. */
export async function findContenders(only: (kind: Kind) => boolean = () => true): Promise<Field> {
  const field: Field = { found: [], missing: [] };
  for (const device of ['cpu', 'mtia']) await findOurs(device, field);
  const has = (variant: Variant) => field.found.some((contender) => contender.variant === variant);
  if (!has('blas')) field.missing.push('native BLAS: see `npx mtia doctor`; MTIA_BLAS names a library');
  if (!has('compile')) field.missing.push('torch.compile: this build has none');
  if (only('pytorch')) await findPyTorch(field);
  for (const script of SCRIPTS) if (only(script.kind)) await findScript(script, field);
  return field;
}

export function stopAll({ found }: Field): void {
  for (const { peer } of found) peer.stop();
}
