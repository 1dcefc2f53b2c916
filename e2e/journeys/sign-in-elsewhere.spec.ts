import { randomBytes } from "node:crypto";

import { type Corp, openCorp } from "../support/corp";
import { expect, expectAccessible, signUp, test } from "../support/test";

test.describe.configure({ mode: "serial", timeout: 120_000 });

let corp: Corp;
test.beforeAll(async () => {
  test.setTimeout(120_000);
  corp = await openCorp();
});
test.afterAll(async () => {
  await corp.close();
});

test("somebody new signs in with the company’s account, goes, and comes again", async ({
  page,
}) => {
  const login = `mira-${randomBytes(4).toString("hex")}@corp.example`;
  await page.goto(`${corp.url}/sign-in`);
  await expect(page.getByLabel("E-mail")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Sign in with Corp" }).click();
  await page.getByLabel("E-mail").fill(login);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("navigation").first()).toBeVisible();
  expect(page.url()).toContain(`${corp.url}/t/mira-`);
  const board = page.url();

  await page.context().clearCookies({ name: "slowpath" });
  await page.goto(board);
  await page.getByRole("button", { name: "Sign in with Corp" }).click();
  await expect(page.getByRole("navigation").first()).toBeVisible();
  expect(new URL(page.url()).pathname).toBe(new URL(board).pathname);
});

test("who has a password links the company’s account, and signs in with it", async ({
  page,
  context,
}) => {
  const person = await signUp(context.request, corp.url);
  await page.goto(`${corp.url}/t/${person.team.slug}/settings?tab=account`);
  await page.getByRole("button", { name: "Link Corp" }).click();
  await page
    .getByLabel("E-mail")
    .fill(`unverified:other-${randomBytes(4).toString("hex")}@corp.example`);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("button", { name: /^Unlink/ })).toBeVisible();
  await expectAccessible(page);

  await context.clearCookies({ name: "slowpath" });
  await page.goto(`${corp.url}/sign-in`);
  await page.getByRole("button", { name: "Sign in with Corp" }).click();
  await expect(page.getByRole("navigation").first()).toBeVisible();
  expect(page.url()).toContain(`/t/${person.team.slug}`);
});

test("a return that nobody began signs nobody in", async ({ page }) => {
  await page.goto(`${corp.url}/sign-in/return?code=made-up&state=made-up`);
  await expect(
    page.getByRole("heading", { name: "You were not signed in" }),
  ).toBeVisible();
  await expect(page.getByRole("alert")).toContainText("begun no sign-in");
  await expectAccessible(page);
});
