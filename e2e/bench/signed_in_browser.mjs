/**
 * A headless Chromium with a signed-in user and an empty cache, for measurements of a running
 * stack. Reads SLOWPATH_URL, BENCH_CHROMIUM, BENCH_EMAIL, BENCH_PASSWORD and BENCH_PATH.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { chromium } from 'playwright-core';

const origin = process.env['SLOWPATH_URL'];

/** The measured URL. */
export const address = new URL(process.env['BENCH_PATH'], origin).href;

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Launches the browser, calls `use` with it and closes it. */
export async function withBrowser(use) {
  const executablePath = process.env['BENCH_CHROMIUM'];
  const folder = path.dirname(executablePath);
  const lacksLibraries = execFileSync('ldd', [executablePath], {
    encoding: 'utf8',
  }).includes('not found');
  const env = {
    ...process.env,
    FONTCONFIG_FILE: path.join(folder, 'fonts.conf'),
    ...(lacksLibraries ? { LD_LIBRARY_PATH: path.join(folder, 'al2023/lib') } : {}),
  };
  const browser = await chromium.launch({ executablePath, env });
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

/**
 * Opens a page of a signed-in user in a new context with a separate cache. Closing the context
 * closes the page.
 */
export async function openSignedIn(browser) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const signedIn = await context.request.post(`${origin}/api/v1/session`, {
    headers: { Origin: origin },
    data: { email: process.env['BENCH_EMAIL'], password: process.env['BENCH_PASSWORD'] },
  });
  if (!signedIn.ok()) throw new Error(`signing in: ${signedIn.status()}`);
  return context.newPage();
}
