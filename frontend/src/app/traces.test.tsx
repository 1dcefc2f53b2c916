import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { aComparison, aFinding, aResult, anArtifact } from '../testing/api-factories';
import { open, type Opened } from '../testing/render';
import { at, page, problem, server } from '../testing/mock-api';
import {
  aGcSide,
  aTile,
  aTraceDocument,
  aWaiter,
  aWait,
  wholeTrace,
} from '../testing/trace-fixtures';

const HOSTILE = '<img src=x onerror=alert(1)>';

beforeEach(() => {
  // jsdom draws nothing on a canvas; the text beside it describes what it shows.
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);
});

/** Traces are named by their sides in this test: b1 is of the build "build-b", c1 of "build-c". */
const buildOf = (trace: unknown): string => `build-${String(trace).slice(0, 1)}`;

function serve(data: object = aTraceDocument()): void {
  server.use(
    http.get(at('/artifacts/:id'), ({ params }) =>
      HttpResponse.json(anArtifact({ id: String(params.id), build_id: buildOf(params.id) })),
    ),
    http.get(at('/comparisons/:id/results/traces'), () => HttpResponse.json(data)),
    http.get(at('/execution-traces/:id'), () => HttpResponse.json(data)),
    http.get(at('/execution-traces/:id/waits/:index/tiles/:level/:number'), () =>
      HttpResponse.arrayBuffer(
        aTile([
          [0, 0, 300, 0, 5],
          [1, 90, 200, 2],
          [1, 200, 260, 1, 17],
        ]),
        { headers: { 'Content-Type': 'application/octet-stream' } },
      ),
    ),
  );
}

const finding = aFinding({
  kind: 'trace.sched_delay',
  profile_kind: 'trace',
  subject: 'main.server|network',
  sentence: 'p99 scheduler delay of main.server woken by the network: 0.23 ms → 4.37 ms.',
  attributed_callers: [],
});

function show(
  tail = '',
  parts: ('traces' | 'growth' | 'benchmarks')[] = ['traces'],
  findings = [finding],
): Opened {
  const comparison = aComparison({
    artifact_kinds: parts,
    views: [],
    result: aResult({ findings, profile_kinds: [] }),
  });
  server.use(http.get(at('/comparisons/:id'), () => HttpResponse.json(comparison)));
  return open(`/t/northwind/comparisons/${comparison.id}${tail}`);
}

const groups = () =>
  screen.findByRole('table', { name: 'Scheduler latency by goroutine group and wake reason' });

