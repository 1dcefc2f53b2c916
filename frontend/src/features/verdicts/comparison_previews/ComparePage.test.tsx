import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { Artifact, SourceMatch } from '../../../api';
import { TEAM, aComparison, aSession, anArtifact } from '../../../testing/api-factories';
import { at, page, problem, server } from '../../../testing/mock-api';
import { aMatch, aPreview, aSidePreview, sideId } from '../../../testing/preview-fixtures';
import { enter, open } from '../../../testing/render';

type Asked = { base?: { build_id?: string } | null; candidate?: object | null };

/** Serves the API of the page; returns the searches and the comparisons that were requested. */
function serve(matches: SourceMatch[] = [aMatch(1), aMatch(2), aMatch(3)]) {
  const searches: URLSearchParams[] = [];
  const created: unknown[] = [];
  server.use(
    http.get(at('/comparison-sources'), ({ request }) => {
      const query = new URL(request.url).searchParams;
      searches.push(query);
      const text = query.get('q') ?? '';
      const items = matches.filter(({ title }) => title.includes(text));
      return HttpResponse.json({ items: items.slice(0, 3), has_more: items.length > 3 });
    }),
    http.get(at('/comparison-suggestions'), () =>
      HttpResponse.json({
        suggestions: [
          {
            id: 'newest-build',
            title: 'The newest build with its parent',
            base: { type: 'build', build_id: sideId(1) },
            base_label: 'a',
            candidate: { type: 'build', build_id: sideId(2) },
            candidate_label: 'b',
          },
        ],
        recent: [],
      }),
    ),
    http.post(at('/comparison-previews'), async ({ request }) => {
      const { base, candidate } = (await request.json()) as Asked;
      const both = aPreview();
      return HttpResponse.json({
        ...both,
        base: base ? both.base : null,
        candidate: candidate ? both.candidate : null,
      });
    }),
    http.post(at('/comparisons'), async ({ request }) => {
      created.push(await request.json());
      return HttpResponse.json(aComparison({ id: 'made' }), { status: 201 });
    }),
    http.get(at('/comparisons/made'), () => HttpResponse.json(aComparison({ id: 'made' }))),
  );
  return { searches, created };
}

const COMPARE = '/t/northwind/compare';
const build = (n: number) => `build:${sideId(n)}`;
const side = (name: 'base' | 'candidate') => screen.findByRole('region', { name });
const start = () => screen.findByRole('button', { name: 'Start comparison' });
const title = () => screen.getByRole('heading', { level: 1 });

describe('ComparePage, choice of two builds', () => {
  it('updates the URL by keyboard, shows both sides and starts the comparison', async () => {
    const { created } = serve();
    const { user, where } = open(COMPARE);
    const base = within(await side('base')).getByRole('combobox', { name: 'Build' });
    await screen.findAllByRole('option', { name: /commit1/u });
    base.focus();
    await user.keyboard('{ArrowDown}{Enter}');
    await waitFor(() => expect(title()).toHaveTextContent('Choose the candidate.'));
    expect(await start()).toBeDisabled();
    within(await side('candidate'))
      .getByRole('combobox', { name: 'Build' })
      .focus();
    await user.keyboard('{Enter}');
    await waitFor(() => expect(title()).toHaveTextContent(/^Detects a change of 4% in CPU time/u));
    expect(decodeURIComponent(where())).toContain(`base=${build(2)}&candidate=${build(1)}`);
    const contents = within(await side('base')).getByRole('table');
    expect(contents).toHaveTextContent('CPU profiles824,716Tue 17 Nov 09:12 to 09:16');
    await user.click(await start());
    await waitFor(() => expect(where()).toContain('/comparisons/made'));
    expect(created).toEqual([
      {
        base: { source: { type: 'build', build_id: sideId(2) } },
        candidate: { source: { type: 'build', build_id: sideId(1) } },
      },
    ]);
  });

  it('sends one search request for typed text and highlights it in the matches', async () => {
    const { searches } = serve();
    const { where } = open(COMPARE);
    const field = within(await side('base')).getByRole('combobox', { name: 'Build' });
    // Sends all keys without a pause, so the test does not depend on the speed of the machine.
    for (const value of ['c', 'commit', 'commit3']) fireEvent.change(field, { target: { value } });
    const list = await within(await side('base')).findByRole('listbox');
    await waitFor(() => expect(within(list).getAllByRole('option')).toHaveLength(1));
    expect(searches.map((each) => each.get('q')).filter(Boolean)).toEqual(['commit3']);
    expect(within(list).getByText('commit3').tagName).toBe('MARK');
    expect(where()).toContain('baseFind=commit3');
  });

  it('disables a build without evidence and shows the reason', async () => {
    serve([aMatch(1, { disabled_reason: 'No files were uploaded for it.', evidence: [] })]);
    const { user, where } = open(COMPARE);
    const base = within(await side('base'));
    const option = await base.findByRole('option');
    expect(option).toHaveTextContent('No files were uploaded for it.');
    expect(option).toHaveAttribute('aria-disabled', 'true');
    base.getByRole('combobox', { name: 'Build' }).focus();
    await user.keyboard('{Enter}');
    await user.click(option);
    expect(where()).not.toContain('base=');
  });

  it('applies a suggested pair, swaps the sides and clears a side', async () => {
    serve();
    const { user, where } = open(COMPARE);
    await user.click(await screen.findByRole('button', { name: /newest build with its parent/u }));
    const address = () => decodeURIComponent(where());
    await waitFor(() => expect(address()).toContain(`base=${build(1)}&candidate=${build(2)}`));
    await user.click(screen.getByRole('button', { name: 'Swap sides' }));
    await waitFor(() => expect(address()).toContain(`base=${build(2)}&candidate=${build(1)}`));
    await user.click(screen.getByRole('button', { name: 'Clear side: base' }));
    await waitFor(() => expect(address()).not.toContain('base='));
  });
});

