import { randomBytes } from 'node:crypto';

import { type Page } from '@playwright/test';

import { type Corp, openCorp } from '../support/identity-providers';
import { expect, expectAccessible, test } from '../support/test';

test.describe.configure({ mode: 'serial', timeout: 120_000 });

let corp: Corp;
test.beforeAll(async () => {
  test.setTimeout(120_000);
  corp = await openCorp();
});
test.afterAll(async () => {
  await corp.close();
});

/** Enters the login on the page of the provider; our own page also has a field for an email. */
async function isThere(page: Page, login: string): Promise<void> {
  await page.getByRole('heading', { name: 'Corp' }).waitFor();
  await page.getByLabel('Email').fill(login);
  await page.getByRole('button', { name: 'Continue' }).click();
}

test('a new user signs in through OIDC, signs out, and signs in again', async ({ page }) => {
  const login = `mira-${randomBytes(4).toString('hex')}@corp.example`;
  await page.goto(`${corp.url}/sign-in`);
  await expect(page.getByLabel('Email')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Sign in with Corp' }).click();
  await isThere(page, login);
  await expect(page.getByRole('navigation').first()).toBeVisible({
    timeout: 30_000,
  });
  expect(page.url()).toContain(`${corp.url}/t/mira-`);
  const board = page.url();

  await page.context().clearCookies({ name: 'slowpath' });
  await page.goto(board);
  await page.getByRole('button', { name: 'Sign in with Corp' }).click();
  await expect(page.getByRole('navigation').first()).toBeVisible();
  expect(new URL(page.url()).pathname).toBe(new URL(board).pathname);
});

test('a user with a password links an OIDC account and signs in with it', async ({
  page,
  context,
  person, // signed up at the other web process, with the same data and cookie host
}) => {
  await page.goto(`${corp.url}/t/${person.team.slug}/settings?tab=account`);
  await page.getByRole('button', { name: 'Link Corp' }).click();
  await isThere(page, `unverified:other-${randomBytes(4).toString('hex')}@corp.example`);
  await expect(page.getByRole('button', { name: /^Unlink/ })).toBeVisible({
    timeout: 30_000,
  });
  await expectAccessible(page);

  await context.clearCookies({ name: 'slowpath' });
  await page.goto(`${corp.url}/sign-in`);
  await page.getByRole('button', { name: 'Sign in with Corp' }).click();
  await expect(page.getByRole('navigation').first()).toBeVisible({
    timeout: 30_000,
  });
  expect(page.url()).toContain(`/t/${person.team.slug}`);
});

test('a callback without a started sign-in is rejected', async ({ page }) => {
  await page.goto(`${corp.url}/sign-in/callback?code=made-up&state=made-up`);
  await expect(page.getByRole('heading', { name: 'Sign-in failed' })).toBeVisible();
  await expect(page.getByRole('alert')).toContainText('no sign-in in progress');
  await expectAccessible(page);
});
