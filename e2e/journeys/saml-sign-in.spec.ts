import { randomBytes } from 'node:crypto';

import { type Corp, openSamlCorp } from '../support/identity-providers';
import { expect, expectAccessible, test } from '../support/test';

test.describe.configure({ mode: 'serial', timeout: 180_000 });

let corp: Corp;
test.beforeAll(async () => {
  test.setTimeout(180_000);
  corp = await openSamlCorp();
});
test.afterAll(async () => {
  await corp.close();
});

test('a new user signs in through SAML although the provider posts from another site', async ({
  page,
}) => {
  const login = `mira-${randomBytes(4).toString('hex')}@corp.example`;
  await page.goto(`${corp.url}/sign-in`);
  await page.getByRole('button', { name: 'Sign in with Corp' }).click();
  await page.getByRole('heading', { name: 'Corp' }).waitFor();
  expect(new URL(page.url()).hostname).toBe('localhost');
  await page.getByLabel('Email').fill(login);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('navigation').first()).toBeVisible({ timeout: 30_000 });
  expect(page.url()).toContain(`${corp.url}/t/mira-`);
  expect(await page.evaluate(() => window.sessionStorage.getItem('slowpath.saml'))).toBeNull();
});

test('a SAML response that this browser did not request is rejected', async ({ page }) => {
  await page.goto(`${corp.url}/sign-in`);
  await page.evaluate(() => {
    const form = document.createElement('form');
    form.method = 'post';
    form.action = '/api/v1/saml/acs';
    for (const name of ['SAMLResponse', 'RelayState']) {
      const field = document.createElement('input');
      field.name = name;
      field.value = 'AAAA';
      form.append(field);
    }
    document.body.append(form);
    form.submit();
  });
  await expect(page.getByRole('heading', { name: 'Sign-in failed' })).toBeVisible();
  await expect(page.getByRole('alert')).toContainText('no sign-in in progress');
  await expectAccessible(page);
});
