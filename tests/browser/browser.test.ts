/**
 * The bundle in headless Chromium, with cross-origin isolation (shared memory, workers) and without (everything inline).
 * Skipped where no Chromium is installed: `apt-get install chromium`, or name one in CHROMIUM_PATH.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALONE, TOGETHER } from '../articles-expected.ts';
import { chromium, launch } from './chromium.ts';
import type { LoopFigures } from './page.ts';
import { type Site, serve } from './server.ts';

type PageModule = typeof import('./page.ts');

if (chromium === undefined) console.warn('No Chromium found: the browser tests are skipped.');

describe.skipIf(chromium === undefined)('in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close(), 60_000);

  describe.each([
    ['with cross-origin isolation', true],
    ['without cross-origin isolation', false],
  ])('%s', (_, isolated) => {
    let site: Site;
    beforeAll(async () => {
      site = await serve(isolated);
    });
    afterAll(() => site?.close());

    /** Does something in a fresh page, in which nothing may go wrong unseen. */
    async function inPage<T>(action: (page: Page) => Promise<T>): Promise<T> {
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      try {
        await page.goto(site.url);
        const result = await action(page);
        expect(errors).toEqual([]);
        return result;
      } finally {
        await page.close();
      }
    }

    /** Code of the page, as text: it must not go through the transformation of test files. */
    const evaluate = <T>(page: Page, code: string): Promise<T> =>
      page.evaluate(`import('/page.js').then((page) => ${code})`) as Promise<T>;
    const runProgram = (page: Page, name: keyof typeof ALONE) =>
      evaluate<ReturnType<PageModule['runProgram']>>(page, `page.runProgram(${JSON.stringify(name)})`);

    const matches = (lines: string[], expected: (string | RegExp)[]) =>
      expect(lines.map((line, i) => (isMatch(line, expected[i]) ? expected[i] : line))).toEqual(expected);
    const isMatch = (line: string, want: string | RegExp | undefined) => want instanceof RegExp && want.test(line);

    test('the page is what the test says', async () => {
      expect(await inPage((page) => page.evaluate('crossOriginIsolated'))).toBe(isolated);
    });

    test.each(Object.keys(ALONE))('%s, alone in a page', async (name) => {
      matches(await inPage((page) => runProgram(page, name)), ALONE[name]);
    });

    test('one after another in one page', async () => {
      await inPage(async (page) => {
        for (const name of Object.keys(TOGETHER)) {
          const lines = await runProgram(page, name);
          expect(lines).toHaveLength(TOGETHER[name].length);
          // What earlier programs left may not be collected yet in a browser: their figures are not those of one alone.
          if (!name.startsWith('memory')) matches(lines, TOGETHER[name]);
        }
      });
    });

    // Undisposed and never collected, 20,000 steps of 1 MiB would need five times what one WebAssembly memory can hold.
    test('20,000 steps with an await between them stay small', { timeout: 180_000 }, async () => {
      const figures = await inPage((page) => evaluate<LoopFigures>(page, 'page.longLoop(20000)'));
      console.info(
        `20,000 steps in ${(figures.milliseconds / 1000).toFixed(1)} s, at most ${(figures.largestAllocated / 2 ** 20).toFixed(0)} MiB allocated`,
      );
      expect(figures.loss).toBeLessThan(1e-3);
      expect(figures.largestAllocated).toBeGreaterThan(0);
      expect(figures.largestAllocated).toBeLessThan(1024 * 2 ** 20);
    });
  });
});
