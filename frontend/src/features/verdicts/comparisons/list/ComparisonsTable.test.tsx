import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { ComparisonSummaryOut } from '../../../../api';
import { aComparison } from '../../../../testing/api-factories';
import { at, page, problem, server } from '../../../../testing/mock-api';
import { enter, show } from '../../../../testing/render';
import { ComparisonsTable } from './ComparisonsTable';

const aSummary = (changed: Partial<ComparisonSummaryOut> = {}): ComparisonSummaryOut => {
  const whole = aComparison();
  return {
    id: whole.id,
    name: '229227f against 9c41e0a',
    origin: 'manual',
    state: 'done',
    verdict: 'regressed',
    verdict_sentence: 'Regressed: 32% more CPU per request.',
    base: {
      label: 'v1',
      artifacts: 1,
      artifact_ids: [],
      time_range: null,
      labels: [],
      source: null,
      build_id: null,
      left_out: null,
    },
    candidate: {
      label: 'v2',
      artifacts: 8,
      artifact_ids: [],
      time_range: null,
      labels: [],
      source: null,
      build_id: null,
      left_out: null,
    },
    problem: null,
    job_id: null,
    created_at: whole.created_at,
    created_by: null,
    finished_at: whole.finished_at,
    assignee: null,
    ...changed,
  };
};

type Props = Partial<Parameters<typeof ComparisonsTable>[0]>;

function table(props: Props = {}) {
  const calls: unknown[][] = [];
  const shown = show(
    <ComparisonsTable
      search={{}}
      onSearch={(search) => calls.push(['search', search])}
      onOpen={({ id }) => calls.push(['open', id])}
      link={({ id }, words) => <a href={`#${id}`}>{words}</a>}
      upload={<button>Choose files</button>}
      mayWrite
      {...props}
    />,
  );
  return { ...shown, calls };
}

/** Handles requests for the list and records their queries. */
function serve(answer: (query: URLSearchParams) => Response): string[] {
  const asked: string[] = [];
  server.use(
    http.get(at('/comparisons'), ({ request }) => {
      const { searchParams } = new URL(request.url);
      asked.push(searchParams.toString());
      return answer(searchParams);
    }),
  );
  return asked;
}

const rowOf = async (name: string) => (await screen.findByRole('link', { name })).closest('tr')!;

