import base from '../playwright.config';
import { defineConfig } from '@playwright/test';

// The looking part of the demos, started by them: what a person would see of the story just played.
export default defineConfig({
  ...base,
  testDir: '.',
  reporter: 'line',
  workers: 1,
  use: { ...base.use, trace: 'off' },
});
