/** The programs of examples/: they train on real data, say how well, and end by themselves; the same on every device. */
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

async function run(name: string, args: string[], env: Record<string, string> = {}, node = process.execPath) {
  const command = [join(root, 'dist', 'cli', 'main.js'), 'run', '--json', join(root, 'examples', name), ...args];
  return promisify(execFile)(node, command, { env: { ...process.env, ...env } });
}

/** The main job, `npm start`: ten epochs. */
async function train(env: Record<string, string>, node = process.execPath, epochs = 10) {
  const { stdout, stderr } = await run('train-digits.ts', [String(epochs)], env, node);
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
    ...['worker', 'inline'].map((executor) => train({ MTIA_EXECUTOR: executor }, process.execPath, 4)),
    train({ MTIA_DEVICE_COUNT: '0' }, process.execPath, 4),
  ]);
  expect(worker.losses).toHaveLength(2);
  expect(inline.losses).toEqual(worker.losses);
  expect(cpu.losses).toEqual(worker.losses);
  expect(worker.report.executor).toBe('worker');
  expect(inline.report.executor).toBe('inline');
  expect(inline.report.devices).toEqual(worker.report.devices);
  expect(cpu.report.launches.mtia).toBe(0);
});

test('a DLRM learns the prices of diamonds', async () => {
  const [mtia, cpu] = await Promise.all([
    run('diamonds-dlrm.ts', ['2']),
    run('diamonds-dlrm.ts', ['2'], { MTIA_DEVICE_COUNT: '0' }),
  ]);
  expect(mtia.stdout).toMatch(/^48546 diamonds to train with, 5394 to test with, on mtia\.$/m);
  // The full run, 12 epochs, reaches 0.98; guessing the mean is 0.
  expect(Number(/^Test R² +([\d.]+)$/m.exec(mtia.stdout)?.[1])).toBeGreaterThan(0.96);
  const losses = (text: string) => text.match(/loss [\d.]+/g);
  expect(losses(mtia.stdout)).toHaveLength(2);
  expect(losses(cpu.stdout)).toEqual(losses(mtia.stdout));
});

test('a GPT learns from a novel, and writes', async () => {
  const { stdout } = await run('prose-gpt.ts', ['40']);
  expect(stdout).toMatch(/^684768 characters of 75 kinds; a model of 349056 parameters on mtia\.$/m);
  // Frequencies of single characters alone give 4.46 bits per character; 1000 steps get below 3.
  expect(Number(/^Test +([\d.]+) bits per character/m.exec(stdout)?.[1])).toBeLessThan(4.3);
  const written = stdout.slice(stdout.indexOf('"My dear Mr. Bennet,"')).trimEnd();
  expect(written.length).toBeGreaterThan(300);
  expect(written.split(/\s+/).length).toBeGreaterThan(20);
});

const newer = process.env['NODE_NEWER'];
if (newer) {
  test('it does the same on a newer Node.js', async () => {
    const [here, there] = await Promise.all([train({}, process.execPath, 4), train({}, newer, 4)]);
    expect(there.losses).toEqual(here.losses);
    expect(there.accuracy).toBe(here.accuracy);
    expect(there.report.devices).toEqual(here.report.devices);
  });
}
