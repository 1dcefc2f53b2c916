import { readFileSync, writeFileSync } from 'node:fs';

import { expect, type Page, test } from '@playwright/test';

import { signIn, readVariable } from './demo-report';

type Dropped = {
  side: 'base' | 'candidate';
  name: string;
  path: string;
  facts: string;
};

/** Drops files on the page. */
async function drop(page: Page, files: { name: string; path: string }[]): Promise<void> {
  const contents = files.map(({ name, path }) => ({
    name,
    content: readFileSync(path).toString('base64'),
  }));
  await page.evaluate((all) => {
    const held = new DataTransfer();
    for (const { name, content } of all) {
      const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
      held.items.add(new File([bytes], name, { type: 'application/octet-stream' }));
    }
    for (const type of ['dragenter', 'dragover', 'drop']) {
      const event = new DragEvent(type, {
        bubbles: true,
        cancelable: true,
        dataTransfer: held,
      });
      document.body.dispatchEvent(event);
    }
  }, contents);
}

test('dropped traces are compared, and the longest wait shows its timeline', async ({ page }) => {
  const files = JSON.parse(readVariable('DEMO_FILES')) as Dropped[];
  await signIn(page);
  await page.goto(readVariable('DEMO_PATH'));
  await expect(page.getByRole('button', { name: /^upload/i }).first()).toBeVisible();

  const began = Date.now();
  const facts = files.map(({ name, facts: path }) => ({
    name: `${name}.facts.json`,
    path,
  }));
  await drop(page, [...files, ...facts]);
  const drawer = page.getByRole('complementary', { name: 'Upload' });
  for (const { side, name } of files) {
    const region = drawer.getByRole('region', { name: side, exact: true });
    await expect(drawer.getByText(name).first()).toBeVisible();
    if ((await region.getByText(name).count()) > 0) continue;
    await drawer.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: `Move to ${side}` }).click();
    await expect(region.getByText(name).first()).toBeVisible();
  }
  await expect(drawer.getByRole('button', { name: 'Compare', exact: true })).toBeEnabled({
    timeout: 30_000,
  });
  await drawer.getByRole('button', { name: 'Compare', exact: true }).click();

  const findings = page.getByRole('list', { name: /^findings/i });
  await expect(findings).toBeVisible({ timeout: 30_000 });
  const seconds = (Date.now() - began) / 1000;
  const first = findings.getByRole('listitem').first();
  await first.locator('button').nth(1).click();

  const worst = page.getByRole('region', { name: 'Longest waits' });
  await expect(worst.getByRole('group', { name: /^timeline of the Ps/i })).toBeVisible({
    timeout: 20_000,
  });
  const held = worst.getByRole('table', {
    name: 'P occupancy during this wait',
  });
  writeFileSync(
    readVariable('DEMO_SEEN'),
    JSON.stringify({
      comparison: new URL(page.url()).pathname.split('/').at(-1),
      first: plain(await first.innerText()),
      wait: plain(await worst.getByRole('heading', { level: 2 }).first().innerText()),
      held_by: plain(await held.getByRole('rowheader').first().innerText()),
      seconds,
    }),
  );
});

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();
