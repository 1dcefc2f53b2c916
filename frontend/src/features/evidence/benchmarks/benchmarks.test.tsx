import { screen, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { at, problem, server } from '../../../testing/mock-api';
import { show } from '../../../testing/render';
import BenchmarksSection from './BenchmarksSection';
import { changeLabelOf, isWorse, sortedBenchmarks, spreadText } from './bench-rows';
import type { BenchmarkRow } from './benchmark-types';
import { benchmarkSearchOf, benchmarkViewOf, type BenchmarkView } from './benchmark-url';

const aSide = (center: number, spread: number | null = 0.02) => ({
  n: 10,
  center,
  low: spread === null ? null : center * (1 - spread),
  high: spread === null ? null : center * (1 + spread),
  values: [],
});

const aRow = (changed: Partial<BenchmarkRow> = {}): BenchmarkRow =>
  ({
    name: 'Clone-8',
    unit: 'sec/op',
    config: {},
    base: aSide(7.2e-8),
    candidate: aSide(1.4e-7),
    ratio: 1.94,
    p: 0.0002,
    alpha: 0.05,
    significant: true,
    better: 'less',
    exact: false,
    warnings: [],
    state: null,
    ...changed,
  }) as BenchmarkRow;

function showRows(rows: BenchmarkRow[], warnings: string[] = []) {
  server.use(
    http.get(at('/comparisons/:id/results/benchmarks'), () =>
      HttpResponse.json({
        format: 'slowpath.benchmark-comparison/1',
        rows,
        geomeans: [],
        warnings,
      }),
    ),
  );
  const views: BenchmarkView[] = [];
  const shown = show(
    <BenchmarksSection
      comparisonId="c1"
      view={benchmarkViewOf({})}
      onView={(view) => views.push(view)}
    />,
  );
  return { ...shown, views };
}

const table = (unit: string) => screen.findByRole('table', { name: `Benchmarks in ${unit}` });
const names = async (unit: string) =>
  within(await table(unit))
    .getAllByRole('rowheader')
    .map((head) => head.textContent);

describe('BenchmarksSection', () => {
  it('shows centers with unit and spread, change, p-value and number of runs', async () => {
    showRows([aRow(), aRow({ name: 'Few', base: aSide(1e-6, null), significant: false, p: null })]);
    const clone = within(await table('s/op')).getByRole('row', { name: /Clone-8/ });
    expect(clone).toHaveTextContent(/72 ns ± 2%140 ns ± 2%×1\.94<\.00110 \+ 10takes more time/);
    const few = within(await table('s/op')).getByRole('row', { name: /Few/ });
    expect(few).toHaveTextContent(/1 µs ± ∞.*~–.*not significant/);
  });

  it('shows one table per unit, with the largest change first', async () => {
    showRows([
      aRow({ name: 'Small', ratio: 1.1 }),
      aRow({ name: 'Halved', ratio: 0.4 }),
      aRow({ name: 'Large', ratio: 2 }),
      aRow({ name: 'Bytes', unit: 'B/op', base: aSide(2048), candidate: aSide(4096) }),
    ]);
    expect(await names('s/op')).toEqual(['Halved', 'Large', 'Small']);
    expect(await names('bytes/op')).toEqual(['Bytes']);
    expect(within(await table('bytes/op')).getByRole('row', { name: /Bytes/ })).toHaveTextContent(
      /2 KiB.*4 KiB.*allocates more$/,
    );
    expect(screen.getByRole('heading', { name: /3 benchmarks$/ })).toBeInTheDocument();
    expect(screen.getByRole('heading', { name: /1 benchmark$/ })).toBeInTheDocument();
  });

  it('sorts by a column when its header is clicked', async () => {
    const { user, views } = showRows([aRow()]);
    await user.click(within(await table('s/op')).getByRole('button', { name: 'Benchmark' }));
    expect(views).toMatchObject([{ sort: { column: 'name' } }]);
  });

  it('shows the first five warnings of the files, and the warnings of a row', async () => {
    showRows(
      [aRow({ warnings: ['all samples are equal', 'more'] })],
      ['different Go versions', 'a', 'b', 'c', 'd', 'the sixth'],
    );
    expect(await screen.findByText(/different Go versions · a · b/)).not.toHaveTextContent('sixth');
    expect(screen.getByText('· all samples are equal').parentElement).toHaveAttribute(
      'title',
      'all samples are equal · more',
    );
  });

  it('reports that no benchmark was run on both sides, or why they cannot be loaded', async () => {
    const { unmount } = showRows([]);
    expect(await screen.findByText('No benchmark was run on both sides.')).toBeInTheDocument();
    unmount();
    server.use(
      http.get(at('/comparisons/:id/results/benchmarks'), () =>
        problem(410, { detail: 'The files were deleted.', resolution: 'Upload them again.' }),
      ),
    );
    show(
      <BenchmarksSection comparisonId="c2" view={benchmarkViewOf({})} onView={() => undefined} />,
    );
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not load the benchmarks · The files were deleted.');
    expect(alert).toHaveTextContent('Upload them again.');
  });
});

describe('benchmark rows', () => {
  it.each<[string, Partial<BenchmarkRow>, boolean | null]>([
    ['takes more time', {}, true],
    ['takes less time', { ratio: 0.5 }, false],
    ['allocates less', { unit: 'B/op', ratio: 0.5 }, false],
    ['allocates more often', { unit: 'allocs/op' }, true],
    ['does less', { unit: 'B/s', better: 'more', ratio: 0.5 }, true],
    ['does more', { unit: 'B/s', better: 'more' }, false],
    ['more', { unit: 'widgets', better: null }, null],
    ['less', { unit: 'widgets', better: null, ratio: 0.5 }, null],
    ['not significant', { significant: false }, null],
    ['not significant', { ratio: 1 }, null],
  ])('label the change "%s" for %o', (words, changed, worse) => {
    expect(changeLabelOf(aRow(changed))).toBe(words);
    // Whether more of an unknown unit is worse is not known.
    expect(isWorse(aRow(changed))).toBe(worse);
  });

  it('show the larger half of the interval as spread, and none around zero', () => {
    expect(spreadText({ ...aSide(100), low: 95, high: 110 })).toBe('± 10%');
    expect(spreadText({ ...aSide(0), low: -1, high: 1 })).toBe('');
  });

  it('are sorted last by p-value in both directions if they have none', () => {
    const rows = [aRow({ name: 'none', p: null }), aRow({ name: 'some', p: 0.6 })];
    const order = (descending: boolean) =>
      sortedBenchmarks(rows, { column: 'p', descending }).map(({ name }) => name);
    expect(order(false)).toEqual(['some', 'none']);
    expect(order(true)).toEqual(['none', 'some']);
  });

  it('have a sort order that the URL restores', () => {
    for (const column of ['name', 'change', 'p'] as const)
      for (const descending of [true, false])
        expect(benchmarkViewOf(benchmarkSearchOf({ sort: { column, descending } }))).toEqual({
          sort: { column, descending },
        });
    expect(benchmarkSearchOf(benchmarkViewOf({}))).toEqual({});
  });
});
