// The page of traces: its state in a link, the links of its findings, and the link to goroutine
// profiles of the same builds.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { type APIRequestContext, type Page } from '@playwright/test';

import { flameGraph, pathOf } from '../support/compare-helpers';
import { goroutineProfile } from '../support/pprof';
import { api, expect, expectAccessible, type Person, succeeded, test } from '../support/test';

const traces = join(import.meta.dirname, '../../worker/example/traces');

type Sent = { id: string; build: string };

/** Sends requests to the API as the user of the page. */
class Sender {
  constructor(
    readonly request: APIRequestContext,
    readonly headers: { Origin: string },
  ) {}

  async post(path: string, data: object): Promise<{ id: string }> {
    const answer = await this.request.post(`${api}${path}`, {
      data,
      headers: this.headers,
    });
    return (await (await succeeded(answer)).json()) as { id: string };
  }

  async file(name: string, build: string, data: Buffer, facts = '{}'): Promise<string> {
    const about = new URLSearchParams({ build_id: build, run_metadata: facts });
    const path = `${api}/artifacts/${name}?${about.toString()}`;
    const answer = await this.request.put(path, {
      data,
      headers: this.headers,
    });
    return ((await (await succeeded(answer)).json()) as { id: string }).id;
  }

  async traces(set: string, build: string): Promise<string[]> {
    const names = readdirSync(join(traces, set)).filter((name) => name.endsWith('.trace.gz'));
    const ids: string[] = [];
    for (const name of names.sort()) {
      const path = join(traces, set, name);
      const facts = readFileSync(`${path}.facts.json`, 'utf8');
      ids.push(await this.file(`${set}-${name}`, build, readFileSync(path), facts));
    }
    return ids;
  }
}

/** Compares the traces of two builds; returns the ids of the comparison and of both builds. */
async function compareTraces(
  sender: Sender,
): Promise<Record<'comparison' | 'base' | 'garbage', string>> {
  const service = await sender.post('/services', { name: 'timestamps' });
  const build = async (set: string, commit: string): Promise<Sent> => {
    const words = {
      service_id: service.id,
      commit: commit.repeat(10),
      go_version: 'go1.26.8',
    };
    return { id: set, build: (await sender.post('/builds', words)).id };
  };
  const base = await build('base', '71ad');
  const garbage = await build('garbage', 'b93e');
  const asked = {
    base: {
      artifact_ids: await sender.traces('base', base.build),
      label: 'calm',
    },
    candidate: {
      artifact_ids: await sender.traces('garbage', garbage.build),
      label: 'garbage',
    },
  };
  const { id } = await sender.post('/comparisons', asked);
  return { comparison: id, base: base.build, garbage: garbage.build };
}

async function begun(page: Page, person: Person, baseURL: string | undefined) {
  const sender = new Sender(page.context().request, {
    Origin: new URL(baseURL ?? '').origin,
  });
  const made = await compareTraces(sender);
  await page.goto(pathOf(person, `/comparisons/${made.comparison}`));
  await expect(page.getByRole('region', { name: 'States over time' })).toBeVisible({
    timeout: 40_000,
  });
  return { ...made, sender };
}

test('the selected trace is kept in the URL and restored by reload and Back', async ({
  page,
  person,
  baseURL,
}) => {
  await begun(page, person, baseURL);
  const drawn = page.getByRole('combobox', { name: 'Trace of base' });
  await expect(drawn).toHaveValue('base-run.00.trace.gz');
  await drawn.click();
  await page.getByRole('option', { name: 'base-run.02.trace.gz' }).click();
  await expect(drawn).toHaveValue('base-run.02.trace.gz');
  await expect(page).toHaveURL(/tbase=/);

  await page.reload();
  await expect(drawn).toHaveValue('base-run.02.trace.gz', { timeout: 20_000 });
  await page.getByRole('link', { name: 'Artifacts', exact: true }).click();
  await expect(page).toHaveURL(/\/artifacts/);
  await page.goBack();
  await expect(drawn).toHaveValue('base-run.02.trace.gz', { timeout: 20_000 });
  await page.goBack();
  await expect(drawn).toHaveValue('base-run.00.trace.gz');
});

test('a finding scrolls to its section and focuses it, by mouse and by keyboard', async ({
  page,
  person,
  baseURL,
}) => {
  await begun(page, person, baseURL);
  const findings = page.getByRole('list', { name: /^findings/i });
  const collector = page.getByRole('region', { name: 'Garbage collection' });
  await page.getByRole('tab', { name: 'Profiles' }).click();
  await expect(collector).toHaveCount(0);
  await page.getByRole('button', { name: /^Show \d+ more findings?/ }).click();
  const ofGc = findings.getByRole('button', {
    name: /^garbage collection takes more/i,
  });
  await ofGc.focus();
  await page.keyboard.press('Enter');
  await expect(collector).toBeFocused();
  await expect(collector).toBeInViewport({ ratio: 0.9 });
  await expectAccessible(page);

  await findings
    .getByRole('button', { name: /^p99 .*main\.batcher woken by the network/i })
    .click();
  const waiter = page.getByRole('region', {
    name: 'Selected group: main.batcher · network',
  });
  await expect(waiter).toBeFocused();
  await expect(waiter).toBeInViewport({ ratio: 0.9 });
  await page.keyboard.press('Tab');
  await expect(waiter.locator(':focus')).toHaveCount(1);
});

test('a trace comparison links to goroutine profiles of its builds or shows how to record them', async ({
  page,
  person,
  baseURL,
}) => {
  const { sender, base, garbage, comparison } = await begun(page, person, baseURL);
  await page.getByText('No goroutine profile of either build: how to record some').click();
  await expect(page.getByLabel('Command for candidate')).toHaveValue(
    new RegExp(`--snapshots goroutine .*--build ${garbage}$`),
  );
  await expectAccessible(page);

  // The button appears when profiles are uploaded while the page is open.
  const snapshot = (waiting: number) =>
    goroutineProfile([
      {
        frames: [{ name: 'runtime.gopark' }, { name: 'main.caller' }],
        samples: waiting,
      },
      {
        frames: [{ name: 'runtime.gopark' }, { name: 'main.batcher' }],
        samples: 1,
      },
    ]);
  await sender.file('base-goroutine.pb.gz', base, snapshot(40));
  await sender.file('garbage-goroutine.pb.gz', garbage, snapshot(90));
  const way = page.getByRole('button', {
    name: 'Goroutine profiles of the same builds',
  });
  await expect(way).toBeVisible({ timeout: 20_000 });
  await way.click();
  await expect(page).not.toHaveURL(new RegExp(comparison));
  await expect(page).toHaveURL(/kind=goroutine/);
  await flameGraph(page);
  await expect(page.getByRole('textbox', { name: 'Search frames' })).toHaveValue(/main/);
  const first = new URL(page.url()).pathname;

  // The second time, the existing comparison is opened.
  await page.goBack();
  await way.click();
  await expect(page).toHaveURL(/kind=goroutine/);
  expect(new URL(page.url()).pathname).toBe(first);
});
