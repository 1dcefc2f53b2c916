import { screen, waitFor, within } from '@testing-library/react';
import axe from 'axe-core';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RangeEndOut } from '../api';
import { BISECT } from '../testing/bisect-fixtures';
import { at, server } from '../testing/mock-api';
import { open } from '../testing/render';
import {
  BAD,
  BASE,
  GOOD,
  REGRESSION,
  type Check,
  aCheck,
  aPreflight,
  anOffer,
  checked,
  sent,
  serve,
} from '../testing/start-bisect-fixtures';

const start = () => screen.findByRole('button', { name: 'Start bisect' });

describe('New bisect page', () => {
  beforeEach(() => serve(anOffer(), aPreflight()));

  it('fills in the range of a regression, and starts the bisect with one click', async () => {
    const { user, where } = open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    await waitFor(() => {
      expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(
        'Expected: 14 probes in 25 min to find the commit between 1111111111 and 2222222222',
      );
    });
    expect(screen.getByText(/131 candidates in 4,342 commits/u)).toHaveTextContent(
      'git bisect, best of 5, needs 80 probes',
    );
    expect(screen.getByText(/from regression 27/u)).toBeVisible();
    await user.click(await start());
    await waitFor(() => expect(where()).toContain(`/bisects/${BISECT}`));
    expect(sent).toMatchObject([
      {
        regression_id: REGRESSION,
        good_sha: GOOD,
        bad_sha: BAD,
        signature: { kind: 'profile.category', subject: 'stack growth' },
      },
    ]);
  });

  it('lists criteria with their separation and those not offered, and is accessible', async () => {
    const { user } = open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    const rows = within(await screen.findByRole('radiogroup', { name: 'Criterion' }));
    expect(rows.getAllByRole('radio')).toHaveLength(3);
    expect(
      rows.getByText('Heap in use: not offered, good and bad do not differ (×1.01)'),
    ).toBeVisible();
    expect(rows.getByText('41')).toBeVisible();
    await user.click(rows.getByText('CPU in user code'));
    await waitFor(() =>
      expect(checked.at(-1)).toMatchObject({ signature: { subject: 'user code' } }),
    );
    await screen.findByText('update libdb to v0.15.0');
    const found = await axe.run(document.body, { rules: { 'color-contrast': { enabled: false } } });
    expect(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)).toEqual([]);
  });

  it('shows the command that starts a missing runner, and keeps "Start bisect" enabled', async () => {
    const { user } = open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    expect(await screen.findByText('1 passed, 1 missing')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Start a runner' }));
    expect(await screen.findByLabelText(/Start a runner where the service can be/u)).toBeVisible();
    expect(await start()).toBeEnabled();
  });

  it('lists the updated modules, and which of them have no repository', async () => {
    open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    expect(await screen.findByText(/v0\.14\.2 to v0\.15\.0/u)).toBeVisible();
    expect(screen.getByText(/v1\.8\.0 to v1\.9\.2, no repository/u)).toBeVisible();
  });
});

