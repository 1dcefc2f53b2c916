import { writeFileSync } from 'node:fs';

import { expect, test } from '@playwright/test';

import { signIn, readVariable } from './demo-report';

test('the comparison page shows the first finding', async ({ page }) => {
  await signIn(page);
  await page.goto(readVariable('DEMO_PATH'));
  const findings = page.getByRole('list', { name: /^findings/i });
  await expect(findings).toBeVisible({ timeout: 20_000 });
  const first = findings.getByRole('listitem').first();
  writeFileSync(
    readVariable('DEMO_SEEN'),
    JSON.stringify({ first: (await first.innerText()).replace(/\s+/g, ' ') }),
  );
});
