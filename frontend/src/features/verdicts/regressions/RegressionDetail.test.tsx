import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { RegressionDetailOut, RegressionEvent } from '../../../api';
import { at, page, problem, server } from '../../../testing/mock-api';
import { PERSON, aRegressionDetail, aSeriesPage } from '../../../testing/regression-fixtures';
import { show } from '../../../testing/render';
import RegressionDetail, { type RegressionDetailProps } from './RegressionDetail';

const GOOD = '00000000-0000-4000-8000-0000000000b0';
const EMPTY = { ...aSeriesPage(), series: [] };

const anEvent = (changed: Partial<RegressionEvent>): RegressionEvent => ({
  id: 'h1',
  kind: 'opened',
  actor: null,
  details: {},
  created_at: '2026-11-20T14:12:00Z',
  ...changed,
});

function serve(regression: RegressionDetailOut, events: RegressionEvent[] = []) {
  server.use(
    http.get(at('/regressions/:id'), () => HttpResponse.json(regression)),
    http.get(at('/regressions/:id/series'), () => HttpResponse.json(EMPTY)),
    http.get(at('/regressions/:id/events'), () => page(events)),
  );
}

/** Serves one regression that accepts every update; returns the updates. */
function serveUpdates(regression: RegressionDetailOut): object[] {
  const sent: object[] = [];
  let now = regression;
  serve(regression);
  server.use(
    http.get(at('/regressions/:id'), () => HttpResponse.json(now)),
    http.patch(at('/regressions/:id'), async ({ request }) => {
      const update = (await request.json()) as object;
      sent.push(update);
      now = { ...now, ...update };
      return HttpResponse.json(now);
    }),
  );
  return sent;
}

const showDetail = (props: Partial<RegressionDetailProps> = {}) =>
  show(
    <RegressionDetail
      id="r1"
      back={<a href="#list">All regressions</a>}
      people={[{ id: PERSON, name: 'Mira Kovač' }]}
      mayWrite
      links={{
        build: (id, words) => <a href={`#build-${id}`}>{words}</a>,
        comparison: (id, words) => <a href={`#comparison-${id}`}>{words}</a>,
        service: () => 'shop',
      }}
      onOpenBuild={() => undefined}
      {...props}
    />,
  );

const section = (name: RegExp) => screen.findByRole('heading', { level: 2, name });

describe('RegressionDetail with failed requests', () => {
  it('shows the error, its resolution and the link to all regressions', async () => {
    serve(aRegressionDetail());
    server.use(
      http.get(at('/regressions/:id'), () =>
        problem(404, {
          title: 'Not found',
          detail: 'There is no regression with this id.',
          resolution: 'It may have been deleted with its service.',
        }),
      ),
    );
    showDetail();
    expect(
      await screen.findByRole('heading', { name: 'Could not load the regression' }),
    ).toBeInTheDocument();
    const alert = screen.getByRole('alert');
    expect(alert).toHaveTextContent('There is no regression with this id.');
    expect(alert).toHaveTextContent('It may have been deleted with its service.');
    expect(screen.getByRole('link', { name: 'All regressions' })).toBeInTheDocument();
  });

  it('shows the errors of series and history in their sections, and the rest of the page', async () => {
    serve(aRegressionDetail({ title: 'Clone takes more time: +15%' }));
    server.use(
      http.get(at('/regressions/:id/series'), () =>
        problem(410, { title: 'The measurements were deleted', detail: 'After 90 days.' }),
      ),
      http.get(at('/regressions/:id/events'), () =>
        problem(403, { title: 'The history is not readable', detail: 'Ask an admin.' }),
      ),
    );
    showDetail();
    await waitFor(() => expect(screen.getAllByRole('alert')).toHaveLength(2));
    const [series, history] = screen.getAllByRole('alert');
    expect(series).toHaveTextContent('The measurements were deleted · After 90 days.');
    expect(history).toHaveTextContent('The history is not readable · Ask an admin.');
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Clone takes more time');
    expect(await section(/^Evidence/)).toBeInTheDocument();
    expect(document.title).toBe('Clone takes more time: +15% · Slowpath');
  });
});

