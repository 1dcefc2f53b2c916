import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../../api';
import { at, page, problem, server } from '../../../testing/mock-api';
import { aReport, aText } from '../../../testing/report-fixtures';
import { enter, show } from '../../../testing/render';
import type { ListSearch } from '../../../lib/list-search';
import Reports from './Reports';

type ListProps = { mayWrite?: boolean; first?: string; onOpen?: (id: string) => void };

function List({ mayWrite = true, first = '', onOpen = () => undefined }: ListProps) {
  const [search, setSearch] = useState<ListSearch>({ q: first || undefined });
  return (
    <Reports
      search={search}
      onSearch={setSearch}
      onOpen={onOpen}
      link={(id, words) => <a href={`#${id}`}>{words}</a>}
      mayWrite={mayWrite}
    />
  );
}

function serve(rowsOf: (asked: URLSearchParams) => Report[]): URLSearchParams[] {
  const asked: URLSearchParams[] = [];
  server.use(
    http.get(at('/reports'), ({ request }) => {
      asked.push(new URL(request.url).searchParams);
      return page(rowsOf(asked.at(-1)!));
    }),
  );
  return asked;
}

describe('Reports', () => {
  it('shows the state, parts, open links and author of each report', async () => {
    serve(() => [
      aReport({ blocks: [aText()], links_count: 3, version: 2 }),
      aReport({ id: 'r2', number: 5, title: 'Heap', created_by: null }),
    ]);
    show(<List />);
    const [, first, second] = within(
      await screen.findByRole('table', { name: 'Reports' }),
    ).getAllByRole('row');
    const cells = (row: HTMLElement) =>
      within(row)
        .getAllByRole('cell')
        .slice(0, 4)
        .map((cell) => cell.textContent);
    expect(within(first!).getByRole('rowheader')).toHaveTextContent('Why stacks grow #4');
    expect(cells(first!)).toEqual(['version 2', '1', '3', 'Mira']);
    expect(cells(second!)).toEqual(['draft', '0', '–', '–']);
  });

  it('searches on the server and shows when nothing matches', async () => {
    const asked = serve((query) => (query.has('search') ? [] : [aReport()]));
    const { user } = show(<List />);
    await screen.findByRole('link', { name: 'Why stacks grow' });
    expect(asked[0]?.has('search')).toBe(false);
    await user.type(screen.getByRole('textbox', { name: 'Search reports' }), 'x');
    expect(await screen.findByText('No reports match.')).toBeInTheDocument();
    expect(asked.at(-1)?.get('search')).toBe('x');
  });

  it('explains how to start when it is empty, without a button for viewers', async () => {
    serve(() => []);
    show(<List mayWrite={false} />);
    expect(await screen.findByText(/^No reports yet\. Create one here/)).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'New report' })).not.toBeInTheDocument();
  });

  it('shows why the list could not be loaded and retries on request', async () => {
    serve(() => [aReport()]);
    server.use(
      http.get(
        at('/reports'),
        () => problem(403, { detail: 'You left the team.', resolution: 'Choose another team.' }),
        { once: true },
      ),
    );
    const { user } = show(<List />);
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Could not load the reports · You left the team.');
    expect(alert).toHaveTextContent('Choose another team.');
    await user.click(within(alert).getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('link', { name: 'Why stacks grow' })).toBeInTheDocument();
  });

  it('loads older reports on request', async () => {
    server.use(
      http.get(at('/reports'), ({ request }) => {
        const cursor = new URL(request.url).searchParams.get('cursor');
        return HttpResponse.json({
          items: [aReport({ id: cursor ?? 'r1', title: cursor ?? 'Newest' })],
          next_cursor: cursor === null ? 'Older' : null,
        });
      }),
    );
    const { user } = show(<List />);
    await user.click(await screen.findByRole('button', { name: 'Load older reports' }));
    expect(await screen.findByRole('link', { name: 'Older' })).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Newest' })).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Load older reports' })).not.toBeInTheDocument();
  });
});

describe('new report dialog', () => {
  it('requires a title, creates the report, and opens it', async () => {
    serve(() => []);
    const sent: unknown[] = [];
    const opened: string[] = [];
    server.use(
      http.post(at('/reports'), async ({ request }) => {
        sent.push(await request.json());
        return HttpResponse.json(aReport({ id: 'r9' }), { status: 201 });
      }),
    );
    const { user } = show(<List onOpen={(id) => opened.push(id)} />);
    await user.click(await screen.findByRole('button', { name: 'New report' }));
    const dialog = await screen.findByRole('dialog', { name: 'New report' });
    const create = within(dialog).getByRole('button', { name: 'Create report' });
    const title = within(dialog).getByRole('textbox', { name: 'Title' });
    await user.type(title, '  ');
    expect(create).toBeDisabled();
    expect(create).toHaveAttribute('title', 'Enter a title');
    await enter(user, title, 'Heap growth ');
    await user.keyboard('{Enter}');
    await waitFor(() => expect(opened).toEqual(['r9']));
    expect(sent).toEqual([{ title: 'Heap growth' }]);
  });

  it('keeps the title when the server rejects the report', async () => {
    serve(() => []);
    server.use(
      http.post(at('/reports'), () =>
        problem(409, { detail: 'A team has at most 1000 reports.', resolution: 'Delete some.' }),
      ),
    );
    const opened: string[] = [];
    const { user } = show(<List onOpen={(id) => opened.push(id)} />);
    await user.click(await screen.findByRole('button', { name: 'New report' }));
    await enter(user, await screen.findByRole('textbox', { name: 'Title' }), 'Heap');
    await user.keyboard('{Enter}');
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent(
      'Could not create the report · A team has at most 1000 reports.',
    );
    expect(alert).toHaveTextContent('Delete some.');
    expect(screen.getByRole('textbox', { name: 'Title' })).toHaveValue('Heap');
    expect(opened).toEqual([]);
  });
});
