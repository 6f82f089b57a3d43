/** The PyTorch processes that are measured beside us: one for each Python that has PyTorch. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export class Peer {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;
  version = '';

  private constructor(readonly python: string) {
    this.#process = spawn(python, [path('peer.py')], { stdio: ['pipe', 'pipe', 'ignore'] });
    // A Python that is not there or stops at once ends the lines: `start` sees that.
    this.#process.on('error', () => this.#reader.close());
    this.#process.stdin!.on('error', () => {});
    this.#reader = createInterface({ input: this.#process.stdout! });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  /** null where that Python is missing or has no PyTorch. */
  static async start(python: string): Promise<Peer | null> {
    const peer = new Peer(python);
    const first = await peer.#read();
    if (first === null) return null;
    peer.version = first.version as string;
    return peer;
  }

  async #read(): Promise<Record<string, unknown> | null> {
    const { value, done } = await this.#lines.next();
    return done ? null : JSON.parse(value);
  }

  /** Seconds for `repeat` repetitions of one of peer.py's rows. */
  async measure(row: string, repeat: number): Promise<number> {
    this.#process.stdin!.write(`${JSON.stringify({ row, repeat })}\n`);
    const answer = await this.#read();
    if (answer === null) throw new Error(`${this.python} stopped in the middle of ${row}`);
    return answer.seconds as number;
  }

  /** Milliseconds from import to first result, in a new process. */
  firstResult(): number {
    return Number(execFileSync(this.python, [path('first-result.py')], { encoding: 'utf8' }));
  }

  stop(): void {
    this.#process.kill();
  }
}

/** Those that TORCH_PYTHON names (separated as in PATH), else `python3` and Debian's. */
export async function findPeers(): Promise<Peer[]> {
  const separator = process.platform === 'win32' ? ';' : ':';
  const named = process.env['TORCH_PYTHON']?.split(separator).filter((name) => name !== '');
  const peers: Peer[] = [];
  for (const python of named ?? ['python3', '/usr/bin/python3']) {
    const peer = await Peer.start(python);
    if (peer === null) {
      if (named) console.error(`${python} has no PyTorch: left out.`);
    } else if (peers.some(({ version }) => version === peer.version)) peer.stop();
    else peers.push(peer);
  }
  return peers;
}
