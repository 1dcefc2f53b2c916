import { writeFileSync } from 'node:fs';

import { expect, test } from '@playwright/test';

function told(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run \`npm run demo:compare\``);
  return value;
}

test('the page says first what the data says first', async ({ page }) => {
  await page.goto('/sign-in');
  await page.getByLabel(/e-?mail/i).fill(told('DEMO_EMAIL'));
  await page
    .getByLabel(/password/i)
    .first()
    .fill(told('DEMO_PASSWORD'));
  await page.getByRole('button', { name: /^sign in$/i }).click();
  await expect(page.getByRole('navigation').first()).toBeVisible();
  await page.goto(told('DEMO_PATH'));
  const findings = page.getByRole('list', { name: /^findings/i });
  await expect(findings).toBeVisible({ timeout: 20_000 });
  const first = findings.getByRole('listitem').first();
  writeFileSync(
    told('DEMO_SEEN'),
    JSON.stringify({ first: (await first.innerText()).replace(/\s+/g, ' ') }),
  );
});
