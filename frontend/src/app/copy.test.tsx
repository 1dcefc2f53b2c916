import { act, screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import { at, page, server } from '../testing/mock-api';
import { setTimeZone } from '../lib/times';
import { open, show } from '../testing/render';
import { CopyMenu } from '../ui/CopyMenu';
import { BISECT, aBisect } from '../testing/bisect-fixtures';

describe('CopyMenu', () => {
  it.each([
    ['Copy as Markdown', '**[Bisect 14](https://a.example/b)**\n\nFound.\n'],
    ['Copy for Slack', '*<https://a.example/b|Bisect 14>*\nFound.\n'],
    ['Copy link', 'https://a.example/b'],
  ])('copies the document with %s', async (name, copied) => {
    const text = { title: 'Bisect 14', sentence: 'Found.', url: 'https://a.example/b', rows: [] };
    const { user } = show(<CopyMenu text={() => text} />);
    await user.click(await screen.findByRole('button', { name: 'Copy' }));
    await user.click(await screen.findByRole('menuitem', { name, hidden: true }));
    expect(await screen.findByRole('button', { name: 'Copied' })).toBeVisible();
    expect(await navigator.clipboard.readText()).toBe(copied);
  });
});

describe('Copy menu of a page', () => {
  it('stays open when the heading of the page is replaced', async () => {
    server.use(http.get(at('/bisects/:id'), () => HttpResponse.json(aBisect())));
    const { user } = open(`/t/northwind/bisects/${BISECT}`);
    await screen.findByRole('button', { name: 'posterior probability' });
    await user.click(await screen.findByRole('button', { name: 'Copy' }));
    const item = await screen.findByRole('menuitem', { name: 'Copy link', hidden: true });
    const head = screen.getByRole('heading', { level: 1 });
    act(() => {
      setTimeZone('Asia/Tokyo');
    });
    await waitFor(() => expect(head).not.toBeInTheDocument());
    expect(item).toBeInTheDocument();
    expect(await screen.findByRole('heading', { level: 1 })).toBeVisible();
    expect(
      screen.getByRole('button', { name: 'Copy', expanded: true, hidden: true }),
    ).toBeInTheDocument();
    setTimeZone(null);
  });
});

describe('Service list', () => {
  it('keeps a column hidden after reopening, and downloads only visible columns as CSV', async () => {
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
    await user.click(
      await screen.findByRole('menuitem', { name: 'Hide Description', hidden: true }),
    );
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

describe('Glossary term on a page', () => {
  it('opens its definition from the glossary, and closes it on Escape', async () => {
    server.use(http.get(at('/bisects/:id'), () => HttpResponse.json(aBisect())));
    const { user } = open(`/t/northwind/bisects/${BISECT}`);
    await user.click(await screen.findByRole('button', { name: 'posterior probability' }));
    const dialog = await screen.findByRole('dialog', {
      name: 'posterior probability',
      hidden: true,
    });
    expect(dialog).toHaveTextContent('how probable it is that a commit is the culprit');
    expect(within(dialog).getByRole('link', { name: 'Glossary', hidden: true })).toHaveAttribute(
      'href',
      '/help/glossary#statistics',
    );
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  });
});
