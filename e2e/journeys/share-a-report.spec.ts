// A report: snapshots are added, published, shared with a signed-out reader and downloaded as a
// file; then the share link is revoked.
import { readFileSync, writeFileSync } from 'node:fs';

import type { Page } from '@playwright/test';

import { compared, exampleFiles, flameGraph, pathOf } from '../support/compare-helpers';
import { api, expect, expectAccessible, succeeded, test } from '../support/test';

/** Adds a snapshot of the page to a new report, or to the newest one. */
async function add(page: Page, into?: string): Promise<void> {
  await page.getByRole('button', { name: 'Add to report' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add to report' });
  if (into !== undefined) await dialog.getByLabel('Name of the new report').fill(into);
  await dialog.getByRole('button', { name: 'Add snapshot' }).click();
  await expect(dialog.getByRole('status')).toContainText('Snapshot added', {
    timeout: 30_000,
  });
}

test('a report is published, shared, downloaded, and its share link is revoked', async ({
  page,
  person,
  context,
  browser,
  baseURL,
}, info) => {
  test.setTimeout(180_000);
  const headers = { Origin: new URL(baseURL ?? '').origin };
  const id = await compared(context.request, baseURL ?? '', {
    base: exampleFiles('inlined', 6),
    candidate: exampleFiles('helper', 6),
  });
  await page.goto(pathOf(person, `/comparisons/${id}`));
  await flameGraph(page);
  await add(page, 'Why stacks grow');
  await page.goto(pathOf(person, '/regressions'));
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await add(page);
  await page.getByRole('dialog').getByRole('link', { name: 'Why stacks grow' }).click();

  // A text block is added and moved.
  await expect(page.getByRole('heading', { level: 1, name: 'Why stacks grow' })).toBeVisible();
  await page.getByRole('button', { name: 'Add text at the top' }).click();
  await page.getByRole('textbox', { name: 'Text' }).fill('The **helper** is not inlined.');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.locator('strong', { hasText: 'helper' })).toBeVisible();
  const parts = page.locator('main section[aria-label]');
  await page.getByRole('button', { name: /^Move down: text/ }).click();
  await expect(page.getByRole('button', { name: 'Add text at the top' })).toBeVisible();
  await page.getByRole('button', { name: /^Move up: text/ }).click();
  await expect(parts.first()).toContainText('The helper is not inlined.');
  await flameGraph(page);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page.getByText('Version 1 is published')).toBeVisible();

  // The share link is shown only once.
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Share' });
  await dialog.getByLabel('Link name').fill('the storage team');
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const link = await dialog.getByRole('textbox', { name: /^Link “/ }).inputValue();
  expect(link).toMatch(/\/s\/[\w-]{32,}$/);
  await expectAccessible(page);

  // The report remains when its comparison is deleted.
  await succeeded(await context.request.delete(`${api}/comparisons/${id}`, { headers }));
  const stranger = await browser.newContext();
  const elsewhere = await stranger.newPage();
  const asked: string[] = [];
  elsewhere.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await elsewhere.goto(link);
  await expect(elsewhere.getByText(/^Shared by/)).toBeVisible({
    timeout: 20_000,
  });
  await (await flameGraph(elsewhere)).focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await elsewhere.keyboard.press(key);
  await expect(elsewhere.getByRole('button', { name: /^Without zoomed in/ })).toBeVisible();
  expect(new URL(elsewhere.url()).search).toBe('');
  expect(asked.filter((path) => path.startsWith(api))).toEqual([
    `${api}/shared/${link.split('/').at(-1) ?? ''}`,
  ]);
  await expectAccessible(elsewhere);

  // The downloaded file works without a network.
  const waiting = elsewhere.waitForEvent('download');
  await elsewhere.getByRole('link', { name: 'Download as one file' }).click();
  const file = info.outputPath('report.html');
  writeFileSync(file, readFileSync(await (await waiting).path()));
  const offline = await browser.newContext({ offline: true });
  const alone = await offline.newPage();
  const wrong: string[] = [];
  alone.on('pageerror', (error) => wrong.push(error.message));
  alone.on('console', (message) => {
    if (message.type() === 'error') wrong.push(message.text());
  });
  await alone.goto(`file://${file}`);
  await expect(alone.getByRole('heading', { level: 1, name: 'Why stacks grow' })).toBeVisible();
  await flameGraph(alone);
  expect(wrong).toEqual([]);
  await offline.close();

  // After the link is revoked, the next request is rejected.
  await page.reload();
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByRole('button', { name: 'Revoke the storage team' }).click();
  await expect(page.getByText(/revoked/)).toBeVisible();
  await elsewhere.reload();
  await expect(
    elsewhere.getByRole('heading', {
      name: 'This link has expired or was revoked',
    }),
  ).toBeVisible();
  await stranger.close();
});
