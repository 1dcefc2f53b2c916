import { screen, waitFor, within } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, it, vi } from 'vitest';
import type { ListSearch } from '../lib/list-search';
import { show } from '../testing/render';
import { PagedTable } from './PagedTable';
import { pagedList, usePagedList } from './paged-list';

type Row = { id: string; name: string; size: number };

const PAGES: Row[][] = [
  [
    { id: 'a', name: 'Anvil', size: 2 },
    { id: 'b', name: 'Bolt', size: 9 },
  ],
  [{ id: 'c', name: 'Cog', size: 30 }],
];

const list = pagedList(['test-list'], async (cursor) => {
  const at = Number(cursor ?? 0);
  return Promise.resolve({
    items: PAGES[at] ?? [],
    next_cursor: at + 1 < PAGES.length ? String(at + 1) : null,
  });
});

function Table({ first = {} }: { first?: ListSearch }) {
  const [search, setSearch] = useState<ListSearch>(first);
  return (
    <PagedTable<Row>
      label="Parts"
      list={usePagedList(list, search)}
      sorting={{ search, onSort: (sort) => setSearch({ sort }) }}
      columns={[
        { id: 'name', head: 'Name', text: ({ name }) => name, cell: ({ name }) => name },
        {
          id: 'size',
          head: 'Size',
          text: ({ size }) => size,
          align: 'right',
          cell: ({ size }) => size,
        },
      ]}
      loading={null}
      empty={null}
    />
  );
}

const names = () =>
  within(screen.getByRole('table', { name: 'Parts' }))
    .getAllByRole('rowheader')
    .map(({ textContent }) => textContent);

describe('PagedTable', () => {
  it('loads all pages before it sorts by a column', async () => {
    const { user } = show(<Table />);
    await user.click(await screen.findByRole('button', { name: 'Size' }));
    await waitFor(() => expect(names()).toEqual(['Cog', 'Bolt', 'Anvil']));
    expect(screen.queryByRole('button', { name: /^Load older/u })).toBeNull();
  });

  it('applies the sort order of the URL to all pages', async () => {
    show(<Table first={{ sort: '-name' }} />);
    await screen.findByRole('table');
    await waitFor(() => expect(names()).toEqual(['Cog', 'Bolt', 'Anvil']));
  });

  it('downloads all rows as CSV, not only the loaded ones', async () => {
    const saved: Blob[] = [];
    const spy = vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
      saved.push(blob as Blob);
      return 'blob:csv';
    });
    const { user } = show(<Table />);
    await user.click(await screen.findByRole('button', { name: 'Download CSV' }));
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(await saved[0]?.text()).toBe('Name,Size\r\nAnvil,2\r\nBolt,9\r\nCog,30\r\n');
    expect(names()).toEqual(['Anvil', 'Bolt']);
    spy.mockRestore();
  });
});
