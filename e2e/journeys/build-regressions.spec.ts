// Regressions over builds: from the list to a regression, its build and its top suspect, and the
// assignee.
import type { APIRequestContext } from '@playwright/test';

import { api, expect, expectAccessible, succeeded, test } from '../support/test';
import { seedExample } from '../support/seeded-example';

const culprit = 'Discounts stay in the order in which they were written';

type Regressions = { items: { title: string; is_confirmed: boolean }[] };

async function confirmed(request: APIRequestContext): Promise<string[]> {
  const answer = await succeeded(await request.get(`${api}/regressions`));
  const { items } = (await answer.json()) as Regressions;
  return items.filter((each) => each.is_confirmed).map(({ title }) => title);
}

test('a regression over builds is detected, assigned, and attributed to a commit', async ({
  page,
  context,
  baseURL,
}) => {
  test.setTimeout(300_000);
  const team = await seedExample(context.request, baseURL ?? '', ['builds']);
  await expect
    .poll(() => confirmed(context.request), {
      timeout: 180_000,
      intervals: [1_000],
    })
    .toHaveLength(1);

  await page.goto(`/t/${team}/regressions`);
  const list = page.getByRole('list', { name: 'Regressions' });
  const row = list.getByRole('listitem').first();
  await expect(row).toContainText('quoter');
  await expectAccessible(page);
  await page.getByRole('list', { name: 'Regressions' }).press('s');
  await page.getByRole('menuitem', { name: 'Investigating' }).click();
  await expect(row).toContainText('Investigating');
  await row.getByRole('link').first().click();

  await expect(page.getByRole('heading', { name: 'History by build' })).toBeVisible();
  const likeliest = page.getByRole('link', { name: culprit });
  await expect(likeliest.first()).toBeVisible({ timeout: 30_000 });
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Assignee: unassigned' }).click();
  await page.getByRole('menuitem', { name: 'Ada Example' }).click();
  await expect(page.getByRole('button', { name: 'Assignee: Ada Example' })).toBeVisible();

  const since = page.getByText(/^since/);
  await since.getByRole('link').click();
  await expect(page).toHaveURL(/\/builds\//);
  await expect(page.getByRole('main')).toContainText('quoter');
  await expectAccessible(page);
  await page.goBack();

  await likeliest.first().click();
  await expect(page).toHaveURL(/\/commits\//);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(culprit);
  await expectAccessible(page);
});
