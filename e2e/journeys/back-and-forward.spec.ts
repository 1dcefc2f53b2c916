// Back and Forward restore views: a search, a zoom and a filter, each as one entry of the history.
import { compared, exampleFiles, flameGraph, pathOf } from '../support/compare-helpers';
import { expect, test } from '../support/test';

test('Back undoes the steps in a comparison one at a time, and Forward restores them', async ({
  page,
  person,
  context,
  baseURL,
}) => {
  const id = await compared(context.request, baseURL ?? '', {
    base: exampleFiles('inlined', 6),
    candidate: exampleFiles('helper', 6),
  });
  await page.goto(pathOf(person, '/comparisons'));
  await page.getByRole('table').getByRole('link').first().click();
  const graph = await flameGraph(page);
  const search = page.getByRole('textbox', { name: 'Search frames' });
  const steps: string[] = [];
  const step = () => steps.push(new URL(page.url()).search);
  step();

  // A search that is typed with a pause is one entry.
  await search.pressSequentially('new', { delay: 20 });
  await expect(page).toHaveURL(/q=new(&|$)/);
  await search.pressSequentially('stack', { delay: 20 });
  await expect(page).toHaveURL(/q=newstack/);
  step();

  await graph.focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter'])
    await page.keyboard.press(key);
  await expect(page).toHaveURL(/zoom=/);
  await page.waitForTimeout(600); // the final zoom replaces the entry
  step();

  await page.keyboard.press('m');
  await page.getByRole('menuitem', { name: /^Focus/ }).press('Enter');
  await expect(page).toHaveURL(/focus=/);
  const filter = page.getByRole('button', { name: /^Without focus/i });
  await expect(filter).toBeVisible();
  step();

  await page.goBack();
  await expect(page).toHaveURL(/zoom=/);
  expect(new URL(page.url()).search).toBe(steps[2]);
  await expect(filter).toHaveCount(0);
  await page.goBack();
  await expect(page).not.toHaveURL(/zoom=/);
  expect(new URL(page.url()).search).toBe(steps[1]);
  await expect(search).toHaveValue('newstack');
  await page.goBack();
  await expect(search).toHaveValue('');
  expect(new URL(page.url()).search).toBe(steps[0]);

  await page.goForward();
  await expect(search).toHaveValue('newstack');
  await page.goForward();
  await expect(page).toHaveURL(/zoom=/);
  await page.goForward();
  await expect(page).toHaveURL(/focus=/);
  for (let back = 0; back < 4; back++) await page.goBack();
  await expect(page).toHaveURL(new RegExp(`${pathOf(person, '/comparisons')}$`));
  await page.goForward();
  await expect(page).toHaveURL(new RegExp(id));
});

test('Back undoes each zoom of the user but no automatic move of the graph', async ({
  page,
  person,
  context,
  baseURL,
}) => {
  await compared(context.request, baseURL ?? '', {
    base: exampleFiles('inlined', 6),
    candidate: exampleFiles('helper', 6),
  });
  const list = new RegExp(`${pathOf(person, '/comparisons')}$`);
  await page.goto(pathOf(person, '/comparisons'));
  await page.getByRole('table').getByRole('link').first().click();
  const graph = await flameGraph(page);
  await page.waitForTimeout(600); // the zoom to the first finding adds no entry

  const opened = page.url();
  await page.getByRole('radiogroup', { name: 'Sides' }).getByText('side by side').click();
  await expect(page).toHaveURL(/mode=side-by-side/);
  await page.waitForTimeout(600); // both graphs scroll to the frame, which adds no entry
  await page.goBack();
  await expect(page).toHaveURL(opened);
  await page.goBack();
  await expect(page).toHaveURL(list);

  await page.goForward();
  await expect(page).toHaveURL(opened);
  const urls = [page.url()];
  await flameGraph(page);
  for (const times of [2, 1]) {
    await graph.focus();
    for (let down = 0; down < times; down++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).not.toBe(urls.at(-1));
    await page.waitForTimeout(600);
    urls.push(page.url());
  }
  for (const url of urls.slice(0, -1).reverse()) {
    await page.goBack();
    await expect(page).toHaveURL(url);
  }
  await page.goBack();
  await expect(page).toHaveURL(list);
});
