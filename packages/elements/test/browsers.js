// Chromium and Firefox, both driven by Puppeteer: only WebDriver BiDi drives a Firefox that a
// distribution has built.
import { existsSync } from 'node:fs';
import puppeteer from 'puppeteer-core';

const CHROMIUM = process.env.WISHWELL_TEST_CHROMIUM ?? '/usr/bin/chromium';
const FIREFOX =
  process.env.WISHWELL_TEST_FIREFOX ??
  ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((path) => existsSync(path));

/** @type {Record<string, () => Promise<import('puppeteer-core').Browser>>} */
export const BROWSERS = {
  // With classic scrollbars, as on Windows and Linux, which Puppeteer hides by default.
  chromium: () =>
    puppeteer.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox'],
      ignoreDefaultArgs: ['--hide-scrollbars'],
    }),
  ...(FIREFOX && {
    firefox: () =>
      puppeteer.launch({ browser: 'firefox', protocol: 'webDriverBiDi', executablePath: FIREFOX }),
  }),
};

/**
 * A page of a first-time visitor. Fails the test if a script of the page fails.
 *
 * @param {import('puppeteer-core').Browser} browser
 * @param {import('node:test').TestContext} t
 */
export async function visit(browser, t) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  /** @type {unknown[]} */
  const wrong = [];
  /** @type {string[]} */
  const said = [];
  page.on('pageerror', (error) => {
    // Firefox reports here that the page's policy has no icon.
    if (!/favicon/.test(`${error}`)) wrong.push(error);
  });
  page.on('console', (message) => said.push(message.text()));
  t.after(async () => {
    await context.close();
    if (wrong.length) throw wrong[0];
  });
  return { page, context, said };
}