describe('ComparePage, suggested label values', () => {
  it('shows two label values of the chosen profiles and chooses both with one click', async () => {
    serve();
    const label_pair = {
      key: 'endpoint',
      first: { value: '/checkout', share: 0.412 },
      second: { value: '<b>/cart\u202e', share: 0.004 },
    };
    server.use(
      http.post(at('/comparison-previews'), async ({ request }) => {
        const { base, candidate } = (await request.json()) as Asked;
        const has = (side: object | null | undefined) =>
          side ? aSidePreview({ label_pair: 'labels' in side ? null : label_pair }) : null;
        return HttpResponse.json(aPreview({ base: has(base), candidate: has(candidate) }));
      }),
    );
    const { user, where } = open(`${COMPARE}?base=${build(1)}`);
    const chip = await screen.findByRole('button', { name: /of label endpoint/u });
    expect(chip).toHaveTextContent(
      '/checkout and <b>/cart\\u202e of label endpoint, 41% and less than 1% of the CPU',
    );
    await user.click(chip);
    const address = () => new URLSearchParams(where().split('?')[1]);
    await waitFor(() => expect(address().get('candidate')).toBe(build(1)));
    expect(address().get('base')).toBe(build(1));
    expect(JSON.parse(address().get('baseLabels')!)).toEqual([['endpoint', '/checkout']]);
    expect(JSON.parse(address().get('candidateLabels')!)).toEqual([['endpoint', '<b>/cart\u202e']]);
    await waitFor(() => expect(chip).not.toBeInTheDocument());
  });
});

describe('ComparePage, previews', () => {
  it('shows why two sides cannot be compared', async () => {
    serve();
    const none = { can_compare: false, headline: 'Nothing can be compared.', conclusions: [] };
    server.use(http.post(at('/comparison-previews'), () => HttpResponse.json(aPreview(none))));
    open(`${COMPARE}?base=${build(1)}&candidate=${build(2)}`);
    await waitFor(() => expect(title()).toHaveTextContent('Nothing can be compared.'));
    expect(await start()).toHaveAttribute('title', 'Nothing can be compared.');
  });

  it('marks the same build on both sides as A/A and splits its files between the sides', async () => {
    serve();
    const files = [1, 2, 3].map((n): Artifact => anArtifact({ id: sideId(900 + n) }));
    const same = aPreview({ candidate: aSidePreview(), can_compare: false, headline: 'Same.' });
    server.use(
      http.post(at('/comparison-previews'), () => HttpResponse.json(same)),
      http.get(at('/artifacts'), () => page(files)),
    );
    const { user, where } = open(`${COMPARE}?base=${build(1)}&candidate=${build(1)}`);
    expect(await screen.findByText(/^A\/A: both sides are the same build/u)).toBeInTheDocument();
    await user.click(await screen.findByRole('button', { name: 'Split the files' }));
    await waitFor(() =>
      expect(decodeURIComponent(where())).toContain(
        `base=artifacts:${sideId(901)},${sideId(903)}&candidate=artifacts:${sideId(902)}`,
      ),
    );
  });

  it('shows the error of one side on that side, and the contents of the other side', async () => {
    serve();
    server.use(
      http.post(at('/comparison-previews'), async ({ request }) => {
        const { base, candidate } = (await request.json()) as Asked;
        if (base) return problem(404, { title: 'Not found', detail: 'There is no such build.' });
        return HttpResponse.json(
          aPreview({ base: null, candidate: candidate ? aSidePreview() : null }),
        );
      }),
    );
    open(`${COMPARE}?base=${build(1)}&candidate=${build(2)}`);
    expect(await within(await side('base')).findByRole('alert')).toHaveTextContent('no such build');
    expect(await within(await side('candidate')).findByRole('table')).toBeInTheDocument();
    expect(screen.getAllByRole('alert')).toHaveLength(1);
  });

  it('disables the start for viewers and shows the reason', async () => {
    serve();
    server.use(
      http.get(at('/session'), () =>
        HttpResponse.json(aSession({ teams: [{ ...TEAM, role: 'viewer' }] })),
      ),
    );
    open(`${COMPARE}?base=${build(1)}&candidate=${build(2)}`);
    expect(await start()).toHaveAttribute('title', 'Viewers cannot start comparisons.');
    expect(await start()).toBeDisabled();
  });
});

