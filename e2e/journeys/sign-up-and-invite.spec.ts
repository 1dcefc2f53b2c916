import { expect, expectAccessible, test } from '../support/test';

test('a signed-out visitor sees the sign-in page', { tag: '@core' }, async ({ page }) => {
  await page.goto('/');
  await expect(page).toHaveTitle(/Slowpath/);
  await expect(page.getByRole('button', { name: /sign in/i })).toBeVisible();
  await expectAccessible(page);
});

test('a user who just signed up is signed in', { tag: '@core' }, async ({ page, person }) => {
  await page.goto('/');
  await expect(page.getByRole('navigation').first()).toBeVisible();
  await expect(page.getByRole('button', { name: /^sign in$/i })).toHaveCount(0);
  expect(person.team.role).toBe('owner');
  await expectAccessible(page);
});
