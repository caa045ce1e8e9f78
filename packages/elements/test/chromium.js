import { chromium } from 'playwright-core';

/**
 * Chromium, from WISHWELL_TEST_CHROMIUM or the usual place.
 *
 * @param {import('playwright-core').LaunchOptions} [options]
 */
export const launchChromium = (options) =>
  chromium.launch({
    executablePath: process.env.WISHWELL_TEST_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
    ...options,
  });
