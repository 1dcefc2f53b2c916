// The user guide, signed out and searched by keyboard; its link in an empty list; and the API
// reference.
import { pathOf } from '../support/compare-helpers';
import { expect, expectAccessible, test } from '../support/test';

for (const [name, options] of [
  ['light', { colorScheme: 'light' }],
  ['dark and narrow', { colorScheme: 'dark', viewport: { width: 390, height: 844 } }],
] as const)
  test.describe(name, () => {
    test.use(options);

    test('a visitor searches the user guide by keyboard for a term', async ({ page }) => {
      await page.goto('/help');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Slowpath user guide');
      await page.keyboard.press('/');
      await page.keyboard.type('inconclusive');
      const found = page.getByRole('option', { name: /^Inconclusive/ });
      await expect(found).toHaveAttribute('aria-selected', 'true');
      await expectAccessible(page);
      await page.keyboard.press('Enter');
      await expect(page).toHaveURL(/\/help\/reading-a-result#inconclusive$/);
      await expect(page.getByRole('heading', { name: 'Inconclusive' })).toBeInViewport();
      const picture = page.getByRole('img', { name: /^A regressed result/ });
      await expect
        .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth))
        .toBeGreaterThan(0);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        page.viewportSize()?.width ?? 0,
      );
      await expectAccessible(page);
    });
  });

test('an empty list links to its help page, and the API reference shows the operations', async ({
  page,
  person,
}) => {
  await page.goto(pathOf(person, '/comparisons'));
  const opened = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Help: comparing' }).click();
  const guide = await opened;
  await expect(guide.getByRole('heading', { level: 1 })).toHaveText('Comparing');

  await page.getByRole('link', { name: 'Help', exact: true }).click();
  await page.getByRole('navigation').getByRole('link', { name: 'API reference' }).click();
  const filter = page.getByRole('textbox', { name: 'Filter operations' });
  await filter.fill('post comparisons');
  await page.getByText('/api/v1/comparisons', { exact: true }).first().click();
  await expect(page.getByText('ComparisonIn', { exact: true }).first()).toBeVisible();
  await expectAccessible(page);
});