describe('Execution traces of a comparison', () => {
  it('select the waiter of the first finding, and show the scheduler latency per group', async () => {
    serve();
    show();
    const table = await groups();
    const row = within(table).getByRole('row', { selected: true });
    expect(row).toHaveTextContent('main.server');
    const batcher = within(table).getByRole('row', { name: /main\.batcher/ });
    expect(batcher).toHaveTextContent('230 µs to 4.37 ms');
    expect(batcher).toHaveTextContent('waits longer, CPU hog');
    expect(
      screen.getByText(/1 trace of 10 s · 4 Ps · 340,110 events · 1,200 wakes/),
    ).toBeInTheDocument();
  });

  it('keep the chosen waiter, quantile and order in the address', async () => {
    serve();
    const { user, where } = show();
    const table = await groups();
    await user.click(within(table).getByRole('row', { name: /main\.batcher/ }));
    await waitFor(() => expect(where()).toContain('waiter=main.batcher'));
    const occupancy = await screen.findByRole('table', { name: 'P occupancy per wait' });
    expect(within(occupancy).getByRole('row', { name: /main\.hog/ })).toHaveTextContent('1.02 ms');
    expect(screen.getByText(/93% of candidate’s waiting is behind/)).toBeInTheDocument();
    await user.click(screen.getByRole('radio', { name: 'p99.9' }));
    await waitFor(() => expect(where()).toContain('quantile=p999'));
    await user.click(within(await groups()).getByRole('button', { name: /Wake reason/ }));
    await waitFor(() => expect(where()).toContain('gsort=reason'));
  });

  it('restore the quantile, order, wait and viewport of the address', async () => {
    serve();
    show('?quantile=p999&gsort=group&gasc=true&wait=c1.0&wfrom=0.25&wto=0.75');
    const order = within(await groups()).getAllByRole('rowheader');
    expect(order.map(({ textContent }) => textContent)).toEqual([
      expect.stringContaining('main.batcher'),
      expect.stringContaining('main.late'),
      expect.stringContaining('main.server'),
    ]);
    expect(screen.getByRole('radio', { name: 'p99.9' })).toBeChecked();
    expect(screen.getByText(/ · 2 of 2$/)).toBeInTheDocument();
    expect(await screen.findByRole('button', { name: 'the whole wait' })).toBeInTheDocument();
  });

  it('show a wait with its stacks and P occupancy, and the timeline as a table', async () => {
    serve();
    const { user, where } = show('?waiter=main.batcher%7Cnetwork');
    const ahead = await screen.findByRole('table', { name: 'P occupancy during this wait' });
    expect(within(ahead).getByRole('row', { name: /main\.hog/ })).toHaveTextContent('91.6%');
    expect(screen.getByText('poll.(*FD).Read')).toBeInTheDocument();
    expect(
      await screen.findByRole('group', { name: /4\.37 ms runnable · 214 others started first/ }),
    ).toBeInTheDocument();
    await user.click(screen.getByText(/Timeline as a table:/));
    const drawn = screen.getByRole('table', { name: 'Segments of the timeline' });
    expect(within(drawn).getAllByRole('row')).toHaveLength(4);
    await user.click(screen.getByRole('button', { name: 'Shorter' }));
    await waitFor(() => expect(where()).toContain('wait=c1.1'));
  });

  it('zoom the timeline by keyboard, and keep the viewport in the address', async () => {
    serve();
    const { user, where } = show();
    const timeline = await screen.findByRole('group', { name: /Timeline of the Ps/ });
    timeline.focus();
    await user.keyboard('w');
    await waitFor(() => expect(where()).toContain('wfrom=0.2'));
    await user.keyboard('0');
    await waitFor(() => expect(where()).not.toContain('wfrom'));
  });

  it('render HTML in names as text', async () => {
    serve(
      aTraceDocument({
        groups: [aWaiter(HOSTILE, 'network')],
        worst: [aWait({ waiter: `${HOSTILE}|network`, block_stack: [HOSTILE], waker: HOSTILE })],
      }),
    );
    const { container } = show();
    await groups();
    await screen.findByRole('group', { name: /Timeline/ });
    expect(screen.getAllByText(HOSTILE).length).toBeGreaterThan(0);
    expect(container.querySelector('img')).toBeNull();
  });

  it('show which trace data is unreadable, and the results of the rest', async () => {
    const lost = { bytes: 9, share: 0.03, after_ns: 8.8e9, message: 'the last 1.2 s are lost' };
    const data = aTraceDocument();
    const sides = data.sides as { candidate: { traces: unknown } };
    sides.candidate.traces = [
      wholeTrace('c1', { lost, warnings: ['no-clock: Clocks are not aligned.'] }),
    ];
    serve(data);
    show();
    const strip = await screen.findByLabelText('Unreadable trace data');
    expect(strip).toHaveTextContent('1 trace is incomplete');
    expect(strip).toHaveTextContent('c1.trace: the last 1.2 s are lost (3% of the file)');
    expect(strip).toHaveTextContent('c1.trace: Clocks are not aligned.');
    expect(await groups()).toBeInTheDocument();
  });

  it('show that no GC cycle ran on a side, and still list its mutator utilization', async () => {
    const gc = { base: aGcSide(), candidate: aGcSide({ cycles_per_second: 0 }) };
    serve(aTraceDocument({ gc }));
    const { user } = show();
    expect(
      await screen.findByText(/No GC cycle ran in candidate: its losses/u, {}, { timeout: 12_000 }),
    ).toBeInTheDocument();
    await user.click(screen.getByText('As a table: 4 windows'));
    const table = screen.getByRole('table', { name: 'Minimum mutator utilization' });
    expect(within(table).getAllByRole('row')[3]).toHaveTextContent('10 ms90%84%');
  });

  it('show that nothing waited and no GC ran', async () => {
    serve(
      aTraceDocument({
        groups: [],
        shift: [],
        occupancy: [],
        worst: [],
        mmu: {
          window_ns: [],
          base: [],
          base_low: [],
          base_high: [],
          candidate: [],
          candidate_low: [],
          candidate_high: [],
        },
        gc: { base: null, candidate: null },
        series: [],
      }),
    );
    show();
    expect(await screen.findByText(/No scheduler latency recorded\./)).toBeInTheDocument();
    expect(screen.getByText(/No wait was long enough/)).toBeInTheDocument();
    expect(screen.getByText(/No GC ran/)).toBeInTheDocument();
  });

  it('show why loading failed, and reload with Try again', async () => {
    server.use(
      http.get(at('/comparisons/:id/results/traces'), () =>
        problem(404, { title: 'Not found', detail: 'The traces were deleted.' }),
      ),
    );
    const { user } = show();
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not load the traces · The traces were deleted.');
    serve();
    await user.click(within(alert).getByRole('button', { name: 'Try again' }));
    expect(await groups()).toBeInTheDocument();
  });

  it('show why a timeline failed to load, and keep the rest of the page', async () => {
    serve();
    server.use(
      http.get(at('/execution-traces/:id/waits/:index/tiles/:level/:number'), () =>
        problem(404, { title: 'Not found', detail: 'This wait has no timeline.' }),
      ),
    );
    show();
    expect(
      await screen.findByText(/This wait has no timeline/, {}, { timeout: 8000 }),
    ).toBeInTheDocument();
    expect(await groups()).toBeInTheDocument();
  });

  it('download an excerpt of one second around a wait', async () => {
    serve();
    let asked: unknown = null;
    const cut = { id: 'k1', state: 'done', size_bytes: 9, file_name: 'x.trace', problem: null };
    server.use(
      http.post(at('/execution-traces/:id/excerpts'), async ({ request }) => {
        asked = await request.json();
        return HttpResponse.json(cut, { status: 202 });
      }),
      http.get(at('/trace-excerpts/:id'), () => HttpResponse.json(cut)),
    );
    const opened: string[] = [];
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(
      this: HTMLAnchorElement,
    ) {
      opened.push(this.href);
    });
    const { user } = show('?wait=c1.0');
    await user.click(await screen.findByRole('button', { name: 'Download excerpt' }));
    await waitFor(() => expect(opened[0]).toContain('/api/v1/trace-excerpts/k1/content'));
    expect(asked).toEqual({ from_ns: 6716184000, to_ns: 7716184000 });
  });
});

