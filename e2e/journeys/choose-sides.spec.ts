// Both sides of a comparison, of any source, are chosen on one page, which previews their contents.
import { type Locator, type Page } from '@playwright/test';

import { pathOf } from '../support/compare-helpers';
import {
  createService,
  labelledProfile,
  uploadBuild,
  uploadProfile,
  waitUntilDecoded,
} from '../support/evidence';
import { expect, expectAccessible, test } from '../support/test';

const BASE_COMMIT = '1'.repeat(40);
const CANDIDATE_COMMIT = '2'.repeat(40);

const sideOf = (page: Page, name: 'base' | 'candidate') =>
  page.getByRole('region', { name, exact: true });

/** Starts the comparison and waits for its result. */
async function start(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Start comparison' });
  await expect(button).toBeEnabled({ timeout: 30_000 });
  await button.press('Enter');
  await expect(page).toHaveURL(/\/comparisons\//, { timeout: 30_000 });
  await expect(page.getByRole('link', { name: 'Change sides' })).toBeVisible({
    timeout: 60_000,
  });
}

/** Chooses a kind of source by keyboard: arrow keys move between the radio buttons. */
async function chooseKind(side: Locator, name: string): Promise<void> {
  const checked = side.getByRole('radio', { checked: true });
  await checked.focus();
  for (let presses = 0; presses < 6; presses++) {
    const wanted = side.getByRole('radio', { name });
    if (await wanted.isChecked()) return;
    await side.getByRole('radio', { checked: true }).press('ArrowRight');
  }
  await expect(side.getByRole('radio', { name })).toBeChecked();
}

/** Types into a field, then chooses the first match with Enter. */
async function pick(side: Locator, field: string | RegExp, text: string): Promise<void> {
  const input = side.getByRole('combobox', { name: field });
  await input.focus();
  await input.fill(text);
  await expect(side.getByRole('option').first()).toContainText(text);
  await expect(side.locator('[data-old]')).toHaveCount(0);
  await input.press('Enter');
  await expect(side.getByRole('option', { selected: true }).first()).toContainText(text);
}

test('two builds are compared from the list of builds, and then two branches by keyboard', async ({
  page,
  context,
  person,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const api = { request: context.request, baseURL: baseURL ?? '' };
  const service = await createService(api, 'ingester');
  await uploadBuild(api, service, {
    commit: BASE_COMMIT,
    branch: 'release/2.31',
    variant: 'inlined',
  });
  await uploadBuild(api, service, {
    commit: CANDIDATE_COMMIT,
    branch: 'main',
    variant: 'helper',
  });

  await page.goto(pathOf(person, '/builds'));
  await expectAccessible(page);
  for (const commit of [BASE_COMMIT, CANDIDATE_COMMIT])
    await page.getByRole('checkbox', { name: `Select build ${commit.slice(0, 10)}` }).press(' ');
  await page.getByRole('link', { name: 'Compare these builds' }).press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toContainText(/Detects a change|tentative/);
  await expect(sideOf(page, 'base').getByRole('table')).toContainText('CPU profiles');
  await expectAccessible(page);
  await start(page);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(/stack growth/i);

  await page.getByRole('link', { name: 'Change sides' }).click();
  await page.getByRole('button', { name: 'Clear side: base' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Choose the base.');
  const base = sideOf(page, 'base');
  await chooseKind(base, 'Branch or tag');
  await pick(base, /^Branch or tag/, 'release/2.31');
  const candidate = sideOf(page, 'candidate');
  await chooseKind(candidate, 'Branch or tag');
  await pick(candidate, /^Branch or tag/, 'main');
  await page.reload();
  await expect(base.getByRole('table')).toContainText('CPU profiles');
  await start(page);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(/stack growth/i);
});

test('two label values of one profile are selected as sides and compared', async ({
  page,
  context,
  person,
  baseURL,
}) => {
  test.setTimeout(180_000);
  const api = { request: context.request, baseURL: baseURL ?? '' };
  const id = await uploadProfile(api, 'labels.pb.gz', labelledProfile(1_700_000_000_000_000_000n));
  await waitUntilDecoded(api, [id]);

  await page.goto(pathOf(person, '/artifacts'));
  await page.getByRole('checkbox', { name: 'Select labels.pb.gz' }).press(' ');
  await page.getByRole('link', { name: 'Compare with…' }).press('Enter');
  const base = sideOf(page, 'base');
  await chooseKind(base, 'Label value');
  await pick(base, 'Value', '/search');
  const candidate = sideOf(page, 'candidate');
  await chooseKind(candidate, 'Label value');
  await pick(candidate, 'Value', '/checkout');
  await expectAccessible(page);
  await start(page);
  await expect(page).toHaveURL(/\/comparisons\//);
});

test('two time ranges are compared, and an artifact on both sides prevents the start', async ({
  page,
  context,
  person,
  baseURL,
}) => {
  test.setTimeout(180_000);
  const api = { request: context.request, baseURL: baseURL ?? '' };
  const service = await createService(api, 'ingester');
  const headers = { Origin: new URL(api.baseURL).origin };
  await context.request.post('/api/v1/environments', {
    data: { name: 'production' },
    headers,
  });
  const day = 86_400_000;
  const recordedAt = (days: number) => BigInt(Date.now() - days * day) * 1_000_000n;
  const ids = [];
  for (const [n, commit] of [BASE_COMMIT, CANDIDATE_COMMIT].entries()) {
    const data = { service_id: service, commit, branch: 'main' };
    const made = await context.request.post('/api/v1/builds', {
      data,
      headers,
    });
    const { id } = (await made.json()) as { id: string };
    const profile = labelledProfile(recordedAt(n === 0 ? 10 : 2));
    ids.push(await uploadProfile(api, `week-${n}.pb.gz`, profile, `?build_id=${id}`));
  }
  await waitUntilDecoded(api, ids);

  await page.goto(pathOf(person, `/compare?baseService=${service}&candidateService=${service}`));
  for (const [name, preset] of [
    ['base', 'Last week'],
    ['candidate', 'This week'],
  ] as const) {
    const side = sideOf(page, name);
    await chooseKind(side, 'Time range');
    await expect(side.getByRole('combobox', { name: 'Environment' })).toHaveValue('production');
    await side.getByRole('button', { name: preset }).press('Enter');
    await expect(side.getByRole('table')).toContainText('CPU profiles1');
  }
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await start(page);

  await page.getByRole('link', { name: 'Change sides' }).click();
  const candidate = sideOf(page, 'candidate');
  await chooseKind(candidate, 'Artifacts');
  await pick(candidate, 'Artifacts', 'week-0');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('on both sides');
  await expect(page.getByRole('button', { name: 'Start comparison' })).toBeDisabled();
  await chooseKind(candidate, 'Deployment');
  await expect(candidate.getByText(/^No deployment matches/)).toBeVisible();
  await expectAccessible(page);
});
