/** A contender's process: started, spoken to and stopped. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import type { Answer, Hello, Request } from './protocol.ts';

export interface Command {
  program: string;
  args: string[];
  env?: Record<string, string>;
}

/** A contender has not what a row asks for: no failure of it. */
export class Lacking extends Error {}

export class Peer {
  readonly #process: ChildProcess;
  readonly #reader: Interface;
  readonly #lines: AsyncIterator<string>;

  private constructor(command: Command) {
    const env = { ...process.env, ...command.env };
    this.#process = spawn(command.program, command.args, { stdio: ['pipe', 'pipe', 'ignore'], env });
    // A program that is not there, or stops at once, ends the lines: `start` sees that.
    this.#process.on('error', () => this.#reader.close());
    this.#process.stdin!.on('error', () => {});
    this.#reader = createInterface({ input: this.#process.stdout! });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  /** null where the program is missing or cannot do its work. */
  static async start(command: Command): Promise<{ peer: Peer; hello: Hello } | null> {
    const peer = new Peer(command);
    const hello = await peer.#read<Hello>();
    return hello === null ? null : { peer, hello };
  }

  async #read<T>(): Promise<T | null> {
    const { value, done } = await this.#lines.next();
    return done ? null : JSON.parse(value);
  }

  /** @throws Error with what the contender says is wrong, or that it has stopped; Lacking if it has no such thing */
  async ask(request: Partial<Request> & Pick<Request, 'do'>): Promise<Answer> {
    this.#process.stdin!.write(`${JSON.stringify({ repeat: 1, threads: 1, args: {}, ...request })}\n`);
    const answer = await this.#read<Answer>();
    if (answer === null) throw new Error(`stopped in the middle of ${request.case}`);
    if (answer.error !== undefined) throw new (answer.lacking === true ? Lacking : Error)(answer.error);
    return answer;
  }

  stop(): void {
    this.#process.kill();
  }
}