describe('Chart of levels over time', () => {
  const twoTraces = () => {
    const data = aTraceDocument();
    const [series] = data.series as { artifact: string }[];
    const second = { ...series, artifact: 'c2', name: 'c2.trace' };
    return { ...data, series: [...(data.series as object[]), second] };
  };
  const picked = () => screen.findByRole('combobox', { name: 'Trace of candidate' });

  it('keeps the chosen trace in the address until a wait of that side is selected', async () => {
    serve(twoTraces());
    const { user, where } = show();
    expect(await picked()).toHaveValue('c1.trace');
    await user.click(await picked());
    await user.click(await screen.findByRole('option', { name: 'c2.trace', hidden: true }));
    await waitFor(() => expect(where()).toContain('tcand=c2'));
    expect(await picked()).toHaveValue('c2.trace');
    await user.click(await screen.findByRole('button', { name: 'Shorter' }));
    await waitFor(() => expect(where()).toContain('wait=c1.0'));
    expect(where()).not.toContain('tcand');
    expect(await picked()).toHaveValue('c1.trace');
  });

  it('reads the chosen trace from the address', async () => {
    serve(twoTraces());
    show('?tcand=c2');
    expect(await picked()).toHaveValue('c2.trace');
  });

  it('falls back to the default trace if the address names an unknown one', async () => {
    serve(twoTraces());
    show('?tcand=gone');
    expect(await picked()).toHaveValue('c1.trace');
  });
});

