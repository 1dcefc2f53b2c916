import base from '../playwright.config';
import { defineConfig } from '@playwright/test';

// The scripts that the demos start to check what the pages show of the data they created.
export default defineConfig({
  ...base,
  testDir: '.',
  reporter: 'line',
  workers: 1,
  use: { ...base.use, trace: 'off' },
});
