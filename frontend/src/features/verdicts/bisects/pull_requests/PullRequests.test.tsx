import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { CommitComparison as Row, PullRequestRules } from '../../../../api';
import { at, server } from '../../../../testing/mock-api';
import { show } from '../../../../testing/render';
import CommitComparison from './CommitComparison';
import PullRequests from './PullRequests';

const OFF: PullRequestRules = {
  enabled: false,
  base_branches: [],
  runner_labels: {},
  minutes_per_day: 120,
  minutes_per_pull_request: 45,
  smallest_change: 0.05,
  measurement_seconds: 10,
  warm_up_seconds: 5,
  signature: null,
};
const ROW: Row = {
  id: 'c1',
  number: 3,
  title: 'checkout: #7 against main',
  state: 'found',
  verdict: 'slower',
  sentence: 'Slower: ×1.3 (1.28 to 1.33) in 13 pairs.',
  service: { id: 's', name: 'checkout' },
  pull_request: { number: 7, url: 'https://x.test/7', branch: 'feature', base_branch: 'main' },
  base_sha: 'a'.repeat(40),
  candidate_sha: 'b'.repeat(40),
  created_at: '2026-11-27T12:00:00Z',
  finished_at: '2026-11-27T12:30:00Z',
  signature: { kind: 'custom', subject: '', label: 'Time', unit: 's', larger_is_worse: true },
  smallest_change: 0.05,
  pairs: 40,
  minutes: 45,
  ratio: 1.3,
  low: 1.28,
  high: 1.33,
  comparison_id: 'k',
  measurements: [
    {
      number: 1,
      pair: 1,
      is_candidate: true,
      state: 'done',
      value: 12.5,
      problem: null,
      seconds: 20,
    },
    {
      number: 2,
      pair: 1,
      is_candidate: false,
      state: 'soaking',
      value: null,
      problem: null,
      seconds: 5,
    },
  ],
};

const ENDS = [['tag', 'v1.2.0', 'a'] as const, ['branch', 'feature', 'b'] as const].map(
  ([type, name, digit]) => ({
    type,
    name,
    sha: digit.repeat(40),
    title: '',
    detail: '',
    author: '',
    at: null,
    is_exact: true,
    is_measured: false,
  }),
);

const serve = (rules: PullRequestRules, saved: unknown[] = [], started: unknown[] = []) =>
  server.use(
    http.get(at('/services/:service/pull-request-rules'), () => HttpResponse.json(rules)),
    http.put(at('/services/:service/pull-request-rules'), async ({ request }) => {
      const body = await request.json();
      saved.push(body);
      return HttpResponse.json(body);
    }),
    http.get(at('/bisect-proposals'), () =>
      HttpResponse.json({ repository: { id: 'r', label: 'shop' }, service: null }),
    ),
    http.get(at('/bisect-ends'), ({ request }) =>
      HttpResponse.json(
        ENDS.filter(({ name }) =>
          name.includes(new URL(request.url).searchParams.get('search') ?? ''),
        ),
      ),
    ),
    http.get(at('/commit-comparisons'), () =>
      HttpResponse.json({ items: [ROW], next_cursor: null }),
    ),
    http.post(at('/commit-comparisons'), async ({ request }) => {
      started.push(await request.json());
      return HttpResponse.json({ ...ROW, id: 'c2' }, { status: 201 });
    }),
  );

