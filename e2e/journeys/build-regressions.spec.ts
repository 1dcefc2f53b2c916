// Every build watched: from the list of regressions to one, to its build and the likeliest commit, and who takes it on.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { APIRequestContext } from '@playwright/test';

import { api, expect, expectAccessible, succeeded, test } from '../support/test';

const root = join(import.meta.dirname, '../..');
const python = join(root, '.slowpath/venv/bin/python');
const culprit = 'Discounts stay in the order in which they were written';

type Regressions = { items: { title: string; is_confirmed: boolean }[] };

/** Lay out the watched builds through the public API, and sign in as who they belong to; gives the team's slug. */
async function seeded(request: APIRequestContext, url: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    python,
    ['-m', 'slowpath_cli.main', 'admin', 'seed-example', '--only', 'builds', '--url', url],
    { cwd: root, timeout: 100_000 },
  );
  const [, email, password] = /Sign in as (\S+) with the password (\S+)/.exec(stdout) ?? [];
  const headers = { Origin: new URL(url).origin };
  await succeeded(
    await request.post(`${api}/session`, {
      data: { email, password },
      headers,
    }),
  );
  const session = (await (await succeeded(await request.get(`${api}/session`))).json()) as {
    teams: { slug: string }[];
  };
  return session.teams[0]?.slug ?? '';
}

async function confirmed(request: APIRequestContext): Promise<string[]> {
  const answer = await succeeded(await request.get(`${api}/regressions`));
  const { items } = (await answer.json()) as Regressions;
  return items.filter((each) => each.is_confirmed).map(({ title }) => title);
}

test('a regression over builds: detected, opened, attributed to a commit, assigned', async ({
  page,
  context,
  baseURL,
}) => {
  test.setTimeout(300_000);
  const team = await seeded(context.request, baseURL ?? '');
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
