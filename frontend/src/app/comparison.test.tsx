import { notifyManager } from '@tanstack/react-query';
import { act, screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { Problem } from '../api';
import type { ComparisonOut } from '../api/generated/types.gen';
import { drawnDiff } from '../testing/diff-fixtures';
import { functionsFile } from '../testing/function-fixtures';
import { aComparison, aFinding, aJob, aResult, aView } from '../testing/api-factories';
import { open, type Opened } from '../testing/render';
import { at, problem, server } from '../testing/mock-api';

const HOSTILE = '<img src=x onerror=alert(1)>';

function show(comparison: ComparisonOut, tail = ''): Opened {
  server.use(
    http.get(at('/comparisons/:id'), () => HttpResponse.json(comparison)),
    http.get(at('/comparisons/:id/views/:view/chunks/functions'), () =>
      HttpResponse.arrayBuffer(
        functionsFile([
          { name: 'main.steady', base: 9e9, candidate: 9e9, state: 0, low: 0.9, high: 1.1 },
          {
            name: 'example.com/northwind/ident.(*Pool).Clone',
            base: 1e9,
            candidate: 4e9,
            state: 1,
            low: 3.5,
            high: 4.5,
          },
          { name: HOSTILE, base: 0, candidate: 2e9, state: 3 },
        ]),
        { headers: { 'Content-Type': 'application/octet-stream' } },
      ),
    ),
    http.get(at('/comparisons/:id/views/:view/search'), () =>
      HttpResponse.json({ nodes: 1, functions: 1, base_raw: 1e9, candidate_raw: 4e9 }),
    ),
    // The graph has separate tests. Here its request fails, and the rest of the page must work.
    http.get(at('/comparisons/:id/views/:view/chunks/first'), () =>
      problem(503, { title: 'Not available right now', detail: 'The blob store rests.' }),
    ),
  );
  return open(`/t/northwind/comparisons/${comparison.id}${tail}`);
}

it('Comparison page lists the keyboard shortcuts of the flame graph and of tables', async () => {
  const { user } = show(aComparison({ result: aResult() }));
  server.use(
    http.get(at('/comparisons/:id/views/:view/chunks/first'), () =>
      HttpResponse.arrayBuffer(drawnDiff('main.a 0 0\n  main.b 10e6 30e6'), {
        headers: { 'Content-Type': 'application/octet-stream' },
      }),
    ),
  );
  expect(await screen.findAllByRole('application')).not.toHaveLength(0);
  await user.keyboard('?');
  const dialog = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
  for (const place of ['On every page', 'Flame graph, in focus', 'Row of a table, in focus'])
    expect(within(dialog).getByRole('heading', { name: place })).toBeVisible();
  for (const words of ['zoom to the frame', 'side by side', 'next, previous match of the search'])
    expect(within(dialog).getByText(words)).toBeVisible();
});

it('Finding about a removed frame shows the difference without a ratio', async () => {
  const gone = aFinding({
    candidate: 0,
    change: {
      ci_of: 'difference',
      ratio: 0,
      difference: -1.11,
      ci_low: -1.3,
      ci_high: -0.9,
      confidence_level: 0.95,
    },
    unit: 'us/request',
  });
  show(aComparison({ result: aResult({ findings: [gone] }) }));
  const findings = await screen.findByRole('list', { name: /Findings/ });
  expect(within(findings).getByText('−1.11 µs')).toBeInTheDocument();
  expect(within(findings).queryByText('×0.000')).toBeNull();
});

describe('Finished comparison', () => {
  it('shows the verdict with its numbers, the findings and the caveats', async () => {
    show(aComparison());
    const verdict = await screen.findByRole('heading', { level: 1 });
    expect(verdict).toHaveTextContent(
      'Regressed: 32% more CPU per request (95% CI 28–36%); nearly all of it is stack growth (morestack), attributed to ident.(*Pool).Clone',
    );
    const findings = screen.getByRole('list', { name: /Findings/ });
    expect(
      within(findings).getByRole('button', {
        name: /takes more time: 726 µs per request instead of 62$/,
      }),
    ).toBeInTheDocument();
    expect(within(findings).getByText('×11.7')).toBeInTheDocument();
    expect(screen.getByLabelText('Caveats')).toHaveTextContent('1 caveat');
  });

  it('writes the opened finding, the layout and the search into the address', async () => {
    const { user, where } = show(aComparison());
    await user.click(await screen.findByRole('button', { name: 'Explain finding 1' }));
    expect(await screen.findByText(/Keep goroutines alive/)).toBeInTheDocument();
    expect(where()).toContain('find=0');
    await user.click(screen.getByText('side by side'));
    await user.type(screen.getByLabelText('Search frames'), 'Clone');
    await waitFor(() => expect(where()).toContain('q=Clone'));
    expect(where()).toContain('mode=side-by-side');
    // The totals are the server's, over all nodes, as shares of each side.
    expect(
      await screen.findByText('1 frame: 11.1% of base, 44.4% of candidate'),
    ).toBeInTheDocument();
  });

  it('restores the opened finding, the search and the sort order from the address', async () => {
    show(aComparison(), '?v=1&find=0&open=true&q=steady&sort=name&asc=true');
    expect(await screen.findByText(/Keep goroutines alive/)).toBeInTheDocument();
    const table = await screen.findByRole('table', { name: 'Functions' });
    expect(within(table).getAllByRole('row')).toHaveLength(2);
    expect(within(table).getByRole('columnheader', { name: /^Function/ })).toHaveAttribute(
      'aria-sort',
      'ascending',
    );
  });

  it('renders HTML in function names as text', async () => {
    const finding = aFinding({
      kind: 'profile.function',
      subject: HOSTILE,
      sentence: `${HOSTILE} takes more time`,
      attributed_callers: [],
    });
    const { container } = show(aComparison({ result: aResult({ findings: [finding] }) }));
    const table = await screen.findByRole('table', { name: 'Functions' });
    expect(within(table).getByTitle(HOSTILE)).toHaveTextContent(HOSTILE);
    expect(container.querySelector('img')).toBeNull();
  });

  it('orders functions by how much they changed, and states the change in words', async () => {
    show(aComparison());
    const table = await screen.findByRole('table', { name: 'Functions' });
    const changes = within(table)
      .getAllByRole('row')
      .slice(1)
      .map((row) => within(row).getAllByRole('cell').at(-1)?.textContent);
    expect(changes).toEqual(['takes more time', 'only in candidate', 'not significant']);
  });

  it('shows a call graph in place of stacks, and keeps the choice in the address', async () => {
    const { user, where } = show(aComparison());
    server.use(
      http.get(at('/comparisons/:id/views/:view/chunks/first'), () =>
        HttpResponse.arrayBuffer(drawnDiff('main.a 0 0\n  main.b 10e6 30e6'), {
          headers: { 'Content-Type': 'application/octet-stream' },
        }),
      ),
    );
    await user.click(await screen.findByRole('radio', { name: 'Call graph' }));
    await waitFor(() => expect(where()).toContain('graph=calls'));
    const node = await screen.findByRole('button', { name: /^main\.b, .*, was .*, callers: 1/u });
    await user.click(node);
    expect(node).toHaveAttribute('aria-pressed', 'true');
  });

  it('shows why a normalization is unavailable', async () => {
    show(aComparison());
    const missing = await screen.findByText('per request');
    expect(missing).toHaveAttribute('title', expect.stringContaining('Needs the requests served'));
  });

  it('shows at most three actions besides Copy, and the others in the More menu', async () => {
    const { base, candidate } = aComparison();
    const comparison = aComparison({
      base: { ...base, artifact_ids: ['a1'] },
      candidate: { ...candidate, artifact_ids: ['a2', 'a3'] },
    });
    const { user } = show(comparison);
    await screen.findByRole('link', { name: 'Change sides' });
    const more = screen.getByRole('button', { name: 'More' });
    const actions = within(more.parentElement!.parentElement!);
    const visible = [...actions.getAllByRole('button'), ...actions.getAllByRole('link')];
    expect(
      visible.filter((one) => one !== more && one.textContent !== 'Copy').length,
    ).toBeLessThanOrEqual(3);
    await user.click(more);
    const items = await screen.findAllByRole('menuitem', { hidden: true });
    expect(items.map(({ textContent }) => textContent)).toEqual([
      'Discussion',
      'Open base1 artifact',
      'Open candidate2 artifacts',
      'PNG',
      'SVG',
      'Copy picture',
      'Diff as pprofSame as pprof -diff_base',
      'Base as one pprofmerged',
      'Candidate as one pprofmerged',
      'Findings as JSONslowpath.comparison/2',
      'Functions as CSV',
      'Rename',
      'Delete comparison',
    ]);
  });

  it('is renamed with the labels of its sides, and deleted after confirmation', async () => {
    const asked: unknown[] = [];
    const comparison = aComparison();
    const { user, where } = show(comparison);
    server.use(
      http.patch(at('/comparisons/:id'), async ({ request }) => {
        asked.push(await request.json());
        return HttpResponse.json(comparison);
      }),
      http.delete(at('/comparisons/:id'), ({ params }) => {
        asked.push(params.id);
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const choose = async (name: string) => {
      await user.click(await screen.findByRole('button', { name: 'More' }));
      // `hidden: true`: without layout in jsdom, the position of the menu is not computed and it
      // stays hidden.
      await user.click(await screen.findByRole('menuitem', { name, hidden: true }));
    };
    await choose('Rename');
    const field = await screen.findByLabelText('Name');
    await user.clear(field);
    expect(screen.getByRole('button', { name: 'Rename' })).toBeDisabled();
    await user.type(field, 'Clone');
    await user.click(screen.getByRole('button', { name: 'Rename' }));
    const { base, candidate } = comparison;
    await waitFor(() => {
      expect(asked).toEqual([
        { name: 'Clone', base_label: base.label, candidate_label: candidate.label },
      ]);
    });
    await choose('Delete comparison');
    expect(asked).toHaveLength(1);
    await user.click(await screen.findByRole('button', { name: 'Delete comparison' }));
    await waitFor(() => expect(where()).toBe('/t/northwind/comparisons'));
    expect(asked.at(-1)).toBe(comparison.id);
  });

  it('stays visible when a refresh fails offline, and shows an error after status 404', async () => {
    const comparison = aComparison();
    const { client } = show(comparison);
    const verdict = await screen.findByRole('heading', { level: 1, name: /32% more CPU/ });
    const query = client.getQueryCache().find({ queryKey: ['comparison', 'one', comparison.id] });
    const facts = { type: 'urn:slowpath:offline', title: '', detail: '', status: 0 };
    // Waits until the page was notified: the query client schedules notifications.
    const meet = (status: number) =>
      act(async () => {
        query?.setState({ status: 'error', error: new Problem({ ...facts, status }) });
        await new Promise<void>((resolve) => notifyManager.schedule(resolve));
      });
    await meet(0);
    expect(verdict).toBeInTheDocument();
    await meet(404);
    expect(await screen.findByText('Could not load the comparison')).toBeInTheDocument();
  });

  it('shows why the flame graph failed to load, and keeps the function table', async () => {
    show(aComparison());
    expect(
      await screen.findByText(/The blob store rests/, {}, { timeout: 8000 }),
    ).toBeInTheDocument();
    expect(screen.getByRole('table', { name: 'Functions' })).toBeInTheDocument();
  });

  it('requests a view of a granularity that does not exist yet', async () => {
    let asked: unknown = null;
    server.use(
      http.post(at('/comparisons/:id/views'), async ({ request }) => {
        asked = await request.json();
        return HttpResponse.json(aView({ granularity: 'line', state: 'waiting' }), { status: 202 });
      }),
    );
    show(aComparison(), '?by=line');
    await waitFor(() =>
      expect(asked).toEqual({ kind: 'cpu', sample_type: 'cpu', granularity: 'line' }),
    );
  });
});

it('Comparison heading contains only the sentence of the result, without its period', async () => {
  const headline = {
    ...aResult().headline,
    sentence: 'Regressed: stack growth takes more time: 4 µs instead of 2 (×2.0, 1.8 to 2.2).',
  };
  show(aComparison({ result: aResult({ headline, findings: [aFinding()] }) }));
  const verdict = await screen.findByRole('heading', { level: 1 });
  expect(verdict.textContent).toBe(headline.sentence.replace(/\.$/u, ''));
});

it('Comparison heading shows the sentence of a mixed verdict with both amounts', async () => {
  const sentence = 'Mixed: x.Encode +2.1 µs per request, x.Decode −1.9 µs per request.';
  const headline = { ...aResult().headline, sentence };
  show(aComparison({ verdict: 'mixed', result: aResult({ verdict: 'mixed', headline }) }));
  expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent(
    'Mixed: x.Encode +2.1 µs per request, x.Decode −1.9 µs per request',
  );
});

describe('Comparison without significant findings', () => {
  it('shows the minimum detectable effect', async () => {
    const headline = {
      ...aResult().headline,
      sentence: 'Unchanged: no change of CPU per request larger than 4%.',
      minimum_detectable_effect: 'Minimum detectable change of the total: 3%.',
    };
    const result = aResult({ verdict: 'unchanged', headline, findings: [], caveats: [] });
    show(aComparison({ verdict: 'unchanged', result }));
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent(
      'Unchanged: no change of CPU per request larger than 4%',
    );
    expect(screen.getByText(headline.minimum_detectable_effect)).toBeInTheDocument();
  });

  it('shows how many more profiles an inconclusive result needs', async () => {
    const tentative = aFinding({ is_significant: false, profiles_needed: 4 });
    const sentence =
      'Inconclusive: 1 difference is tentative, none is significant; record 4 more profiles per side for a conclusive result.';
    show(
      aComparison({
        verdict: 'inconclusive',
        result: aResult({
          verdict: 'inconclusive',
          headline: { ...aResult().headline, sentence },
          findings: [tentative],
        }),
      }),
    );
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent(
      'record 4 more profiles per side for a conclusive result',
    );
    expect(screen.getByText(/tentative; record 4 more profiles per side/)).toBeVisible();
  });
});

describe('Unfinished comparison', () => {
  it('shows the current step and can be cancelled', async () => {
    let cancelled = false;
    server.use(
      http.post(at('/jobs/:id/cancel'), () => {
        cancelled = true;
        return HttpResponse.json(aJob({ cancel_requested: true }));
      }),
    );
    const { user } = show(
      aComparison({ state: 'running', verdict: null, result: null, views: [], job: aJob() }),
    );
    expect(await screen.findByText('merging 8 profiles, 3 done')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(cancelled).toBe(true));
  });

  it('shows why it failed and a button to compare again', async () => {
    const problem = {
      type: 'urn:slowpath:gone',
      title: 'Gone',
      status: 422,
      detail: 'Two of its files were deleted.',
      resolution: 'Upload them again.',
    };
    show(
      aComparison({ state: 'failed', verdict: null, result: null, views: [], problem: problem }),
    );
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Two of its files were deleted. Upload them again.'.split('. ')[0]!,
    );
    expect(screen.getByRole('button', { name: 'Compare again' })).toBeInTheDocument();
  });
});
