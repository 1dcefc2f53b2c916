import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ProfileSet, ProfileView, ProfileViewSummary } from '../api';
import { anArtifact } from '../testing/api-factories';
import { drawnDiff } from '../testing/diff-fixtures';
import { functionsFile } from '../testing/function-fixtures';
import { at, page, problem, server } from '../testing/mock-api';
import { CLONE, aProfileSet, aProfileSummary, aProfileView } from '../testing/profile-fixtures';
import { open, type Opened } from '../testing/render';

const STACKS = `
main.main 0 1e9
  ${CLONE} 0 1e9
    runtime.newstack 0 6e9 0 r
  main.steady 0 2e9
`;
const FUNCTIONS: Parameters<typeof functionsFile>[0] = [
  { name: 'main.main', base: 0, candidate: 1e9, state: 0 },
  { name: CLONE, base: 0, candidate: 1e9, state: 0, attributed: 6e9, mostly: 1 },
  { name: 'main.steady', base: 0, candidate: 2e9, state: 0 },
  { name: 'runtime.newstack', base: 0, candidate: 6e9, state: 0, category: 1 },
];

type Given = {
  set?: Partial<ProfileSet>;
  view?: Partial<ProfileView>;
  summary?: Partial<ProfileViewSummary>;
};

const bytes = (buffer: ArrayBuffer) =>
  HttpResponse.arrayBuffer(buffer, { headers: { 'Content-Type': 'application/octet-stream' } });

/** Bodies of the requests of views. */
const requested: unknown[] = [];

beforeEach(() => {
  requested.length = 0;
  // jsdom has no canvas: the graph has separate tests.
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);
});

function serve({ set = {}, view = {}, summary = {} }: Given = {}) {
  const shown = aProfileView(view);
  const opened = aProfileSet({ views: [shown], ...set });
  const views = '/profile-sets/:set/views/:view';
  server.use(
    http.post(at('/profile-sets'), () => HttpResponse.json(opened)),
    http.get(at('/profile-sets/:set'), () => HttpResponse.json(opened)),
    http.post(at('/profile-sets/:set/views'), async ({ request }) => {
      requested.push(await request.json());
      return HttpResponse.json(shown, { status: 202 });
    }),
    http.get(at(views), () => HttpResponse.json(shown)),
    http.get(at(`${views}/summary`), () => HttpResponse.json(aProfileSummary(summary))),
    http.get(at(`${views}/chunks/first`), () => bytes(drawnDiff(STACKS))),
    http.get(at(`${views}/chunks/functions`), () => bytes(functionsFile(FUNCTIONS))),
    http.get(at(`${views}/lines`), () =>
      HttpResponse.json([
        {
          line: 24,
          base_self: 0,
          base_attributed: 0,
          base_total: 0,
          base_inlined: [],
          candidate_self: 1e9,
          candidate_attributed: 2e9,
          candidate_total: 7e9,
          candidate_inlined: ['strings.Clone'],
        },
      ]),
    ),
  );
  return opened;
}

function openSet(given: Given = {}, search = ''): Opened {
  const { id } = serve(given);
  return open(`/t/northwind/profile-sets/${id}${search}`);
}

const rows = async () => {
  const table = await screen.findByRole('table', { name: 'Functions' });
  return within(table)
    .getAllByRole('row')
    .slice(1)
    .map((row) => [...row.children].map((cell) => cell.textContent));
};

const filter = (value: string | null) =>
  `?labels=${encodeURIComponent(JSON.stringify([['endpoint', value]]))}`;

