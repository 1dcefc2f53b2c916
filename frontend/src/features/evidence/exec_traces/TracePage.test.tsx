import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { useState } from 'react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { anArtifact } from '../../../testing/api-factories';
import { at, page, problem, server } from '../../../testing/mock-api';
import { show } from '../../../testing/render';
import {
  aGcSide,
  aTile,
  aTraceDocument,
  aWait,
  aWaiter,
  wholeTrace,
  type Run,
} from '../../../testing/trace-fixtures';
import { TraceBody } from './TraceBody';
import TracePage from './TracePage';
import { readTraces } from './trace-types';
import { DEFAULT_TRACE_VIEW, type TraceView } from './trace-url';

type Fields = Record<string, unknown>;

beforeEach(() => {
  // jsdom draws no canvas; its content is also text on the page.
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);
  serveTiles([[1, 90, 200, 2]]);
  server.use(
    http.get(at('/artifacts/:id'), ({ params }) =>
      HttpResponse.json(anArtifact({ id: String(params.id), build_id: 'b1' })),
    ),
  );
});

const serveTiles = (runs: Run[]) =>
  server.use(
    http.get(at('/execution-traces/:id/waits/:index/tiles/:level/:number'), () =>
      HttpResponse.arrayBuffer(aTile(runs)),
    ),
  );

const delays = (changed: Fields = {}): Fields => ({
  ...(aWaiter('', '').base as Fields),
  ...changed,
});

/** Returns a document of one trace. */
function aTrace(changed: Fields = {}, side: Fields = {}): Fields {
  const { sides } = aTraceDocument() as { sides: { base: Fields } };
  return aTraceDocument({
    sides: { base: { ...sides.base, ...side }, candidate: null },
    worst: [aWait({ side: 'base', artifact: null })],
    ...changed,
  });
}

function Page({ view: first = {} }: { view?: Partial<TraceView> }) {
  const [view, setView] = useState({ ...DEFAULT_TRACE_VIEW, ...first });
  return (
    <TracePage
      artifactId="b1"
      above={<a href="/artifacts">Artifacts</a>}
      compare={null}
      view={view}
      onView={setView}
      file={(id, words) => <a href={`/artifacts/${id}`}>{words}</a>}
    />
  );
}

/** Opens the page of one trace. */
function open(data: Fields, view: Partial<TraceView> = {}) {
  server.use(http.get(at('/execution-traces/:id'), () => HttpResponse.json(data)));
  return show(<Page view={view} />);
}

function Compared({ data }: { data: Fields }) {
  const [view, setView] = useState(DEFAULT_TRACE_VIEW);
  return <TraceBody data={readTraces(data)} view={view} onView={setView} flames={[]} />;
}
const compare = (changed: Fields = {}) => show(<Compared data={aTraceDocument(changed)} />);

const table = (name: string) => screen.findByRole('table', { name });
const cells = (row: HTMLElement) =>
  [...row.querySelectorAll('th, td, [role=cell]')].map(({ textContent }) => textContent);

describe('TracePage headline', () => {
  const title = () => screen.findByRole('heading', { level: 1 });

  it('names the waiting goroutine group, its p99 and what occupied the Ps', async () => {
    open(aTrace({ groups: [aWaiter('main.batcher', 'network', { verdict_base: 'mixed' })] }));
    expect(await title()).toHaveTextContent(
      'main.batcher waits up to 230 µs at p99 to run after a wake from network, mostly behind GC workers',
    );
    expect(screen.getByText(/^b1\.trace$/).parentElement).toHaveTextContent('b1.trace · 10 s');
  });

  it('names the longest wait without a p99 when there are too few waits for a quantile', async () => {
    const base = delays({
      p50_ns: null,
      p90_ns: null,
      p99_ns: null,
      p999_ns: null,
      p9999_ns: null,
    });
    open(
      aTrace({
        groups: [
          aWaiter('main.rare', 'created', {
            base: { ...base, max_ns: 2_000_000 },
            candidate: null,
          }),
        ],
        shift: [],
      }),
    );
    expect(await title()).toHaveTextContent('main.rare waits up to 2 ms to run when created');
    expect(screen.getByText(/^Too few waits in this group/)).toBeInTheDocument();
    expect(screen.getByText(/^No P occupancy for this group/)).toBeInTheDocument();
  });

  it('reports that no wait was recorded, as does each section', async () => {
    open(aTrace({ groups: [], worst: [], series: [] }));
    expect(await title()).toHaveTextContent('No scheduler latency in this trace');
    expect(screen.getByText('No scheduler latency recorded.')).toBeInTheDocument();
    expect(screen.getByText('No wait was long enough to record a timeline.')).toBeInTheDocument();
    expect(screen.getByText('No state series in these traces.')).toBeInTheDocument();
    expect(screen.getByRole('heading', { name: /0 rows$/ })).toBeInTheDocument();
  });

  it('is replaced by an error when the trace cannot be loaded, until Try again succeeds', async () => {
    let failing = true;
    server.use(
      http.get(at('/execution-traces/:id'), () =>
        failing
          ? problem(409, { title: 'Not ready', detail: 'The trace is decoded.' })
          : HttpResponse.json(aTrace()),
      ),
    );
    const { user } = show(<Page />);
    expect(await screen.findByRole('alert')).toHaveTextContent('The trace is decoded.');
    expect(await title()).toHaveTextContent('Could not load the trace');
    failing = false;
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    await waitFor(async () => expect(await title()).toHaveTextContent('waits up to'));
  });
});

