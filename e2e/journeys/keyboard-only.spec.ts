// By keyboard only: sign in, open the comparison, read the findings, move through the graph, sort
// the table.
import { type Locator, type Page, request } from '@playwright/test';

import { compared, exampleFiles, flameGraph } from '../support/compare-helpers';
import { expect, expectAccessible, signUp, test } from '../support/test';

/** Presses Tab until an element has the focus; fails if it cannot be reached by keyboard. */
async function tabTo(page: Page, target: Locator, most = 80): Promise<void> {
  await expect(target).toBeVisible({ timeout: 20_000 });
  for (let presses = 0; presses < most; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  await expect(target, `not reached by ${most} presses of Tab`).toBeFocused();
}

test('a user signs in and explores a comparison with the keyboard only', async ({
  page,
  baseURL,
}) => {
  const home = baseURL ?? '';
  const elsewhere = await request.newContext({ baseURL: home });
  const person = await signUp(elsewhere, home);
  await compared(elsewhere, home, {
    base: exampleFiles('inlined', 6),
    candidate: exampleFiles('helper', 6),
  });
  await elsewhere.dispose();

  await page.goto('/');
  await tabTo(page, page.getByLabel(/e-?mail/i));
  await page.keyboard.type(person.email);
  await tabTo(page, page.getByLabel(/^password/i));
  await page.keyboard.type(person.password);
  await page.keyboard.press('Enter');

  await tabTo(page, page.getByRole('link', { name: /comparisons/i }).first());
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('table').getByRole('link').first());
  await page.keyboard.press('Enter');

  const findings = page.getByRole('list', { name: /^findings/i });
  const explain = findings.getByRole('button', { name: 'Explain finding 1' });
  await tabTo(page, explain);
  await page.keyboard.press('Enter');
  await expect(findings.getByRole('button', { name: 'Fold finding 1' })).toBeVisible();
  await expect(page).toHaveURL(/open=true/);

  const graph = await flameGraph(page);
  await tabTo(page, graph);
  const spoken = graph.locator('xpath=..').locator('[aria-live]');
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
  await expect(spoken).toContainText(/Level \d+/);
  await expect(spoken).toContainText(/ on [\d,]+ stacks?/);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/zoom=/);
  await page.keyboard.press('0');
  await expect(page).not.toHaveURL(/zoom=/);

  const table = page.getByRole('table', { name: 'Functions' });
  await tabTo(page, table.getByRole('button', { name: /^Change of total/ }));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/sort=q/);
  await tabTo(page, table.getByRole('row').nth(1));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/[?&]q=/);
  await expectAccessible(page);
});
