// Triage of the example by keyboard only: assign, snooze and undo in the inbox, then the page of a
// production event.
import type { APIRequestContext, Page } from '@playwright/test';

import { api, expect, expectAccessible, succeeded, test } from '../support/test';
import { seedExample } from '../support/seeded-example';

type Inbox = {
  items: { kind: string; state: string; assignee: { name: string } | null }[];
};

async function itemsOf(request: APIRequestContext, view = 'needs-action'): Promise<Inbox['items']> {
  const answer = await succeeded(await request.get(`${api}/inbox?view=${view}`));
  return ((await answer.json()) as Inbox).items;
}

const kindsOf = async (request: APIRequestContext) =>
  (await itemsOf(request)).map(({ kind }) => kind);

/** Returns the row with the cursor. */
const current = (page: Page) => page.locator('li[data-key][aria-current]');

async function press(page: Page, keys: string): Promise<void> {
  for (const key of keys.split(' ')) await page.keyboard.press(key);
}

test('inbox items are triaged and undone with keys only, and an event page shows its evidence', async ({
  page,
  context,
  baseURL,
}) => {
  test.setTimeout(400_000);
  const team = await seedExample(context.request, baseURL ?? '', ['board', 'builds']);
  await expect
    .poll(() => kindsOf(context.request), {
      timeout: 240_000,
      intervals: [1_000],
    })
    .toEqual(['production-event', 'regression']);

  await page.goto(`/t/${team}/inbox`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('2 open items, 2 unassigned');
  await expect(page.getByRole('link', { name: 'Inbox 2 unread' })).toBeVisible();
  await expectAccessible(page);

  await press(page, 'j');
  await expect(current(page)).toContainText('distributor');
  await press(page, 'x j x a');
  await expect(page.getByRole('menu')).toContainText('Assign 2 items to');
  await press(page, '1');
  await expect(page.getByText('Assigned 2 items to Ada Example')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).not.toContainText('unassigned');
  await press(page, 'u');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('2 unassigned');

  await press(page, 's 3');
  await expect(page.getByText('Set 1 item to Acknowledged')).toBeVisible();
  await expect(current(page)).toContainText('Acknowledged');
  await press(page, 'u');
  await expect(current(page)).toContainText('New');

  await press(page, 'k z');
  await expect(page.getByRole('menu')).toContainText('Until the next deployment of distributor');
  await press(page, '2');
  await expect(page.getByText('Snoozed 1 item until the next deployment')).toBeVisible();
  await expect(page.locator('li[data-key]')).toHaveCount(1);
  await page.getByRole('link', { name: /^Snoozed/ }).press('Enter');
  await expect(page).toHaveURL(/view=snoozed/);
  await expect(current(page)).toContainText('snoozed until the next deployment of distributor');
  await press(page, 'u');
  await expect(page.getByText('No item is snoozed.')).toBeVisible();

  await page.goBack();
  await expect(page.locator('li[data-key]')).toHaveCount(2);
  await press(page, 'j n');
  const mute = page.getByRole('dialog', { name: 'Mute: 1 item' });
  await expect(mute.getByRole('textbox', { name: 'Reason' })).toBeFocused();
  await page.keyboard.type('load test');
  await press(page, 'Tab Tab Enter');
  await expect(page.getByText('Muted 1 item')).toBeVisible();
  await expect(page.locator('li[data-key]')).toHaveCount(1); // the next check needs this
  await press(page, 'u');
  await expect(page.locator('li[data-key]')).toHaveCount(2);

  // Both items are read, because actions were applied to them.
  await press(page, 'Shift+X r');
  await expect(page.getByRole('img', { name: 'Unread' })).toHaveCount(2);
  await press(page, 'Escape');

  await press(page, 'k Enter');
  await expect(page).toHaveURL(/\/events\//);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('distributor');
  await expect(page.getByRole('img', { name: /^Latency of distributor/ })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Discussion' })).toBeInViewport();
  await expect(page.getByRole('region', { name: 'History' })).toContainText('Opened');
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Set state' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Investigating' }).press('Enter');
  await expect.poll(async () => (await itemsOf(context.request))[0]?.state).toBe('investigating');
  await expect(page.getByRole('link', { name: 'Inbox 1 unread' })).toBeVisible();
  await expect(page.getByRole('main')).toContainText('Investigating');
});
