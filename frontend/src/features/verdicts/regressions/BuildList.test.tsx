import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { ListedBuild } from '../../../api';
import { at, server } from '../../../testing/mock-api';
import { open } from '../../../testing/render';

const SERVICE = '00000000-0000-4000-8000-000000000500';

function aBuild(n: number, changed: Partial<ListedBuild> = {}): ListedBuild {
  return {
    id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    service_id: SERVICE,
    commit: String(n).padStart(10, '0').repeat(4),
    go_version: 'go1.26.3',
    goos: 'linux',
    goarch: 'amd64',
    flags: '',
    branch: 'main',
    display_name: null,
    ci_url: null,
    dependencies: null,
    committed_at: null,
    parent: null,
    title: `Title ${n}`,
    author: 'Mira',
    pull_request: null,
    run_metadata: {},
    created_at: new Date(1_795_000_000_000 - n * 60_000).toISOString(),
    evidence: [{ kind: 'profile.cpu', count: 8 }],
    waiting_artifacts: 0,
    verdict: null,
    ...changed,
  };
}

function serve(builds: ListedBuild[]): URLSearchParams[] {
  const asked: URLSearchParams[] = [];
  server.use(
    http.get(at('/services'), () =>
      HttpResponse.json({ items: [{ id: SERVICE, name: 'ingester' }], next_cursor: null }),
    ),
    http.get(at('/builds'), ({ request }) => {
      const query = new URL(request.url).searchParams;
      asked.push(query);
      const begin = Number(query.get('cursor') ?? 0);
      const items = builds.slice(begin, begin + 100);
      const next_cursor = begin + 100 < builds.length ? String(begin + 100) : null;
      return HttpResponse.json({ items, next_cursor });
    }),
  );
  return asked;
}

describe('build list', () => {
  it('shows name, service, branch, author, evidence and verdict of each build', async () => {
    serve([
      aBuild(1, {
        display_name: 'v2.31',
        waiting_artifacts: 2,
        verdict: { state: 'changed', sentence: 'Slower.' } as ListedBuild['verdict'],
      }),
      aBuild(2, { evidence: [], title: null, author: null, branch: null }),
    ]);
    open('/t/northwind/builds');
    const [, first, second] = await screen.findAllByRole('row');
    expect(first).toHaveTextContent(
      /0000000001v2.31 · Title 1ingestermainMira8 CPU, 2 being decodedchanged/u,
    );
    expect(second).toHaveTextContent(/0000000002–ingester––none–/u);
    expect(screen.getByRole('link', { name: '0000000001' })).toHaveAttribute(
      'href',
      `/t/northwind/builds/${aBuild(1).id}`,
    );
  });

  it('filters by service, branch and text, and keeps the filters in the URL', async () => {
    const asked = serve([aBuild(1)]);
    const { user, where } = open(`/t/northwind/builds?service=${SERVICE}`);
    await user.type(await screen.findByRole('textbox', { name: 'Branch' }), 'main');
    await user.type(screen.getByRole('textbox', { name: 'Search builds' }), 'abc');
    await waitFor(() => expect(where()).toContain('q=abc'));
    expect(where()).toContain('branch=main');
    expect(where()).toContain(`service=${SERVICE}`);
    await waitFor(() => expect(asked.at(-1)?.get('search')).toBe('abc'));
    expect(asked.at(-1)?.get('branch')).toBe('main');
    expect(asked.at(-1)?.get('service_id')).toBe(SERVICE);
    // Typing does not send a request for each key.
    expect(asked.length).toBeLessThan(5);
  });

  it('links the comparison of the last two selected builds, with the older one as base', async () => {
    serve([aBuild(1), aBuild(2), aBuild(3)]);
    const { user } = open('/t/northwind/builds');
    for (const n of ['3', '1', '2'])
      await user.click(await screen.findByRole('checkbox', { name: `Select build 000000000${n}` }));
    const bar = screen.getByRole('region', { name: 'Selected builds' });
    expect(bar).toHaveTextContent('base 0000000002, candidate 0000000001');
    const link = screen.getByRole('link', { name: 'Compare these builds' });
    expect(decodeURIComponent(link.getAttribute('href') ?? '')).toContain(
      `base=build:${aBuild(2).id}&candidate=build:${aBuild(1).id}`,
    );
    await user.click(screen.getByRole('button', { name: 'Clear selection' }));
    expect(screen.queryByRole('region', { name: 'Selected builds' })).not.toBeInTheDocument();
  });

  it('renders only some rows of many builds, and loads older builds on request', async () => {
    serve(Array.from({ length: 10_000 }, (_, n) => aBuild(n + 1)));
    const { user } = open('/t/northwind/builds');
    const older = await screen.findByRole('button', { name: 'Load older builds' });
    await user.click(older);
    const table = screen.getByRole('table', { name: 'Builds' });
    await waitFor(() => expect(table).toHaveAttribute('aria-rowcount', '201'));
    expect(screen.getAllByRole('row').length).toBeLessThan(100);
  });
});
