import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FlameGraphHandle, Picture } from '../../../charts';
import { aComparison } from '../../../testing/api-factories';
import { at, problem, server } from '../../../testing/mock-api';
import { show, type Opened } from '../../../testing/render';
import { ComparisonMenu } from './ComparisonMenu';
import { useComparisonExport } from './comparison-export';

type Downloaded = { href: string; name: string };

// jsdom has no URLs of blobs.
Object.assign(URL, { createObjectURL: () => 'blob:picture', revokeObjectURL: () => undefined });

let downloaded: Downloaded[] = [];

beforeEach(() => {
  downloaded = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    downloaded.push({ href: this.getAttribute('href') ?? '', name: this.download });
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const aGraph = (cut: Picture['cut'] = null): FlameGraphHandle => ({
  zoomToPath: () => Promise.resolve(true),
  zoomToFunction: () => Promise.resolve(true),
  exportPng: () => Promise.resolve({ blob: new Blob(['png']), cut }),
  exportSvg: () => '<svg/>',
});

type ShownProps = { graph: FlameGraphHandle | null; kind: string };

function ShownMenu({ graph, kind }: ShownProps) {
  const comparison = aComparison({ id: 'c1', name: 'a against b' });
  const { items, outcome, busy } = useComparisonExport({
    comparisonId: comparison.id,
    kind,
    name: comparison.name,
    graph: () => graph,
  });
  return (
    <ComparisonMenu
      comparison={comparison}
      onGone={() => undefined}
      mayWrite={false}
      items={items}
      outcome={outcome}
      busy={busy}
    />
  );
}

const menu = (graph: FlameGraphHandle | null = aGraph(), kind = 'cpu') =>
  show(<ShownMenu graph={graph} kind={kind} />);

async function choose(user: Opened['user'], name: RegExp): Promise<void> {
  await user.click(screen.getByRole('button', { name: 'More' }));
  await user.click(await screen.findByRole('menuitem', { name, hidden: true }));
}

const anExport = (changed: Record<string, unknown> = {}) => ({
  id: 'e1',
  comparison_id: 'c1',
  format: 'json',
  kind: null,
  state: 'waiting',
  problem: null,
  job_id: 'j1',
  created_at: '2026-11-20T09:12:00Z',
  ...changed,
});

/**
 * Handles the request that creates an export, and returns the next of `states` for each poll; the
 * last one repeats.
 */
function serve(...states: Record<string, unknown>[]): unknown[] {
  const asked: unknown[] = [];
  server.use(
    http.post(at('/comparisons/c1/exports'), async ({ request }) => {
      asked.push(await request.json());
      return HttpResponse.json(anExport(), { status: 202 });
    }),
    http.get(at('/exports/e1'), () =>
      HttpResponse.json(anExport(states.length > 1 ? states.shift() : states[0])),
    ),
  );
  return asked;
}

describe('export of a comparison', () => {
  it.each([
    [/^Diff as pprof/u, 'pprof-diff'],
    [/^Base as one pprof/u, 'pprof-base'],
    [/^Candidate as one pprof/u, 'pprof-candidate'],
    [/^Findings as JSON/u, 'json'],
    [/^Functions as CSV/u, 'csv'],
  ])('with %s is created for the shown profile kind and downloaded once', async (name, format) => {
    const asked = serve({ state: 'done' });
    const { user } = menu(aGraph(), 'heap');
    await choose(user, name);
    await waitFor(() =>
      expect(downloaded.map(({ href }) => href)).toEqual([
        expect.stringMatching(/\/api\/v1\/exports\/e1\/content/u),
      ]),
    );
    expect(asked).toEqual([{ format, kind: 'heap' }]);
  });

  it('is requested without a profile kind when there are no profiles', async () => {
    const asked = serve({ state: 'done' });
    const { user } = menu(null, '');
    await choose(user, /^Findings as JSON/u);
    await waitFor(() => expect(asked).toEqual([{ format: 'json', kind: null }]));
  });

  it('disables the menu until the export is ready', async () => {
    serve({ state: 'running' }, { state: 'done' });
    const { user } = menu();
    await choose(user, /^Findings as JSON/u);
    await waitFor(() => expect(screen.getByRole('button', { name: 'More' })).toBeDisabled());
    expect(downloaded).toEqual([]);
    await waitFor(() => expect(downloaded).toHaveLength(1));
    expect(screen.getByRole('button', { name: 'More' })).toBeEnabled();
  });

  it.each([
    [{ type: 'x', title: 'Too large', status: 422, detail: 'It has 2 GiB.' }, 'It has 2 GiB.'],
    [null, 'The export failed.'],
  ])('shows the error when it fails: %j', async (why, text) => {
    serve({ state: 'failed', problem: why });
    const { user } = menu();
    await choose(user, /^Findings as JSON/u);
    expect(await screen.findByRole('alert')).toHaveTextContent(text);
    expect(downloaded).toEqual([]);
  });

  it('shows the error of a rejected request until the next export', async () => {
    server.use(
      http.post(at('/comparisons/c1/exports'), () =>
        problem(409, { title: 'Not finished', detail: 'Wait until it is done.' }),
      ),
    );
    const { user } = menu();
    await choose(user, /^Findings as JSON/u);
    expect(await screen.findByRole('alert')).toHaveTextContent('Wait until it is done.');
    await choose(user, /^SVG/u);
    await waitFor(() => expect(downloaded).toHaveLength(1));
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('image of the flame graph', () => {
  it.each([
    [/^PNG/u, 'a against b.png'],
    [/^SVG/u, 'a against b.svg'],
  ])('with %s is downloaded under the name of the comparison', async (item, name) => {
    const { user } = menu();
    await choose(user, item);
    await waitFor(() => expect(downloaded).toEqual([{ href: 'blob:picture', name }]));
    expect(screen.queryByRole('status')).toBeNull();
  });

  it('is copied as PNG, with an error when copying fails', async () => {
    // jsdom does not support images in its clipboard.
    vi.stubGlobal(
      'ClipboardItem',
      class {
        constructor(readonly items: object) {}
      },
    );
    const write = vi.fn<(items: unknown[]) => Promise<void>>().mockResolvedValueOnce();
    write.mockRejectedValueOnce(new Error('Writing was not allowed.'));
    const { user } = menu();
    Object.defineProperty(navigator.clipboard, 'write', { value: write, configurable: true });
    await choose(user, /^Copy picture/u);
    await waitFor(() => expect(write).toHaveBeenCalledOnce());
    expect(Object.keys((write.mock.calls[0]![0][0] as { items: object }).items)).toEqual([
      'image/png',
    ]);
    await choose(user, /^Copy picture/u);
    expect(await screen.findByRole('alert')).toHaveTextContent('Writing was not allowed.');
    vi.unstubAllGlobals();
  });

  it('shows how many rows a cropped PNG contains, until the next export', async () => {
    const { user } = menu(aGraph({ rows: 1200, whole: 3400 }));
    await choose(user, /^PNG/u);
    expect(await screen.findByRole('status')).toHaveTextContent(
      'The PNG shows 1,200 of 3,400 rows that fit into an image. The SVG has all of them.',
    );
    await choose(user, /^SVG/u);
    await waitFor(() => expect(screen.queryByRole('status')).toBeNull());
  });

  it('shows an error before the graph is loaded, until the next export', async () => {
    serve({ state: 'done' });
    const { user } = menu(null);
    await choose(user, /^PNG/u);
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'The flame graph is not loaded yet.',
    );
    await choose(user, /^Findings as JSON/u);
    await waitFor(() => expect(downloaded).toHaveLength(1));
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