describe('Finding about an execution trace', () => {
  const ofGc = aFinding({
    ...finding,
    kind: 'trace.gc',
    subject: 'cpu',
    sentence: 'GC takes more.',
  });
  const aboutOccupancy = aFinding({
    ...finding,
    kind: 'trace.blame',
    subject: 'main.batcher|network',
    sentence: 'A hog occupied the processors.',
  });
  const scrolled: Element[] = [];
  beforeEach(() => {
    scrolled.length = 0;
    vi.spyOn(HTMLElement.prototype, 'scrollIntoView').mockImplementation(function look(
      this: HTMLElement,
    ) {
      scrolled.push(this);
    });
  });

  it('focuses the GC panel from another tab, and scrolls to it only once', async () => {
    serve();
    server.use(
      http.get(at('/comparisons/:id/results/growth'), () =>
        HttpResponse.json({ format: 'slowpath.growth-comparison/2', sets: [], rows: [] }),
      ),
    );
    const { user } = show('?part=growth', ['traces', 'growth'], [finding, ofGc]);
    await user.click(await screen.findByRole('button', { name: /GC takes more/ }));
    const panel = await screen.findByRole('region', { name: 'Garbage collection' });
    await waitFor(() => {
      expect(panel).toHaveFocus();
    });
    expect(scrolled).toContain(panel);
    // Returning to the tab later does not scroll again.
    await user.click(screen.getByRole('tab', { name: 'Stack growth' }));
    scrolled.length = 0;
    await user.click(screen.getByRole('tab', { name: 'Execution traces' }));
    await groups();
    expect(scrolled).toEqual([]);
  });

  it('focuses the panel of its waiter each time it is selected', async () => {
    serve();
    const { user, where } = show('', ['traces'], [finding, aboutOccupancy]);
    await groups();
    expect(scrolled).toEqual([]);
    const row = screen.getByRole('button', { name: /A hog occupied/ });
    row.focus();
    await user.keyboard('{Enter}');
    const panel = await screen.findByRole('region', {
      name: 'Selected group: main.batcher · network',
    });
    await waitFor(() => {
      expect(panel).toHaveFocus();
    });
    expect(where()).toContain('waiter=main.batcher');
    expect(scrolled).toEqual([panel]);
    await user.click(row);
    await waitFor(() => {
      expect(panel).toHaveFocus();
    });
    expect(scrolled).toEqual([panel, panel]);
  });
});

