import { writeFileSync } from 'node:fs';

import { expect, test } from '@playwright/test';

import { signIn, readVariable } from './demo-report';

const fields = {
  'Parallel deployments': 2,
  'Maximum measurements per deployment': 1,
  'Measurement window, seconds': 4,
  'Warm-up, seconds': 0,
  'Deployment timeout, seconds': 120,
};

test('a bisect is started from the page of a regression', async ({ page }) => {
  test.setTimeout(80_000);
  await signIn(page);
  await page.goto(readVariable('DEMO_PATH'));
  await page.getByRole('link', { name: 'Start bisect' }).click();
  await page
    .getByRole('radio', { name: readVariable('DEMO_SIGNATURE') })
    .check({ timeout: 20_000 });
  for (const [label, value] of Object.entries(fields))
    await page.getByLabel(label).fill(String(value));
  await page.getByRole('checkbox', { name: /good build as a control/ }).check();
  await page.getByRole('button', { name: 'Start bisect' }).click();
  await page.waitForURL(/\/bisects\/[0-9a-f-]{36}/, { timeout: 20_000 });
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const bisect_id = /[0-9a-f-]{36}$/.exec(new URL(page.url()).pathname)?.[0] ?? '';
  writeFileSync(readVariable('DEMO_SEEN'), JSON.stringify({ bisect_id }));
});