describe('Profile page', () => {
  it('shows the largest cost in the heading, with duration and Go version', async () => {
    openSet();
    expect(await screen.findByRole('heading', { level: 1, name: /^Stack/ })).toHaveTextContent(
      'Stack growth takes 60% of CPU time, almost all of it attributed to ident.cloneBytes',
    );
    expect(screen.getByText('0.33 cores over 30 s · go1.26.3 linux/amd64')).toBeInTheDocument();
  });

  it('lists functions by self and attributed cost, without runtime functions', async () => {
    openSet();
    expect(
      (await rows()).map(([name, self, attributed, own, , , mostly]) => [
        name,
        self,
        attributed,
        own,
        mostly,
      ]),
    ).toEqual([
      [expect.stringContaining('ident.cloneBytes'), '1.00', '6.00', '7.00', 'locks'],
      ['main.steady ', '2.00', '–', '2.00', 'own code'],
      ['main.main ', '1.00', '–', '1.00', 'own code'],
    ]);
  });

  it('lists functions whose costs add up to the shares of the runtime categories', async () => {
    openSet();
    const table = await rows();
    const sumOf = (column: number) =>
      table.reduce((sum, row) => sum + (row[column] === '–' ? 0 : Number(row[column])), 0);
    expect([1, 2, 3].map(sumOf)).toEqual([4, 6, 10]);
    const strip = within(screen.getByRole('region', { name: 'Runtime categories' }));
    expect(strip.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/^stack growth 60%/),
      expect.stringMatching(/ 40%service and libraries$/),
    ]);
    expect(await screen.findByText(/^width = CPU time/)).toHaveTextContent(/per second/);
  });

  it('highlights a runtime category, and keeps it in the address', async () => {
    const { user, where } = openSet();
    const category = await screen.findByRole('button', { name: /^stack growth 60%/ });
    await user.click(category);
    await waitFor(() => expect(where()).toContain('category=stack-growth'));
    expect(screen.getByRole('button', { name: /^stack growth/ })).toHaveAttribute(
      'aria-pressed',
      'true',
    );
    expect(await screen.findByText('stack growth, 60%')).toBeInTheDocument();
  });

  it('navigates to a callee of the selected function, and filters stacks by it', async () => {
    const { user, where } = openSet();
    const panel = await screen.findByRole('region', { name: 'Selected function' });
    expect(within(panel).getByText('ident.cloneBytes')).toBeInTheDocument();
    await user.click(await within(panel).findByRole('button', { name: 'runtime.newstack' }));
    await waitFor(() => expect(where()).toContain('fn=runtime.newstack'));
    await user.click(screen.getByRole('button', { name: 'Only stacks containing it' }));
    await waitFor(() => expect(where()).toContain('focus='));
  });

  it('links to a comparison of the two largest values of a label', async () => {
    const { id } = aProfileSet().artifacts[0]!;
    openSet();
    const link = await screen.findByRole('link', {
      name: /^Compare \/checkout \([\d.]+%\) with \/search \([\d.]+%\)$/u,
    });
    const { pathname, searchParams } = new URL(link.getAttribute('href')!, 'http://localhost');
    expect(pathname).toBe('/t/northwind/compare');
    expect(searchParams.get('base')).toBe(`artifacts:${id}`);
    expect(JSON.parse(searchParams.get('baseLabels')!)).toEqual([['endpoint', '/checkout']]);
    expect(JSON.parse(searchParams.get('candidateLabels')!)).toEqual([['endpoint', '/search']]);
  });

  it('lists the source lines of the selected function', async () => {
    openSet({}, '?tab=lines');
    const lines = await screen.findByRole('table', { name: `Lines of ${CLONE}` });
    expect(within(lines).getByRole('row', { name: /^24/ })).toHaveTextContent(
      '241.002.007.00strings.Clone',
    );
  });
});