describe('summary in RegressionDetail', () => {
  it('links the builds around the change, and shows the range of commits', async () => {
    serve(
      aRegressionDetail({
        number: 17,
        good: { build_id: GOOD, commit: 'a'.repeat(40), ordered_at: '2026-11-20T13:00:00Z' },
        range: { first_commit: 'b'.repeat(40), last_commit: 'c'.repeat(40), first: 0, last: 1 },
        fixed_by: { build_id: null, commit: 'd'.repeat(40), ordered_at: '2026-11-21T13:00:00Z' },
        state: 'fixed',
      } as Partial<RegressionDetailOut>),
    );
    showDetail();
    expect(await screen.findByText('regression 17')).toBeInTheDocument();
    expect(screen.getByText('Fixed')).toBeInTheDocument();
    expect(screen.getByText('×1.15')).toBeInTheDocument();
    expect(screen.getByTitle('95% interval 1.10 – 1.20')).toHaveTextContent('significant');
    expect(screen.getByRole('link', { name: '5f3c1e8000' })).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'aaaaaaaaaa' })).toHaveAttribute(
      'href',
      `#build-${GOOD}`,
    );
    expect(screen.getByText('started between bbbbbbbbbb and cccccccccc')).toBeInTheDocument();
    // The build that fixed it was deleted: its commit is text.
    expect(screen.getByText('dddddddddd')).toBeInTheDocument();
    expect(screen.queryByRole('link', { name: 'dddddddddd' })).not.toBeInTheDocument();
  });

  it('shows no range for a single commit, and the evidence that a conclusive result needs', async () => {
    const commit = 'b'.repeat(40);
    serve(
      aRegressionDetail({
        is_confirmed: false,
        number: null,
        branch: '',
        range: { first_commit: commit, last_commit: commit, first: 0, last: 0 },
        required_evidence: { builds: 1, profiles: 0 },
      } as Partial<RegressionDetailOut>),
    );
    showDetail();
    expect(await screen.findByText('Unconfirmed, not notified')).toBeInTheDocument();
    expect(screen.getByText('no branch')).toBeInTheDocument();
    expect(screen.getByText('needs 1 more build for a conclusive result')).toBeInTheDocument();
    expect(screen.queryByText(/started between/)).not.toBeInTheDocument();
    expect(screen.queryByText(/^regression \d/)).not.toBeInTheDocument();
  });
});

describe('evidence in RegressionDetail', () => {
  it('explains when a comparison is added, while there is none', async () => {
    serve(aRegressionDetail());
    showDetail();
    expect(await screen.findByText(/A comparison of the builds before and/)).toBeInTheDocument();
  });

  it('names what each cited comparison compares', async () => {
    const cited = (id: string, changed: object) => ({
      id,
      kind: 'fix-verification' as const,
      comparison_id: id,
      build_id: null,
      details: {},
      created_at: '2026-11-20T14:12:00Z',
      ...changed,
    });
    serve(
      aRegressionDetail({
        evidence: [
          cited('c1', { details: { against: 'bad' } }),
          cited('c2', { details: { against: 'good' }, build_id: GOOD }),
          cited('c3', { kind: 'comparison', comparison_id: null, build_id: GOOD }),
        ] as RegressionDetailOut['evidence'],
      }),
    );
    showDetail();
    const link = (name: string) => screen.getByRole('link', { name }).getAttribute('href');
    await screen.findByRole('link', { name: 'the slower build vs. later builds' });
    expect(link('the slower build vs. later builds')).toBe('#comparison-c1');
    expect(link('the good build vs. later builds')).toBe('#comparison-c2');
    expect(screen.getAllByRole('link', { name: 'the build' })).toHaveLength(2);
    // A deleted comparison has no link.
    expect(screen.queryByRole('link', { name: 'Before vs. after' })).not.toBeInTheDocument();
  });
});