describe('PullRequests', () => {
  it('saves the rules when an admin enables measurements with a daily limit of minutes', async () => {
    const saved: unknown[] = [];
    serve(OFF, saved);
    const { user } = show(
      <PullRequests
        serviceId="s"
        mayManage
        mayWrite
        link={(_, words) => words}
        onStarted={() => undefined}
      />,
    );
    await user.click(await screen.findByRole('checkbox', { name: /Measure pull requests/u }));
    await user.clear(screen.getByLabelText('Minutes per day, at most'));
    await user.type(screen.getByLabelText('Minutes per day, at most'), '60');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(saved).toMatchObject([{ enabled: true, minutes_per_day: 60 }]));
  });

  it('requests the open pull requests from the code host on demand when measurements are enabled', async () => {
    const asked: unknown[] = [];
    serve({ ...OFF, enabled: true });
    server.use(
      http.post(at('/services/:service/pull-request-rules/measure-open'), ({ params }) => {
        asked.push(params.service);
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { user } = show(
      <PullRequests
        serviceId="s"
        mayManage={false}
        mayWrite
        link={(_, words) => words}
        onStarted={() => undefined}
      />,
    );
    await user.click(await screen.findByRole('button', { name: 'Measure open pull requests' }));
    expect(await screen.findByText(/^Asking the code host/u)).toBeVisible();
    expect(asked).toEqual(['s']);
  });

  it('lists measured pull requests and starts a comparison of two chosen commits', async () => {
    const started: unknown[] = [];
    const opened: string[] = [];
    serve({ ...OFF, enabled: true }, [], started);
    const { user } = show(
      <PullRequests
        serviceId="s"
        mayManage={false}
        mayWrite
        link={(_, words) => words}
        onStarted={(id) => opened.push(id)}
      />,
    );
    expect(
      await screen.findByText(
        'On for the default branch: at most 120 minutes a day, 45 per pull request.',
      ),
    ).toBeVisible();
    expect(await screen.findByText(ROW.sentence)).toBeVisible();
    const start = screen.getByRole('button', { name: 'Compare two commits' });
    for (const [label, name] of [
      ['Base commit', 'v1.2.0'],
      ['Candidate commit', 'feature'],
    ] as const) {
      expect(start).toBeDisabled();
      await waitFor(() => expect(screen.getByLabelText(label)).toBeEnabled());
      await user.type(screen.getByLabelText(label), name);
      expect(await screen.findAllByText(name)).not.toHaveLength(0);
      await user.tab();
    }
    await user.click(start);
    await waitFor(() => expect(opened).toEqual(['c2']));
    expect(started).toMatchObject([
      { service_id: 's', base_sha: 'a'.repeat(40), candidate_sha: 'b'.repeat(40) },
    ]);
  });
});

describe('CommitComparison', () => {
  const page = (row: Row) => {
    const earlier = { ...ROW, id: 'c0', sentence: 'Inconclusive: an earlier push.' };
    server.use(
      http.get(at('/commit-comparisons/:id'), () => HttpResponse.json(row)),
      http.get(at('/commit-comparisons'), () =>
        HttpResponse.json({ items: [row, earlier], next_cursor: null }),
      ),
    );
    return show(
      <CommitComparison
        id="c1"
        mayWrite
        serviceLink={(_, words) => words}
        comparisonLink={(_, words) => words}
        link={(_, words) => words}
      />,
    );
  };

  it('shows the verdict, the pairs, the comparison of both sides and earlier measurements', async () => {
    page(ROW);
    expect(await screen.findByText(/Slower: ×1.3/u)).toBeVisible();
    expect(screen.getByRole('link', { name: 'Pull request 7' })).toHaveAttribute(
      'href',
      'https://x.test/7',
    );
    expect(screen.getByText(/Comparison of both sides/u)).toBeVisible();
    expect(screen.getByText('12.50')).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Cancel' })).toBeNull();
    const all = await screen.findByRole('table', { name: 'All measurements of pull request 7' });
    expect(within(all).getByText(/Inconclusive: an earlier push/u)).toBeVisible();
  });

  it('cancels a running comparison', async () => {
    let cancelled = 0;
    server.use(
      http.post(at('/commit-comparisons/:id/cancel'), () => {
        cancelled += 1;
        return HttpResponse.json({ ...ROW, state: 'cancelled' });
      }),
    );
    const { user } = page({ ...ROW, state: 'searching', verdict: null, finished_at: null });
    await user.click(await screen.findByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(cancelled).toBe(1));
  });
});