describe('TracePage conditions', () => {
  it('use the singular for one trace, one P and one event', async () => {
    const traces = [wholeTrace('b1', { gomaxprocs: 1, events: 1 })];
    open(aTrace({}, { traces }));
    expect(await screen.findByText(/^1 trace of 10 s · 1 P · 1 event · /)).toBeInTheDocument();
  });

  it('list the distinct numbers of Ps of several traces, and the flight recorder', async () => {
    const traces = [1, 4, 4].map((gomaxprocs, index) =>
      wholeTrace(`b${index}`, { gomaxprocs, recording: 'flight-recorder' }),
    );
    open(aTrace({}, { traces, duration_ns: 30e9 }));
    expect(
      await screen.findByText(/^3 traces of 30 s together · 1 or 4 Ps · .* · flight recorder$/),
    ).toBeInTheDocument();
  });

  it('list each warning once, eight at most, with the number of the rest', async () => {
    const warnings = Array.from({ length: 11 }, (_, index) => `clock: Clock ${index} is odd.`);
    open(aTrace({}, { traces: [wholeTrace('b1', { warnings: [...warnings, warnings[0]] })] }));
    const region = await screen.findByRole('region', { name: 'Unreadable trace data' });
    expect(region).toHaveTextContent('11 warnings');
    expect(within(region).getByText('b1.trace: Clock 7 is odd.')).toBeInTheDocument();
    expect(region).not.toHaveTextContent('Clock 8');
    expect(within(region).getByText('and 3 more')).toBeInTheDocument();
  });

  it('list unreadable ranges before warnings', async () => {
    const lost = { bytes: 9, share: 0.03, after_ns: 8.8e9, message: 'the last 1.2 s are lost' };
    open(aTrace({}, { traces: [wholeTrace('b1', { lost, warnings: ['clock: Odd.'] })] }));
    const region = await screen.findByRole('region', { name: 'Unreadable trace data' });
    expect(region).toHaveTextContent(
      '1 trace is incompleteb1.trace: the last 1.2 s are lost (3% of the file)b1.trace: Odd.',
    );
  });
});

