import { screen, waitFor, within } from '@testing-library/react';
import axe from 'axe-core';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Runner } from '../api';
import { BISECT, CULPRIT, aBisect, aBisectRow, aProbe } from '../testing/bisect-fixtures';
import { aJob } from '../testing/api-factories';
import { open } from '../testing/render';
import { at, page, problem, server } from '../testing/mock-api';

const MONOREPO = { id: 'r', name: 'monorepo', url: 'https://git.example.com/mono.git' };
const seen: { body: Record<string, unknown> }[] = [];

function serve(bisect = aBisect(), runners: Runner[] = []) {
  seen.length = 0;
  server.use(
    http.get(at('/bisects'), () => page([aBisectRow()])),
    http.get(at('/bisects/:bisect'), () => HttpResponse.json(bisect)),
    http.get(at('/runners'), () => HttpResponse.json(runners)),
    http.get(at('/repositories'), () => page([MONOREPO])),
    http.post(at('/bisects/:bisect/actions'), async ({ request }) => {
      seen.push({ body: (await request.json()) as Record<string, unknown> });
      return HttpResponse.json({ ...bisect, state: 'paused' });
    }),
    http.post(at('/bisects/:bisect/overrides'), async ({ request }) => {
      seen.push({ body: (await request.json()) as Record<string, unknown> });
      return HttpResponse.json(bisect);
    }),
  );
}

const accessible = async (within: Element = document.body) => {
  const found = await axe.run(within, { rules: { 'color-contrast': { enabled: false } } });
  expect(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)).toEqual([]);
};

describe('Bisect list', () => {
  it('shows the name and the top suspect of each bisect, and links to its page', async () => {
    serve();
    const { user, where } = open('/t/northwind/bisects');
    expect(await screen.findByText('Stack growth per request')).toBeVisible();
    expect(screen.getByText('4be1d07000')).toBeVisible();
    await accessible();
    await user.click(screen.getByRole('link', { name: 'Stack growth per request' }));
    await waitFor(() => expect(where()).toContain(`/bisects/${BISECT}`));
  });

  it('does not repeat the state in the sentence beside it', async () => {
    serve();
    const row = aBisectRow({ state: 'paused', sentence: 'Paused: load test' });
    server.use(http.get(at('/bisects'), () => page([row])));
    open('/t/northwind/bisects');
    expect(await screen.findByText('load test')).toBeVisible();
    expect(screen.queryByText(/Paused:/u)).toBeNull();
  });

  it('shows a message when there are no bisects', async () => {
    serve();
    server.use(http.get(at('/bisects'), () => page([])));
    open('/t/northwind/bisects');
    expect(await screen.findByText(/No bisects yet/u)).toBeVisible();
    await accessible();
  });
});