describe('ComparePage, other kinds of sources', () => {
  it('selects and deselects single artifacts, and marks one without measurements', async () => {
    serve();
    server.use(
      http.get(at('/artifacts'), () =>
        page([anArtifact({ id: sideId(7) }), anArtifact({ id: sideId(8), kind: 'binary' })]),
      ),
    );
    const { user, where } = open(COMPARE);
    await user.click(within(await side('base')).getByRole('radio', { name: 'Artifacts' }));
    const base = within(await side('base'));
    const [first, program] = await base.findAllByRole('option');
    expect(program).toHaveTextContent('It has no measurements');
    await user.click(first!);
    expect(await base.findByText('1 artifact chosen')).toBeInTheDocument();
    expect(decodeURIComponent(where())).toContain(`base=artifacts:${sideId(7)}`);
    await user.click(first!);
    expect(await base.findByText('None chosen')).toBeInTheDocument();
  });

  it('selects a time range from a service, an environment and a preset', async () => {
    serve();
    server.use(
      http.get(at('/services'), () => page([{ id: sideId(500), name: 'ingester' }])),
      http.get(at('/environments'), () => page([{ id: sideId(600), name: 'production' }])),
    );
    const { user, where } = open(`${COMPARE}?baseBy=time&baseService=${sideId(500)}`);
    const base = within(await side('base'));
    await waitFor(() =>
      expect(base.getByRole('combobox', { name: 'Environment' })).toHaveValue('production'),
    );
    await user.click(base.getByRole('button', { name: 'Last week' }));
    await waitFor(() =>
      expect(decodeURIComponent(where())).toMatch(
        new RegExp(`base=time:${sideId(500)}:${sideId(600)}:2\\d{3}-.*Z/2\\d{3}-`, 'u'),
      ),
    );
  });

  it('narrows a build by a typed label, and rejects text without a key and a value', async () => {
    serve();
    const { user, where } = open(`${COMPARE}?base=${build(1)}`);
    const base = within(await side('base'));
    const field = base.getByRole('textbox', { name: 'Label value (optional)' });
    await enter(user, field, '/checkout');
    await user.keyboard('{Enter}');
    expect(base.getByText(/^Type a key and a value/u)).toBeInTheDocument();
    await user.clear(field);
    await enter(user, field, 'endpoint=/checkout');
    await user.keyboard('{Enter}');
    await user.click(await base.findByRole('button', { name: 'Remove endpoint=/checkout' }));
    await waitFor(() => expect(where()).not.toContain('baseLabels'));
  });

  it('selects a label value among those of the other side', async () => {
    serve();
    const view = { id: 'v', state: 'done', kind: 'cpu', sample_type: 'cpu', labels: [] };
    const kinds = [{ kind: 'cpu', default_sample_type: 'cpu', sample_types: [], artifacts: 8 }];
    server.use(
      http.post(at('/profile-sets'), () =>
        HttpResponse.json({ id: 's', state: 'done', kinds, views: [view] }),
      ),
      http.get(at('/profile-sets/s/views/v/summary'), () =>
        HttpResponse.json({
          labels: [
            {
              key: 'endpoint',
              unit: null,
              values: [
                { value: '/a', raw: 3, share: 0.6, profiles: 8 },
                { value: '/b', raw: 2, share: 0.4, profiles: 8 },
              ],
              other_values: 0,
              without_share: 0,
            },
          ],
        }),
      ),
    );
    const { user, where } = open(`${COMPARE}?base=${build(1)}`);
    await user.click(within(await side('candidate')).getByRole('radio', { name: 'Label value' }));
    const candidate = within(await side('candidate'));
    await user.click(await candidate.findByRole('option', { name: /\/b/u }));
    await waitFor(() =>
      expect(decodeURIComponent(where())).toContain('candidateLabels=[["endpoint","/b"]]'),
    );
    expect(decodeURIComponent(where())).toContain(`candidate=${build(1)}`);
  });
});
