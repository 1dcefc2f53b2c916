// The URL contains the complete view, so a link shows another user the same page.
import { compared, exampleFiles, pathOf } from '../support/compare-helpers';
import { expect, test } from '../support/test';

test('a search and a side are restored from the link to a comparison', async ({
  page,
  person,
  context,
  baseURL,
}) => {
  const id = await compared(context.request, baseURL ?? '', {
    base: exampleFiles('inlined', 6),
    candidate: exampleFiles('helper', 6),
  });
  await page.goto(pathOf(person, `/comparisons/${id}`));
  const findings = page.getByRole('list', { name: /^findings/i });
  await expect(findings).toBeVisible({ timeout: 20_000 });

  const search = page.getByRole('textbox', { name: /search/i }).last();
  await search.fill('newstack|copystack');
  await expect(page.getByText(/\d+ frames?: /)).toBeVisible();
  await page.getByText('candidate', { exact: true }).last().click();
  await expect(page).toHaveURL(/q=newstack/);
  await expect(page).toHaveURL(/mode=candidate/);

  const other = await context.newPage();
  await other.goto(page.url());
  await expect(other.getByRole('list', { name: /^findings/i })).toBeVisible({
    timeout: 20_000,
  });
  await expect(other.getByRole('textbox', { name: /search/i }).last()).toHaveValue(
    'newstack|copystack',
  );
  await expect(other.getByText(/\d+ frames?: /)).toHaveText(
    (await page.getByText(/\d+ frames?: /).textContent()) ?? '',
  );
  expect(new URL(other.url()).search).toBe(new URL(page.url()).search);
});