describe('TracePage table of goroutine groups', () => {
  const GROUPS = 'Scheduler latency by goroutine group and wake reason';

  it('shows a dash for values that were not measured', async () => {
    const base = delays({ p999_ns: null, waits_per_second: null });
    open(
      aTrace({
        groups: [
          aWaiter('main.batcher', '', {
            base,
            candidate: null,
            share_of_wait_base: 0,
            verdict_base: null,
          }),
        ],
      }),
    );
    const [, row] = within(await table(GROUPS)).getAllByRole('row');
    expect(cells(row!)).toEqual([
      'main.batcher ',
      '–',
      '–',
      '11.5 µs',
      '57.5 µs',
      '230 µs',
      '–',
      '–',
      '–',
    ]);
  });

  it('shows the first twelve rows, and all rows on request', async () => {
    const groups = Array.from({ length: 20 }, (_, index) =>
      aWaiter(`main.g${String(index).padStart(2, '0')}`, 'network', {
        share_of_wait_base: 0.9 - index / 100,
        share_of_wait_candidate: 0,
      }),
    );
    const { user } = open(aTrace({ groups }));
    const found = await table(GROUPS);
    expect(within(found).getAllByRole('row')).toHaveLength(13);
    await user.click(screen.getByRole('button', { name: '8 more groups and reasons' }));
    expect(within(found).getAllByRole('row')).toHaveLength(21);
  });

  it('names each change in words, and is sorted by column with the keyboard', async () => {
    const { user } = compare();
    const found = await table(GROUPS);
    const texts = () =>
      within(found)
        .getAllByRole('row')
        .slice(1)
        .map((row) => cells(row).at(-1));
    expect(texts()).toEqual([
      'waits longer, CPU hog',
      'not significant',
      'only in candidate, mixed',
    ]);
    expect(screen.getByText(/^3 rows · base to candidate, 2 significant/)).toBeInTheDocument();
    within(found)
      .getByRole('button', { name: /^Goroutine group/ })
      .focus();
    await user.keyboard('{Enter}');
    await waitFor(() =>
      expect(texts()).toEqual([
        'waits longer, CPU hog',
        'only in candidate, mixed',
        'not significant',
      ]),
    );
  });
});

