import { writeFileSync } from 'node:fs';

import { type APIResponse, expect, test } from '@playwright/test';

import { expectAccessible } from '../support/axe-checks';
import { signIn, readVariable } from './demo-report';

async function read<Known>(answer: APIResponse): Promise<Known> {
  expect(answer.ok(), `${answer.url()}: ${String(answer.status())}`).toBe(true);
  return (await answer.json()) as Known;
}

test('the report of a bisect is created, shared, and opened signed out', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(85_000);
  await signIn(page);
  await page.goto(readVariable('DEMO_PATH'));
  await expect(page.getByRole('heading', { level: 1 })).toContainText(
    readVariable('DEMO_CULPRIT'),
    {
      timeout: 20_000,
    },
  );
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create report' }).click();
  await page.waitForURL(/\/reports\/[0-9a-f-]{36}/, { timeout: 45_000 });
  const title = await page.getByRole('heading', { level: 1 }).innerText();

  const headers = { Origin: baseURL ?? '', 'Slowpath-Team': readVariable('DEMO_TEAM') };
  const id = /[0-9a-f-]{36}/.exec(new URL(page.url()).pathname.split('/reports/')[1] ?? '')?.[0];
  const report = `/api/v1/reports/${id ?? ''}`;
  await read(await page.request.post(`${report}/publish`, { headers }));
  const asked = {
    headers,
    data: { name: 'for those who ask', expires_in_days: 7 },
  };
  const { url } = await read<{ url: string }>(
    await page.request.post(`${report}/share-links`, asked),
  );

  const elsewhere = await browser.newContext();
  const stranger = await elsewhere.newPage();
  await stranger.goto(url);
  await expect(stranger.getByText(readVariable('DEMO_CULPRIT')).first()).toBeVisible({
    timeout: 30_000,
  });
  const session = await stranger.request.get('/api/v1/session');
  expect(session.status()).toBe(401);
  writeFileSync(
    readVariable('DEMO_SEEN'),
    JSON.stringify({ title, url: new URL(url).pathname.length }),
  );
  await elsewhere.close();
});
