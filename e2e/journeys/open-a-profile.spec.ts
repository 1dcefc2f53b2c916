// One uploaded profile is opened without a comparison: its cost, its callers and its export.
import { choose, exampleFiles, flameGraph, pathOf } from '../support/compare-helpers';
import { expect, expectAccessible, test } from '../support/test';

test(
  'a profile is uploaded and opened, and its page shows where time is spent',
  { tag: '@core' },
  async ({ page, person }) => {
    await page.goto(pathOf(person, '/artifacts'));
    await choose(page, exampleFiles('helper', 1));
    const drawer = page.getByRole('complementary', { name: 'Upload' });
    const open = drawer.getByRole('button', { name: 'Open', exact: true });
    await expect(open).toBeEnabled({ timeout: 30_000 });
    await open.click();

    await expect(page).toHaveURL(/\/artifacts\/[0-9a-f-]+/);
    const title = page.getByRole('heading', { level: 1 });
    await expect(title).toContainText(/stack growth takes \d+% of CPU time/i, {
      timeout: 30_000,
    });
    await expect(title).toContainText('cloneBytes');
    await flameGraph(page, 'Flame graph');
    const functions = page.getByRole('table', { name: 'Functions' });
    await expect(functions.getByRole('row').nth(1)).toContainText('cloneBytes');
    await expect(functions.getByRole('row').nth(1)).toContainText('stack growth');
    await expectAccessible(page);

    await page.getByRole('button', { name: /^stack growth/ }).click();
    await expect(page).toHaveURL(/category=stack-growth/);
    const selected = page.getByRole('region', { name: 'Selected function' });
    await selected.getByRole('button', { name: 'runtime.newstack' }).click();
    await expect(page).toHaveURL(/fn=runtime\.newstack/);
    await page.goBack();
    await expect(selected.getByRole('heading', { level: 2 })).toContainText('cloneBytes');

    await page.getByRole('tab', { name: 'Call graph' }).click();
    const node = page.getByRole('button', { name: /^runtime\.newstack, / });
    await expect(node).toBeVisible({ timeout: 20_000 });
    await node.focus();
    await page.keyboard.press('ArrowUp');
    await expect(page.getByRole('button', { name: /cloneBytes, .*callees/ })).toBeFocused();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Export' }).click();
    const picture = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'SVG' }).click();
    expect((await picture).suggestedFilename()).toMatch(/\.svg$/);
    await page.getByRole('button', { name: 'Export' }).click();
    const file = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Speedscope' }).click();
    expect((await file).suggestedFilename()).toMatch(/speedscope/);

    await page.getByRole('tab', { name: 'Source lines' }).click();
    await expect(page.getByRole('table', { name: /^Lines of .*cloneBytes/ })).toBeVisible();
    await page.getByRole('tab', { name: 'Run metadata' }).click();
    await expect(page.getByText('SHA-256')).toBeVisible();
    await expectAccessible(page);
  },
);

test.describe('dark color scheme on a narrow screen', () => {
  test.use({ colorScheme: 'dark', viewport: { width: 390, height: 844 } });

  test('an opened profile fits the width of the window', async ({ page, person }) => {
    await page.goto(pathOf(person, '/artifacts'));
    await choose(page, exampleFiles('helper', 2));
    const open = page
      .getByRole('complementary', { name: 'Upload' })
      .getByRole('button', { name: 'Open', exact: true });
    await expect(open).toBeEnabled({ timeout: 30_000 });
    await open.click();
    await expect(page.getByRole('heading', { level: 1 })).toContainText(/stack growth/i, {
      timeout: 30_000,
    });
    await flameGraph(page, 'Flame graph');
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(390);
    await expectAccessible(page);
  });
});