describe('Boundary field of a new bisect', () => {
  const end = (changed: Partial<RangeEndOut>): RangeEndOut => ({
    type: 'tag',
    name: 'v2.31.0',
    sha: BASE,
    detail: '',
    is_exact: true,
    title: 'storage: flush tiles in order',
    author: 'Lea Brandt',
    at: '2026-11-17T09:12:00Z',
    is_measured: true,
    ...changed,
  });

  it('suggests names of commits, and accepts an entered name when it loses the focus', async () => {
    serve(anOffer(), aPreflight(), [end({}), end({ name: 'v2.31.0-rc1', is_exact: false })]);
    const { user } = open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    const good = await screen.findByRole('textbox', { name: 'Good' });
    await user.clear(good);
    await user.type(good, 'v2.31.0');
    expect(await screen.findByText('v2.31.0-rc1')).toBeInTheDocument();
    await user.tab();
    await waitFor(() => expect(good).toHaveValue('v2.31.0'));
    await waitFor(() => expect(checked.at(-1)).toMatchObject({ good_sha: BASE, bad_sha: BAD }));
  });

  it('selects a suggested commit by arrow keys and Enter', async () => {
    const tag = 'v2.31.0-rc1';
    serve(anOffer(), aPreflight(), [end({ sha: GOOD }), end({ name: tag, is_exact: false })]);
    const { user } = open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    const good = await screen.findByRole('textbox', { name: 'Good' });
    await user.clear(good);
    await user.paste('v2.31');
    const option = await screen.findByRole('option', { name: /^v2\.31\.0-rc1/u, hidden: true });
    for (let at = 0; at < 2 && good.getAttribute('aria-activedescendant') !== option.id; at += 1)
      await user.keyboard('{ArrowDown}');
    await user.keyboard('{Enter}');
    await waitFor(() => expect(good).toHaveValue(tag));
    await waitFor(() => expect(checked.at(-1)).toMatchObject({ good_sha: BASE, bad_sha: BAD }));
    expect(sent).toEqual([]);
  });

  it('shows that no commit has the entered name', async () => {
    serve(anOffer(), aPreflight());
    const { user } = open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    const bad = await screen.findByRole('textbox', { name: 'Bad' });
    await user.clear(bad);
    await user.type(bad, 'v9');
    expect(await screen.findByText('No commit is named v9.')).toBeVisible();
  });
});

describe('Failed check of a new bisect', () => {
  const fails = (check: Partial<Check>) =>
    serve(
      anOffer(),
      aPreflight({
        report: null,
        expected_seconds: null,
        checks: [aCheck({ state: 'missing', blocks_start: true, ...check })],
      }),
    );

  it('blocks the start, and exchanges swapped boundaries on request', async () => {
    fails({
      title: 'Good and bad are swapped',
      fixes: [{ action: 'swap-ends', label: 'Exchange them', value: '' }],
    });
    const { user } = open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    await user.click(await screen.findByRole('button', { name: 'Exchange them' }));
    expect(await start()).toBeDisabled();
    await waitFor(() => expect(checked.at(-1)).toMatchObject({ good_sha: BAD, bad_sha: GOOD }));
  });

  it('offers the merge base when the good commit is not an ancestor of the bad one', async () => {
    fails({
      title: 'Good is not an ancestor of bad',
      fixes: [{ action: 'use-merge-base', label: 'Use 333333333333 as good', value: BASE }],
    });
    const { user } = open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    await user.click(await screen.findByRole('button', { name: /Use 333333333333/u }));
    await waitFor(() => expect(checked.at(-1)).toMatchObject({ good_sha: BASE }));
  });

  it('is repeated on request', async () => {
    fails({ title: 'The range cannot be searched' });
    const { user } = open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    await screen.findByText('The range cannot be searched');
    await user.click(screen.getByRole('button', { name: 'Run again' }));
    await waitFor(() => expect(checked.at(-1)).toMatchObject({ is_repeated: true }));
  });

  it('saves the URL of a repository that has none', async () => {
    fails({
      key: 'repositories',
      title: 'Repository is not readable',
      fixes: [{ action: 'set-repository-url', label: 'Add its address', value: 'r' }],
    });
    const updated: unknown[] = [];
    server.use(
      http.patch(at('/repositories/:id'), async ({ request }) => {
        updated.push(await request.json());
        return HttpResponse.json({});
      }),
    );
    const { user } = open(`/t/northwind/bisects/new?regression=${REGRESSION}`);
    await user.click(await screen.findByRole('button', { name: 'Add its address' }));
    await user.type(
      await screen.findByLabelText('Address of the repository'),
      'https://x.org/a.git',
    );
    await user.click(screen.getByRole('button', { name: 'Add and fetch' }));
    await waitFor(() => expect(updated).toEqual([{ url: 'https://x.org/a.git' }]));
  });
});
