/**
 * We ourselves, as a process like the peers: `mtia run bench/peers/ours.ts cpu|mtia`. Whether a native BLAS is used is decided
 * by its environment.
 */
import { createInterface } from 'node:readline';
import torch from 'torch-mtia';
import { compiled, type Work } from '../cases/case.ts';
import { kernels } from '../cases/kernels.ts';
import { trainings } from '../cases/training.ts';
import { blasInUse } from './blas.ts';
import type { Answer, Hello, Request } from './protocol.ts';

const device = process.argv[2] ?? 'cpu';
const cases = { ...kernels, ...trainings };
const prepared = new Map<string, Work>();
const say = (message: Hello | Answer) => process.stdout.write(`${JSON.stringify(message)}\n`);

function workOf(request: Request): Work {
  const key = JSON.stringify([request.case, request.args, request.compile]);
  let work = prepared.get(key);
  if (work === undefined) {
    work = cases[request.case]({ device, args: request.args, compile: request.compile === true });
    prepared.set(key, work);
  }
  return work;
}

function time({ step, enqueued }: Work, repeat: number): number {
  const start = performance.now();
  for (let i = 0; i < repeat; i++) step();
  if (enqueued !== true) torch.mtia.synchronize();
  const seconds = (performance.now() - start) / 1000;
  torch.mtia.synchronize();
  return seconds;
}

/** The most that a step needs, what stays between steps included. The first step makes what stays. */
function peak({ step }: Work, repeat: number): number {
  step();
  torch.mtia.reset_peak_memory_stats();
  for (let i = 0; i < repeat; i++) step();
  // The host is ahead: whoever comes next shall find a machine at rest.
  torch.mtia.synchronize();
  return torch.mtia.max_memory_allocated();
}

function answer(request: Request): Answer {
  torch.set_num_threads(request.threads);
  if (request.do === 'time') return { seconds: time(workOf(request), request.repeat) };
  // What other cases hold is no part of this one's peak.
  if (request.do === 'peak') prepared.clear();
  if (request.do === 'peak') return { bytes: peak(workOf(request), request.repeat) };
  prepared.clear();
  if (request.do === 'forget') return {};
  const work = workOf(request);
  const losses = Array.from({ length: request.repeat }, () => work.loss!());
  prepared.clear();
  return { losses };
}

say({ version: '', cases: Object.keys(cases), blas: blasInUse(), compile: compiled !== undefined });
createInterface({ input: process.stdin }).on('line', (line) => {
  try {
    say(answer(JSON.parse(line)));
  } catch (error) {
    say({ error: String(error) });
  }
});
