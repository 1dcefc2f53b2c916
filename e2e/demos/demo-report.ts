// Environment variables that the demos set for their scripts, and the sign-in of these.
import { expect, type Page } from '@playwright/test';

/** Returns an environment variable that the demo sets for its script. */
export function readVariable(name: string): string {
  const value = process.env[name];
  if (value === undefined)
    throw new Error(`${name} is not set: the demos start this (npm run demo:…)`);
  return value;
}

export async function signIn(page: Page): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel(/e-?mail/i).fill(readVariable('DEMO_EMAIL'));
  await page
    .getByLabel(/password/i)
    .first()
    .fill(readVariable('DEMO_PASSWORD'));
  await page.getByRole('button', { name: /^sign in$/i }).click();
  await expect(page.getByRole('navigation').first()).toBeVisible();
}
