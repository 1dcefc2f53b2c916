// Names in files are untrusted text. With sixty hostile names, no view or export runs any of them.
import { gunzipSync } from 'node:zlib';

import { compared, file, flameGraph, pathOf } from '../support/compare-helpers';
import { cpuProfile, type Stack } from '../support/pprof';
import { api, expect, succeeded, test } from '../support/test';

const payloads = [
  '<img src=x onerror=window.__ran=1>',
  '<script>window.__ran=1</script>',
  '"><svg onload=window.__ran=1>',
  "'-window.__ran=1-'",
  'javascript:window.__ran=1',
  '{{constructor.constructor("window.__ran=1")()}}',
  '${window.__ran=1}',
  '=cmd|" /C calc"!A1',
  '+1+1',
  '-1+1',
  '@SUM(A1)',
  '\tTAB',
  '\rCR',
  'line\nbreak',
  'nul\u0000inside',
  '\u202Ertl\u202C',
  '\u2066isolate\u2069',
  '\u200Bzero\u200Bwidth',
  '\uFEFFbom',
  'a'.repeat(65_536),
  '../../../etc/passwd',
  'C:\\windows\\system32',
  '%00%0a%0d',
  '%s%s%s%n',
  "'; DROP TABLE artifact; --",
  '&lt;img&gt;',
  ']]><![CDATA[',
  '<!--',
  '</style><style>*{display:none}',
  '<a href="javascript:window.__ran=1">x</a>',
];
const hostile = [...payloads, ...payloads.map((payload) => `main.(*T[${payload}]).f`)];

const stacks = (weight: number): Stack[] =>
  hostile.map((name, index) => ({
    frames: [
      { name, file: payloads[index % payloads.length] ?? '' },
      { name: `${name} caller`, file: name.slice(0, 2000) },
      { name: 'main.main' },
    ],
    samples: weight * (1 + (index % 7)),
  }));

test('sixty malicious names are drawn, searched, listed and exported, and no code in them runs', async ({
  page,
  person,
  context,
  baseURL,
}) => {
  test.setTimeout(120_000);
  expect(hostile).toHaveLength(60);
  const set = (side: string, weight: number) =>
    [0, 1, 2, 3].map((round) =>
      file(
        `${side} ${payloads[round] ?? ''} ${round}.pb.gz`.replaceAll('/', '_'),
        cpuProfile(stacks(weight), {
          timeNs: 1_700_000_000_000_000_000n + BigInt(round),
        }),
      ),
    );
  const id = await compared(context.request, baseURL ?? '', {
    base: set('base', 3),
    candidate: set('candidate', 9),
  });
  const ran = () => page.evaluate(() => (window as unknown as { __ran?: number }).__ran);

  for (const search of [
    '',
    '?mode=side-by-side',
    '?up=true',
    '?by=line',
    '?by=package',
    '?open=true&find=0',
  ]) {
    await page.goto(pathOf(person, `/comparisons/${id}${search}`));
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const box = await (await flameGraph(page)).boundingBox();
    expect(box).not.toBeNull();
    if (box) await page.mouse.move(box.x + box.width / 3, box.y + 50);
    expect(await ran()).toBeUndefined();
  }
  await page.getByRole('textbox', { name: 'Search frames' }).fill('script>window');
  await expect(page.getByText(/[1-9]\d* frames?: /)).toBeVisible();
  expect(await ran()).toBeUndefined();
  for (const path of ['/comparisons', '/artifacts', '/jobs']) {
    await page.goto(pathOf(person, path));
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(await ran()).toBeUndefined();
  }

  const headers = { Origin: new URL(baseURL ?? '').origin };
  for (const format of ['csv', 'json', 'pprof-base', 'pprof-diff']) {
    const asked = await succeeded(
      await context.request.post(`${api}/comparisons/${id}/exports`, {
        data: { format },
        headers,
      }),
    );
    const made = (await asked.json()) as { id: string };
    await expect
      .poll(
        async () =>
          (
            (await (await context.request.get(`${api}/exports/${made.id}`)).json()) as {
              state: string;
            }
          ).state,
        { timeout: 20_000 },
      )
      .toBe('done');
    const content = await succeeded(await context.request.get(`${api}/exports/${made.id}/content`));
    expect(content.headers()['content-disposition']).toMatch(/^attachment/);
    const bytes = await content.body();
    if (format === 'csv') {
      expect(bytes.toString('utf8')).toContain('<script>window.__ran=1</script>');
      const cells = bytes.toString('utf8').split(/\r\n/).slice(1);
      expect(cells.filter((line) => /^"?[=+\-@\t]/.test(line))).toEqual([]);
    }
    if (format.startsWith('pprof')) expect(gunzipSync(bytes).length).toBeGreaterThan(1000);
  }
});
