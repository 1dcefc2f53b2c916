// A bisect from start to end: a repository, a runner that one command starts, the pages.
import { pathOf } from '../support/compare-helpers';
import { commits, guilty, post, repositories, withLocalRunner } from '../support/local-runner';
import { expect, expectAccessible, test } from '../support/test';

test('a bisect finds the culprit commit, and its open page shows the result', async ({
  page,
  person,
  context,
  baseURL,
}) => {
  test.skip(repositories === undefined, 'the server reads no folder of repositories');
  test.setTimeout(240_000);
  const url = baseURL ?? '';
  await page.goto(pathOf(person, '/bisects'));
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expectAccessible(page);

  const owner = { request: context.request, url, teamId: person.team.id };
  const service = await post<{ id: string }>(context.request, url, '/services', { name: 'shop' });
  await withLocalRunner(owner, service.id, async ({ serviceId, repositoryId, shas }) => {
    const { id } = await post<{ id: string }>(context.request, url, '/bisects', {
      service_id: serviceId,
      repository_id: repositoryId,
      good_sha: shas[0],
      bad_sha: shas[commits - 1],
      signature: { kind: 'custom', subject: 'number' },
      settings: { measurement_seconds: 0, warm_up_seconds: 0 },
    });
    await page.goto(pathOf(person, `/bisects/${id}`));
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    // The open page updates without a reload.
    const answer = page.getByRole('heading', { level: 1 });
    await expect(answer).toContainText('caused the regression', {
      timeout: 180_000,
    });
    await expect(answer).toContainText(guilty);
  });
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  await page.goto(pathOf(person, '/bisects'));
  await expect(page.getByRole('main')).toContainText(guilty);
  await expectAccessible(page);
});
