import { writeFileSync } from 'node:fs';

import { type APIResponse, expect, test } from '@playwright/test';

import { signIn, readVariable } from './demo-report';

type Linked = { url: string };
type Reports = { items: { id: string }[] };

async function read<Known>(answer: APIResponse): Promise<Known> {
  expect(answer.ok(), `${answer.url()}: ${String(answer.status())}`).toBe(true);
  return (await answer.json()) as Known;
}

test('a report of the regression opens signed out', async ({ page, browser, baseURL }) => {
  await signIn(page);
  await page.goto(readVariable('DEMO_PATH'));
  await expect(page.getByRole('heading', { name: 'History by build' })).toBeVisible({
    timeout: 20_000,
  });
  const title = await page.getByRole('heading', { level: 1 }).innerText();
  await page.getByRole('button', { name: 'Add to report' }).click();
  await page.getByRole('button', { name: 'Add snapshot' }).click();
  await expect(page.getByText('Snapshot added')).toBeVisible({
    timeout: 30_000,
  });

  const headers = { Origin: baseURL ?? '', 'Slowpath-Team': readVariable('DEMO_TEAM') };
  const api = '/api/v1/reports';
  const { items } = await read<Reports>(await page.request.get(api, { headers }));
  const report = `${api}/${items[0]?.id ?? ''}`;
  await read(await page.request.post(`${report}/publish`, { headers }));
  const asked = {
    headers,
    data: { name: 'for those who ask', expires_in_days: 7 },
  };
  const { url } = await read<Linked>(await page.request.post(`${report}/share-links`, asked));

  const elsewhere = await browser.newContext();
  const stranger = await elsewhere.newPage();
  await stranger.goto(url);
  await expect(stranger.getByText(title).first()).toBeVisible({
    timeout: 30_000,
  });
  await expect(stranger.getByRole('heading', { name: 'History by build' })).toBeVisible();
  const session = await stranger.request.get('/api/v1/session');
  expect(session.status()).toBe(401);
  writeFileSync(
    readVariable('DEMO_SEEN'),
    JSON.stringify({ title, url: new URL(url).pathname.length }),
  );
  await elsewhere.close();
});
