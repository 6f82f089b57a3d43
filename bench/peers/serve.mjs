// What the JavaScript peers share: the protocol (protocol.ts) and the numbers that everybody computes for himself.
import { createInterface } from 'node:readline';

/** As `wave` of bench/cases/case.ts. */
export function wave(shape, seed, scale = 1) {
  const data = new Float32Array(shape.reduce((a, b) => a * b, 1));
  for (let i = 0; i < data.length; i++) data[i] = scale * Math.sin(12.9898 * i + 78.233 * (seed + 1));
  return data;
}

export function whole(shape, below, step = 7) {
  return Int32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => (step * i) % below);
}

/** Thrown by a case that has not what its arguments ask for. */
export class Lacking extends Error {}

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

/**
 * `cases[name](args)` prepares and gives `{ step, loss?, dispose? }`. Steps may be asynchronous; `loss` does a step and gives
 * its loss.
 */
export async function serve(version, cases) {
  const prepared = new Map();
  const forget = () => {
    for (const work of prepared.values()) work.dispose?.();
    prepared.clear();
  };
  const prepare = async ({ case: name, args }) => {
    const key = JSON.stringify([name, args]);
    if (!prepared.has(key)) prepared.set(key, await cases[name](args));
    return prepared.get(key);
  };
  async function answer(request) {
    if (request.do === 'time') {
      const { step } = await prepare(request);
      const start = performance.now();
      for (let i = 0; i < request.repeat; i++) {
        const pending = step();
        if (pending instanceof Promise) await pending;
      }
      return { seconds: (performance.now() - start) / 1000 };
    }
    forget();
    if (request.do === 'forget') return {};
    if (request.do !== 'losses') return { error: `no ${request.do}` };
    const { loss } = await prepare(request);
    const losses = [];
    for (let i = 0; i < request.repeat; i++) losses.push(await loss());
    forget();
    return { losses };
  }
  say({ version, cases: Object.keys(cases) });
  for await (const line of createInterface({ input: process.stdin })) {
    try {
      say(await answer(JSON.parse(line)));
    } catch (error) {
      say({ error: String(error), lacking: error instanceof Lacking });
    }
  }
  process.exit(0);
}
