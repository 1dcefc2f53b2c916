import { screen, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { at, problem, server } from '../../../testing/mock-api';
import { aGap, spansOfOne, spansOfTwo } from '../../../testing/span-fixtures';
import { show } from '../../../testing/render';
import { AllTraces } from './AllTraces';
import { AmplificationTable, AttributesTable, FanOutTable, RepeatedTable } from './CallsTables';
import { GapsTable } from './GapsTable';
import { readSets } from './span-types';
import { readSpansSearch, spansViewOf, type SpansView, type TracesView } from './span-url';

const VIEW = spansViewOf(readSpansSearch({}));

function showGaps(sets: object, view: Partial<SpansView> = {}) {
  const changes: Partial<SpansView>[] = [];
  const shown = show(
    <GapsTable
      sets={readSets(sets)}
      view={{ ...VIEW, ...view }}
      onView={(changed) => changes.push(changed)}
    />,
  );
  return { ...shown, changes };
}

const bodyRows = (name: string) =>
  within(screen.getByRole('table', { name })).getAllByRole('row').slice(1);
const heads = (name: string) =>
  within(screen.getByRole('table', { name }))
    .getAllByRole('columnheader')
    .map((head) => head.textContent);

describe('GapsTable of two sides', () => {
  it('shows the change of a significant gap, and none of a gap that is not significant', () => {
    showGaps(spansOfTwo());
    expect(screen.getByText('2 positions, 1 significant')).toBeInTheDocument();
    const [changed, other] = bodyRows('Gaps by edge');
    expect(changed).toHaveTextContent('between validate and Push');
    expect(changed).toHaveTextContent(/77 µs.*6\.62 ms.*×85\.8.*30\.0 – 210/);
    expect(changed).toHaveTextContent('takes more time');
    expect(changed).toHaveTextContent('31.7%');
    expect(other).toHaveTextContent('not significant');
    expect(other).not.toHaveTextContent('×');
  });

  it('labels gaps that are on one side only, and self time without child spans', () => {
    showGaps(
      spansOfTwo({
        gaps: [
          aGap({ edge: 'a', base: null, change: null, state: 'only-candidate' }),
          aGap({ edge: 'b', candidate: null, change: null, state: 'only-base' }),
          aGap({ edge: 'c', leaf: true, change: null, state: 'noise' }),
        ],
      }),
    );
    const rows = bodyRows('Gaps by edge').map((row) => row.textContent);
    expect(rows.filter((row) => row.includes('only in candidate'))).toHaveLength(1);
    expect(rows.filter((row) => row.includes('only in base'))).toHaveLength(1);
    expect(rows.filter((row) => row.includes('self time, no child spans'))).toHaveLength(1);
  });

  it('reports that there are no significant gaps', () => {
    showGaps(spansOfTwo({ gaps: [] }));
    expect(screen.getByText('No significant gaps.')).toBeInTheDocument();
    expect(screen.getByText('0 positions, none significant')).toBeInTheDocument();
  });

  it('selects a gap with a click or Enter, and clears the selection with a second click', async () => {
    const { user, changes, unmount } = showGaps(spansOfTwo());
    const [first] = bodyRows('Gaps by edge');
    await user.click(first!);
    first!.focus();
    await user.keyboard('{Enter}');
    const { edge } = aGap();
    expect(changes).toEqual([{ edge }, { edge }]);
    unmount();
    const again = showGaps(spansOfTwo(), { edge });
    const [chosen] = bodyRows('Gaps by edge');
    expect(chosen).toHaveAttribute('aria-selected', 'true');
    await again.user.click(chosen!);
    expect(again.changes).toEqual([{ edge: '' }]);
  });

  it('changes the quantile and the order of the rows', async () => {
    const { user, changes } = showGaps(spansOfTwo());
    await user.click(screen.getByRole('radio', { name: 'p99' }));
    await user.click(screen.getByRole('button', { name: 'Share of request' }));
    expect(changes[0]).toEqual({ quantile: 'p99' });
    expect(changes[1]).toMatchObject({ sort: { column: 'share' } });
  });
});

describe('GapsTable of one span set', () => {
  it('shows the time per request, but neither a change nor a verdict', () => {
    showGaps(spansOfOne());
    expect(screen.getByText('1 position · self time not covered by a child span')).toBeVisible();
    expect(heads('Gaps by edge')).toEqual([
      'Position',
      'p90',
      'Per request',
      'Share of request',
      'Count',
    ]);
    expect(bodyRows('Gaps by edge')[0]).toHaveTextContent(/6\.62 ms.*3\.31 ms.*31\.7%.*200/);
  });
});

describe('tables of calls', () => {
  it('AmplificationTable shows the change of calls per request between both sides', () => {
    show(<AmplificationTable sets={readSets(spansOfTwo())} edge="distributor->ingester" />);
    const [row] = bodyRows('Calls per request');
    expect(row).toHaveTextContent('distributor → ingesterper request /api/v1/push');
    expect(row).toHaveTextContent(/×1\.67.*1\.60 – 1\.70/);
    expect(row).toHaveTextContent('makes more calls');
  });

  it('AmplificationTable shows a ratio without its interval if that is of a difference', () => {
    const [row] = spansOfTwo().amplification;
    show(
      <AmplificationTable
        sets={readSets(spansOfTwo({ amplification: [{ ...row!, of: 'difference' }] }))}
        edge=""
      />,
    );
    expect(bodyRows('Calls per request')[0]).toHaveTextContent('×1.67');
    expect(bodyRows('Calls per request')[0]).not.toHaveTextContent('1.60 – 1.70');
  });

  it('AmplificationTable has one column of calls for a single side', () => {
    show(<AmplificationTable sets={readSets(spansOfOne())} edge="" />);
    expect(heads('Calls per request')).toEqual(['Caller and callee', 'Calls', 'p99 / max']);
  });

  it('FanOutTable shows whether the slowest of parallel calls explains the tail latency', () => {
    const row = {
      side: 'base',
      caller: 'api',
      callee: 'shard',
      n: 16,
      callee_p99_ns: 5_000_000,
      expected_p99_ns: 9_000_000,
      observed_p99_ns: 10_000_000,
      share: 0.9,
      explains: true,
    };
    const sets = readSets(
      spansOfTwo({ fan_out: [row, { ...row, side: 'candidate', explains: false, share: 0.25 }] }),
    );
    show(<FanOutTable sets={sets} />);
    const [explained, partly] = bodyRows('Fan-out tail latency');
    expect(explained).toHaveTextContent(/16 × shard.*5 ms.*9 ms.*10 ms.*explained by the slowest/);
    expect(partly).toHaveTextContent('slowest call explains 25% of the tail');
  });

  it('RepeatedTable has a column for the side only if there are two sides', () => {
    const rows = readSets(
      spansOfTwo({
        n_plus_one: [
          {
            side: 'candidate',
            caller: 'api',
            callee: 'SELECT',
            traces: 1284,
            mean: 31,
            max: 100,
            total_ns: 2_000_000,
          },
        ],
      }),
    ).n_plus_one;
    const table = (sets: object) => (
      <RepeatedTable sets={readSets(sets)} rows={rows} title="N+1 calls" aside="" />
    );
    const { unmount } = show(table(spansOfTwo()));
    expect(heads('N+1 calls')[0]).toBe('Side');
    expect(bodyRows('N+1 calls')[0]).toHaveTextContent(/SELECT1,284.*2 ms/);
    unmount();
    show(table(spansOfOne()));
    expect(heads('N+1 calls')).not.toContain('Side');
  });

  it('AttributesTable shows shares, and significance with the q-value', () => {
    const rows = readSets(spansOfTwo()).attributes;
    show(<AttributesTable rows={[...rows, { ...rows[0]!, value: 'us', q_value: 0.00001 }]} />);
    const [eu, us] = bodyRows('Attributes of slow requests');
    expect(eu).toHaveTextContent('regioneu90%10%significant');
    expect(within(us!).getByTitle('q < .001')).toHaveTextContent('significant');
  });

  it('show nothing without rows', () => {
    const sets = readSets(spansOfTwo({ amplification: [] }));
    show(
      <>
        <AmplificationTable sets={sets} edge="" />
        <FanOutTable sets={sets} />
        <RepeatedTable sets={sets} rows={[]} title="Retries" aside="" />
        <AttributesTable rows={[]} />
      </>,
    );
    expect(screen.queryByRole('table')).not.toBeInTheDocument();
    expect(screen.queryByRole('heading')).not.toBeInTheDocument();
  });
});

describe('AllTraces', () => {
  const START: TracesView = {
    page: 0,
    order: 'duration',
    descending: true,
    words: '',
    errors: false,
  };

  function showTraces(view: Partial<TracesView> = {}) {
    const views: TracesView[] = [];
    const shown = show(
      <AllTraces
        artifactId="s1"
        view={{ ...START, ...view }}
        onView={(next) => views.push(next)}
        traceLink={(_, id, words) => <a href={`#${id}`}>{words}</a>}
      />,
    );
    return { ...shown, views };
  }
  const serve = (items: object[], total: number) =>
    server.use(http.get(at('/span-sets/:id/traces'), () => HttpResponse.json({ items, total })));

  it('shows why the traces cannot be loaded, and reloads them with Try again', async () => {
    serve([{ ...spansOfOne().traces[0], gap_ns: 0, errors: 0, root: '' }], 1);
    server.use(
      http.get(at('/span-sets/:id/traces'), () => problem(410, { detail: 'It was deleted.' }), {
        once: true,
      }),
    );
    const { user } = showTraces();
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not load the traces · It was deleted.');
    await user.click(within(alert).getByRole('button', { name: 'Try again' }));
    // A root span may have no name; its link still has a text.
    expect(await screen.findByRole('link', { name: 'without a name' })).toBeInTheDocument();
    expect(bodyRows('All traces')[0]).toHaveTextContent(/20\.8 ms–8–$/);
    expect(screen.queryByRole('button', { name: 'Next' })).not.toBeInTheDocument();
  });

  it.each([
    [0, {}, 'No traces recorded.'],
    [0, { words: 'x' }, 'No traces match.'],
    [0, { errors: true }, 'No traces match.'],
    [120, { page: 9 }, 'This page is past the end of the list.'],
  ])('explains an empty list of %i traces for the view %o: %s', async (total, view, words) => {
    serve([], total);
    showTraces(view);
    expect(await screen.findByText(words)).toBeInTheDocument();
  });

  it('returns from a page past the end with Previous, and disables Next', async () => {
    serve([], 60);
    const { user, views } = showTraces({ page: 2 });
    await user.click(await screen.findByRole('button', { name: 'Previous' }));
    expect(views[0]?.page).toBe(1);
    expect(screen.getByRole('button', { name: 'Next' })).toBeDisabled();
  });

  it('returns to the first page when the search or the filter changes', async () => {
    serve([spansOfOne().traces[0]!], 120);
    const { user, views } = showTraces({ page: 1 });
    await user.type(screen.getByRole('textbox', { name: /^Find traces/ }), 'x');
    await user.click(screen.getByRole('checkbox', { name: 'with errors' }));
    expect(views.map(({ page, words, errors }) => [page, words, errors])).toEqual([
      [0, 'x', false],
      [0, '', true],
    ]);
  });
});
