/**
 * What is still queued when the process ends: it is drained, and a fault found in it is printed and makes the exit
 * code 1, as nobody is left to catch it. Browsers have no such moment.
 */
interface ProcessLike {
  on?(event: 'exit', listener: (code: number) => void): void;
  exitCode?: number | string | null;
  getBuiltinModule?(id: string): unknown;
}
const host = (globalThis as { process?: ProcessLike }).process;

const drains = new Map<() => void, string>();
let listening = false;

/** `drain` waits for a device's queue and throws the fault found. Returns what takes it back. */
export function atExit(name: string, drain: () => void): () => void {
  if (!listening) {
    listening = true;
    host?.on?.('exit', drainAll);
  }
  drains.set(drain, name);
  return () => drains.delete(drain);
}

/** Worker threads live until the exit listeners have run, so the queue still moves here. */
function drainAll(code: number): void {
  for (const [drain, name] of drains) {
    try {
      drain();
    } catch (error) {
      const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      // Straight to the file: what a stream still buffers now may never be written.
      const fs = host?.getBuiltinModule?.('node:fs') as { writeSync(fd: number, text: string): void } | undefined;
      fs?.writeSync(2, `${name}: found after the program had ended, in a launch that nothing waited for:\n${text}\n`);
      if (code === 0 && host) host.exitCode = 1;
    }
  }
}
