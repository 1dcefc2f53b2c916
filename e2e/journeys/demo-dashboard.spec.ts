// The dashboard of the example: the row whose latency increases, the deployment that caused it,
// the profiles around it, and the gap.
import type { Page } from '@playwright/test';

import { api, expect, expectAccessible, succeeded, test } from '../support/test';
import { seedExample } from '../support/seeded-example';

type SpansPart = {
  traces: { artifact: string; trace_id: string; side: string }[];
};

async function slowestTrace(
  page: Page,
  comparison: string,
): Promise<{ artifact: string; trace_id: string }> {
  const answer = await page.request.get(`${api}/comparisons/${comparison}/results/spans`);
  const { traces } = (await (await succeeded(answer)).json()) as SpansPart;
  const [slowest] = traces.filter(({ side }) => side === 'candidate');
  if (slowest === undefined) throw new Error('no trace of the candidate');
  return slowest;
}

test('a deployment on the dashboard is compared, and a gap in its traces is found', async ({
  page,
  context,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const team = await seedExample(context.request, baseURL ?? '', ['board']);
  await page.goto(`/t/${team}/dashboard`);
  const rows = page.getByRole('list', { name: 'Services in request order' });
  await expect(rows.getByRole('slider')).toHaveCount(2, { timeout: 30_000 });
  await expect(rows.getByRole('slider').first()).toHaveAccessibleName(/distributor/);
  await expectAccessible(page);

  await page.getByRole('button', { name: /^Deployment a84f3c19d6 of distributor/ }).click();
  const deploy = page.getByRole('dialog');
  await expect(deploy).toContainText('Unmarshal labels into strings of their own');
  await expectAccessible(page);
  await deploy.getByRole('button', { name: 'Compare before and after' }).click();

  await expect(page).toHaveURL(/\/comparisons\/[0-9a-f-]{36}/, {
    timeout: 30_000,
  });
  const findings = page.getByRole('list', { name: /^findings/i });
  await expect(
    findings.getByRole('button', {
      name: /^garbage collection takes more time/i,
    }),
  ).toBeVisible({ timeout: 60_000 });
  await page.getByRole('button', { name: /^Show \d+ more findings?/ }).click();
  await expect(findings).toContainText(/of it in allocation/);
  await expect(findings).toContainText('wire.(*Label).unmarshal');
  const gap = findings.getByRole('button', {
    name: /gap in distributor POST \/api\/v1\/push between read body and Ingester\/Push/,
  });
  await expect(gap).toBeVisible();
  await expectAccessible(page);

  const comparison = /comparisons\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? '';
  const { artifact, trace_id } = await slowestTrace(page, comparison);
  await page.goto(`/t/${team}/span-sets/${artifact}/traces/${trace_id}`);
  await expect(page.getByText('read body').first()).toBeVisible({
    timeout: 20_000,
  });
  await expectAccessible(page);
});
