// The page that starts a bisect: with both boundaries measured first, from the last good build, and
// from a production event.
import type { Locator, Page } from '@playwright/test';

import { pathOf } from '../support/compare-helpers';
import { guilty, post, repositories, withLocalRunner } from '../support/local-runner';
import { seedExample } from '../support/seeded-example';
import { api, expect, expectAccessible, succeeded, test } from '../support/test';

const checks = (page: Page): Locator => page.getByRole('list', { name: 'Preflight checks' });

/** Enters the name of a boundary and chooses it from the list. */
async function chooseEnd(page: Page, side: 'Good' | 'Bad', name: string): Promise<void> {
  await expect(checks(page)).toContainText('Repositories are readable', { timeout: 60_000 });
  await page.getByRole('textbox', { name: side, exact: true }).fill(name);
  await page.getByRole('option', { name }).first().click();
}

/** Chooses the number that the runner's command prints, without a warm-up. */
async function measureTheCommand(page: Page): Promise<void> {
  await page.getByRole('radio', { name: /number that the runner/ }).check();
  await page.getByLabel('Measurement window').fill('0');
  await page.getByLabel('Warm-up').fill('0');
}

async function startAndFind(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Start bisect' }).click();
  await expect(page).toHaveURL(/\/bisects\/[0-9a-f-]{36}/);
  const answer = page.getByRole('heading', { level: 1 });
  await expect(answer).toContainText('caused the regression', { timeout: 180_000 });
  await expect(answer).toContainText(guilty);
}

test('both boundaries are measured before the bisect, and the form survives a reload', async ({
  page,
  person,
  context,
  baseURL,
}) => {
  test.skip(repositories === undefined, 'the server reads no folder of repositories');
  test.setTimeout(400_000);
  const { request } = context;
  const url = baseURL ?? '';
  const service = await post<{ id: string }>(request, url, '/services', { name: 'shop' });
  const owner = { request, url, teamId: person.team.id };
  await withLocalRunner(owner, service.id, async () => {
    await page.goto(pathOf(person, `/bisects/new?service=${service.id}`));
    await chooseEnd(page, 'Good', 'v1.0.0');
    await chooseEnd(page, 'Bad', 'v1.1.0');
    await measureTheCommand(page);
    const measure = page.getByRole('button', { name: 'Measure both ends' });
    await expect(measure).toBeEnabled({ timeout: 60_000 });
    await measure.click();
    await expect(checks(page)).toContainText('The ends differ', { timeout: 120_000 });
    await expect(checks(page)).toContainText('+10%');
    await expectAccessible(page);
    await page.reload();
    await expect(checks(page)).toContainText('The ends differ');
    await expect(page.getByRole('textbox', { name: 'Good', exact: true })).toHaveValue('v1.0.0');
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);
    await page.setViewportSize({ width: 1440, height: 900 });
    await startAndFind(page);
  });
});

const bench = (number: number): string =>
  ['goos: linux', 'goarch: amd64', 'pkg: shop']
    .concat(
      Array.from({ length: 10 }, (_, run) => {
        const noise = ((run * 7 + number * 3) % 10) - 4.5;
        return `BenchmarkPrice-8 \t 1000000 \t ${String(1000 + noise)} ns/op`;
      }),
    )
    .concat('PASS', '')
    .join('\n');

test('a bisect starts at the last good build of a service', async ({
  page,
  person,
  context,
  baseURL,
}) => {
  test.skip(repositories === undefined, 'the server reads no folder of repositories');
  test.setTimeout(400_000);
  const { request } = context;
  const url = baseURL ?? '';
  const headers = { Origin: new URL(url).origin };
  const service = await post<{ id: string }>(request, url, '/services', { name: 'shop' });
  const owner = { request, url, teamId: person.team.id };
  await withLocalRunner(owner, service.id, async ({ shas }) => {
    const builds: string[] = [];
    for (const [number, sha] of shas.slice(0, 8).entries()) {
      const made = await post<{ build: { id: string } }>(request, url, `/builds/shop/${sha}`, {
        branch: 'main',
        committed_at: new Date(Date.UTC(2026, 10, 20, number)).toISOString(),
        ...(number > 0 && { parent: shas[number - 1] }),
      });
      builds.push(made.build.id);
      const path = `${api}/builds/shop/${sha}/artifacts/bench.txt`;
      await succeeded(await request.put(path, { data: bench(number), headers }));
    }
    const verdict = async () => {
      const answer = await succeeded(await request.get(`${api}/builds/${builds[7] ?? ''}/verdict`));
      return ((await answer.json()) as { state: string }).state;
    };
    await expect.poll(verdict, { timeout: 120_000, intervals: [1_000] }).toBe('passed');
    await page.goto(pathOf(person, `/bisects/new?service=${service.id}`));
    await chooseEnd(page, 'Good', 'last good build');
    await expect(page.getByText((shas[7] ?? '').slice(0, 7)).first()).toBeVisible();
    await chooseEnd(page, 'Bad', 'v1.1.0');
    await measureTheCommand(page);
    await startAndFind(page);
  });
});

type Inbox = { items: { kind: string; id: string; service: { id: string } | null }[] };

test('a bisect starts from a production event', async ({ page, context, baseURL }) => {
  test.skip(repositories === undefined, 'the server reads no folder of repositories');
  test.setTimeout(600_000);
  const { request } = context;
  const url = baseURL ?? '';
  const team = await seedExample(request, url, ['board']);
  const findEvent = async () => {
    const answer = await succeeded(await request.get(`${api}/inbox?view=needs-action`));
    const { items } = (await answer.json()) as Inbox;
    return items.find(({ kind }) => kind === 'production-event');
  };
  await expect.poll(findEvent, { timeout: 240_000, intervals: [1_000] }).toBeDefined();
  const event = await findEvent();
  const session = (await (await succeeded(await request.get(`${api}/session`))).json()) as {
    teams: { id: string }[];
  };
  const owner = { request, url, teamId: session.teams[0]?.id ?? '' };
  await withLocalRunner(owner, event?.service?.id ?? '', async () => {
    await page.goto(`/t/${team}/events/${event?.id ?? ''}`);
    await page.getByRole('link', { name: 'Start bisect' }).click();
    await expect(page.getByText(/from event \d+/)).toBeVisible();
    await chooseEnd(page, 'Good', 'v1.0.0');
    await chooseEnd(page, 'Bad', 'v1.1.0');
    await measureTheCommand(page);
    await startAndFind(page);
  });
});