describe('row of ComparisonsTable', () => {
  it('shows the verdict with its sentence, and both sides with their number of artifacts', async () => {
    serve(() => page([aSummary()]));
    table();
    const row = await rowOf('229227f against 9c41e0a');
    expect(row).toHaveTextContent(
      /regressed229227f against 9c41e0aRegressed: 32% more CPU per request\./u,
    );
    expect(row).toHaveTextContent(/v11 artifact.*v28 artifacts/u);
  });

  it.each<[string, Partial<ComparisonSummaryOut>]>([
    ['regressed', {}],
    ['improved', { verdict: 'improved' }],
    ['mixed', { verdict: 'mixed' }],
    ['unchanged', { verdict: 'unchanged' }],
    ['inconclusive', { verdict: 'inconclusive' }],
    ['waiting', { verdict: null, state: 'waiting' }],
    ['comparing', { verdict: null, state: 'running' }],
    ['failed', { verdict: null, state: 'failed' }],
    ['cancelled', { verdict: null, state: 'cancelled' }],
  ])('shows the verdict or state "%s"', async (word, changed) => {
    serve(() => page([aSummary({ name: 'x', ...changed })]));
    table();
    const row = await rowOf('x');
    expect(row.children[0]).toHaveTextContent(new RegExp(`^${word}$`, 'u'));
  });

  it.each([
    ['Ada Lovelace', 'Ada Lovelace'],
    [null, 'former member'],
  ])('assigned to %s shows the assignee "%s"', async (name, shown) => {
    serve(() => page([aSummary({ name: 'x', assignee: { id: 'u1', name } }), aSummary()]));
    table();
    expect((await rowOf('x')).children[4]).toHaveTextContent(shown);
    expect((await rowOf('229227f against 9c41e0a')).children[4]).toHaveTextContent('–');
  });

  it('shows why a comparison failed', async () => {
    serve(() =>
      page([
        aSummary({
          state: 'failed',
          verdict: null,
          verdict_sentence: null,
          problem: {
            type: 'x',
            title: 'Gone',
            status: 422,
            detail: 'Two of its files were deleted.',
          },
        }),
      ]),
    );
    table();
    expect(await screen.findByText('Two of its files were deleted.')).toBeInTheDocument();
  });

  it('shows "metrics" in place of a number of artifacts for a time range', async () => {
    const side = {
      label: 'before',
      artifacts: 0,
      artifact_ids: [],
      labels: [],
      source: null,
      build_id: null,
      left_out: null,
      time_range: {
        service_id: 's1',
        environment_id: 'e1',
        from: '2026-11-20T09:00:00Z',
        to: '2026-11-20T10:00:00Z',
      },
    };
    serve(() =>
      page([aSummary({ name: 'x', base: side, candidate: { ...side, time_range: null } })]),
    );
    table();
    expect(await rowOf('x')).toHaveTextContent(/beforemetrics.*before0 artifacts/u);
  });

  it('opens the comparison by click and by keyboard', async () => {
    const one = aSummary({ name: 'x' });
    serve(() => page([one]));
    const { user, calls } = table();
    await user.click(within(await rowOf('x')).getByText('regressed'));
    (await rowOf('x')).focus();
    await user.keyboard('{Enter}');
    expect(calls).toEqual([
      ['open', one.id],
      ['open', one.id],
    ]);
  });

  it('deletes the comparison after a confirmation, without opening it', async () => {
    let left = [aSummary({ name: 'x' }), aSummary({ name: 'y' })];
    serve(() => page(left));
    const removed: unknown[] = [];
    server.use(
      http.delete(at('/comparisons/:id'), ({ params }) => {
        removed.push(params.id);
        left = left.filter(({ id }) => id !== params.id);
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const [first] = left;
    const { user, calls } = table();
    await user.click(await screen.findByRole('button', { name: 'Actions for x' }));
    await user.click(
      await screen.findByRole('menuitem', { name: 'Delete comparison', hidden: true }),
    );
    const dialog = await screen.findByRole('dialog', { name: 'Delete x?' });
    expect(dialog).toHaveTextContent('links to it stop working');
    expect(removed).toEqual([]);
    await user.click(within(dialog).getByRole('button', { name: 'Delete comparison' }));
    await waitFor(() => expect(screen.queryByRole('link', { name: 'x' })).toBeNull());
    expect(removed).toEqual([first!.id]);
    expect(screen.getByRole('link', { name: 'y' })).toBeInTheDocument();
    expect(calls).toEqual([]);
  });

  it('shows no actions to viewers', async () => {
    serve(() => page([aSummary({ name: 'x' })]));
    table({ mayWrite: false });
    await rowOf('x');
    expect(screen.queryByRole('button', { name: 'Actions for x' })).toBeNull();
  });
});

describe('ComparisonsTable', () => {
  it('shows an upload button and the accepted files when there are no comparisons', async () => {
    serve(() => page([]));
    table();
    expect(
      await screen.findByText(/^No comparisons yet\. Drop pprof profiles/u),
    ).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Choose files' })).toBeInTheDocument();
  });

  it('does not mention uploads to viewers when there are no comparisons', async () => {
    serve(() => page([]));
    table({ mayWrite: false, upload: false });
    expect(await screen.findByText(/^No comparisons yet\.$/u)).toBeInTheDocument();
  });

  it.each([
    [{ q: 'clone' }, 'search=clone'],
    [{ state: 'failed' as const }, 'state=failed'],
  ])('shows that no comparison matches the filter %o', async (search, query) => {
    const asked = serve(() => page([]));
    table({ search });
    expect(await screen.findByText('No comparisons match these filters.')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Choose files' })).toBeNull();
    expect(asked[0]).toContain(query);
  });

  it('reports the typed search and the chosen state', async () => {
    serve(() => page([]));
    const { user, calls } = table();
    await enter(user, screen.getByLabelText('Search comparisons'), 'clone');
    await waitFor(() => expect(calls).toEqual([['search', { q: 'clone' }]]));
    await user.click(await screen.findByRole('combobox', { name: 'State' }));
    await user.click(await screen.findByRole('option', { name: 'failed', hidden: true }));
    expect(calls.at(-1)).toEqual(['search', { state: 'failed' }]);
  });

  it('loads older comparisons on request', async () => {
    const asked = serve((query) =>
      query.get('cursor') === 'next'
        ? page([aSummary({ name: 'old' })])
        : HttpResponse.json({ items: [aSummary({ name: 'new' })], next_cursor: 'next' }),
    );
    const { user } = table();
    await user.click(await screen.findByRole('button', { name: 'Load older comparisons' }));
    expect(await screen.findByRole('link', { name: 'old' })).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'new' })).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Load older comparisons' })).toBeNull();
    expect(asked).toHaveLength(2);
  });

  it('shows the error of a failed load, and loads on "Try again"', async () => {
    let failing = true;
    serve(() =>
      failing
        ? problem(403, { title: 'Not permitted', detail: 'You left the team.' })
        : page([aSummary({ name: 'x' })]),
    );
    const { user } = table();
    expect(await screen.findByRole('alert')).toHaveTextContent('You left the team.');
    failing = false;
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('link', { name: 'x' })).toBeInTheDocument();
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
