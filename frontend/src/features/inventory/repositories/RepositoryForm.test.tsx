import { screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Repository } from '../../../api';
import { at, problem, server } from '../../../testing/mock-api';
import { enter, show } from '../../../testing/render';
import { RepositoryForm } from './RepositoryForm';
import { listedHosts } from './listed-hosts';

const known: Repository = {
  id: '00000000-0000-4000-8000-000000000001',
  name: 'api',
  kind: 'gitlab',
  url: 'https://code.example.org/shop/api.git',
  web_url: null,
  file_template: null,
  credentials: 'bearer',
  default_branch: 'main',
  branches: 1,
  commits: 3,
  is_fetching: false,
  fetched_at: '2026-11-28T10:00:00Z',
  problem: null,
  services: [],
  created_at: '2026-11-28T10:00:00Z',
};
const entry = (name: string, is_added: boolean) => ({
  name,
  url: `https://code.example.org/${name}.git`,
  description: '',
  default_branch: 'main',
  is_added,
});

let sent: unknown[] = [];
beforeEach(() => {
  sent = [];
  server.use(
    http.get(at('/repositories'), () => HttpResponse.json({ items: [known], next: null })),
    http.get(at('/services'), () => HttpResponse.json({ items: [], next: null })),
    http.get(at('/repositories/:id/host-repositories'), () =>
      HttpResponse.json({
        items: [entry('shop/api', true), entry('shop/quoter', false)],
        is_complete: true,
      }),
    ),
    http.post(at('/repositories'), async ({ request }) => {
      sent.push(await request.json());
      return HttpResponse.json(known, { status: 201 });
    }),
  );
});

describe('RepositoryForm for a new repository', () => {
  it('selects it from the list of the host, and reuses known credentials', async () => {
    const { user } = show(<RepositoryForm repository={null} onDone={() => undefined} />);
    await user.click(
      await screen.findByRole('combobox', { name: 'Repository at code.example.org' }),
    );
    const added = await screen.findByText('shop/api (already added)');
    expect(added.closest('[data-combobox-disabled]')).not.toBeNull();
    await user.click(screen.getByText('shop/quoter'));
    expect(screen.getByLabelText(/^Name/u)).toHaveValue('quoter');
    expect(screen.queryByRole('combobox', { name: 'Credentials' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Add repository' }));
    await waitFor(() =>
      expect(sent).toMatchObject([
        {
          name: 'quoter',
          url: 'https://code.example.org/shop/quoter.git',
          credentials_of: known.id,
        },
      ]),
    );
  });

  it('does not reuse credentials for a URL on another host', async () => {
    const { user } = show(<RepositoryForm repository={null} onDone={() => undefined} />);
    await user.click(
      await screen.findByRole('combobox', { name: 'Repository at code.example.org' }),
    );
    await user.click(await screen.findByText('shop/quoter'));
    await enter(user, screen.getByLabelText(/^URL/u), 'https://other.example/x.git');
    expect(screen.getByRole('combobox', { name: 'Credentials' })).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Add repository' }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).not.toHaveProperty('credentials_of');
  });

  it('accepts a URL if the list of the host cannot be loaded', async () => {
    server.use(
      http.get(at('/repositories/:id/host-repositories'), () =>
        problem(503, { detail: 'code.example.org answered 500.' }),
      ),
    );
    const { user } = show(<RepositoryForm repository={null} onDone={() => undefined} />);
    await user.click(
      await screen.findByRole('combobox', { name: 'Repository at code.example.org' }),
    );
    expect(await screen.findByText(/code\.example\.org answered 500/u)).toBeInTheDocument();
    expect(screen.getByLabelText(/^URL/u)).toBeEnabled();
    expect(screen.queryByText('No repository has this name')).toBeNull();
  });
});

describe('listedHosts', () => {
  it('returns hosts that list repositories with credentials, each with a fetched repository', () => {
    const failing = { ...known, id: 'x', name: 'old', fetched_at: null };
    const others: Repository[] = [
      failing,
      known,
      { ...known, kind: 'other', url: 'https://code.example.net/a/b' },
      { ...known, credentials: 'none', url: 'https://github.com/a/b' },
      { ...known, kind: 'pushed', url: null },
    ];
    expect(listedHosts(others)).toEqual([
      {
        origin: 'https://code.example.org',
        name: 'code.example.org',
        repositoryId: known.id,
        repositoryName: 'api',
      },
    ]);
  });
});