describe('Goroutine profiles of the same builds', () => {
  const link = () => screen.findByRole('button', { name: 'Goroutine profiles of the same builds' });
  /** Serves goroutine profiles by build; checks the request as the API would. */
  const known = (profiles: Record<string, string[]>) => {
    server.use(
      http.get(at('/artifacts'), ({ request }) => {
        const { searchParams } = new URL(request.url);
        expect(searchParams.get('kind')).toBe('profile.goroutine');
        const ids = profiles[searchParams.get('build_id') ?? ''] ?? [];
        return page(
          ids.map((id) => anArtifact({ id, name: `${id}.pb.gz`, kind: 'profile.goroutine' })),
        );
      }),
    );
  };

  it('are compared with an idempotency key, and the comparison is searched for the waiter', async () => {
    serve();
    known({ 'build-b': ['p1', 'p2'], 'build-c': ['p3'] });
    const asked: { key: string | null; body: unknown }[] = [];
    const made = aComparison({ name: 'Goroutines' });
    server.use(
      http.post(at('/comparisons'), async ({ request }) => {
        asked.push({ key: request.headers.get('Idempotency-Key'), body: await request.json() });
        return HttpResponse.json(made, { status: 201 });
      }),
    );
    const { user, where } = show('?waiter=main.batcher%7Cnetwork');
    expect(await screen.findByText('2 of base, 1 of candidate')).toBeInTheDocument();
    await user.click(await link());
    await waitFor(() => expect(where()).toContain(`/comparisons/${made.id}`));
    expect(where()).toContain('kind=goroutine');
    expect(decodeURIComponent(where())).toMatch(/q=\^main\\+\.batcher\$/);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.key).toMatch(/^goroutines [0-9a-f]{16}$/);
    expect(asked[0]?.body).toEqual({
      name: 'Goroutines: a41c0de vs. e07b2f9',
      base: { artifact_ids: ['p1', 'p2'], label: 'a41c0de' },
      candidate: { artifact_ids: ['p3'], label: 'e07b2f9' },
    });
  });

  it('are compared again without the key if the comparison was deleted', async () => {
    serve();
    known({ 'build-b': ['p1'], 'build-c': ['p3'] });
    const keys: (string | null)[] = [];
    const made = aComparison();
    server.use(
      http.post(at('/comparisons'), ({ request }) => {
        const key = request.headers.get('Idempotency-Key');
        keys.push(key);
        return key
          ? problem(404, { title: 'Not found', detail: 'There is no such comparison.' })
          : HttpResponse.json(made, { status: 201 });
      }),
    );
    const { user, where } = show();
    await user.click(await link());
    await waitFor(() => expect(where()).toContain(`/comparisons/${made.id}`));
    expect(keys).toEqual([expect.stringMatching(/^goroutines/), null]);
  });

  it('are listed for one side, with the command to record those that the other side lacks', async () => {
    serve();
    known({ 'build-b': ['p1', 'p2', 'p3', 'p4'] });
    const { user } = show();
    await user.click(
      await screen.findByText('No goroutine profile of candidate’s build: how to record some'),
    );
    expect(screen.getByLabelText('Command for candidate')).toHaveDisplayValue(
      /--snapshots goroutine .*--build build-c$/,
    );
    expect(screen.queryByLabelText('Command for base')).toBeNull();
    expect(screen.getByRole('link', { name: 'p1.pb.gz' })).toHaveAttribute(
      'href',
      '/t/northwind/artifacts/p1',
    );
    expect(screen.getByText(/and 1 more/)).toBeInTheDocument();
  });

  it('are missing for traces without a build, with the reason', async () => {
    serve();
    server.use(http.get(at('/artifacts/:id'), () => HttpResponse.json(anArtifact())));
    show();
    expect(
      await screen.findByText('No goroutine profile of either build: how to record some'),
    ).toBeInTheDocument();
    expect(screen.getByText(/The 1 trace of base belongs to no build/)).toBeInTheDocument();
  });

  it('are linked on the page of a single execution trace', async () => {
    serve({
      ...aTraceDocument(),
      sides: { base: (aTraceDocument().sides as { base: object }).base, candidate: null },
    });
    known({ 'build-b': ['p1'] });
    open('/t/northwind/execution-traces/b1');
    expect(await screen.findByRole('link', { name: 'p1.pb.gz' })).toBeInTheDocument();
  });
});

describe('Page of a single execution trace', () => {
  it('shows latencies without changes, and links to the Compare page', async () => {
    const { groups: rows, ...rest } = aTraceDocument();
    const alone = (rows as object[]).map((row) => ({
      ...row,
      candidate: null,
      change: { p50: null, p90: null, p99: null, p999: null },
      state: 'noise',
    }));
    const { base } = rest.sides as { base: object };
    serve({ ...rest, groups: alone, sides: { base, candidate: null } });
    open('/t/northwind/execution-traces/b1');
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent(
      'main.batcher waits up to 230 µs at p99 to run after a wake from network',
    );
    const table = await groups();
    expect(within(table).queryByRole('columnheader', { name: /change/ })).toBeNull();
    expect(within(table).getByRole('row', { name: /main\.batcher/ })).not.toHaveTextContent(' to ');
    expect(screen.queryByText(/^Could not draw/)).not.toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Artifacts' })).toHaveAttribute('aria-current', 'page');
    const compare = screen.getByRole('link', { name: 'Compare with…' });
    expect(compare.getAttribute('href')).toContain('/t/northwind/compare?');
    expect(compare.getAttribute('href')).toContain('base=artifacts%3Ab1');
  });

  it('shows why loading failed', async () => {
    server.use(
      http.get(at('/execution-traces/:id'), () =>
        problem(404, { title: 'Not found', detail: 'There is no such trace.' }),
      ),
    );
    open('/t/northwind/execution-traces/b1');
    expect(await screen.findByRole('alert', {}, { timeout: 8000 })).toHaveTextContent(
      'There is no such trace.',
    );
  });
});

