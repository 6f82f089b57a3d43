/**
 * Whoever disposes of nothing is told no more memory than whoever uses `using` or torch.scope, and exactly as much as whoever
 * disposes of everything right after its last use. Peaks are what the tensors take that the program holds, and nothing else.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bytesOf, HELD } from './arithmetic.mjs';
import { bundle, run } from './child.mjs';

/** By model and stage. */
type Result = Record<string, Record<string, [peak: number, allocated: number]>>;

const NODES = [process.execPath, process.env['NODE_NEWER']].filter((node) => node !== undefined && node !== '');
const STYLES = ['plain', 'dispose', 'using', 'scope'] as const;

let program: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  program = await bundle('styles.testing.ts');
});
afterAll(() => program.remove());

describe.each(NODES.map((node) => [node === process.execPath ? 'this Node' : 'a newer Node', node!]))(
  '%s',
  (_, node) => {
    let results: Record<(typeof STYLES)[number], Result>;
    beforeAll(async () => {
      const found = await Promise.all(STYLES.map((style) => run(program.file, [style], { node }) as Promise<Result>));
      results = Object.fromEntries(STYLES.map((style, i) => [style, found[i]])) as typeof results;
    }, 60_000);

    const figures = (style: (typeof STYLES)[number]): [string, number, number][] =>
      Object.entries(results[style]).flatMap(([model, stages]) =>
        Object.entries(stages).map(([stage, [peak, allocated]]): [string, number, number] => [
          `${model} ${stage}`,
          peak,
          allocated,
        ]),
      );

    test('disposing of everything right after its last use changes nothing', () => {
      expect(figures('dispose')).toEqual(figures('plain'));
      expect(figures('plain')).toHaveLength(15);
    });

    test.each(['using', 'scope'] as const)('%s: the same in between, and peaks that are no lower', (style) => {
      const plain = figures('plain');
      const higher: string[] = [];
      for (const [i, [stage, peak, allocated]] of figures(style).entries()) {
        expect([stage, allocated]).toEqual([stage, plain[i][2]]);
        expect(peak).toBeGreaterThanOrEqual(plain[i][1]);
        if (peak > plain[i][1]) higher.push(stage);
      }
      // Results on the way live to the end of their function there.
      expect(higher).toEqual(['mlp forward', 'bags forward', 'transformer forward']);
    });

    test.each(Object.keys(HELD))('peaks of %s are the tensors that it holds', (model) => {
      for (const [stage, [, throughout, then]] of Object.entries(HELD[model])) {
        expect([stage, results.plain[model][stage][0]]).toEqual([stage, bytesOf([...throughout, ...then])]);
      }
    });

    test('whatever the compiler does', { timeout: 60_000 }, async () => {
      const flags = ['--no-opt', '--always-turbofan'];
      const runs = flags.map((flag) => run(program.file, ['plain'], { node, flags: [flag] }));
      for (const result of await Promise.all(runs)) expect(result).toEqual(results.plain);
    });
  },
);
