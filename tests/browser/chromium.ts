/** The installed Chromium, without its conversations with the outside. Nothing is downloaded. */
import { existsSync } from 'node:fs';
import { chromium as playwright } from 'playwright-core';

const CANDIDATES = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Its path, or undefined where none is installed. */
export const chromium = CANDIDATES.find((path) => path !== undefined && existsSync(path));

export function launch() {
  return playwright.launch({
    executablePath: chromium!,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
