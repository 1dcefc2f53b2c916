// The picture of a chart, copied with its button and read back from the clipboard.
import { expect, succeeded, test, api } from '../support/test';
import type { Locator, Page } from '@playwright/test';

type CopiedPicture = { types: string[]; width: number; height: number; colors: number };

/** Returns the types in the clipboard, and the size and the number of colors of the picture. */
const readPicture = async (page: Page): Promise<CopiedPicture> =>
  page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    const bitmap = await createImageBitmap(await item!.getType('image/png'));
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
    const ink = canvas.getContext('2d')!;
    ink.drawImage(bitmap, 0, 0);
    const { data } = ink.getImageData(0, 0, bitmap.width, bitmap.height);
    const colors = new Set(new Uint32Array(data.buffer));
    return {
      types: [...item!.types],
      width: bitmap.width,
      height: bitmap.height,
      colors: colors.size,
    };
  });

async function expectCopied(copy: Locator): Promise<void> {
  await expect(copy).toBeVisible({ timeout: 60_000 });
  const chart = copy.locator('xpath=preceding-sibling::div');
  await chart.scrollIntoViewIfNeeded();
  await copy.press('Enter');
  await expect(copy).toHaveText('Copied');
  const size = await chart.boundingBox();
  const picture = await readPicture(copy.page());
  expect(picture.types).toEqual(['image/png']);
  expect(Math.abs(picture.width - 2 * size!.width)).toBeLessThanOrEqual(2);
  expect(Math.abs(picture.height - 2 * size!.height)).toBeLessThanOrEqual(2);
  expect(picture.colors, 'lines and texts, not an empty area').toBeGreaterThan(20);
}

type Listed = { items: { id: string }[] };

/** Waits until a list of the API has items of the example, and returns them. */
async function expectSome(page: Page, list: string): Promise<Listed['items']> {
  const read = async () =>
    ((await (await succeeded(await page.request.get(`${api}/${list}`))).json()) as Listed).items;
  await expect.poll(async () => (await read()).length, { timeout: 60_000 }).toBeGreaterThan(0);
  return read();
}

const button = (page: Page, name: string): Locator =>
  page.getByRole('button', { name: new RegExp(`^(Copy picture|Copied): ${name}$`) }).first();

test('dashboard panels and bisect charts are copied to the clipboard as pictures', async ({
  page,
  context,
  person,
  baseURL,
}) => {
  test.setTimeout(300_000);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const headers = { Origin: new URL(baseURL ?? '').origin };
  await succeeded(await context.request.post(`${api}/example-data`, { headers }));
  const [bisect] = await expectSome(page, 'bisects');
  await page.goto(`/t/${person.team.slug}/bisects/${bisect!.id}`);
  await expectCopied(button(page, 'probability per candidate'));
  await expectCopied(button(page, 'probes'));
  await expectCopied(button(page, 'measurements of .*'));

  await page.goto(`/t/${person.team.slug}/dashboard`);
  await expectCopied(button(page, 'requests per second of distributor'));
  await expectCopied(button(page, 'latency of distributor'));
});
