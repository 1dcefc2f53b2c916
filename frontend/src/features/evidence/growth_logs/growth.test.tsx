import { screen, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { anArtifact } from '../../../testing/api-factories';
import { at, problem, server } from '../../../testing/mock-api';
import { show } from '../../../testing/render';
import { GrowthFacts } from './GrowthFacts';
import GrowthPage from './GrowthPage';
import GrowthSection from './GrowthSection';
import { GrowthSets } from './GrowthSets';
import { measureOf, sizesText } from './growth-rows';
import type { GrowthRow, GrowthSet } from './growth-types';
import { growthSearchOf, growthViewOf, type GrowthView } from './growth-url';

const aSet = (changed: Partial<GrowthSet> = {}): GrowthSet => ({
  side: null,
  label: '229227f',
  artifacts: 1,
  dialects: [],
  rates: [1000],
  sampled: 3465,
  estimated_growths: 3_465_000,
  low: 3_350_000,
  high: 3_580_000,
  total: null,
  duration_ns: 120e9,
  requests: null,
  per_second: 28_875,
  per_request: null,
  attributed_caller: 'example.com/northwind/ident.(*Pool).Clone',
  path: ['main.main', 'ident.(*Pool).Clone'],
  old_bytes: 2048,
  new_bytes: 4096,
  share: 0.62,
  ratio: null,
  ratio_low: null,
  ratio_high: null,
  ...changed,
});

const counts = (sampled: number, per_second: number | null = null) => ({
  sampled,
  estimated_growths: sampled * 1000,
  per_second,
  per_request: null,
});

const aRow = (changed: Partial<GrowthRow> = {}): GrowthRow => ({
  attributed_caller: 'ident.(*Pool).Clone',
  path: ['main.main', 'ident.(*Pool).Clone'],
  old_bytes: 2048,
  new_bytes: 4096,
  base: counts(10),
  candidate: counts(50),
  ratio: 5,
  low: 4.5,
  high: 5.5,
  q_value: 0.001,
  state: 'more',
  ...changed,
});

describe('GrowthSets', () => {
  const cells = () =>
    within(screen.getByRole('table'))
      .getAllByRole('row')
      .slice(1)
      .map((row) => row.textContent);

  it('compares each set with the first, and highlights only significant changes', () => {
    show(
      <GrowthSets
        sets={[
          aSet(),
          aSet({ label: 'worse', ratio: 4.53, ratio_low: 4.3, ratio_high: 4.8 }),
          aSet({ label: 'same', ratio: 1.1, ratio_low: 0.9, ratio_high: 1.3 }),
        ]}
      />,
    );
    const [first, worse, same] = cells();
    expect(first).toMatch(/^229227f1 log2 min 0 s3,4653,465,000/);
    expect(first).not.toContain('×');
    expect(worse).toContain('×4.53 4.30 – 4.80');
    expect(screen.getByText('×4.53', { exact: false })).toHaveClass('more');
    expect(same).toContain('×1.10');
    expect(screen.getByText('×1.10', { exact: false })).toHaveClass('muted');
    expect(worse).toMatch(/Clone 62%$/);
  });

  it('shows ten digits of a commit, and the whole commit on hover', () => {
    const commit = '229227f0123456789abcdef0123456789abcdef0';
    show(<GrowthSets sets={[aSet({ label: commit })]} />);
    expect(screen.getByTitle(commit)).toHaveTextContent(/^229227f012$/);
  });

  it('shows the column Per request only if requests were counted', () => {
    const { unmount } = show(<GrowthSets sets={[aSet()]} />);
    expect(screen.queryByRole('columnheader', { name: 'Per request' })).not.toBeInTheDocument();
    unmount();
    show(<GrowthSets sets={[aSet({ per_request: 0.25 }), aSet({ label: 'b' })]} />);
    expect(screen.getByRole('columnheader', { name: 'Per request' })).toBeInTheDocument();
  });

  it('shows the sampling rate if all sets have the same', () => {
    const { unmount } = show(<GrowthSets sets={[aSet(), aSet({ label: 'b' })]} />);
    expect(screen.getByText(/^every 1,000th growth event was printed/)).toBeInTheDocument();
    unmount();
    show(<GrowthSets sets={[aSet(), aSet({ label: 'b', rates: [1] })]} />);
    expect(screen.getByText('sampled counts and estimates')).toBeInTheDocument();
  });

  it('shows dashes for unknown values', () => {
    show(
      <GrowthSets
        sets={[aSet({ duration_ns: null, per_second: null, attributed_caller: null, ratio: null })]}
      />,
    );
    expect(cells()[0]?.match(/–/gu)?.length).toBeGreaterThanOrEqual(4);
  });
});

describe('GrowthSection', () => {
  function showRows(rows: GrowthRow[]) {
    server.use(
      http.get(at('/comparisons/:id/results/growth'), () =>
        HttpResponse.json({ format: 'slowpath.growth-comparison/2', sets: [], rows }),
      ),
    );
    const views: GrowthView[] = [];
    const shown = show(
      <GrowthSection
        comparisonId="c1"
        view={growthViewOf({})}
        onView={(view) => views.push(view)}
      />,
    );
    return { ...shown, views };
  }
  const rowsShown = async () =>
    within(await screen.findByRole('table', { name: 'Call paths that grow the stack' }))
      .getAllByRole('row')
      .slice(1);

  it('lists the largest change first, with words for each kind of change', async () => {
    showRows([
      aRow({ attributed_caller: 'a.same', state: 'noise', candidate: counts(11), ratio: 1.1 }),
      aRow({
        attributed_caller: 'b.gone',
        state: 'only-base',
        base: counts(90),
        candidate: counts(0),
        ratio: 0,
      }),
      aRow({ attributed_caller: 'c.grown', path: [] }),
      aRow({
        attributed_caller: 'd.fresh',
        state: 'only-candidate',
        base: counts(0),
        candidate: counts(20),
        ratio: null,
        low: null,
        high: null,
      }),
    ]);
    const [gone, grown, fresh, same] = (await rowsShown()).map((row) => row.textContent);
    // A path on one side only has no ratio and no interval.
    expect(gone).toMatch(/b\.gone.*90,000–no ratio .*only in base$/);
    expect(gone).not.toContain('4.50 – 5.50');
    expect(grown).toMatch(/c\.grownno path recorded2 KiB to 4 KiB10,00050,000×5.*4\.50 – 5\.50/);
    expect(grown).toMatch(/grows more often$/);
    expect(fresh).toMatch(/d\.fresh.*–20,000no ratio .*only in candidate$/);
    expect(same).toMatch(/not significant$/);
    expect(screen.getByText('4 paths · growth events, estimated')).toBeInTheDocument();
  });

  it('sorts by a column when its header is clicked', async () => {
    const { user, views } = showRows([aRow()]);
    await rowsShown();
    await user.click(screen.getByRole('button', { name: 'Stack size' }));
    expect(views).toMatchObject([{ sort: { column: 'size' } }]);
  });

  it('reports that neither side has stack growth or growth logs', async () => {
    showRows([]);
    expect(
      await screen.findByText('No stack growth was sampled on either side.'),
    ).toBeInTheDocument();
    expect(screen.getByText('No stack-growth logs on either side.')).toBeInTheDocument();
  });

  it('compares rates per second only if both sides of all rows have them', () => {
    const known = aRow({ base: counts(1, 2), candidate: counts(1, 3) });
    expect(measureOf([known])).toBe('per_second');
    expect(measureOf([known, aRow()])).toBe('estimated_growths');
    expect(measureOf([])).toBe('sampled');
  });

  it('formats stack sizes, also if one or both are unknown', () => {
    expect(sizesText(aRow({ old_bytes: null }))).toBe('? to 4 KiB');
    expect(sizesText(aRow({ old_bytes: null, new_bytes: null }))).toBe('–');
  });

  it('restores the sort order from the URL', () => {
    for (const column of ['caller', 'size', 'change'] as const)
      expect(growthViewOf(growthSearchOf({ sort: { column, descending: false } }))).toEqual({
        sort: { column, descending: false },
      });
    expect(growthSearchOf(growthViewOf({}))).toEqual({});
  });
});

describe('GrowthPage', () => {
  const serve = (sets: GrowthSet[], next_cursor: string | null = null) =>
    server.use(
      http.get(at('/artifacts'), () =>
        HttpResponse.json({
          items: sets.map((_, index) => anArtifact({ id: `a${index}` })),
          next_cursor,
        }),
      ),
      http.get(at('/growth-log-sets'), () => HttpResponse.json(sets)),
    );

  it('shows the counts of all sets in the heading, in the order of the table', async () => {
    serve([aSet({ sampled: 171 }), aSet({ sampled: 15_685 }), aSet()]);
    show(<GrowthPage above={null} />);
    expect(
      await screen.findByRole('heading', {
        level: 1,
        name: '171, 15,685 and 3,465 sampled growth events',
      }),
    ).toBeInTheDocument();
    expect(screen.queryByText(/^Only the newest/)).not.toBeInTheDocument();
  });

  it('reports that only the newest logs are counted if there are more', async () => {
    serve([aSet()], 'more');
    show(<GrowthPage above={null} />);
    expect(
      await screen.findByRole('heading', { level: 1, name: '3,465 sampled growth events' }),
    ).toBeInTheDocument();
    expect(screen.getByText(/^Only the newest 50 logs are counted/)).toBeInTheDocument();
  });

  it('shows an empty state without logs, and the reason if they cannot be loaded', async () => {
    serve([]);
    const { unmount } = show(<GrowthPage above={null} />);
    expect(await screen.findByText(/^No stack-growth logs yet/)).toBeInTheDocument();
    unmount();
    server.use(http.get(at('/artifacts'), () => problem(403, { detail: 'Not readable.' })));
    show(<GrowthPage above={null} />);
    expect(await screen.findByRole('alert')).toHaveTextContent('Not readable.');
  });
});

describe('GrowthFacts', () => {
  it('shows counts, sampling rate, recorded time and warnings', () => {
    show(
      <GrowthFacts
        growth={{
          dialect: 'folded',
          sampled: 3465,
          sampling_rate: 1000,
          total: null,
          duration_ns: 90e9,
          warnings: ['cut-lines: 3 lines were cut.'],
        }}
      />,
    );
    const valueOf = (term: string) => screen.getByText(term).nextElementSibling;
    expect(valueOf('sampled growth events')).toHaveTextContent('3,465');
    expect(valueOf('sampling: one in')).toHaveTextContent('1,000');
    expect(valueOf('recorded for')).toHaveTextContent('90 s');
    expect(valueOf('note')).toHaveTextContent(/^3 lines were cut\.$/);
    expect(screen.queryByText('growth events in total')).not.toBeInTheDocument();
  });
});
