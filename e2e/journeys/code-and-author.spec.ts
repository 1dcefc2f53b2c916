// From a comparison of a tag with a branch to the source and the author of the top frame.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { type Page } from '@playwright/test';

import { pathOf } from '../support/compare-helpers';
import { createService, uploadBuild } from '../support/evidence';
import { api, expect, expectAccessible, type Person, succeeded, test } from '../support/test';

const sources = join(import.meta.dirname, '../../worker/example/ingester');
const repositories = process.env['SLOWPATH_LOCAL_REPOSITORIES'];
const HELPER = 'ident/clone_helper.go';
const [FORMER, MOVED] = ['storage/partition.go', 'storage/shard.go'];
const TITLE = 'Take the copying out of Clone';

/**
 * Writes the example's service as two commits: `v1.0.0` copies in place, `main` in a helper, and
 * moves a file. Returns both commits.
 */
function written(folder: string): [string, string] {
  const git = (...words: string[]): string =>
    execFileSync('git', words, {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    }).trim();
  cpSync(sources, folder, { recursive: true });
  const helper = readFileSync(join(folder, HELPER));
  writeFileSync(join(folder, HELPER), readFileSync(join(folder, 'ident/clone_inlined.go')));
  renameSync(join(folder, MOVED), join(folder, FORMER));
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@shop.example');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Clone in place');
  git('tag', 'v1.0.0');
  const base = git('rev-parse', 'HEAD');
  writeFileSync(join(folder, HELPER), helper);
  git('mv', FORMER, MOVED);
  git('commit', '--quiet', '--all', '--message', TITLE);
  return [base, git('rev-parse', 'HEAD')];
}

type World = { page: Page; person: Person; baseURL: string; folder: string };

/** Creates a service with a mirrored repository and a build of each commit; returns its id. */
async function prepare({ page, baseURL, folder }: World): Promise<string> {
  const context = { request: page.context().request, baseURL };
  const headers = { Origin: new URL(baseURL).origin };
  const [base, candidate] = written(folder);
  const service = await createService(context, 'ingester');
  const data = { name: 'ingester', url: `file://${folder}`, services: [{ service_id: service }] };
  const made = await succeeded(
    await context.request.post(`${api}/repositories`, { data, headers }),
  );
  const { id } = (await made.json()) as { id: string };
  for (const [commit, variant] of [
    [base, 'inlined'],
    [candidate, 'helper'],
  ] as const)
    await uploadBuild(context, service, { commit, branch: 'main', variant });
  await expect
    .poll(
      async () => {
        const answer = await context.request.get(`${api}/repositories/${id}`);
        return ((await answer.json()) as { fetched_at: string | null }).fetched_at;
      },
      { timeout: 60_000 },
    )
    .not.toBeNull();
  return service;
}

/** Expects the sources of a function whose file has another name at the base, and its move. */
async function expectMoved(page: Page): Promise<void> {
  const search = page.getByRole('textbox', { name: 'Search frames' }).first();
  await search.fill('Shard');
  const row = page.getByRole('table', { name: 'Functions' }).getByRole('row').nth(1);
  await expect(row).toContainText('Shard');
  await row.focus();
  await row.getByRole('button', { name: /lines/i }).click({ timeout: 10_000 });
  const drawer = page.getByRole('dialog');
  await expect(drawer).toContainText(`Moved from ${FORMER} to ${MOVED}.`);
  for (const side of ['base', 'candidate'])
    await expect(drawer.getByRole('table', { name: `Source of ${side}` })).toContainText(
      '(s *Shard) ',
    );
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await search.fill('');
}

test('a tag is compared with a branch, and the top function shows its source and author', async ({
  page,
  person,
  baseURL,
}) => {
  test.skip(repositories === undefined, 'the server reads no folder of repositories');
  test.setTimeout(150_000);
  mkdirSync(repositories ?? '', { recursive: true });
  const folder = mkdtempSync(join(repositories ?? '', 'code-'));
  try {
    const service = await prepare({ page, person, baseURL: baseURL ?? '', folder });

    await page.goto(pathOf(person, `/compare?baseService=${service}&candidateService=${service}`));
    for (const [side, ref] of [
      ['base', 'v1.0.0'],
      ['candidate', 'main'],
    ] as const) {
      const region = page.getByRole('region', { name: side, exact: true });
      await region.getByText('Branch or tag', { exact: true }).click();
      const field = region.getByRole('combobox', { name: /^Branch or tag/ });
      await field.fill(ref);
      await region.getByRole('option').filter({ hasText: ref }).first().click();
      await expect(region.getByRole('table')).toContainText('CPU profiles');
    }
    await page.getByRole('button', { name: 'Start comparison' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toContainText(/stack growth/i, {
      timeout: 60_000,
    });

    await expectMoved(page);
    const top = page.getByRole('table', { name: 'Functions' }).getByRole('row').nth(1);
    await expect(top).toContainText('cloneBytes');
    await top.focus(); // shows the actions of the row
    await top.getByRole('button', { name: /lines/i }).click({ timeout: 10_000 });
    const drawer = page.getByRole('dialog');
    await expect(drawer.getByRole('table', { name: 'Source of candidate' })).toContainText(
      'func cloneBytes(',
    );
    await expect(
      drawer.getByRole('columnheader', { name: 'Attributed', exact: true }),
    ).toBeVisible();
    await expect(drawer).toContainText('by Ada');
    await expectAccessible(page);

    await drawer.getByRole('link', { name: /^[0-9a-f]{7,}$/ }).click({ timeout: 10_000 });
    await expect(page.getByRole('main')).toContainText(TITLE);
    await expect(page.getByRole('main')).toContainText('Ada');
    await expect(page.getByRole('main')).toContainText(HELPER);
    await expectAccessible(page);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