describe('Stack growth and benchmarks of a comparison', () => {
  it('show the sets of growth logs and the call paths that grow the stack', async () => {
    const set = {
      artifacts: 4,
      dialects: [],
      rates: [],
      total: null,
      duration_ns: null,
      requests: null,
      per_second: null,
      per_request: null,
      low: null,
      high: null,
      attributed_caller: null,
      path: [],
      old_bytes: null,
      new_bytes: null,
      share: null,
      ratio: null,
      ratio_low: null,
      ratio_high: null,
    };
    server.use(
      http.get(at('/comparisons/:id/results/growth'), () =>
        HttpResponse.json({
          format: 'slowpath.growth-comparison/2',
          sets: [
            {
              ...set,
              side: 'base',
              label: 'fix',
              sampled: 3465,
              estimated_growths: 3465000,
              duration_ns: 120e9,
            },
            {
              ...set,
              side: 'candidate',
              label: 'regression',
              sampled: 15685,
              estimated_growths: 15685000,
            },
          ],
          rows: [
            {
              attributed_caller: HOSTILE,
              path: ['main.main', 'ident.(*Pool).Clone'],
              old_bytes: 2048,
              new_bytes: 4096,
              base: { sampled: 10, estimated_growths: 10000, per_second: null, per_request: null },
              candidate: {
                sampled: 50,
                estimated_growths: 50000,
                per_second: null,
                per_request: null,
              },
              ratio: 5,
              low: 4.5,
              high: 5.5,
              q_value: 0.001,
              state: 'more',
            },
          ],
        }),
      ),
    );
    const { container } = show('?part=growth', ['traces', 'growth']);
    const sets = await screen.findByRole('table', { name: 'Sets of stack-growth logs' });
    expect(within(sets).getByRole('row', { name: /regression/ })).toHaveTextContent(
      '15,68515,685,000',
    );
    expect(screen.getByText(/every 1,000th growth event was printed/)).toBeInTheDocument();
    const paths = screen.getByRole('table', { name: 'Call paths that grow the stack' });
    expect(paths).toHaveTextContent('2 KiB to 4 KiB');
    expect(paths).toHaveTextContent('grows more often');
    expect(container.querySelector('img')).toBeNull();
  });

  it('show a table of benchmarks per unit with the significance of each change', async () => {
    const side = (center: number) => ({
      n: 10,
      center,
      low: center * 0.98,
      high: center * 1.02,
      values: [],
    });
    const row = {
      name: 'Clone-8',
      config: {},
      p: 0.0002,
      alpha: 0.05,
      significant: true,
      better: 'less',
      exact: false,
      warnings: [],
      state: null,
    };
    server.use(
      http.get(at('/comparisons/:id/results/benchmarks'), () =>
        HttpResponse.json({
          format: 'slowpath.benchmark-comparison/1',
          rows: [
            { ...row, unit: 'sec/op', base: side(7.2e-8), candidate: side(1.4e-7), ratio: 1.94 },
            {
              ...row,
              unit: 'B/s',
              better: 'more',
              base: side(2e9),
              candidate: side(1e9),
              ratio: 0.5,
            },
            {
              ...row,
              name: 'Same',
              unit: 'sec/op',
              base: side(1),
              candidate: side(1),
              ratio: 1,
              significant: false,
              p: 0.6,
            },
          ],
          geomeans: [{ unit: 'sec/op', ratio: 1.39 }],
          warnings: [],
        }),
      ),
    );
    show('?part=benchmarks', ['traces', 'benchmarks']);
    const times = await screen.findByRole('table', { name: 'Benchmarks in s/op' });
    expect(within(times).getByRole('row', { name: /Clone-8/ })).toHaveTextContent(
      'takes more time',
    );
    expect(within(times).getByRole('row', { name: /Same/ })).toHaveTextContent('not significant');
    const rates = screen.getByRole('table', { name: 'Benchmarks in bytes/s' });
    expect(within(rates).getByText('×0.50')).toHaveClass('more');
    expect(screen.getByText(/geometric mean ×1.39/)).toBeInTheDocument();
  });

  it('show that a stored format cannot be read', async () => {
    server.use(
      http.get(at('/comparisons/:id/results/growth'), () =>
        HttpResponse.json({ format: 'slowpath.growth-comparison/3' }),
      ),
    );
    show('?part=growth', ['growth']);
    expect(await screen.findByRole('alert', {}, { timeout: 8000 })).toHaveTextContent(
      'This page cannot read growth logs in the stored format slowpath.growth-comparison/3.',
    );
  });
});
