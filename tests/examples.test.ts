/** The main job, `npm start`: it trains, says how well, and ends by itself; the same on every device. */
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

async function train(env: Record<string, string>, node = process.execPath) {
  const args = [join(root, 'dist', 'cli', 'main.js'), 'run', '--json', join(root, 'examples', 'train-digits.ts')];
  const { stdout, stderr } = await promisify(execFile)(node, args, { env: { ...process.env, ...env } });
  const find = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1]);
  return {
    stdout,
    accuracy: find(/^Test accuracy +([\d.]+) %$/m),
    losses: [...stdout.matchAll(/^epoch \d+: loss ([\d.]+),/gm)].map((match) => Number(match[1])),
    report: JSON.parse(stderr.trimEnd().split('\n').at(-1)!),
  };
}

test('training on the digits reaches 98.5 %, and tells speed and memory', async () => {
  const { stdout, accuracy, report } = await train({});
  expect(accuracy).toBeGreaterThanOrEqual(98.5);
  expect(stdout).toMatch(/^1437 images to train with, 360 to test with, on mtia\.$/m);
  expect(stdout).toMatch(/^Steps +450 in [\d.]+ s: \d+ steps\/s$/m);
  expect(stdout).toMatch(/^MTIA memory +before \d+, after \d+, peak \d+ bytes$/m);
  expect(stdout).toContain('Where to go next');
  expect(report.launches.mtia).toBeGreaterThan(450 * 10);
});

test('in a worker, inline and on the cpu it takes the same course', async () => {
  const [worker, inline, cpu] = await Promise.all([
    train({ MTIA_EXECUTOR: 'worker' }),
    train({ MTIA_EXECUTOR: 'inline' }),
    train({ MTIA_DEVICE_COUNT: '0' }),
  ]);
  expect(worker.losses).toHaveLength(5);
  expect(inline.losses).toEqual(worker.losses);
  expect(cpu.losses).toEqual(worker.losses);
  expect(worker.report.executor).toBe('worker');
  expect(inline.report.executor).toBe('inline');
  expect(inline.report.devices).toEqual(worker.report.devices);
  expect(cpu.report.launches.mtia).toBe(0);
});

const newer = process.env['NODE_NEWER'];
if (newer) {
  test('it does the same on a newer Node.js', async () => {
    const [here, there] = await Promise.all([train({}), train({}, newer)]);
    expect(there.losses).toEqual(here.losses);
    expect(there.accuracy).toBe(here.accuracy);
    expect(there.report.devices).toEqual(here.report.devices);
  });
}