describe('TracePage longest waits', () => {
  it('are selected in order with Shorter and Longer, each disabled at its end', async () => {
    const worst = [5e6, 4e6, 3e6].map((duration_ns, index) =>
      aWait({ side: 'base', artifact: null, index, duration_ns }),
    );
    const { user } = open(aTrace({ worst }));
    const shorter = await screen.findByRole('button', { name: 'Shorter' });
    expect(screen.getByRole('button', { name: 'Longer' })).toBeDisabled();
    expect(screen.getByText(/at 7\.214 s · 1 of 3$/)).toBeInTheDocument();
    await user.click(shorter);
    await user.click(await screen.findByRole('button', { name: 'Shorter' }));
    expect(await screen.findByText(/ · 3 of 3$/)).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Shorter' })).toBeDisabled();
    expect(screen.getByRole('row', { selected: true, name: /^3 ms/ })).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Longer' }));
    expect(await screen.findByText(/ · 2 of 3$/)).toBeInTheDocument();
    expect(screen.getByRole('row', { selected: true, name: /^4 ms/ })).toBeInTheDocument();
  });

  it('are listed with a note if none of them belongs to the selected group', async () => {
    open(
      aTrace({ worst: [aWait({ side: 'base', artifact: null, waiter: 'main.other|created' })] }),
    );
    expect(
      await screen.findByText(/^None of the longest recorded waits belongs to the selected group/),
    ).toBeInTheDocument();
  });

  it.each([
    [13, '1 more frame'],
    [14, '2 more frames'],
  ])('show 12 of %i blocking frames and the number of the rest', async (length, words) => {
    const block_stack = Array.from({ length }, (_, index) => `main.f${index}`);
    open(aTrace({ worst: [aWait({ side: 'base', artifact: null, block_stack, occupancy: [] })] }));
    expect(await screen.findByText(words)).toBeInTheDocument();
    expect(screen.getByText('main.f11')).toBeInTheDocument();
    expect(screen.queryByText('main.f12')).not.toBeInTheDocument();
    expect(screen.getByText('not recorded')).toBeInTheDocument();
    expect(screen.getByText('the runtime records no stack')).toBeInTheDocument();
  });

  it.each<[string, Run[]]>([
    ['1 segment', [[1, 90, 200, 2]]],
    [
      '2 segments',
      [
        [1, 90, 150, 2],
        [1, 150, 200, 0],
      ],
    ],
  ])('show the number of segments of the timeline: %s', async (words, runs) => {
    serveTiles(runs);
    open(aTrace());
    expect(await screen.findByText(`Timeline as a table: ${words}`)).toBeInTheDocument();
  });

  it('show why a timeline cannot be loaded, and reload it with Try again', async () => {
    server.use(
      http.get(at('/execution-traces/:id/waits/:index/tiles/:level/:number'), () =>
        problem(404, { title: 'Not found', detail: 'The timeline was deleted.' }),
      ),
    );
    const { user } = open(aTrace());
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not load the timeline of this wait');
    serveTiles([[1, 90, 200, 2]]);
    await user.click(within(alert).getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText(/^Timeline as a table/)).toBeInTheDocument();
  });

  it('cannot be downloaded as excerpts of traces before Go 1.22', async () => {
    open(aTrace({}, { traces: [wholeTrace('b1', { header_version: '1.21' })] }));
    const excerpt = await screen.findByRole('button', { name: 'Download excerpt' });
    expect(excerpt).toBeDisabled();
    expect(excerpt).toHaveAttribute(
      'title',
      'Excerpts need a trace of Go 1.22 or later; this one has the format of Go 1.21',
    );
  });

  it('show why no excerpt could be created', async () => {
    server.use(
      http.post(at('/execution-traces/:id/excerpts'), () =>
        problem(409, { title: 'Refused', detail: 'The file was deleted.' }),
      ),
    );
    const { user } = open(aTrace());
    await user.click(await screen.findByRole('button', { name: 'Download excerpt' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('The file was deleted.');
  });
});

describe('TracePage garbage collection', () => {
  const stw = [
    { reason: 'sweep termination', count: 1200, p50_ns: 9000, p99_ns: null, max_ns: 80_000 },
  ];

  it('shows cost and stop-the-world pauses of one trace', async () => {
    const base = aGcSide({ stw, assist_by_group: [{ group: 'main.alloc', ns_per_second: 5e6 }] });
    open(aTrace({ gc: { base, candidate: null } }));
    const cost = await table('GC cost');
    const row = (name: RegExp) => cells(within(cost).getByRole('row', { name }));
    expect(row(/^CPU spent on GC/)).toEqual(['CPU spent on GC', '4%']);
    expect(row(/^assists of/)).toEqual(['assists of main.alloc', '5 ms']);
    const [, pause] = within(await table('Stop-the-world pauses')).getAllByRole('row');
    expect(cells(pause!)).toEqual(['sweep termination', '1,200', '9 µs', '–', '80 µs']);
  });

  it('shows the data of the candidate when the base has none', async () => {
    compare({ gc: { base: null, candidate: aGcSide({ stw }) } });
    const cost = await table('GC cost');
    expect(cells(within(cost).getByRole('row', { name: /^CPU spent on GC/ }))).toEqual([
      'CPU spent on GC',
      '–',
      '4%',
    ]);
    expect(screen.queryByText('No GC data in these traces.')).not.toBeInTheDocument();
    expect(within(await table('Stop-the-world pauses')).getByText('candidate')).toBeInTheDocument();
  });

  it('reports that a trace has no GC data and that no GC ran', async () => {
    const mmu = { window_ns: [], base: null, candidate: null, base_low: null };
    open(aTrace({ gc: { base: null, candidate: null }, mmu }));
    expect(await screen.findByText('No GC data in these traces.')).toBeInTheDocument();
    expect(screen.getByText('No GC ran during these traces.')).toBeInTheDocument();
  });

  it('names the side on which no GC cycle ran', async () => {
    compare({ gc: { base: aGcSide({ cycles_per_second: 0 }), candidate: aGcSide() } });
    expect(await screen.findByText(/^No GC cycle ran in base: its losses/)).toBeInTheDocument();
    expect(screen.getByText('No stop-the-world pauses recorded.')).toBeInTheDocument();
  });
});

describe('TracePage goroutine profiles', () => {
  it('of the same build are linked, the first three by name, with the number of the rest', async () => {
    server.use(
      http.get(at('/artifacts'), () =>
        page([1, 2, 3, 4, 5].map((index) => anArtifact({ id: `g${index}`, name: `g${index}.pb` }))),
      ),
    );
    open(aTrace());
    const link = await screen.findByRole('link', { name: 'g1.pb' });
    expect(link).toHaveAttribute('href', '/artifacts/g1');
    expect(link.closest('p')).toHaveTextContent(
      'Goroutine profiles of the same build: g1.pb, g2.pb, g3.pb and 2 more',
    );
  });

  it('are replaced by instructions to record some when there are none', async () => {
    open(aTrace());
    expect(
      await screen.findByText(/^No goroutine profile of this build: how to record some/),
    ).toBeInTheDocument();
    expect(screen.getByText(/^While the build runs and/)).toBeInTheDocument();
  });

  it('are replaced by an error when they cannot be looked up', async () => {
    server.use(
      http.get(at('/artifacts/:id'), () =>
        problem(403, { title: 'Refused', detail: 'Not a member.' }),
      ),
    );
    open(aTrace());
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Could not check for goroutine profiles of these builds',
    );
  });
});
