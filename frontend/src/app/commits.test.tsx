import { screen, waitFor, within } from '@testing-library/react';
import axe from 'axe-core';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import type { CommitDiff, OneCommit, Repository } from '../api';
import { open } from '../testing/render';
import { at, page, problem, server } from '../testing/mock-api';
import { aBuild } from '../testing/regression-fixtures';

const ID = '00000000-0000-4000-8000-000000000c01';
const SERVICE = '00000000-0000-4000-8000-000000000c02';
const SHA = 'c'.repeat(40);
const PARENT = 'b'.repeat(40);
const HOSTILE = '<img src=x onerror=alert(1)>';

function aRepository(changed: Partial<Repository> = {}): Repository {
  return {
    id: ID,
    name: 'monorepo',
    kind: 'github',
    url: 'https://github.com/example/monorepo.git',
    web_url: 'https://github.com/example/monorepo',
    file_template: null,
    credentials: 'bearer',
    default_branch: 'main',
    branches: 3,
    commits: 1204,
    is_fetching: false,
    fetched_at: '2026-11-20T09:12:00Z',
    problem: null,
    services: [
      {
        service_id: SERVICE,
        service_name: 'ingester',
        directory: 'services/api',
        main_package: 'cmd/server',
      },
    ],
    created_at: '2026-11-20T09:12:00Z',
    ...changed,
  };
}

function aCommit(changed: Partial<OneCommit['commit']> = {}): OneCommit {
  return {
    repository: { id: ID, name: 'monorepo', kind: 'github', web_url: null },
    tags: [],
    commit: {
      sha: SHA,
      parents: [PARENT],
      author_name: HOSTILE,
      author_email: 'a@b',
      authored_at: null,
      committed_at: '2026-11-20T09:12:00Z',
      title: `${HOSTILE} faster`,
      message: 'Because.',
      files: [{ path: 'a.go', lines_added: 1, lines_removed: 1, status: 'modified' }],
      files_total: 1,
      lines_added: 1,
      lines_removed: 1,
      dependency_updates: [
        { module: 'example.org/lib', old_version: 'v1.0.0', new_version: 'v1.1.0', file: 'go.mod' },
      ],
      url: 'https://github.com/example/monorepo/commit/x',
      ...changed,
    },
  };
}

const READY: CommitDiff = {
  state: 'ready',
  problem: null,
  is_truncated: false,
  files: [
    {
      old_path: 'a.go',
      new_path: 'a.go',
      binary: false,
      left_out: 2,
      hunks: [
        { old_start: 3, new_start: 3, heading: 'func Get()', lines: [' a', `-${HOSTILE}`, '+c'] },
      ],
    },
  ],
};

async function expectAccessible(element: Element) {
  // jsdom computes no layout: contrast is measured from the color tokens instead.
  const { violations } = await axe.run(element, {
    rules: { 'color-contrast': { enabled: false } },
  });
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(grave.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)).toEqual([]);
}

function settings() {
  server.use(http.get(at('/webhooks'), () => page([])));
  return open('/t/northwind/settings?tab=integrations');
}

const commitPage = () => open(`/t/northwind/repositories/${ID}/commits/${SHA}`);

