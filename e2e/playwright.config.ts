import { defineConfig } from '@playwright/test';

import { browserEnvironment, executablePath } from './support/browser';

const results = '../.slowpath/journeys';

export default defineConfig({
  testDir: 'journeys',
  outputDir: results,
  fullyParallel: true,
  workers: 2,
  timeout: 240_000,
  expect: { timeout: 20_000 },
  forbidOnly: process.env['CI'] !== undefined,
  retries: 0,
  reporter:
    process.env['PLAYWRIGHT_JSON_OUTPUT_FILE'] === undefined ? [['list']] : [['list'], ['json']],
  use: {
    // `bootstrap.py stack --` sets SLOWPATH_URL for the command that it runs.
    baseURL: process.env['SLOWPATH_URL'] ?? 'http://127.0.0.1:8080',
    viewport: { width: 1440, height: 900 },
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
    launchOptions: { executablePath, env: browserEnvironment() },
  },
});
