// From files in a folder to the first comparison.
import { choose, exampleFiles, file, flameGraph, pathOf } from '../support/compare-helpers';
import { expect, expectAccessible, test } from '../support/test';

test(
  'two sets of profiles are uploaded and compared, and the findings name the cause',
  { tag: '@core' },
  async ({ page, person }) => {
    await page.goto(pathOf(person, '/comparisons'));
    await expectAccessible(page);
    await choose(page, [...exampleFiles('inlined', 8), ...exampleFiles('helper', 8)]);

    const drawer = page.getByRole('complementary', { name: 'Upload' });
    const base = drawer.getByRole('region', { name: 'base', exact: true });
    await expect(base.getByText('decoded')).toHaveCount(8, { timeout: 30_000 });
    await expect(drawer.getByText('decoded', { exact: true })).toHaveCount(16, {
      timeout: 30_000,
    });
    await expectAccessible(page);

    // The page cannot know from the names which files are the base; here, `inlined` is the base.
    if ((await base.getByText(/^helper-/).count()) > 0) {
      await drawer.getByRole('button', { name: 'Swap sides' }).click();
    }
    await drawer.getByRole('button', { name: /^compare/i }).click();

    const findings = page.getByRole('list', { name: /^findings/i });
    await expect(findings).toBeVisible({ timeout: 30_000 });
    await expect(page.getByRole('heading', { level: 1 })).toContainText(/more CPU.*stack growth/i);
    await expect(findings.getByRole('listitem').first()).toContainText(
      /stack growth \(morestack\)/i,
    );
    await expect(findings.getByRole('listitem').first()).toContainText(/cloneBytes|Clone/);

    // The sentence, finding 1, the graph and the table show the same function.
    const graph = await flameGraph(page);
    const sentence = await page.getByRole('heading', { level: 1 }).innerText();
    const culprit = /ident\.(cloneBytes|\(\*Pool\)\.Clone)/.exec(sentence)?.[0] ?? 'no function';
    await expect(findings.getByRole('listitem').first()).toContainText(culprit);
    await expect(graph.locator('xpath=..').locator('[aria-live]')).toContainText(culprit);
    const functions = page.getByRole('table', { name: 'Functions' });
    await expect(functions.getByRole('row').nth(1)).toContainText(culprit);
    const shown = page.getByRole('list', { name: 'Shown' });
    await expect(shown).toContainText('finding 1');
    await expectAccessible(page);

    // Without chips the whole graph is drawn.
    const chips = shown.getByRole('button');
    for (let left = await chips.count(); left > 0; left = await chips.count()) {
      await chips.first().click();
      await expect.poll(() => chips.count()).toBeLessThan(left);
    }
    await expect(page).toHaveURL(/whole=true/);
    await expectAccessible(page);
  },
);

test('an unreadable file is rejected by name, and the others are unaffected', async ({
  page,
  person,
}) => {
  await page.goto(pathOf(person, '/comparisons'));
  await choose(page, [
    ...exampleFiles('inlined', 2),
    ...exampleFiles('helper', 2),
    file('helper-notes.pb.gz', Buffer.from('these are not the bytes you are looking for')),
  ]);
  const drawer = page.getByRole('complementary', { name: 'Upload' });
  await expect(drawer.getByText('decoded', { exact: true })).toHaveCount(4, {
    timeout: 30_000,
  });
  const refused = drawer.getByRole('listitem').filter({ hasText: 'helper-notes.pb.gz' });
  await expect(refused.getByRole('alert')).toBeVisible();
  await expect(refused).toContainText(/rejected/);
  await expect(refused.getByRole('link', { name: 'Download original' })).toBeVisible();
  await expect(drawer.getByRole('button', { name: /^compare/i })).toBeEnabled();
  await expectAccessible(page);
});