describe('Bisect page', () => {
  it('shows the suspect commit, the candidates and the cost compared with git bisect', async () => {
    serve();
    open(`/t/northwind/bisects/${BISECT}`);
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent(/4be1d07 in libx/u);
    const table = within(await screen.findByRole('table', { name: 'Candidates' }));
    expect(table.getByText(/ident: copy bytes/u)).toBeVisible();
    expect(table.getByText(/being measured/u)).toBeVisible();
    expect(screen.getByText('no input of the binary')).toBeVisible();
    expect(screen.getByText(/plain git bisect/u)).toBeVisible();
    await accessible();
  });

  it.each([
    [540, 'about 36 min to go'],
    [null, undefined],
  ])('shows the remaining time only for a known deployment time: %s s', async (each, words) => {
    const { cost } = aBisect();
    serve(aBisect({ cost: { ...cost, seconds_per_deployment: each } }));
    open(`/t/northwind/bisects/${BISECT}`);
    const soFar = (await screen.findByText('10 min')).closest('p')!;
    if (words) expect(soFar).toHaveTextContent(words);
    else expect(soFar).not.toHaveTextContent('to go');
  });

  it('shows the progress of reading a long range, and the baseline measurements', async () => {
    const end = aProbe({ number: 1, purpose: 'baseline', title: 'the good boundary', slot: null });
    const evidence = { ...aBisect().evidence, baseline_good: [0.06, 0.07] };
    const job = aJob({ state: 'running', progress: 0.3, step: 'read 1,200 of 4,096 commits' });
    serve(aBisect({ job, evidence, probes: [end, ...aBisect().probes] }));
    const { user } = open(`/t/northwind/bisects/${BISECT}`);
    expect(await screen.findByText('read 1,200 of 4,096 commits')).toBeVisible();
    expect(screen.getByRole('progressbar', { name: '30%' })).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'the good boundary, 1 window' }));
    expect(screen.getByText('Measurements of probe 1')).toBeVisible();
    expect(screen.getByText('known good, 2')).toBeInTheDocument();
    await accessible();
  });

  it('loads and searches candidates that were not in the first response', async () => {
    const bisect = aBisect();
    const level = bisect.levels[1]!;
    const posterior_preview = {
      if_slower: { sha: CULPRIT, title: 'ident', posterior: 0.93 },
      if_not_slower: null,
    };
    serve({
      ...bisect,
      levels: [
        bisect.levels[0]!,
        {
          ...level,
          candidate_count: 4096,
          bars: {
            ...level.bars,
            posterior: [...level.bars.posterior, 0.00001],
            prior: [...level.bars.prior, 0.00001],
          },
        },
      ],
      probes: bisect.probes.map((probe) => ({ ...probe, posterior_preview })),
    });
    const asked: string[] = [];
    server.use(
      http.get(at('/bisects/:bisect/candidates'), ({ request }) => {
        asked.push(new URL(request.url).searchParams.get('search') ?? '');
        const [one] = level.candidates;
        const items = [{ ...one!, id: 'old', sha: 'abc1234'.padEnd(40, '0'), title: 'an old one' }];
        return HttpResponse.json({ items, places: [0], found: 1, next_cursor: null });
      }),
    );
    const { user } = open(`/t/northwind/bisects/${BISECT}`);
    expect(await screen.findByText(/^If slower/u)).toHaveTextContent(
      'If slower: 4be1d07000 is very likely; if not, culprit not in range.',
    );
    // Choosing a bar whose candidate is not in the first response loads the candidate.
    await user.click(screen.getByRole('slider', { name: 'Probability per candidate' }));
    await user.keyboard('{End}');
    expect(await screen.findByText(/an old one/u)).toBeVisible();
    expect(screen.getByRole('button', { name: 'Override verdict' })).toBeEnabled();
    await user.click(screen.getByRole('button', { name: 'All 4,096' }));
    await user.type(screen.getByLabelText('Find a candidate'), 'abc');
    expect(await screen.findByText('1 of 4,096 match')).toBeVisible();
    expect(asked).toContain('abc');
    const table = within(screen.getByRole('table', { name: 'Candidates' }));
    await user.click(table.getByText(/an old one/u));
    expect(screen.getByRole('button', { name: 'Override verdict' })).toBeEnabled();
    await accessible();
  });

  it('shows its sentence once, and the discard date, when both boundaries are measured', async () => {
    const sentence = 'The ends differ: +43% from good to bad.';
    const expires_at = '2026-12-05T09:30:00Z';
    serve(aBisect({ state: 'paused', sentence, pause_reason: sentence, expires_at }));
    open(`/t/northwind/bisects/${BISECT}`);
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent(sentence);
    expect(screen.getAllByText(sentence, { exact: false })).toHaveLength(1);
    expect(screen.getByText(/is discarded on/u)).toHaveTextContent(
      /No new deployments until it is continued\. It is discarded on .* unless it is continued/u,
    );
  });

  it('shows the reason once when a user paused the bisect', async () => {
    serve(aBisect({ state: 'paused', sentence: 'Paused: load test', pause_reason: 'load test' }));
    open(`/t/northwind/bisects/${BISECT}`);
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent('Paused: load test');
    expect(screen.getAllByText(/load test/u)).toHaveLength(1);
    expect(screen.getByText('No new deployments until it is resumed.')).toBeVisible();
  });

  it('pauses the bisect, and overrides the verdict of the selected candidate', async () => {
    serve();
    const { user } = open(`/t/northwind/bisects/${BISECT}`);
    const mark = await screen.findByRole('button', { name: 'Override verdict' });
    expect(mark).toBeDisabled();
    await user.click(screen.getByRole('button', { name: 'Pause' }));
    await waitFor(() => expect(seen[0]?.body).toMatchObject({ action: 'pause' }));
    const table = within(screen.getByRole('table', { name: 'Candidates' }));
    await user.click(table.getByText(/ident: copy bytes/u));
    await user.click(screen.getByRole('button', { name: 'Override verdict' }));
    const dialog = within(await screen.findByRole('dialog'));
    await user.click(dialog.getByRole('radio', { name: 'slower' }));
    await user.type(dialog.getByLabelText('Reason'), 'seen it');
    await user.click(dialog.getByRole('button', { name: 'Save override' }));
    await waitFor(() =>
      expect(seen[1]?.body).toMatchObject({ verdict: 'slower', reason: 'seen it' }),
    );
  });

  it('shows the command that starts a runner, with a new token, when no runner is available', async () => {
    serve();
    server.use(
      http.post(at('/teams/:team/tokens'), () => HttpResponse.json({ secret: 'sp_fresh' })),
    );
    const { user } = open(`/t/northwind/bisects/${BISECT}`);
    expect(await screen.findByText('No runners available')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Create a token' }));
    expect(
      await screen.findByDisplayValue(
        /SLOWPATH_TOKEN=sp_fresh npm --prefix .* slowpath -- runner/u,
      ),
    ).toBeVisible();
  });

  it('shows which labels no runner has', async () => {
    const runner = {
      id: 'r',
      name: 'lab',
      slots: 1,
      labels: { zone: 'us' },
      version: '',
      variants: [],
      can_compile: false,
      host: '',
      running: 0,
      seen_at: '2026-11-20T14:00:00Z',
      left_at: null,
      alive: true,
    };
    const { settings } = aBisect();
    serve(aBisect({ settings: { ...settings, runner_labels: { zone: 'eu' } } }), [runner]);
    open(`/t/northwind/bisects/${BISECT}`);
    expect(await screen.findByText('No runner with zone=eu is available')).toBeVisible();
    expect(screen.getByDisplayValue(/slowpath -- runner --label zone=eu --repo/u)).toBeVisible();
  });

  it('offers to delete the artifacts of its deployments together with the bisect', async () => {
    serve(aBisect({ state: 'cancelled', finished_at: '2026-11-20T15:00:00Z' }));
    let asked = '';
    server.use(
      http.get(at('/bisects/:bisect/artifacts'), () =>
        HttpResponse.json({ files: 12, size_bytes: 3 * 2 ** 20, compared_artifacts: 1 }),
      ),
      http.delete(at('/bisects/:bisect'), ({ request }) => {
        asked = new URL(request.url).search;
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user } = open(`/t/northwind/bisects/${BISECT}`);
    await user.click(await screen.findByRole('button', { name: 'More' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Delete bisect', hidden: true }));
    const dialog = within(await screen.findByRole('dialog'));
    const choice = await dialog.findByRole('checkbox', { name: /delete 12 artifacts .* 3/u });
    expect(choice).not.toBeChecked();
    expect(dialog.getByText(/1 artifact of them stays: comparisons show it/u)).toBeVisible();
    await user.click(choice);
    await user.click(dialog.getByRole('button', { name: 'Delete bisect' }));
    await waitFor(() => expect(asked).toBe('?delete_artifacts=true'));
  });

  it('retries a failed start', async () => {
    serve(
      aBisect({
        state: 'failed',
        levels: [],
        probes: [],
        problem: { type: 'urn:slowpath:test', status: 422, title: 'x', detail: 'No commit.' },
      }),
    );
    const { user } = open(`/t/northwind/bisects/${BISECT}`);
    await user.click(await screen.findByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(seen[0]?.body).toMatchObject({ action: 'retry' }));
  });

  it('continues a search that stopped at its limit with additional deployments', async () => {
    const { cost } = aBisect();
    const stopped = aBisect({
      state: 'stopped',
      finished_at: '2026-11-20T15:00:00Z',
      cost: { ...cost, deployments: 40, running: 0, expected_probes: null },
    });
    serve(stopped);
    let sent: unknown;
    server.use(
      http.patch(at('/bisects/:bisect'), async ({ request }) => {
        sent = await request.json();
        return HttpResponse.json({ ...stopped, state: 'searching' });
      }),
    );
    const { user } = open(`/t/northwind/bisects/${BISECT}`);
    await user.click(await screen.findByRole('button', { name: 'Continue' }));
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.getByText(/inconclusive at its limit of 40 deployments/u)).toBeVisible();
    const further = dialog.getByLabelText('Additional deployments');
    expect(further).toHaveValue('40');
    await user.clear(further);
    expect(dialog.getByRole('button', { name: 'Continue' })).toBeDisabled();
    await user.type(further, '15');
    expect(dialog.getByText('New limit: 55 deployments')).toBeVisible();
    await accessible(screen.getByRole('dialog').querySelector('form')!);
    await user.click(dialog.getByRole('button', { name: 'Continue' }));
    await waitFor(() => expect(sent).toEqual({ settings: { max_deployments: 55 } }));
  });

  it('shows no Continue button if the candidates cannot be separated', async () => {
    serve(aBisect({ state: 'not-separable', finished_at: '2026-11-20T15:00:00Z' }));
    open(`/t/northwind/bisects/${BISECT}`);
    expect(await screen.findByRole('button', { name: 'More' })).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull();
  });

  it('shows that the bisect could not be loaded', async () => {
    serve();
    server.use(
      http.get(at('/bisects/:bisect'), () => problem(404, { title: 'There is no such bisect' })),
    );
    open(`/t/northwind/bisects/${BISECT}`);
    expect(await screen.findByText(/Could not load the bisect/u)).toBeVisible();
  });
});