describe('Repository settings', () => {
  it('show a message when there are no repositories', async () => {
    server.use(http.get(at('/repositories'), () => page([])));
    settings();
    expect(
      await screen.findByText(/No repositories yet\. Add one to list the commits/),
    ).toBeInTheDocument();
  });

  it('show commits, branches and built services of a repository, and why a fetch failed', async () => {
    const failed = aRepository({
      id: 'b',
      name: HOSTILE,
      problem: {
        type: 'urn:slowpath:test',
        status: 422,
        title: 'x',
        detail: 'The repository does not let us in.',
      },
    });
    server.use(http.get(at('/repositories'), () => page([aRepository(), failed])));
    const { container } = settings();
    const row = await screen.findByRole('listitem', { name: 'monorepo' });
    expect(row).toHaveTextContent('1,204 commits, 3 branches, default main');
    expect(row).toHaveTextContent('access token');
    expect(row).toHaveTextContent('Builds ingester (services/api/cmd/server).');
    const bad = screen.getByRole('listitem', { name: HOSTILE });
    expect(within(bad).getByRole('alert')).toHaveTextContent('does not let us in');
    expect(container.querySelector('img')).toBeNull();
    await expectAccessible(container);
  });

  it('show why a new repository was rejected, and add it on the next attempt', async () => {
    const sent: unknown[] = [];
    server.use(
      http.get(at('/repositories'), () => page([])),
      http.get(at('/services'), () => page([])),
      http.post(at('/repositories'), async ({ request }) => {
        sent.push(await request.json());
        return sent.length === 1
          ? problem(422, { detail: 'The address does not lie in the public internet.' })
          : HttpResponse.json(aRepository(), { status: 201 });
      }),
    );
    const { user } = settings();
    await user.click(await screen.findByRole('button', { name: 'Add repository' }));
    const form = await screen.findByRole('dialog', { name: 'New repository' });
    await user.type(within(form).getByLabelText(/^Name/), 'api');
    await user.type(within(form).getByLabelText(/^URL/), 'https://10.0.0.1/x');
    await user.click(within(form).getByRole('button', { name: 'Add repository' }));
    expect(await within(form).findByRole('alert')).toHaveTextContent('public internet');
    await user.click(within(form).getByRole('button', { name: 'Add repository' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent[1]).toEqual({
      name: 'api',
      url: 'https://10.0.0.1/x',
      credentials: { kind: 'none' },
      services: [],
    });
  });
});

describe('Commit page', () => {
  it('shows dependency updates and the diff, which it requests from the server once', async () => {
    let reads = 0;
    server.use(
      http.get(at(`/repositories/${ID}/commits/${SHA}`), () => HttpResponse.json(aCommit())),
      http.get(at(`/repositories/${ID}/commits/${SHA}/diff`), () =>
        HttpResponse.json({ state: 'unread', problem: null, cut: false, files: [] }),
      ),
      http.post(at(`/repositories/${ID}/commits/${SHA}/diff`), () => {
        reads += 1;
        return HttpResponse.json(READY, { status: 202 });
      }),
    );
    const { container } = commitPage();
    expect(
      await screen.findByRole('heading', { level: 1, name: `${HOSTILE} faster` }),
    ).toBeInTheDocument();
    expect(screen.getByRole('list', { name: 'Changed dependency versions' })).toHaveTextContent(
      'example.org/lib v1.0.0 → v1.1.0 in go.mod',
    );
    const file = await screen.findByRole('region', { name: 'a.go' });
    const rows = within(file)
      .getAllByRole('row')
      .map((row) => row.textContent);
    expect(rows).toEqual(['line 3 · func Get()', '33 a', `4−removed${HOSTILE}`, '4+addedc']);
    expect(file).toHaveTextContent('2 more lines are not shown.');
    expect(reads).toBe(1);
    expect(container.querySelector('img')).toBeNull();
    await expectAccessible(container);
  });

  it('shows why the diff is unavailable', async () => {
    server.use(
      http.get(at(`/repositories/${ID}/commits/${SHA}`), () => HttpResponse.json(aCommit())),
      http.get(at(`/repositories/${ID}/commits/${SHA}/diff`), () =>
        HttpResponse.json({ state: 'unavailable', problem: null, cut: false, files: [] }),
      ),
    );
    commitPage();
    expect(
      await screen.findByText(/Only commit metadata of this repository was push/),
    ).toBeInTheDocument();
  });
});

describe('Commit of a build', () => {
  const build = {
    ...aBuild({ service_id: SERVICE, commit: SHA, parent: PARENT, title: HOSTILE }),
    evidence: [],
    waiting_artifacts: 0,
    verdict: null,
  };
  const serve = (repositories: Repository[]) =>
    server.use(
      http.get(at('/repositories'), () => page(repositories)),
      http.get(at('/builds'), () => page([build])),
      http.get(at('/builds/:id'), () => HttpResponse.json(build)),
      http.get(at('/builds/:id/verdict'), () => problem(404, { title: 'Not found' })),
      http.get(at('/artifacts'), () => page([])),
      http.get(at('/commit-comparisons'), () => page([])),
    );
  const address = (sha: string) => `/t/northwind/repositories/${ID}/commits/${sha}`;

  it('is linked in the list of builds, and together with its parent on the build page', async () => {
    serve([aRepository({ id: 'other', services: [] }), aRepository()]);
    const list = open('/t/northwind/builds');
    expect(await screen.findByRole('link', { name: HOSTILE })).toHaveAttribute(
      'href',
      address(SHA),
    );
    list.unmount();
    open(`/t/northwind/builds/${build.id}`);
    expect(await screen.findByRole('link', { name: SHA })).toHaveAttribute('href', address(SHA));
    expect(screen.getByRole('link', { name: PARENT.slice(0, 10) })).toHaveAttribute(
      'href',
      address(PARENT),
    );
  });

  it('is plain text if no repository is connected to its service', async () => {
    serve([aRepository({ services: [] })]);
    open('/t/northwind/builds');
    expect(await screen.findByText(HOSTILE)).not.toHaveAttribute('href');
  });
});
