import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import { at, page, server } from '../testing/mock-api';
import { open } from '../testing/render';
import { BISECT, aBisect } from '../testing/bisect-fixtures';

describe('what a page shows', () => {
  it('is copied as Markdown and for Slack', async () => {
    server.use(http.get(at('/bisects/:id'), () => HttpResponse.json(aBisect())));
    const { user } = open(`/t/northwind/bisects/${BISECT}`);
    await screen.findByText('Probability per candidate');
    await user.click(await screen.findByRole('button', { name: 'Copy' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Copy as Markdown' }));
    expect(await screen.findByRole('button', { name: 'Copied' })).toBeVisible();
    const markdown = await navigator.clipboard.readText();
    expect(markdown).toMatch(/^\*\*\[Bisect \d+: .+\]\(http.+\/bisects\/.+\)\*\*/u);
    expect(markdown).toContain('| Deployments |');

    await waitFor(() => expect(screen.queryByRole('menuitem')).not.toBeInTheDocument());
    await user.click(screen.getByRole('button', { name: 'Copied' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Copy for Slack' }));
    expect(await navigator.clipboard.readText()).toMatch(/^\*<http[^|]+\|Bisect \d+: /u);
  });
});

describe('a list', () => {
  it('remembers hidden columns, and saves the others as CSV', async () => {
    const service = { id: 's1', slug: 'shop', main_package: 'cmd/shop', is_example: false };
    const created_at = '2026-11-01T00:00:00Z';
    server.use(
      http.get(at('/services'), () =>
        page([{ ...service, name: '=shop', description: 'Sells', created_at }]),
      ),
    );
    const saved: Blob[] = [];
    vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
      saved.push(blob as Blob);
      return 'blob:csv';
    });
    const { user, unmount } = open('/t/northwind/services');
    await user.click(await screen.findByRole('button', { name: 'Columns' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Hide Description' }));
    expect(screen.queryByText('Sells')).not.toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Download CSV' }));
    expect(await saved[0]?.text()).toBe(
      `Service,Main package,Added\r\n'=shop,cmd/shop,${created_at}\r\n`,
    );

    unmount();
    open('/t/northwind/services');
    expect(await screen.findByText('=shop')).toBeVisible();
    expect(screen.queryByText('Sells')).not.toBeInTheDocument();
  });
});

describe('a term of a page', () => {
  it('opens its meaning from the glossary, and Escape closes it', async () => {
    server.use(http.get(at('/bisects/:id'), () => HttpResponse.json(aBisect())));
    const { user } = open(`/t/northwind/bisects/${BISECT}`);
    await user.click(await screen.findByRole('button', { name: 'posterior probability' }));
    const dialog = await screen.findByRole('dialog', { name: 'posterior probability' });
    expect(dialog).toHaveTextContent('how probable it is that a commit is the culprit');
    expect(within(dialog).getByRole('link', { name: 'Glossary' })).toHaveAttribute(
      'href',
      '/help/glossary#statistics',
    );
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  });
});