describe('history in RegressionDetail', () => {
  it('shows the actor and the action of each event, newest first', async () => {
    const mira = { id: PERSON, name: 'Mira Kovač' };
    serve(aRegressionDetail(), [
      anEvent({ id: '5', kind: 'due', actor: mira, details: { to: null } }),
      anEvent({ id: '4', kind: 'assignee', actor: mira, details: { to: 'gone' } }),
      anEvent({ id: '3', kind: 'assignee', actor: mira, details: { to: PERSON } }),
      anEvent({
        id: '2',
        kind: 'state',
        actor: { id: 'gone', name: null },
        details: { from: 'new', to: 'not-a-regression' },
      }),
      anEvent({ id: '1', kind: 'opened' }),
    ]);
    showDetail();
    await screen.findByText('confirmed');
    const items = within(screen.getByRole('list', { name: 'History' })).getAllByRole('listitem');
    const expected = [
      /^Mira Kovač.*no longer due$/,
      /^Mira Kovač.*assigned to former member$/,
      /^Mira Kovač.*assigned to Mira Kovač$/,
      /^former member.*new → not a regression$/,
      /^Slowpath.*confirmed$/,
    ];
    expect(items).toHaveLength(expected.length);
    items.forEach((item, place) => expect(item.textContent).toMatch(expected[place]!));
  });
});

describe('actions in RegressionDetail', () => {
  it('save a due date once it is typed completely, and remove it when it is cleared', async () => {
    const sent = serveUpdates(aRegressionDetail());
    const { user } = showDetail();
    const due = await screen.findByLabelText('Due on');
    expect(due).toHaveValue('');
    // A browser reports a date for every digit of a typed year.
    due.focus();
    for (const value of ['0002-12-01', '0020-12-01', '0202-12-01', '2026-12-01'])
      fireEvent.change(due, { target: { value } });
    expect(due).toBeEnabled();
    await user.tab();
    await waitFor(() => expect(sent).toEqual([{ due_on: '2026-12-01' }]));
    await waitFor(() => expect(screen.getByLabelText('Due on')).toBeEnabled());
    expect(screen.getByLabelText('Due on')).toHaveValue('2026-12-01');
    fireEvent.change(screen.getByLabelText('Due on'), { target: { value: '' } });
    screen.getByLabelText('Due on').focus();
    await user.keyboard('{Enter}');
    await waitFor(() => expect(sent[1]).toEqual({ due_on: null }));
  });

  it('send nothing when the field of the due date only gets the focus', async () => {
    const sent = serveUpdates(aRegressionDetail({ due_on: '2026-12-01' }));
    const { user } = showDetail();
    (await screen.findByLabelText('Due on')).focus();
    await user.tab();
    (await screen.findByLabelText('Due on')).focus();
    await user.keyboard('{Enter}');
    expect(sent).toEqual([]);
  });

  it('show an assignee who left as former member, and unassign the regression', async () => {
    const sent = serveUpdates(aRegressionDetail({ assignee: { id: 'gone', name: null } }));
    const { user } = showDetail();
    await user.click(await screen.findByRole('button', { name: 'Assignee: former member' }));
    await user.click(await screen.findByRole('menuitem', { name: 'unassigned', hidden: true }));
    await waitFor(() => expect(sent).toEqual([{ assignee_id: null }]));
  });

  it('are disabled while a change is being saved', async () => {
    serve(aRegressionDetail());
    let finish: () => void = () => undefined;
    server.use(
      http.patch(
        at('/regressions/:id'),
        () =>
          new Promise<Response>((resolve) => {
            finish = () => resolve(problem(409, { detail: 'It changed meanwhile.' }));
          }),
      ),
    );
    const { user } = showDetail();
    await user.click(await screen.findByRole('button', { name: 'State: New' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Fixed', hidden: true }));
    await waitFor(() => expect(screen.getByRole('button', { name: 'State: New' })).toBeDisabled());
    expect(screen.getByRole('button', { name: /^Assignee/ })).toBeDisabled();
    expect(screen.getByLabelText('Due on')).toBeDisabled();
    await waitFor(() => {
      finish();
      expect(screen.getByRole('alert')).toHaveTextContent(
        'Could not save the changes · It changed meanwhile.',
      );
    });
    expect(screen.getByLabelText('Due on')).toBeEnabled();
  });

  it('include "Start bisect" only for members who may change the regression', async () => {
    serve(aRegressionDetail());
    const action = <button type="button">Start bisect</button>;
    const { unmount } = showDetail({ action });
    expect(await screen.findByRole('button', { name: 'Start bisect' })).toBeInTheDocument();
    unmount();
    showDetail({ action, mayWrite: false, searches: <p>No bisects yet</p> });
    expect(await screen.findByText('No bisects yet')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Start bisect' })).not.toBeInTheDocument();
  });
});