describe('Label filter', () => {
  it('requests only samples with its value, and can be removed', async () => {
    const { user, where } = openSet({ set: { views: [] } }, filter('/search'));
    await screen.findByRole('heading', { level: 1, name: /^Stack growth/ });
    expect(requested).toEqual([
      {
        kind: 'cpu',
        sample_type: 'cpu',
        granularity: 'function',
        labels: [{ key: 'endpoint', value: '/search' }],
      },
    ]);
    await user.click(screen.getByRole('button', { name: 'Remove the filter endpoint = /search' }));
    await waitFor(() => expect(where()).not.toContain('labels'));
  });

  it('is set by a click on a value in the list of label values', async () => {
    const { user, where } = openSet();
    const values = await screen.findByRole('region', { name: 'Label values' });
    await user.click(within(values).getByRole('button', { name: /no value/ }));
    await waitFor(() => expect(decodeURIComponent(where())).toContain('["endpoint",null]'));
  });

  it('shows that no sample matches, and can be removed there', async () => {
    const empty = { total: { raw: 0, per_second: null, per_request: null, cores: null } };
    const { user, where } = openSet(
      { summary: { ...empty, categories: [], headline: 'No sample matches the labels.' } },
      filter('/gone'),
    );
    expect(await screen.findByText('No sample matches endpoint = /gone.')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Remove filter' }));
    await waitFor(() => expect(where()).not.toContain('labels'));
  });

  it('is not offered for a profile without labels', async () => {
    openSet({ summary: { labels: [] } });
    await screen.findByRole('table', { name: 'Functions' });
    expect(screen.queryByRole('button', { name: 'Add label filter' })).toBeNull();
    expect(screen.queryByRole('region', { name: 'Label values' })).toBeNull();
  });
});

describe('Page of an artifact or a profile set', () => {
  it('offers only the normalizations of the view', async () => {
    openSet({ view: { normalizations: ['share', 'mean'], default_normalization: 'mean' } });
    const choice = await screen.findByRole('radiogroup', { name: 'Normalize by' });
    expect(
      within(choice)
        .getAllByRole('radio')
        .map((each) => each.getAttribute('value')),
    ).toEqual(['share', 'mean']);
  });

  it('shows the name and the metadata of an artifact that is being decoded', async () => {
    const artifact = anArtifact({ name: 'cpu.new.pb.gz', state: 'decoding', kind: null });
    server.use(http.get(at('/artifacts/:id'), () => HttpResponse.json(artifact)));
    open(`/t/northwind/artifacts/${artifact.id}`);
    expect(await screen.findByRole('heading', { level: 1 })).toHaveTextContent('cpu.new.pb.gz');
    expect(
      await screen.findByText('Decoding. The graph is shown when it is ready'),
    ).toBeInTheDocument();
    expect(await screen.findByText('SHA-256')).toBeInTheDocument();
  });

  it('opens a decoded artifact as a profile set, with run metadata in the last tab', async () => {
    const artifact = anArtifact();
    serve();
    server.use(http.get(at('/artifacts/:id'), () => HttpResponse.json(artifact)));
    const { user } = open(`/t/northwind/artifacts/${artifact.id}`);
    await screen.findByRole('heading', { level: 1, name: /^Stack growth/ });
    expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual([
      'Profile',
      'Call graph',
      'Source lines',
      'Labels 1',
      'Stack sizes',
      'Run metadata',
    ]);
    await user.click(screen.getByRole('tab', { name: 'Run metadata' }));
    expect(await screen.findByText('SHA-256')).toBeInTheDocument();
  });

  it('shows why a view was not computed, and a button to try again', async () => {
    openSet({ set: { views: [] } }, '');
    server.use(
      http.post(at('/profile-sets/:set/views'), () =>
        problem(409, { title: 'Conflict', detail: 'The set has 500 views.' }),
      ),
    );
    expect(await screen.findByRole('alert')).toHaveTextContent('The set has 500 views.');
    expect(screen.getByRole('button', { name: 'Try again' })).toBeInTheDocument();
  });

  it('shows why a profile set has nothing to show', async () => {
    openSet({
      set: {
        kinds: [],
        views: [],
        state: 'failed',
        problem: {
          type: 'urn:slowpath:no-profiles',
          title: 'No profiles',
          status: 409,
          detail: 'No artifact of the set has profiles or stacks.',
          resolution: 'Open others.',
        },
      },
    });
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'No artifact of the set has profiles or stacks.',
    );
  });
});

describe('Several selected artifacts', () => {
  it('open as one profile set, without those that have no stacks', async () => {
    const { id } = serve();
    const asked: unknown[] = [];
    server.use(
      http.get(at('/artifacts'), () =>
        page([
          anArtifact({ id: 'a1', name: 'one.pb.gz' }),
          anArtifact({ id: 'a2', name: 'two.pb.gz' }),
          anArtifact({ id: 'a3', name: 'server', kind: 'binary', profile: null }),
        ]),
      ),
      http.post(at('/profile-sets'), async ({ request }) => {
        asked.push(await request.json());
        return HttpResponse.json(aProfileSet({ id }));
      }),
    );
    const { user, where } = open('/t/northwind/artifacts');
    for (const name of ['one.pb.gz', 'two.pb.gz', 'server'])
      await user.click(await screen.findByRole('checkbox', { name: `Select ${name}` }));
    const button = screen.getByRole('button', { name: 'Open' });
    expect(button).toHaveAttribute('title', '1 artifact without stacks left out.');
    await user.click(button);
    await waitFor(() => expect(where()).toBe(`/t/northwind/profile-sets/${id}`));
    expect(asked).toEqual([{ artifact_ids: ['a1', 'a2'] }]);
  });
});
