// A passkey of Chromium's virtual authenticator, the rule of the team, and the pages in both color
// schemes and on a narrow screen.
import { mkdirSync } from 'node:fs';

import type { Page } from '@playwright/test';

import { expect, expectAccessible, test } from '../support/test';

const pictures = process.env['SLOWPATH_PICTURES'];

async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1440, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 1000 });
      await page.screenshot({ path: `${pictures}/${name}-${colorScheme}-${String(width)}.png` });
    }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1440, height: 900 });
}

test('a passkey is added, required by the team, and used to sign in', async ({
  page,
  person,
  baseURL,
}) => {
  test.setTimeout(pictures === undefined ? 90_000 : 400_000);
  const site = (baseURL ?? '').replace('127.0.0.1', 'localhost'); // WebAuthn excludes IP addresses
  const devices = await page.context().newCDPSession(page);
  await devices.send('WebAuthn.enable');
  await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  const enterPassword = async () => {
    await page.goto(`${site}/sign-in`);
    await page.getByLabel('Email').fill(person.email);
    await page.getByRole('textbox', { name: /^Password/ }).fill(person.password);
    await page.getByRole('button', { name: /^sign in$/i }).click();
  };
  await enterPassword();
  await expect(page.getByRole('navigation').first()).toBeVisible();

  await page.goto(`${site}/t/${person.team.slug}/settings?tab=account`);
  await page.getByRole('button', { name: 'Add an app' }).click();
  await expect(page.getByAltText('QR code of the key')).toBeVisible();
  await picture(page, 'add-an-app');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('button', { name: 'Continue with the browser' }).click();
  await expect(page.getByText('Each signs you in once')).toBeVisible();
  await picture(page, 'recovery-codes');
  await page.getByRole('button', { name: 'I stored them' }).click();
  await expect(page.getByRole('button', { name: 'Remove Passkey' })).toBeVisible();
  await expect(page.getByText('10 unused recovery codes')).toBeVisible();

  // An old session: only the rejection is mocked; the confirmation and the second request are real.
  const tooOld = { type: 'urn:slowpath:sign-in-too-old', title: 'Not allowed', detail: '' };
  await page.route(
    '**/user/recovery-codes',
    (route) =>
      route.fulfill({ status: 403, contentType: 'application/problem+json', json: tooOld }),
    { times: 1 },
  );
  await page.getByRole('button', { name: 'Replace them' }).press('Enter');
  const confirmation = page.getByRole('dialog', { name: 'Confirm your identity' });
  await expect(confirmation.getByRole('textbox', { name: /^Password/ })).toBeFocused();
  await picture(page, 'confirm');
  await expectAccessible(page);
  await page.keyboard.type('not the password');
  await page.keyboard.press('Enter');
  await expect(confirmation.getByRole('alert')).toContainText('The password is wrong');
  await picture(page, 'confirm-refused');
  await confirmation.getByRole('textbox', { name: /^Password/ }).fill(person.password);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Each signs you in once')).toBeVisible();
  const [code] = (await page.locator('pre').innerText()).split('\n');
  await page.getByRole('button', { name: 'I stored them' }).click();
  await page.getByRole('heading', { name: 'Second factor' }).scrollIntoViewIfNeeded();
  await picture(page, 'second-factors');

  await page.goto(`${site}/t/${person.team.slug}/settings?tab=team`);
  await page.getByLabel('Members need a second factor').click(); // changes after the save
  await expect(page.getByLabel('Members need a second factor')).toBeChecked();
  await picture(page, 'team-rule');

  await page.goto(`${site}/t/${person.team.slug}/settings?tab=tokens`);
  await page.getByLabel('Account name').fill('ci');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('button', { name: 'Trust a repository' }).click();
  await page.getByLabel('Repository', { exact: true }).fill('acme/ingester');
  await page.getByLabel('Only this branch').fill('main');
  await page.getByRole('combobox', { name: 'Acts as' }).last().click();
  await page.getByRole('option', { name: 'ci' }).click();
  await picture(page, 'trust');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Trust', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Remove acme/ingester' })).toBeVisible();
  await picture(page, 'trusts');

  await page.context().clearCookies();
  await enterPassword();
  await expect(page.getByRole('heading', { name: 'Second factor' })).toBeVisible();
  await picture(page, 'second-step');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(page.getByRole('navigation').first()).toBeVisible();

  await page.context().clearCookies();
  await enterPassword();
  await page.getByLabel(/recovery code/i).fill(code ?? '');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('navigation').first()).toBeVisible();

  await page.goto(`${site}/t/${person.team.slug}/settings?tab=account`);
  await page.getByRole('button', { name: 'Remove Passkey' }).click();
  await expect(page.getByText('The password alone signs in')).toBeVisible();
  await page.goto(`${site}/t/${person.team.slug}`);
  await expect(page.getByText('Your team requires a second factor')).toBeVisible();
  await picture(page, 'required');
  await expectAccessible(page);
});
